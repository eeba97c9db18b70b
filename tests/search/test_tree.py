"""Pieces of the tree search and of playouts, called one by one."""

from math import log, sqrt
from typing import Any

import numpy as np
import pytest

from hemlock_env import Game
from hemlock_env._jit import new_records
from hemlock_env.agents.mcts import MctsBot
from hemlock_env.engine.chance import below
from hemlock_env.engine.constants import NOBODY
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.keys import draw_below, mix_keys
from hemlock_env.search import playouts, tree
from tests.support.scenario import scenario

SEAT, RIVAL = 0, 1


ROOT = 0  # of the first tree
SECOND = 16  # where the second begins


def grown(*children: tuple[int, int, float], visits: int = 10) -> tree.Tree:
    """A root with children, each an action of SEAT with its visits and the sum of its returns."""
    made = tree.new_tree(2, 16, 20)
    tree.plant(made, 0)
    tree.plant(made, 1)
    made.nodes[ROOT]["visits"] = visits
    for action, times, total in children:
        child = made.nodes[tree.add_child(made, 0, ROOT, action, SEAT)]
        child["visits"], child["available"], child["total"] = times, visits, total
    return made


def marked(made: tree.Tree, *actions: int) -> int:
    """Mark actions as legal; the mark."""
    return tree.mark_legal(made.marks, np.array(actions, np.int16), len(actions))


def test_ucb_is_the_mean_and_more_for_what_was_seldom_tried() -> None:
    nodes = grown((3, 4, 2.0)).nodes
    assert tree.ucb(nodes, 1, 0.5) == pytest.approx(2.0 / 4 + 0.5 * sqrt(log(10) / 4))
    assert tree.ucb(nodes, 1, 0.0) == 0.5


def test_of_the_legal_children_the_one_with_the_highest_ucb_is_selected() -> None:
    made = grown((3, 5, 4.0), (4, 5, 2.0), (5, 5, 3.0))
    mark = marked(made, 4, 5, 6)  # action 3 is not legal now, action 6 has no child
    best, score, tried, mean = tree.select_uct(made.nodes, ROOT, SEAT, made.marks, mark, 0.0)
    assert (made.nodes[best]["action"], score, tried) == (5, pytest.approx(3 / 5), 2)
    assert mean == (2.0 + 3.0) / 10  # of the legal ones
    assert made.marks[[4, 5, 6]].tolist() == [0, 0, mark]
    assert made.nodes["available"][1:4].tolist() == [10, 11, 11]


def test_a_child_of_another_seat_is_not_selected() -> None:
    made = grown((3, 5, 4.0))
    found = tree.select_uct(made.nodes, ROOT, RIVAL, made.marks, marked(made, 3), 0.0)
    assert found == (tree.NONE, 0.0, 0, 0.5)


@pytest.mark.parametrize(("total", "new"), [(0.4, 0), (0.2, 1)])
def test_a_child_beats_an_untried_action_if_it_is_c_better_than_the_mean(
    total: float, new: int
) -> None:
    made = grown((3, 5, total), (4, 5, 0.0))
    legal = np.array([3, 4, 6], np.int16)
    playout = playouts.new_playouts(False, 0)[0]
    # The better one's UCB, with c = 0.1, against the mean of both + c.
    child, added = tree.select_or_add(made, 0, ROOT, SEAT, legal, 3, 0.1, playout)
    ucb = total / 5 + 0.1 * sqrt(log(11) / 5)
    assert (ucb > total / 10 + 0.1) == (not new)
    assert (made.nodes[child]["action"], added) == ((6, 1) if new else (3, 0))


def test_puct_adds_what_the_policy_says_and_takes_visits_in_flight_as_losses() -> None:
    nodes = grown((3, 4, 2.0)).nodes
    nodes["prior"][1] = 0.3
    assert tree.puct(nodes, 1, 2.0) == pytest.approx(0.5 + 2.0 * 0.3 / 5)
    nodes[1]["visits"] += 1  # selected, and not yet valued
    assert tree.puct(nodes, 1, 2.0) == pytest.approx(0.4 + 2.0 * 0.3 / 6)


@pytest.mark.parametrize(("prior", "chosen"), [(0.11, 5), (0.09, 3)])
def test_by_puct_a_child_without_visits_counts_as_an_average_one(prior: float, chosen: int) -> None:
    made = grown((3, 5, 4.0), (4, 5, 2.0), (5, 0, 0.0), visits=10)
    made.nodes["prior"][1:4] = 0.0, 0.0, prior
    legal = np.array([3, 4, 5], np.int16)
    # 0.8 is the best mean, 0.6 that of both.
    child = tree.select_puct(made, 0, ROOT, SEAT, legal, 3, 0.2 / sqrt(10) / 0.1)
    assert made.nodes[child]["action"] == chosen


def test_an_action_that_was_not_legal_before_gets_a_child_by_puct() -> None:
    made = grown((3, 5, 4.0), (4, 5, 2.0))
    legal = np.array([4, 7], np.int16)
    child = tree.select_puct(made, 0, ROOT, SEAT, legal, 2, 50.0)
    assert (made.nodes[child]["action"], made.nodes[child]["prior"]) == (7, 0.5)


def test_a_position_is_expanded_with_all_its_actions_or_none() -> None:
    made = grown()
    legal, logits = np.arange(4, dtype=np.int16), np.array([0, 1, 2, 3], np.float32)
    shares = np.exp(logits) / np.exp(logits).sum()
    tree.expand(made, 0, ROOT, SEAT, legal, 4, logits.copy())
    children = made.nodes[1:5]
    assert children["action"].tolist() == [0, 1, 2, 3]
    assert children["prior"] == pytest.approx(shares)
    for _ in range(2):
        tree.expand(made, 0, 1, SEAT, legal, 4, logits.copy())  # the second time it is already
    assert made.sizes[0] == 9
    tree.expand(made, 0, 2, SEAT, legal, 4, logits.copy())
    tree.expand(made, 0, 3, SEAT, legal, 4, logits.copy())  # 13 of 16 places are taken
    assert made.sizes.tolist() == [13, SECOND + 1]
    assert made.nodes[3]["first"] == tree.NONE


def test_trees_side_by_side_keep_to_their_parts() -> None:
    made = grown()
    for t in (0, 1):
        children = [tree.add_child(made, t, SECOND * t, 3, SEAT) for _ in range(16)]
        assert children == [*range(SECOND * t + 1, SECOND * t + 16), tree.NONE]


def test_returns_are_backpropagated_to_the_nodes_of_the_path_alone() -> None:
    made = grown((3, 5, 4.0), (4, 5, 2.0))
    reveal = tree.enter_reveal(made, 0, 2, 77)
    rivals = tree.add_child(made, 0, reveal, 9, RIVAL)
    playout = playouts.new_playouts(False, 0)
    playout["returns"][0] = 0.75, 0.25, 0.0, 0.0
    path = np.array([ROOT, 2, reveal, rivals], np.int32)
    tree.backpropagate(made.nodes, path, 4, playout[0])
    assert made.nodes["total"][[1, 2, reveal, rivals]].tolist() == [4.0, 2.75, 0.0, 0.25]


# ---- what is revealed ----


def test_what_follows_another_reveal_has_a_node_of_its_own() -> None:
    made = grown((3, 5, 4.0))
    first, again = tree.enter_reveal(made, 0, 1, 11), tree.enter_reveal(made, 0, 1, 11)
    other = tree.enter_reveal(made, 0, 1, 12)
    assert first == again != other
    assert made.nodes["mover"][[first, other]].tolist() == [NOBODY, NOBODY]


def test_an_action_is_searched_further_after_some_reveals_and_only_valued_after_others() -> None:
    made = tree.new_tree(1, 64, 20)
    tree.plant(made, 0)
    found = [tree.enter_reveal(made, 0, ROOT, key) for key in range(1, tree.REVEALS + 3)]
    assert found[-2:] == [tree.NONE] * 2
    assert len(set(found)) == tree.REVEALS + 1


def test_the_key_of_a_reveal_is_what_the_seat_has_seen() -> None:
    game = Game(seed=4, loot="hand")
    assert game.seat is not None
    key = tree.reveal_key(game.arrays.states[0], game.seat)
    for seed in range(5):  # what is hidden from it changes nothing
        other = game.redeal(game.seat, seed).arrays.states[0]
        assert tree.reveal_key(other, game.seat) == key
    states = [Game(seed=seed).arrays.states[0] for seed in range(50)]
    assert len({tree.reveal_key(state, 0) for state in states}) > 45  # a few may be alike


# ---- a tree that is kept ----


def told(nodes: Any, node: int) -> Any:
    """All that grows from a node, as nested tuples."""
    row, below = nodes[node], []
    child = row["first"]
    while child != tree.NONE:
        below.append(told(nodes, child))
        child = nodes[child]["next"]
    names = ("total", "visits", "available", "prior", "solved", "reveal", "action", "mover")
    return tuple(row[name].item() for name in names), below


def searched(room: int) -> tuple[Game, tree.Tree, Any]:
    """A game, its tree of playouts, and what room there is keeps of it after the first action."""
    game = scenario(3, night=2, hands=["ghoul", "shadow masque", "masque"])
    bot = MctsBot(iterations=400)
    bot.prepare()
    made = tree.new_tree(2, 600, len(game.spec.actions))
    tree.plant(made, 0)
    bot._grow(game.arrays, np.array([3], np.uint64), made)
    kept = new_records(tree.NODE, room)
    size = tree.keep_subtree(made, 0, int(game.legal_actions()[0]), kept)
    return game, made, kept[:size]


def test_what_grows_after_an_action_is_kept_whole() -> None:
    game, made, kept = searched(600)
    action = int(game.legal_actions()[0])
    child = tree.find_action(made.nodes, ROOT, action)
    assert told(kept, 0)[1] == told(made.nodes, child)[1]
    assert len(kept) > 20

    after = game.copy()
    after.step(action)
    answer = int(after.legal_actions()[0])
    after.step(answer)
    answers = np.array([answer], np.int16)
    assert tree.take_up(kept, answers, after.arrays.states, 0, game.seat, made, 1, 100)
    node = tree.find_action(kept, 0, answer)
    root = len(made.nodes) // 2
    assert told(made.nodes, root)[1] == told(kept, node)[1]


def test_of_a_large_tree_the_upper_levels_are_kept() -> None:
    _, _, kept = searched(40)
    assert 20 < len(kept) <= 40
    assert max(kept["first"].max(), kept["next"].max()) < len(kept)


def test_a_tree_is_not_taken_up_where_the_game_went_another_way() -> None:
    game, made, kept = searched(600)
    nowhere = np.array([len(game.spec.actions) - 1], np.int16)
    states = game.arrays.states
    assert not tree.take_up(kept, nowhere, states, 0, game.seat, made, 1, 100)
    assert made.sizes[1] == len(made.nodes) // 2 + 1


# ---- returns ----


def ended(seed: int, num_players: int = 2) -> Game:
    """A game at its end."""
    game, rng = Game(num_players, seed=seed), np.random.default_rng(seed)
    while not game.over:
        game.step(int(rng.choice(game.legal_actions())))
    return game


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_without_a_margin_winners_share_the_return(num_players: int) -> None:
    game = ended(5, num_players)
    playout = playouts.new_playouts(False, 0)
    state, tables = game.arrays.states[0], game.spec.tables[0]
    playouts.terminal_returns(state, tables, playout[0], 0.0)
    won = game.winners()
    shares = [float(seat in won) / len(won) for seat in range(num_players)]
    assert playout["returns"][0, :num_players].tolist() == shares


def test_a_larger_margin_is_a_larger_return() -> None:
    returns = [playouts.return_of(1.0, ahead, 0.2) for ahead in (0.0, 15.0, 30.0, 60.0)]
    assert returns == pytest.approx([0.9, 0.95, 1.0, 1.0])
    assert playouts.return_of(0.0, -30.0, 0.2) == 0.0


# ---- where an iteration begins ----


def fields(state: Any) -> dict[str, Any]:
    """A state without the gaps between its fields."""
    return {name: np.asarray(state[name]).tolist() for name in state.dtype.names}


def dealt(game: Game, redeals: int, number: int) -> dict[str, Any]:
    """The state that an iteration begins with."""
    games = game.arrays
    room = playouts.new_room(
        GameArrays(game.spec, playouts.RECORDS).states, playouts.new_playouts(False, 0)
    )
    roots = playouts.Roots(games.states, game.spec.tables, games.legals, games.counts)
    count = playouts.deal(roots, 0, np.uint64(7), number, redeals, room)
    assert count == games.counts[0]
    return fields(room.scratch[playouts.GAME])


def test_each_iteration_has_a_determinization_of_its_own() -> None:
    game = scenario(3, night=2, hands=["ghoul", "shadow masque", "masque"])
    first, again, other = (dealt(game, 1, number) for number in (0, 0, 1))
    assert first == again != other
    assert game.seat is not None
    assert first["hand"][game.seat] == game.state["hand"][game.seat].tolist()
    assert dealt(game, 0, 0) == fields(game.state)


def test_compiled_code_and_numpy_draw_the_same_number_below_a_limit() -> None:
    keys = mix_keys(np.arange(300, dtype=np.uint64), 5)
    limits = np.arange(1, 301)
    one_by_one = [below(key, limit) for key, limit in zip(keys, limits, strict=True)]
    by_hand = [(int(key) >> 32) * int(limit) >> 32 for key, limit in zip(keys, limits, strict=True)]
    assert draw_below(keys, limits).tolist() == one_by_one == by_hand

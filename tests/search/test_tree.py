"""Pieces of the tree search and of playouts, called one by one."""

from math import log, sqrt
from typing import Any

import numpy as np
import pytest

from hemlock_env import Game
from hemlock_env.engine.chance import below
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.keys import draw_below, mix_keys
from hemlock_env.search import playouts, tree
from tests.support.scenario import scenario

SEAT, RIVAL = 0, 1


def grown(*children: tuple[int, int, float], parent: float = 0.0, visits: int = 10) -> tree.Tree:
    """A root with children, each an action of SEAT with its visits and the sum of its returns."""
    made = tree.new_tree(8, 8, 20)
    tree.plant(made)
    root = made.nodes[tree.ROOT]
    root["visits"], root["returns"][SEAT] = visits, parent
    for i, (action, times, total) in enumerate(children, start=1):
        tree.add_child(made.nodes, tree.ROOT, i, action, SEAT)
        made.nodes[i]["visits"], made.nodes[i]["available"] = times, visits
        made.nodes[i]["returns"][SEAT] = total
    return made


def test_ucb_is_the_mean_and_more_for_what_was_seldom_tried() -> None:
    nodes = grown((3, 4, 2.0)).nodes
    assert tree.ucb(nodes, 1, 0.5) == pytest.approx(2.0 / 4 + 0.5 * sqrt(log(10) / 4))
    assert tree.ucb(nodes, 1, 0.0) == 0.5


def test_of_the_legal_children_the_one_with_the_highest_ucb_is_selected() -> None:
    made = grown((3, 5, 4.0), (4, 5, 2.0), (5, 5, 3.0))
    made.marks[[4, 5, 6]] = 1  # action 3 is not legal now, action 6 has no child
    best, score, tried = tree.select_uct(made.nodes, tree.ROOT, SEAT, made.marks, 1, 0.0)
    assert (made.nodes[best]["action"], score, tried) == (5, pytest.approx(3 / 5), 2)
    assert made.marks[[4, 5, 6]].tolist() == [0, 0, 1]
    assert made.nodes["available"][1:4].tolist() == [10, 11, 11]


def test_a_child_of_another_seat_is_not_selected() -> None:
    made = grown((3, 5, 4.0))
    made.marks[3] = 1
    found = tree.select_uct(made.nodes, tree.ROOT, RIVAL, made.marks, 1, 0.0)
    assert found == (tree.NONE, 0.0, 0)


def test_a_child_beats_an_untried_action_if_it_is_c_better_than_the_mean() -> None:
    nodes = grown(parent=4.0).nodes
    beats = tree.beats_untried
    assert beats(nodes, tree.ROOT, SEAT, 0.61, 0.2)
    assert not beats(nodes, tree.ROOT, SEAT, 0.59, 0.2)


def test_returns_are_backpropagated_to_the_nodes_of_the_path_alone() -> None:
    made = grown((3, 5, 4.0), (4, 5, 2.0))
    made.path[:2] = tree.ROOT, 2
    playout = playouts.new_playouts(False, 0)
    playout["returns"][0] = 0.75, 0.25, 0.0, 0.0
    tree.backpropagate(made.nodes, made.path, 2, playout[0])
    assert made.nodes["visits"][:3].tolist() == [11, 5, 6]
    assert made.nodes["returns"][:3, SEAT].tolist() == [0.75, 4.0, 2.75]
    assert made.nodes["returns"][:3, RIVAL].tolist() == [0.25, 0.0, 0.25]


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

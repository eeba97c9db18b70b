"""mcts with a policy in its tree: what the policy says is the policy's own, and it helps."""

from pathlib import Path

import numpy as np
import pytest

from hemlock_env import Game, make_bot
from hemlock_env._jit import ensure
from hemlock_env.agents.base import Decisions
from hemlock_env.agents.mcts import GuidedMctsBot, Kept
from hemlock_env.evaluation import play_match
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.keys import mix_keys
from hemlock_env.network import forward
from hemlock_env.network.policy import Policy, load_policy
from tests.support import naive_tree
from tests.support.checkpoints import untrained
from tests.support.positions import some_games


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return untrained(tmp_path_factory.mktemp("run") / "checkpoint", (24, 16), derived=True)


# ---- the network ----


@pytest.mark.parametrize("derived", [True, False])
@pytest.mark.parametrize("hidden", [(24, 16), (8,), (12, 20, 6)])
def test_the_compiled_network_says_what_the_policy_says(
    tmp_path: Path, derived: bool, hidden: tuple[int, ...]
) -> None:
    policy = load_policy(untrained(tmp_path / "checkpoint", hidden, derived=derived))
    games, rows = some_games(100)
    logits, outcomes = policy.logits_and_values(games.observations[rows])
    found = asked(policy, games.take(rows))
    for place, row in enumerate(rows):
        legal = games.legals[row, : games.counts[row]]
        assert found.values[place, forward.OUTCOME] == pytest.approx(outcomes[place], abs=1e-4)
        assert found.logits[place, : len(legal)] == pytest.approx(logits[place, legal], abs=1e-3)


def asked(policy: Policy, games: GameArrays) -> forward.Rows:
    """What compiled code hears of some games together."""
    network = policy.packed()
    rows = forward.new_rows(network, games.count, games.count)
    ensure(forward.ask_positions)
    counts = games.counts.astype(np.int64)
    forward.ask_positions(games.states, games.spec.tables, games.legals, counts, network, rows)
    return rows


@pytest.mark.parametrize("hidden", [(24, 16), (12, 20, 6)])
def test_a_position_gives_the_same_to_the_last_bit_whatever_goes_with_it(
    tmp_path: Path, hidden: tuple[int, ...]
) -> None:
    policy = load_policy(untrained(tmp_path / "checkpoint", hidden, derived=True))
    games, rows = some_games(40)
    together = asked(policy, games.take(rows))
    for count in (1, 2, 3, 5, 7):
        found = asked(policy, games.take(rows[-count:]))
        assert (found.values == together.values[-count:]).all()
        assert (found.logits[:, :2] == together.logits[-count:, :2]).all()


# ---- the search ----


def test_every_iteration_begins_with_an_action(folder: Path) -> None:
    found = GuidedMctsBot(f"ckpt:{folder}", iterations=200).values(Game(seed=1))
    assert sum(each.visits for each in found.values()) == 200


@pytest.mark.parametrize("leaves", [1, 5])
@pytest.mark.parametrize("num_players", [2, 3])
def test_the_tree_grows_as_one_of_python_objects_does(
    tmp_path: Path, num_players: int, leaves: int
) -> None:
    folder = untrained(tmp_path / "checkpoint", (12,), num_players=num_players)
    policy, random = load_policy(folder), make_bot("random", seed=3)
    bot = GuidedMctsBot(f"ckpt:{folder}", iterations=60, c=2.0, leaves=leaves)
    for seed in range(6):
        game = Game(num_players, seed=seed)
        for _ in range(20 * seed):
            game.step(random.act(game))
        found = bot.values(game, key=seed)
        twin = naive_tree.search(game, policy, seed, 60, leaves, 2.0)
        assert {game.action_index(name): each.visits for name, each in found.items()} == twin


@pytest.mark.parametrize("leaves", [1, 4])
def test_a_choice_is_the_same_however_decisions_are_batched(folder: Path, leaves: int) -> None:
    games, rows = some_games(40)
    bot = GuidedMctsBot(f"ckpt:{folder}", iterations=50, leaves=leaves)
    keys = mix_keys([5], np.arange(len(rows)))
    options = Game().checked_options
    bot.check(games.spec, options)
    together = bot.choose(Decisions(games, options, rows, keys))
    for part in (slice(0, 1), slice(3, 10), slice(10, None)):
        found = bot.choose(Decisions(games, options, rows[part], keys[part]))
        assert (found == together[part]).all()


def test_leaves_in_flight_of_one_tree_spread(folder: Path) -> None:
    """Without virtual loss all would go the same way until the first comes back."""
    game = Game(seed=1)
    found = GuidedMctsBot(f"ckpt:{folder}", iterations=16, leaves=16).values(game)
    assert sum(each.visits > 0 for each in found.values()) > 3


def test_the_tree_is_kept_for_the_next_decision_of_a_seat(folder: Path) -> None:
    bot, fresh = (GuidedMctsBot(f"ckpt:{folder}", iterations=100) for _ in range(2))
    game, taken_up = Game(seed=1), 0
    while not game.over:
        assert game.seat is not None
        memory = bot._memory[game.seat : game.seat + 1]
        nodes, answers = bot._kept(Decisions.of(game, np.zeros(1, np.uint64), memory), 0)
        assert (len(nodes) > 0) == isinstance(memory[0], Kept)
        taken_up += len(nodes) > 10 and len(answers) < 4
        game.step(bot.act(game))
    assert taken_up > 10
    assert fresh.values(Game(seed=1), key=1) == bot.values(Game(seed=1), key=1)


def test_with_one_iteration_it_plays_the_likeliest_action(folder: Path) -> None:
    plain, guided = (
        make_bot(f"ckpt:{folder}"),
        make_bot(f"mcts:iterations=1:exact=0:prior=ckpt:{folder}"),
    )
    random, game = make_bot("random", seed=3), Game(seed=1)
    while not game.over:
        keys = np.zeros(1, np.uint64)
        assert guided.choose(Decisions.of(game, keys)) == plain.act(game)
        game.step(random.act(game))


def test_it_finds_what_wins_at_once(folder: Path) -> None:
    """Whatever an untrained policy thinks, the end of the game is counted as it is."""
    from tests.agents.test_mcts import LAST
    from tests.support.scenario import scenario

    game = scenario(
        hands=["masque", "ghoul"], board={"spires": ["ghoul", "ghoul ghoul"]},
        nights=["spires_2"], **LAST,
    )  # fmt: skip
    bot = GuidedMctsBot(f"ckpt:{folder}", iterations=3_000)
    assert game.action_name(bot.act(game)) == make_bot_best(game)


def make_bot_best(game: Game) -> str:
    """The action that is best by the exact solver."""
    from hemlock_env.search.solver import solve

    return solve(game).best[0]


def test_searching_plays_better_than_the_policy_alone(folder: Path) -> None:
    result = play_match(f"mcts:iterations=60:prior=ckpt:{folder}", f"ckpt:{folder}", 20, 1)
    assert result.interval[0] > 0.5


def test_games_that_the_policy_was_not_trained_for_are_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match="num_players"):
        play_match(f"mcts:prior=ckpt:{folder}", "random", 3, options={"num_players": 3})

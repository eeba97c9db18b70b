"""mcts with a policy in its tree: what the policy says is the policy's own, and it helps."""

from pathlib import Path

import pytest

from hemlock_env import Game, make_bot
from hemlock_env._jit import ensure
from hemlock_env.agents.mcts import GuidedMctsBot
from hemlock_env.evaluation import play_match
from hemlock_env.network import forward
from hemlock_env.network.policy import load_policy
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
    network = policy.packed()
    activations = forward.new_activations(network)
    ensure(forward.ask_position)
    for place, row in enumerate(rows):
        outcome = forward.ask_position(
            games.states, games.spec.tables, row, games.legals, games.counts, network, activations
        )
        legal = games.legals[row, : games.counts[row]]
        assert outcome == pytest.approx(outcomes[place], abs=1e-4)
        assert activations.logits[: len(legal)] == pytest.approx(logits[place, legal], abs=1e-3)


# ---- the search ----


def test_every_iteration_begins_with_an_action(folder: Path) -> None:
    found = GuidedMctsBot(f"ckpt:{folder}", iterations=200).values(Game(seed=1))
    assert sum(each.visits for each in found.values()) == 200


def test_with_one_iteration_it_plays_the_likeliest_action(folder: Path) -> None:
    plain, guided = make_bot(f"ckpt:{folder}"), make_bot(f"mcts:iterations=1:prior=ckpt:{folder}")
    random, game = make_bot("random", seed=3), Game(seed=1)
    while not game.over:
        assert guided.act(game) == plain.act(game)
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

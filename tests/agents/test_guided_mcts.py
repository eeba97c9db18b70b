"""mcts with a policy in its tree: what the policy says is the policy's own, and it helps."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hemlock_env import Game, make_bot
from hemlock_env._jit import ensure
from hemlock_env.agents.guided_mcts import GuidedMctsBot
from hemlock_env.evaluation import play_match
from hemlock_env.evaluation.match import Match
from hemlock_env.game.options import check_options, find_card_set
from hemlock_env.network import forward
from hemlock_env.network.features import select_features
from hemlock_env.network.policy import describe, load_policy, save_policy, weight_shapes
from tests.agents.test_bots import some_games

HIDDEN = {"num_players": 3, "loot": "hand", "agendas": True}


def checkpoint(
    folder: Path, insights: bool = True, hidden: tuple[int, ...] = (24, 16), **options: Any
) -> Path:
    """One with small random weights."""
    cards = find_card_set("vault_of_darkness")
    checked = check_options(cards, **options)
    live = select_features(cards, checked) if insights else None
    about = describe(cards, checked, hidden, None if live is None else len(live))
    random = np.random.default_rng(3)
    weights: dict[str, Any] = {
        name: random.normal(size=shape).astype(np.float32) / 3
        for name, shape in weight_shapes(about["network"]).items()
    }
    weights["input_scale"] = 1 + np.abs(weights["input_scale"])
    if live is not None:
        weights["live"] = live
    save_policy(folder, weights, {**about, "decisions": 0, "minutes": 0.0})
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checkpoint(tmp_path_factory.mktemp("run") / "checkpoint")


# ---- the network ----


@pytest.mark.parametrize("insights", [True, False])
@pytest.mark.parametrize("hidden", [(24, 16), (8,), (12, 20, 6)])
def test_the_compiled_network_says_what_the_policy_says(
    tmp_path: Path, insights: bool, hidden: tuple[int, ...]
) -> None:
    policy = load_policy(checkpoint(tmp_path / "checkpoint", insights, hidden))
    games, rows = some_games(100)
    logits, outcomes = policy.logits_and_values(games.observations[rows])
    packed = forward.pack(policy)
    ensure(forward.ask_position)
    for place, row in enumerate(rows):
        outcome = forward.ask_position(
            games.states, games.spec.tables, row, games.legals, games.counts, *packed
        )
        legal = games.legals[row, : games.counts[row]]
        assert outcome == pytest.approx(outcomes[place], abs=1e-4)
        assert packed[-1][: len(legal)] == pytest.approx(logits[place, legal], abs=1e-3)


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


@pytest.mark.parametrize("options", [
    {"num_players": 2, "items_as_loot": True},
    HIDDEN,
    {"num_players": 4, "sides": "random", "agendas": True},
])  # fmt: skip
@pytest.mark.parametrize("name", ["mcts", "cheat-mcts"])
def test_it_plays_every_kind_of_game(tmp_path: Path, name: str, options: dict[str, Any]) -> None:
    path = checkpoint(tmp_path / "checkpoint", **options)
    if name == "cheat-mcts":
        with pytest.raises(ValueError, match="unknown option 'prior'"):
            make_bot(f"cheat-mcts:prior=ckpt:{path}")
        return
    result = play_match(f"mcts:iterations=20:prior=ckpt:{path}", "random", 4, options=options)
    assert result.illegal == 0


@pytest.mark.rule("R13.6")
def test_a_choice_does_not_change_when_what_is_hidden_is_redealt(tmp_path: Path) -> None:
    spec = f"mcts:iterations=20:prior=ckpt:{checkpoint(tmp_path / 'checkpoint', **HIDDEN)}"
    game, random = Game(**HIDDEN, seed=5), make_bot("random", seed=1)
    while not game.over:
        assert game.seat is not None
        seen = {make_bot(spec, seed=7).act(game.redeal(game.seat, seed)) for seed in (1, 2)}
        assert seen == {make_bot(spec, seed=7).act(game)}
        game.step(random.act(game))


def test_a_choice_does_not_depend_on_the_games_played_beside_it(folder: Path) -> None:
    match = Match(f"mcts:iterations=15:prior=ckpt:{folder}", "random", games=8, seed=2)
    assert match.play(chunk=8).digest == match.play(chunk=2).digest


# ---- options ----


@pytest.mark.parametrize(("words", "says"), [
    ("mcts:prior=greedy", "must be written prior=ckpt:PATH"),
    ("mcts:prior=ckpt:nowhere", "nowhere"),
    ("mcts:iterations=0:prior=ckpt:{folder}", "iterations=0 must be from 1"),
    ("mcts:c=-1:prior=ckpt:{folder}", "c=-1.0 must be from 0"),
    ("mcts:nights=2:prior=ckpt:{folder}", "leave out nights="),
    ("mcts:rollouts=greedy:prior=ckpt:{folder}", "leave out rollouts="),
    ("rollout:prior=ckpt:{folder}", "unknown option 'prior'"),
])  # fmt: skip
def test_a_wrong_option_is_refused(folder: Path, words: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        make_bot(words.format(folder=folder))


def test_games_that_the_policy_was_not_trained_for_are_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match="num_players"):
        play_match(f"mcts:prior=ckpt:{folder}", "random", 3, options={"num_players": 3})


def test_a_spec_names_its_prior_last(folder: Path) -> None:
    bot = make_bot(f"mcts:c=0.5:iterations=40:prior=ckpt:{folder}")
    assert bot.spec == f"mcts:iterations=40:c=0.5:prior=ckpt:{folder}"
    assert make_bot(bot.spec).fingerprint() == bot.fingerprint()

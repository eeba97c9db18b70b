"""ckpt:PATH plays by the logits of the legal actions, and only games that it was trained for."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from hemlock_env import Game, make_bot
from hemlock_env.agents import Decisions
from hemlock_env.agents.network_bot import CheckpointBot
from hemlock_env.envs.gym_env import HemlockGymEnv
from hemlock_env.evaluation import play_match
from hemlock_env.game.keys import mix_keys
from hemlock_env.game.options import check_options
from hemlock_env.network.checkpoint import CheckpointError
from tests.envs.games import any_legal
from tests.support.checkpoints import untrained
from tests.support.positions import some_games


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint with random weights."""
    return untrained(tmp_path_factory.mktemp("run") / "checkpoint", (32,), spread=1.0)


def test_it_plays_the_likeliest_legal_action(folder: Path) -> None:
    bot, game = CheckpointBot(str(folder)), Game(seed=1)
    assert game.seat is not None
    logits, _ = bot.policy.logits_and_values(game.observe(game.seat)[None])
    legal = game.legal_actions()
    assert bot.act(game) == legal[int(np.argmax(logits[0, legal]))]


def test_at_temperature_one_it_plays_by_the_probabilities(folder: Path) -> None:
    bot = make_bot(f"ckpt:{folder}:temperature=30")
    game = Game(seed=1)
    assert isinstance(bot, CheckpointBot) and game.seat is not None
    logits, _ = bot.policy.logits_and_values(game.observe(game.seat)[None])
    legal = game.legal_actions()
    weights = np.exp(logits[0, legal].astype(float) / 30)
    counts = Counter(bot.act(game) for _ in range(4_000))
    played = np.array([counts[action] for action in legal]) / 4_000
    assert np.abs(played - weights / weights.sum()).max() < 0.03


@pytest.mark.pitfall("S06")
@pytest.mark.parametrize("temperature", ["", ":temperature=1"])
def test_where_nothing_is_legal_it_chooses_nothing(folder: Path, temperature: str) -> None:
    games, rows = some_games(4)
    options, keys = check_options(games.spec.card_set), mix_keys(np.uint64(1), rows)
    games.legals[rows[-1]], games.counts[rows[-1]], games.masks[rows[-1]] = -1, 0, 0
    with pytest.raises(ValueError, match="no legal action"):
        make_bot(f"ckpt:{folder}{temperature}").choose(Decisions(games, options, rows, keys))


@pytest.mark.pitfall("S08")
@pytest.mark.parametrize("temperature", ["", ":temperature=1"])
def test_an_untrained_policy_plays_no_illegal_action(folder: Path, temperature: str) -> None:
    assert play_match(f"ckpt:{folder}{temperature}", "random", 200).illegal == 0


@pytest.mark.pitfall("S08")
def test_an_untrained_policy_is_a_legal_rival(folder: Path) -> None:
    env = HemlockGymEnv(opponent=f"ckpt:{folder}")
    for seed in range(5):
        env.reset(seed=seed)
        over, rng = False, np.random.default_rng(seed)
        while not over:
            over, info = env.step(any_legal(env.action_masks(), rng))[2::2]
        assert not info["illegal_action"]


def test_a_match_of_other_options_is_refused(folder: Path) -> None:
    with pytest.raises(CheckpointError, match="agendas"):
        play_match(f"ckpt:{folder}", "random", 2, options={"agendas": True})

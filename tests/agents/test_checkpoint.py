"""ckpt:PATH plays by the logits of the legal actions, and only games that it was trained for."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from hemlock_env import Game, make_bot
from hemlock_env.agents import Decisions
from hemlock_env.agents.network_bot import CheckpointBot
from hemlock_env.evaluation import play_match
from hemlock_env.game.keys import mix_keys
from hemlock_env.game.options import check_options, find_card_set
from hemlock_env.network.policy import CheckpointError, describe, save_policy, weight_shapes
from tests.agents.test_bots import some_games


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint with random weights."""
    cards = find_card_set("vault_of_darkness")
    about = describe(cards, check_options(cards), (32,))
    random = np.random.default_rng(3)
    weights = {
        name: random.normal(size=shape).astype(np.float32)
        for name, shape in weight_shapes(about["network"]).items()
    }
    weights["input_scale"] = np.ones_like(weights["input_scale"])
    path = tmp_path_factory.mktemp("run") / "checkpoint"
    save_policy(path, weights, {**about, "decisions": 0, "minutes": 0.0})
    return path


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


@pytest.mark.parametrize("temperature", ["", ":temperature=1"])
def test_where_nothing_is_legal_it_chooses_nothing(folder: Path, temperature: str) -> None:
    """S06"""
    games, rows = some_games(4)
    options, keys = check_options(games.spec.card_set), mix_keys(np.uint64(1), rows)
    games.legals[rows[-1]], games.counts[rows[-1]], games.masks[rows[-1]] = -1, 0, 0
    with pytest.raises(ValueError, match="no legal action"):
        make_bot(f"ckpt:{folder}{temperature}").choose(Decisions(games, options, rows, keys))


def test_its_choice_does_not_depend_on_the_batch(folder: Path) -> None:
    games, rows = some_games(200)
    options = check_options(games.spec.card_set)
    keys = mix_keys(np.uint64(1), rows)
    bot = make_bot(f"ckpt:{folder}:temperature=20")
    together = bot.choose(Decisions(games, options, rows, keys))
    apart = [
        bot.choose(Decisions(games, options, rows[i : i + 1], keys[i : i + 1]))
        for i in range(len(rows))
    ]
    assert together.tolist() == np.concatenate(apart).tolist()


def test_an_untrained_policy_plays_no_illegal_action(folder: Path) -> None:
    assert play_match(f"ckpt:{folder}", f"ckpt:{folder}:temperature=1", 20).illegal == 0


def test_a_match_of_other_options_is_refused(folder: Path) -> None:
    with pytest.raises(CheckpointError, match="agendas"):
        play_match(f"ckpt:{folder}", "random", 2, options={"agendas": True})


def test_its_spec_makes_it_again(folder: Path) -> None:
    assert make_bot(f"ckpt:{folder}:temperature=1").spec == f"ckpt:{folder}:temperature=1"
    assert make_bot(f"ckpt:{folder}").spec == f"ckpt:{folder}"

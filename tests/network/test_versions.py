"""Version 0: what was trained for it is played as ever, and nothing else is let in."""

import hashlib
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from hemlock_env import make_bot
from hemlock_env.agents import Decisions
from hemlock_env.cards import load_card_set
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.hashes import observation_hash, rules_hash
from hemlock_env.game.options import Options
from hemlock_env.game.spec import spec_for
from tests.support.checkpoints import untrained

CARDS = load_card_set("vault_of_darkness")
GOLDEN = Path(__file__).parents[1] / "training" / "data"

# Version 0 of the environments, as hashes: observations of 2, 3 and 4 players, rules, actions.
OBSERVATIONS = ["c59f7a6c337c26b1", "185310bcae15dcf6", "2b6d63ac7a5c6245"]
RULES = "d03865d62653b4d8"
ACTIONS = "a329c551b0b48ab0"


class Marker:
    """Unpickling it would make a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.pitfall("S18")
def test_a_file_that_would_run_code_is_refused(tmp_path):
    marker = tmp_path / "marker"
    evil = pickle.dumps(Marker(marker))
    archive = tmp_path / "model.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("data", evil)
    folder = tmp_path / "checkpoint"
    untrained(folder)
    (folder / "policy.safetensors").write_bytes(evil)
    for path in (archive, folder):
        with pytest.raises(ValueError, match=r"meta\.json|sha256"):
            make_bot(f"ckpt:{path}")
    assert not marker.exists()


@pytest.mark.pitfall("S18")
def test_a_checkpoint_of_version_0_plays_what_it_always_played():
    """`tests/training/data/make_golden.py` made it, and says when to make it again."""
    stored = safetensors.numpy.load_file(GOLDEN / "situations.safetensors")
    bot, table, options = make_bot(f"ckpt:{GOLDEN / 'checkpoint'}"), spec_for(CARDS, 2), Options()
    bot.check(table, options)
    games = GameArrays(table, len(stored["actions"]))
    games.observations[:], games.legals[:] = stored["observations"], stored["legal"]
    games.counts[:] = (stored["legal"] >= 0).sum(axis=1)
    rows = np.arange(len(games.counts))
    chosen = bot.choose(Decisions(games, options, rows, rows.astype(np.uint64)))
    assert len(chosen) == 20 and chosen.tolist() == stored["actions"].tolist()
    assert len(set(chosen.tolist())) > 10 and (chosen != stored["legal"][:, 0]).any()
    logits, values = bot.policy.logits_and_values(stored["observations"])
    assert np.allclose(logits, stored["logits"], atol=1e-3)
    assert np.allclose(values, stored["values"], atol=1e-3)


@pytest.mark.pitfall("S19")
def test_rules_observation_and_actions_are_those_of_version_0():
    """A change of one of these is a new version of the environments, see `hemlock_v0`."""
    layouts = [spec_for(CARDS, players).layout for players in (2, 3, 4)]
    assert [observation_hash(layout) for layout in layouts] == OBSERVATIONS
    assert rules_hash(CARDS) == RULES
    names = "\n".join(spec_for(CARDS, 2).actions.names)
    assert hashlib.sha256(names.encode()).hexdigest()[:16] == ACTIONS

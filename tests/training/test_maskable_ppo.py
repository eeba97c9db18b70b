"""A run of MaskablePPO: its folder, its checkpoint, going on, what is refused."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from rich.console import Console

from hemlock_env import Batch
from hemlock_env.envs.slots import Slots
from hemlock_env.evaluation.match import play_match
from hemlock_env.learning import checkpoint, run
from hemlock_env.learning.config import ConfigError, read_settings, to_toml
from hemlock_env.learning.maskable_ppo import MaskablePPOTrainer, check_unused
from hemlock_env.learning.report import columns
from hemlock_env.learning.run import train
from tests.training.tiny import TINY, hemlock

COMMAND = ("train", "--trainer", "maskable_ppo")
CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.fixture
def config(tmp_path):
    """A run small enough for tests."""
    plain = {key: value for key, value in TINY.items() if key != "precision"}
    lines = [f"{key} = {json.dumps(value)}" for key, value in plain.items()]
    lines += ["pool_share = 0.5", "pool_size = 2", "pool_freq = 400"]
    file = tmp_path / "small.toml"
    file.write_text("\n".join(lines))
    return file


def quiet():
    return Console(file=io.StringIO(), width=200)


def test_a_run_leaves_the_folder_of_the_other_trainer(config, tmp_path):
    folder = tmp_path / "run"
    assert train(MaskablePPOTrainer, read_settings(config), folder, console=quiet()) == 0
    assert {path.name for path in folder.iterdir()} >= {
        "config.toml",
        "metrics.csv",
        "checkpoint",
        "learning_curve.png",
        "tensorboard",
    }
    with open(folder / "metrics.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == columns(["random"])
    assert int(rows[-1]["timesteps"]) >= 2048 and 0.0 <= float(rows[-1]["score:random"]) <= 1.0
    assert all(0.0 <= float(row["normalized_entropy"]) <= 1.0 for row in rows)
    assert read_settings(folder / "config.toml") == read_settings(config)
    result = play_match(f"ckpt:{folder}", "random", 4)
    assert result.illegal == 0 and result.games == 4


def test_the_checkpoint_is_the_model(config):
    trainer = MaskablePPOTrainer(read_settings(config))
    trainer.update()
    batch = Batch(16, seed=3)
    logits, values = trainer.policy().logits_and_values(batch.observation)
    policy = trainer.model.policy
    shown = torch.tensor(trainer.encoder.of(batch.observation))
    with torch.no_grad():
        features = policy.extract_features(shown)
        expected, expected_values = policy.action_net(features), policy.value_net(features)
    assert np.allclose(logits, expected.numpy(), atol=1e-5)
    assert np.allclose(values, expected_values.numpy()[:, 0], atol=1e-5)


def test_gamma_is_one_and_the_schedules_fall_with_the_run(config):
    settings = read_settings(config)
    trainer = MaskablePPOTrainer(settings)
    assert trainer.model.gamma == 1.0
    assert trainer.model.vf_coef == settings.vf_coef
    first = trainer.update()
    second = trainer.update()
    assert first["learning_rate"] == settings.learning_rate > second["learning_rate"] > 0.0
    assert first["ent_coef"] == settings.ent_coef > second["ent_coef"]
    rate = trainer.model.policy.optimizer.param_groups[0]["lr"]
    assert rate == pytest.approx(second["learning_rate"])


def test_the_rivals_are_the_newest_policy_and_older_ones(config):
    trainer = MaskablePPOTrainer(read_settings(config))
    before = trainer.pool.newest
    for _ in range(4):
        trainer.update()
    assert len(trainer.pool.older) == 2 and trainer.pool.newest is not before
    shown = Batch(4, seed=1).observation
    newest = trainer.pool.newest.logits_and_values(shown)[0]
    assert np.array_equal(newest, trainer.policy().logits_and_values(shown)[0])
    assert not np.array_equal(newest, trainer.pool.older[0].logits_and_values(shown)[0])


def test_a_run_goes_on_where_it_was_saved(config, tmp_path):
    trainer = MaskablePPOTrainer(read_settings(config))
    for _ in range(2):
        trainer.update()
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "config.toml").write_text(to_toml(trainer.settings))
    checkpoint.save(folder, trainer.policy(), trainer.state_dict())
    again = MaskablePPOTrainer(read_settings(config))
    again.load_state_dict(checkpoint.load(folder, again.settings, again.encoder))
    assert (again.num_timesteps, again.num_games) == (trainer.num_timesteps, trainer.num_games)
    assert len(again.pool.older) == len(trainer.pool.older) > 0
    for one, other in zip(trainer.weights().values(), again.weights().values(), strict=True):
        assert np.array_equal(one, other)
    adam, fresh = (each.model.policy.optimizer.state_dict()["state"] for each in (trainer, again))
    assert all(torch.equal(adam[key]["exp_avg"], fresh[key]["exp_avg"]) for key in adam)
    shown = Batch(4, seed=1).observation
    for one, other in zip(trainer.pool.older, again.pool.older, strict=True):
        assert np.array_equal(one.logits_and_values(shown)[0], other.logits_and_values(shown)[0])
    again.update()


def test_a_resumed_run_plays_other_games_and_draws_other_actions(config, tmp_path):
    settings = read_settings(config)
    first = MaskablePPOTrainer(settings)
    begun = first.venv._seeds
    first.update()
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "config.toml").write_text(to_toml(settings))
    checkpoint.save(folder, first.policy(), first.state_dict())
    seeds = []
    for _ in range(2):
        again = MaskablePPOTrainer(settings)
        again.load_state_dict(checkpoint.load(folder, again.settings, again.encoder))
        seeds.append((again.venv._seeds, torch.initial_seed()))
        again.update()
    assert seeds[0] == seeds[1]  # the same each time from the same save
    assert not set(seeds[0][0]) & set(begun) and seeds[0][1] != settings.seed


def test_a_last_match_that_was_cut_short_is_played_on_resuming(config, tmp_path, monkeypatch):
    settings, folder = read_settings(config, ["eval_freq=4096"]), tmp_path / "run"

    def killed(*_):
        raise MemoryError

    with monkeypatch.context() as patch, pytest.raises(MemoryError):
        patch.setattr(run, "play_opponents", killed)
        train(MaskablePPOTrainer, settings, folder, console=quiet())
    assert train(MaskablePPOTrainer, settings, folder, resume=True, console=quiet()) == 0
    with open(folder / "metrics.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert int(rows[-1]["timesteps"]) >= 2048 and rows[-1]["score:random"]
    assert all(row["learned_sps"] for row in rows)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("pool_size=0", "pool_size"),
        ("pool_share=2", "pool_share"),
        ("colour=1", "colour"),
        ("processes=2", "processes"),
        ("ema_decay=0.5", "ema_decay"),
        ("precision=bfloat16", "precision"),
        ("num_envs=0", "num_envs"),
        ("eval_opponents=['gredy']", "greedy"),
    ],
)
def test_what_can_not_be_is_refused_in_one_line(config, tmp_path, capsys, change, named):
    assert hemlock(*COMMAND, config, "--run", tmp_path / "run", "--set", change) == 2
    said = capsys.readouterr().err
    assert named in said and said.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_resuming_nothing_or_another_config_is_refused(config, tmp_path, capsys):
    run = str(tmp_path / "run")
    assert hemlock(*COMMAND, config, "--run", run, "--resume") == 2
    assert "no run to resume" in capsys.readouterr().err
    train(MaskablePPOTrainer, read_settings(config), Path(run), console=quiet())
    assert hemlock(*COMMAND, config, "--run", run, "--resume", "--set", "pool_freq=2") == 2
    assert "pool_freq = 400, now 2" in capsys.readouterr().err


def test_the_shipped_config_is_sound():
    settings = read_settings(CONFIGS / "maskable_ppo.toml")
    check_unused(settings)
    assert 0.0 < settings.max_minutes <= 15.0
    with pytest.raises(ConfigError, match="can't be read"):
        read_settings(CONFIGS / "no_such.toml")


def test_no_other_seed_and_no_resumed_run_plays_the_same_games(config, monkeypatch):
    dealt = []
    begin = Slots.begin

    def note(slots, rows, seat=None):
        dealt.extend(slots.seating.seeds[rows].tolist())
        begin(slots, rows, seat)

    monkeypatch.setattr(Slots, "begin", note)
    state = {}
    for seed in (0, 1, 2):
        trainer = MaskablePPOTrainer(read_settings(config, [f"seed={seed}"]))
        if state:
            trainer.load_state_dict(state)
        trainer.update()
        state = state or trainer.state_dict()
    resumed = MaskablePPOTrainer(read_settings(config, ["seed=0"]))
    resumed.load_state_dict(state)
    resumed.update()
    assert len(dealt) >= 4 * 32 and len(set(dealt)) == len(dealt)

"""What must be so if learning is sound: nothing from nothing, and the frozen stay frozen."""

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from hemlock_env.agents.network_bot import CheckpointBot
from hemlock_env.evaluation.match import MatchResult, play_match
from hemlock_env.learning import checkpoint, ppo, run
from hemlock_env.learning.best_response import exploit, exploiter, read_curve, settings_for
from hemlock_env.learning.config import ConfigError, read_settings
from hemlock_env.learning.gae import Advantages
from hemlock_env.learning.ppo import PPOTrainer, RolloutBuffer
from hemlock_env.learning.privileged import privileged_state
from hemlock_env.network.checkpoint import CheckpointError
from tests.training.tiny import hemlock, tiny, train_tiny


def state_of(trainer: PPOTrainer) -> dict[str, np.ndarray]:
    return {
        name: weight.detach().numpy().copy() for name, weight in trainer.network.named_parameters()
    }


def test_without_rewards_nothing_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = PPOTrainer(tiny(ent_coef=0.0, ent_coef_end=0.0))
    with torch.no_grad():
        trainer.network.head.weight[-2:] = 0.0  # it expects nothing, exactly
    before = state_of(trainer)
    with monkeypatch.context() as patch:
        patch.setattr(ppo, "rewards", lambda batch, _: np.zeros((*batch.rewards.shape, 2), "f4"))
        for _ in range(3):
            trainer.update()
    for name, weight in state_of(trainer).items():
        np.testing.assert_array_equal(weight, before[name], err_msg=name)
    for _ in range(3):  # and with them the policy does change
        trainer.update()
    assert np.abs(state_of(trainer)["head.weight"][:-2] - before["head.weight"][:-2]).max() > 0.0


def test_a_short_run_beats_random_from_each_seat(tmp_path: Path) -> None:
    settings = tiny(
        num_envs=128,
        num_steps=32,
        total_timesteps=120_000,
        minibatch_size=512,
        learning_rate=3e-3,
        gae_lambda=0.9,
    )
    trainer = PPOTrainer(settings)
    while trainer.progress < 1.0:
        trainer.update()
    checkpoint.save(tmp_path, trainer.policy(), trainer.state_dict())
    result = play_match(f"ckpt:{tmp_path / 'checkpoint'}", "random", 400, seed=3)
    assert min(result.seats) > 0.6


def test_nothing_is_learned_from_a_snapshot_s_decisions() -> None:
    trainer = PPOTrainer(tiny(pool_share=0.5, pool_freq=512, pool_size=2))
    for _ in range(4):
        trainer.update()
    assert (len(trainer.pool.snapshots), trainer.pool.taken) == (2, 4)
    trainer.collect()
    window, plays = trainer.buffer, trainer.pool.seat_mask
    assert plays.sum(1).tolist() == [8, 8]
    for row in window.steps:
        seats, games = np.nonzero(plays)
        assert not (window.seat[row, games] == seats).any()
    assert (window.seat[window.steps.start :] < 0).any()


def test_open_decisions_of_seats_that_the_pool_takes_over_are_dropped() -> None:
    """What comes of them is the doing of two policies."""
    trainer = PPOTrainer(tiny(pool_share=0.5, pool_freq=1024, pool_size=2))
    heads, plays = trainer.buffer.seat[:2], trainer.pool.seat_mask
    trainer.update()
    assert (heads[plays] >= 0).any()  # no snapshot yet
    trainer.update()
    assert len(trainer.pool.snapshots) == 1
    assert (heads[plays] == -1).all()
    assert (heads[~plays] >= 0).all()


def test_what_is_learned_from_is_counted_apart_from_what_is_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trainer = PPOTrainer(tiny(pool_share=1.0, pool_freq=512))
    valid = []

    def compute_gae(*words: Any) -> Advantages:
        advantages = real(*words)
        valid.append(int(advantages.valid.sum()))
        return advantages

    real = RolloutBuffer.compute_gae
    monkeypatch.setattr(RolloutBuffer, "compute_gae", compute_gae)
    shares = []
    for _ in range(4):
        metrics = trainer.update()
        shares.append(metrics["learned_sps"] / metrics["sps"])
    assert shares == pytest.approx([number / 512 for number in valid])
    assert max(shares[1:]) < 0.7  # the pool plays a seat of two in all games


def test_what_the_full_critic_sees_is_turned_to_the_seat_that_decides() -> None:
    trainer = PPOTrainer(tiny(options={"num_players": 3, "agendas": True, "loot": "hand"}))
    batch = trainer.batch
    hands = privileged_state(batch)[:, : batch.games["hand"].shape[2]]
    own = batch.games["hand"][np.arange(len(batch)), batch.seat]
    np.testing.assert_array_equal(hands, own)


def test_an_exploiter_leaves_its_victim_as_it_was_and_writes_its_curve(tmp_path: Path) -> None:
    trainer = PPOTrainer(tiny())
    trainer.update()
    checkpoint.save(tmp_path / "run", trainer.policy(), trainer.state_dict())
    victim = CheckpointBot(str(tmp_path / "run"))
    changes = ["total_timesteps=2048", "num_envs=32", "num_steps=16", "eval_freq=1024"]
    settings = settings_for(victim, 0.0, [*changes, "eval_games=2", "precision=float32"])
    assert exploit(victim, settings, tmp_path / "exploit") == 0
    curve = read_curve(tmp_path / "exploit", victim.spec)
    assert [row["timesteps"] for row in curve] == [1024, 2048]
    assert list(curve[0]) == ["timesteps", "minutes", "score", "low", "high"]
    assert (tmp_path / "exploit" / "learning_curve.png").read_bytes().startswith(b"\x89PNG")


def test_an_exploiter_of_two_processes_is_resumed_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = PPOTrainer(tiny())
    trainer.update()
    checkpoint.save(tmp_path / "run", trainer.policy(), trainer.state_dict())
    victim, folder = CheckpointBot(str(tmp_path / "run")), tmp_path / "exploit"
    changes = ["processes=2", "num_envs=32", "num_steps=16", "eval_games=2", "precision=float32"]
    changes += ["total_timesteps=2560", "eval_freq=1024"]
    settings = settings_for(victim, 0.0, changes)
    assert exploit(victim, settings, tmp_path / "straight", from_victim=True) == 0
    update = PPOTrainer.update

    def killed(*given: Any) -> MatchResult:
        raise RuntimeError("in the first match")

    def asked_to_stop(trainer: PPOTrainer) -> dict[str, float]:
        signal.raise_signal(signal.SIGINT)
        return update(trainer)

    with pytest.raises(RuntimeError), monkeypatch.context() as patch:
        patch.setattr(run, "play_opponents", killed)
        exploit(victim, settings, folder, from_victim=True)
    with monkeypatch.context() as patch:
        patch.setattr(PPOTrainer, "update", asked_to_stop)
        assert exploit(victim, settings, folder, from_victim=True, resume=True) == 130
    assert [row["timesteps"] for row in read_curve(folder, victim.spec)] == [1024]
    assert exploit(victim, settings, folder, from_victim=True, resume=True) == 0
    curves = [read_curve(each, victim.spec) for each in (tmp_path / "straight", folder)]
    for row in (*curves[0], *curves[1]):
        del row["minutes"]
    assert [row["timesteps"] for row in curves[0]] == [1024, 2048, 2560]
    assert curves[0] == curves[1]
    resume = ["--run", str(folder), "--resume", "--set", *changes]
    for more, word in (([], "begins"), (["clip_coef=0.1", "--from-victim"], "clip")):
        assert hemlock("exploit", victim.spec, *resume, *more) == 2
        assert word in capsys.readouterr().err
    trainer = PPOTrainer(tiny(seed=5))
    checkpoint.save(tmp_path / "other", trainer.policy(), trainer.state_dict())
    assert hemlock("exploit", f"ckpt:{tmp_path / 'other'}", *resume, "--from-victim") == 2
    assert "victim" in capsys.readouterr().err
    for content in ("", "[]", "{}"):
        (folder / "exploit.json").write_text(content)
        assert hemlock("exploit", victim.spec, *resume, "--from-victim") == 2
        error = capsys.readouterr().err
        assert "exploit.json" in error and error.count("\n") == 1


def test_an_exploiter_may_begin_as_its_victim(tmp_path: Path) -> None:
    trainer = PPOTrainer(tiny())
    trainer.update()
    checkpoint.save(tmp_path / "run", trainer.policy(), trainer.state_dict())
    victim = CheckpointBot(str(tmp_path / "run"))
    settings = settings_for(victim, 0.0, ["num_envs=32"])
    seen = trainer.batch.observation
    theirs, _ = victim.policy.logits_and_values(seen)
    follower = exploiter(victim, True, settings)
    mine, _ = follower.policy().logits_and_values(seen)
    for name, weight in follower.network.named_parameters():  # which it learns with
        np.testing.assert_array_equal(weight.detach().numpy(), victim.policy.weights[name])
    fresh, _ = exploiter(victim, False, settings).policy().logits_and_values(seen)
    np.testing.assert_array_equal(mine, theirs)
    assert (fresh != theirs).any()


def test_an_exploiter_learns_as_its_victim_did_and_as_long(tmp_path: Path) -> None:
    settings = tiny(
        total_timesteps=512,
        gae_lambda=0.5,
        privileged_critic=True,
        processes=2,
        pool_share=0.5,
        max_minutes=9.0,
        options={"num_players": 3},
    )
    checkpoint.begin(tmp_path / "run", settings)
    trainer = PPOTrainer(settings)
    trainer.update()
    checkpoint.save(tmp_path / "run", trainer.policy(), trainer.state_dict())
    victim = CheckpointBot(str(tmp_path / "run"), temperature=2.0)
    found = settings_for(victim, 0.0, ["learning_rate=0.004"])
    learned = (found.gae_lambda, found.num_steps, found.privileged_critic, found.learning_rate)
    assert learned == (0.5, 16, True, 0.004)
    assert (found.processes, found.pool_share, found.max_minutes) == (2, 0.0, 0.0)
    assert found.options.num_players == 3
    assert found.total_timesteps == 3 * 512  # it learns from one seat's alone
    theirs = exploiter(victim, False, found).opponent  # a policy has no critic
    assert theirs is not None and theirs.inverse_temperature == 0.5
    (tmp_path / "run" / "config.toml").unlink()
    assert settings_for(victim, 0.0, []).gae_lambda == 0.85


def test_an_exploiter_plays_the_games_of_its_victim_alone(tmp_path: Path) -> None:
    trainer = PPOTrainer(tiny())
    checkpoint.save(tmp_path / "run", trainer.policy(), trainer.state_dict())
    victim = CheckpointBot(str(tmp_path / "run"))
    with pytest.raises(CheckpointError, match="num_players"):
        exploiter(victim, False, settings_for(victim, 0.0, ["options.num_players=3"]))
    for other in ("[16]", "[16,8]", "[16,16,16]"):  # the victim couldn't be run in such a network
        with pytest.raises(ConfigError, match="must be alike"):
            exploiter(victim, False, settings_for(victim, 0.0, [f"hidden_sizes={other}"]))


@pytest.fixture
def own_cards(tmp_path: Path, changed_cards: Callable[..., Path]) -> Path:
    """A run with cards from a file, which no id finds."""
    settings = tiny(total_timesteps=512, options={"card_set": str(changed_cards())})
    assert train_tiny(settings, tmp_path / "run") == 0
    return tmp_path / "run"


def test_a_run_with_own_cards_is_matched_and_exploited(
    own_cards: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cards = ("--card-set", read_settings(own_cards / "config.toml").card_set)
    bots = (f"ckpt:{own_cards}", "random", "greedy", "planner")
    assert hemlock("match", *bots, *cards, "--games", 2, "--json") == 0
    assert sorted(json.loads(capsys.readouterr().out)) == ["greedy", "planner", "random"]
    victim = CheckpointBot(str(own_cards))
    assert settings_for(victim, 0.0, []).cards.id == "changed_cards"


def test_only_a_checkpoint_is_exploited(capsys: pytest.CaptureFixture[str]) -> None:
    assert hemlock("exploit", "greedy") == 2
    assert "only a checkpoint can be exploited" in capsys.readouterr().err

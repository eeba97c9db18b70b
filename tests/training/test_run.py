"""A run from the command to its folder: files, stop, kill, resume."""

import csv
import errno
import io
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from rich.console import Console

from hemlock_env import Batch, _files
from hemlock_env.evaluation.match import MatchResult
from hemlock_env.learning import checkpoint, run
from hemlock_env.learning.config import ConfigError, Settings, read_settings, to_toml
from hemlock_env.learning.ppo import PPOTrainer
from hemlock_env.learning.report import RENAMED, columns
from hemlock_env.learning.team import Link
from hemlock_env.network.checkpoint import CheckpointError
from hemlock_env.network.policy import load_policy
from tests.training.tiny import hemlock, tiny, train_tiny
from training.report import main as report_main

ROOT = Path(__file__).parents[2]
WINDOW = 512  # decisions of an update of a tiny run


class Lines:
    """What a console without a terminal was told."""

    def __init__(self) -> None:
        self.file = io.StringIO()
        self.console = Console(file=self.file, width=200)

    @property
    def text(self) -> str:
        return self.file.getvalue()


def resume(folder: Path, trainer: PPOTrainer) -> None:
    trainer.load_state_dict(checkpoint.load(folder, trainer.settings, trainer.encoder))


@pytest.fixture
def lines() -> Lines:
    return Lines()


def rows(folder: Path) -> list[dict[str, str]]:
    with open(folder / "metrics.csv", newline="") as file:
        return list(csv.DictReader(file))


def stop_after(updates: int, monkeypatch: pytest.MonkeyPatch, number: int = signal.SIGINT) -> None:
    """The signal arrives in the middle of an update."""
    real, done = PPOTrainer.update, []

    def update(trainer: PPOTrainer) -> dict[str, float]:
        done.append(1)
        if len(done) == updates:
            signal.raise_signal(number)
        return real(trainer)

    monkeypatch.setattr(PPOTrainer, "update", update)


def test_a_run_leaves_all_its_files(tmp_path: Path, lines: Lines) -> None:
    folder = tmp_path / "run"
    settings = tiny()
    assert train_tiny(settings, folder, console=lines.console) == 0
    assert read_settings(folder / "config.toml") == settings
    assert list((folder / "tensorboard").glob("events.out.tfevents.*"))
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    names = sorted(path.name for path in (folder / "checkpoint").iterdir())
    assert names == ["meta.json", "policy.safetensors", "trainer.safetensors"]
    assert not list(folder.glob("*.new*"))
    assert not list(folder.glob("*.old"))
    metrics = rows(folder)
    assert list(metrics[0]) == columns(["random"])
    assert [int(row["timesteps"]) for row in metrics] == [WINDOW * n for n in (1, 2, 3, 4)]
    assert [bool(row["score:random"]) for row in metrics] == [False, True, False, True]
    assert load_policy(folder).meta["decisions"] == 2048
    assert "\x1b" not in lines.text
    assert "against random:" in lines.text
    assert "100 %" in lines.text


def test_evaluating_needs_no_torch(tmp_path: Path, lines: Lines) -> None:
    train_tiny(tiny(total_timesteps=WINDOW), tmp_path / "run", console=lines.console)
    code = (
        "import sys\n"
        "from hemlock_env.evaluation.match import play_match\n"
        f"print(play_match({'ckpt:' + str(tmp_path / 'run')!r}, 'random', 2, seed=1).games)\n"
        "assert 'torch' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "2\n", done.stderr


def test_a_resumed_run_goes_on_exactly(
    tmp_path: Path, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_tiny(tiny(), tmp_path / "straight", console=lines.console)
    with monkeypatch.context() as patch:
        stop_after(2, patch)
        assert train_tiny(tiny(), tmp_path / "stopped", console=lines.console) == 130
    assert "--resume goes on" in lines.text
    assert load_policy(tmp_path / "stopped").meta["decisions"] == 2 * WINDOW
    assert train_tiny(tiny(), tmp_path / "stopped", resume=True, console=lines.console) == 0
    one, other = (
        safetensors.numpy.load_file(tmp_path / run / "checkpoint" / "trainer.safetensors")
        for run in ("straight", "stopped")
    )
    del one["seconds"], other["seconds"]
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)
    timed = ("minutes", "sps", "learned_sps")
    for row, again in zip(rows(tmp_path / "straight"), rows(tmp_path / "stopped"), strict=True):
        # Stopped in the middle of an update, it saved without the match that was due.
        assert [name for name in row if row[name] != again[name] and name not in timed] == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_saves_too(
    tmp_path: Path, lines: Lines, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    stop_after(1, monkeypatch, number)
    assert train_tiny(tiny(), tmp_path / "run", console=lines.console) == 128 + number
    assert load_policy(tmp_path / "run").meta["decisions"] == WINDOW


def test_a_finished_run_has_nothing_to_resume(tmp_path: Path, lines: Lines) -> None:
    train_tiny(tiny(), tmp_path / "run", console=lines.console)
    before = (tmp_path / "run" / "checkpoint" / "policy.safetensors").read_bytes()
    assert train_tiny(tiny(), tmp_path / "run", resume=True, console=lines.console) == 0
    assert (tmp_path / "run" / "checkpoint" / "policy.safetensors").read_bytes() == before
    assert len(rows(tmp_path / "run")) == 4


def test_a_new_run_keeps_the_earlier_one(tmp_path: Path, lines: Lines) -> None:
    short = tiny(total_timesteps=WINDOW)
    for _ in range(3):
        train_tiny(short, tmp_path / "run", console=lines.console)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "run-1", "run-2"]
    assert load_policy(tmp_path / "run-1").meta["decisions"] == WINDOW


@pytest.mark.parametrize("resume", [False, True])
def test_nothing_moves_or_overwrites_a_run_that_runs(
    resume: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, refused = PPOTrainer.update, []

    def update(trainer: PPOTrainer) -> dict[str, float]:
        if not refused:
            with pytest.raises(ValueError, match="is in use: another run trains there") as error:
                train_tiny(
                    tiny(seed=trainer.settings.seed + (not resume)), tmp_path / "run", resume=resume
                )
            refused.append(str(error.value))
        return real(trainer)

    monkeypatch.setattr(PPOTrainer, "update", update)
    assert train_tiny(tiny(), tmp_path / "run") == 0
    assert "\n" not in refused[0]
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert load_policy(tmp_path / "run").meta["decisions"] == 2048
    assert read_settings(tmp_path / "run" / "config.toml") == tiny()


def test_a_kill_while_an_earlier_run_is_moved_leaves_two_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_tiny(tiny(total_timesteps=WINDOW), tmp_path / "run")
    real, moves = Path.rename, []

    def rename(path: Path, place: Path) -> Path:
        moves.append(path.name)
        if len(moves) == 3:
            raise KeyboardInterrupt
        return real(path, place)

    monkeypatch.setattr(Path, "rename", rename)
    files = {path.name for path in (tmp_path / "run").iterdir()}
    with pytest.raises(KeyboardInterrupt):
        train_tiny(tiny(), tmp_path / "run")
    monkeypatch.undo()
    assert train_tiny(tiny(total_timesteps=WINDOW), tmp_path / "run") == 0
    kept = {path.name for name in ("run-1", "run-2") for path in (tmp_path / name).iterdir()}
    assert kept == files - {".lock"}


def test_a_folder_that_is_no_run_is_left_alone(tmp_path: Path, lines: Lines) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(ConfigError, match="choose another --run"):
        train_tiny(tiny(), tmp_path, console=lines.console)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_the_guard_ends_run_and_schedules_in_time() -> None:
    trainer = PPOTrainer(tiny(total_timesteps=10**9, max_minutes=2.0, learning_rate=1e-3))
    trainer.seconds = 90.0
    assert trainer.progress == pytest.approx(0.75)
    assert trainer.update()["learning_rate"] == pytest.approx(0.25 * 1e-3)


# ---- Killed ----


def wait_for(there: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 120.0
    while not there():
        assert process.poll() is None, "the run ended by itself"
        assert time.monotonic() < until, "the run saved nothing"
        time.sleep(0.01)


def test_a_killed_run_leaves_a_checkpoint_to_resume(tmp_path: Path, lines: Lines) -> None:
    settings = tiny(total_timesteps=10**9, eval_freq=10**9, save_seconds=0.0)
    config, folder = tmp_path / "endless.toml", tmp_path / "run"
    config.write_text(to_toml(settings))
    command = [sys.executable, "-m", "training.ppo", str(config), "--run", str(folder)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        wait_for(lambda: (folder / "metrics.csv").is_file() and len(rows(folder)) > 5, process)
    finally:
        process.kill()
        process.wait()
    saved = load_policy(folder).meta["decisions"]
    assert saved >= 5 * WINDOW
    trainer = PPOTrainer(settings)
    resume(folder, trainer)
    assert trainer.num_timesteps == saved
    trainer.update()
    assert trainer.num_timesteps == saved + WINDOW


class Killed(BaseException):
    """What ends a run at once."""


def killed_in_match(number: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tiny run that is killed in its match of that number."""
    real, begun = run.play_match, []

    def match(*words: Any, **options: Any) -> MatchResult:
        begun.append(1)
        if len(begun) == number:
            raise Killed
        return real(*words, **options)

    with monkeypatch.context() as patch:
        patch.setattr(run, "play_match", match)
        with pytest.raises(Killed):
            train_tiny(tiny(), folder, console=Lines().console)


@pytest.mark.parametrize("number", [1, 2])
def test_a_match_that_a_kill_cut_short_is_played_by_the_resumed_run(
    number: int, tmp_path: Path, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_tiny(tiny(), tmp_path / "straight", console=Lines().console)
    killed_in_match(number, tmp_path / "run", monkeypatch)
    assert [bool(row["score:random"]) for row in rows(tmp_path / "run")][-1] is False
    assert load_policy(tmp_path / "run").meta["decisions"] == number * 2 * WINDOW
    assert train_tiny(tiny(), tmp_path / "run", resume=True, console=lines.console) == 0
    assert "against random:" in lines.text
    same = ("timesteps", "normalized_entropy", "score:random", "low:random", "high:random")
    assert [[row[name] for name in same] for row in rows(tmp_path / "run")] == [
        [row[name] for name in same] for row in rows(tmp_path / "straight")
    ]


def test_a_save_without_its_row_still_gets_its_match(
    tmp_path: Path, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So earlier versions left a run that was killed in its last match."""
    killed_in_match(2, tmp_path / "run", monkeypatch)
    file = tmp_path / "run" / "metrics.csv"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    assert train_tiny(tiny(), tmp_path / "run", resume=True, console=lines.console) == 0
    last = rows(tmp_path / "run")[-1]
    assert last["timesteps"] == "2048" and last["score:random"] and not last["normalized_entropy"]
    assert len(rows(tmp_path / "run")) == 4
    assert report_main([str(tmp_path / "run"), "--out", str(tmp_path / "curve.png")]) == 0


@pytest.mark.parametrize("without", [(), ("learned_sps",)])
def test_metrics_of_an_earlier_version_are_read_and_gone_on_with(
    without: tuple[str, ...], tmp_path: Path, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their columns have the names of version 0.1; the oldest have no `learned_sps`."""
    folder = tmp_path / "run"
    with monkeypatch.context() as patch:
        stop_after(2, patch)
        train_tiny(tiny(), folder, console=lines.console)
    before = rows(folder)
    names = [name for name in before[0] if name not in without]
    old = {new: name for name, new in RENAMED.items()}
    with open(folder / "metrics.csv", "w", newline="") as file:
        csv.writer(file).writerow([old.get(name, name) for name in names])
        csv.DictWriter(file, names, extrasaction="ignore").writerows(before)
    assert report_main([str(folder), "--out", str(tmp_path / "curve.png")]) == 0
    assert train_tiny(tiny(), folder, resume=True, console=lines.console) == 0
    now = rows(folder)
    assert list(now[0]) == list(before[0])
    assert [bool(row["learned_sps"]) for row in now] == [not without, not without, True, True]
    for name in ("timesteps", "normalized_entropy", "approx_kl", "score:random"):
        assert [row[name] for row in now[:1]] == [row[name] for row in before[:1]]


@pytest.mark.parametrize("steps", range(4))
def test_a_crash_at_any_step_of_a_save_leaves_one_whole_checkpoint(
    steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = PPOTrainer(tiny())
    trainer.update()
    checkpoint.save(tmp_path, trainer.policy(), trainer.state_dict())
    trainer.update()
    left = [steps]

    def crash_later(real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            left[0] -= 1
            if left[0] < 0:
                raise OSError("no power")
            return real(*arguments)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", crash_later(Path.rename))
        patch.setattr(_files, "_sync", crash_later(_files._sync))
        if steps < 3:
            with pytest.raises(OSError, match="no power"):
                checkpoint.save(tmp_path, trainer.policy(), trainer.state_dict())
        else:
            checkpoint.save(tmp_path, trainer.policy(), trainer.state_dict())
    assert load_policy(tmp_path).meta["decisions"] == (WINDOW if steps < 2 else 2 * WINDOW)
    checkpoint.save(tmp_path, trainer.policy(), trainer.state_dict())
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint"]
    assert load_policy(tmp_path).meta["decisions"] == 2 * WINDOW


def test_metrics_after_the_last_save_are_dropped(tmp_path: Path, lines: Lines) -> None:
    train_tiny(tiny(total_timesteps=WINDOW), tmp_path / "run", console=lines.console)
    with open(tmp_path / "run" / "metrics.csv", "a") as file:
        file.write("9999,1,2,3,4,5,6,7,8,9,10,11,12,13,,,\n10511,1,2")  # the last one cut short
    train_tiny(tiny(total_timesteps=WINDOW), tmp_path / "run", resume=True, console=lines.console)
    assert [row["timesteps"] for row in rows(tmp_path / "run")] == ["512"]


def test_a_full_disk_is_told_in_one_line_and_leaves_the_last_checkpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config, folder = tmp_path / "tiny.toml", tmp_path / "run"
    config.write_text(to_toml(tiny(save_seconds=0.0)))
    saves = []

    def full(handle: int) -> None:
        saves.append(handle)
        if len(saves) > 4:  # three files and the folder, once
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(_files.os, "fsync", full)
        assert hemlock("train", config, "--run", folder) == 2
    error = capsys.readouterr().err
    assert "No space left on device: make room" in error
    assert error.count("\n") == 1
    assert load_policy(folder).meta["decisions"] == WINDOW
    assert not list(folder.glob("checkpoint.new*"))
    assert hemlock("train", config, "--run", folder, "--resume") == 0


def test_a_folder_that_can_not_be_made_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "tiny.toml"
    config.write_text(to_toml(tiny()))
    assert hemlock("train", config, "--run", config / "run") == 2
    error = capsys.readouterr().err
    assert "Not a directory" in error
    assert error.count("\n") == 1


def test_several_runs_become_one_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [str(tmp_path / f"seed{seed}") for seed in (1, 2)]
    for seed, folder in enumerate(runs):
        saved_run(Path(folder), tiny(total_timesteps=2 * WINDOW, seed=seed))
    picture = tmp_path / "both.png"
    assert report_main([*runs, "--out", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "2 runs" in capsys.readouterr().out
    assert report_main([str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


# ---- What doesn't fit ----


def saved_run(folder: Path, settings: Settings) -> None:
    train_tiny(settings, folder, console=Lines().console)


def test_another_config_is_not_resumed(tmp_path: Path) -> None:
    saved_run(tmp_path / "run", tiny(total_timesteps=WINDOW))
    other = tiny(total_timesteps=WINDOW, hidden_sizes=[8, 8], options={"num_players": 3})
    with pytest.raises(CheckpointError) as error:
        train_tiny(other, tmp_path / "run", resume=True, console=Lines().console)
    assert "hidden_sizes = [16, 16], now [8, 8]" in str(error.value)
    assert "options.num_players = 2, now 3" in str(error.value)


def test_a_run_with_other_inputs_or_nothing_saved_is_not_resumed(tmp_path: Path) -> None:
    settings = tiny(total_timesteps=WINDOW)
    saved_run(tmp_path / "run", settings)
    trainer = PPOTrainer(settings)
    other = PPOTrainer(
        settings, live=np.roll(trainer.encoder.feature_index, 1)
    )  # as many, but not the same
    checkpoint.save(tmp_path / "run", other.policy(), other.state_dict())
    with pytest.raises(CheckpointError, match=r"inputs are not the .* train anew"):
        resume(tmp_path / "run", trainer)
    checkpoint.begin(tmp_path / "begun", settings)
    with pytest.raises(CheckpointError, match="nothing was saved there yet"):
        resume(tmp_path / "begun", trainer)


def test_a_damaged_trainer_file_is_not_resumed(tmp_path: Path) -> None:
    saved_run(tmp_path / "run", tiny(total_timesteps=WINDOW))
    file = tmp_path / "run" / "checkpoint" / "trainer.safetensors"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    with pytest.raises(CheckpointError, match=r"trainer\.safetensors is damaged"):
        resume(tmp_path / "run", PPOTrainer(tiny(total_timesteps=WINDOW)))


def test_a_trainer_of_another_layout_is_not_resumed() -> None:
    arrays = PPOTrainer(tiny()).state_dict()
    arrays["0.games"] = arrays["0.games"][:-8]
    with pytest.raises(CheckpointError, match=r"0.games is .*, this trainer has"):
        PPOTrainer(tiny()).load_state_dict(arrays)


def test_packing_and_unpacking_brings_everything_back() -> None:
    trainer, other = PPOTrainer(tiny()), PPOTrainer(tiny())
    trainer.update()
    other.load_state_dict(trainer.state_dict())
    for name, array in trainer.state_dict().items():
        np.testing.assert_array_equal(array, other.state_dict()[name], err_msg=name)
    np.testing.assert_array_equal(trainer.batch.observation, other.batch.observation)


def test_games_begin_at_scattered_points() -> None:
    fresh = Batch(64, seed=1)
    trainer = PPOTrainer(tiny(num_envs=64, random_start_steps=100))
    decisions = trainer.batch.games["decisions"]
    assert fresh.games["decisions"].max() == 0
    assert len(np.unique(decisions)) > 30
    assert trainer.num_timesteps == 0


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_training_ends_where_a_weight_is_no_number(
    number: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line that says where; what was saved before is whole."""
    real = PPOTrainer.update

    def update(trainer: PPOTrainer) -> dict[str, float]:
        metrics = real(trainer)
        if trainer.num_timesteps > 2 * WINDOW:
            trainer.ema_weights[0].flatten()[7] = number
        return metrics

    monkeypatch.setattr(PPOTrainer, "update", update)
    said = rf"run: training failed at 1,536 decisions: .*\[.*\] is {number}: lower learning_rate"
    with pytest.raises(CheckpointError, match=said):
        train_tiny(tiny(save_seconds=0), tmp_path / "run")
    assert load_policy(tmp_path / "run").meta["decisions"] == 1024
    assert [row["timesteps"] for row in rows(tmp_path / "run")] == ["512", "1024"]


def test_a_state_that_holds_no_numbers_is_not_gone_on_with(tmp_path: Path) -> None:
    train_tiny(tiny(total_timesteps=WINDOW), tmp_path / "run")
    trainer = PPOTrainer(tiny(total_timesteps=WINDOW))
    resume(tmp_path / "run", trainer)
    trainer.ema_weights[0].flatten()[7] = float("nan")
    with pytest.raises(
        CheckpointError, match=r"trainer.safetensors is not written: ema\..* is nan"
    ):
        checkpoint.save(tmp_path / "run", trainer.policy(), trainer.state_dict())
    resume(tmp_path / "run", PPOTrainer(tiny(total_timesteps=WINDOW)))


def test_no_other_seed_and_no_other_process_plays_the_same_games() -> None:
    teams = [(seed, rank) for seed in (1, 2, 1 + 2**40) for rank in (0, 1)]
    trainers = [PPOTrainer(tiny(seed=seed, processes=2), Link(rank)) for seed, rank in teams]
    dealt = np.concatenate([trainer.batch.games["seed"] for trainer in trainers])
    assert len(np.unique(dealt)) == len(dealt)

"""Signals that ask a process to end, and output that can't be written."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEMLOCK = [sys.executable, "-m", "hemlock_env.cli"]
UNSAVED = "hemlock-unfinished.json"
TRAINING = {"train": ["train", "quickstart"], "exploit": ["exploit", "ckpt:two_player"]}


def start(folder: Path, *words: str, **streams: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*HEMLOCK, *words], cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, text=True,
        start_new_session=True, **streams,
    )  # fmt: skip


def wait_for(run: subprocess.Popen[str], there: Callable[[], bool]) -> None:
    """Until something is there, while the process runs."""
    while not there():
        assert run.poll() is None, run.communicate()
        time.sleep(0.05)


def read_until(words: str, read) -> str:
    seen = ""
    while words not in seen:
        more = read()
        assert more, seen
        seen += more
    return seen


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_play_keeps_the_game_when_it_is_asked_to_end(tmp_path: Path, number: signal.Signals):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    run = start(tmp_path, "play", "random", "--seed", "1", **pipes)
    run.stdin.write("0\n")
    run.stdin.flush()
    prompts = "seat 0>"
    read_until(prompts, lambda: run.stdout.read(1))
    read_until(prompts, lambda: run.stdout.read(1))
    run.send_signal(number)
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 128 + number
    assert "Traceback" not in errors
    assert (tmp_path / UNSAVED).exists()


def test_play_keeps_the_game_when_its_input_ends(tmp_path: Path):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    run = start(tmp_path, "play", "random", "--seed", "1", **pipes)
    told, errors = run.communicate("0\n", timeout=120)
    assert run.returncode == 130
    assert f"The game is kept in {UNSAVED}." in told + errors
    assert "Traceback" not in errors
    again = start(tmp_path, "play", "--load", UNSAVED, **pipes)
    again.communicate("quit\n", timeout=120)
    assert again.returncode == 0


def test_play_keeps_the_game_when_its_terminal_is_closed(tmp_path: Path):
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        os.environ["PYTHONPATH"] = str(ROOT)
        os.execv(sys.executable, [*HEMLOCK, "play", "random", "--seed", "1"])
    prompt = "seat 0>"
    read_until(prompt, lambda: os.read(terminal, 1).decode("latin-1"))
    os.write(terminal, b"0\n")
    read_until(prompt, lambda: os.read(terminal, 1).decode("latin-1"))
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 128 + signal.SIGHUP
    assert (tmp_path / UNSAVED).exists()


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_server_leaves_in_order(tmp_path: Path, number: signal.Signals):
    run = start(tmp_path, "serve", "--port", "0", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run.stdout.readline()
    run.send_signal(number)
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 128 + number
    assert errors == ""


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
@pytest.mark.parametrize("what", TRAINING)
def test_training_in_two_processes_saves_when_all_are_asked_to_end(
    tmp_path: Path, what: str, number: signal.Signals
):
    changes = ["processes=2", "num_envs=64", "num_steps=16", "minibatch_size=256"]
    changes += ["eval_games=2", "save_seconds=10000.0"]
    words = [*TRAINING[what], "--run", "run", "--set", *changes]
    run = start(tmp_path, *words, stderr=subprocess.PIPE)
    metrics = tmp_path / "run" / "metrics.csv"
    wait_for(run, lambda: metrics.exists() and metrics.read_text().count("\n") > 1)
    os.killpg(run.pid, number)  # as a terminal does: all processes of the run hear it
    _, errors = run.communicate(timeout=300)
    assert run.returncode == 128 + number, errors
    assert "Traceback" not in errors
    saved = json.loads((tmp_path / "run" / "checkpoint" / "meta.json").read_text())
    last = metrics.read_text().strip().splitlines()[-1]
    assert saved["decisions"] == int(last.split(",")[0])


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["--help", "bots", "replay --help"])
def test_output_that_cannot_be_written(words: str, unbuffered: str):
    command = [*HEMLOCK, *words.split()]
    env = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full:
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=env, text=True)
    assert run.returncode == 1
    assert run.stderr == (
        "hemlock: output can't be written: No space left on device: "
        "send it to where there is room\n"
    )
    read, write = os.pipe()
    os.close(read)
    run = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, env=env, text=True)
    os.close(write)
    assert (run.returncode, run.stderr) == (141, "")

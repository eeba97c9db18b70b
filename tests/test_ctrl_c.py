"""Ctrl-C in a search however long: every bot and every command that asks bots hears it at once."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOON = 1.0  # seconds of processor time: twice what a person should wait, for a slow machine
MOST = f"iterations={10**7}"
PRIOR = "prior=ckpt:two_player"
GUIDED = "iterations=500000"
# The most that each may be asked for, or games without an end: minutes for a decision.
BOTS = [
    "random",
    "greedy",
    f"planner:budget={10**7}",
    f"rollout:n={10**6}",
    f"rollout:n={10**6}:rollouts=greedy:nights=0",
    f"mcts:{MOST}",
    f"mcts:{MOST}:rollouts=greedy:nights=0",
    f"mcts:{MOST}:exact={10**9}",
    f"mcts:{GUIDED}:{PRIOR}",
    f"mcts:{GUIDED}:leaves=64:exact={10**9}:{PRIOR}",
    f"cheat-mcts:{MOST}",
    "ckpt:two_player",
]
# Ctrl-C comes when the command has used so much processor time, in a process that has compiled
# and loaded everything before.
PROGRAM = """
import atexit, json, signal, sys, time
from hemlock_env.agents import make_bot
from hemlock_env.cli import main

spec, number, after, words = json.loads(sys.argv[1])
make_bot(spec).prepare()
came = []

def press(*_):
    came.append(due)
    signal.raise_signal(number)

def tell():
    print("heard after", time.process_time() - came[0] if came else "never", file=sys.stderr)

atexit.register(tell)
signal.signal(signal.SIGPROF, press)
due = time.process_time() + after
signal.setitimer(signal.ITIMER_PROF, after)
main(words)
"""


def heard(
    spec: str, words: list[str], folder: Path, after: float, number: int = signal.SIGINT
) -> float:
    """Seconds of processor time from a signal to the end of a command, which must say one line."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps([spec, number, after, words])],
        cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        timeout=600,
    )  # fmt: skip
    *_, last = run.stderr.strip().splitlines()
    assert run.returncode == 128 + number, run.stderr
    assert "Traceback" not in run.stderr, run.stderr
    assert last.startswith("heard after"), run.stderr
    return float(last.split()[-1])


@pytest.mark.parametrize("spec", BOTS)
def test_a_match_hears_ctrl_c_whatever_the_bot(spec: str, tmp_path: Path) -> None:
    words = ["match", spec, "random", "--games", "1000000"]
    assert heard(spec, words, tmp_path, after=1.0) < SOON


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_match_that_is_asked_to_end_does_so_in_order(number: int, tmp_path: Path) -> None:
    words = ["match", "greedy", "random", "--games", "1000000"]
    assert heard("greedy", words, tmp_path, after=0.5, number=number) < SOON


SLOW = f"mcts:{MOST}"


@pytest.mark.parametrize(
    "words",
    [
        ["endgames", f"mcts:{GUIDED}:{PRIOR}"],
        ["endgames", f"mcts:exact={10**9}"],
        ["endgames", f"planner:budget={10**7}"],
        ["benchmark", SLOW],
        ["ladder", "plan.toml", "--processes", "1"],
        ["ladder", "plan.toml", "--processes", "2"],
        ["luck", SLOW, "--games", "20"],
    ],
    ids=" ".join,
)
def test_every_command_that_asks_bots_hears_it(words: list[str], tmp_path: Path) -> None:
    plan = f'pairs = 2\n[[bots]]\nspec = "random"\n[[bots]]\nspec = "{SLOW}"\n'
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    assert heard(SLOW, words, tmp_path, after=0.7) < SOON

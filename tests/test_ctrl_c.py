"""Ctrl-C in a search however long: every bot and every command that asks bots hears it at once."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOON = 0.5  # seconds of processor time, so that a busy machine counts for nothing
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
# The signal comes so much processor time after the bot was first asked, or, where other processes
# ask it, after the command began. All has been compiled and loaded before.
PROGRAM = """
import atexit, json, signal, sys, time
from hemlock_env.agents import make_bot
from hemlock_env.cli import main

spec, number, after, at_once, words = json.loads(sys.argv[1])
bot = make_bot(spec)
bot.prepare()
kind, choose, due = type(bot), type(bot).choose, []

def press(*_):
    signal.raise_signal(number)

def start():
    if not due:
        due.append(time.process_time() + after)
        signal.setitimer(signal.ITIMER_PROF, after)

def asked(self, decisions):
    if self.spec == bot.spec:  # its spec without what is by default
        start()
    return choose(self, decisions)

def tell():
    print("heard after", time.process_time() - due[0] if due else "never", file=sys.stderr)

atexit.register(tell)
signal.signal(signal.SIGPROF, press)
kind.choose = asked
if at_once:
    start()
main(words)
"""


def heard(
    spec: str, words: list[str], folder: Path, number: int = signal.SIGINT, after: float = 0.3
) -> float:
    """Seconds of processor time from a signal to the end of a command, which must say one line."""
    told = json.dumps([spec, number, after, words[-2:] == ["--processes", "2"], words])
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, told],
        cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip
    *_, last = run.stderr.strip().splitlines()
    assert run.returncode == 128 + number, run.stderr
    assert "Traceback" not in run.stderr, run.stderr
    assert last.startswith("heard after"), run.stderr
    return float(last.split()[-1])


@pytest.mark.parametrize("spec", BOTS)
def test_a_match_hears_ctrl_c_whatever_the_bot(spec: str, tmp_path: Path) -> None:
    words = ["match", spec, "random", "--games", "1000000"]
    assert heard(spec, words, tmp_path) < SOON


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_match_that_is_asked_to_end_does_so_in_order(number: int, tmp_path: Path) -> None:
    words = ["match", "greedy", "random", "--games", "1000000"]
    assert heard("greedy", words, tmp_path, number) < SOON


SLOW = f"mcts:{MOST}"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (spec, ["endgames", spec])
        for spec in (f"mcts:{GUIDED}:{PRIOR}", f"mcts:exact={10**9}", f"planner:budget={10**7}")
    ]
    + [
        (SLOW, ["benchmark", SLOW]),
        (SLOW, ["ladder", "plan.toml", "--processes", "1"]),
        (SLOW, ["ladder", "plan.toml", "--processes", "2"]),
        (SLOW, ["luck", SLOW, "--games", "20"]),
    ],
)
def test_every_command_that_asks_bots_hears_it(spec: str, words: list[str], tmp_path: Path) -> None:
    plan = f'pairs = 2\n[[bots]]\nspec = "random"\n[[bots]]\nspec = "{SLOW}"\n'
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    assert heard(spec, words, tmp_path) < SOON

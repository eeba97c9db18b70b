"""What documentation has named once is found at its old address too, with a warning."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from hemlock_env import Batch, Game


@pytest.mark.parametrize(("module", "name", "now"), [
    ("agents", "Situations", "agents.Decisions"),
    ("agents.policy", "load_policy", "network.policy.load_policy"),
    ("evaluation.solver", "solve", "search.solver.solve"),
    ("evaluation.solver", "NotSolved", "search.solver.NotSolved"),
    ("evaluation.plan", "make_plan", "evaluation.ladder.schedule.make_schedule"),
])  # fmt: skip
def test_an_old_name_is_the_new_one(module: str, name: str, now: str) -> None:
    old = importlib.import_module(f"hemlock_env.{module}")
    with pytest.warns(DeprecationWarning, match=f"{name} is now hemlock_env.{now}"):
        found = getattr(old, name)
    home, _, new = now.rpartition(".")
    assert found is getattr(importlib.import_module(f"hemlock_env.{home}"), new)


def test_an_old_address_knows_no_other_names() -> None:
    with pytest.raises(AttributeError, match=r"evaluation.solver' has no attribute 'slove'"):
        importlib.import_module("hemlock_env.evaluation.solver").slove  # noqa: B018


@pytest.mark.parametrize("make", [lambda: Game(seed=1), lambda: Batch(1)], ids=["game", "batch"])
def test_the_table_of_a_game_is_its_spec(make):
    made = make()
    with pytest.warns(DeprecationWarning, match="spec"):
        assert made.table is made.spec


def test_a_name_says_what_is_broken_below_it(tmp_path: Path) -> None:
    """`from` alone would say that there is no such name."""
    (tmp_path / "numba.py").write_text("import numpy\nnumpy.gone\n")
    program = "import sys; sys.path.insert(0, sys.argv[1]); from hemlock_env import Game"
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False
    )
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: ") and "has no attribute 'gone'" in last

"""Every way into the package, from many threads, in child processes, and after `hemlock warmup`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def ways(what: str, root: Path = ROOT) -> str:
    """What a fresh process says on stderr that goes all ways of `tests/support/ways.py`."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.support.ways", what],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert ran.stdout.splitlines()[-1:] == ["done"], ran.stderr
    return ran.stderr


def test_all_ways_at_once_from_many_threads() -> None:
    assert "Traceback" not in ways("threads")


@pytest.mark.slow
def test_all_ways_at_once_from_many_threads_with_nothing_compiled(tmp_path: Path) -> None:
    """And the one line that says so comes once."""
    ignored = shutil.ignore_patterns("__pycache__")  # where what is compiled lies
    for name in ("hemlock_env", "tests", "checkpoints", "configs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    said = ways("threads", tmp_path)
    assert "Traceback" not in said
    assert said.count("compiling the rules") == 1


def test_warmup_leaves_nothing_to_compile() -> None:
    """The process itself looks what is asked of the cache afterwards; warming up may compile."""
    assert "Traceback" not in ways("warm")


def test_a_game_goes_on_in_forked_and_spawned_processes() -> None:
    assert "Traceback" not in ways("children")

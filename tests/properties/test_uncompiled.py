"""The rules as plain Python play the same games as the compiled ones, byte for byte.

Uncompiled, Python stops at what compiled code lets pass, such as a number that doesn't fit:
warnings are errors.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.play import VARIANTS, traces

ROOT = Path(__file__).parents[2]


def test_every_step_is_the_same_compiled_and_not():
    """State, legal actions, masks, observations, redeals, in every variant and with odd cards."""
    uncompiled = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.support.play"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (uncompiled.returncode, uncompiled.stderr) == (0, "")
    lines = uncompiled.stdout.splitlines()
    for number, (theirs, ours) in enumerate(zip(lines, traces(), strict=True)):
        assert theirs == ours, f"line {number}"
    assert len(lines) > 100 * len(VARIANTS)


MANY = """
from hemlock_env import Batch
print(Batch(80, seed=1).observation[-1].tolist())
"""


def test_a_batch_is_as_large_as_one_likes():
    """The tensor of 80 games is longer than 16 bits can count."""
    shown = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", MANY],
            cwd=ROOT,
            env={**os.environ, "NUMBA_DISABLE_JIT": jit},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for jit in ("0", "1")
    ]
    assert shown[0] == shown[1]

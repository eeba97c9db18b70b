"""The game in other libraries: one short trainer for each, by self-play with masks.

They need the extra `interop`, best in an environment of its own: `make interop` makes one and runs
their tests. docs/interop.md says more.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable


def missing(error: ImportError, module: str) -> SystemExit:
    """What a trainer raises if its library isn't there: one sentence that says what to install."""
    return SystemExit(
        f"{error}: {module} needs the extra 'interop': pip install -c constraints.txt '.[interop]'"
    )


def whole(least: int) -> Callable[[str], int]:
    """For argparse: reads a whole number that is not below `least`."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least {least}")
        return int(text)

    return read

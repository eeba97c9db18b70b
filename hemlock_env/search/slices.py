"""Long searches in slices: while compiled code runs, no signal is heard, Ctrl-C neither."""

from __future__ import annotations

import time
from collections.abc import Callable

FIRST = 64  # units of work in the first slice
SHORT, LONG = 0.02, 0.1  # seconds: a slice that takes less is followed by a longer one


def in_slices(run: Callable[[int, int], object], total: int, size: int = FIRST) -> None:
    """`run(first, end)` for 0..total-1, in slices of some hundredths of a second after the first,
    which has `size` units of work.
    """
    first = 0
    while first < total:
        begun, end = time.perf_counter(), min(first + size, total)
        run(first, end)
        took, first = time.perf_counter() - begun, end
        if took < SHORT:
            size *= 2
        elif took > LONG:
            size = max(1, size // 2)

"""Learning to play: self-play training in PyTorch, outside the package that plays."""

import ctypes
import os

# Every process has one thread: two that share a busy core wait for each other most of the time.
# Read when NumPy and torch are loaded, so it is said before.
for library in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(library, "1")

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h


def keep_memory() -> None:
    """Keep what large tensors leave behind for the next ones: to give it back to the system at each
    step, as glibc does by itself, and to ask for it again takes a twentieth of the time.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if mallopt is not None:
        # Where the first is refused, the second alone would do harm: glibc then adapts neither.
        if mallopt(MMAP_THRESHOLD, 2**25) == 1:
            mallopt(TRIM_THRESHOLD, 2**30)


keep_memory()

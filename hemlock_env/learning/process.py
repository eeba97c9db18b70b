"""A process that learns: one thread, and memory that is kept."""

from __future__ import annotations

import ctypes
import os

import torch

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h


def prepare_process() -> None:
    """One thread for torch and NumPy, here and in processes that are started from here: two threads
    that share a busy core wait for each other most of the time.
    """
    torch.set_num_threads(1)
    for library in THREADS:
        os.environ.setdefault(library, "1")  # read where NumPy and torch are loaded afterwards
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:  # then the environment alone says it
        pass
    else:
        threadpool_limits(1)
    keep_memory()


def keep_memory() -> None:
    """Keep what large tensors leave behind for the next ones: to give it back to the system at each
    step, as glibc does by itself, and to ask for it again takes a twentieth of the time.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if mallopt is not None:
        # Where the first is refused, the second alone would do harm: glibc then adapts neither.
        if mallopt(MMAP_THRESHOLD, 2**25) == 1:
            mallopt(TRIM_THRESHOLD, 2**30)

"""Learning to play: self-play training in PyTorch, outside the package that plays."""

import os

# Every process has one thread: two that share a busy core wait for each other most of the time.
# Read when NumPy and torch are loaded, so it is said before.
for library in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(library, "1")

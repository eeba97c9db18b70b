"""Scripts of a clone, each a screen long; what they do is in `hemlock_env.learning`."""

import os

# Every process has one thread: two that share a busy core wait for each other most of the time.
# Read when NumPy and torch are loaded, so it is said before.
for library in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(library, "1")

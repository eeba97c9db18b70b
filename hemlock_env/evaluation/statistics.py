"""A 95 % interval for a mean score, from groups of games that share their luck.

docs/evaluation.md says why it is made so, and how often it holds.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Z = 1.959963984540054  # a normal variable is within +-Z in 95 % of cases


def wilson(mean: float, size: float) -> tuple[float, float]:
    """Wilson (1927): the true shares of wins that go with a share of `mean` in `size` trials.

    Never outside 0 to 1, and never of no width: all wins in 100 trials say "at least 0.963".
    """
    spread = Z * Z / size
    centre = (mean + spread / 2) / (1 + spread)
    reach = Z * math.sqrt(mean * (1 - mean) / size + spread / (4 * size)) / (1 + spread)
    # At 0 and 1 the bound is the mean itself, which rounding may miss.
    return max(0.0, min(mean, centre - reach)), min(1.0, max(mean, centre + reach))


def effective_size(scores: NDArray[np.float64]) -> float:
    """How many independent games the groups are worth, from how their scores (0 to 1) vary.

    Groups that vary like single games are worth one game each, pairs of independent games two, and
    pairs in which one game's luck makes up for the other's more. One made-up group of the first
    kind is counted in, because few groups, or groups that are almost all won, say little about how
    they vary: groups that are all won, or all lost, are worth one game each.
    """
    mean = float(scores.mean())
    single = mean * (1 - mean)  # the variance of single games
    around = float(((scores - mean) ** 2).sum())
    return len(scores) * (len(scores) * single + 1) / (around + 1)


def interval(scores: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % interval of the mean of group scores, each 0 to 1; at least one group."""
    return wilson(float(scores.mean()), effective_size(scores))

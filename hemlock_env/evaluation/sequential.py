"""A sequential test of which of two strengths explains pairs of games better: the generalised
sequential probability ratio test (GSPRT) over scores of pairs.

docs/evaluation.md says what is computed, from which sources, and how often it errs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hemlock_env._check import ARGUMENT, number
from hemlock_env.evaluation.ladder.ratings import ELO

PAIR_SCORES = np.arange(5) / 4  # all scores that a pair of games can have: the pentanomial model
UNSEEN = 1e-3  # pairs that a score counts for while none has had it
HALVINGS = 60  # of an interval, until no float64 lies within it
LIMITS = (
    ("elo0", -1000, 1000),
    ("elo1", -1000, 1000),
    ("alpha", 1e-6, 0.49),
    ("beta", 1e-6, 0.49),
)

H0, H1, UNDECIDED = "H0", "H1", "undecided"


def score_of_elo(elo: float) -> float:
    """The expected score of a bot that is so many (logistic) Elo points stronger."""
    return 1 / (1 + math.exp(-elo / ELO))


def elo_of_score(score: float) -> float | None:
    """How many Elo points stronger a bot with this expected score is; None at 0 and 1, which are
    infinitely far away.
    """
    return ELO * math.log(score / (1 - score)) if 0 < score < 1 else None


def pair_counts(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many pairs have each of `PAIR_SCORES`, int64 (5,)."""
    return np.bincount(np.rint(4 * scores).astype(np.int64), minlength=len(PAIR_SCORES))


@dataclass(frozen=True)
class SequentialTest:
    """H0: A is `elo0` Elo points stronger than B; H1: it is `elo1`, which is more."""

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    """how often H1 may be accepted where H0 is true"""
    beta: float = 0.05
    """how often H0 may be accepted where H1 is true"""

    def __post_init__(self) -> None:
        for name, low, high in LIMITS:
            # As floats, so that 0 and 0.0 are the same test.
            object.__setattr__(self, name, number(getattr(self, name), low, high, name))
        if self.elo0 >= self.elo1:
            ARGUMENT.refuse(self.elo1, "elo1", f"must be more than elo0, which is {self.elo0:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's: H0 is accepted at or below the first, H1 at or above the second."""
        return (
            math.log(self.beta / (1 - self.alpha)),
            math.log((1 - self.beta) / self.alpha),
        )

    def verdict(self, ratio: float) -> str:
        """`H0`, `H1` or `undecided`, at a log-likelihood ratio."""
        low, high = self.bounds
        if ratio >= high:
            return H1
        return H0 if ratio <= low else UNDECIDED

    def log_likelihood_ratio(self, counts: NDArray[np.integer]) -> NDArray[np.float64]:
        """How much likelier H1 makes the pairs than H0, as a natural logarithm.

        Each hypothesis gets the distribution of pair scores that explains the pairs best among
        those with its mean.

        Args:
            counts: (..., 5), pairs with each of `PAIR_SCORES`; of one test, or of many.

        Returns:
            float64 (...).
        """
        pairs = np.where(np.asarray(counts) == 0, UNSEEN, counts)
        weights = [_tilt(pairs, score_of_elo(elo)) for elo in (self.elo0, self.elo1)]
        ratio: NDArray[np.float64] = (pairs * np.log(weights[0] / weights[1])).sum(axis=-1)
        return ratio


def _tilt(pairs: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """What the share of each pair score is divided by to have the likeliest distribution of that
    mean: 1 + x (score - mean), with the x for which the divided shares have it; (..., 5).
    """
    away = PAIR_SCORES - mean
    # Between these every divisor is positive; the mean falls from 1 to 0 as x rises.
    low = np.full(pairs.shape[:-1], -1 / away[-1])
    high = np.full(pairs.shape[:-1], -1 / away[0])
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        above = (pairs * away / (1 + middle[..., None] * away)).sum(axis=-1) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    weights: NDArray[np.float64] = 1 + ((low + high) / 2)[..., None] * away
    return weights

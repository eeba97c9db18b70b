"""Ratings from the scores of many pairings: Bradley and Terry (1952), on the scale of Elo.

docs/ladder.md says what is assumed and where it can mislead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ELO = 400 / math.log(10)  # Elo points in one natural logarithm of the odds
RESAMPLES = 1000
TAILS = (2.5, 97.5)  # percentiles that hold 95 % between them
STEPS_MAX = 100  # of Newton's method; a handful are enough
NEVER_SURE = 1e-9
CLOSE = 1e-9  # in logarithms of the odds


@dataclass(frozen=True)
class Pairing:
    """All games of bot A against bot B: who they are, and A's mean score in each group."""

    a: int
    b: int
    groups: NDArray[np.float64]
    """(groups,), each 0 to 1"""


def resample(
    pairings: Sequence[Pairing], num_players: int, seed: int = 0, times: int = RESAMPLES
) -> NDArray[np.float64]:
    """Mean scores of each pairing that its groups make likely: a Bayesian bootstrap (Rubin 1981).

    Each time every group gets a weight drawn from Exp(1), the same in every pairing: groups of a
    number are played on the same deals. One made-up game (a group has one for each seat) is counted
    in that ended even: won with a share of 1 / seats, else lost. So groups that all went alike
    still leave doubt.

    Returns:
        float64 (times, pairings).
    """
    rng = np.random.default_rng(seed)
    game = 1 / num_players  # of a group
    even = 1 / num_players
    means = np.empty((times, len(pairings)))
    most = max(len(pairing.groups) for pairing in pairings)
    drawn = rng.standard_exponential((times, most))
    for place, pairing in enumerate(pairings):
        weights = drawn[:, : len(pairing.groups)]
        won = rng.standard_gamma(game * even, times)
        lost = rng.standard_gamma(game * (1 - even), times)
        means[:, place] = (weights @ pairing.groups + won) / (weights.sum(axis=1) + won + lost)
    # The made-up game may weigh next to nothing, but no rating belongs to a score of 0 or 1.
    return np.clip(means, NEVER_SURE, 1 - NEVER_SURE)


def interval_of(score: float, resampled: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % interval of a mean score, from its resampled values (times,)."""
    low, high = np.percentile(resampled, TAILS)
    return min(float(low), score), max(float(high), score)


def smoothed(pairings: Sequence[Pairing], num_players: int) -> NDArray[np.float64]:
    """Mean scores, float64 (pairings,), the made-up game counted in."""
    game = even = 1 / num_players
    return np.array(
        [(each.groups.sum() + game * even) / (len(each.groups) + game) for each in pairings]
    )


def fit(
    pairings: Sequence[Pairing],
    scores: NDArray[np.float64],
    bots: int,
    anchor: int,
    num_players: int,
) -> NDArray[np.float64]:
    """The ratings under which the scores are likeliest.

    A's expected score against n - 1 seats of B is g_A / (g_A + (n - 1) g_B), where a bot's rating
    is 400 log10 of its g (Bradley and Terry; for n > 2 Luce 1959). Each pairing counts as many
    trials as it has groups.

    Args:
        pairings: who met whom.
        scores: (..., pairings), A's mean scores, none of them 0 or 1: see `smoothed`.
        bots: how many there are; every one must be linked to the anchor by pairings.
        anchor: the bot that is rated 0.
        num_players: seats.

    Returns:
        float64 (..., bots): Elo points.
    """
    weights = np.array([len(pairing.groups) + 1 / num_players for pairing in pairings])
    design = np.zeros((len(pairings), bots))
    for place, pairing in enumerate(pairings):
        design[place, pairing.a], design[place, pairing.b] = 1.0, -1.0
    design = np.delete(design, anchor, axis=1)
    handicap = math.log(num_players - 1)
    strength = np.zeros((*scores.shape[:-1], bots - 1))
    for _ in range(STEPS_MAX):
        expected = 1 / (1 + np.exp(handicap - strength @ design.T))
        slope = (weights * (scores - expected)) @ design
        curve = np.einsum("...p,pi,pj->...ij", weights * expected * (1 - expected), design, design)
        step = np.linalg.solve(curve, slope[..., None])[..., 0]
        strength += np.clip(step, -1.0, 1.0)  # far from the solution Newton's step is too long
        if np.abs(step).max(initial=0.0) < CLOSE:
            break
    ratings: NDArray[np.float64] = ELO * np.insert(strength, anchor, 0.0, axis=-1)
    return ratings


def linked(pairings: Sequence[tuple[int, int]], bots: int, anchor: int) -> set[int]:
    """The bots that pairings link to the anchor."""
    found = {anchor}
    for _ in range(bots):
        for a, b in pairings:
            if a in found or b in found:
                found |= {a, b}
    return found

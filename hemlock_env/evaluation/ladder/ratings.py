"""Bradley-Terry ratings (1952) from the scores of many pairings, on the scale of Elo.

docs/ladder.md says what is assumed and where it can mislead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ELO = 400 / math.log(10)  # Elo points in one natural logarithm of the odds
STEPS_MAX = 100  # of Newton's method; a handful are enough
CLOSE = 1e-9  # in logarithms of the odds


@dataclass(frozen=True)
class PairScores:
    """All games of bot A against bot B: who they are, and A's mean score in each group."""

    a: int
    b: int
    groups: NDArray[np.float64]
    """(groups,), each 0 to 1"""


def smoothed(pairings: Sequence[PairScores], num_players: int) -> NDArray[np.float64]:
    """Mean scores, float64 (pairings,), the made-up game of `bayesian_bootstrap` counted in."""
    game = even = 1 / num_players
    return np.array(
        [(pair.groups.sum() + game * even) / (len(pair.groups) + game) for pair in pairings]
    )


def fit(
    pairings: Sequence[PairScores],
    scores: NDArray[np.float64],
    bots: int,
    anchor: int,
    num_players: int,
) -> NDArray[np.float64]:
    """The maximum-likelihood ratings, by Newton's method.

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
    weights = np.array([len(pair.groups) + 1 / num_players for pair in pairings])
    design = np.zeros((len(pairings), bots))
    for row, pair in enumerate(pairings):
        design[row, pair.a], design[row, pair.b] = 1.0, -1.0
    design = np.delete(design, anchor, axis=1)
    handicap = math.log(num_players - 1)
    strength = np.zeros((*scores.shape[:-1], bots - 1))
    for _ in range(STEPS_MAX):
        expected = 1 / (1 + np.exp(handicap - strength @ design.T))
        gradient = (weights * (scores - expected)) @ design
        information = np.einsum(
            "...p,pi,pj->...ij", weights * expected * (1 - expected), design, design
        )
        step = np.linalg.solve(information, gradient[..., None])[..., 0]
        strength += np.clip(step, -1.0, 1.0)  # far from the solution Newton's step is too long
        if np.abs(step).max(initial=0.0) < CLOSE:
            break
    ratings: NDArray[np.float64] = ELO * np.insert(strength, anchor, 0.0, axis=-1)
    return ratings


def linked(pairings: Sequence[tuple[int, int]], bots: int, anchor: int) -> set[int]:
    """The bots that pairings link to the anchor: its connected component."""
    component = {anchor}
    for _ in range(bots):
        for a, b in pairings:
            if a in component or b in component:
                component |= {a, b}
    return component

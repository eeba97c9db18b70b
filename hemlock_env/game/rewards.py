"""Rewards at the end of a game, of one game or of many.

outcome: the winners share +1 and the losers share -1, so the sum is 0; a draw of all is 0 for all.
margin: own influence less the mean of the rivals', divided by 20.

`engine.kernel.write_rewards` is the same in compiled code, for `Batch`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hemlock_env._check import one_of
from hemlock_env.engine.kernel import MARGIN, MARGIN_SCALE, OUTCOME

REWARDS = {"outcome": OUTCOME, "margin": MARGIN}


def reward_number(name: str) -> int:
    """The kernel's number for a reward's name; ValueError names the choices."""
    return REWARDS[one_of(name, REWARDS, "reward")]


def rewards(name: str, scores: Sequence[int], winners: Sequence[int]) -> list[float]:
    """The rewards by seat of one finished game, from its influence by seat and winning seats."""
    won = [seat in winners for seat in range(len(scores))]
    by_seat: list[float] = reward_rows(reward_number(name), scores, won).tolist()
    return by_seat


def reward_rows(reward: int, scores: ArrayLike, won: ArrayLike) -> NDArray[np.float64]:
    """The rewards by seat of finished games, float64 (..., players); each sums to 0 within 1e-9.

    Args:
        reward: the kernel's number, OUTCOME or MARGIN.
        scores: influence by seat, (..., players).
        won: 1 for each winner, (..., players).
    """
    if reward == MARGIN:
        return margins(scores) / MARGIN_SCALE
    winner: NDArray[np.bool_] = np.asarray(won) == 1
    winners = winner.sum(-1, keepdims=True)
    losers = winner.shape[-1] - winners
    shares: NDArray[np.float64] = np.where(
        winner, 1.0 / np.maximum(winners, 1), -1.0 / np.maximum(losers, 1)
    )
    return np.where(losers == 0, 0.0, shares)


def margins(scores: ArrayLike) -> NDArray[np.float64]:
    """Own influence less the mean of the rivals', float64; both (..., players)."""
    own: NDArray[Any] = np.asarray(scores).astype(np.int64)
    ahead: NDArray[np.float64] = own - (own.sum(-1, keepdims=True) - own) / (own.shape[-1] - 1)
    return ahead


def margin(scores: ArrayLike, seat: int) -> float:
    """The margin of one seat of one game."""
    return float(margins(scores)[seat])

"""Generalized advantage estimation by seat, compiled: from a seat's decision to its next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numba
import numpy as np
from numpy.typing import NDArray

from hemlock_env._jit import ensure, entry
from hemlock_env.engine.types import Float32, Int8Rows, Int64Rows

BoolRows = Annotated[Any, numba.boolean[:, ::1]]
Values = Annotated[Any, numba.float32[:, :, ::1]]
Rewards = Annotated[Any, numba.float32[:, :, :, ::1]]


@dataclass
class Advantages:
    """What became of the decisions of a rollout, [row, game]."""

    advantage: NDArray[np.float32]
    """of outcome and margin, [row, game, 2]"""
    valid: NDArray[np.bool_]
    """its advantage is known, as the seat decided again or the game ended: to be learned from"""
    pending_row: NDArray[np.int64]
    """[seat, game]: the row of the decision that is carried over, -1 if there is none"""


def compute_gae(
    seat: NDArray[np.int8],
    value: NDArray[np.float32],
    done: NDArray[np.bool_],
    reward: NDArray[np.float32],
    gae_lambda: float,
) -> Advantages:
    """GAE with gamma 1, along the decisions of each seat.

    The last decision of a seat in an unfinished game has no bootstrap value yet: it is pending, and
    its value is the bootstrap of the decision before.

    Args:
        seat: who decided, [row, game]; -1 where there is nothing to learn.
        value: outcome and margin that were expected, [row, game, 2].
        done: the game ended with this decision.
        reward: of every seat where it ended, [row, game, seat, 2].
        gae_lambda: 1 for Monte Carlo returns, 0 for one-step TD errors.
    """
    (rows, games), seats = seat.shape, reward.shape[2]
    found = Advantages(
        np.zeros((rows, games, 2), np.float32),
        np.zeros((rows, games), np.bool_),
        np.full((seats, games), -1, np.int64),
    )
    ensure(_backward)
    written = found.advantage, found.valid, found.pending_row
    _backward(seat, value, done, reward, np.float32(gae_lambda), *written)
    return found


@entry
def _backward(
    seat: Int8Rows,
    value: Values,
    done: BoolRows,
    reward: Rewards,
    gae_lambda: Float32,
    advantage: Values,
    valid: BoolRows,
    pending_row: Int64Rows,
) -> None:
    """Game by game, backwards over the rows, with what each seat's decision leads to: the value at
    its next decision and that one's advantage, or the reward of the end.
    """
    rows, games = seat.shape
    seats = pending_row.shape[0]
    next_value = np.zeros((seats, 2), np.float32)
    next_advantage = np.zeros((seats, 2), np.float32)
    known = np.zeros(seats, np.bool_)
    for game in range(games):
        known[:] = False
        for row in range(rows - 1, -1, -1):
            if done[row, game]:
                next_value[:] = reward[row, game]
                next_advantage[:] = 0.0
                known[:] = True
            actor = seat[row, game]
            if actor < 0:
                continue
            valid[row, game] = known[actor]
            if not known[actor]:
                pending_row[actor, game] = row
            for k in range(2):
                gae = np.float32(0.0)
                if known[actor]:
                    gae = next_value[actor, k] - value[row, game, k]
                    gae += gae_lambda * next_advantage[actor, k]
                advantage[row, game, k] = gae
                next_value[actor, k] = value[row, game, k]
                next_advantage[actor, k] = gae
            known[actor] = True

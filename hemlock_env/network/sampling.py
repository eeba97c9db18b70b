"""From logits to actions: the softmax over what is legal, and a draw from it, in NumPy.

All random is in the keys, so the same logits and keys give the same actions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env.game.keys import Keys

_TO_UNIT, _UNIT_SHIFT = 2.0**-53, np.uint64(11)


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities, along the last axis."""
    weights = _weights(scores)
    probabilities: NDArray[np.float64] = weights / weights.sum(axis=-1, keepdims=True)
    return probabilities


def sample_legal(
    logits: NDArray[Any],
    legal: NDArray[np.int16],
    counts: NDArray[np.int16],
    keys: Keys,
    temperature: float = 1.0,
) -> NDArray[np.int16]:
    """A legal action for each row, int16 (n,).

    Args:
        logits: of all actions, (n, actions).
        legal: legal actions ascending, filled up with -1, (n, 40).
        counts: how many are legal, (n,).
        keys: what is drawn comes from these, (n,).
        temperature: 0 takes the likeliest action, 1 draws by the softmax, others sharpen or flatten
            it.

    Raises:
        ValueError: nothing is legal in a row.
    """
    if (counts < 1).any():
        raise ValueError("there is no legal action to choose from")
    listed = np.arange(legal.shape[1]) < counts[:, None]
    scores = np.take_along_axis(logits, np.where(listed, legal, 0).astype(np.intp), axis=1)
    scores = np.where(listed, scores, -np.inf).astype(np.float64)
    if temperature == 0:
        column = scores.argmax(axis=1)
    else:
        heaped = _weights(scores, temperature).cumsum(axis=1)
        drawn = (keys >> _UNIT_SHIFT) * _TO_UNIT * heaped[:, -1]
        # Rounding may carry `drawn` to the top of the heap: never past the last legal action.
        column = np.minimum((heaped <= drawn[:, None]).sum(axis=1), counts - 1)
    actions: NDArray[np.int16] = np.take_along_axis(legal, column[:, None], axis=1)[:, 0]
    return actions


def _weights(scores: NDArray[np.float64], temperature: float = 1.0) -> NDArray[np.float64]:
    """Probabilities before they are made to sum to 1."""
    weights: NDArray[np.float64] = np.exp(
        (scores - scores.max(axis=-1, keepdims=True)) / temperature
    )
    return weights

"""Keys: 64 random bits for each thing to be drawn, mixed from a seed and what has happened since.

The same key gives the same draw in any process; `engine.events` lists what they are mixed with.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env._jit import ensure, entry
from hemlock_env.engine.chance import SEED_BITS, below, mix
from hemlock_env.engine.events import EVENT_SPREAD
from hemlock_env.engine.types import Int64s, UInt64s

Keys = NDArray[np.uint64]

# Uncompiled it takes arrays.
_below = getattr(below, "py_func", below)


@entry
def _mix_keys(keys: UInt64s, events: Int64s, mixed: UInt64s) -> None:
    """A mix that can't be undone: no key leads back to the seed of a match and its games."""
    for i in range(keys.shape[0]):
        mixed[i] = mix(keys[i], events[i]) ^ keys[i]


def mix_keys(keys: Any, events: Any) -> Keys:
    """New keys, uint64, from keys and events (broadcast); the same in any process."""
    ensure(_mix_keys)
    keys, events = np.asarray(keys, np.uint64), np.asarray(events, np.int64)
    if keys.shape != events.shape:  # asked first: for one key the broadcast takes longest
        keys, events = np.broadcast_arrays(keys, events)
    mixed = np.empty(keys.shape, np.uint64)
    _mix_keys(keys.ravel(), events.ravel(), mixed.reshape(-1))
    return mixed


def draw_below(keys: Keys, limits: Any) -> NDArray[np.int64]:
    """A number in 0..limit-1 from each key, as compiled code draws it."""
    drawn: NDArray[np.int64] = _below(keys, limits)
    return drawn


def seeds_from(keys: Keys) -> Keys:
    """Seeds of games or redeals, 0 to 2^63 - 1 (docs/formats.md)."""
    return keys & SEED_BITS


def spread_seeds(seed: Any, count: int) -> list[int]:
    """`count` seeds, 0 to 2^63 - 1, mixed from one, which neighbouring seeds don't share.

    `seed`, `seed + 1`, ... for games side by side would give most of them to the next seed's run.
    """
    seeds: list[int] = seeds_from(mix_keys(mix_keys(seed, EVENT_SPREAD), np.arange(count))).tolist()
    return seeds

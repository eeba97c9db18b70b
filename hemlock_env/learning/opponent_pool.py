"""The opponent pool: frozen snapshots of the EMA weights, which play one seat of some games."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from hemlock_env.learning.config import Settings


class OpponentPool:
    """The newest snapshots, at most `pool_size`, and the seats that they play."""

    def __init__(self, settings: Settings, games: int, seats: int) -> None:
        self.settings = settings
        self.snapshots: list[list[Tensor]] = []
        self.taken = 0
        self.seat_mask = one_seat(round(settings.pool_share * games), games, seats)

    def maybe_add(self, before: int, now: int, weights: Sequence[Tensor]) -> None:
        """Take a snapshot each time that the timesteps pass a multiple of `pool_freq`."""
        every = self.settings.pool_freq
        if not self.settings.pool_share or before // every == now // every:
            return
        snapshot = [weight.clone() for weight in weights]
        if len(self.snapshots) < self.settings.pool_size:
            self.snapshots.append(snapshot)
        else:
            self.snapshots[self.taken % self.settings.pool_size] = snapshot
        self.taken += 1

    def sample(self, rng: np.random.Generator) -> list[Tensor] | None:
        """One of the snapshots, uniformly; None while there is none."""
        if not self.snapshots:
            return None
        return self.snapshots[int(rng.integers(len(self.snapshots)))]


def one_seat(count: int, games: int, seats: int) -> NDArray[np.bool_]:
    """Bool [seat, game]: one seat in each of the first `count` games, each seat equally often."""
    mask = np.zeros((seats, games), np.bool_)
    chosen = np.arange(count)
    mask[chosen % seats, chosen] = True
    return mask

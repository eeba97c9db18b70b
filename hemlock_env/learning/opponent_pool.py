"""The pool: frozen snapshots of the averaged weights, which play one seat of some of the games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

if TYPE_CHECKING:
    from hemlock_env.learning.config import Settings


class Pool:
    """The newest snapshots, at most `pool_size`, and the seats that they play."""

    def __init__(self, settings: Settings, games: int, seats: int) -> None:
        self.settings = settings
        self.snapshots: list[list[Tensor]] = []
        self.taken = 0
        self.plays = one_seat(round(settings.pool_share * games), games, seats)

    def grow(self, before: int, now: int, average: Sequence[Tensor]) -> None:
        """Take a snapshot each time that the decisions pass a multiple of `pool_every`."""
        every = self.settings.pool_every
        if not self.settings.pool_share or before // every == now // every:
            return
        snapshot = [weight.clone() for weight in average]
        if len(self.snapshots) < self.settings.pool_size:
            self.snapshots.append(snapshot)
        else:
            self.snapshots[self.taken % self.settings.pool_size] = snapshot
        self.taken += 1

    def draw(self, rng: np.random.Generator) -> list[Tensor] | None:
        """One of the snapshots, each as likely as the others; None while there is none."""
        if not self.snapshots:
            return None
        return self.snapshots[int(rng.integers(len(self.snapshots)))]


def one_seat(some: int, games: int, seats: int) -> NDArray[np.bool_]:
    """Bool [seat, game]: one seat in each of the first `some` games, each seat equally often."""
    plays = np.zeros((seats, games), np.bool_)
    chosen = np.arange(some)
    plays[chosen % seats, chosen] = True
    return plays

"""Which games some environments play: seeds, learners' seats, where opponents' chance comes from.

All of it follows from the seed that an environment was reset with, so one environment alone and
the same one among thousands play the same games.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env.engine.events import EVENT_NEXT_EPISODE, EVENT_OPPONENTS, EVENT_SEAT
from hemlock_env.envs.opponents import Rows
from hemlock_env.game.arrays import own_arrays
from hemlock_env.game.keys import Keys, draw_below, mix_keys, seeds_from
from hemlock_env.game.options import check_seat, check_seed

RANDOM, ALTERNATE = "random", "alternate"


class Seating:
    """Seeds and seats of the games at hand, by slot."""

    def __init__(self, count: int, num_players: int, seat: int | str) -> None:
        """None has begun.

        Args:
            count: how many slots.
            num_players: seats at each table.
            seat: the learner's: a number, "random" (drawn for each game) or "alternate" (0, 1, …
                game after game; a seed begins again at 0).
        """
        self.num_players = num_players
        self.seat = check_learner(seat, num_players)
        self.seeds: Keys = np.zeros(count, np.uint64)
        self.number = np.full(count, -1, np.int64)  # games before this one; -1: none has begun
        self.learners = np.zeros(count, np.int8)
        self.streams: Keys = np.zeros((count, num_players), np.uint64)

    def __copy__(self) -> Seating:
        copied = Seating.__new__(Seating)
        vars(copied).update(own_arrays(vars(self)))
        return copied

    def seed(self, rows: Rows, seeds: Any) -> None:
        """New seeds for some slots, from which their games and all later ones follow."""
        self.seeds[rows] = seeds
        self.number[rows] = 0

    def follow(self, rows: Rows) -> None:
        """On to the next game of some slots, in each of which one has begun."""
        self.seeds[rows] = seeds_from(mix_keys(self.seeds[rows], EVENT_NEXT_EPISODE))
        self.number[rows] += 1

    def sit(self, rows: Rows, seat: int | str | None = None) -> None:
        """Seats and opponents' chance for the games at hand; `seat` is for these games alone."""
        seat = self.seat if seat is None else check_learner(seat, self.num_players)
        seeds, players = self.seeds[rows], self.num_players
        if seat == RANDOM:
            self.learners[rows] = draw_below(mix_keys(seeds, EVENT_SEAT), players)
        elif seat == ALTERNATE:
            self.learners[rows] = self.number[rows] % players
        else:
            self.learners[rows] = seat
        self.streams[rows] = mix_keys(mix_keys(seeds, EVENT_OPPONENTS)[:, None], np.arange(players))

    def keys(self, rows: Rows, seats: NDArray[Any], decisions: NDArray[Any]) -> Keys:
        """A fresh number for each opponent's decision."""
        return mix_keys(self.streams[rows, seats], decisions)


def check_learner(seat: Any, num_players: int) -> int | str:
    """The learner's seat from a person: a seat, "random" or "alternate"."""
    if isinstance(seat, str) and seat in (RANDOM, ALTERNATE):
        return seat
    if isinstance(seat, str):
        raise ValueError(f"seat={seat!r}: must be a seat, 'random' or 'alternate'")
    return check_seat(seat, num_players)


def slot_seeds(seed: Any, count: int) -> list[int | None]:
    """What a person gave as the seed of some environments, as a seed or None for each.

    By Gymnasium's convention environment i gets `seed + i`; a list has one for each.
    """
    if seed is None:
        return [None] * count
    if isinstance(seed, list | tuple | np.ndarray):
        if len(seed) != count:
            raise ValueError(f"seed: must be a list of {count}, not of {len(seed)}")
        return [None if each is None else check_seed(each) for each in seed]
    first = check_seed(seed)
    return [check_seed(first + number) for number in range(count)]

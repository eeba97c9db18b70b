"""What may be shown of a game: the observation of one seat (R13), or those of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hemlock_env.cards.card_set import Side
from hemlock_env.cards.wording import name_words
from hemlock_env.engine.constants import NOBODY, NOTHING, Decision, Phase
from hemlock_env.engine.fields import SUPPORT_BASE
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.options import check_seat


class Shown(Protocol):
    """What is needed of a game to show it; `Game` has it."""

    @property
    def arrays(self) -> GameArrays:
        """The game as arrays of one."""


class Sight:
    """What a seat may know: its own observation, its legal actions and the score as far as it can
    know it. All that is shown comes from here, so a picture can't tell more.
    """

    def __init__(self, arrays: GameArrays, seat: int | None) -> None:
        """Everything may be shown if `seat` is None, and of a game that is over."""
        self._arrays = arrays
        self._layout = arrays.spec.layout
        self.cards = arrays.spec.card_set
        self.over = int(arrays.seats[0]) == NOBODY
        if seat is not None:
            seat = check_seat(seat, arrays.spec.num_players)
        self.seat = None if self.over else seat
        self.first = self.seat or 0  # the seat whose observation shows what is public
        self.seats = range(arrays.spec.num_players)
        watching = self.seats if self.seat is None else [self.seat]
        self.tensors = {viewer: arrays.observe(0, viewer) for viewer in watching}
        self._parts: dict[str, NDArray[np.int8]] = {}

    @property
    def state(self) -> Any:
        """The record of the rules engine, for where everything may be shown."""
        return self._arrays.states[0]

    def part(self, name: str) -> NDArray[np.int8]:
        """A field of the observation."""
        if name not in self._parts:
            self._parts[name] = self._layout.part(self.tensors[self.first], name)
        return self._parts[name]

    def of(self, name: str, seat: int) -> NDArray[np.int8]:
        """A field of what everyone sees of a seat."""
        block: NDArray[np.int8] = self.part(name)[(seat - self.first) % len(self.seats)]
        return block

    def own(self, name: str, seat: int) -> NDArray[np.int8] | None:
        """A field that only the seat itself sees; None if it may not be shown."""
        tensor = self.tensors.get(seat)
        return None if tensor is None else self._layout.part(tensor, name)

    def one(self, name: str) -> int | None:
        """Which entry of a field is 1."""
        return first_one(self.part(name))

    def holder(self, name: str) -> int | None:
        """The seat that has a mark such as `supremacy`."""
        return next((seat for seat in self.seats if self.of(name, seat)), None)

    def minion(self, kind: int) -> str:
        """The name of a minion kind."""
        return name_words(self.cards.minions[kind])

    def district(self, district: int) -> str:
        """The name of a district."""
        return name_words(self.cards.districts[district].id)

    def side(self, district: int) -> Side:
        """The side of a district card that lies up."""
        card = self.cards.districts[district]
        return card.advanced if self.part("side")[district] else card.basic

    @property
    def phase(self) -> Phase:
        """The part of the night."""
        return Phase(self.one("phase") or 0)

    @property
    def decision(self) -> Decision:
        """The open question."""
        index = self.one("decision")
        return Decision.NONE if index is None else Decision(index + 1)

    def legal_actions(self) -> dict[int, str]:
        """The legal actions of whoever decides: names by index."""
        arrays = self._arrays
        legal = arrays.legals[0, : arrays.counts[0]].tolist()
        return dict(zip(legal, arrays.legal_names(0), strict=True))

    def support(self, seat: int) -> int:
        """R7.12, R9.4: a seat's support markers."""
        hundreds = int(self.of("support_hundreds", seat))
        return SUPPORT_BASE * hundreds + int(self.of("support", seat))

    def scores(self) -> list[int]:
        """R10 as far as it may be known: without the agendas of rivals."""
        rivals = [] if self.seat is None else [seat for seat in self.seats if seat != self.seat]
        return self.scores_without_agendas(rivals)

    def scores_without_agendas(self, seats: Sequence[int]) -> list[int]:
        """R10, the agendas of `seats` not counted."""
        arrays = self._arrays.take(slice(0, 1))
        arrays.states["agenda"][0, list(seats)] = NOTHING
        return arrays.scores_of(0)

    def winners(self) -> list[int]:
        """R10.6: the winning seats of a game that is over."""
        return self._arrays.winners_of(0)


def first_one(field: NDArray[np.int8]) -> int | None:
    """Where a field has its 1."""
    return int(field.argmax()) if field.any() else None

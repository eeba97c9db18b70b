"""What may be shown of a game: the observation of one seat (R13), or those of all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hemlock_env.cards.card_set import Side
from hemlock_env.cards.wording import name_words
from hemlock_env.engine.constants import NOTHING, Decision, Phase
from hemlock_env.engine.fields import SUPPORT_BASE
from hemlock_env.game.game import Game
from hemlock_env.game.options import check_seat


class Sight:
    """All that is shown comes from the seat's own observation, its legal actions and the score as
    far as it can know it, so a picture can't tell more than the seat may know.
    """

    def __init__(self, game: Game, seat: int | None) -> None:
        """Everything may be shown if `seat` is None, and of a game that is over."""
        if seat is not None:
            seat = check_seat(seat, game.num_players)
        seat = None if game.over else seat
        self.game = game
        self.cards = game.card_set
        self.seat = seat
        self.first = 0 if seat is None else seat  # the seat whose observation shows what is public
        self.seats = range(game.num_players)
        watching = self.seats if seat is None else [seat]
        self.tensors = {each: game.observe(each) for each in watching}
        self._parts: dict[str, NDArray[np.int8]] = {}

    def part(self, name: str) -> NDArray[np.int8]:
        """A field of the observation."""
        if name not in self._parts:
            layout = self.game.spec.layout
            self._parts[name] = layout.part(self.tensors[self.first], name)
        return self._parts[name]

    def of(self, name: str, seat: int) -> NDArray[np.int8]:
        """A field of what everyone sees of a seat."""
        block: NDArray[np.int8] = self.part(name)[(seat - self.first) % len(self.seats)]
        return block

    def own(self, name: str, seat: int) -> NDArray[np.int8] | None:
        """A field that only the seat itself sees; None if it may not be shown."""
        tensor = self.tensors.get(seat)
        return None if tensor is None else self.game.spec.layout.part(tensor, name)

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
        return Phase(first_one(self.part("phase")) or 0)

    @property
    def decision(self) -> Decision:
        """The open question."""
        place = self.one("decision")
        return Decision.NONE if place is None else Decision(place + 1)

    def support(self, seat: int) -> int:
        """R7.12, R9.4: a seat's support markers."""
        hundreds = int(self.of("support_hundreds", seat))
        return SUPPORT_BASE * hundreds + int(self.of("support", seat))

    def scores(self) -> list[int]:
        """R10 as far as it may be known: without the agendas of rivals."""
        game = self.game
        if self.seat is not None:
            game = game.copy()
            rivals = [rival for rival in self.seats if rival != self.seat]
            game.arrays.states["agenda"][0, rivals] = NOTHING
        return game.scores()


def first_one(field: NDArray[np.int8]) -> int | None:
    """Where a field has its 1."""
    return int(field.argmax()) if field.any() else None

"""Scene: what is shown of a game, in the order of the table and in words of the card set.

Text, SVG, pixels and the pages are all drawn from a `Scene`; `build` makes it of a game.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hemlock_env.cards.vocabulary import CELLS, GRID

EMPTY_SPACE, NO_SPACE = ".", " "  # a marker is the digit of its seat (docs/formats.md)
KEEP = "\N{NO-BREAK SPACE}"  # within an entry of a list, so that no line breaks there


@dataclass(frozen=True)
class Pile:
    """So many of a kind; `value` is what one of them counts: a minion where it stands (R6), a night
    card in markers (R1.4).
    """

    name: str
    count: int
    value: int = 0

    @property
    def words(self) -> str:
        """The name, after the number if there are several: "2 ghoul"."""
        return f"{self.count} {self.name}" if self.count > 1 else self.name


def listed(piles: Iterable[Pile], none: str = "") -> str:
    """Piles in a line, "2 ghoul, masque", or `none`; blanks within an entry are `KEEP`."""
    return ", ".join(pile.words.replace(" ", KEEP) for pile in piles) or none


@dataclass(frozen=True)
class SideOfDistrict:
    """A seat's side of a district: its minions and what they count together (R6)."""

    seat: int
    total: int
    claims: bool
    minions: tuple[Pile, ...]


@dataclass(frozen=True)
class DistrictCard:
    """R1.2: a district with all that stands on it."""

    id: str
    name: str
    side: str
    lair: str  # "ghoul and the masque", or empty
    symbols: str  # minions that trigger the scheme
    scheme: str
    spaces: str  # row by row: EMPTY_SPACE, NO_SPACE or a seat
    sides: tuple[SideOfDistrict, ...]

    @property
    def rows(self) -> list[str]:
        """The spaces by row, without a last row that has none."""
        rows = [self.spaces[start : start + GRID] for start in range(0, CELLS, GRID)]
        return rows if rows[-1].strip() else rows[:-1]


@dataclass(frozen=True)
class Player:
    """What may be known of a seat."""

    seat: int
    you: bool
    influence: int
    secret: bool  # an agenda that isn't shown counts too
    supremacy: bool
    decides: bool
    stock: int
    support: int
    loot_cards: int | None  # in hand; None with a loot row
    hand: tuple[Pile, ...]  # as far as it is known
    hand_size: int
    items: tuple[Pile, ...]
    spent: tuple[Pile, ...]
    agenda: tuple[str, ...]  # name, conditions; empty if there is none to show

    @property
    def unknown(self) -> int:
        """Minions in hand that the reader can't name: backs."""
        return self.hand_size - sum(pile.count for pile in self.hand)

    @property
    def markers(self) -> str:
        """R1.6: the markers that aren't on the board."""
        return f"{self.stock} in stock, {self.support} support"


@dataclass(frozen=True)
class LootCard:
    """R1.4: a loot card; `action` uses it, if the reader may."""

    name: str
    words: str  # its minion and ability
    action: int | None


@dataclass(frozen=True)
class LootGroup:
    """Loot cards that lie together."""

    name: str
    cards: tuple[LootCard, ...]

    @property
    def label(self) -> str:
        """What stands above the cards, or in place of them."""
        return self.name if self.cards else f"{self.name}: none"


@dataclass(frozen=True)
class Choice:
    """A legal action, and how likely a policy takes it, if one was asked."""

    index: int
    name: str
    words: str
    seat: int | None = None  # whom an action such as `seat:1` means
    probability: float | None = None


@dataclass(frozen=True)
class Influence:
    """R10: how much influence a seat has in the end, and where it comes from."""

    seat: int
    total: int
    sources: str


@dataclass(frozen=True)
class Scene:
    """All that is shown, in the order of the table."""

    title: str
    seat: int | None  # whose view; None shows everything
    over: bool
    course: str
    supremacy: str
    result: str  # who has won; empty before the end
    nights: tuple[Pile, ...]  # night cards: district, value
    to_come: tuple[Pile, ...]
    order: str  # of those to come: whether it is shown
    districts: tuple[DistrictCard, ...]
    players: tuple[Player, ...]
    others: tuple[Pile, ...] | None  # in all other hands together, where that says more
    loot: tuple[LootGroup, ...]
    used: tuple[str, ...]
    supply: tuple[Pile, ...]
    item_supply: tuple[Pile, ...]
    discard: tuple[Pile, ...]
    effects: tuple[str, ...]  # under way: name, and what is still to do
    decider: int | None
    question: str
    choices: tuple[Choice, ...]
    influence: tuple[Influence, ...]  # of a game that is over

    @property
    def seen(self) -> str:
        """For whom it is."""
        return "everything is shown" if self.seat is None else f"as seat {self.seat} knows it"

    @property
    def status(self) -> str:
        """Where the game stands, and who has supremacy or has won."""
        return f"{self.course} {self.result or self.supremacy}"

    @property
    def asked(self) -> str:
        """Who decides what, in a game that isn't over."""
        return f"Seat {self.decider} decides: {self.question}."

    @property
    def summary(self) -> str:
        """Where the game stands, and who decides what or has won: a picture's text for whoever
        can't see it.
        """
        return f"{self.course} {self.result if self.over else self.asked}"

"""A card set as frozen dataclasses; kinds, items and districts are numbers, as in TABLES."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from enum import IntEnum
from functools import cached_property

from hemlock_env.cards.vocabulary import Op, Test

TENSOR_MAX = 127  # the largest count that an observation (int8) can hold
PRINTED_KEYS = ("text", "source")  # every card may have these
UNPLAYED_FIELDS = (*PRINTED_KEYS, "name", "revision", "file")  # what leaves CardSet.hash alone


class CardSetError(ValueError):
    """A card set that can't be used; the message names file, card and key."""


@dataclass(frozen=True, kw_only=True)
class Printed:
    """What any card may say beside what it does; nothing here affects play."""

    text: str | None = None  # as printed
    source: str | None = None  # where the card comes from: the rule text, or reconstructed


@dataclass(frozen=True)
class Word:
    """R7: one word of an effect; its argument is a Where, an item, a minion kind, or 0 if none."""

    op: Op
    argument: int = 0


Effect = tuple[Word, ...]


@dataclass(frozen=True)
class Side(Printed):
    """R1.2: one side of a district card."""

    symbols: tuple[int, ...]  # minion kinds, ascending
    scheme: Effect
    spaces: tuple[str, ...]  # three rows of three characters, `#` is a space


@dataclass(frozen=True)
class District(Printed):
    """R1.2: a district card."""

    id: str
    basic: Side
    advanced: Side


@dataclass(frozen=True)
class Night(Printed):
    """R1.4: a night card."""

    id: str
    district: int
    value: int


@dataclass(frozen=True)
class Loot(Printed):
    """R1.4: a loot card."""

    id: str
    minion: int
    ability: Effect


@dataclass(frozen=True)
class Item(Printed):
    """R1.3: an item kind."""

    id: str
    effect: Effect


@dataclass(frozen=True)
class Condition:
    """R12.5: half of an agenda card; its argument is a district or the number that it asks for."""

    test: Test
    argument: int
    points: int


@dataclass(frozen=True)
class Agenda(Printed):
    """R1.7: an agenda card."""

    id: str
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class CardSet:
    """R1: all that a game is played with; a card's place in its tuple is its number."""

    id: str
    name: str
    minions: tuple[str, ...]  # the kinds, in the roles of R1.1
    minion_copies: tuple[int, ...]  # for each player (R1.5)
    item_copies: tuple[int, ...]  # for each player (R1.5)
    lairs: tuple[int, ...]  # district of each kind, NOWHERE for masque and servant
    items: tuple[Item, ...]
    districts: tuple[District, ...]
    nights: tuple[Night, ...]
    loot: tuple[Loot, ...]
    agendas: tuple[Agenda, ...]
    revision: int | None = None  # counts the versions of the set that play differently
    file: str = field(default="", compare=False)  # as messages name it

    def __hash__(self) -> int:
        """Equal sets play alike; quick, because every new game looks its set up."""
        return hash(self.hash)

    @property
    def edition(self) -> str:
        """As results name the set: its id and revision, such as `vault_of_darkness/1`; the id alone
        where the file counts no revisions.
        """
        return self.id if self.revision is None else f"{self.id}/{self.revision}"

    @cached_property
    def hash(self) -> str:
        """Sixteen hex digits over all that affects play: cards' ids too; the set's own id and
        revision not.
        """
        played = {name: value for name, value in played_fields(self) if name != "id"}
        line = json.dumps(played, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(line.encode()).hexdigest()[:16]


def played_fields(card: object) -> Iterator[tuple[str, object]]:
    """The fields of a dataclass that affect play, as plain JSON."""
    assert is_dataclass(card)
    for each in fields(card):
        if each.name not in UNPLAYED_FIELDS:
            yield each.name, plain(getattr(card, each.name))


def plain(value: object) -> object:
    """As plain JSON; words by name, so that renumbering the vocabulary leaves a hash alone."""
    if isinstance(value, IntEnum):
        return value.name.lower()
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    return dict(played_fields(value)) if is_dataclass(value) else value


def check_for_players(
    card_set: CardSet, num_players: int, loot: str = "row", agendas: bool = False
) -> None:
    """R4.2, R11.1, R11.3: refuses a set with too few cards, or too many for an observation."""
    cards_needed = 3 * num_players if loot == "hand" else 2 * num_players + 1
    if len(card_set.loot) < cards_needed:
        need = f'{num_players} players with loot="{loot}" need {cards_needed} cards'
        raise CardSetError(f"{card_set.file}: loot: {need}, not {len(card_set.loot)}")
    if agendas and len(card_set.agendas) < num_players:
        need = f"{num_players} players with agendas need {num_players} cards"
        raise CardSetError(f"{card_set.file}: agenda: {need}, not {len(card_set.agendas)}")
    for what, copies in (("minions", card_set.minion_copies), ("items", card_set.item_copies)):
        if num_players * sum(copies) > TENSOR_MAX:
            count = f"{num_players} players times {sum(copies)} {what}"
            raise CardSetError(f"{card_set.file}: [copies]: {count} are more than {TENSOR_MAX}")

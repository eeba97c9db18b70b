"""A card set: TOML in, frozen dataclasses out. Every mistake is named by file, card and key."""

import difflib
import hashlib
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import IntEnum
from functools import cache, cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple

from hemlock_env.cards.tables import NOWHERE
from hemlock_env.cards.vocabulary import (
    AGENDAS_MAX,
    DISTRICTS,
    EFFECT_MAX,
    FIRST_LEADER,
    GENERICS,
    GRID,
    ITEMS,
    LOOT_MAX,
    MIN_PLAYERS,
    MINIONS,
    NIGHTS,
    OP_ARGUMENT,
    TEST_ARGUMENT,
    Op,
    Test,
    Where,
)

# The names of R1.1 to R1.3: a file with exactly these may list them in any order.
DEFAULT_MINIONS = (
    *("courtesan", "ghoul", "alchemist", "shadow"),  # the generic kinds
    *("masque", "servant"),
    *("leader_spires", "leader_boneyard", "leader_alley_maze", "leader_courtyard"),
)
DEFAULT_DISTRICTS = ("spires", "boneyard", "alley_maze", "courtyard")
DEFAULT_ITEMS = ("scepter", "potion", "trinket")

TENSOR_MAX = 127  # the largest count that an observation (int8) can hold
NIGHT_VALUE_MAX = 12  # a player's whole stock of markers (R1.6)
POINTS_MAX = 20  # for one condition on an agenda card
LOOT_MIN = 2 * MIN_PLAYERS + 1  # R4.2

# The cards of a file: fewest, most, and the keys that are theirs alone.
CARDS = {
    "district": (DISTRICTS, DISTRICTS, ("id", "basic", "advanced")),
    "night": (NIGHTS, NIGHTS, ("id", "district", "value")),
    "loot": (LOOT_MIN, LOOT_MAX, ("id", "minion", "ability")),
    "item": (ITEMS, ITEMS, ("id", "effect")),
    "agenda": (0, AGENDAS_MAX, ("id", "conditions")),
}
PRINTED_KEYS = ("text", "source")  # every card may have these
UNPLAYED_FIELDS = (*PRINTED_KEYS, "name", "file")  # what leaves CardSet.hash alone
SOURCES = ("text", "reconstructed")

OPS = tuple(op.name.lower() for op in OP_ARGUMENT)
TESTS = tuple(test.name.lower() for test in TEST_ARGUMENT)
WHERES = tuple(where.name.lower() for where in Where)

ID = re.compile("[a-z][a-z0-9_]*")
ID_RULE = "allowed: lower-case letters, digits and underscores, a letter first"
ROW = re.compile(f"[#.]{{1,{GRID}}}")


class CardSetError(ValueError):
    """A card set that can't be used; the message names file, card and key."""


# ---- What a card set is; kinds, items and districts are numbers, as in TABLES ----


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
    file: str = field(default="", compare=False)  # as messages name it

    @cached_property
    def hash(self) -> str:
        """Sixteen hex digits over all that affects play: cards' ids too, the set's own id not."""
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


# ---- Loading ----


def load_card_set(card_set: str | os.PathLike[str]) -> CardSet:
    """A shipped set by its id, any other by its path (with a separator or the ending .toml)."""
    if not isinstance(card_set, str | os.PathLike):
        raise CardSetError(f"a card set is named by an id or a path, not by {shown(card_set)}")
    if isinstance(card_set, str) and not is_path(card_set):
        return load_shipped(card_set)
    path = Path(card_set)
    return parse_card_set(read_text(path, str(path)), str(path))


def is_path(name: str) -> bool:
    """Whether a name is meant as a path, on any system."""
    return "/" in name or "\\" in name or name.endswith(".toml")


@cache
def load_shipped(name: str) -> CardSet:
    """A set of the package; read once."""
    if name not in shipped_ids():
        raise CardSetError(
            f"{name}: no such card set; {choices(name, shipped_ids())}; or give the path of a file"
        )
    file = f"{name}.toml"
    return parse_card_set(read_text(shipped_folder() / file, file), file)


def shipped_folder() -> Traversable:
    """The folder of the sets that come with the package."""
    return resources.files("hemlock_env.cards") / "sets"


def shipped_ids() -> tuple[str, ...]:
    """The ids that load_card_set knows without a path."""
    names = (entry.name for entry in shipped_folder().iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def read_text(path: Path | Traversable, file: str) -> str:
    """The text of a file, with or without the byte order mark that some editors put first."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CardSetError(f"{file}: is not UTF-8 text: {error}") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        shipped = ", ".join(shipped_ids())
        raise CardSetError(
            f"{file}: can't be read: {reason}; sets that need no path: {shipped}"
        ) from error


def parse_card_set(toml: str, file: str) -> CardSet:
    """A card set from the text of its file; `file` is for messages."""
    root = Table(file, "", parse_toml(toml, file))
    root.check_keys(("id", "name", "copies", "lairs", *CARDS))
    items = in_default_order(root.cards("item"), DEFAULT_ITEMS)
    districts = in_default_order(root.cards("district"), DEFAULT_DISTRICTS)
    copies = root.section("copies")
    names = Names(read_minions(copies, ids(items)), ids(items), ids(districts))
    return CardSet(
        id=root.id("id"),
        name=root.string("name"),
        minions=names.minions,
        minion_copies=read_minion_copies(copies, names),
        item_copies=tuple(copies.whole(item, 0, TENSOR_MAX) for item in names.items),
        lairs=read_lairs(root.section("lairs"), names),
        items=tuple(read_item(card, names) for card in items),
        districts=tuple(read_district(card, names) for card in districts),
        nights=tuple(read_night(card, names) for card in root.cards("night")),
        loot=tuple(read_loot(card, names) for card in root.cards("loot")),
        agendas=tuple(read_agenda(card, names) for card in root.cards("agenda")),
        file=file,
    )


def parse_toml(toml: str, file: str) -> dict[str, object]:
    """Plain TOML; its own errors name line and column."""
    try:
        return tomllib.loads(toml)
    except ValueError as error:
        raise CardSetError(f"{file}: is no valid TOML: {error}") from error


# ---- Tables that know where they stand ----


@dataclass(frozen=True)
class Table:
    """A table of the file, with its place for messages."""

    place: str  # `mine.toml: loot[3] crypt_lantern`
    prefix: str  # of its keys: `ability[0].` for a table within a card
    entries: dict[str, object]

    def wrong(self, key: str, complaint: str) -> CardSetError:
        """The error that names file, card and key."""
        return CardSetError(f"{self.place}: {self.prefix}{key}: {complaint}")

    def check_keys(self, allowed: Sequence[str]) -> None:
        """Refuses a key that means nothing here."""
        for key in self.entries:
            if key not in allowed:
                raise self.wrong(key, f"is an unknown key; {choices(key, allowed)}")

    def value(self, key: str) -> object:
        """What stands under a key that has to be there."""
        if key not in self.entries:
            near = nearest(key, self.entries)
            raise self.wrong(key, f'is missing; is "{near}" meant?' if near else "is missing")
        return self.entries[key]

    def string(self, key: str) -> str:
        """A text."""
        value = self.value(key)
        if not isinstance(value, str):
            raise self.wrong(key, f"must be a text in quotes, not {shown(value)}")
        return value

    def whole(self, key: str, low: int, high: int) -> int:
        """A whole number within limits; true and false are none."""
        value = self.value(key)
        if type(value) is not int or not low <= value <= high:
            raise self.wrong(key, f"must be a whole number, {low} to {high}, not {shown(value)}")
        return value

    def id(self, key: str) -> str:
        """A name for actions and records."""
        value = self.value(key)
        if not isinstance(value, str) or not ID.fullmatch(value):
            raise self.wrong(key, f"{shown(value)} is no id; {ID_RULE}")
        return value

    def one_of(self, key: str, allowed: Sequence[str], what: str) -> int:
        """The number of a name among those allowed."""
        value = self.value(key)
        if not isinstance(value, str) or value not in allowed:
            raise self.wrong(key, f"{shown(value)} is no {what}; {choices(value, allowed)}")
        return allowed.index(value)

    def text(self) -> str | None:
        """The card's text as printed, if the file has it."""
        return self.string("text") if "text" in self.entries else None

    def source(self) -> str | None:
        """Where the card comes from, if the file says so."""
        if "source" not in self.entries:
            return None
        return SOURCES[self.one_of("source", SOURCES, "source")]

    def table(self, key: str) -> "Table":
        """The table under a key."""
        return Table(self.place, f"{self.prefix}{key}.", self.table_entries(key))

    def section(self, key: str) -> "Table":
        """A table of the file itself, as [copies]."""
        return Table(f"{self.place}: [{key}]", "", self.table_entries(key))

    def table_entries(self, key: str) -> dict[str, object]:
        """What the table under a key holds."""
        value = self.value(key)
        if not isinstance(value, dict):
            raise self.wrong(key, f"must be a table, not {shown(value)}")
        return value

    def listed(self, key: str, low: int, high: int) -> "Table":
        """The list under a key, as a table with the keys `key[0]`, `key[1]`, ..."""
        value = self.value(key)
        if not isinstance(value, list):
            raise self.wrong(key, f"must be a list, not {shown(value)}")
        if not low <= len(value) <= high:
            limits = f"{low} to {high}" if low < high else f"{low}"
            raise self.wrong(key, f"must have {limits} entries, not {len(value)}")
        numbered = {f"{key}[{number}]": entry for number, entry in enumerate(value)}
        return Table(self.place, self.prefix, numbered)

    def cards(self, key: str) -> list["Table"]:
        """The cards [[key]]; no two have the same id."""
        fewest, most, keys = CARDS[key]
        if fewest == 0 and key not in self.entries:
            return []
        listed = self.listed(key, fewest, most)
        cards = [listed.card(place) for place in listed.entries]
        for card in cards:
            card.check_keys((*keys, *PRINTED_KEYS))
        check_different(cards)
        return cards

    def card(self, key: str) -> "Table":
        """The card under a key; messages give its number and, if it has one, its id."""
        entries = self.table_entries(key)
        return Table(f"{self.place}: {key} {entries.get('id', '')}".rstrip(), "", entries)


def check_different(cards: list[Table]) -> None:
    """Refuses an id that a card before it has."""
    seen: set[str] = set()
    for card in cards:
        name = card.id("id")
        if name in seen:
            raise card.wrong("id", f"an earlier card is called {shown(name)} too; ids must differ")
        seen.add(name)


def choices(word: object, allowed: Sequence[str]) -> str:
    """What a word may have been meant for, and all that may stand there."""
    near = nearest(str(word), allowed)
    guess = f'did you mean "{near}"? ' if near else ""
    return f"{guess}allowed: {', '.join(allowed)}"


def nearest(word: str, names: Iterable[str]) -> str:
    """The name that a word may have been meant for; empty if none is near."""
    near = difflib.get_close_matches(word, names, n=1)
    return near[0] if near else ""


def shown(value: object) -> str:
    """A value as the file has it, in short."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    return json.dumps(value, ensure_ascii=False, default=str)


# ---- The names that cards may use ----


class Names(NamedTuple):
    """The names of a card set, in the order of their numbers."""

    minions: tuple[str, ...]
    items: tuple[str, ...]
    districts: tuple[str, ...]


def ids(cards: list[Table]) -> tuple[str, ...]:
    """The ids of cards, in order."""
    return tuple(card.id("id") for card in cards)


def default_order(names: tuple[str, ...], defaults: tuple[str, ...]) -> tuple[str, ...]:
    """Default names have the order of R1, whatever the file's; others keep the file's."""
    return defaults if set(names) == set(defaults) else names


def in_default_order(cards: list[Table], defaults: tuple[str, ...]) -> list[Table]:
    """Cards in default_order of their ids."""
    order = default_order(ids(cards), defaults)
    return sorted(cards, key=lambda card: order.index(card.id("id")))


def read_minions(copies: Table, items: tuple[str, ...]) -> tuple[str, ...]:
    """R1.1: the keys of [copies] beside the items; their order gives each kind its role."""
    for item in items:
        copies.value(item)
    minions = tuple(key for key in copies.entries if key not in items)
    if len(minions) != MINIONS:
        found = f"{len(minions)} ({', '.join(minions)})"
        raise CardSetError(
            f"{copies.place}: must have {MINIONS} minion kinds beside the items, not {found}"
        )
    for minion in minions:
        if not ID.fullmatch(minion):
            raise copies.wrong(minion, f"is no id; {ID_RULE}")
    return default_order(minions, DEFAULT_MINIONS)


# ---- The parts of a card set ----


def read_minion_copies(copies: Table, names: Names) -> tuple[int, ...]:
    """R1.5; at least one of each generic kind, because R2.2 deals them."""
    generics, others = names.minions[:GENERICS], names.minions[GENERICS:]
    return (
        *(copies.whole(minion, 1, TENSOR_MAX) for minion in generics),
        *(copies.whole(minion, 0, TENSOR_MAX) for minion in others),
    )


def read_lairs(lairs: Table, names: Names) -> tuple[int, ...]:
    """R6.1 to R6.4: the district of each kind, NOWHERE for masque and servant."""
    generics, leaders = names.minions[:GENERICS], names.minions[FIRST_LEADER:]
    homeless = names.minions[GENERICS:FIRST_LEADER]
    for minion in homeless:
        if minion in lairs.entries:
            allowed = ", ".join((*generics, *leaders))
            raise lairs.wrong(minion, f"has no lair (R6.2, R6.3); allowed: {allowed}")
    lairs.check_keys((*generics, *leaders))
    return (
        *(lairs.one_of(minion, names.districts, "district") for minion in generics),
        *(NOWHERE for _ in homeless),
        *read_leader_lairs(lairs, leaders, names.districts),
    )


def read_leader_lairs(
    lairs: Table, leaders: tuple[str, ...], districts: tuple[str, ...]
) -> tuple[int, ...]:
    """R6.4: a district for each leader, no two the same; left out, the one of the same number."""
    homes: list[int] = []
    for number, leader in enumerate(leaders):
        named = leader in lairs.entries
        home = lairs.one_of(leader, districts, "district") if named else number
        if home in homes:
            other = leaders[homes.index(home)]
            taken = f'"{districts[home]}" is the lair of {other}'
            raise lairs.wrong(leader, f"{taken}; the leaders need four different districts")
        homes.append(home)
    return tuple(homes)


def read_item(card: Table, names: Names) -> Item:
    """R7: an item has no *here*."""
    effect = read_effect(card, "effect", names)
    for number, word in enumerate(effect):
        if word.argument is Where.HERE:
            raise card.wrong(f"effect[{number}].where", 'an item has no "here"; allowed: any')
    return Item(card.id("id"), effect, text=card.text(), source=card.source())


def read_district(card: Table, names: Names) -> District:
    """R1.2: both sides."""
    sides = [read_side(card.table(side), names) for side in ("basic", "advanced")]
    return District(card.id("id"), *sides, text=card.text(), source=card.source())


def read_side(side: Table, names: Names) -> Side:
    """R1.2: influence spaces, scheme and symbols; R7.6: no play_minion in a scheme."""
    side.check_keys(("symbols", "scheme", "spaces", *PRINTED_KEYS))
    scheme = read_effect(side, "scheme", names)
    for number, word in enumerate(scheme):
        if word.op is Op.PLAY_MINION:
            raise side.wrong(f"scheme[{number}].op", "play_minion can't stand in a scheme (R7.6)")
    return Side(
        symbols=read_symbols(side, names),
        scheme=scheme,
        spaces=read_spaces(side),
        text=side.text(),
        source=side.source(),
    )


def read_symbols(side: Table, names: Names) -> tuple[int, ...]:
    """R6.7: the kinds that trigger the scheme, each once, in any order."""
    listed = side.listed("symbols", 0, MINIONS)
    symbols: list[int] = []
    for key in listed.entries:
        minion = listed.one_of(key, names.minions, "minion kind")
        if minion in symbols:
            raise listed.wrong(key, f'"{names.minions[minion]}" is there already')
        symbols.append(minion)
    return tuple(sorted(symbols))


def read_spaces(side: Table) -> tuple[str, ...]:
    """R12.1: rows of spaces, filled up to the full grid."""
    rows = side.listed("spaces", 1, GRID)
    spaces = [read_row(rows, key).ljust(GRID, ".") for key in rows.entries]
    return (*spaces, *["." * GRID] * (GRID - len(spaces)))


def read_row(rows: Table, key: str) -> str:
    """One row of spaces."""
    row = rows.string(key)
    if not ROW.fullmatch(row):
        raise rows.wrong(key, f'{shown(row)} is no row; allowed: 1 to {GRID} of "#" and "."')
    return row


def read_night(card: Table, names: Names) -> Night:
    """R1.4: a district and a value."""
    district = card.one_of("district", names.districts, "district")
    value = card.whole("value", 0, NIGHT_VALUE_MAX)
    return Night(card.id("id"), district, value, text=card.text(), source=card.source())


def read_loot(card: Table, names: Names) -> Loot:
    """R1.4: a minion, never a leader, and an ability."""
    minion = card.one_of("minion", names.minions, "minion kind")
    if minion >= FIRST_LEADER:
        allowed = ", ".join(names.minions[:FIRST_LEADER])
        raise card.wrong("minion", f"loot can't bring a leader; allowed: {allowed}")
    ability = read_effect(card, "ability", names)
    return Loot(card.id("id"), minion, ability, text=card.text(), source=card.source())


def read_agenda(card: Table, names: Names) -> Agenda:
    """R1.7: two conditions."""
    listed = card.listed("conditions", 2, 2)
    conditions = tuple(read_condition(listed.table(key), names) for key in listed.entries)
    return Agenda(card.id("id"), conditions, text=card.text(), source=card.source())


def read_condition(condition: Table, names: Names) -> Condition:
    """R12.5: a test, the one key that it takes, and its points."""
    test = tuple(TEST_ARGUMENT)[condition.one_of("test", TESTS, "agenda test")]
    condition.check_keys(("test", TEST_ARGUMENT[test], "points"))
    if TEST_ARGUMENT[test] == "district":
        argument = condition.one_of("district", names.districts, "district")
    else:
        argument = condition.whole("at_least", 1, TENSOR_MAX)
    return Condition(test, argument, condition.whole("points", 0, POINTS_MAX))


def read_effect(card: Table, key: str, names: Names) -> Effect:
    """R7: a list of words."""
    words = card.listed(key, 0, EFFECT_MAX)
    return tuple(read_word(words.table(place), names) for place in words.entries)


def read_word(word: Table, names: Names) -> Word:
    """R7: an op and the one key that it takes."""
    op = tuple(OP_ARGUMENT)[word.one_of("op", OPS, "effect word")]
    key = OP_ARGUMENT[op]
    word.check_keys(("op",) if key is None else ("op", key))
    if key == "where":
        return Word(op, Where(word.one_of("where", WHERES, "place")))
    if key == "item":
        return Word(op, word.one_of("item", names.items, "item"))
    if key == "minion":
        return Word(op, word.one_of("minion", names.minions, "minion kind"))
    return Word(op)


# ---- What so many players need ----


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

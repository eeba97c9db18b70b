"""TOML in, CardSet out; every mistake is named by file, card and key."""

import os
import re
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple

from hemlock_env import _files
from hemlock_env.cards.card_set import (
    PRINTED_KEYS,
    TENSOR_MAX,
    Agenda,
    CardSet,
    CardSetError,
    Condition,
    District,
    Effect,
    Item,
    Loot,
    Night,
    Side,
    Word,
)
from hemlock_env.cards.tables import NOWHERE
from hemlock_env.cards.toml_table import ID, ID_RULE, TomlTable, choices, parse_toml, shown
from hemlock_env.cards.vocabulary import (
    AGENDA_TESTS,
    AGENDAS_MAX,
    DISTRICTS,
    EFFECT_MAX,
    EFFECT_WORDS,
    FIRST_LEADER,
    GENERICS,
    GRID,
    ITEMS,
    LOOT_MAX,
    MIN_PLAYERS,
    MINIONS,
    NIGHTS,
    Op,
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

NIGHT_VALUE_MAX = 12  # a player's whole stock of markers (R1.6)
REVISION_MAX = 1_000_000
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

OPS = tuple(op.name.lower() for op in EFFECT_WORDS)
TESTS = tuple(test.name.lower() for test in AGENDA_TESTS)
WHERES = tuple(where.name.lower() for where in Where)

ROW = re.compile(f"[#.]{{1,{GRID}}}")


def load_card_set(card_set: CardSet | str | os.PathLike[str]) -> CardSet:
    """A shipped set by its id, any other by its path (with a separator or the ending .toml); one
    that is loaded is handed back as it is.
    """
    if isinstance(card_set, CardSet):
        return card_set
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
        near = choices(name, shipped_ids())
        raise CardSetError(f"{name[:80]}: no such card set; {near}; or give the path of a file")
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
    """The text of a file; the error names the sets that need none."""
    try:
        return _files.read_text(path, file)
    except ValueError as error:
        shipped = ", ".join(shipped_ids())
        raise CardSetError(f"{error}; sets that need no path: {shipped}") from None


def parse_card_set(toml: str, file: str) -> CardSet:
    """A card set from the text of its file; `file` is for messages."""
    root = TomlTable(file, "", parse_toml(toml, file))
    root.check_keys(("id", "name", "revision", "copies", "lairs", *CARDS))
    items = in_default_order(cards_of(root, "item"), DEFAULT_ITEMS)
    districts = in_default_order(cards_of(root, "district"), DEFAULT_DISTRICTS)
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
        nights=tuple(read_night(card, names) for card in cards_of(root, "night")),
        loot=tuple(read_loot(card, names) for card in cards_of(root, "loot")),
        agendas=tuple(read_agenda(card, names) for card in cards_of(root, "agenda")),
        revision=root.whole("revision", 1, REVISION_MAX) if "revision" in root.entries else None,
        file=file,
    )


def cards_of(root: TomlTable, key: str) -> list[TomlTable]:
    """The cards [[key]] of a file."""
    fewest, most, keys = CARDS[key]
    return root.cards(key, fewest, most, (*keys, *PRINTED_KEYS))


# ---- The names that cards may use ----


class Names(NamedTuple):
    """The names of a card set, in the order of their numbers."""

    minions: tuple[str, ...]
    items: tuple[str, ...]
    districts: tuple[str, ...]


def ids(cards: list[TomlTable]) -> tuple[str, ...]:
    """The ids of cards, in order."""
    return tuple(card.id("id") for card in cards)


def default_order(names: tuple[str, ...], defaults: tuple[str, ...]) -> tuple[str, ...]:
    """Default names have the order of R1, whatever the file's; others keep the file's."""
    return defaults if set(names) == set(defaults) else names


def in_default_order(cards: list[TomlTable], defaults: tuple[str, ...]) -> list[TomlTable]:
    """Cards in default_order of their ids."""
    order = default_order(ids(cards), defaults)
    return sorted(cards, key=lambda card: order.index(card.id("id")))


def read_minions(copies: TomlTable, items: tuple[str, ...]) -> tuple[str, ...]:
    """R1.1: the keys of [copies] beside the items; their order gives each kind its role."""
    for item in items:
        copies.value(item)
    minions = tuple(key for key in copies.entries if key not in items)
    if len(minions) != MINIONS:
        found = f"{len(minions)} ({', '.join(minions)[:300]})"
        raise CardSetError(
            f"{copies.place}: must have {MINIONS} minion kinds beside the items, not {found}"
        )
    for minion in minions:
        if not ID.fullmatch(minion):
            raise copies.wrong(minion, f"is no id; {ID_RULE}")
    return default_order(minions, DEFAULT_MINIONS)


# ---- The parts of a card set ----


def read_minion_copies(copies: TomlTable, names: Names) -> tuple[int, ...]:
    """R1.5; at least one of each generic kind, because R2.2 deals them."""
    fewest = [1] * GENERICS + [0] * (MINIONS - GENERICS)
    limits = zip(names.minions, fewest, strict=True)
    return tuple(copies.whole(minion, low, TENSOR_MAX) for minion, low in limits)


def read_lairs(lairs: TomlTable, names: Names) -> tuple[int, ...]:
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
    lairs: TomlTable, leaders: tuple[str, ...], districts: tuple[str, ...]
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


def read_item(card: TomlTable, names: Names) -> Item:
    """R7: an item has no *here*."""
    effect = read_effect(card, "effect", names)
    for number, word in enumerate(effect):
        if word.argument is Where.HERE:
            raise card.wrong(f"effect[{number}].where", 'an item has no "here"; allowed: any')
    return Item(card.id("id"), effect, **card.printed())


def read_district(card: TomlTable, names: Names) -> District:
    """R1.2: both sides."""
    basic, advanced = (read_side(card.table(side), names) for side in ("basic", "advanced"))
    return District(card.id("id"), basic, advanced, **card.printed())


def read_side(side: TomlTable, names: Names) -> Side:
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
        **side.printed(),
    )


def read_symbols(side: TomlTable, names: Names) -> tuple[int, ...]:
    """R6.7: the kinds that trigger the scheme, each once, in any order."""
    listed = side.listed("symbols", 0, MINIONS)
    symbols: list[int] = []
    for key in listed.entries:
        minion = listed.one_of(key, names.minions, "minion kind")
        if minion in symbols:
            raise listed.wrong(key, f'"{names.minions[minion]}" is there already')
        symbols.append(minion)
    return tuple(sorted(symbols))


def read_spaces(side: TomlTable) -> tuple[str, ...]:
    """R12.1: rows of spaces, filled up to the full grid."""
    rows = side.listed("spaces", 1, GRID)
    spaces = [read_row(rows, key).ljust(GRID, ".") for key in rows.entries]
    return (*spaces, *["." * GRID] * (GRID - len(spaces)))


def read_row(rows: TomlTable, key: str) -> str:
    """One row of spaces."""
    row = rows.string(key)
    if not ROW.fullmatch(row):
        raise rows.wrong(key, f'{shown(row)} is no row; allowed: 1 to {GRID} of "#" and "."')
    return row


def read_night(card: TomlTable, names: Names) -> Night:
    """R1.4: a district and a value."""
    district = card.one_of("district", names.districts, "district")
    value = card.whole("value", 0, NIGHT_VALUE_MAX)
    return Night(card.id("id"), district, value, **card.printed())


def read_loot(card: TomlTable, names: Names) -> Loot:
    """R1.4: a minion, never a leader, and an ability."""
    minion = card.one_of("minion", names.minions, "minion kind")
    if minion >= FIRST_LEADER:
        allowed = ", ".join(names.minions[:FIRST_LEADER])
        raise card.wrong("minion", f"loot can't bring a leader; allowed: {allowed}")
    ability = read_effect(card, "ability", names)
    return Loot(card.id("id"), minion, ability, **card.printed())


def read_agenda(card: TomlTable, names: Names) -> Agenda:
    """R1.7: two conditions."""
    listed = card.listed("conditions", 2, 2)
    conditions = tuple(read_condition(listed.table(key), names) for key in listed.entries)
    return Agenda(card.id("id"), conditions, **card.printed())


def read_condition(condition: TomlTable, names: Names) -> Condition:
    """R12.5: a test, the one key that it takes, and its points."""
    test = tuple(AGENDA_TESTS)[condition.one_of("test", TESTS, "agenda test")]
    key, _ = AGENDA_TESTS[test]
    condition.check_keys(("test", key, "points"))
    if key == "district":
        argument = condition.one_of("district", names.districts, "district")
    else:
        argument = condition.whole("at_least", 1, TENSOR_MAX)
    return Condition(test, argument, condition.whole("points", 0, POINTS_MAX))


def read_effect(card: TomlTable, key: str, names: Names) -> Effect:
    """R7: a list of words."""
    words = card.listed(key, 0, EFFECT_MAX)
    return tuple(read_word(words.table(place), names) for place in words.entries)


def read_word(word: TomlTable, names: Names) -> Word:
    """R7: an op and the one key that it takes."""
    op = tuple(EFFECT_WORDS)[word.one_of("op", OPS, "effect word")]
    key, _ = EFFECT_WORDS[op]
    word.check_keys(("op",) if key is None else ("op", key))
    if key == "where":
        return Word(op, Where(word.one_of("where", WHERES, "place")))
    if key == "item":
        return Word(op, word.one_of("item", names.items, "item"))
    if key == "minion":
        return Word(op, word.one_of("minion", names.minions, "minion kind"))
    return Word(op)

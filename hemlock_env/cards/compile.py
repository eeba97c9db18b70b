"""CardSet in, TABLES out: words become rows of (op, argument). Tables are frozen only here."""

from functools import lru_cache

import numpy as np

from hemlock_env.cards.card_set import CardSet, Effect, Side, Word
from hemlock_env.cards.tables import (
    FIRST_ITEM_SOURCE,
    FIRST_SCHEME_SOURCE,
    PROGRAM_ROWS,
    new_tables,
)
from hemlock_env.cards.vocabulary import (
    DISTRICTS,
    FIRST_LEADER,
    LEADER_VALUE,
    MASQUE,
    Op,
)

SETS_KEPT = 16  # compiled sets; a game asks for its tables at every start


@lru_cache(maxsize=SETS_KEPT)
def compile_tables(card_set: CardSet) -> np.recarray:
    """The tables of a card set, read-only; shape (1,)."""
    tables = new_tables()
    write_counts(tables, card_set)
    write_districts(tables, card_set)
    write_nights(tables, card_set)
    write_loot(tables, card_set)
    write_items(tables, card_set)
    write_agendas(tables, card_set)
    tables.flags.writeable = False
    return tables


def write_counts(tables: np.recarray, card_set: CardSet) -> None:
    """R1.5, R6.1, R6.4: how many there are of each kind, and where it is at home."""
    tables.n_loot[0] = len(card_set.loot)
    tables.n_agendas[0] = len(card_set.agendas)
    tables.minion_copies[0] = card_set.minion_copies
    tables.item_copies[0] = card_set.item_copies
    tables.lair[0] = card_set.lairs
    for district in range(DISTRICTS):
        values = [minion_value(kind, lair, district) for kind, lair in enumerate(card_set.lairs)]
        tables.minion_value[0, district] = values


def minion_value(kind: int, lair: int, district: int) -> int:
    """R6.1 to R6.4: what one minion counts in a district."""
    if kind >= FIRST_LEADER:
        return LEADER_VALUE
    return 2 if kind == MASQUE or lair == district else 1


def write_districts(tables: np.recarray, card_set: CardSet) -> None:
    """R1.2: both sides of each district."""
    for number, district in enumerate(card_set.districts):
        write_side(tables, number, 0, district.basic)
        write_side(tables, number, 1, district.advanced)


def write_side(tables: np.recarray, district: int, side: int, card: Side) -> None:
    """R1.2: the spaces, the scheme and its symbols."""
    tables.symbols[0, district, side, list(card.symbols)] = 1
    tables.spaces[0, district, side] = [mark == "#" for mark in "".join(card.spaces)]
    tables.program[0, FIRST_SCHEME_SOURCE + 2 * district + side] = program(card.scheme)


def write_nights(tables: np.recarray, card_set: CardSet) -> None:
    """R1.4: district and value of each night card."""
    tables.night_district[0] = [night.district for night in card_set.nights]
    tables.night_value[0] = [night.value for night in card_set.nights]


def write_loot(tables: np.recarray, card_set: CardSet) -> None:
    """R5.3: place the minion, resolve the ability, resolve the scheme."""
    for number, loot in enumerate(card_set.loot):
        tables.loot_minion[0, number] = loot.minion
        using = (Word(Op.PLACE_LOOT_MINION), *loot.ability, Word(Op.TRIGGER_SCHEME))
        tables.program[0, number] = program(using)


def write_items(tables: np.recarray, card_set: CardSet) -> None:
    """R12.4: what using each item does."""
    for number, item in enumerate(card_set.items):
        tables.program[0, FIRST_ITEM_SOURCE + number] = program(item.effect)


def write_agendas(tables: np.recarray, card_set: CardSet) -> None:
    """R12.5: the conditions of each agenda card."""
    for number, agenda in enumerate(card_set.agendas):
        tables.agenda[0, number] = [(c.test, c.argument, c.points) for c in agenda.conditions]


def program(words: Effect) -> list[tuple[int, int]]:
    """The rows of an effect; END fills what is left."""
    rows = [(int(word.op), int(word.argument)) for word in words]
    return rows + [(int(Op.END), 0)] * (PROGRAM_ROWS - len(rows))

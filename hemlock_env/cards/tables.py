"""TABLES: a card set as numbers, one record of fixed size, so that one compile serves every card
set.
"""

import numpy as np

from hemlock_env.cards.vocabulary import (
    AGENDAS_MAX,
    CELLS,
    DISTRICTS,
    EFFECT_MAX,
    ITEMS,
    LOOT_MAX,
    MINIONS,
    NIGHTS,
)

NOWHERE = -1  # no lair; no district

# Effects by source:  0..15 loot cards   16..18 items   19..26 schemes (basic and advanced of each
# district)
FIRST_ITEM_SOURCE = LOOT_MAX
FIRST_SCHEME_SOURCE = FIRST_ITEM_SOURCE + ITEMS
SOURCES = FIRST_SCHEME_SOURCE + 2 * DISTRICTS
PROGRAM_ROWS = EFFECT_MAX + 3  # place the loot's minion, the words, trigger the scheme, END

# int16 throughout: NumPy computes `python_int + np.int8` in eight bits when the rules run
# uncompiled.
# fmt: off
TABLES = np.dtype(
    [
        ("n_loot", np.int16),  # loot cards in the set, at most LOOT_MAX
        ("n_agendas", np.int16),  # agenda cards in the set, at most AGENDAS_MAX
        ("minion_copies", np.int16, (MINIONS,)),  # for each player (R1.5)
        ("item_copies", np.int16, (ITEMS,)),  # for each player (R1.5)
        ("lair", np.int16, (MINIONS,)),  # district, NOWHERE for masque and servant (R6.1, R6.4)
        ("minion_value", np.int16, (DISTRICTS, MINIONS)),  # [district, kind] what one counts (R6)
        ("symbols", np.int16, (DISTRICTS, 2, MINIONS)),  # [district, side, kind] 1: triggers
        ("spaces", np.int16, (DISTRICTS, 2, CELLS)),  # [district, side, cell] 1: a space
        ("night_district", np.int16, (NIGHTS,)),
        ("night_value", np.int16, (NIGHTS,)),
        ("loot_minion", np.int16, (LOOT_MAX,)),
        ("program", np.int16, (SOURCES, PROGRAM_ROWS, 2)),  # [source, row] (Op, argument)
        ("agenda", np.int16, (AGENDAS_MAX, 2, 3)),  # [card, condition] (Test, argument, points)
    ],
    align=True,
)
# fmt: on


def new_tables() -> np.recarray:
    """One empty TABLES record, as a recarray of shape (1,), so that `tables.lair` also works
    uncompiled.
    """
    return np.zeros(1, TABLES).view(np.recarray)

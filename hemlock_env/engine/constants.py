"""Where the rules stand, what can be asked, how actions are numbered.

Glossary (rule book word -> code word): district -> district, influence space -> space (a cell of a
3 by 3 grid), lair -> lair, scheme -> scheme, own side of a district -> minions[district, seat],
stock -> stock, support marker -> support, supremacy card -> supremacy, face down item -> spent,
loot row -> row. *seat* is a place at the table, *active* the seat whose turn it is, *decider* the
seat that must answer now.
"""

from enum import IntEnum

from hemlock_env.cards.vocabulary import (
    CELLS,
    DISTRICTS,
    ITEMS,
    LEADERS,
    MINIONS,
    NON_LEADERS,
)

NOBODY = -1  # no seat
NOTHING = -1  # no minion kind, no agenda
ANYWHERE = 4  # any district; a real district is 0..3

# Asked for: drawn from the seed (R2.3); a side in play is 0 (basic) or 1 (advanced).
RANDOM_SIDE = 2

# What a cell of a district's grid holds: NO_SPACE, EMPTY, or OWNED + seat.
NO_SPACE, EMPTY, OWNED = 0, 1, 2

MARKERS = 12  # R1.6
HAND = 4  # R2.2
WEEK_NIGHTS = 4  # R3.1
KEPT_MINIONS = 2  # R9.6
LOOT_HAND = 3  # R11.1
# A loot's or item's effect and, above it, one scheme: R7.6 keeps play_minion out of schemes.
STACK_MAX = 2
# 36 spaces are the most that one question can offer (3 items + 6 takes + 28 plays: 37).
LEGAL_MAX = 40


class Step(IntEnum):
    """Where the rules stand. Top to bottom is one week."""

    REVEAL = 0  # R4: a night card and the loot
    USE_LOOT = 1  # R5.1: the next seat uses a loot card
    LOOT_USED = 2
    SPECIAL = 3  # R8.1: the next seat takes a special action
    SPECIAL_DONE = 4
    NIGHT_OVER = 5
    CLAIM = 6  # R9.1 to R9.4: the night cards, one marker at a time
    RETURNS = 7  # R9.5
    DISCARD_DOWN = 8  # R9.6
    WEEK_OVER = 9  # R9.7
    OVER = 10


class Phase(IntEnum):
    """The parts of the game that a position names (docs/formats.md)."""

    LOOT = 0
    SPECIAL = 1
    CLAIM = 2
    DISCARD_DOWN = 3
    OVER = 4


class Decision(IntEnum):
    """The open question. Each but NONE has a legal_x and an apply_x."""

    NONE = 0
    USE_LOOT = 1
    PLACE_MINION = 2
    PLACE_MARKER = 3
    GAIN_MINION = 4
    PLAY_MINION = 5
    PICK_RIVAL = 6
    DISCARD_RIVAL = 7
    PICK_OWN = 8
    MOVE_TO = 9
    DISCARD_HAND = 10
    PLACE_LEADER = 11
    SPECIAL_ACTION = 12
    DISCARD_DOWN = 13


# Actions: the loot cards come first, so every other block begins at `tables.n_loot` plus the number
# here.
ITEM_BLOCK = 0
DISTRICT_BLOCK = ITEM_BLOCK + ITEMS
SPACE_BLOCK = DISTRICT_BLOCK + DISTRICTS
TAKE_BLOCK = SPACE_BLOCK + DISTRICTS * CELLS
PLAY_BLOCK = TAKE_BLOCK + MINIONS
PLAY_LEADER_BLOCK = PLAY_BLOCK + NON_LEADERS * DISTRICTS
OWN_BLOCK = PLAY_LEADER_BLOCK + LEADERS
SEAT_BLOCK = OWN_BLOCK + DISTRICTS * NON_LEADERS
RIVAL_BLOCK = SEAT_BLOCK + 3
DISCARD_BLOCK = RIVAL_BLOCK + DISTRICTS * NON_LEADERS
ACTIONS_BEYOND_LOOT = DISCARD_BLOCK + MINIONS

"""The words a card set may use: effect words (R7), agenda tests (R12.5) and the roles of the minion
kinds (R1.1).
"""

from enum import IntEnum

# ---- what is fixed in every card set (docs/formats.md) and what is limited ----
MINIONS = 10
GENERICS = 4  # kinds 0..3
MASQUE = 4  # the kind that is at home everywhere (R6.2)
SERVANT = 5  # the kind that triggers every scheme (R6.3)
FIRST_LEADER = 6  # kinds 6..9
NON_LEADERS = 6  # kinds 0..5
LEADERS = 4
LEADER_VALUE = 3  # R6.4
DISTRICTS = 4
ITEMS = 3
NIGHTS = 8
GRID = 3  # rows and columns of a district's grid
CELLS = GRID * GRID
LOOT_MAX = 16
AGENDAS_MAX = 8
EFFECT_MAX = 6  # words in one ability, scheme or item effect
MIN_PLAYERS, MAX_PLAYERS = 2, 4


class Op(IntEnum):
    """One word of an effect; a compiled row is (op, argument)."""

    END = 0  # the effect is done
    PLACE_LOOT_MINION = 1  # R5.3 (a): first row of every loot card
    TRIGGER_SCHEME = 2  # R5.3 (c): last row of every loot card
    PLACE_MARKER = 3  # R7.1, argument: Where
    GAIN_ITEM = 4  # R7.2, argument: item
    GAIN_MINION = 5  # R7.3, argument: minion kind
    GAIN_GENERIC = 6  # R7.4
    GAIN_LEADER = 7  # R7.5
    PLAY_MINION = 8  # R7.6, argument: Where
    DISCARD_RIVAL = 9  # R7.7, argument: Where
    MOVE_MINION = 10  # R7.8
    RETURN_MINION = 11  # R7.9
    RIVALS_DISCARD = 12  # R7.10
    PLACE_LEADER = 13  # R7.11
    GAIN_SUPPORT = 14  # R7.12


class Where(IntEnum):
    """The district an effect speaks of."""

    HERE = 0
    ANY = 1


class Test(IntEnum):
    """A condition on an agenda card."""

    MOST_MARKERS = 0  # strictly the most markers in a district
    ITEMS = 1  # so many items held
    GROUP = 2  # an orthogonally connected group of so many own markers within one district
    HAND = 3  # so many minions in hand
    MARKERS_EVERYWHERE = 4  # so many own markers in every district


# What each effect word takes on a card: the one key beside `op`, if any; and how it reads, {} being
# its argument.
EFFECT_WORDS: dict[Op, tuple[str | None, str]] = {
    Op.PLACE_MARKER: ("where", "place a marker {}"),
    Op.GAIN_ITEM: ("item", "gain {}"),
    Op.GAIN_MINION: ("minion", "gain {}"),
    Op.GAIN_GENERIC: (None, "gain a generic minion"),
    Op.GAIN_LEADER: (None, "gain a leader"),
    Op.PLAY_MINION: ("where", "play a minion from hand {}"),
    Op.DISCARD_RIVAL: ("where", "discard a rival's minion {}"),
    Op.MOVE_MINION: (None, "move an own minion to another district"),
    Op.RETURN_MINION: (None, "take an own minion back to hand"),
    Op.RIVALS_DISCARD: (None, "each rival discards a minion from hand"),
    Op.PLACE_LEADER: (None, "place a leader from the supply in its lair"),
    Op.GAIN_SUPPORT: (None, "gain a support marker"),
}

# The same of each agenda test, beside `test` and `points`.
AGENDA_TESTS: dict[Test, tuple[str, str]] = {
    Test.MOST_MARKERS: ("district", "strictly the most markers in {}"),
    Test.ITEMS: ("at_least", "{} or more items"),
    Test.GROUP: ("at_least", "{} or more own markers connected within one district"),
    Test.HAND: ("at_least", "{} or more minions in hand"),
    Test.MARKERS_EVERYWHERE: ("at_least", "{} or more own markers in every district"),
}

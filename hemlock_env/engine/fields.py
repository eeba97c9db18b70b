"""FIELDS: what a seat is shown, each entry once, with bounds, scale and who may see it.

The list makes the records that `view.look` fills, and the bytes of those records are the
observation tensor: the fields of the game, then a block for each seat (clockwise from the seat that
looks), each loot card, each agenda card. `game/tensor.py` turns the same list into bounds, scaling,
names, words and `docs/observation.md`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hemlock_env.cards.tables import PROGRAM_ROWS
from hemlock_env.cards.vocabulary import (
    AGENDAS_MAX,
    CELLS,
    DISTRICTS,
    GENERICS,
    ITEMS,
    LOOT_MAX,
    MAX_PLAYERS,
    MINIONS,
    NIGHTS,
    NON_LEADERS,
    Op,
)
from hemlock_env.engine.constants import (
    LOOT_HAND,
    MARKERS,
    STACK_MAX,
    WEEK_NIGHTS,
    Decision,
    Phase,
)

FIRST_WORD = Op.PLACE_LOOT_MINION  # the words that can be in progress
FIRST_SCHEME_WORD = Op.PLACE_MARKER  # the words that a card may use
SHOWN_MAX = 127  # int8; what may be more is shown as this, and its parts are shown elsewhere
SUPPORT_BASE = 100  # support markers are shown as hundreds and the rest: there is no limit to them

AXES = {
    "district": DISTRICTS,
    "cell": CELLS,
    "minion": MINIONS,
    "generic": GENERICS,
    "non_leader": NON_LEADERS,
    "item": ITEMS,
    "night_card": NIGHTS,
    "place": WEEK_NIGHTS,
    "night": WEEK_NIGHTS,
    "phase": len(Phase),
    "turn": 2 * MAX_PLAYERS,
    "decision": len(Decision) - 1,
    "word": len(Op) - FIRST_WORD,
    "scheme_word": len(Op) - FIRST_SCHEME_WORD,
    "effect": STACK_MAX,
    "row": PROGRAM_ROWS,
    "claiming": 2,
    "option": 3,
}

GROUPS = {"game": 1, "seat": MAX_PLAYERS, "loot": LOOT_MAX, "agenda": AGENDAS_MAX}

# Bounds that depend on the card set and the number of players.
COPIES, ITEM_COPIES, ALL_COPIES = "copies", "item_copies", "all_copies"


@dataclass(frozen=True)
class Field:
    """One named part of the tensor: entries from 0 to `high`; a network sees entry / `scale`."""

    group: str
    name: str
    axes: tuple[str, ...]
    meaning: str
    high: int | str = 1
    scale: float = 1.0
    who: str = "all"

    @cached_property
    def dims(self) -> tuple[int, ...]:
        """The field's shape within its group."""
        return tuple(AXES[axis] for axis in self.axes)

    @cached_property
    def size(self) -> int:
        """Entries in one block of its group."""
        return int(np.prod(self.dims, dtype=int))


# fmt: off
FIELDS = (
    # ---- the game, once ----
    Field("game", "space_empty", ("district", "cell"), "an influence space without a marker"),
    Field("game", "side", ("district",), "0 basic, 1 advanced"),
    Field("game", "symbols", ("district", "generic"), "the kind triggers the scheme (R6.7)"),
    Field("game", "scheme", ("district", "scheme_word"),
          "how often the scheme has the word (R7)", 6),
    Field("game", "hand", ("minion",), "minions in the own hand", COPIES, 2.0, "own seat"),
    Field("game", "others_hands", ("minion",), "in all other hands together (R13.3)", COPIES, 4.0),
    Field("game", "supply", ("minion",), "minions in the supply", COPIES, 8.0),
    Field("game", "item_supply", ("item",), "items in the supply", ITEM_COPIES, 8.0),
    Field("game", "discard", ("minion",), "minions discarded this week", COPIES, 2.0),
    Field("game", "nights", ("place", "night_card"), "revealed and unresolved, in order"),
    Field("game", "nights_to_come", ("night_card",), "still in the night deck"),
    Field("game", "nights_resolved", ("night_card",), "has left the game"),
    Field("game", "second_week", (), "1 in the second week"),
    Field("game", "night", ("night",), "the night of the week"),
    Field("game", "phase", ("phase",), "the phase of the night"),
    Field("game", "turn", ("turn",), "turns taken in this phase"),
    Field("game", "decision", ("decision",), "the open question"),
    Field("game", "word", ("word",), "the word of the effect in progress (R7)"),
    Field("game", "effect_row", ("effect", "row"), "how far each effect in progress has come"),
    Field("game", "effect_here", ("effect", "district"), "its district"),
    Field("game", "effect_item", ("effect", "item"), "the item it stands on"),
    Field("game", "effect_scheme", ("effect", "district"), "the scheme it stands on"),
    Field("game", "scheme_waits", (),
          "the loot's minion triggered a scheme that is still to come (R5.3)"),
    Field("game", "gained", ("minion",), "the minion whose district is asked (R5.3)"),
    Field("game", "moving_from", ("district",), "where the minion to be moved stands (R7.8)"),
    Field("game", "moving", ("non_leader",), "its kind"),
    Field("game", "claiming", ("claiming",),
          "whose markers are placed: the claim's, the leaders' (R9)"),
    Field("game", "markers_left", (),
          "markers still to place, the one asked included", MARKERS, 2.0),
    Field("game", "crowded", ("district",), "where minions must go (R9.6)"),
    Field("game", "options", ("option",), "variants in play (R11)"),
    # ---- each seat, clockwise from the one that looks ----
    Field("seat", "space_owner", ("district", "cell"), "a marker of this seat"),
    Field("seat", "minions", ("district", "minion"), "minions on this side", COPIES, 2.0),
    Field("seat", "total", ("district",), "what they count (R6), at most 127", SHOWN_MAX, 4.0),
    Field("seat", "claims", ("district",), "would claim the district now (R9.2)"),
    Field("seat", "known", ("minion",),
          "everyone knows that the hand has so many (R13.4)", COPIES, 2.0),
    Field("seat", "items", ("item",), "items face up", ITEM_COPIES, 2.0),
    Field("seat", "spent", ("item",), "items face down", ITEM_COPIES, 2.0),
    Field("seat", "hand_size", (), "minions in hand", ALL_COPIES, 8.0),
    Field("seat", "loot_cards", (), "loot cards in its loot hand (R11.1)", LOOT_HAND, 3.0),
    Field("seat", "stock", (), "markers not yet placed", MARKERS, 12.0),
    Field("seat", "support", (), "support markers, modulo 100", SUPPORT_BASE - 1, 8.0),
    Field("seat", "support_hundreds", (), "support markers, whole hundreds", 9),
    Field("seat", "marker_influence", (), "influence of its markers now (R10.1)", 24, 10.0),
    Field("seat", "influence", (),
          "all but agendas (R10.1 to R10.4), at most 127", SHOWN_MAX, 20.0),
    Field("seat", "supremacy", (), "holds the supremacy card"),
    Field("seat", "decider", (), "must answer"),
    Field("seat", "active", (), "has the turn (nobody has at the week's end)"),
    Field("seat", "rival_picked", (), "the rival who loses a minion (R7.7)"),
    # ---- each loot card ----
    Field("loot", "in_row", (), "in the loot row"),
    Field("loot", "used", (), "used this night"),
    Field("loot", "in_hand", (), "in the own loot hand (R11.1)", who="own seat"),
    Field("loot", "effect_loot", ("effect",), "an effect in progress stands on it"),
    # ---- each agenda card ----
    Field("agenda", "held", (), "the own agenda card (R11.3)", who="own seat"),
)
# fmt: on


def _group_dtype(group: str) -> np.dtype:
    fields = [(field.name, np.int8, field.dims) for field in FIELDS if field.group == group]
    return np.dtype((np.record, fields))  # np.record: `shown.hand` works uncompiled too


# All bytes, no padding: the tensor is made of them.
GROUP_DTYPES = {group: _group_dtype(group) for group in GROUPS}


def offset_of(field: Field) -> int:
    """Where the field begins in a block of its group."""
    at: int = GROUP_DTYPES[field.group].fields[field.name][1]  # type: ignore[index]
    return at

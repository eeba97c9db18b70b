"""STATE: a whole game in one record. Each field with its meaning and who may see it (R13)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from hemlock_env._jit import compiled
from hemlock_env.cards.tables import TABLES
from hemlock_env.cards.vocabulary import (
    CELLS,
    DISTRICTS,
    ITEMS,
    LOOT_MAX,
    MAX_PLAYERS,
    MINIONS,
    NIGHTS,
)
from hemlock_env.engine.constants import STACK_MAX, WEEK_NIGHTS

# fmt: off
# An effect in progress. Its owner is always the active seat.
FRAME = np.dtype(
    [
        ("source", np.int16),  # which program of the tables runs: a loot card, an item, a scheme
        ("row", np.int16),  # the word in progress
        ("here", np.int16),  # district of "here", NOWHERE if there is none
        ("triggers", np.int16),  # 1: the placed minion triggers the scheme of `here` (R5.3)
        ("rival", np.int16),  # seat picked by discard_rival, or NOBODY
        ("district", np.int16),  # where the minion that move_minion picked still stands
        ("minion", np.int16),  # its kind, or NOTHING
        ("progress", np.int16),  # rivals already done by rivals_discard
    ],
    align=True,
)

# int16 throughout (see cards/tables.py).                                          who may see it
STATE = np.dtype(
    [
        ("seed", np.uint64),  # what all chance to come is drawn from                    nobody
        ("stream", np.uint64),  # random stream of the chance event in progress, else 0  nobody
        ("cards", np.int32),  # a number that the card set alone has                     all
        ("num_players", np.int16),  # 2..4                                               all
        ("hidden_loot", np.int16),  # R11.1                                              all
        ("items_as_loot", np.int16),  # R11.2                                            all
        ("agendas", np.int16),  # R11.3                                                  all
        ("asked_side", np.int16, (DISTRICTS,)),  # 0, 1, or RANDOM_SIDE                  all
        ("asked_first", np.int16),  # option first_player, or NOBODY: drawn              all
        ("side", np.int16, (DISTRICTS,)),  # 0 basic, 1 advanced                         all
        ("week", np.int16),  # 1, 2                                                      all
        ("night", np.int16),  # 1..4; 0 before a week's first reveal                     all
        ("step", np.int16),  # Step                                                      all
        ("turn", np.int16),  # turns taken in this phase of the night                    all
        ("supremacy", np.int16),  # seat                                                 all
        ("active", np.int16),  # seat whose turn it is, NOBODY in R9                     all
        ("decision", np.int16),  # Decision                                              all
        ("decider", np.int16),  # seat that must answer, or NOBODY                       all
        ("decisions", np.int32),  # answers given by players so far                      all
        ("depth", np.int16),  # frames in use                                            all
        ("frames", FRAME, (STACK_MAX,)),  # the last one runs                            all
        ("claim_at", np.int16),  # seats begun on this night card: n claims, n leaders   all
        ("markers_left", np.int16),  # still to be placed by the seat that places        all
        ("supply", np.int16, (MINIONS,)),  # R2.1                                        all
        ("item_supply", np.int16, (ITEMS,)),  # R2.1                                     all
        ("discard", np.int16, (MINIONS,)),  # R6.5                                       all
        ("minions", np.int16, (DISTRICTS, MAX_PLAYERS, MINIONS)),  # [district, seat]    all
        ("spaces", np.int16, (DISTRICTS, CELLS)),  # NO_SPACE, EMPTY, OWNED + seat       all
        ("known", np.int16, (MAX_PLAYERS, MINIONS)),  # R13.4                            all
        ("items", np.int16, (MAX_PLAYERS, ITEMS)),  # face up                            all
        ("spent", np.int16, (MAX_PLAYERS, ITEMS)),  # face down                          all
        ("stock", np.int16, (MAX_PLAYERS,)),  # markers not yet placed                   all
        ("support", np.int16, (MAX_PLAYERS,)),  # R9.4                                   all
        ("nights", np.int16, (WEEK_NIGHTS,)),  # revealed and unresolved, in order       all
        ("n_nights", np.int16),  # of them                                               all
        ("row", np.int16, (LOOT_MAX,)),  # 1: in the loot row                            all
        ("used", np.int16, (LOOT_MAX,)),  # 1: used this night                           all
        ("night_deck", np.int16, (NIGHTS,)),  # still to come, the next first            nobody
        ("n_deck", np.int16),  # of them                                                 all
        ("hand", np.int16, (MAX_PLAYERS, MINIONS)),  # R2.2                              own seat
        ("agenda", np.int16, (MAX_PLAYERS,)),  # R11.3, or NOTHING                       own seat
        ("loot_hand", np.int16, (MAX_PLAYERS, LOOT_MAX)),  # R11.1; 1: in hand           own seat
    ],
    align=True,
)
# fmt: on


def new_states(count: int) -> np.recarray:
    """`count` empty records, as a recarray so that `state.hand` also works uncompiled."""
    return np.zeros(count, STATE).view(np.recarray)


# What a parameter's name stands for in a rule; every other parameter is an int64.
TYPES: dict[str, Any] = {
    "state": numba.from_dtype(STATE),
    "frame": numba.from_dtype(FRAME),
    "tables": numba.from_dtype(TABLES),
    "legal": numba.int16[::1],
    "pool": numba.int64[::1],
    "seed": numba.uint64,
}


def rule(function: Callable[..., Any]) -> Any:
    """A rule: compiled for (state, tables, int64 …) by the names of its parameters."""
    return compiled(function, TYPES)

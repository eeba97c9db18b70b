"""R13: what one seat knows, seats counted clockwise from itself, written straight into its
observation.

The view has four parts (`engine.fields`): `shown` for the game, then `sides`, `loots` and
`agenda_cards` with a block for each seat, loot card and agenda card. None of them has a field for
anything hidden; `look_at_own` alone reads a single hand, agenda or loot hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from hemlock_env._jit import compiled
from hemlock_env.cards.tables import (
    FIRST_ITEM_SOURCE,
    FIRST_SCHEME_SOURCE,
    NOWHERE,
    PROGRAM_ROWS,
)
from hemlock_env.cards.vocabulary import CELLS, DISTRICTS, GENERICS, ITEMS, MINIONS, Op
from hemlock_env.engine.constants import (
    EMPTY,
    NOBODY,
    NOTHING,
    OWNED,
    Decision,
    Phase,
    Step,
)
from hemlock_env.engine.decisions import crowded_district
from hemlock_env.engine.effects import loot_minion, word
from hemlock_env.engine.fields import (
    FIRST_SCHEME_WORD,
    FIRST_WORD,
    GROUP_DTYPES,
    SUPPORT_BASE,
)
from hemlock_env.engine.state import TYPES

VIEW_TYPES: dict[str, Any] = {
    **TYPES,
    "shown": numba.from_dtype(GROUP_DTYPES["game"]),
    "side_shown": numba.from_dtype(GROUP_DTYPES["seat"]),
    "sides": numba.types.Array(numba.from_dtype(GROUP_DTYPES["seat"]), 1, "C", aligned=True),
    "loots": numba.types.Array(numba.from_dtype(GROUP_DTYPES["loot"]), 1, "C", aligned=True),
    "agenda_cards": numba.types.Array(
        numba.from_dtype(GROUP_DTYPES["agenda"]), 1, "C", aligned=True
    ),
}


def view_rule(function: Callable[..., Any]) -> Any:
    """Like `rule`, for functions that fill a VIEW."""
    return compiled(function, VIEW_TYPES)


# The part of the game that each step belongs to (FORMATS, Position).
PHASE_OF_STEP = np.array(
    [Phase.LOOT] * 3
    + [Phase.SPECIAL] * 3
    + [Phase.CLAIM] * 2
    + [Phase.DISCARD_DOWN] * 2
    + [Phase.OVER],
    np.int64,
)


@view_rule
def offset(state, seat, other):
    """How many seats clockwise `other` sits from `seat`."""
    distance = other - seat
    return distance + state.num_players if distance < 0 else distance


@view_rule
def look(state, tables, seat, shown, sides, loots, agenda_cards):
    """Write what `seat` knows into the four parts of a view, which the caller has cleared."""
    look_at_districts(state, tables, shown)
    look_at_table(state, shown)
    look_at_course(state, shown)
    look_at_question(state, tables, shown)
    for depth in range(state.depth):
        look_at_effect(state, seat, shown, sides, loots, depth)
    for other in range(state.num_players):
        look_at_seat(state, tables, other, sides[offset(state, seat, other)])
    look_at_spaces(state, shown)
    look_at_loot(state, tables, loots)
    look_at_others_hands(state, seat, shown)
    look_at_own(state, tables, seat, shown, loots, agenda_cards)


@view_rule
def look_at_districts(state, tables, shown):
    """R1.2: side, scheme and its symbols."""
    for district in range(DISTRICTS):
        side = state.side[district]
        shown.side[district] = side
        for kind in range(GENERICS):
            shown.symbols[district, kind] = tables.symbols[district, side, kind]
        for row in range(PROGRAM_ROWS):
            op = tables.program[FIRST_SCHEME_SOURCE + 2 * district + side, row, 0]
            if op == Op.END:
                break
            shown.scheme[district, op - FIRST_SCHEME_WORD] += 1


@view_rule
def look_at_table(state, shown):
    """Supply, discards and night cards."""
    for kind in range(MINIONS):
        shown.supply[kind] = state.supply[kind]
        shown.discard[kind] = state.discard[kind]
    for item in range(ITEMS):
        shown.item_supply[item] = state.item_supply[item]
    shown.nights_resolved[:] = 1
    for place in range(state.n_deck):
        shown.nights_to_come[state.night_deck[place]] = 1
        shown.nights_resolved[state.night_deck[place]] = 0
    for place in range(state.n_nights):
        shown.nights[place, state.nights[place]] = 1
        shown.nights_resolved[state.nights[place]] = 0


@view_rule
def look_at_course(state, shown):
    """Where in the game we are, and the options."""
    shown.second_week = state.week - 1
    shown.night[state.night - 1] = 1
    shown.phase[PHASE_OF_STEP[state.step]] = 1
    shown.turn[state.turn] = 1
    shown.options[0] = state.hidden_loot
    shown.options[1] = state.items_as_loot
    shown.options[2] = state.agendas


@view_rule
def look_at_question(state, tables, shown):
    """The open question with its context."""
    if state.decision != Decision.NONE:
        shown.decision[state.decision - 1] = 1
    if state.depth > 0:
        shown.word[word(state, tables)[0] - FIRST_WORD] = 1
    if state.decision == Decision.PLACE_MINION:
        shown.gained[loot_minion(state, tables)] = 1
    if state.step == Step.CLAIM:
        shown.claiming[0 if state.claim_at <= state.num_players else 1] = 1
        shown.markers_left = state.markers_left
    if state.decision == Decision.DISCARD_DOWN:
        shown.crowded[crowded_district(state, state.decider)] = 1


@view_rule
def look_at_effect(state, seat, shown, sides, loots, depth):
    """One effect in progress: its card, how far it has come, the choices made in it."""
    frame = state.frames[depth]
    shown.effect_row[depth, frame.row] = 1
    if frame.source >= FIRST_SCHEME_SOURCE:
        shown.effect_scheme[depth, (frame.source - FIRST_SCHEME_SOURCE) // 2] = 1
    elif frame.source >= FIRST_ITEM_SOURCE:
        shown.effect_item[depth, frame.source - FIRST_ITEM_SOURCE] = 1
    else:
        loots[frame.source].effect_loot[depth] = 1
    if frame.here != NOWHERE:
        shown.effect_here[depth, frame.here] = 1
    if frame.triggers == 1:
        shown.scheme_waits = 1
    if frame.rival != NOBODY:
        sides[offset(state, seat, frame.rival)].rival_picked = 1
    if frame.minion != NOTHING:
        shown.moving_from[frame.district] = 1
        shown.moving[frame.minion] = 1


@view_rule
def look_at_seat(state, tables, other, side_shown):
    """R13.1: what everyone sees of a seat."""
    for district in range(DISTRICTS):
        for kind in range(MINIONS):
            side_shown.minions[district, kind] = state.minions[district, other, kind]
        for cell in range(CELLS):  # no branch: it would be taken at random
            side_shown.space_owner[district, cell] = state.spaces[district, cell] == OWNED + other
    size = 0
    for kind in range(MINIONS):
        side_shown.known[kind] = state.known[other, kind]
        size += state.hand[other, kind]
    side_shown.hand_size = size
    if state.hidden_loot == 1:
        for loot in range(tables.n_loot):
            side_shown.loot_cards += state.loot_hand[other, loot]
    for item in range(ITEMS):
        side_shown.items[item] = state.items[other, item]
        side_shown.spent[item] = state.spent[other, item]
    side_shown.stock = state.stock[other]
    support = state.support[other]
    # Hardly ever; a division here would cost more than a row of fields.
    while support >= SUPPORT_BASE:
        side_shown.support_hundreds += 1
        support -= SUPPORT_BASE
    side_shown.support = support
    side_shown.supremacy = state.supremacy == other
    side_shown.decider = state.decider == other
    side_shown.active = state.active == other


@view_rule
def look_at_spaces(state, shown):
    """The empty influence spaces."""
    for district in range(DISTRICTS):
        for cell in range(CELLS):
            shown.space_empty[district, cell] = state.spaces[district, cell] == EMPTY


@view_rule
def look_at_loot(state, tables, loots):
    """R13.1: the row, and what was used this night."""
    for loot in range(tables.n_loot):
        loots[loot].in_row = state.row[loot]
        loots[loot].used = state.used[loot]


@view_rule
def look_at_others_hands(state, seat, shown):
    """R13.3: only their sum."""
    for other in range(state.num_players):
        if other != seat:
            for kind in range(MINIONS):
                shown.others_hands[kind] += state.hand[other, kind]


@view_rule
def look_at_own(state, tables, seat, shown, loots, agenda_cards):
    """R13.2: what the seat alone sees."""
    for kind in range(MINIONS):
        shown.hand[kind] = state.hand[seat, kind]
    for loot in range(tables.n_loot):
        loots[loot].in_hand = state.loot_hand[seat, loot]
    if state.agenda[seat] != NOTHING:
        agenda_cards[state.agenda[seat]].held = 1

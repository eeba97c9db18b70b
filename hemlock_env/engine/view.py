"""R13: what one seat knows, seats counted clockwise from itself, written straight into its tensor.

A tensor is made of records (`engine.fields`): one for the game, then one for each seat, each loot
card and each agenda card. None of them has a field for anything hidden; `look_at_own` alone reads a
single hand, agenda or loot hand.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from hemlock_env._jit import part, record, record_reader
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
    GROUPS,
    SHOWN_MAX,
    SUPPORT_BASE,
)
from hemlock_env.engine.markers import INFLUENCE, held_cells
from hemlock_env.engine.minions import total
from hemlock_env.engine.scoring import item_influence
from hemlock_env.engine.types import Int8s, State, Tables

GAME, SEAT, LOOT, AGENDA = (GROUP_DTYPES[group] for group in GROUPS)
GAME_BYTES, SEAT_BYTES, LOOT_BYTES, AGENDA_BYTES = (
    GROUP_DTYPES[group].itemsize for group in GROUPS
)

Shown = Annotated[Any, record(GAME)]
SideShown = Annotated[Any, record(SEAT)]

game_at, seat_at, loot_at, agenda_at = map(record_reader, (GAME, SEAT, LOOT, AGENDA))


# The part of the game that each step belongs to (docs/formats.md).
PHASE_OF_STEP = np.array(
    [Phase.LOOT] * 3
    + [Phase.SPECIAL] * 3
    + [Phase.CLAIM] * 2
    + [Phase.DISCARD_DOWN] * 2
    + [Phase.OVER],
    np.int64,
)


@part
def offset(state: State, seat, other):
    """How many seats clockwise `other` sits from `seat`."""
    distance = other - seat
    return distance + state.num_players if distance < 0 else distance


@part
def look(state: State, tables: Tables, seat, tensor: Int8s, start):
    """Write what `seat` knows into `tensor` from `start` on, where the caller has cleared it."""
    seats = np.int64(start) + GAME_BYTES  # uncompiled, int16 counts would keep it in 16 bits
    loots = seats + state.num_players * SEAT_BYTES
    agendas = loots + tables.n_loot * LOOT_BYTES
    if agendas + tables.n_agendas * AGENDA_BYTES > tensor.shape[0]:
        raise IndexError("the tensor is too small for this game")
    shown = game_at(tensor, start)
    look_at_districts(state, tables, shown)
    look_at_table(state, shown)
    look_at_course(state, shown)
    look_at_question(state, tables, shown)
    look_at_others_hands(state, seat, shown)
    for other in range(state.num_players):
        side_shown = seat_at(tensor, seats + offset(state, seat, other) * SEAT_BYTES)
        look_at_side(state, tables, other, side_shown)
        look_at_seat(state, tables, other, side_shown)
    look_at_claims(state, tensor, seats)
    for loot in range(tables.n_loot):
        card = loot_at(tensor, loots + loot * LOOT_BYTES)
        card.in_row = state.row[loot]
        card.used = state.used[loot]
        card.in_hand = state.loot_hand[seat, loot]  # R13.2: its own
    for depth in range(state.depth):
        look_at_effect(state, seat, tensor, start, loots, depth)
    for kind in range(MINIONS):
        shown.hand[kind] = state.hand[seat, kind]  # R13.2: its own
    if state.agenda[seat] != NOTHING:
        agenda_at(tensor, agendas + state.agenda[seat] * AGENDA_BYTES).held = 1


@part
def look_at_districts(state: State, tables: Tables, shown: Shown):
    """R1.2: side, scheme and its symbols; which spaces are empty."""
    for district in range(DISTRICTS):
        side = state.side[district]
        for cell in range(CELLS):
            shown.space_empty[district, cell] = state.spaces[district, cell] == EMPTY
        shown.side[district] = side
        for kind in range(GENERICS):
            shown.symbols[district, kind] = tables.symbols[district, side, kind]
        for row in range(PROGRAM_ROWS):
            op = tables.program[FIRST_SCHEME_SOURCE + 2 * district + side, row, 0]
            if op == Op.END:
                break
            shown.scheme[district, op - FIRST_SCHEME_WORD] += 1


@part
def look_at_table(state: State, shown: Shown):
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


@part
def look_at_course(state: State, shown: Shown):
    """Where in the game we are, and the options."""
    shown.second_week = state.week - 1
    shown.night[state.night - 1] = 1
    shown.phase[PHASE_OF_STEP[state.step]] = 1
    shown.turn[state.turn] = 1
    shown.options[0] = state.hidden_loot
    shown.options[1] = state.items_as_loot
    shown.options[2] = state.agendas


@part
def look_at_question(state: State, tables: Tables, shown: Shown):
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


@part
def look_at_effect(state: State, seat, tensor: Int8s, start, loots, depth):
    """One effect in progress: its card, how far it has come, the choices made in it."""
    frame = state.frames[depth]
    shown = game_at(tensor, start)
    shown.effect_row[depth, frame.row] = 1
    if frame.source >= FIRST_SCHEME_SOURCE:
        shown.effect_scheme[depth, (frame.source - FIRST_SCHEME_SOURCE) // 2] = 1
    elif frame.source >= FIRST_ITEM_SOURCE:
        shown.effect_item[depth, frame.source - FIRST_ITEM_SOURCE] = 1
    else:
        loot_at(tensor, loots + frame.source * LOOT_BYTES).effect_loot[depth] = 1
    if frame.here != NOWHERE:
        shown.effect_here[depth, frame.here] = 1
    if frame.triggers == 1:
        shown.scheme_waits = 1
    if frame.rival != NOBODY:
        place = offset(state, seat, frame.rival) * SEAT_BYTES
        seat_at(tensor, start + GAME_BYTES + place).rival_picked = 1
    if frame.minion != NOTHING:
        shown.moving_from[frame.district] = 1
        shown.moving[frame.minion] = 1


@part
def look_at_side(state: State, tables: Tables, other, side_shown: SideShown):
    """R13.1: the board as far as it is one seat's: markers, minions, and what both count."""
    influence = 0
    for district in range(DISTRICTS):
        influence += INFLUENCE[held_cells(state, other, district)]
        for cell in range(CELLS):  # no branch: it would be taken at random
            side_shown.space_owner[district, cell] = state.spaces[district, cell] == OWNED + other
        for kind in range(MINIONS):
            side_shown.minions[district, kind] = state.minions[district, other, kind]
        side_shown.total[district] = min(total(state, tables, other, district), SHOWN_MAX)
    side_shown.marker_influence = influence


@part
def look_at_seat(state: State, tables: Tables, other, side_shown: SideShown):
    """R13.1: what everyone sees of a seat beside the board."""
    size = 0
    for kind in range(MINIONS):
        side_shown.known[kind] = state.known[other, kind]
        size += state.hand[other, kind]
    side_shown.hand_size = size
    for item in range(ITEMS):
        side_shown.items[item] = state.items[other, item]
        side_shown.spent[item] = state.spent[other, item]
    if state.hidden_loot == 1:
        for loot in range(tables.n_loot):
            side_shown.loot_cards += state.loot_hand[other, loot]
    side_shown.stock = state.stock[other]
    support = state.support[other]
    influence = size + support + item_influence(state, other) + side_shown.marker_influence
    side_shown.influence = min(influence, SHOWN_MAX)
    # Hardly ever; a division here would cost more than a row of fields.
    while support >= SUPPORT_BASE:
        side_shown.support_hundreds += 1
        support -= SUPPORT_BASE
    side_shown.support = support
    side_shown.supremacy = state.supremacy == other
    side_shown.decider = state.decider == other
    side_shown.active = state.active == other


@part
def look_at_claims(state: State, tensor: Int8s, seats):
    """R9.2: who would claim each district now."""
    for district in range(DISTRICTS):
        highest = np.int64(1)  # a total of 0 claims nothing
        for place in range(state.num_players):
            side_shown = seat_at(tensor, seats + place * SEAT_BYTES)
            highest = max(highest, np.int64(side_shown.total[district]))
        for place in range(state.num_players):
            side_shown = seat_at(tensor, seats + place * SEAT_BYTES)
            side_shown.claims[district] = side_shown.total[district] == highest


@part
def look_at_others_hands(state: State, seat, shown: Shown):
    """R13.3: only their sum."""
    for other in range(state.num_players):
        if other != seat:
            for kind in range(MINIONS):
                shown.others_hands[kind] += state.hand[other, kind]

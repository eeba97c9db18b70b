"""Alpha-beta inside the compiled engine, to the end of a game of two in which nothing is hidden or
random any more; one record of the workspace for each choice that is open. docs/endgames.md says
how.

A value is one whole number, what seat 0 gets: twice its margin, plus 1 if it wins, less 1 if it
loses (R10.6). A house with the larger influence wins, so this orders by outcome first and by margin
second.
"""

# Compiled, like the engine: types stand at the parameters, and where there is none it is an int64.
# mypy: allow-untyped-defs, allow-incomplete-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from hemlock_env._jit import entry, new_records, part, records
from hemlock_env.cards.vocabulary import CELLS, DISTRICTS
from hemlock_env.engine.constants import EMPTY, LEGAL_MAX, NOBODY, Decision, Step
from hemlock_env.engine.decisions import answer, list_legal
from hemlock_env.engine.flow import advance_once, seat_in_order, step
from hemlock_env.engine.markers import INFLUENCE, held_cells
from hemlock_env.engine.scoring import placed_markers, score
from hemlock_env.engine.state import STATE
from hemlock_env.engine.types import (
    AllTables,
    Int16Rows,
    Int16s,
    Int64Rows,
    Int64s,
    State,
    States,
    Tables,
)

PLIES = 128  # choices that can be open at once
UNSOLVED = 1 << 40  # beyond any value
PAUSED = 1 << 41  # a search that is to be gone on with
CLOSED = -1
TABLE_BITS = 16
TABLE_MASK = (1 << TABLE_BITS) - 1

# A choice that is open: the window that its value is wanted in, and the best answer so far.
PLY = np.dtype(
    [
        ("tried", np.int64),  # answers tried
        ("count", np.int64),  # of so many
        ("alpha", np.int64),  # seat 0 is sure of it elsewhere
        ("beta", np.int64),  # and seat 1 of this
        ("best", np.int64),
    ],
    align=True,
)

# A district in the claims. Sets of cells are numbers, bit by bit, as in engine/markers.
AREA = np.dtype(
    [
        ("own", np.int64, (2,)),  # cells of each seat before the claims
        ("empty", np.int64),
        ("order", np.int64),  # who places, bit by bit, the next lowest; ends with a 1
        ("count", np.int64),  # how many markers
    ],
    align=True,
)

# A marker to be placed, in the search of one district.
SPOT = np.dtype(
    [
        ("own", np.int64, (2,)),
        ("empty", np.int64),
        ("order", np.int64),
        ("left", np.int64),  # spaces not yet tried
        ("best", np.int64),
    ],
    align=True,
)

Plies = Annotated[Any, records(PLY)]
Areas = Annotated[Any, records(AREA)]
Spots = Annotated[Any, records(SPOT)]


class Workspace(NamedTuple):
    """What a search works in; the next search may use it again."""

    states: States
    """the position of each open choice"""
    plies: Plies
    choices: Int16Rows
    """the answers to each open choice"""
    ordering_scores: Int64s
    """what the answers to the choice that is being opened promise"""
    areas: Areas
    spots: Spots
    transposition_table: Int64Rows
    """key and value of the sets of cells that have been searched"""
    visited: Int64s
    """how many positions have been looked at, one number"""
    place: Int64s
    """how deep a paused search is, one number, or CLOSED where none is paused"""


def new_workspace() -> Workspace:
    """Room for a search."""
    return Workspace(
        new_records(STATE, PLIES),
        new_records(PLY, PLIES),
        np.empty((PLIES, LEGAL_MAX), np.int16),
        np.empty(LEGAL_MAX, np.int64),
        new_records(AREA, DISTRICTS),
        new_records(SPOT, CELLS + 1),
        np.zeros((1 << TABLE_BITS, 2), np.int64),
        np.zeros(1, np.int64),
        np.full(1, CLOSED, np.int64),
    )


# ---- the claims of one district ------------------------------------------------------------------


@part
def lead_in(own, other):
    """R10.1: the influence of one set of markers less another's."""
    return INFLUENCE[own] - INFLUENCE[other]


@part
def table_key(spots: Spots, i):
    """All that the value depends on; never 0."""
    spot = spots[i]
    own, other = spot.own[0], spot.own[1]
    cells = own | (other << CELLS) | (spot.empty << (2 * CELLS))
    return cells | (spot.order << (3 * CELLS))


@part
def table_slot(key):
    """Where a key is kept; a later one takes the place of an earlier."""
    return (key ^ (key >> 9) ^ (key >> 20)) & TABLE_MASK


@part
def backup_spot(spots: Spots, i, value):
    """One way to place the marker is worth this."""
    spot = spots[i]
    if spot.order & 1 == 0:
        spot.best = max(spot.best, value)
    else:
        spot.best = min(spot.best, value)


@part
def open_spot(spots: Spots, i):
    """No space tried yet."""
    spot = spots[i]
    spot.left = spot.empty
    spot.best = UNSOLVED if spot.order & 1 else -UNSOLVED


@part
def place_next(spots: Spots, i):
    """The next space of a spot is taken; what follows stands in the spot above."""
    here, above = spots[i], spots[i + 1]
    cell = here.left & -here.left
    here.left ^= cell
    above.own[0], above.own[1] = here.own[0], here.own[1]
    above.own[here.order & 1] |= cell
    above.empty = here.empty ^ cell
    above.order = here.order >> 1


@part
def area_value(areas: Areas, district, spots: Spots, table: Int64Rows):
    """Seat 0's lead in a district when both place their markers there as best they can.

    Every way is tried, but what has been found out about a set of cells is kept in the
    transposition table, for this position and all that follow.
    """
    area, root = areas[district], spots[0]
    root.own[0], root.own[1] = area.own[0], area.own[1]
    root.empty, root.order = area.empty, area.order
    key = table_key(spots, 0)
    if table[table_slot(key), 0] == key:
        return table[table_slot(key), 1]
    open_spot(spots, 0)
    i = 0
    while True:
        if spots[i].left == 0:
            value = spots[i].best
            key = table_key(spots, i)
            table[table_slot(key), 0], table[table_slot(key), 1] = key, value
            if i == 0:
                return value
            i -= 1
            backup_spot(spots, i, value)
            continue
        place_next(spots, i)
        above = spots[i + 1]
        if above.order == 1:
            backup_spot(spots, i, lead_in(above.own[0], above.own[1]))
            continue
        key = table_key(spots, i + 1)
        if table[table_slot(key), 0] == key:
            backup_spot(spots, i, table[table_slot(key), 1])
            continue
        i += 1
        open_spot(spots, i)


# ---- all claims ----------------------------------------------------------------------------------


@part
def break_off(state: State):
    """The claims begin now (R9.0), whatever is still to come before them."""
    if state.step >= Step.CLAIM:
        return
    state.depth = 0
    state.decision = Decision.NONE
    state.decider = NOBODY
    state.supremacy = seat_in_order(state, 1)
    state.step = Step.CLAIM


@part
def open_areas(state: State, areas: Areas):
    """The districts before the claims, with nobody to place yet."""
    for district in range(DISTRICTS):
        area = areas[district]
        area.own[0] = held_cells(state, 0, district)
        area.own[1] = held_cells(state, 1, district)
        area.empty = 0
        for cell in range(CELLS):
            area.empty |= np.int64(state.spaces[district, cell] == EMPTY) << cell
        area.order = area.count = 0


@part
def claim_anyhow(state: State, tables: Tables, legal: Int16s, areas: Areas):
    """To the end of the game, each marker on the lowest space; notes who places where."""
    while state.step != Step.OVER:
        if state.decision == Decision.NONE:
            advance_once(state, tables)
            continue
        area = areas[tables.night_district[state.nights[0]]]
        area.order |= np.int64(state.decider) << area.count
        area.count += 1
        list_legal(state, tables, legal)
        answer(state, tables, legal[0])


@part
def value_of(margin, placed):
    """R10.6: the value of a margin, more or fewer placed markers breaking a tie."""
    deciding = margin if margin != 0 else placed
    outcome = np.int64(deciding > 0) - np.int64(deciding < 0)
    return 2 * margin + outcome


@part
def claims_value(state: State, tables: Tables, legal: Int16s, work: Workspace):
    """The value of a position from which only the claims are played; spends it.

    Who places how many markers where is settled before the first one (R9.2 to R9.4): minions don't
    move any more, and a marker takes one space, whichever it is. So the claims are one small game
    for each district, and what both get in them adds up; the winner, too, follows from the sum.
    """
    areas = work.areas
    break_off(state)
    open_areas(state, areas)
    claim_anyhow(state, tables, legal, areas)
    margin = score(state, tables, 0) - score(state, tables, 1)
    for district in range(DISTRICTS):
        area = areas[district]
        if area.count > 0:
            area.order |= 1 << area.count
            margin += area_value(areas, district, work.spots, work.transposition_table)
            margin -= lead_in(held_cells(state, 0, district), held_cells(state, 1, district))
    return value_of(margin, placed_markers(state, 0) - placed_markers(state, 1))


# ---- what comes before the claims ----------------------------------------------------------------


@part
def backup(states: States, depth, plies: Plies, value):
    """One answer to an open choice is worth this to seat 0."""
    ply = plies[depth]
    if states[depth].decider == 0:
        ply.best = max(ply.best, value)
        ply.alpha = max(ply.alpha, value)
    else:
        ply.best = min(ply.best, value)
        ply.beta = min(ply.beta, value)


@part
def insert_answer(answers: Int16s, ordering_scores: Int64s, kept, better, action, value):
    """Put an answer among the first, which are kept with the most promising in front."""
    while kept > 0 and (value - ordering_scores[kept - 1]) * better > 0:
        ordering_scores[kept] = ordering_scores[kept - 1]
        answers[kept] = answers[kept - 1]
        kept -= 1
    ordering_scores[kept] = value
    answers[kept] = action


@part
def answer_in_next(states: States, depth, tables: Tables, choices: Int16Rows, action):
    """The record above becomes the next choice; returns how many answers that has."""
    states[depth + 1] = states[depth]
    return step(states[depth + 1], tables, choices[depth + 1], action)


@part
def open_ply(work: Workspace, depth, tables: Tables, count, alpha, beta):
    """A choice with so many answers. Those that leave only the claims are settled at once, the
    others kept in the order of what they promise: their value if the claims came next.
    """
    states, plies, choices = work.states, work.plies, work.choices
    ply = plies[depth]
    first = states[depth].decider == 0
    ply.tried = ply.count = 0
    ply.alpha, ply.beta = alpha, beta
    ply.best = -UNSOLVED if first else UNSOLVED
    better = 1 if first else -1
    kept = 0
    for i in range(count):
        action = choices[depth, i]
        answer_in_next(states, depth, tables, choices, action)
        work.visited[0] += 1
        last = states[depth + 1].step >= Step.CLAIM
        value = claims_value(states[depth + 1], tables, choices[depth + 1], work)
        if last:
            backup(states, depth, plies, value)
            if ply.alpha >= ply.beta:
                return
        else:
            insert_answer(choices[depth], work.ordering_scores, kept, better, action, value)
            kept += 1
    ply.count = kept


@part
def search_on(work: Workspace, depth, tables: Tables, nodes, pause):
    """The value of the choice in record 0, with choices open down to `depth`; UNSOLVED after
    `nodes` positions, PAUSED after `pause`.
    """
    states, plies, choices = work.states, work.plies, work.choices
    while True:
        here = plies[depth]
        if here.tried == here.count or here.alpha >= here.beta:
            if depth == 0:
                return here.best
            depth -= 1
            backup(states, depth, plies, here.best)
            continue
        if work.visited[0] >= nodes or depth + 2 == PLIES:
            return UNSOLVED
        if work.visited[0] >= pause:
            work.place[0] = depth
            return PAUSED
        answers = answer_in_next(states, depth, tables, choices, choices[depth, here.tried])
        here.tried += 1
        open_ply(work, depth + 1, tables, answers, here.alpha, here.beta)
        depth += 1


@entry
def solve_action(
    states: States, all_tables: AllTables, game, action, nodes, pause, work: Workspace
):
    """What one legal action of a game is worth to seat 0, or UNSOLVED; PAUSED: call it again."""
    tables, root, legal = all_tables[0], work.states[0], work.choices[0]
    if work.place[0] != CLOSED:
        depth, work.place[0] = work.place[0], CLOSED
        return search_on(work, depth, tables, nodes, pause)
    work.states[0] = states[game]
    count = step(root, tables, legal, action)
    work.visited[0] += 1
    if root.step >= Step.CLAIM:
        return claims_value(root, tables, legal, work)
    open_ply(work, 0, tables, count, -UNSOLVED, UNSOLVED)
    return search_on(work, 0, tables, nodes, pause)


@part
def solve_position(state: State, tables: Tables, legal: Int16s, count, nodes, work: Workspace):
    """What a choice with `count` answers is worth to seat 0, or UNSOLVED after `nodes`."""
    work.states[0] = state
    work.visited[0] = 0
    if state.step >= Step.CLAIM:
        return claims_value(work.states[0], tables, work.choices[0], work)
    for i in range(count):
        work.choices[0, i] = legal[i]
    open_ply(work, 0, tables, count, -UNSOLVED, UNSOLVED)
    return search_on(work, 0, tables, nodes, nodes)

"""The search of one's own turn: what greedy, planner and warden do.

Each legal action is valued by playing it and then one's own choices up to the next use_loot or
special_action, another seat's decision or the next draw of chance. A budget of positions says how
many of these choices are searched; the rest, with a budget of 0 all of them, are completed
greedily, each by what is best at once.

It plays on in `scratch`, a record for each choice that is open and one above; `tries` says how far
each of them is, `choices` what may be answered. A search may be broken off and gone on with:
`place` says where it stands.
"""

# Compiled, like the engine: types stand at the parameters, and where there is none it is an int64.
# mypy: allow-untyped-defs, allow-incomplete-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from hemlock_env._jit import entry, new_records, part, records
from hemlock_env.engine.chance import below, mix
from hemlock_env.engine.constants import LEGAL_MAX, Decision, Step
from hemlock_env.engine.decisions import answer, list_legal
from hemlock_env.engine.events import EVENT_TIE
from hemlock_env.engine.flow import advance_once, is_before_chance
from hemlock_env.engine.state import STATE
from hemlock_env.engine.types import (
    AllTables,
    Int16Rows,
    Int16s,
    Int64s,
    Seed,
    State,
    States,
    Tables,
    UInt64s,
)
from hemlock_env.search.control import position_value

DEPTH = 12  # own choices in a row that are searched; what follows them is answered greedily
WORST = -(1 << 40)
SLICE = 2_000  # lines played to their end in one call: some hundredths of a second

GAME, ACTION, OPEN = 0, 1, 2  # in a room's `place`
CLOSED = -1

# An own choice that is open, at one depth of the search.
TRY = np.dtype(
    [
        ("tried", np.int64),  # answers tried
        ("count", np.int64),  # of so many
        ("budget", np.int64),  # positions that those left may cost
        ("best", np.int64),  # what the best so far is worth
    ],
    align=True,
)

Tries = Annotated[Any, records(TRY)]


class Roots(NamedTuple):
    """Games in which someone has to decide, as in `GameArrays`: where a search begins."""

    states: States
    all_tables: AllTables
    legals: Int16Rows
    counts: Int16s


class TurnRoom(NamedTuple):
    """What the search of a turn works in."""

    scratch: States
    tries: Tries
    choices: Int16Rows
    values: Int64s
    """of the legal actions"""
    place: Int64s
    """where the search stands: in which game, at which of its actions, and how deep a choice is
    open there; CLOSED: none is"""


def new_turn_room(budget: int) -> TurnRoom:
    """Room for a search; without a budget no choice is ever open."""
    depth = DEPTH + 1 if budget else 1
    choices, values = np.empty((depth, LEGAL_MAX), np.int16), np.empty(LEGAL_MAX, np.int64)
    place = np.array([0, 0, CLOSED], np.int64)
    return TurnRoom(new_records(STATE, depth + 1), new_records(TRY, depth), choices, values, place)


# ---- greedily ----


@part
def own_choice(state: State, tables: Tables, legal: Int16s, seat):
    """On to the next choice that `seat` has pending, with its legal actions; 0 where its turn ends.

    It ends at the next use_loot or special_action, at another seat's decision, before chance and at
    the end. Forced choices are made (R14.1).
    """
    while True:
        while state.decision == Decision.NONE:
            if state.step == Step.OVER or is_before_chance(state):
                return 0
            advance_once(state, tables)
        if state.decision == Decision.USE_LOOT or state.decision == Decision.SPECIAL_ACTION:
            return 0
        count = list_legal(state, tables, legal)
        if count > 1:
            return count if state.decider == seat else 0
        answer(state, tables, legal[0])


@part
def best_answer(scratch: States, depth, tables: Tables, legal: Int16s, count, seat, heuristic):
    """Of the answers to a position's question the one that is worth most at once; ties: the
    lowest. Uses the record above.
    """
    best, best_value = legal[0], WORST
    for i in range(count):
        scratch[depth + 1] = scratch[depth]
        answer(scratch[depth + 1], tables, legal[i])
        value = position_value(scratch[depth + 1], tables, seat, heuristic)
        if value > best_value:
            best, best_value = legal[i], value
    return best


@part
def complete_greedily(scratch: States, depth, tables: Tables, legal: Int16s, seat, heuristic):
    """What a position is worth, its own pending choices completed greedily; spends it."""
    count = own_choice(scratch[depth], tables, legal, seat)
    while count > 0:
        action = best_answer(scratch, depth, tables, legal, count, seat, heuristic)
        answer(scratch[depth], tables, action)
        count = own_choice(scratch[depth], tables, legal, seat)
    return position_value(scratch[depth], tables, seat, heuristic)


# ---- with a budget ----


@part
def open_try(
    scratch: States, depth, tables: Tables, tries: Tries, choices: Int16Rows, seat, budget
):
    """Is there an own choice pending, and do depth and budget allow to search it?"""
    count = own_choice(scratch[depth], tables, choices[depth], seat)
    if count == 0 or count > budget or depth == DEPTH:
        return False
    tries[depth].tried = 0
    tries[depth].count = count
    tries[depth].budget = budget
    tries[depth].best = WORST
    return True


@part
def search_turn(room: TurnRoom, depth, tables: Tables, seat, heuristic, lines):
    """Make the best of a turn that is open down to `depth`, in so many lines at most: how deep it
    is open then, and how many lines are left. CLOSED: the best of record 0 is what it is worth.

    The budget is divided evenly among the answers, and each share among the answers that follow.
    """
    scratch, tries, choices = room.scratch, room.tries, room.choices
    while lines > 0:
        here = tries[depth]
        if here.tried == here.count:
            if depth == 0:
                return CLOSED, lines
            depth -= 1
            tries[depth].best = max(tries[depth].best, here.best)
            continue
        share = here.budget // (here.count - here.tried)
        here.budget -= share
        scratch[depth + 1] = scratch[depth]
        answer(scratch[depth + 1], tables, choices[depth, here.tried])
        here.tried += 1
        if open_try(scratch, depth + 1, tables, tries, choices, seat, share):
            depth += 1
        else:
            legal = choices[depth + 1]
            value = complete_greedily(scratch, depth + 1, tables, legal, seat, heuristic)
            here.best = max(here.best, value)
            lines -= 1
    return depth, lines


# ---- the choice ----


@part
def draw_best(legals: Int16Rows, counts: Int16s, game, values: Int64s, seed: Seed):
    """One of the actions of the highest value, ties by the key of the decision."""
    best, ties = values[0], 0
    for i in range(counts[game]):
        if values[i] > best:
            best, ties = values[i], 0
        ties += values[i] == best
    left = below(mix(seed, EVENT_TIE), ties)
    for i in range(counts[game]):
        if values[i] == best:
            if left == 0:
                return legals[game, i]
            left -= 1
    return legals[game, 0]  # never reached


@entry
def value_actions(roots: Roots, game, heuristic, budget, room: TurnRoom, lines):
    """What each legal action of one game is worth to whoever decides, into the room's values, from
    its place on. Returns how many of so many lines are left; with none it is to be called again.
    """
    tables, place = roots.all_tables[0], room.place
    scratch, tries, choices = room.scratch, room.tries, room.choices
    count, seat = np.int64(roots.counts[game]), roots.states[game].decider
    share = budget // count
    while place[ACTION] < count and lines > 0:
        i, depth = place[ACTION], place[OPEN]
        if depth == CLOSED:
            scratch[0] = roots.states[game]
            answer(scratch[0], tables, roots.legals[game, i])
            if share == 0 or not open_try(scratch, 0, tables, tries, choices, seat, share):
                room.values[i] = complete_greedily(scratch, 0, tables, choices[0], seat, heuristic)
                place[ACTION] += 1
                lines -= 1
                continue
            depth = 0
        place[OPEN], lines = search_turn(room, depth, tables, seat, heuristic, lines)
        if place[OPEN] == CLOSED:
            room.values[i] = tries[0].best
            place[ACTION] += 1
    return lines


@entry
def choose_best(roots: Roots, keys: UInt64s, heuristic, budget, room: TurnRoom, actions: Int16s):
    """For each game the action that is worth most; ties by the key of the decision. False: a slice
    is over, and it is to be called again.
    """
    place, lines = room.place, SLICE
    while place[GAME] < roots.states.shape[0]:
        game = place[GAME]
        lines = value_actions(roots, game, heuristic, budget, room, lines)
        if place[ACTION] < roots.counts[game]:
            return False
        actions[game] = draw_best(roots.legals, roots.counts, game, room.values, keys[game])
        place[GAME] += 1
        place[ACTION] = 0
    return True

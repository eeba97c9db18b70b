"""The search of planner: all of one's own choices to the end of the turn.

It plays on in `scratch`, a record for each choice that is open; `tries` says how far each of them
is, `choices` what may be answered.
"""

# Compiled, like the engine: the types follow from the parameters' names.
# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numba
import numpy as np

from hemlock_env._jit import compiled
from hemlock_env.engine.decisions import answer
from hemlock_env.engine.kernel import ENTRY_TYPES
from hemlock_env.engine.state import TYPES, entry_point
from hemlock_env.search.heuristics import lead
from hemlock_env.search.valuation import draw_best, own_choice

DEPTH = 12  # own choices in a row that are searched; what follows them is answered greedily
WORST = -(1 << 40)

# An own choice that is open, at one depth of the search.
TRY = np.dtype(
    [
        ("at", np.int64),  # answers tried
        ("count", np.int64),  # of so many
        ("budget", np.int64),  # positions that those left may cost
        ("most", np.int64),  # what the best so far is worth
    ],
    align=True,
)

PLANNING_TYPES = {
    **ENTRY_TYPES,
    "scratch": ENTRY_TYPES["states"],
    "tries": numba.types.Array(numba.from_dtype(TRY), 1, "C", aligned=True),
    "choices": numba.int16[:, ::1],
    "keys": numba.uint64[::1],
    "values": numba.int64[::1],
}

entry = entry_point(PLANNING_TYPES)


def part(function):
    """A piece of an entry point."""
    return compiled(function, {**TYPES, **PLANNING_TYPES})


@part
def best_answer(scratch, at, tables, legal, count, seat):
    """Of the answers to a position's question the one that is worth most at once; ties: the
    lowest. Uses the record above.
    """
    best = legal[0]
    most = WORST
    for place in range(count):
        scratch[at + 1] = scratch[at]
        answer(scratch[at + 1], tables, legal[place])
        value = lead(scratch[at + 1], tables, seat)
        if value > most:
            best, most = legal[place], value
    return best


@part
def finish(scratch, at, tables, legal, seat):
    """What a position is worth, its own pending choices completed greedily; spends it."""
    count = own_choice(scratch[at], tables, legal, seat)
    while count > 0:
        answer(scratch[at], tables, best_answer(scratch, at, tables, legal, count, seat))
        count = own_choice(scratch[at], tables, legal, seat)
    return lead(scratch[at], tables, seat)


@part
def open_try(scratch, at, tables, tries, choices, seat, budget):
    """Is there an own choice pending, and do depth and budget allow to search it?"""
    count = own_choice(scratch[at], tables, choices[at], seat)
    if count == 0 or count > budget or at == DEPTH:
        return False
    tries[at].at = 0
    tries[at].count = count
    tries[at].budget = budget
    tries[at].most = WORST
    return True


@part
def search_turn(scratch, tables, tries, choices, seat, budget):
    """What the position in record 0 is worth once `seat` has made the best of its turn; spends it.

    The budget is divided evenly among the answers, and each share among the answers that follow.
    """
    if not open_try(scratch, 0, tables, tries, choices, seat, budget):
        return finish(scratch, 0, tables, choices[0], seat)
    at = 0
    while True:
        here = tries[at]
        if here.at == here.count:
            if at == 0:
                return here.most
            at -= 1
            tries[at].most = max(tries[at].most, here.most)
            continue
        share = here.budget // (here.count - here.at)
        here.budget -= share
        scratch[at + 1] = scratch[at]
        answer(scratch[at + 1], tables, choices[at, here.at])
        here.at += 1
        if open_try(scratch, at + 1, tables, tries, choices, seat, share):
            at += 1
        else:
            value = finish(scratch, at + 1, tables, choices[at + 1], seat)
            here.most = max(here.most, value)


@entry
def plan_actions(states, all_tables, game, legals, counts, budget, scratch, tries, choices, values):
    """What each legal action of one game is worth to whoever decides."""
    tables = all_tables[0]
    count = counts[game]
    for place in range(count):
        scratch[0] = states[game]
        answer(scratch[0], tables, legals[game, place])
        values[place] = search_turn(
            scratch, tables, tries, choices, states[game].decider, budget // count
        )


@entry
def choose_plans(
    states, all_tables, legals, counts, keys, budget, scratch, tries, choices, values, actions
):
    """For each game the action that is worth most; ties by the key of the decision."""
    for game in range(states.shape[0]):
        plan_actions(
            states, all_tables, game, legals, counts, budget, scratch, tries, choices, values
        )
        actions[game] = draw_best(legals, counts, game, values, keys[game])

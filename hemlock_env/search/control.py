"""What warden thinks of a position: who holds which district, and how safely.

A seat is worth what it has and the markers that it is likely to place, those of its two wards three
times as much as others; wards are the two districts that promise it most. Against that stands the
rival in front, with all that it has and holds. The other rivals count only by their minions.

It runs on a redealt copy of the game, as `heuristics` does, and counts in the same PARTS.
"""

# Compiled, like the engine: types stand at the parameters, and where there is none it is an int64.
# mypy: allow-untyped-defs, allow-incomplete-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from hemlock_env._jit import part
from hemlock_env.cards.vocabulary import DISTRICTS
from hemlock_env.engine.minions import total
from hemlock_env.engine.scoring import open_influence, score
from hemlock_env.engine.types import State, Tables
from hemlock_env.search.heuristics import (
    PARTS,
    best_rival_total,
    evaluate,
    rounds_to_come,
    stake,
    unused,
)

CONTROL = 2  # a third heuristic value, beside those of `heuristics`

# Half points that a marker to come counts: in a ward, in another district, for the rival in front.
WARD, ELSEWHERE, RIVAL = 3, 1, 2


@part
def security(ahead, rounds):
    """How safe a lead is, in PARTS: with r rounds to come, 1 + r / 2 ahead is safe and as much
    behind is lost, evenly between; half a point more, because a tie claims.
    """
    if rounds == 0:
        return PARTS if ahead >= 0 else 0
    safe = 2 + rounds  # in half points, as what follows
    return PARTS * max(0, min(2 * safe, safe + 2 * ahead + 1)) // (2 * safe)


@part
def grip(state: State, tables: Tables, seat, district, rounds):
    """Markers that a seat is likely to place in a district, in PARTS."""
    claimed, leaders = stake(state, tables, seat, district)
    own = total(state, tables, seat, district)
    if own == 0 and rounds == 0:
        return leaders
    ahead = own - best_rival_total(state, tables, seat, district)
    return claimed * security(ahead, rounds) // PARTS + leaders


@part
def wards_and_rest(state: State, tables: Tables, seat, rounds):
    """A seat's grip on its two wards together, and on all other districts."""
    first = second = everything = np.int64(0)
    for district in range(DISTRICTS):
        here = grip(state, tables, seat, district, rounds)
        everything += here
        second = max(second, min(first, here))
        first = max(first, here)
    return first + second, everything - first - second


@part
def rival_in_front(state: State, tables: Tables, seat, rounds):
    """What the rival in front has and holds, in PARTS; of its agenda nothing is known."""
    most = -(1 << 30)
    for rival in range(state.num_players):
        if rival != seat:
            wards, others = wards_and_rest(state, tables, rival, rounds)
            has = PARTS * np.int64(open_influence(state, rival)) + unused(state, rival)
            most = max(most, has + RIVAL * (wards + others) // 2)
    return most


@part
def control(state: State, tables: Tables, seat):
    """The heuristic value CONTROL of a seat, in PARTS."""
    rounds = rounds_to_come(state)
    wards, others = wards_and_rest(state, tables, seat, rounds)
    has = PARTS * np.int64(score(state, tables, seat)) + unused(state, seat)
    held = (WARD * wards + ELSEWHERE * others) // 2
    return has + held - rival_in_front(state, tables, seat, rounds)


@part
def position_value(state: State, tables: Tables, seat, heuristic):
    """What a position is worth to a seat by any of the three; AS_IT_STANDS spends it."""
    if heuristic == CONTROL:
        return control(state, tables, seat)
    return evaluate(state, tables, seat, heuristic)

"""Exact values in a tree search: near the end of a game of two, where all is open, a position is
solved instead of valued.
"""

# Compiled, like the engine: types stand at the parameters, and where there is none it is an int64.
# mypy: allow-untyped-defs, allow-incomplete-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from hemlock_env._jit import entry, part
from hemlock_env.engine.constants import WEEK_NIGHTS, Step
from hemlock_env.engine.types import Float, State, Tables
from hemlock_env.search.alpha_beta import UNSOLVED as NO_VALUE
from hemlock_env.search.alpha_beta import Workspace, solve_position
from hemlock_env.search.playouts import GAME, Room, night_number, return_of
from hemlock_env.search.tree import UNSOLVED, Nodes

# Positions that solving takes in the median, by the turns still to come before the claims of the
# last night: four uses of loot, two special actions (docs/endgames.md).
TYPICAL_NODES = np.array([1, 37, 880, 1_300, 9_900, 160_000, 2_600_000])
TYPICAL_NODES.flags.writeable = False
LOOT_TURNS, SPECIAL_TURNS = 4, 2


@part
def turns_to_come(state: State):
    """Turns before the claims, the one in progress counted."""
    if state.step >= Step.CLAIM:
        return 0
    special = state.step >= Step.SPECIAL
    left = int((SPECIAL_TURNS if special else LOOT_TURNS) - state.turn)
    return max(left, 0) + (0 if special else SPECIAL_TURNS)


@entry
def may_solve(state: State, nodes):
    """Is nothing hidden or random any more (R13.3), and are `nodes` enough, as a rule?"""
    if state.num_players != 2 or state.hidden_loot == 1 or state.agendas == 1:
        return False
    if night_number(state) < 2 * WEEK_NIGHTS or state.night == 0:
        return False
    return nodes >= TYPICAL_NODES[turns_to_come(state)]


@part
def exact_return(value, margin_share: Float):
    """The return of seat 0 by what the solver says: twice the margin plus the outcome."""
    outcome = np.int64(value > 0) - np.int64(value < 0)
    return return_of((1 + outcome) / 2, (value - outcome) / 2, margin_share)


@part
def solve_leaf(
    nodes: Nodes, leaf, room: Room, tables: Tables, count, most, work: Workspace,
    margin_share: Float,
):  # fmt: skip
    """Write the exact returns of the position in the room, and keep them at its node; False, if it
    isn't solved within `most` positions.
    """
    state = room.scratch[GAME]
    exact = nodes[leaf].solved if leaf >= 0 else UNSOLVED
    if exact == UNSOLVED:
        if not may_solve(state, most):
            return False
        value = solve_position(state, tables, room.choices[GAME], count, most, work)
        if abs(value) == NO_VALUE:
            return False
        exact = exact_return(value, margin_share)
        if leaf >= 0:
            nodes[leaf].solved = exact
    playout = room.playouts[0]
    playout.returns[0], playout.returns[1] = exact, 1.0 - exact
    return True

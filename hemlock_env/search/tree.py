"""The tree of mcts: information-set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012).

There is one tree, of what whoever decides at the root can see. Each iteration plays in a redeal of
its own, walks down the tree by what is legal there, adds one node, plays out, and credits what
every seat got to the nodes that it passed.
"""

# Compiled, like the engine: the types follow from the parameters' names.
# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numba
import numpy as np

from hemlock_env._jit import compiled
from hemlock_env.cards.vocabulary import MAX_PLAYERS
from hemlock_env.engine.decisions import list_legal
from hemlock_env.engine.flow import step
from hemlock_env.engine.state import TYPES, entry_point
from hemlock_env.search.playouts import (
    GAME,
    PLAYOUT_TYPES,
    begin,
    deal_again,
    draw,
    last_night_of,
    play_out,
)

NONE = -1  # no node
ROOT = 0

# A node stands for a sequence of decisions from the root: its parent's, and one more. Which seat
# made it is part of it: in another redeal the same actions may lead to another seat's decision.
NODE = np.dtype(
    [
        ("first", np.int32),  # the latest of its children, or NONE
        ("next", np.int32),  # the one before it of its parent's children, or NONE
        ("action", np.int16),  # the decision that it ends with
        ("mover", np.int16),  # and the seat that made it
        ("visits", np.int32),
        ("available", np.int32),  # visits of its parent in which the action was legal
        ("prior", np.float32),  # in a guided search: its probability by the policy
        ("shares", np.float64, (MAX_PLAYERS,)),  # sums: what each seat got
    ],
    align=True,
)

SEARCH_TYPES = {
    **PLAYOUT_TYPES,
    "nodes": numba.types.Array(numba.from_dtype(NODE), 1, "C", aligned=True),
    "path": numba.int32[::1],
    "marks": numba.int64[::1],
    "c": numba.float64,
    "highest": numba.float64,
    "visits": numba.int64[::1],
}

entry = entry_point(SEARCH_TYPES)


def part(function):
    """A piece of an entry point."""
    return compiled(function, {**TYPES, **SEARCH_TYPES})


# ---- the tree ----


@part
def clear_node(nodes, place, action, mover):
    """A node that has not been visited."""
    node = nodes[place]
    node.first = node.next = NONE
    node.action, node.mover = action, mover
    node.visits = node.available = 0
    node.prior = 0.0
    node.shares[:] = 0.0


@part
def grow(nodes, parent, place, action, mover):
    """A child in the free place."""
    clear_node(nodes, place, action, mover)
    nodes[place].next = nodes[parent].first
    nodes[place].available = 1
    nodes[parent].first = place
    return place


@part
def bound(nodes, place, c):
    """UCB1 for whoever moves, by the number of times that the action could be chosen."""
    node = nodes[place]
    return (
        node.shares[node.mover] + c * np.sqrt(np.log(node.available) * node.visits)
    ) / node.visits


@part
def is_better(nodes, parent, mover, highest, c):
    """Is a child of that bound to be preferred to an action without one, which is taken for an
    average one?
    """
    node = nodes[parent]
    return highest > node.shares[mover] / node.visits + c


@part
def choose_child(nodes, parent, mover, marks, mark, c):
    """The most promising child among the legal actions, which `marks` holds marked, its bound, and
    how many of these have a child; their marks are wiped.
    """
    best, tried = NONE, 0
    highest = 0.0
    place = nodes[parent].first
    while place != NONE:
        node = nodes[place]
        if marks[node.action] == mark and node.mover == mover:
            marks[node.action] = 0
            node.available += 1
            tried += 1
            height = bound(nodes, place, c)
            if best == NONE or height > highest:
                best, highest = place, height
        place = node.next
    return best, highest, tried


@part
def untried_action(playout, legal, count, marks, mark, untried):
    """One of the legal actions that have no child: those that are still marked."""
    left = draw(playout, untried)
    for place in range(count):
        if marks[legal[place]] == mark:
            if left == 0:
                return legal[place]
            left -= 1
    return legal[0]  # never reached


@part
def credit(nodes, path, length, playout):
    """What every seat got, to the nodes passed."""
    for at in range(length):
        node = nodes[path[at]]
        node.visits += 1
        for seat in range(MAX_PLAYERS):
            node.shares[seat] += playout.shares[seat]


# ---- an iteration ----


@part
def walk(nodes, size, scratch, tables, choices, playout, count, path, marks, mark, c):
    """Down the tree and one node beyond it.

    Returns how many actions are legal there, the length of the path, the last mark used.
    """
    state, legal = scratch[GAME], choices[GAME]
    node = path[0] = ROOT
    length = 1
    grown = False
    while count > 0 and not grown:
        mark += 1
        for place in range(count):
            marks[legal[place]] = mark
        mover = state.decider
        best, highest, tried = choose_child(nodes, node, mover, marks, mark, c)
        if tried == 0 or (tried < count and not is_better(nodes, node, mover, highest, c)):
            action = untried_action(playout, legal, count, marks, mark, count - tried)
            best = grow(nodes, node, size, action, mover)
            grown = True
        node = best
        path[length] = node
        length += 1
        count = step(state, tables, legal, nodes[node].action)
    playout.decisions += length - 1
    return count, length, mark, grown


@part
def read_root(nodes, seat, legals, counts, game, visits, means):
    """Visits and mean share of each legal action."""
    for place in range(counts[game]):
        visits[place] = 0
        means[place] = 0.0
        child = nodes[ROOT].first
        while child != NONE:
            node = nodes[child]
            if node.action == legals[game, place] and node.visits > 0:
                visits[place] = node.visits
                means[place] = node.shares[seat] / node.visits
            child = node.next


@entry
def search(
    states,
    all_tables,
    game,
    seed,
    redeals,
    c,
    legals,
    counts,
    nodes,
    path,
    marks,
    scratch,
    choices,
    playouts,
    visits,
    means,
):
    """As many iterations as there are nodes beside the root; visits and mean share of each legal
    action of one game. With `redeals` 0 all of them play in the game as it is.
    """
    tables, playout = all_tables[0], playouts[0]
    last_night = last_night_of(states[game], playout)
    begin(playout, seed)
    clear_node(nodes, ROOT, 0, 0)
    marks[:] = 0
    size, mark = 1, 0
    for iteration in range(nodes.shape[0] - 1):
        if redeals == 1:
            count = deal_again(states, game, tables, seed, iteration, scratch, choices)
        else:
            scratch[GAME] = states[game]
            count = list_legal(scratch[GAME], tables, choices[GAME])
        count, length, mark, grown = walk(
            nodes, size, scratch, tables, choices, playout, count, path, marks, mark, c
        )
        size += grown
        play_out(scratch, tables, choices, playout, count, last_night)
        credit(nodes, path, length, playout)
    read_root(nodes, states[game].decider, legals, counts, game, visits, means)

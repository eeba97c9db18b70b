"""The tree of mcts with a trained policy in it: its probabilities say where to look first (PUCT,
Silver and others 2017), and the outcome that it expects takes the place of a playout.

As in `search` there is one tree of what the seat at the root can see, and each iteration plays in a
redeal of its own. The children of a node are made all at once, when it is first reached.
"""

# Compiled, like the engine: the types follow from the parameters' names.
# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numba
import numpy as np

from hemlock_env._jit import compiled
from hemlock_env.engine.decisions import list_legal
from hemlock_env.engine.flow import step
from hemlock_env.engine.scoring import is_winner
from hemlock_env.engine.state import TYPES, entry_point
from hemlock_env.network.forward import FORWARD_TYPES, ask_network
from hemlock_env.search.playouts import GAME, begin, deal_again
from hemlock_env.search.tree import (
    NONE,
    ROOT,
    SEARCH_TYPES,
    clear_node,
    credit,
    grow,
    read_root,
)

CHILDREN = 16  # room for so many nodes an iteration: positions have half as many actions, about

GUIDED_TYPES = {
    **SEARCH_TYPES,
    **FORWARD_TYPES,
    "prior": numba.float64,
    "value": numba.float64,
}

entry = entry_point(GUIDED_TYPES)


def part(function):
    """A piece of an entry point."""
    return compiled(function, {**TYPES, **GUIDED_TYPES})


@part
def grow_with(nodes, parent, size, action, mover, prior):
    """A child in the first free place, if there is one; returns the next free one."""
    if size == nodes.shape[0]:
        return size
    grow(nodes, parent, size, action, mover)
    nodes[size].prior = prior
    return size + 1


@part
def grow_all(nodes, parent, size, mover, legal, count, logits):
    """A child for each legal action, with the policy's probability; returns the next free place."""
    most = logits[0]
    for place in range(count):
        most = max(most, logits[place])
    total = 0.0
    for place in range(count):
        logits[place] = np.exp(logits[place] - most)
        total += logits[place]
    for place in range(count):
        size = grow_with(nodes, parent, size, legal[place], mover, logits[place] / total)
    return size


@part
def choose_branch(nodes, parent, mover, legal, count, size, marks, mark, c):
    """The child with the highest bound among the legal actions, and the next free place.

    A child that wasn't visited is taken for an average one. An action that wasn't legal when the
    others were made gets its child now, with an average probability.
    """
    for place in range(count):
        marks[legal[place]] = mark
    place = nodes[parent].first
    while place != NONE:
        if nodes[place].mover == mover:
            marks[nodes[place].action] = 0
        place = nodes[place].next
    for number in range(count):
        if marks[legal[number]] == mark:
            size = grow_with(nodes, parent, size, legal[number], mover, 1.0 / count)
        marks[legal[number]] = mark
    average = nodes[parent].shares[mover] / nodes[parent].visits
    reach = c * np.sqrt(nodes[parent].visits)
    best, highest = NONE, 0.0
    place = nodes[parent].first
    while place != NONE:
        node = nodes[place]
        if node.mover == mover and marks[node.action] == mark:
            mean = node.shares[mover] / node.visits if node.visits > 0 else average
            height = mean + reach * node.prior / (1 + node.visits)
            if best == NONE or height > highest:
                best, highest = place, height
        place = node.next
    return best, size


@part
def share_out(state, tables, playout):
    """R10.6: the game is over; those who win together share it."""
    won = 0
    for seat in range(state.num_players):
        won += is_winner(state, tables, seat)
    for seat in range(state.num_players):
        playout.shares[seat] = is_winner(state, tables, seat) / won


@part
def expect(state, playout, value):
    """Shares of the win by what whoever decides expects, -1 to 1; its rivals get the rest alike."""
    rivals = state.num_players - 1
    # With n seats a certain loss is -1/(n-1): the others share it.
    own = (value * rivals + 1) / (rivals + 1) if rivals > 1 else (value + 1) / 2
    own = max(0.0, min(1.0, own))
    for seat in range(state.num_players):
        playout.shares[seat] = (1 - own) / rivals
    playout.shares[state.decider] = own


@entry
def search_guided(
    states,
    all_tables,
    game,
    seed,
    redeals,
    c,
    number,
    legals,
    counts,
    nodes,
    path,
    marks,
    scratch,
    choices,
    playouts,
    networks,
    numbers,
    wide,
    live,
    night_values,
    tensor,
    rows,
    logits,
    visits,
    means,
):
    """So many iterations; visits and mean share of each legal action of one game. With `redeals` 0
    all of them play in the game as it is.
    """
    tables, playout, network = all_tables[0], playouts[0], networks[0]
    state, legal = scratch[GAME], choices[GAME]
    begin(playout, seed)
    marks[:] = 0
    mark = 0
    clear_node(nodes, ROOT, 0, 0)
    size = 1
    # The first only opens the root.
    for iteration in range(number + 1):
        if redeals == 1:
            count = deal_again(states, game, tables, seed, iteration, scratch, choices)
        else:
            scratch[GAME] = states[game]
            count = list_legal(state, tables, legal)
        at = path[0] = ROOT
        length = 1
        while count > 0 and nodes[at].first != NONE:
            mark += 1
            mover = state.decider
            at, size = choose_branch(nodes, at, mover, legal, count, size, marks, mark, c)
            if at == NONE:
                break
            path[length] = at
            length += 1
            count = step(state, tables, legal, nodes[at].action)
        playout.decisions += length - 1
        if count == 0:
            share_out(state, tables, playout)
        else:
            value = ask_network(
                state, tables, legal, count,
                network, numbers, wide, live, night_values, tensor, rows, logits,
            )  # fmt: skip
            expect(state, playout, value)
            if at != NONE:
                size = grow_all(nodes, at, size, state.decider, legal, count, logits)
        credit(nodes, path, length, playout)
    read_root(nodes, states[game].decider, legals, counts, game, visits, means)

"""The tree of mcts with a trained policy in it: its probabilities say where to look first (PUCT,
Silver and others 2017), and the outcome that it expects takes the place of a playout.

As in `search` there is one tree of what the seat at the root can see, and each iteration plays in a
redeal of its own. The children of a node are made all at once, when it is first reached.
"""

# Compiled, like the engine: types stand at the parameters, and where there is none it is an int64.
# mypy: allow-untyped-defs, allow-incomplete-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from hemlock_env._jit import entry, part
from hemlock_env.engine.flow import step
from hemlock_env.engine.types import Float, Float32s, Float64s, Int16s, Int64s, Seed, State
from hemlock_env.network.forward import Activations, Network, ask_network
from hemlock_env.search.playouts import GAME, Playout, Room, Roots, begin, deal, terminal_returns
from hemlock_env.search.tree import (
    NONE,
    ROOT,
    Nodes,
    Tree,
    add_child,
    backpropagate,
    plant,
    read_root,
)

CHILDREN = 16  # room for so many nodes an iteration: positions have half as many actions, about
WIN_ALONE = 0.0  # of a return, nothing is for the margin


@part
def add_child_with(nodes: Nodes, parent, size, action, mover, prior: Float):
    """A child in the first free place, if there is one; returns the next free one."""
    if size == nodes.shape[0]:
        return size
    add_child(nodes, parent, size, action, mover)
    nodes[size].prior = prior
    return size + 1


@part
def expand(nodes: Nodes, parent, size, mover, legal: Int16s, count, logits: Float32s):
    """A child for each legal action, with the policy's probability; returns the next free place."""
    highest = logits[0]
    for i in range(count):
        highest = max(highest, logits[i])
    total = 0.0
    for i in range(count):
        logits[i] = np.exp(logits[i] - highest)
        total += logits[i]
    for i in range(count):
        size = add_child_with(nodes, parent, size, legal[i], mover, logits[i] / total)
    return size


@part
def select_puct(
    nodes: Nodes, parent, mover, legal: Int16s, count, size, marks: Int64s, mark, c: Float
):
    """The child with the highest PUCT score among the legal actions, and the next free place.

    A child that wasn't visited is taken for an average one. An action that wasn't legal when the
    others were made gets its child now, with an average probability.
    """
    for i in range(count):
        marks[legal[i]] = mark
    child = nodes[parent].first
    while child != NONE:
        if nodes[child].mover == mover:
            marks[nodes[child].action] = 0
        child = nodes[child].next
    for i in range(count):
        if marks[legal[i]] == mark:
            size = add_child_with(nodes, parent, size, legal[i], mover, 1.0 / count)
        marks[legal[i]] = mark
    average = nodes[parent].returns[mover] / nodes[parent].visits
    reach = c * np.sqrt(nodes[parent].visits)
    best, best_score = NONE, 0.0
    child = nodes[parent].first
    while child != NONE:
        node = nodes[child]
        if node.mover == mover and marks[node.action] == mark:
            mean = node.returns[mover] / node.visits if node.visits > 0 else average
            score = mean + reach * node.prior / (1 + node.visits)
            if best == NONE or score > best_score:
                best, best_score = child, score
        child = node.next
    return best, size


@part
def value_to_returns(state: State, playout: Playout, value: Float):
    """Returns by the outcome that whoever decides expects, -1 to 1; its rivals get the rest
    alike.
    """
    rivals = state.num_players - 1
    # With n seats a certain loss is -1/(n-1): the others share it.
    own = (value * rivals + 1) / (rivals + 1) if rivals > 1 else (value + 1) / 2
    own = max(0.0, min(1.0, own))
    for seat in range(state.num_players):
        playout.returns[seat] = (1 - own) / rivals
    playout.returns[state.decider] = own


@entry
def search_guided(
    roots: Roots,
    game,
    seed: Seed,
    redeals,
    c: Float,
    iterations,
    tree: Tree,
    room: Room,
    network: Network,
    activations: Activations,
    visits: Int64s,
    means: Float64s,
):
    """So many iterations; visits and mean return of each legal action of one game. With `redeals` 0
    all of them play in the game as it is.
    """
    tables, playout = roots.all_tables[0], room.playouts[0]
    nodes, path, marks = tree.nodes, tree.path, tree.marks
    state, legal = room.scratch[GAME], room.choices[GAME]
    begin(roots, game, seed, room)
    plant(tree)
    size, mark = 1, 0
    # The first only opens the root.
    for iteration in range(iterations + 1):
        count = deal(roots, game, seed, iteration, redeals, room)
        node = path[0] = ROOT
        length = 1
        while count > 0 and nodes[node].first != NONE:
            mark += 1
            mover = state.decider
            node, size = select_puct(nodes, node, mover, legal, count, size, marks, mark, c)
            if node == NONE:
                break
            path[length] = node
            length += 1
            count = step(state, tables, legal, nodes[node].action)
        playout.decisions += length - 1
        if count == 0:
            terminal_returns(state, tables, playout, WIN_ALONE)
        else:
            value = ask_network(state, tables, legal, count, network, activations)
            value_to_returns(state, playout, value)
            if node != NONE:
                logits = activations.logits
                size = expand(nodes, node, size, state.decider, legal, count, logits)
        backpropagate(nodes, path, length, playout)
    read_root(nodes, roots, game, visits, means)

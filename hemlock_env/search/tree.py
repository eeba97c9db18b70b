"""The tree of mcts: information-set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012).

There is one tree, of what whoever decides at the root can see. Each iteration plays in a redeal of
its own: it selects its way down the tree among what is legal there, expands it by one node, plays
out, and backpropagates the return of every seat to the nodes that it passed.
"""

# Compiled, like the engine: types stand at the parameters, and where there is none it is an int64.
# mypy: allow-untyped-defs, allow-incomplete-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from hemlock_env._jit import entry, new_records, part, records
from hemlock_env.cards.vocabulary import MAX_PLAYERS
from hemlock_env.engine.flow import step
from hemlock_env.engine.types import Float, Float64s, Int16s, Int32s, Int64s, Seed, Tables
from hemlock_env.search.playouts import GAME, Playout, Room, Roots, begin, deal, draw, play_out

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
        ("returns", np.float64, (MAX_PLAYERS,)),  # sums, of each seat
    ],
    align=True,
)

Nodes = Annotated[Any, records(NODE)]


class Tree(NamedTuple):
    """What a search grows."""

    nodes: Nodes
    path: Int32s
    """from the root to the latest node"""
    marks: Int64s
    """one for each action: the number of the last choice in which it was marked"""


def new_tree(nodes: int, length: int, actions: int) -> Tree:
    """Room for so many nodes, and for paths of that length."""
    return Tree(new_records(NODE, nodes), np.empty(length, np.int32), np.empty(actions, np.int64))


# ---- the tree ----


@part
def clear_node(nodes: Nodes, i, action, mover):
    """A node that has not been visited."""
    node = nodes[i]
    node.first = node.next = NONE
    node.action, node.mover = action, mover
    node.visits = node.available = 0
    node.prior = 0.0
    node.returns[:] = 0.0


@part
def plant(tree: Tree):
    """A tree of a root alone, no action marked."""
    tree.marks[:] = 0
    clear_node(tree.nodes, ROOT, 0, 0)


@part
def add_child(nodes: Nodes, parent, child, action, mover):
    """A new node, where there was none; returns it."""
    clear_node(nodes, child, action, mover)
    nodes[child].next = nodes[parent].first
    nodes[child].available = 1
    nodes[parent].first = child
    return child


@part
def ucb(nodes: Nodes, i, c: Float):
    """UCB1 for whoever moves, by the number of times that the action could be chosen."""
    node = nodes[i]
    return (
        node.returns[node.mover] + c * np.sqrt(np.log(node.available) * node.visits)
    ) / node.visits


@part
def beats_untried(nodes: Nodes, parent, mover, best_score: Float, c: Float):
    """Does the best child's UCB exceed the first-play value of an untried action (the parent's
    mean + c)?
    """
    node = nodes[parent]
    return best_score > node.returns[mover] / node.visits + c


@part
def select_uct(nodes: Nodes, parent, mover, marks: Int64s, mark, c: Float):
    """The child with the highest UCB among the legal actions, which `marks` holds marked, its UCB,
    and how many of these have a child; their marks are wiped.
    """
    best, tried = NONE, 0
    best_score = 0.0
    child = nodes[parent].first
    while child != NONE:
        node = nodes[child]
        if marks[node.action] == mark and node.mover == mover:
            marks[node.action] = 0
            node.available += 1
            tried += 1
            score = ucb(nodes, child, c)
            if best == NONE or score > best_score:
                best, best_score = child, score
        child = node.next
    return best, best_score, tried


@part
def untried_action(playout: Playout, legal: Int16s, count, marks: Int64s, mark, untried):
    """One of the legal actions that have no child: those that are still marked."""
    left = draw(playout, untried)
    for i in range(count):
        if marks[legal[i]] == mark:
            if left == 0:
                return legal[i]
            left -= 1
    return legal[0]  # never reached


@part
def backpropagate(nodes: Nodes, path: Int32s, length, playout: Playout):
    """The return of every seat, to the nodes passed."""
    for i in range(length):
        node = nodes[path[i]]
        node.visits += 1
        for seat in range(MAX_PLAYERS):
            node.returns[seat] += playout.returns[seat]


# ---- an iteration ----


@part
def select_and_expand(tree: Tree, size, room: Room, tables: Tables, count, mark, c: Float):
    """Down the tree and one node beyond it.

    Returns how many actions are legal there, the length of the path, the last mark used, and
    whether there was a node to add to the `size` that there are.
    """
    nodes, path, marks = tree.nodes, tree.path, tree.marks
    state, legal, playout = room.scratch[GAME], room.choices[GAME], room.playouts[0]
    node = path[0] = ROOT
    length = 1
    grown = False
    while count > 0 and not grown:
        mark += 1
        for i in range(count):
            marks[legal[i]] = mark
        mover = state.decider
        best, best_score, tried = select_uct(nodes, node, mover, marks, mark, c)
        if tried == 0 or (tried < count and not beats_untried(nodes, node, mover, best_score, c)):
            action = untried_action(playout, legal, count, marks, mark, count - tried)
            best = add_child(nodes, node, size, action, mover)
            grown = True
        node = best
        path[length] = node
        length += 1
        count = step(state, tables, legal, nodes[node].action)
    playout.decisions += length - 1
    return count, length, mark, grown


@part
def read_root(nodes: Nodes, roots: Roots, game, visits: Int64s, means: Float64s):
    """Visits and mean return of each legal action, to whoever decides."""
    seat = roots.states[game].decider
    for i in range(roots.counts[game]):
        visits[i] = 0
        means[i] = 0.0
        child = nodes[ROOT].first
        while child != NONE:
            node = nodes[child]
            if node.action == roots.legals[game, i] and node.visits > 0:
                visits[i] = node.visits
                means[i] = node.returns[seat] / node.visits
            child = node.next


@entry
def search(
    roots: Roots,
    game,
    seed: Seed,
    redeals,
    c: Float,
    tree: Tree,
    room: Room,
    visits: Int64s,
    means: Float64s,
):
    """As many iterations as there are nodes beside the root; visits and mean return of each legal
    action of one game. With `redeals` 0 all of them play in the game as it is.
    """
    tables, nodes = roots.all_tables[0], tree.nodes
    last_night = begin(roots, game, seed, room)
    plant(tree)
    size, mark = 1, 0
    for iteration in range(nodes.shape[0] - 1):
        count = deal(roots, game, seed, iteration, redeals, room)
        count, length, mark, grown = select_and_expand(tree, size, room, tables, count, mark, c)
        size += grown
        play_out(room, tables, count, last_night)
        backpropagate(nodes, tree.path, length, room.playouts[0])
    read_root(nodes, roots, game, visits, means)

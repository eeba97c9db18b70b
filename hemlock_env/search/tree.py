"""The tree of mcts: information-set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012).

There is one tree, of what whoever decides at the root can see. Each iteration walks in a redeal of
its own: it selects its way down by the actions that are legal there (UCB, or PUCT by the priors of
a policy), expands the tree where it leaves it, has the position valued, and backpropagates the
return of every seat to the nodes that it passed. The tree knows nothing of who values: a loop of
playouts (`mcts`) or of a network (`network.evaluator`) calls its pieces.

Trees of several games lie in one array of nodes, each in a part of its own.
"""

# Compiled, like the engine: types stand at the parameters, and where there is none it is an int64.
# mypy: allow-untyped-defs, allow-incomplete-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from hemlock_env._jit import entry, new_records, part, records
from hemlock_env.cards.vocabulary import LOOT_MAX
from hemlock_env.engine.chance import SEED_BITS, mix
from hemlock_env.engine.constants import NOBODY, WEEK_NIGHTS
from hemlock_env.engine.flow import step
from hemlock_env.engine.types import (
    Float,
    Float32s,
    Float64s,
    Int16s,
    Int32s,
    Int64s,
    State,
    States,
    Tables,
)
from hemlock_env.search.playouts import GAME, Playout, Room, Roots, draw, night_number

NONE = -1  # no node
UNSOLVED = -1.0  # below any return
REVEALS = 16  # of each action so many that follow it are searched further, others only valued
CHILDREN = 12  # nodes for each position that is expanded: it has 6 actions on average

# A node stands for an action after its parent's position, or for what was revealed after such an
# action. Which seat acted is part of it: in another redeal the same actions may lead to another
# seat's decision. What was revealed is, too: a plan for one loot row is none for another.
NODE = np.dtype(
    [
        ("total", np.float64),  # returns of the seat that acted, summed
        ("first", np.int32),  # its first child, or NONE
        ("next", np.int32),  # its parent's next child, or NONE
        ("visits", np.int32),  # those of leaves in flight count: a virtual loss
        ("available", np.int32),  # visits of its parent in which the action was legal
        ("prior", np.float32),  # with a policy: the action's probability
        ("solved", np.float32),  # the exact return of seat 0, or UNSOLVED
        ("reveal", np.uint32),  # what was revealed, see `reveal_key`; 0: an action
        ("action", np.int16),  # the decision that it ends with
        ("mover", np.int16),  # and the seat that made it; NOBODY: chance
    ],
    align=True,
)

Nodes = Annotated[Any, records(NODE)]


class Tree(NamedTuple):
    """Trees of so many games, side by side, and what walks need."""

    nodes: Nodes
    sizes: Int64s
    """the first free node of each tree; its root is the first of its part"""
    marks: Int64s
    """for each action: the number of the last choice in which it was marked; behind them that of
    the latest choice"""


def new_tree(trees: int, nodes: int, actions: int) -> Tree:
    """Room for so many trees of so many nodes."""
    sizes = np.arange(trees, dtype=np.int64) * nodes
    return Tree(new_records(NODE, trees * nodes), sizes, np.zeros(actions + 1, np.int64))


def path_length(decisions: int) -> int:
    """Nodes that a path may have in a game of so many decisions: chance has nodes too."""
    return decisions + 2 * WEEK_NIGHTS + 2


# ---- nodes ----


@part
def part_size(tree: Tree):
    """Nodes in the part of a tree."""
    return tree.nodes.shape[0] // tree.sizes.shape[0]


@part
def clear_node(nodes: Nodes, i, action, mover):
    """A node that has not been visited."""
    node = nodes[i]
    node.total = 0.0
    node.first = node.next = NONE
    node.action, node.mover = action, mover
    node.visits = node.available = 0
    node.prior = 0.0
    node.solved = UNSOLVED
    node.reveal = 0


@part
def plant(tree: Tree, t):
    """A tree of a root alone."""
    root = t * part_size(tree)
    clear_node(tree.nodes, root, 0, 0)
    tree.sizes[t] = root + 1


@part
def add_child(tree: Tree, t, parent, action, mover):
    """A new first child, where there was none; NONE if the tree's part is full."""
    nodes, child = tree.nodes, tree.sizes[t]
    if child == (t + 1) * part_size(tree):
        return NONE
    clear_node(nodes, child, action, mover)
    nodes[child].next = nodes[parent].first
    nodes[parent].first = child
    tree.sizes[t] += 1
    return child


@part
def expand(tree: Tree, t, parent, mover, legal: Int16s, count, logits: Float32s):
    """A child for each legal action, with the policy's probability; none if not all find room.
    `logits` are spent.
    """
    if tree.nodes[parent].first != NONE or tree.sizes[t] + count > (t + 1) * part_size(tree):
        return
    highest = logits[0]
    for i in range(count):
        highest = max(highest, logits[i])
    total = 0.0
    for i in range(count):
        logits[i] = np.exp(logits[i] - highest)
        total += logits[i]
    for i in range(count):
        child = add_child(tree, t, parent, legal[i], mover)
        tree.nodes[child].prior = logits[i] / total


# ---- selection: one child of a node, or an action that has none ----


@part
def mark_legal(marks: Int64s, legal: Int16s, count):
    """Mark the legal actions; returns the mark."""
    latest = marks.shape[0] - 1
    marks[latest] += 1
    for i in range(count):
        marks[legal[i]] = marks[latest]
    return marks[latest]


@part
def ucb(nodes: Nodes, i, c: Float):
    """UCB1 for whoever moves, by the number of times that the action could be chosen."""
    node = nodes[i]
    return (node.total + c * np.sqrt(np.log(node.available) * node.visits)) / node.visits


@part
def mean_of(total: Float, visits):
    """What was got on average; a half, where nothing was tried."""
    return total / visits if visits > 0 else 0.5


@part
def select_uct(nodes: Nodes, parent, mover, marks: Int64s, mark, c: Float):
    """The child with the highest UCB among the legal actions, which are marked, its UCB, how many
    of these have a child, and what those got on average; their marks are wiped.
    """
    best, best_score, tried = NONE, 0.0, 0
    total, visits = 0.0, 0
    child = nodes[parent].first
    while child != NONE:
        node = nodes[child]
        if marks[node.action] == mark and node.mover == mover:
            marks[node.action] = 0
            node.available += 1
            tried += 1
            total += node.total
            visits += node.visits
            score = ucb(nodes, child, c)
            if best == NONE or score > best_score:
                best, best_score = child, score
        child = node.next
    return best, best_score, tried, mean_of(total, visits)


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
def select_or_add(tree: Tree, t, parent, mover, legal: Int16s, count, c: Float, playout: Playout):
    """The child to go on with, by UCB, and 1 if it is new: first-play urgency takes an action that
    wasn't tried for an average one, and for c more.
    """
    nodes, marks = tree.nodes, tree.marks
    mark = mark_legal(marks, legal, count)
    best, best_score, tried, mean = select_uct(nodes, parent, mover, marks, mark, c)
    if tried > 0 and (tried == count or best_score > mean + c):
        return best, 0
    action = untried_action(playout, legal, count, marks, mark, count - tried)
    child = add_child(tree, t, parent, action, mover)
    if child != NONE:
        nodes[child].available = 1
    return child, 1


@part
def puct(nodes: Nodes, i, reach: Float):
    """PUCT (Silver and others 2017) of a child that has visits."""
    node = nodes[i]
    return node.total / node.visits + reach * node.prior / (1 + node.visits)


@part
def select_puct(tree: Tree, t, parent, mover, legal: Int16s, count, c: Float):
    """The child with the highest PUCT among the legal actions; first-play urgency takes one without
    visits for an average one.

    An action that wasn't legal when the others were made gets its child now, with an average
    probability. NONE, if there is no room for it and no other.
    """
    nodes, marks = tree.nodes, tree.marks
    mark = mark_legal(marks, legal, count)
    reach = c * np.sqrt(nodes[parent].visits)
    best, new = NONE, NONE  # of those with visits, and without
    best_score, likeliest, total = 0.0, 0.0, 0.0
    visits, tried = 0, 0
    child = nodes[parent].first
    while child != NONE:
        node = nodes[child]
        if node.mover == mover and marks[node.action] == mark:
            marks[node.action] = 0
            tried += 1
            if node.visits > 0:
                total += node.total
                visits += node.visits
                score = puct(nodes, child, reach)
                if best == NONE or score > best_score:
                    best, best_score = child, score
            elif new == NONE or node.prior > likeliest:
                new, likeliest = child, node.prior
        child = node.next
    for i in range(count if tried < count else 0):
        if marks[legal[i]] == mark:
            child = add_child(tree, t, parent, legal[i], mover)
            if child != NONE:
                nodes[child].prior = 1.0 / count
                if new == NONE or nodes[child].prior > likeliest:
                    new, likeliest = child, nodes[child].prior
    if new != NONE and (best == NONE or mean_of(total, visits) + reach * likeliest > best_score):
        return new
    return best


# ---- what is revealed ----


@part
def reveal_key(state: State, seat):
    """A number, never 0, for what a seat has seen revealed: the night cards, the night's loot, its
    own loot hand. It stays the same all night, as long as no loot is used from a hand.
    """
    loot, hand = np.uint64(1), np.uint64(0)
    for i in range(LOOT_MAX):
        loot = (loot << np.uint64(1)) | np.uint64(state.row[i] | state.used[i])
        hand = (hand << np.uint64(1)) | np.uint64(state.loot_hand[seat, i])
    key = mix(loot & SEED_BITS, night_number(state))
    key = mix((key ^ hand) & SEED_BITS, state.n_nights)
    for i in range(state.n_nights):
        key = mix(key & SEED_BITS, state.nights[i])
    return np.int64(key & np.uint64(0xFFFFFFFF)) | 1


@part
def find_reveal(nodes: Nodes, parent, key):
    """The child that stands for what was revealed, or NONE; and how many there are."""
    child, found = nodes[parent].first, 0
    while child != NONE:
        if nodes[child].reveal == key:
            return child, found
        found += 1
        child = nodes[child].next
    return NONE, found


@part
def enter_reveal(tree: Tree, t, parent, key):
    """That child, made if it is new; NONE if there is no room, or the action has REVEALS."""
    nodes = tree.nodes
    child, found = find_reveal(nodes, parent, key)
    if child == NONE and found < REVEALS:
        child = add_child(tree, t, parent, 0, NOBODY)
        if child != NONE:
            nodes[child].reveal = key
    return child


# ---- an iteration ----


@part
def select_leaf(
    tree: Tree, t, room: Room, tables: Tables, count, seat, c: Float, guided, path: Int32s
):
    """Down tree t from the position in the room, by PUCT if `guided`, else by UCB and one new node
    beyond it. All nodes passed get their visit.

    Returns how many actions are legal where it ends, the node there, NONE if it has none, and the
    length of the path.
    """
    nodes, state, legal = tree.nodes, room.scratch[GAME], room.choices[GAME]
    node = path[0] = t * part_size(tree)
    nodes[node].visits += 1
    length, new = 1, 0
    while count > 0 and new == 0 and nodes[node].solved == UNSOLVED:
        mover, night = state.decider, night_number(state)
        if guided == 0:
            child, new = select_or_add(tree, t, node, mover, legal, count, c, room.playouts[0])
        elif nodes[node].first == NONE:
            break
        else:
            child = select_puct(tree, t, node, mover, legal, count, c)
        if child == NONE:
            node = NONE
            break
        node = path[length] = child
        nodes[node].visits += 1
        length += 1
        count = step(state, tables, legal, nodes[node].action)
        if count > 0 and night_number(state) != night:
            node = enter_reveal(tree, t, node, reveal_key(state, seat))
            if node == NONE:
                break
            path[length] = node
            nodes[node].visits += 1
            length += 1
    room.playouts[0].decisions += length - 1
    return count, node, length


@part
def backpropagate(nodes: Nodes, path: Int32s, length, playout: Playout):
    """The return of each seat, to the nodes passed."""
    for i in range(length):
        node = nodes[path[i]]
        if node.mover != NOBODY:
            node.total += playout.returns[node.mover]


# ---- the root ----


@part
def read_root(tree: Tree, t, roots: Roots, game, visits: Int64s, means: Float64s):
    """Visits and mean return of each legal action, to whoever decides."""
    nodes = tree.nodes
    for i in range(roots.counts[game]):
        visits[i] = 0
        means[i] = 0.0
        child = nodes[t * part_size(tree)].first
        while child != NONE:
            node = nodes[child]
            if node.action == roots.legals[game, i] and node.mover == roots.states[game].decider:
                visits[i] = node.visits
                means[i] = node.total / max(1, node.visits)
            child = node.next


# ---- a tree that is kept ----


@part
def copy_subtree(nodes: Nodes, root, into: Nodes, begin, end):
    """A node and what grows from it, to the places from `begin` on, level by level; what finds no
    room before `end` is left out, never a part of some node's children. Returns the first place
    left free.
    """
    into[begin] = nodes[root]
    into[begin].next = NONE
    free = begin + 1
    i = begin
    while i < free:
        child, children = into[i].first, 0
        while child != NONE:
            children += 1
            child = nodes[child].next
        child = into[i].first
        if free + children > end:
            child = NONE
        into[i].first = free if child != NONE else NONE
        while child != NONE:
            into[free] = nodes[child]
            child = nodes[child].next
            into[free].next = free + 1 if child != NONE else NONE
            free += 1
        i += 1
    return free


@part
def find_action(nodes: Nodes, parent, action):
    """The child of an action, of several seats' the one most visited, or NONE."""
    best = NONE
    child = nodes[parent].first
    while child != NONE:
        node = nodes[child]
        if node.action == action and node.mover != NOBODY:
            if best == NONE or node.visits > nodes[best].visits:
                best = child
        child = node.next
    return best


@part
def pass_reveal(nodes: Nodes, node, key):
    """Where the game stands after an action: at what was revealed then, if anything was; NONE if
    that isn't in the tree.
    """
    child, _ = find_reveal(nodes, node, key)
    if child != NONE:
        return child
    first = nodes[node].first
    return NONE if first != NONE and nodes[first].reveal != 0 else node


@entry
def keep_subtree(tree: Tree, t, action, into: Nodes):
    """What tree t knows of the game after an action at its root; returns how many nodes."""
    child = find_action(tree.nodes, t * part_size(tree), action)
    if child == NONE:
        return 0
    return copy_subtree(tree.nodes, child, into, 0, into.shape[0])


@entry
def take_up(kept: Nodes, actions: Int16s, states: States, game, seat, tree: Tree, t, spare):
    """Go on in tree t with what was kept, where the game went that way by the `actions` since; all
    but `spare` nodes may be taken. Returns 1, or 0 and a new root.
    """
    plant(tree, t)
    if kept.shape[0] == 0:
        return 0
    key = reveal_key(states[game], seat)
    node = pass_reveal(kept, 0, key)
    for i in range(actions.shape[0]):
        if node != NONE:
            node = find_action(kept, node, actions[i])
        if node != NONE:
            node = pass_reveal(kept, node, key)
    if node == NONE or kept[node].first == NONE:
        return 0
    root = t * part_size(tree)
    tree.sizes[t] = copy_subtree(kept, node, tree.nodes, root, root + part_size(tree) - spare)
    tree.nodes[root].solved = UNSOLVED  # its actions are still to be told apart
    return 1

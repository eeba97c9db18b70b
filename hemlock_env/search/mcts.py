"""mcts by playouts: the tree's iterations, each valued by playing the game on."""

# Compiled, like the engine: types stand at the parameters, and where there is none it is an int64.
# mypy: allow-untyped-defs, allow-incomplete-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import NamedTuple

from hemlock_env._jit import borrowed, entry
from hemlock_env.engine.types import Float, Float64s, Int, Int32s, Int64s, Seed
from hemlock_env.search.alpha_beta import Workspace
from hemlock_env.search.exact import solve_leaf
from hemlock_env.search.playouts import MARGIN_SHARE, Room, Roots, begin, deal, play_out
from hemlock_env.search.tree import Tree, backpropagate, read_root, select_leaf


class Plan(NamedTuple):
    """How a search goes."""

    redeals: Int
    """1: each iteration in a redeal of its own; 0: all in the game as it is"""
    c: Float
    """how much it explores"""
    leaves: Int
    """that are in flight together in one tree"""
    exact: Int
    """positions that solving a leaf may look at; 0: none is solved"""


@entry
def search(
    roots: Roots, game, seed: Seed, first, end, plan: Plan, tree: Tree, room: Room,
    work: Workspace, path: Int32s, visits: Int64s, means: Float64s,
):  # fmt: skip
    """Iterations first..end-1 of one game, in tree 0; then visits and mean return of each legal
    action. The tree is there already.
    """
    roots, tree, room, work = borrowed(roots), borrowed(tree), borrowed(room), borrowed(work)
    tables, playout = roots.all_tables[0], room.playouts[0]
    seat = roots.states[game].decider
    stream = playout.stream
    last_night = begin(roots, game, seed, room)
    if first > 0:
        playout.stream = stream
    for iteration in range(first, end):
        count = deal(roots, game, seed, iteration, plan.redeals, room)
        count, leaf, length = select_leaf(tree, 0, room, tables, count, seat, plan.c, 0, path)
        solved = (
            count > 0
            and plan.exact > 0
            and solve_leaf(tree.nodes, leaf, room, tables, count, plan.exact, work, MARGIN_SHARE)
        )
        if not solved:
            play_out(room, tables, count, last_night)
        backpropagate(tree.nodes, path, length, playout)
    read_root(tree, 0, roots, game, visits, means)

"""The tree of mcts with a trained policy in it: its probabilities say where to look first (PUCT),
and what it expects takes the place of a playout.

Games are searched side by side, each in a tree of its own: all their leaves go through the network
together. `leaves` of one tree may be in flight at once too; a visit that has no return yet counts
as a loss (virtual loss), so that they spread.
"""

# Compiled, like the engine: types stand at the parameters, and where there is none it is an int64.
# mypy: allow-untyped-defs, allow-incomplete-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hemlock_env._jit import borrowed, entry, part
from hemlock_env.cards.vocabulary import MAX_PLAYERS
from hemlock_env.engine.constants import LEGAL_MAX
from hemlock_env.engine.types import (
    Float32s,
    Float64Rows,
    Int16Rows,
    Int32Rows,
    Int64Rows,
    Int64s,
    Seed,
    UInt64s,
)
from hemlock_env.network.forward import MARGIN, OUTCOME, Network, Rows, ask_network, see
from hemlock_env.search.alpha_beta import Workspace
from hemlock_env.search.exact import solve_leaf
from hemlock_env.search.mcts import Plan
from hemlock_env.search.playouts import GAME, Playout, Room, Roots, deal, terminal_returns
from hemlock_env.search.tree import NONE, Tree, backpropagate, expand, read_root, select_leaf

MARGIN_SHARE = 0.1  # of a return: the win comes first


class Flight(NamedTuple):
    """Leaves in flight, a row each: selected, and not yet valued."""

    paths: Int32Rows
    lengths: Int64s
    trees: Int64s
    leaves: Int64s
    """their nodes, NONE where there is none to expand"""
    deciders: Int64s
    legals: Int16Rows
    counts: Int64s


def new_flight(rows: int, length: int) -> Flight:
    """Room for so many leaves with paths of that length."""
    return Flight(
        paths=np.zeros((rows, length), np.int32),
        lengths=np.zeros(rows, np.int64),
        trees=np.zeros(rows, np.int64),
        leaves=np.zeros(rows, np.int64),
        deciders=np.zeros(rows, np.int64),
        legals=np.zeros((rows, LEGAL_MAX), np.int16),
        counts=np.zeros(rows, np.int64),
    )


@part
def value_to_returns(num_players, decider, values: Float32s, playout: Playout):
    """Returns by the outcome and margin that whoever decides expects, -1 to 1; its rivals get the
    rest alike.
    """
    rivals = num_players - 1
    outcome, margin = values[OUTCOME], values[MARGIN]
    # With n seats a certain loss is -1/(n-1): the others share it.
    own = (outcome * rivals + 1) / (rivals + 1) if rivals > 1 else (outcome + 1) / 2
    own = max(0.0, min(1.0, own))
    for seat in range(num_players):
        ahead = margin if seat == decider else -margin / rivals
        win = own if seat == decider else (1 - own) / rivals
        playout.returns[seat] = (1 - MARGIN_SHARE) * win + MARGIN_SHARE * (1 + ahead) / 2


@part
def launch(
    roots: Roots, game, iteration, seed: Seed, plan: Plan, tree: Tree, room: Room, network: Network,
    rows: Rows, flight: Flight, work: Workspace, row,
):  # fmt: skip
    """One iteration of a game up to its leaf, which takes the row. True if the network is to value
    it; else the game was over or could be solved, and all is done.
    """
    tables, playout, state = roots.all_tables[0], room.playouts[0], room.scratch[GAME]
    legal, path = room.choices[GAME], flight.paths[row]
    seat = roots.states[game].decider
    count = deal(roots, game, seed, iteration, plan.redeals, room)
    count, leaf, length = select_leaf(tree, game, room, tables, count, seat, plan.c, 1, path)
    if count == 0:
        terminal_returns(state, tables, playout, MARGIN_SHARE)
        backpropagate(tree.nodes, path, length, playout)
        return False
    if (
        length > 1
        and plan.exact > 0
        and solve_leaf(tree.nodes, leaf, room, tables, count, plan.exact, work, MARGIN_SHARE)
    ):
        backpropagate(tree.nodes, path, length, playout)
        return False
    flight.lengths[row], flight.trees[row], flight.leaves[row] = length, game, leaf
    flight.deciders[row], flight.counts[row] = state.decider, count
    for i in range(count):
        flight.legals[row, i] = legal[i]
    see(state, tables, network, rows, row, MAX_PLAYERS * game)
    return True


@part
def land(num_players, tree: Tree, playout: Playout, rows: Rows, flight: Flight, row):
    """A leaf has been valued: expand and backpropagate."""
    leaf, decider = flight.leaves[row], flight.deciders[row]
    if leaf != NONE:
        expand(
            tree, flight.trees[row], leaf, decider,
            flight.legals[row], flight.counts[row], rows.logits[row],
        )  # fmt: skip
    value_to_returns(num_players, decider, rows.values[row], playout)
    backpropagate(tree.nodes, flight.paths[row], flight.lengths[row], playout)


@entry
def search_together(
    roots: Roots, seeds: UInt64s, first, end, plan: Plan, tree: Tree, room: Room,
    network: Network, rows: Rows, flight: Flight, work: Workspace,
):  # fmt: skip
    """Iterations first..end-1 of all games, each in the tree of its number, which is there
    already. Iteration 0 opens the roots; from 1 on each tree has `leaves` in flight at once.
    """
    roots, tree, room, network = borrowed(roots), borrowed(tree), borrowed(room), borrowed(network)
    rows, flight, work = borrowed(rows), borrowed(flight), borrowed(work)
    games, num_players = roots.states.shape[0], network.num_players
    iteration = first
    while iteration < end:
        leaves = min(plan.leaves if iteration > 0 else 1, end - iteration)
        waiting = 0
        for game in range(games):
            for leaf in range(leaves):
                waiting += launch(
                    roots, game, iteration + leaf, seeds[game], plan, tree, room,
                    network, rows, flight, work, waiting,
                )  # fmt: skip
        ask_network(network, rows, waiting, flight.legals, flight.counts)
        for row in range(waiting):
            land(num_players, tree, room.playouts[0], rows, flight, row)
        iteration += leaves


@entry
def read_roots(tree: Tree, roots: Roots, visits: Int64Rows, means: Float64Rows):
    """Visits and mean return of each legal action of all games."""
    for game in range(roots.states.shape[0]):
        read_root(tree, game, roots, game, visits[game], means[game])

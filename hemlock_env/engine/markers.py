"""R7.1, R9.4, R10.1: influence spaces and the markers on them."""

import numpy as np

from hemlock_env.cards.vocabulary import CELLS, DISTRICTS, GRID
from hemlock_env.engine.constants import EMPTY, OWNED
from hemlock_env.engine.minions import is_in_scope
from hemlock_env.engine.state import rule


@rule
def has_empty_space(state, scope):
    """Any empty influence space in one district, or ANYWHERE?"""
    for district in range(DISTRICTS):
        if is_in_scope(district, scope):
            for cell in range(CELLS):
                if state.spaces[district, cell] == EMPTY:
                    return True
    return False


@rule
def put_marker(state, seat, district, cell):
    """From the stock to an empty space."""
    state.spaces[district, cell] = OWNED + seat
    state.stock[seat] -= 1


@rule
def gain_support(state, seat):
    """R7.12, R9.4: from a reserve that never runs out (R1.6)."""
    state.support[seat] += 1


@rule
def must_choose_space(state, seat, scope):
    """R7.1, R9.4: with an empty stock nothing happens; with no space a support marker comes; else a
    choice.
    """
    if state.stock[seat] == 0:
        return False
    if has_empty_space(state, scope):
        return True
    gain_support(state, seat)
    return False


# The cells of a district:   0 1 2      A set of cells is a number, bit by bit.
#                            3 4 5
#                            6 7 8
def _neighbours(cell: int) -> list[int]:
    """The cells orthogonally adjacent to a cell."""
    row, column = divmod(cell, GRID)
    beside = [
        (row - 1, column),
        (row + 1, column),
        (row, column - 1),
        (row, column + 1),
    ]
    return [r * GRID + c for r, c in beside if 0 <= r < GRID and 0 <= c < GRID]


NEXT_TO = np.array([sum(1 << other for other in _neighbours(cell)) for cell in range(CELLS)])
CELL_SETS = 1 << CELLS


def _cells(held: int) -> list[int]:
    return [cell for cell in range(CELLS) if held >> cell & 1]


def _influence(held: int) -> int:
    """R10.1: each marker 1, or 2 with an own neighbour."""
    return sum(2 if held & NEXT_TO[cell] else 1 for cell in _cells(held))


def _largest_group(held: int) -> int:
    """R12.5: the most markers that hang together orthogonally."""
    largest = 0
    for first in _cells(held):
        group, grown = 0, 1 << first
        while grown != group:
            group = grown
            for cell in _cells(group):
                grown |= int(NEXT_TO[cell]) & held
        largest = max(largest, group.bit_count())
    return largest


# For every set of cells that one seat can hold in a district.
INFLUENCE = np.array([_influence(held) for held in range(CELL_SETS)])
LARGEST_GROUP = np.array([_largest_group(held) for held in range(CELL_SETS)])
MARKERS_HELD = np.array([held.bit_count() for held in range(CELL_SETS)])


@rule
def held_cells(state, seat, district):
    """The set of cells that hold a marker of the seat."""
    held = 0
    for cell in range(CELLS):
        held |= np.int64(state.spaces[district, cell] == OWNED + seat) << cell
    return held


@rule
def markers_in(state, seat, district):
    """Placed markers of a seat in a district."""
    return MARKERS_HELD[held_cells(state, seat, district)]

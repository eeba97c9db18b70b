"""R7.1, R9.4, R10.1: influence spaces and the markers on them."""

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


@rule
def markers_in(state, seat, district):
    """Placed markers of a seat in a district."""
    count = 0
    for cell in range(CELLS):
        count += state.spaces[district, cell] == OWNED + seat
    return count


@rule
def has_neighbour(state, district, cell, holder):
    """R10.1: is an orthogonally adjacent cell held by the same `holder`?"""
    row, column = cell // GRID, cell % GRID
    spaces = state.spaces[district]
    return (
        (row > 0 and spaces[cell - GRID] == holder)
        or (row < GRID - 1 and spaces[cell + GRID] == holder)
        or (column > 0 and spaces[cell - 1] == holder)
        or (column < GRID - 1 and spaces[cell + 1] == holder)
    )


@rule
def largest_group(state, seat):
    """R12.5: most own markers that hang together orthogonally within one district."""
    holder = OWNED + seat
    largest = 0
    for district in range(DISTRICTS):
        seen = 0  # a bit for each cell
        for first in range(CELLS):
            if state.spaces[district, first] == holder and not (seen >> first) & 1:
                group = group_from(state, district, first)
                seen |= group
                largest = max(largest, bit_count(group))
    return largest


@rule
def group_from(state, district, first):
    """The cells (as bits) that hang together with `first`."""
    spaces = state.spaces[district]
    holder = spaces[first]
    group = 1 << first
    for _ in range(CELLS):  # each round adds a ring; no group is wider than its cells
        for cell in range(CELLS):
            if spaces[cell] == holder and touches(group, cell):
                group |= 1 << cell
    return group


@rule
def touches(group, cell):
    """Is any orthogonal neighbour of `cell` among the bits of `group`?"""
    row, column = cell // GRID, cell % GRID
    return (
        (row > 0 and (group >> (cell - GRID)) & 1 == 1)
        or (row < GRID - 1 and (group >> (cell + GRID)) & 1 == 1)
        or (column > 0 and (group >> (cell - 1)) & 1 == 1)
        or (column < GRID - 1 and (group >> (cell + 1)) & 1 == 1)
    )


@rule
def bit_count(bits):
    """How many cells of a group."""
    count = 0
    for cell in range(CELLS):
        count += (bits >> cell) & 1
    return count

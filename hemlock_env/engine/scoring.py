"""R10: influence, agendas, the winners."""

from hemlock_env.cards.vocabulary import DISTRICTS, ITEMS, Test
from hemlock_env.engine.constants import NOTHING
from hemlock_env.engine.markers import INFLUENCE, LARGEST_GROUP, held_cells, markers_in
from hemlock_env.engine.minions import hand_size
from hemlock_env.engine.state import rule


@rule
def marker_influence(state, seat):
    """R10.1: each placed marker 1, or 2 with an own neighbour; adjacency is within one district."""
    influence = 0
    for district in range(DISTRICTS):
        influence += INFLUENCE[held_cells(state, seat, district)]
    return influence


@rule
def largest_group(state, seat):
    """R12.5: the most own markers that hang together within one district."""
    largest = 0
    for district in range(DISTRICTS):
        largest = max(largest, LARGEST_GROUP[held_cells(state, seat, district)])
    return largest


@rule
def item_count(state, seat):
    """R10.2: face-up items."""
    count = 0
    for item in range(ITEMS):
        count += state.items[seat, item]
    return count


@rule
def item_influence(state, seat):
    """R10.2: each item 1, and 1 more for strictly the most."""
    own = item_count(state, seat)
    for other in range(state.num_players):
        if other != seat and item_count(state, other) >= own:
            return own
    return own + 1


@rule
def has_most_markers(state, seat, district):
    """R12.5: strictly."""
    own = markers_in(state, seat, district)
    for other in range(state.num_players):
        if other != seat and markers_in(state, other, district) >= own:
            return False
    return True


@rule
def is_met(state, seat, test, argument):
    """R12.5: one condition of an agenda card."""
    if test == Test.MOST_MARKERS:
        return has_most_markers(state, seat, argument)
    if test == Test.ITEMS:
        return item_count(state, seat) >= argument
    if test == Test.GROUP:
        return largest_group(state, seat) >= argument
    if test == Test.HAND:
        return hand_size(state, seat) >= argument
    for district in range(DISTRICTS):  # Test.MARKERS_EVERYWHERE
        if markers_in(state, seat, district) < argument:
            return False
    return True


@rule
def agenda_influence(state, tables, seat):
    """R10.5, R12.6."""
    card = state.agenda[seat]
    influence = 0
    if card != NOTHING:
        for condition in range(2):
            test, argument, points = tables.agenda[card, condition]
            if is_met(state, seat, test, argument):
                influence += points
    return influence


@rule
def open_influence(state, seat):
    """R10.1 to R10.4: a seat's influence as everyone can count it, agendas left out."""
    return (
        marker_influence(state, seat)
        + item_influence(state, seat)
        + hand_size(state, seat)
        + state.support[seat]
    )


@rule
def score(state, tables, seat):
    """R10.1 to R10.5: a seat's influence as the game stands."""
    return open_influence(state, seat) + agenda_influence(state, tables, seat)


@rule
def placed_markers(state, seat):
    """R10.6: the tie-break."""
    count = 0
    for district in range(DISTRICTS):
        count += markers_in(state, seat, district)
    return count


@rule
def is_winner(state, tables, seat):
    """R10.6: nobody has more influence, or as much and more placed markers."""
    own, own_placed = score(state, tables, seat), placed_markers(state, seat)
    for other in range(state.num_players):
        rival = score(state, tables, other)
        if rival > own or (rival == own and placed_markers(state, other) > own_placed):
            return False
    return True

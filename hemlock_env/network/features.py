"""Derived features: what a network is slow to find in an observation by itself.

Each follows from one observation alone: none needs memory or anything hidden. They are the fields
of one record, DERIVED, that stands behind the observation.
"""

# Compiled, like the engine: types stand at the parameters, and where there is none it is an int64.
# mypy: allow-untyped-defs, allow-incomplete-defs, no-check-untyped-defs, allow-untyped-calls
# mypy: disable-error-code=assignment

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from hemlock_env._jit import entry, part, record, record_reader, row_loop
from hemlock_env.cards.vocabulary import (
    CELLS,
    DISTRICTS,
    FIRST_LEADER,
    ITEMS,
    MAX_PLAYERS,
    MINIONS,
    NIGHTS,
)
from hemlock_env.engine.constants import WEEK_NIGHTS, Phase
from hemlock_env.engine.fields import AXES
from hemlock_env.engine.markers import INFLUENCE
from hemlock_env.engine.types import Int8Rows, Int8s, Int64Rows, UInt32s
from hemlock_env.engine.view import (
    GAME_BYTES,
    SEAT_BYTES,
    Shown,
    SideShown,
    game_at,
    seat_at,
)
from hemlock_env.search.heuristics import GAP_MAX, HOLD, ROUNDS_MAX, TURNS_A_NIGHT
from hemlock_env.search.heuristics import PARTS as CERTAIN

FEATURES_VERSION = 1  # a checkpoint is for one: raise it when what follows changes

TURNS = AXES["turn"]
LEAD_MAX = 5  # a lead in a district beyond counts like this
CLOSE = 3  # leads that are told apart by what is at stake
ITEM_LEAD_MAX = 3
AHEAD_MAX = 20  # a lead in influence beyond counts like this
STEPS = 13  # thresholds of such a lead, two points apart, around none
PARTS = 8  # of a marker: expected ones are counted in these
# A lead in influence: as it is, with the claims as they would fall now, with those to expect.
NOW, CLAIMED, EXPECTED = range(3)
LEADS = 3

SEATS = "seat"  # an axis as long as there are seats, clockwise from the one that looks


class Feature(NamedTuple):
    """One field of DERIVED; a network sees each of its entries divided by `scale`."""

    name: str
    axes: tuple[int | str, ...]
    scale: float
    meaning: str

    def shape(self, seats: int) -> tuple[int, ...]:
        """At a table of so many seats."""
        return tuple(seats if axis == SEATS else int(axis) for axis in self.axes)


# fmt: off
FEATURES = (
    Feature("rounds", (ROUNDS_MAX + 1,), 1.0, "turns that each seat has before the next claims"),
    Feature("seat_turn", (TURNS, SEATS), 1.0, "which turn it is, by who has the supremacy card"),
    Feature("lead", (DISTRICTS,), 3.0, "own total less the best rival's"),
    Feature("lead_is", (DISTRICTS, 2 * LEAD_MAX + 1), 1.0, "the same, as one of the numbers"),
    Feature("revealed", (DISTRICTS,), 2.0, "markers for whoever claims the revealed night cards"),
    Feature("to_come", (DISTRICTS,), 2.0, "markers of the night cards in the deck"),
    Feature("stake", (DISTRICTS,), float(PARTS), "markers of both to expect this week, in PARTS"),
    Feature("lead_by_stake", (DISTRICTS, 2 * CLOSE + 1), float(PARTS), "the stake, at the lead"),
    Feature("claimed", (SEATS, DISTRICTS), 2.0, "markers of the revealed cards, claimed right now"),
    Feature("led", (SEATS, DISTRICTS), 1.0, "markers of the revealed cards for the seat's leaders"),
    Feature("hope", (SEATS, DISTRICTS), float(PARTS), "of the stake, what the seat may expect"),
    Feature("room", (DISTRICTS,), 4.0, "empty spaces"),
    Feature("gain", (SEATS, DISTRICTS, CELLS), 2.0, "influence that a marker on the space adds"),
    Feature("best_gain", (SEATS, DISTRICTS), 2.0, "the most that one adds"),
    Feature("item_lead_is", (2 * ITEM_LEAD_MAX + 1,), 1.0, "own items less the best rival's"),
    Feature("ahead", (LEADS,), 6.0, "influence less the best rival's: NOW, CLAIMED, EXPECTED"),
    Feature("ahead_by", (LEADS, STEPS), 1.0, "which thresholds that passes"),
)
# fmt: on

# All bytes, with room for MAX_PLAYERS, so that one compile serves every table; fewer seats leave
# the rest at 0, and no network gets it.
DERIVED = np.dtype(
    (np.record, [(feature.name, np.int8, feature.shape(MAX_PLAYERS)) for feature in FEATURES])
)
DERIVED_BYTES = DERIVED.itemsize
derived_at = record_reader(DERIVED)

Derived = Annotated[Any, record(DERIVED)]


@part
def within(number, limit):
    """The number, between -limit and limit."""
    return max(-limit, min(limit, number))


@part
def side_of(observation: Int8s, seat):
    """The block of a seat, counted clockwise from the one that looks."""
    return seat_at(observation, GAME_BYTES + seat * SEAT_BYTES)


# ---- when ----


@part
def rounds_to_come(game: Shown, seats):
    """Turns that each seat still has before the next claims, the one in progress counted."""
    night = turn = 0
    for i in range(WEEK_NIGHTS):
        if game.night[i]:
            night = i + 1
    for i in range(TURNS):
        if game.turn[i]:
            turn = i
    rounds = TURNS_A_NIGHT * (WEEK_NIGHTS - night)
    if game.phase[Phase.LOOT.value]:  # early releases of Numba take no enum as an index
        return rounds + TURNS_A_NIGHT - turn // seats
    if game.phase[Phase.SPECIAL.value]:
        return rounds + 1 - turn // seats
    return 0


@part
def derive_turn(observation: Int8s, seats, derived: Derived):
    """Who sits where in the order of turns."""
    game = game_at(observation, 0)
    for turn in range(TURNS):
        for seat in range(seats):
            derived.seat_turn[turn, seat] = game.turn[turn] * side_of(observation, seat).supremacy


# ---- the board ----


@part
def derive_gains(side: SideShown, game: Shown, seat, derived: Derived):
    """What a marker of the seat on each empty space would add to its influence."""
    for district in range(DISTRICTS):
        held = 0
        for cell in range(CELLS):
            held |= np.int64(side.space_owner[district, cell]) << cell
        best = 0
        for cell in range(CELLS):
            if game.space_empty[district, cell]:
                gain = INFLUENCE[held | (1 << cell)] - INFLUENCE[held]
                derived.gain[seat, district, cell] = gain
                best = max(best, gain)
        derived.best_gain[seat, district] = best


@part
def best_other_total(observation: Int8s, seats, district, seat):
    """The highest total in the district of all seats but one."""
    best = 0
    for other in range(seats):
        if other != seat:
            best = max(best, np.int64(side_of(observation, other).total[district]))
    return best


@part
def derive_lead(lead, stake, district, derived: Derived):
    """How far ahead the seat that looks is in the district."""
    derived.lead[district] = within(lead, 2 * LEAD_MAX)
    derived.lead_is[district, within(lead, LEAD_MAX) + LEAD_MAX] = 1
    derived.lead_by_stake[district, within(lead, CLOSE) + CLOSE] = stake


# ---- night cards ----


@part
def cards_in_deck(game: Shown):
    """Night cards still to come."""
    deck = 0
    for card in range(NIGHTS):
        deck += np.int64(game.nights_to_come[card])
    return deck


@part
def revealed_cards(game: Shown, night_values: Int64Rows, district):
    """Markers of the district's revealed night cards, and how many cards that are."""
    markers = cards = 0
    for card in range(NIGHTS):
        value = night_values[district, card]
        if value > 0:
            for i in range(WEEK_NIGHTS):
                markers += game.nights[i, card] * value
                cards += np.int64(game.nights[i, card])
    return markers, cards


@part
def derive_stake(game: Shown, night_values: Int64Rows, district, revealed, derived: Derived):
    """What is to be had in the district; the stake, in PARTS."""
    to_come = 0
    for card in range(NIGHTS):
        to_come += game.nights_to_come[card] * night_values[district, card]
    stake = PARTS * revealed
    deck = cards_in_deck(game)
    if deck > 0:
        drawn = deck if deck < WEEK_NIGHTS else deck - WEEK_NIGHTS  # of them, still this week
        stake += PARTS * to_come * drawn // deck
    derived.revealed[district] = revealed
    derived.to_come[district] = to_come
    derived.stake[district] = stake
    return stake


@part
def derive_room(game: Shown, district, derived: Derived):
    """Empty spaces of the district."""
    room = 0
    for cell in range(CELLS):
        room += game.space_empty[district, cell]
    derived.room[district] = room
    return room


@part
def leaders_of(side: SideShown, district):
    """R9.3: each of them brings a marker for each night card."""
    leaders = 0
    for kind in range(FIRST_LEADER, MINIONS):
        leaders += np.int64(side.minions[district, kind])
    return leaders


@part
def expected_share(stake, total, lead, rounds):
    """Of the stake in a district, what a seat with that lead may expect to claim (R9.2)."""
    if total == 0 and rounds == 0:
        return 0
    return stake * HOLD[rounds, within(lead, GAP_MAX) + GAP_MAX] // CERTAIN


# ---- influence ----


@part
def derive_items(observation: Int8s, seats, derived: Derived):
    """How many more items the seat has face up than the best rival."""
    own = best = 0
    for seat in range(seats):
        side = side_of(observation, seat)
        items = 0
        for item in range(ITEMS):
            items += side.items[item]
        if seat == 0:
            own = items
        else:
            best = max(best, items)
    derived.item_lead_is[within(own - best, ITEM_LEAD_MAX) + ITEM_LEAD_MAX] = 1


@part
def influence_ahead(observation: Int8s, seats):
    """Own influence less the best rival's."""
    best = -1
    for seat in range(1, seats):
        best = max(best, np.int64(side_of(observation, seat).influence))
    return side_of(observation, 0).influence - best


@part
def derive_ahead(which, lead, derived: Derived):
    """A lead in influence: as a number, and which thresholds it passes."""
    derived.ahead[which] = within(lead, AHEAD_MAX)
    for step in range(STEPS):
        derived.ahead_by[which, step] = lead > 2 * (step - STEPS // 2)


# ---- all of them ----


@part
def derive_district(
    observation: Int8s,
    seats,
    night_values: Int64Rows,
    district,
    rounds,
    derived: Derived,
):
    """What the district's night cards bring the seat that looks more than its best rival: as the
    claims stand, in points, and as may be expected, in PARTS of a point.
    """
    game = game_at(observation, 0)
    revealed, cards = revealed_cards(game, night_values, district)
    stake = derive_stake(game, night_values, district, revealed, derived)
    room = derive_room(game, district, derived)
    own_now = own_hope = best_now = best_hope = 0
    for seat in range(seats):
        side = side_of(observation, seat)
        total = np.int64(side.total[district])
        lead = total - best_other_total(observation, seats, district, seat)
        claimed = side.claims[district] * revealed
        led = leaders_of(side, district) * cards
        hope = expected_share(stake, total, lead, rounds)
        derived.claimed[seat, district] = claimed
        derived.led[seat, district] = led
        derived.hope[seat, district] = hope
        markers = claimed + led
        now = 2 * min(markers, room) + max(0, markers - room)
        hoped = 2 * hope + 2 * PARTS * led
        if seat == 0:
            derive_lead(lead, stake, district, derived)
            own_now, own_hope = now, hoped
        else:
            best_now, best_hope = max(best_now, now), max(best_hope, hoped)
    return own_now - best_now, own_hope - best_hope


@part
def derive_features(observation: Int8s, seats, night_values: Int64Rows, row: Int8s, start):
    """Write the derived features of one observation into `row`, cleared, from `start` on.

    `night_values` holds the markers of each night card in the row of its district.
    """
    if start + DERIVED_BYTES > row.shape[0]:
        raise IndexError("the row is too small for the derived features")
    game = game_at(observation, 0)
    derived = derived_at(row, start)
    rounds = rounds_to_come(game, seats)
    derived.rounds[rounds] = 1
    derive_turn(observation, seats, derived)
    for seat in range(seats):
        derive_gains(side_of(observation, seat), game, seat, derived)
    now = expected = 0
    for district in range(DISTRICTS):
        more_now, more_expected = derive_district(
            observation, seats, night_values, district, rounds, derived
        )
        now += more_now
        expected += more_expected
    derive_items(observation, seats, derived)
    ahead = influence_ahead(observation, seats)
    derive_ahead(NOW, ahead, derived)
    derive_ahead(CLAIMED, ahead + now, derived)
    derive_ahead(EXPECTED, ahead + within(expected, 127 * PARTS) // PARTS, derived)


# ---- the inputs of a network ----


@row_loop
def copy_bytes(into: Any, row: Any):
    """All of a row, to the beginning of another: twice as fast as an assignment of slices."""
    for i in range(row.size):
        into[i] = row[i]


@row_loop
def pick_bytes(into: Any, row: Any, index: Any):
    """The bytes of a row that `index` names; it is unsigned, so none is from the end."""
    for i in range(index.size):
        into[i] = row[index[i]]


@entry
def encode(
    observations: Int8Rows, seats, night_values: Int64Rows, index: UInt32s, inputs: Int8Rows
):
    """The inputs of a network, a row for each observation: the bytes that `index` names of the
    observation with DERIVED behind it.
    """
    features = observations.shape[1]
    row = np.zeros(features + DERIVED_BYTES, np.int8)
    for i in range(observations.shape[0]):
        copy_bytes(row, observations[i])
        row[features:] = 0
        derive_features(observations[i], seats, night_values, row, features)
        pick_bytes(inputs[i], row, index)

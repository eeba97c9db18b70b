"""What a network sees: the observation, and insights that a network is slow to find by itself.

Insights need no memory and nothing hidden: each is computed from one observation. Of all entries a
network gets the live ones, those that change in random games of its kind.
"""

# Compiled, like the engine: the types follow from the parameters' names.
# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

import math
from functools import lru_cache

import numba
import numpy as np
from numpy.typing import NDArray

from hemlock_env._jit import ensure, row_loop
from hemlock_env.cards import CardSet, load_tables
from hemlock_env.cards.vocabulary import (
    CELLS,
    DISTRICTS,
    FIRST_LEADER,
    ITEMS,
    MINIONS,
    NIGHTS,
)
from hemlock_env.engine.constants import WEEK_NIGHTS, Phase
from hemlock_env.engine.fields import AXES, GROUP_DTYPES, offset_of
from hemlock_env.engine.markers import INFLUENCE
from hemlock_env.engine.state import entry_point
from hemlock_env.game.batch import Batch
from hemlock_env.game.options import Options
from hemlock_env.game.tensor import FIELD, TensorLayout
from hemlock_env.search.heuristics import GAP_MAX, HOLD, ROUNDS_MAX, TURNS_A_NIGHT
from hemlock_env.search.heuristics import PARTS as CERTAIN

INSIGHTS_VERSION = 1  # a checkpoint is for one: raise it when what follows changes

LEAD_MAX = 5  # a lead in a district beyond counts like this
CLOSE = 3  # leads that are told apart by what is at stake
ITEM_LEAD_MAX = 3
AHEAD_MAX = 20  # a lead in influence beyond counts like this
STEPS = 13  # thresholds of such a lead, two points apart, around none
PARTS = 8  # of a marker: expected ones are counted in these

# Name, entries for each [seat, district, ...], and what they are divided by.
INSIGHTS: tuple[tuple[str, tuple[int | str, ...], float], ...] = (
    ("rounds", (ROUNDS_MAX + 1,), 1.0),
    ("seat_turn", (AXES["turn"], "seat"), 1.0),
    ("lead", (DISTRICTS,), 3.0),
    ("lead_is", (DISTRICTS, 2 * LEAD_MAX + 1), 1.0),
    ("revealed", (DISTRICTS,), 2.0),
    ("to_come", (DISTRICTS,), 2.0),
    ("stake", (DISTRICTS,), float(PARTS)),
    ("lead_by_stake", (DISTRICTS, 2 * CLOSE + 1), float(PARTS)),
    ("claimed", ("seat", DISTRICTS), 2.0),
    ("led", ("seat", DISTRICTS), 1.0),
    ("hope", ("seat", DISTRICTS), float(PARTS)),
    ("room", (DISTRICTS,), 4.0),
    ("gain", ("seat", DISTRICTS, CELLS), 2.0),
    ("best_gain", ("seat", DISTRICTS), 2.0),
    ("item_lead_is", (2 * ITEM_LEAD_MAX + 1,), 1.0),
    ("ahead", (3,), 6.0),
    ("ahead_by", (3, STEPS), 1.0),
)


def _sizes(seats: int) -> list[int]:
    """Entries of each insight."""
    return [
        math.prod(seats if axis == "seat" else int(axis) for axis in axes)
        for _, axes, _ in INSIGHTS
    ]


# Where the fields that are read begin: in the tensor, and in the block of a seat.
NIGHTS_AT, TO_COME_AT, EMPTY_AT, TURN_AT, NIGHT_AT, PHASE_AT = (
    offset_of(FIELD[name])
    for name in ("nights", "nights_to_come", "space_empty", "turn", "night", "phase")
)
TOTAL_AT, CLAIMS_AT, MINIONS_AT, OWNER_AT, ITEMS_AT, INFLUENCE_AT, SUPREMACY_AT = (
    offset_of(FIELD[name])
    for name in ("total", "claims", "minions", "space_owner", "items", "influence", "supremacy")
)
GAME_BYTES, SEAT_BYTES = GROUP_DTYPES["game"].itemsize, GROUP_DTYPES["seat"].itemsize
TURNS = AXES["turn"]

entry = entry_point(
    {
        "observations": numba.int8[:, ::1],
        "night_values": numba.int64[:, ::1],
        "inputs": numba.int8[:, ::1],
        "places": numba.uint32[::1],
        "seen": numba.int8[::1],
        "row": numba.int8[::1],
    }
)


@entry
def within(number, most):
    """The number, between -most and most."""
    return max(-most, min(most, number))


@entry
def at_seat(seat, field):
    """Where a field of a seat begins, counted clockwise from the one that looks."""
    return GAME_BYTES + seat * SEAT_BYTES + field


@entry
def rounds_to_come(seen, seats):
    """Turns that each seat still has before the next claims, the one in progress counted."""
    night = 0
    turn = 0
    for number in range(WEEK_NIGHTS):
        if seen[NIGHT_AT + number]:
            night = number + 1
    for number in range(TURNS):
        if seen[TURN_AT + number]:
            turn = number
    rounds = TURNS_A_NIGHT * (WEEK_NIGHTS - night)
    if seen[PHASE_AT + Phase.LOOT]:
        return rounds + TURNS_A_NIGHT - turn // seats
    if seen[PHASE_AT + Phase.SPECIAL]:
        return rounds + 1 - turn // seats
    return 0


@entry
def look_at_cells(seen, seats, row, gain, best_gain):
    """What a marker of each seat on each empty space would add to its influence."""
    for seat in range(seats):
        owner = at_seat(seat, OWNER_AT)
        for district in range(DISTRICTS):
            held = 0
            for cell in range(CELLS):
                held |= np.int64(seen[owner + district * CELLS + cell]) << cell
            most = 0
            for cell in range(CELLS):
                if seen[EMPTY_AT + district * CELLS + cell]:
                    more = INFLUENCE[held | (1 << cell)] - INFLUENCE[held]
                    row[gain + (seat * DISTRICTS + district) * CELLS + cell] = more
                    most = max(most, more)
            row[best_gain + seat * DISTRICTS + district] = most


@entry
def put_ahead(row, ahead, steps, place, lead):
    """A lead in influence: as a number, and which thresholds it passes."""
    row[ahead + place] = within(lead, AHEAD_MAX)
    for step in range(STEPS):
        row[steps + place * STEPS + step] = lead > 2 * (step - STEPS // 2)
    return 0


@entry
def find_insights(seen, seats, night_values, row, start):
    """Write the insights of one observation into `row`, cleared, from `start` on, in the order of
    INSIGHTS.
    """
    rounds_at = start
    turn_at = rounds_at + ROUNDS_MAX + 1
    lead_at = turn_at + TURNS * seats
    lead_is = lead_at + DISTRICTS
    revealed_at = lead_is + DISTRICTS * (2 * LEAD_MAX + 1)
    to_come_at = revealed_at + DISTRICTS
    stake_at = to_come_at + DISTRICTS
    by_stake = stake_at + DISTRICTS
    claimed_at = by_stake + DISTRICTS * (2 * CLOSE + 1)
    led_at = claimed_at + seats * DISTRICTS
    hope_at = led_at + seats * DISTRICTS
    room_at = hope_at + seats * DISTRICTS
    gain_at = room_at + DISTRICTS
    best_gain_at = gain_at + seats * DISTRICTS * CELLS
    item_at = best_gain_at + seats * DISTRICTS
    ahead_at = item_at + 2 * ITEM_LEAD_MAX + 1
    ahead_by = ahead_at + 3

    rounds = rounds_to_come(seen, seats)
    row[rounds_at + rounds] = 1
    for turn in range(TURNS):
        for seat in range(seats):
            row[turn_at + turn * seats + seat] = (
                seen[TURN_AT + turn] * seen[at_seat(seat, SUPREMACY_AT)]
            )
    look_at_cells(seen, seats, row, gain_at, best_gain_at)
    deck = 0
    for card in range(NIGHTS):
        deck += seen[TO_COME_AT + card]
    drawn = deck if deck < WEEK_NIGHTS else deck - WEEK_NIGHTS  # of them, still this week
    own_now, rival_now, own_hope, rival_hope = 0, 0, 0, 0
    for district in range(DISTRICTS):
        revealed, cards, to_come = 0, 0, 0
        for card in range(NIGHTS):
            value = night_values[district, card]
            if value > 0:
                for place in range(WEEK_NIGHTS):
                    shown = seen[NIGHTS_AT + place * NIGHTS + card]
                    revealed += shown * value
                    cards += shown
                to_come += seen[TO_COME_AT + card] * value
        stake = PARTS * revealed
        if deck > 0:
            stake += PARTS * to_come * drawn // deck
        own = np.int64(seen[at_seat(0, TOTAL_AT) + district])
        best = 0
        for seat in range(1, seats):
            best = max(best, np.int64(seen[at_seat(seat, TOTAL_AT) + district]))
        lead = own - best
        close = within(lead, CLOSE) + CLOSE
        row[lead_at + district] = within(lead, 2 * LEAD_MAX)
        row[lead_is + district * (2 * LEAD_MAX + 1) + within(lead, LEAD_MAX) + LEAD_MAX] = 1
        row[revealed_at + district] = revealed
        row[to_come_at + district] = to_come
        row[stake_at + district] = stake
        row[by_stake + district * (2 * CLOSE + 1) + close] = stake
        room = 0
        for cell in range(CELLS):
            room += seen[EMPTY_AT + district * CELLS + cell]
        row[room_at + district] = room
        best_now, best_hope = 0, 0
        for seat in range(seats):
            claimed = seen[at_seat(seat, CLAIMS_AT) + district] * revealed
            led = 0
            for kind in range(FIRST_LEADER, MINIONS):
                led += seen[at_seat(seat, MINIONS_AT) + district * MINIONS + kind]
            led *= cards
            gap = lead
            if seat > 0:
                mine = np.int64(seen[at_seat(seat, TOTAL_AT) + district])
                others = own
                for rival in range(1, seats):
                    if rival != seat:
                        total = np.int64(seen[at_seat(rival, TOTAL_AT) + district])
                        others = max(others, total)
                gap = mine - others
            hope = stake * HOLD[rounds, within(gap, GAP_MAX) + GAP_MAX] // CERTAIN
            if seen[at_seat(seat, TOTAL_AT) + district] == 0 and rounds == 0:
                hope = 0
            at = seat * DISTRICTS + district
            row[claimed_at + at] = claimed
            row[led_at + at] = led
            row[hope_at + at] = hope
            markers = claimed + led
            worth = 2 * min(markers, room) + max(0, markers - room)
            hoped = 2 * hope + 2 * PARTS * led
            if seat == 0:
                own_now += worth
                own_hope += hoped
            else:
                best_now = max(best_now, worth)
                best_hope = max(best_hope, hoped)
        rival_now += best_now
        rival_hope += best_hope
    items, rival_items = 0, 0
    influence, rival_influence = 0, -1
    for seat in range(seats):
        held = 0
        for item in range(ITEMS):
            held += seen[at_seat(seat, ITEMS_AT) + item]
        points = np.int64(seen[at_seat(seat, INFLUENCE_AT)])
        if seat == 0:
            items, influence = held, points
        else:
            rival_items = max(rival_items, held)
            rival_influence = max(rival_influence, points)
    row[item_at + within(items - rival_items, ITEM_LEAD_MAX) + ITEM_LEAD_MAX] = 1
    ahead = influence - rival_influence
    put_ahead(row, ahead_at, ahead_by, 0, ahead)
    put_ahead(row, ahead_at, ahead_by, 1, ahead + own_now - rival_now)
    hoped = own_hope - rival_hope
    put_ahead(row, ahead_at, ahead_by, 2, ahead + within(hoped, 127 * PARTS) // PARTS)
    return ahead_by + 3 * STEPS


@row_loop
def copy_bytes(into, row):
    """All of a row, to the beginning of another: twice as fast as an assignment of slices."""
    for place in range(row.size):
        into[place] = row[place]


@row_loop
def pick_bytes(into, row, places):
    """The bytes of a row that stand at `places`; these are unsigned, so none is from the end."""
    for place in range(places.size):
        into[place] = row[places[place]]


@entry
def show_insights(observations, seats, night_values, entries, places, inputs):
    """What stands at some places of observations with their insights behind them, a row each;
    `entries` is how many there are of both.
    """
    features = observations.shape[1]
    row = np.zeros(entries, np.int8)
    for place in range(observations.shape[0]):
        copy_bytes(row, observations[place])
        row[features:] = 0
        find_insights(observations[place], seats, night_values, row, features)
        pick_bytes(inputs[place], row, places)


class FeatureEncoder:
    """The inputs of the networks of one kind of game: which entries, and their scale.

    Args:
        layout: of the observation.
        live: places in the observation with the insights behind it; None: all of them.
    """

    def __init__(self, layout: TensorLayout, live: NDArray[np.int64] | None = None) -> None:
        seats = layout.num_players
        scales = [
            np.full(size, scale) for size, (*_, scale) in zip(_sizes(seats), INSIGHTS, strict=True)
        ]
        full_scale = np.concatenate([layout.scale, *scales]).astype(np.float32)
        self.layout = layout
        self.entries = len(full_scale)  # of an observation with all its insights
        self.live = np.arange(len(full_scale)) if live is None else np.array(live, np.int64)
        if self.live.min() < 0 or self.live.max() >= len(full_scale):
            raise ValueError(f"live: places must be from 0 to {len(full_scale) - 1}")
        self.scale = full_scale[self.live]
        self._places = self.live.astype(np.uint32)
        tables = load_tables(layout.card_set)
        self.night_values = np.zeros((DISTRICTS, NIGHTS), np.int64)
        self.night_values[tables["night_district"], np.arange(NIGHTS)] = tables["night_value"]

    def __len__(self) -> int:
        return len(self.live)

    def fill(self, observations: NDArray[np.int8], inputs: NDArray[np.int8]) -> None:
        """The inputs of some observations (n, features) into int8 (n, inputs)."""
        expected = (len(observations), self.layout.features), (len(observations), len(self))
        if (observations.shape, inputs.shape) != expected:
            found = f"{observations.shape} and {inputs.shape}"
            raise ValueError(f"observations and inputs are {found}, must be {expected}")
        ensure(show_insights)
        seats, places = self.layout.num_players, self._places
        show_insights(observations, seats, self.night_values, self.entries, places, inputs)

    def of(self, observations: NDArray[np.int8]) -> NDArray[np.int8]:
        """The inputs of some observations, fresh int8 (n, inputs)."""
        inputs = np.empty((len(observations), len(self)), np.int8)
        self.fill(np.ascontiguousarray(observations), inputs)
        return inputs


GAMES, DECISIONS, EVERY = 1024, 300, 3  # what is played to find the live entries
FOLLOWS = 1e-7  # share of a number's squares that others leave open, when they leave none


@lru_cache(maxsize=16)
def select_features(card_set: CardSet, options: Options) -> NDArray[np.int64]:
    """The entries that a network needs under these options; the same wherever asked.

    They change in random games, and none is a sum of others with factors and a constant, which the
    network's first layer makes by itself: an empty space is one without anyone's marker. From the
    last entry to the first, each is kept that doesn't follow from those kept before: so insights go
    before what they are computed from.
    """
    batch = Batch(GAMES, seed=1, autoreset=True, card_set=card_set, **options.as_dict())
    inputs = FeatureEncoder(batch.spec.layout)
    products = np.zeros((inputs.entries + 1, inputs.entries + 1))
    for _ in range(0, DECISIONS, EVERY):
        batch.play_random(EVERY)
        seen = np.ones((GAMES, inputs.entries + 1), np.float32)  # the constant behind
        seen[:, :-1] = inputs.of(batch.observation)
        products += seen.T @ seen  # whole numbers below 2**24: exact
    backwards = independent(products[::-1, ::-1])  # the constant is 0, the last entry is 1
    live = np.sort(inputs.entries - backwards[1:])
    live.flags.writeable = False
    return live


def independent(products: NDArray[np.float64]) -> NDArray[np.int64]:
    """Those of some numbers that don't follow from the ones before, by Gauss's elimination.

    Args:
        products: of the numbers with one another, summed over all that was seen of them (n, n).
    """
    left = products.copy()
    kept = []
    for place, whole in enumerate(products.diagonal()):
        if left[place, place] > FOLLOWS * whole:
            kept.append(place)
            share = left[place, place:] / left[place, place]
            left[place:, place:] -= np.outer(left[place:, place], share)
    return np.array(kept, np.int64)

"""Games played on to their end or a few nights, and the return of each seat.

A playout runs in record GAME of a `Room`, with its legal actions in that row of `choices`; LINE and
TRIAL are for greedy answers.
"""

# Compiled, like the engine: types stand at the parameters, and where there is none it is an int64.
# mypy: allow-untyped-defs, allow-incomplete-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from hemlock_env._jit import entry, new_records, part, record, records
from hemlock_env.cards.vocabulary import MAX_PLAYERS
from hemlock_env.engine.chance import SEED_BITS, below, mix, next_bits, stream_from
from hemlock_env.engine.constants import LEGAL_MAX, WEEK_NIGHTS
from hemlock_env.engine.decisions import answer, list_legal
from hemlock_env.engine.events import EVENT_DEAL_AGAIN, EVENT_PLAYOUT_STREAM
from hemlock_env.engine.flow import step
from hemlock_env.engine.redeal import redeal
from hemlock_env.engine.scoring import is_winner, score
from hemlock_env.engine.types import Float, Float64s, Int16Rows, Seed, State, States, Tables
from hemlock_env.search.heuristics import EXPECTED, PARTS, heuristic_value
from hemlock_env.search.turn import WORST, complete_greedily
from hemlock_env.search.turn import Roots as Roots

GAME, LINE, TRIAL = 0, 1, 2  # the records of a room, and the rows of its `choices`
RECORDS = 3

# The return of a seat, 0 to 1: its share of the win and, a little, how far it is ahead.
MARGIN_SHARE = 0.2
MARGIN_SCALE = 30.0  # points ahead that count as all of it
# A game that is not over is worth the chance to win it: 73 % with this many points ahead.
LEAD_SCALE = 5.0

# How playouts go, and what they need.
PLAYOUT = np.dtype(
    [
        ("greedy", np.int64),  # 1: every seat plays greedily; 0: at random
        ("nights", np.int64),  # nights after which a game is valued as it stands; 0: play it out
        ("stream", np.uint64),  # random stream
        ("decisions", np.int64),  # made so far
        ("points", np.float64, (MAX_PLAYERS,)),  # of each seat at the end
        ("returns", np.float64, (MAX_PLAYERS,)),  # of each seat
    ],
    align=True,
)

Playout = Annotated[Any, record(PLAYOUT)]
Playouts = Annotated[Any, records(PLAYOUT)]


class Room(NamedTuple):
    """What playouts run in."""

    scratch: States
    choices: Int16Rows
    playouts: Playouts
    """one (see `engine.types`)"""


def new_playouts(greedy: bool, nights: int) -> Any:
    """One PLAYOUT record."""
    playouts = new_records(PLAYOUT, 1)
    playouts["greedy"], playouts["nights"] = greedy, nights
    return playouts


def new_room(states: Any, playouts: Any) -> Room:
    """A room around RECORDS states."""
    return Room(states, np.empty((RECORDS, LEGAL_MAX), np.int16), playouts)


# ---- chance ----


@part
def draw(playout: Playout, limit):
    """A number in 0..limit-1."""
    playout.stream = next_bits(playout.stream)
    return below(playout.stream, limit)


@part
def begin(roots: Roots, game, seed: Seed, room: Room):
    """Open the stream of one decision from its key; the night in which playouts from here end."""
    playout = room.playouts[0]
    playout.stream = stream_from(seed, EVENT_PLAYOUT_STREAM)
    if playout.nights == 0:
        return 2 * WEEK_NIGHTS
    return night_number(roots.states[game]) + playout.nights - 1


@part
def deal(roots: Roots, game, seed: Seed, number, redeals, room: Room):
    """Where a playout begins, a determinization (R13): the game with all that is hidden from
    whoever decides, and all chance to come, drawn anew; or the game as it is, with `redeals` 0.
    Returns how many actions are legal.
    """
    tables, state, legal = roots.all_tables[0], room.scratch[GAME], room.choices[GAME]
    room.scratch[GAME] = roots.states[game]
    if redeals == 0:
        return list_legal(state, tables, legal)
    key = mix(seed, EVENT_DEAL_AGAIN + number) & SEED_BITS
    return redeal(state, tables, legal, roots.states[game].decider, key)


# ---- returns ----


@part
def points_ahead(playout: Playout, num_players, seat):
    """Of the best rival."""
    best = -1e9
    for rival in range(num_players):
        if rival != seat:
            best = max(best, playout.points[rival])
    return playout.points[seat] - best


@part
def return_of(win: Float, ahead: Float, margin_share: Float):
    """0 to 1."""
    margin = max(-1.0, min(1.0, ahead / MARGIN_SCALE))
    return (1 - margin_share) * win + margin_share * (1 + margin) / 2


@part
def terminal_returns(state: State, tables: Tables, playout: Playout, margin_share: Float):
    """R10.6: the game is over; those who win together share it."""
    won = 0
    for seat in range(state.num_players):
        playout.points[seat] = score(state, tables, seat)
        won += is_winner(state, tables, seat)
    for seat in range(state.num_players):
        win = 1.0 / won if is_winner(state, tables, seat) else 0.0
        ahead = points_ahead(playout, state.num_players, seat)
        playout.returns[seat] = return_of(win, ahead, margin_share)


@part
def heuristic_returns(state: State, tables: Tables, playout: Playout):
    """The same for a game that stands as it does, by the heuristic value of each seat."""
    for seat in range(state.num_players):
        playout.points[seat] = heuristic_value(state, tables, seat, EXPECTED) / PARTS
    for seat in range(state.num_players):
        ahead = points_ahead(playout, state.num_players, seat)
        win = 1.0 / (1.0 + np.exp(-ahead / LEAD_SCALE))
        playout.returns[seat] = return_of(win, ahead, MARGIN_SHARE)


# ---- to the end ----


@part
def draw_greedily(scratch: States, tables: Tables, choices: Int16Rows, playout: Playout, count):
    """The place of an action that is worth most, own pending choices completed greedily."""
    seat = scratch[GAME].decider
    best = ties = 0
    best_value = WORST
    for i in range(count):
        scratch[LINE] = scratch[GAME]
        answer(scratch[LINE], tables, choices[GAME, i])
        value = complete_greedily(scratch, LINE, tables, choices[LINE], seat, EXPECTED)
        if value > best_value:
            best_value, ties = value, 0
        if value == best_value:
            ties += 1
            if draw(playout, ties) == 0:
                best = i
    return best


@part
def night_number(state: State):
    """Nights begun."""
    return WEEK_NIGHTS * (state.week - 1) + state.night


@part
def play_out(room: Room, tables: Tables, count, last_night):
    """Play on, `count` actions being legal, and write the return of each seat."""
    scratch, choices, playout = room.scratch, room.choices, room.playouts[0]
    state, legal = scratch[GAME], choices[GAME]
    while count > 0:
        if night_number(state) > last_night:
            heuristic_returns(state, tables, playout)
            return
        if playout.greedy == 1:
            i = draw_greedily(scratch, tables, choices, playout, count)
        else:
            i = draw(playout, count)
        count = step(state, tables, legal, legal[i])
        playout.decisions += 1
    terminal_returns(state, tables, playout, MARGIN_SHARE)


@entry
def roll_out(roots: Roots, game, seed: Seed, number, first, end, room: Room, totals: Float64s):
    """Add up what whoever decides gets in playouts first..end-1: `number` of each legal action, one
    action after the other.

    Playouts of different actions share a redeal, so that luck in it helps all alike.
    """
    tables, playout = roots.all_tables[0], room.playouts[0]
    state, legal = room.scratch[GAME], room.choices[GAME]
    seat, stream = roots.states[game].decider, playout.stream
    last_night = begin(roots, game, seed, room)
    if first > 0:  # the stream goes on
        playout.stream = stream
    for playing in range(first, end):
        i = playing // number
        deal(roots, game, seed, playing % number, 1, room)
        count = step(state, tables, legal, roots.legals[game, i])
        playout.decisions += 1
        play_out(room, tables, count, last_night)
        totals[i] += playout.returns[seat]

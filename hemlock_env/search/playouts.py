"""Games played on to their end or a few nights, and what each seat gets for it.

A playout runs in record GAME of `scratch`, with its legal actions in that row of `choices`; LINE
and TRIAL are for greedy answers.
"""

# Compiled, like the engine: the types follow from the parameters' names.
# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from hemlock_env._jit import compiled, new_records
from hemlock_env.cards.vocabulary import MAX_PLAYERS
from hemlock_env.engine.chance import HALF, NEVER_ZERO, SEED_BITS, mix, next_bits
from hemlock_env.engine.constants import LEGAL_MAX, WEEK_NIGHTS
from hemlock_env.engine.decisions import answer
from hemlock_env.engine.events import EVENT_DEAL_AGAIN, EVENT_PLAYOUT_STREAM
from hemlock_env.engine.flow import step
from hemlock_env.engine.kernel import ENTRY_TYPES
from hemlock_env.engine.redeal import redeal
from hemlock_env.engine.scoring import is_winner, score
from hemlock_env.engine.state import TYPES, entry_point
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.spec import GameSpec
from hemlock_env.search.heuristics import PARTS, outlook
from hemlock_env.search.turn import WORST, finish

GAME, LINE, TRIAL = 0, 1, 2  # the records of `scratch`, and the rows of `choices`
RECORDS = 3

# What a seat gets for a game: its share of the win and, a little, how far it is ahead.
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
        ("shares", np.float64, (MAX_PLAYERS,)),  # 0 to 1: what each seat gets for it
    ],
    align=True,
)

PLAYOUT_TYPES = {
    **ENTRY_TYPES,
    "scratch": ENTRY_TYPES["states"],
    "choices": numba.int16[:, ::1],
    "playout": numba.from_dtype(PLAYOUT),
    "playouts": numba.types.Array(numba.from_dtype(PLAYOUT), 1, "C", aligned=True),
    "win": numba.float64,
    "ahead": numba.float64,
    "means": numba.float64[::1],
}

entry = entry_point(PLAYOUT_TYPES)


def part(function):
    """A piece of an entry point."""
    return compiled(function, {**TYPES, **PLAYOUT_TYPES})


def new_playouts(greedy: bool, nights: int) -> Any:
    """A PLAYOUT record in an array of one."""
    playouts = new_records(PLAYOUT, 1)
    playouts["greedy"], playouts["nights"] = greedy, nights
    return playouts


# ---- chance ----


@part
def begin(playout, seed):
    """Open the stream for one decision, from its key."""
    playout.stream = mix(seed, EVENT_PLAYOUT_STREAM)
    if playout.stream == np.uint64(0):
        playout.stream = NEVER_ZERO


@part
def draw(playout, limit):
    """A number in 0..limit-1."""
    playout.stream = next_bits(playout.stream)
    return np.int64(((playout.stream >> HALF) * np.uint64(limit)) >> HALF)


@part
def deal_again(states, game, tables, seed, number, scratch, choices):
    """R13: the game with all that is hidden from whoever decides, and all chance to come, drawn
    anew; returns how many actions are legal.
    """
    scratch[GAME] = states[game]
    deal = mix(seed, EVENT_DEAL_AGAIN + number) & SEED_BITS
    return redeal(scratch[GAME], tables, choices[GAME], states[game].decider, deal)


# ---- what a seat gets ----


@part
def points_ahead(playout, num_players, seat):
    """Of the best rival."""
    best = -1e9
    for rival in range(num_players):
        if rival != seat:
            best = max(best, playout.points[rival])
    return playout.points[seat] - best


@part
def share_of(win, ahead):
    """0 to 1."""
    margin = max(-1.0, min(1.0, ahead / MARGIN_SCALE))
    return (1 - MARGIN_SHARE) * win + MARGIN_SHARE * (1 + margin) / 2


@part
def settle(state, tables, playout):
    """R10.6: the game is over; those who win together share it."""
    won = 0
    for seat in range(state.num_players):
        playout.points[seat] = score(state, tables, seat)
        won += is_winner(state, tables, seat)
    for seat in range(state.num_players):
        win = 1.0 / won if is_winner(state, tables, seat) else 0.0
        playout.shares[seat] = share_of(win, points_ahead(playout, state.num_players, seat))


@part
def estimate(state, tables, playout):
    """The same for a game that stands as it does, by what planner thinks of it."""
    for seat in range(state.num_players):
        playout.points[seat] = outlook(state, tables, seat) / PARTS
    for seat in range(state.num_players):
        ahead = points_ahead(playout, state.num_players, seat)
        win = 1.0 / (1.0 + np.exp(-ahead / LEAD_SCALE))
        playout.shares[seat] = share_of(win, ahead)


# ---- to the end ----


@part
def draw_greedily(scratch, tables, choices, playout, count):
    """The place of an action that is worth most, own pending choices completed greedily."""
    seat = scratch[GAME].decider
    best = ties = 0
    most = WORST
    for place in range(count):
        scratch[LINE] = scratch[GAME]
        answer(scratch[LINE], tables, choices[GAME, place])
        value = finish(scratch, LINE, tables, choices[LINE], seat)
        if value > most:
            most, ties = value, 0
        if value == most:
            ties += 1
            if draw(playout, ties) == 0:
                best = place
    return best


@part
def night_number(state):
    """Nights begun."""
    return WEEK_NIGHTS * (state.week - 1) + state.night


@part
def play_out(scratch, tables, choices, playout, count, last_night):
    """Play on, `count` actions being legal, and say in `shares` what each seat gets."""
    state, legal = scratch[GAME], choices[GAME]
    while count > 0:
        if night_number(state) > last_night:
            estimate(state, tables, playout)
            return
        if playout.greedy == 1:
            place = draw_greedily(scratch, tables, choices, playout, count)
        else:
            place = draw(playout, count)
        count = step(state, tables, legal, legal[place])
        playout.decisions += 1
    settle(state, tables, playout)


@part
def last_night_of(state, playout):
    """The number of the night in which playouts from here end."""
    if playout.nights == 0:
        return 2 * WEEK_NIGHTS
    return night_number(state) + playout.nights - 1


@entry
def roll_out(
    states, all_tables, game, seed, number, legals, counts, scratch, choices, playouts, means
):
    """The mean share of whoever decides after each legal action, over so many playouts of each.

    The playouts of a number share a redeal, so that luck in it helps all actions alike.
    """
    tables, playout = all_tables[0], playouts[0]
    seat = states[game].decider
    last_night = last_night_of(states[game], playout)
    begin(playout, seed)
    for place in range(counts[game]):
        total = 0.0
        for deal in range(number):
            deal_again(states, game, tables, seed, deal, scratch, choices)
            count = step(scratch[GAME], tables, choices[GAME], legals[game, place])
            playout.decisions += 1
            play_out(scratch, tables, choices, playout, count, last_night)
            total += playout.shares[seat]
        means[place] = total / number


def new_room(spec: GameSpec) -> tuple[Any, Any]:
    """Room for a playout: records to play in, and their legal actions."""
    return GameArrays(spec, RECORDS).states, np.empty((RECORDS, LEGAL_MAX), np.int16)

"""The entry points that Python calls: arrays of games in, arrays of facts out. `run` serves one
game and thousands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from hemlock_env._jit import compiled
from hemlock_env.cards.tables import TABLES
from hemlock_env.engine.chance import NEVER_ZERO, SEED_BITS, below, mix, next_bits
from hemlock_env.engine.constants import LEGAL_MAX, NOTHING, Step
from hemlock_env.engine.decisions import answer, list_legal
from hemlock_env.engine.events import EVENT_NEXT_GAME, EVENT_SLOT
from hemlock_env.engine.flow import (
    markers_due,
    run_to_choice,
    run_to_question,
    seat_in_order,
)
from hemlock_env.engine.redeal import redeal
from hemlock_env.engine.scoring import is_winner, score
from hemlock_env.engine.setup import set_up
from hemlock_env.engine.state import STATE, TYPES, entry_point, rule
from hemlock_env.engine.view import look

# What `run` does with each game before it shows it to the seat that decides; SHOW_TO does nothing,
# and shows it to the seat that stands in `actions`.
STEP, RANDOM, START, SHOW, SHOW_TO = 0, 1, 2, 3, 4

OUTCOME, MARGIN = 0, 1  # rewards
MARGIN_SCALE = 20.0


ENTRY_TYPES = {
    **TYPES,
    "states": numba.types.Array(numba.from_dtype(STATE), 1, "C", aligned=True),
    "all_tables": numba.types.Array(numba.from_dtype(TABLES), 1, "C", readonly=True, aligned=True),
    "actions": numba.int16[::1],
    "streams": numba.uint64[::1],
    "seeds": numba.uint64[::1],
    "legals": numba.int16[:, ::1],
    "counts": numba.int16[::1],
    "seats": numba.int8[::1],
    "masks": numba.int8[:, ::1],
    "observations": numba.int8[:, ::1],
    "rewards": numba.float32[:, ::1],
    "done": numba.boolean[::1],
    "scores": numba.int16[:, ::1],
    "winners": numba.int8[:, ::1],
}

entry = entry_point(ENTRY_TYPES)


def part(function: Callable[..., Any]) -> Any:
    """A piece of an entry point: takes whole arrays, but Python doesn't call it."""
    return compiled(function, ENTRY_TYPES)


@rule
def next_seed(seed):
    """The seed of the game that follows in the same slot of a batch."""
    return mix(seed, EVENT_NEXT_GAME) & SEED_BITS


@entry
def draw_index(streams, game, limit):
    """A number in 0..limit-1 from one policy stream."""
    bits = streams[game]
    if bits == np.uint64(0):
        bits = NEVER_ZERO
    bits = next_bits(bits)
    streams[game] = bits
    return below(bits, limit)


@part
def write_result(states, all_tables, game, reward, rewards, scores, winners):
    """R10, and the rewards: winners share +1 and losers -1, or own score less the mean of the
    rivals' over 20.
    """
    state, tables = states[game], all_tables[0]
    n = state.num_players
    won = 0
    total = 0
    for seat in range(n):
        scores[game, seat] = score(state, tables, seat)
        winners[game, seat] = is_winner(state, tables, seat)
        won += winners[game, seat]
        total += scores[game, seat]
    for seat in range(n):
        if reward == MARGIN:
            own = scores[game, seat]
            rewards[game, seat] = (own - (total - own) / (n - 1)) / MARGIN_SCALE
        elif won == n:
            rewards[game, seat] = 0.0
        elif winners[game, seat] == 1:
            rewards[game, seat] = 1.0 / won
        else:
            rewards[game, seat] = -1.0 / (n - won)


@part
def write_mask(legals, counts, masks, game):
    """The legal actions as a mask, and the rest of their list filled up."""
    for place in range(counts[game], LEGAL_MAX):
        legals[game, place] = NOTHING
    masks[game, :] = 0
    for place in range(counts[game]):
        masks[game, legals[game, place]] = 1


@part
def is_legal(masks, game, action):
    """Is it in the mask? Any number may be asked."""
    return 0 <= action < masks.shape[1] and masks[game, action] == 1


@entry
def run(
    mode,
    autoreset,
    reward,
    lo,
    hi,
    states,
    all_tables,
    actions,
    seeds,
    streams,
    legals,
    counts,
    seats,
    masks,
    observations,
    rewards,
    done,
    scores,
    winners,
):
    """Games lo..hi-1: STEP by `actions`, RANDOM by so many random decisions, START from `seeds`, or
    just SHOW.

    Returns -1, or with STEP the first game whose action is illegal: then no game has changed.

    One loop for all, so that the rules stand in the machine code once: a turn of it sets up or
    answers, then runs on to the next choice.
    """
    if mode == STEP:
        for game in range(lo, hi):
            if counts[game] > 0 and not is_legal(masks, game, actions[game]):
                return game
    tables = all_tables[0]
    features = observations.shape[1]
    tensor = observations.reshape(-1)
    for game in range(lo, hi):
        state = states[game]
        done[game] = False
        for seat in range(state.num_players):
            rewards[game, seat] = 0.0
        begins = mode == START
        seed = seeds[game]
        moves = 0
        if mode >= SHOW:
            counts[game] = list_legal(state, tables, legals[game])
        elif mode != START and counts[game] > 0:
            moves = actions[game] if mode == RANDOM else 1
        while begins or moves > 0:
            if begins:
                set_up(state, tables, seed)
                begins = False
            else:
                action = np.int64(actions[game])
                if mode == RANDOM:
                    action = legals[game, draw_index(streams, game, counts[game])]
                state.decisions += 1
                answer(state, tables, action)
                moves -= 1
            counts[game] = run_to_choice(state, tables, legals[game])
            if counts[game] == 0:
                done[game] = True
                write_result(states, all_tables, game, reward, rewards, scores, winners)
                begins = autoreset == 1
                seed = next_seed(state.seed)
                moves = moves if begins else 0
            elif moves > 0:
                done[game] = False
        seats[game] = state.decider
        write_mask(legals, counts, masks, game)
        seen_from = actions[game] if mode == SHOW_TO else state.decider
        observations[game, :] = 0
        # When over, nobody decides: shown as seat 0 sees it.
        look(state, tables, max(seen_from, 0), tensor, game * features)
    return -1


@entry
def slot_seeds(seed, seeds, streams):
    """The first seeds of a batch's slots, and their policy streams, from the batch's own seed."""
    for slot in range(seeds.shape[0]):
        seeds[slot] = mix(seed, EVENT_SLOT + 2 * slot) & SEED_BITS
        streams[slot] = mix(seed, EVENT_SLOT + 2 * slot + 1)


@entry
def following_seeds(states, seeds):
    """The seeds of the games that follow in the same slots."""
    for slot in range(seeds.shape[0]):
        seeds[slot] = next_seed(states[slot].seed)


@entry
def draw_actions(legals, counts, streams, actions):
    """A uniformly random legal action for each game, each from its own policy stream."""
    for game in range(actions.shape[0]):
        actions[game] = NOTHING
        if counts[game] > 0:
            actions[game] = legals[game, draw_index(streams, game, counts[game])]


@entry
def redeal_games(states, all_tables, seats, seeds, legals, counts):
    """R13: each game as its seat may imagine it; the legal actions are those of whoever decides."""
    for game in range(states.shape[0]):
        counts[game] = redeal(states[game], all_tables[0], legals[game], seats[game], seeds[game])


@entry
def answer_once(states, all_tables, game, action):
    """Carry out one legal answer and nothing after it: records list forced choices too."""
    answer(states[game], all_tables[0], action)


@entry
def ask_next(states, all_tables, game, legals, counts):
    """On to the next question, forced or not; its legal actions, none when the game is over."""
    run_to_question(states[game], all_tables[0])
    counts[game] = list_legal(states[game], all_tables[0], legals[game])


@entry
def set_up_game(states, all_tables, game, seed):
    """R2, before the first night is revealed."""
    set_up(states[game], all_tables[0], seed)


@entry
def due(states, all_tables, game):
    """R9.2, R9.3: the markers that the next seat on the first night card is to place."""
    return markers_due(
        states[game], all_tables[0], seat_in_order(states[game], states[game].claim_at)
    )


@entry
def score_of(states, all_tables, game, seat):
    """R10: a seat's influence as the game stands."""
    return score(states[game], all_tables[0], seat)


@entry
def wins(states, all_tables, game, seat):
    """R10.6, if the game is over."""
    return states[game].step == Step.OVER and is_winner(states[game], all_tables[0], seat)

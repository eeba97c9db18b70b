"""The entry points that Python calls: arrays of games in, arrays of facts out. `run` serves one
game and thousands. Its pieces serve `envs.rows` too.
"""

from __future__ import annotations

import numpy as np

from hemlock_env._jit import entry, inlined
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
from hemlock_env.engine.state import rule
from hemlock_env.engine.types import (
    AllTables,
    Bools,
    Float32Rows,
    Int8Rows,
    Int8s,
    Int16Rows,
    Int16s,
    Seed,
    State,
    States,
    Tables,
    UInt64s,
)
from hemlock_env.engine.view import look

# What `run` does with each game before it shows it to the seat that decides; SHOW_TO does nothing,
# and shows it to the seat that stands in `seats`.
STEP, RANDOM, START, SHOW, SHOW_TO = 0, 1, 2, 3, 4

OUTCOME, MARGIN = 0, 1  # rewards
MARGIN_SCALE = 20.0


@rule
def next_seed(seed):
    """The seed of the game that follows in the same slot of a batch."""
    return mix(seed, EVENT_NEXT_GAME) & SEED_BITS


@entry
def draw_index(streams: UInt64s, game: int, limit: int):
    """A number in 0..limit-1 from one policy stream."""
    bits = streams[game]
    if bits == np.uint64(0):
        bits = NEVER_ZERO
    bits = next_bits(bits)
    streams[game] = bits
    return below(bits, limit)


# ---- pieces: a game of many is answered, paid, shown ---------------------------------------------


@inlined
def answer_choice(state: State, tables: Tables, action: int, log: Int16Rows, game: int):
    """A player's answer, and before it a line in the log, if one is kept.

    Row `game` of the log holds the answers since the deal; `state.decisions` says how many. So a
    deal empties it, and whoever has both after a step has the whole game. A log without columns
    keeps nothing.
    """
    if state.decisions < log.shape[1]:
        log[game, state.decisions] = action
    state.decisions += 1
    answer(state, tables, action)


@inlined
def write_scores(state: State, tables: Tables, game: int, scores: Int16Rows, winners: Int8Rows):
    """R10: influence and winners of a game that is over."""
    for seat in range(state.num_players):
        scores[game, seat] = score(state, tables, seat)
        winners[game, seat] = is_winner(state, tables, seat)


@inlined
def write_rewards(
    reward: int, n: int, game: int, scores: Int16Rows, winners: Int8Rows, rewards: Float32Rows
):
    """Of `n` players: winners share +1 and losers -1, or own score less the mean of the others'
    over 20.
    """
    won = 0
    total = 0
    for seat in range(n):
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


@inlined
def show_game(
    state: State,
    tables: Tables,
    seat: int,
    game: int,
    legals: Int16Rows,
    counts: Int16s,
    masks: Int8Rows,
    observations: Int8Rows,
    tensor: Int8s,
):
    """What a seat is shown: the legal actions as a mask, the rest of their list filled up, and the
    observation; `tensor` holds all `observations` end to end.
    """
    for i in range(counts[game], LEGAL_MAX):
        legals[game, i] = NOTHING
    masks[game, :] = 0
    for i in range(counts[game]):
        masks[game, legals[game, i]] = 1
    observations[game, :] = 0
    look(state, tables, seat, tensor, game * observations.shape[1])


@inlined
def find_illegal(actions: Int16s, counts: Int16s, legals: Int16Rows):
    """The first running game whose action isn't legal; -1: there is none."""
    for game in range(actions.shape[0]):
        if counts[game] > 0 and not is_legal(legals, game, counts[game], actions[game]):
            return game
    return -1


@inlined
def is_legal(legals: Int16Rows, game: int, count: int, action: int):
    """Is it in the list? Any number may be asked."""
    for i in range(count):
        if legals[game, i] == action:
            return True
    return False


# ---- entry points --------------------------------------------------------------------------------


@entry
def run(
    mode: int,
    autoreset: int,
    reward: int,
    states: States,
    all_tables: AllTables,
    actions: Int16s,
    moves: Int16s,
    seeds: UInt64s,
    streams: UInt64s,
    log: Int16Rows,
    legals: Int16Rows,
    counts: Int16s,
    seats: Int8s,
    masks: Int8Rows,
    observations: Int8Rows,
    rewards: Float32Rows,
    done: Bools,
    scores: Int16Rows,
    winners: Int8Rows,
):
    """All games: STEP by `actions`, RANDOM by so many random `moves`, START from `seeds`, or just
    SHOW.

    Returns -1, or with STEP the first game whose action is illegal: then no game has changed.

    One loop for all, so that the rules stand in the machine code once: a turn of it sets up or
    answers, then runs on to the next choice.
    """
    if mode == STEP:
        illegal = find_illegal(actions, counts, legals)
        if illegal >= 0:
            return illegal
    tables = all_tables[0]
    tensor = observations.reshape(-1)
    for game in range(states.shape[0]):
        state = states[game]
        done[game] = False
        for seat in range(state.num_players):
            rewards[game, seat] = 0.0
        begins = mode == START
        seed = seeds[game]
        left = 0
        if mode >= SHOW:
            counts[game] = list_legal(state, tables, legals[game])
        elif mode != START and counts[game] > 0:
            left = moves[game] if mode == RANDOM else 1
        while begins or left > 0:
            if begins:
                set_up(state, tables, seed)
                begins = False
            else:
                action = np.int64(actions[game])
                if mode == RANDOM:
                    action = legals[game, draw_index(streams, game, counts[game])]
                answer_choice(state, tables, action, log, game)
                left -= 1
            counts[game] = run_to_choice(state, tables, legals[game])
            if counts[game] == 0:
                done[game] = True
                write_scores(state, tables, game, scores, winners)
                write_rewards(reward, state.num_players, game, scores, winners, rewards)
                begins = autoreset == 1
                seed = next_seed(state.seed)
                left = left if begins else 0
            elif left > 0:
                done[game] = False
        viewer = seats[game] if mode == SHOW_TO else state.decider
        seats[game] = state.decider
        # When over, nobody decides: shown as seat 0 sees it.
        viewer = max(np.int64(viewer), 0)  # of an int8, uncompiled places would overflow
        show_game(state, tables, viewer, game, legals, counts, masks, observations, tensor)
    return -1


@entry
def slot_seeds(seed: Seed, seeds: UInt64s, streams: UInt64s):
    """The first seeds of a batch's slots, and their policy streams, from the batch's own seed."""
    for slot in range(seeds.shape[0]):
        seeds[slot] = mix(seed, EVENT_SLOT + 2 * slot) & SEED_BITS
        streams[slot] = mix(seed, EVENT_SLOT + 2 * slot + 1)


@entry
def following_seeds(states: States, seeds: UInt64s):
    """The seeds of the games that follow in the same slots."""
    for slot in range(seeds.shape[0]):
        seeds[slot] = next_seed(states[slot].seed)


@entry
def draw_actions(legals: Int16Rows, counts: Int16s, streams: UInt64s, actions: Int16s):
    """A uniformly random legal action for each game, each from its own policy stream."""
    for game in range(actions.shape[0]):
        actions[game] = NOTHING
        if counts[game] > 0:
            actions[game] = legals[game, draw_index(streams, game, counts[game])]


@entry
def redeal_games(
    states: States,
    all_tables: AllTables,
    seats: Int8s,
    seeds: UInt64s,
    legals: Int16Rows,
    counts: Int16s,
):
    """R13: each game as its seat may imagine it; the legal actions are those of whoever decides."""
    for game in range(states.shape[0]):
        counts[game] = redeal(states[game], all_tables[0], legals[game], seats[game], seeds[game])


@entry
def answer_once(states: States, all_tables: AllTables, game: int, action: int):
    """Carry out one legal answer and nothing after it: records list forced choices too."""
    answer(states[game], all_tables[0], action)


@entry
def ask_next(states: States, all_tables: AllTables, game: int, legals: Int16Rows, counts: Int16s):
    """On to the next question, forced or not; its legal actions, none when the game is over."""
    run_to_question(states[game], all_tables[0])
    counts[game] = list_legal(states[game], all_tables[0], legals[game])


@entry
def set_up_game(states: States, all_tables: AllTables, game: int, seed: Seed):
    """R2, before the first night is revealed."""
    set_up(states[game], all_tables[0], seed)


@entry
def due(states: States, all_tables: AllTables, game: int):
    """R9.2, R9.3: the markers that the next seat on the first night card is to place."""
    return markers_due(
        states[game], all_tables[0], seat_in_order(states[game], states[game].claim_at)
    )


@entry
def score_of(states: States, all_tables: AllTables, game: int, seat: int):
    """R10: a seat's influence as the game stands."""
    return score(states[game], all_tables[0], seat)


@entry
def wins(states: States, all_tables: AllTables, game: int, seat: int):
    """R10.6, if the game is over."""
    return states[game].step == Step.OVER and is_winner(states[game], all_tables[0], seat)

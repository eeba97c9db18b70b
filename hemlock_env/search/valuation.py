"""What greedy thinks an action is worth: its influence less the best rival's, night cards claimed.

All of it runs on a redealt copy of the game, so it may read the whole record. It works in two
records of scratch, LINE (the position that is played on) and TRIAL (the same, one answer further);
to value a position is to spend it.
"""

# Compiled, like the engine: the types follow from the parameters' names.
# mypy: allow-untyped-defs

from __future__ import annotations

import numba
import numpy as np

from hemlock_env.cards.vocabulary import CELLS
from hemlock_env.engine.chance import HALF, mix
from hemlock_env.engine.constants import EMPTY, NOBODY, SPACE_BLOCK, Decision, Step
from hemlock_env.engine.decisions import answer, list_legal
from hemlock_env.engine.events import EVENT_TIE
from hemlock_env.engine.flow import advance_once, claim, is_before_chance, seat_in_order
from hemlock_env.engine.kernel import ENTRY_TYPES
from hemlock_env.engine.markers import INFLUENCE, held_cells
from hemlock_env.engine.scoring import score
from hemlock_env.engine.state import entry_point, rule

LINE, TRIAL = 0, 1  # the records of `scratch`

entry = entry_point(
    {
        **ENTRY_TYPES,
        "scratch": ENTRY_TYPES["states"],
        "keys": numba.uint64[::1],
        "values": numba.int64[::1],
    }
)


# ---- a position as it stands ----


@rule
def best_space(state, tables):
    """R9.4: where the owner's next marker adds most to R10.1; ties: the lowest action."""
    district = tables.night_district[state.nights[0]]
    own = held_cells(state, state.decider, district)
    best, most = 0, 0
    for cell in range(CELLS):
        influence = INFLUENCE[own | (1 << cell)]
        if state.spaces[district, cell] == EMPTY and influence > most:
            best, most = cell, influence
    return tables.n_loot + SPACE_BLOCK + district * CELLS + best


@rule
def claim_all(state, tables):
    """R9.0 to R9.5: the revealed night cards fall as they would now; effects are broken off."""
    if state.n_nights == 0:
        return
    state.depth = 0
    state.decision = Decision.NONE  # a marker in progress is asked for anew
    state.decider = NOBODY
    if state.step < Step.CLAIM:
        state.supremacy = seat_in_order(state, 1)  # R9.0
    while claim(state, tables) == Step.CLAIM:
        if state.decision != Decision.NONE:
            answer(state, tables, best_space(state, tables))


@rule
def worth(state, tables, seat):
    """R10: the influence of `seat` less the best rival's, all claimed; spends the position."""
    claim_all(state, tables)
    best = -1
    for rival in range(state.num_players):
        if rival != seat:
            best = max(best, score(state, tables, rival))
    return score(state, tables, seat) - best


# ---- an action, and what it leaves pending ----


@rule
def own_choice(state, tables, legal, seat):
    """On to the next choice that `seat` has pending, with its legal actions; 0 where valuing stops.

    It stops at the next use_loot or special_action, at another seat's decision, before chance and
    at the end. Forced choices are made (R14.1).
    """
    while True:
        while state.decision == Decision.NONE:
            if state.step == Step.OVER or is_before_chance(state):
                return 0
            advance_once(state, tables)
        if state.decision == Decision.USE_LOOT or state.decision == Decision.SPECIAL_ACTION:
            return 0
        count = list_legal(state, tables, legal)
        if count > 1:
            return count if state.decider == seat else 0
        answer(state, tables, legal[0])


@entry
def best_answer(scratch, tables, legal, count, seat):
    """Of the answers to LINE's question the one that is worth most at once; ties: the lowest."""
    best = legal[0]
    most = -(1 << 30)
    for place in range(count):
        scratch[TRIAL] = scratch[LINE]
        answer(scratch[TRIAL], tables, legal[place])
        value = worth(scratch[TRIAL], tables, seat)
        if value > most:
            best, most = legal[place], value
    return best


@entry
def value_action(states, tables, game, action, scratch, legal):
    """What an action is worth to whoever decides, its own pending choices completed greedily."""
    seat = states[game].decider
    scratch[LINE] = states[game]
    answer(scratch[LINE], tables, action)
    count = own_choice(scratch[LINE], tables, legal, seat)
    while count > 0:
        answer(scratch[LINE], tables, best_answer(scratch, tables, legal, count, seat))
        count = own_choice(scratch[LINE], tables, legal, seat)
    return worth(scratch[LINE], tables, seat)


@rule
def draw_tie(seed, ties):
    """A number in 0..ties-1 from the key of a decision."""
    return np.int64(((mix(seed, EVENT_TIE) >> HALF) * np.uint64(ties)) >> HALF)


@entry
def draw_best(legals, counts, game, values, seed):
    """One of the actions of the highest value."""
    most = values[0]
    ties = 0
    for place in range(counts[game]):
        if values[place] > most:
            most, ties = values[place], 0
        ties += values[place] == most
    left = draw_tie(seed, ties)
    for place in range(counts[game]):
        if values[place] == most:
            if left == 0:
                return legals[game, place]
            left -= 1
    return legals[game, 0]  # never reached


@entry
def value_actions(states, all_tables, game, legals, counts, scratch, legal, values):
    """The worth of each legal action of one game."""
    for place in range(counts[game]):
        action = legals[game, place]
        values[place] = value_action(states, all_tables[0], game, action, scratch, legal)


@entry
def choose_best(states, all_tables, legals, counts, keys, scratch, legal, values, actions):
    """For each game the action that is worth most; ties by the key of the decision."""
    for game in range(states.shape[0]):
        value_actions(states, all_tables, game, legals, counts, scratch, legal, values)
        actions[game] = draw_best(legals, counts, game, values, keys[game])

"""R13: draw again all that is hidden from one seat, in a way that fits what the seat knows.

Every pool is put together from what the seat can work out (R13.3 to R13.5), never from who really
holds what, so two games that look the same to the seat are redealt alike by the same seed.
"""

import numpy as np

from hemlock_env.cards.vocabulary import LOOT_MAX, MINIONS
from hemlock_env.engine.chance import (
    SEED_BITS,
    begin_stream,
    draw_below,
    end_stream,
    mix,
    shuffle_night_deck,
)
from hemlock_env.engine.constants import NOTHING, Step
from hemlock_env.engine.decisions import list_legal
from hemlock_env.engine.events import EVENT_REDEAL
from hemlock_env.engine.setup import draw_agenda
from hemlock_env.engine.state import rule

# The mixes of one redeal seed: for the draws here, and for all chance to come.
NEW_FUTURE = EVENT_REDEAL + 1


@rule
def redeal(state, tables, legal, seat, seed):
    """R13.6: whoever decides still has two or more legal actions, so a deal that leaves fewer is
    drawn again.

    The true deal is one that fits, so this ends; returns how many legal actions there are (0 when
    over).
    """
    if state.step == Step.OVER:
        return 0
    state.seed = seed
    begin_stream(state, EVENT_REDEAL)
    sort_night_deck(state)
    shuffle_night_deck(state)
    redeal_agendas(state, tables, seat)
    count = 0
    while count < 2:
        redeal_hands(state, seat)
        redeal_loot_hands(state, tables, seat)
        count = list_legal(state, tables, legal)
    end_stream(state)
    state.seed = mix(seed, NEW_FUTURE) & SEED_BITS
    return count


@rule
def sort_night_deck(state):
    """Forget the order."""
    for last in range(1, state.n_deck):
        card = state.night_deck[last]
        place = last
        while place > 0 and state.night_deck[place - 1] > card:
            state.night_deck[place] = state.night_deck[place - 1]
            place -= 1
        state.night_deck[place] = card


@rule
def redeal_agendas(state, tables, seat):
    """R13.2: the rivals' agendas, from all but the own one."""
    if state.agendas == 0:
        return
    for rival in range(state.num_players):
        if rival != seat:
            state.agenda[rival] = NOTHING
    held = 1
    for rival in range(state.num_players):
        if rival != seat:
            state.agenda[rival] = draw_agenda(state, tables, tables.n_agendas - held)
            held += 1


@rule
def redeal_hands(state, seat):
    """R13.3, R13.4: what isn't known of the rivals' hands goes into a pool and is dealt again."""
    pool = np.zeros(MINIONS, np.int64)
    left = 0
    for rival in range(state.num_players):
        if rival != seat:
            for kind in range(MINIONS):
                unknown = state.hand[rival, kind] - state.known[rival, kind]
                pool[kind] += unknown
                left += unknown
    for rival in range(state.num_players):
        if rival != seat:
            left = deal_from_pool(state, pool, left, rival)


@rule
def deal_from_pool(state, pool, left, rival):
    """Fill a rival's hand up from the pool; returns how many cards are left in it."""
    size = 0
    for kind in range(MINIONS):
        size += state.hand[rival, kind] - state.known[rival, kind]
        state.hand[rival, kind] = state.known[rival, kind]
    for _ in range(size):
        state.hand[rival, draw_from_pool(state, pool, left)] += 1
        left -= 1
    return left


@rule
def draw_from_pool(state, pool, left):
    """One of the cards in a pool, which are `left` in all: its kind; it is taken out."""
    number = draw_below(state, left)
    kind = 0
    while number >= pool[kind]:
        number -= pool[kind]
        kind += 1
    pool[kind] -= 1
    return kind


@rule
def redeal_loot_hands(state, tables, seat):
    """R11.1, R13.5: a rival's loot cards are any that are neither used this night nor in the own
    hand.
    """
    if state.hidden_loot == 0:
        return
    pool = np.zeros(LOOT_MAX, np.int64)
    left = 0
    for loot in range(tables.n_loot):
        if state.used[loot] == 0 and state.loot_hand[seat, loot] == 0:
            pool[loot] = 1
            left += 1
    for rival in range(state.num_players):
        if rival != seat:
            left = deal_loot_from_pool(state, pool, left, rival)


@rule
def deal_loot_from_pool(state, pool, left, rival):
    """As many loot cards as the rival holds, from the pool; returns how many are left in it."""
    size = 0
    for loot in range(LOOT_MAX):
        size += state.loot_hand[rival, loot]
        state.loot_hand[rival, loot] = 0
    for _ in range(size):
        state.loot_hand[rival, draw_from_pool(state, pool, left)] = 1
        left -= 1
    return left

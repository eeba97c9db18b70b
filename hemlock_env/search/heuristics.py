"""What a position is worth to a seat: its value less the best rival's.

Two heuristic values of a seat: AS_IT_STANDS, its influence with the revealed night cards claimed as
they would fall now, in points; EXPECTED, its influence and what may be expected of all night cards
to come, in PARTS of a point. Whole numbers, so that equal positions are equal on every machine.

All of it runs on a redealt copy of the game, so it may read the whole record; of the night deck it
uses which cards are left, not their order.
"""

# Compiled, like the engine: types stand at the parameters, and where there is none it is an int64.
# mypy: allow-untyped-defs, allow-incomplete-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

import math

import numpy as np

from hemlock_env._jit import part
from hemlock_env.cards.vocabulary import CELLS, DISTRICTS, FIRST_LEADER, MINIONS
from hemlock_env.engine.constants import (
    EMPTY,
    NOBODY,
    SPACE_BLOCK,
    WEEK_NIGHTS,
    Decision,
    Step,
)
from hemlock_env.engine.decisions import answer
from hemlock_env.engine.flow import claim, has_leader, seat_in_order
from hemlock_env.engine.markers import INFLUENCE, has_empty_space, held_cells
from hemlock_env.engine.minions import total
from hemlock_env.engine.scoring import item_count, score
from hemlock_env.engine.types import State, Tables

AS_IT_STANDS, EXPECTED = 0, 1  # the heuristic values

PARTS = 1024  # of a point
MARKER = 2  # points that a marker is taken for where there is an empty space; support counts 1
TURNS_A_NIGHT = 3  # of each seat: two of loot, one special action

# How safe a lead is. With so many rounds (a turn of each seat) to come before the claims, a gap
# between two totals spreads like a sum of so many chance steps of this size.
STEP_SIZE = 1.5
ROUNDS_MAX = TURNS_A_NIGHT * WEEK_NIGHTS
GAP_MAX = 15  # what is beyond counts like this


def _hold(rounds: int, gap: int) -> int:
    """The chance, in PARTS, that a seat that is `gap` ahead claims in the end; a tie claims too."""
    if rounds == 0:
        return PARTS if gap >= 0 else 0
    return round(PARTS / (1 + math.exp(-(gap + 0.5) / (STEP_SIZE * math.sqrt(rounds)))))


# [rounds, GAP_MAX + gap]
HOLD = np.array(
    [
        [_hold(rounds, gap) for gap in range(-GAP_MAX, GAP_MAX + 1)]
        for rounds in range(ROUNDS_MAX + 1)
    ]
)
HOLD.flags.writeable = False


# ---- the night cards claimed at once ----


@part
def best_space(state: State, tables: Tables):
    """R9.4: where the owner's next marker adds most to R10.1; ties: the lowest action."""
    district = tables.night_district[state.nights[0]]
    own = held_cells(state, state.decider, district)
    best, best_influence = 0, 0
    for cell in range(CELLS):
        influence = INFLUENCE[own | (1 << cell)]
        if state.spaces[district, cell] == EMPTY and influence > best_influence:
            best, best_influence = cell, influence
    return tables.n_loot + SPACE_BLOCK + district * CELLS + best


@part
def claim_all(state: State, tables: Tables):
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


# ---- what is still to come ----


@part
def nights_to_come(state: State):
    """Nights whose cards the minions on the board are still there for: of this week, or the next
    once the claims are over.
    """
    if state.step >= Step.RETURNS:
        return WEEK_NIGHTS if state.week == 1 else 0
    return WEEK_NIGHTS - state.night


@part
def rounds_to_come(state: State):
    """Turns that a seat still has before the next claims, the turn in progress counted."""
    rounds = TURNS_A_NIGHT * nights_to_come(state)
    if state.step == Step.USE_LOOT or state.step == Step.LOOT_USED:
        return rounds + TURNS_A_NIGHT - state.turn // state.num_players
    if state.step == Step.SPECIAL or state.step == Step.SPECIAL_DONE:
        return rounds + 1 - state.turn // state.num_players
    return rounds


@part
def acts_again(state: State, seat):
    """Has the seat a special action to come in this game?"""
    if state.week == 1 or state.night < WEEK_NIGHTS or state.step < Step.SPECIAL:
        return True
    return (
        state.step <= Step.SPECIAL_DONE
        and (seat - state.supremacy) % state.num_players >= state.turn
    )


# ---- what a seat may expect ----


@part
def best_rival_total(state: State, tables: Tables, seat, district):
    """The highest total of anybody else in a district (R9.2)."""
    highest = 0
    for rival in range(state.num_players):
        if rival != seat:
            highest = max(highest, total(state, tables, rival, district))
    return highest


@part
def hold(state: State, tables: Tables, seat, district, rounds):
    """The chance, in PARTS, that a seat will be among those who claim the district (R9.2)."""
    own = total(state, tables, seat, district)
    if own == 0 and rounds == 0:
        return 0
    gap = own - best_rival_total(state, tables, seat, district)
    return HOLD[rounds, GAP_MAX + max(-GAP_MAX, min(GAP_MAX, gap))]


@part
def is_due(state: State, seat, i, rounds):
    """R9.2, R9.3: is the seat still to place its markers for the i-th revealed night card? The
    first round is for claimants, the second for leaders.
    """
    begun = state.claim_at if i == 0 else 0
    position = (seat - state.supremacy) % state.num_players
    return begun <= rounds * state.num_players + position


@part
def in_hand(state: State, tables: Tables, seat, district):
    """R9.4: markers that the seat is placing in the district just now."""
    if state.markers_left == 0 or tables.night_district[state.nights[0]] != district:
        return 0
    placing = (state.supremacy + state.claim_at - 1) % state.num_players
    return np.int64(state.markers_left) if placing == seat else 0


@part
def stake(state: State, tables: Tables, seat, district):
    """R9.2, R9.3: the markers that a district's night cards are good for to a seat, if it claims
    them and for its leader, in PARTS: those revealed this week and, by the chance that they are
    still revealed, those in the deck.
    """
    claimed = cards = np.int64(0)
    for i in range(state.n_nights):
        card = state.nights[i]
        if tables.night_district[card] == district:
            if is_due(state, seat, i, 0):
                claimed += PARTS * np.int64(tables.night_value[card])
            if is_due(state, seat, i, 1):
                cards += PARTS
    if state.n_deck > 0:
        likely = PARTS * nights_to_come(state) // np.int64(state.n_deck)
        for i in range(state.n_deck):
            card = state.night_deck[i]
            if tables.night_district[card] == district:
                claimed += likely * np.int64(tables.night_value[card])
                cards += likely
    return claimed, cards * np.int64(has_leader(state, seat, district))


@part
def markers_to_come(state: State, tables: Tables, seat, district):
    """Markers that a seat may expect of a district's night cards, in PARTS."""
    claimed, leaders = stake(state, tables, seat, district)
    markers = PARTS * in_hand(state, tables, seat, district) + leaders
    if claimed > 0:
        rounds = rounds_to_come(state)
        markers += claimed * hold(state, tables, seat, district, rounds) // PARTS
    return markers


@part
def claims(state: State, tables: Tables, seat):
    """What the markers to come count, in PARTS; the stock is their limit (R9.4)."""
    stock = PARTS * np.int64(state.stock[seat])
    if stock == 0:
        return 0
    placed = supports = np.int64(0)
    for district in range(DISTRICTS):
        markers = markers_to_come(state, tables, seat, district)
        if has_empty_space(state, district):
            placed += markers
        else:
            supports += markers
    return MARKER * min(placed, stock) + supports


@part
def unused(state: State, seat):
    """Face-up items and leaders in hand: each is good for about a point more than it counts, while
    there is a special action to use it.
    """
    if not acts_again(state, seat):
        return 0
    cards = np.int64(item_count(state, seat))
    for kind in range(FIRST_LEADER, MINIONS):
        cards += state.hand[seat, kind]
    return PARTS * cards


@part
def expected_influence(state: State, tables: Tables, seat):
    """A seat's influence (R10) and what it may expect, in PARTS."""
    influence = PARTS * np.int64(score(state, tables, seat))
    return influence + unused(state, seat) + claims(state, tables, seat)


# ---- a position ----


@part
def heuristic_value(state: State, tables: Tables, seat, heuristic):
    """Of one seat; AS_IT_STANDS once the claims are over."""
    if heuristic == EXPECTED:
        return expected_influence(state, tables, seat)
    return score(state, tables, seat)


@part
def evaluate(state: State, tables: Tables, seat, heuristic):
    """The heuristic value of a seat less the best rival's; AS_IT_STANDS spends the position."""
    if heuristic == AS_IT_STANDS:
        claim_all(state, tables)
    best = -(1 << 30)
    for rival in range(state.num_players):
        if rival != seat:
            best = max(best, heuristic_value(state, tables, rival, heuristic))
    return heuristic_value(state, tables, seat, heuristic) - best

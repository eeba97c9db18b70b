"""R3, R4, R5.1, R8, R9: the night and the week from top to bottom.

A step function returns the next step; `advance_once` alone assigns it.
"""

from hemlock_env.cards.tables import NOWHERE
from hemlock_env.cards.vocabulary import (
    DISTRICTS,
    FIRST_LEADER,
    ITEMS,
    LEADERS,
    MINIONS,
    NON_LEADERS,
)
from hemlock_env.engine.chance import begin_stream, draw_below, end_stream
from hemlock_env.engine.constants import ANYWHERE, LOOT_HAND, NOBODY, WEEK_NIGHTS, Decision, Step
from hemlock_env.engine.decisions import answer, crowded_district, list_legal
from hemlock_env.engine.effects import ask, can_play, run_word
from hemlock_env.engine.events import EVENT_LOOT
from hemlock_env.engine.markers import must_choose_space
from hemlock_env.engine.minions import total
from hemlock_env.engine.scoring import item_count
from hemlock_env.engine.state import rule


@rule
def seat_in_order(state, position):
    """R2.6: seats clockwise from the holder of supremacy; goes round as often as asked."""
    return (state.supremacy + position) % state.num_players


# ---- R4: reveals ---------------------------------------------------------------------------------


@rule
def reveal(state, tables):
    """R4.1, R4.2."""
    state.night += 1
    state.turn = 0
    reveal_night_card(state)
    state.used[:] = 0
    begin_stream(state, EVENT_LOOT + (state.week - 1) * WEEK_NIGHTS + state.night)
    if state.hidden_loot == 1:
        deal_loot_hands(state, tables)
    else:
        reveal_loot_row(state, tables)
    end_stream(state)
    return Step.USE_LOOT


@rule
def reveal_night_card(state):
    """R4.1: to the right of those already revealed this week."""
    state.nights[state.n_nights] = state.night_deck[0]
    state.n_nights += 1
    state.n_deck -= 1
    for place in range(state.n_deck):
        state.night_deck[place] = state.night_deck[place + 1]
    state.night_deck[state.n_deck] = 0


@rule
def draw_loot(state, tables, drawn):
    """The next card of the shuffled ten: one that is nowhere yet, `drawn` cards being out."""
    number = draw_below(state, tables.n_loot - drawn)
    for loot in range(tables.n_loot):
        if not is_drawn(state, loot):
            if number == 0:
                return loot
            number -= 1
    # Never reached: a set has enough loot cards for its players (checked when it loads).
    return NOBODY


@rule
def is_drawn(state, loot):
    """Is this loot card in the row or in a loot hand?"""
    if state.row[loot] == 1:
        return True
    for seat in range(state.num_players):
        if state.loot_hand[seat, loot] == 1:
            return True
    return False


@rule
def reveal_loot_row(state, tables):
    """R4.2: 2n+1 cards."""
    for drawn in range(2 * state.num_players + 1):
        state.row[draw_loot(state, tables, drawn)] = 1


@rule
def deal_loot_hands(state, tables):
    """R11.1: three cards each."""
    for drawn in range(LOOT_HAND * state.num_players):
        loot = draw_loot(state, tables, drawn)
        state.loot_hand[drawn // LOOT_HAND, loot] = 1


# ---- R5.1: the loot phase ------------------------------------------------------------------------


@rule
def use_loot(state):
    """R5.1: one card each in seat order, then a second; R5.2: then the rest goes back."""
    if state.turn == 2 * state.num_players:
        state.row[:] = 0
        state.loot_hand[:, :] = 0
        state.turn = 0
        return Step.SPECIAL
    state.active = seat_in_order(state, state.turn)
    ask(state, Decision.USE_LOOT, state.active)
    return Step.LOOT_USED


@rule
def loot_used(state):
    """The turn is over when its effects are."""
    state.turn += 1
    return Step.USE_LOOT


# ---- R8: special actions -------------------------------------------------------------------------


@rule
def special(state, tables):
    """R8.1: one each in seat order; R8.2: if any is legal."""
    if state.turn == state.num_players:
        state.turn = 0
        state.active = NOBODY
        return Step.NIGHT_OVER
    state.active = seat_in_order(state, state.turn)
    if has_special_action(state, tables, state.active):
        ask(state, Decision.SPECIAL_ACTION, state.active)
    return Step.SPECIAL_DONE


@rule
def has_special_action(state, tables, seat):
    """R8.1."""
    if item_count(state, seat) > 0:
        return True
    for kind in range(NON_LEADERS):
        if state.supply[kind] > 0:
            return True
    return can_play(state, tables, seat, ANYWHERE)


@rule
def special_done(state):
    """The turn is over when its effects are."""
    state.turn += 1
    return Step.SPECIAL


# ---- R9: the week's end --------------------------------------------------------------------------


@rule
def night_over(state):
    """R3.2: after the fourth night the claims; R9.0: before them supremacy passes."""
    if state.night < WEEK_NIGHTS:
        return Step.REVEAL
    state.supremacy = seat_in_order(state, 1)
    return Step.CLAIM


@rule
def claim(state, tables):
    """R9.1 to R9.5: the first unresolved night card, one marker at a time."""
    if state.n_nights == 0:
        return Step.RETURNS
    if state.markers_left > 0:
        place_one(state, tables)
    elif state.claim_at < 2 * state.num_players:
        state.markers_left = markers_due(state, tables, seat_in_order(state, state.claim_at))
        state.claim_at += 1
    else:
        resolve_night_card(state)
    return Step.CLAIM


@rule
def place_one(state, tables):
    """R9.4: a marker, a support marker, or nothing."""
    seat = seat_in_order(state, state.claim_at - 1)
    if must_choose_space(state, seat, tables.night_district[state.nights[0]]):
        ask(state, Decision.PLACE_MARKER, seat)
    else:
        state.markers_left -= 1


@rule
def markers_due(state, tables, seat):
    """R9.2: first round, a claimant's markers; R9.3: second round, one for a leader."""
    card = state.nights[0]
    district = tables.night_district[card]
    if state.claim_at >= state.num_players:
        return has_leader(state, seat, district)
    if is_claimant(state, tables, seat, district):
        return tables.night_value[card]
    return 0


@rule
def is_claimant(state, tables, seat, district):
    """R9.2: the highest total, ties included; a total of 0 claims nothing."""
    own = total(state, tables, seat, district)
    for other in range(state.num_players):
        if total(state, tables, other, district) > own:
            return False
    return own > 0


@rule
def has_leader(state, seat, district):
    """R9.3: 1 if the seat has a leader there (R6.4: never more)."""
    leaders = 0
    for kind in range(FIRST_LEADER, MINIONS):
        leaders += state.minions[district, seat, kind]
    return leaders


@rule
def resolve_night_card(state):
    """R9.5: it leaves the game."""
    state.n_nights -= 1
    for place in range(state.n_nights):
        state.nights[place] = state.nights[place + 1]
    state.nights[state.n_nights] = 0
    state.claim_at = 0


@rule
def returns(state):
    """R9.5: face-down items, then the leaders on the board, go back; R9.6: only week 1 discards
    down.
    """
    for seat in range(state.num_players):
        for item in range(ITEMS):
            state.item_supply[item] += state.spent[seat, item]
            state.spent[seat, item] = 0
        for leader in range(FIRST_LEADER, FIRST_LEADER + LEADERS):
            for district in range(DISTRICTS):
                state.supply[leader] += state.minions[district, seat, leader]
                state.minions[district, seat, leader] = 0
    return Step.DISCARD_DOWN if state.week == 1 else Step.WEEK_OVER


@rule
def discard_down(state):
    """R9.6: in seat order, district by district, one card at a time."""
    for position in range(state.num_players):
        seat = seat_in_order(state, position)
        if crowded_district(state, seat) != NOWHERE:
            ask(state, Decision.DISCARD_DOWN, seat)
            return Step.DISCARD_DOWN
    return Step.WEEK_OVER


@rule
def week_over(state):
    """R9.7: the discards go back; R3.2."""
    for kind in range(MINIONS):
        state.supply[kind] += state.discard[kind]
        state.discard[kind] = 0
    if state.week == 2:
        return Step.OVER
    state.week = 2
    state.night = 0
    return Step.REVEAL


# ---- the rules' clockwork ------------------------------------------------------------------------


@rule
def advance_once(state, tables):
    """Unfinished effects first, then the step that the week is at."""
    if state.depth > 0:
        run_word(state, tables)
    elif state.step == Step.REVEAL:
        state.step = reveal(state, tables)
    elif state.step == Step.USE_LOOT:
        state.step = use_loot(state)
    elif state.step == Step.LOOT_USED:
        state.step = loot_used(state)
    elif state.step == Step.SPECIAL:
        state.step = special(state, tables)
    elif state.step == Step.SPECIAL_DONE:
        state.step = special_done(state)
    elif state.step == Step.NIGHT_OVER:
        state.step = night_over(state)
    elif state.step == Step.CLAIM:
        state.step = claim(state, tables)
    elif state.step == Step.RETURNS:
        state.step = returns(state)
    elif state.step == Step.DISCARD_DOWN:
        state.step = discard_down(state)
    elif state.step == Step.WEEK_OVER:
        state.step = week_over(state)


@rule
def run_to_question(state, tables):
    """Carry the rules on until anything is asked, forced or not, or the game is over."""
    while state.decision == Decision.NONE and state.step != Step.OVER:
        advance_once(state, tables)


@rule
def is_before_chance(state):
    """Will the next thing be drawn at random?"""
    return state.step == Step.REVEAL and state.depth == 0 and state.decision == Decision.NONE


@rule
def run_to_choice(state, tables, legal):
    """R14.1: on to a question with two or more answers, making forced choices; 0 when over."""
    while True:
        run_to_question(state, tables)
        count = list_legal(state, tables, legal)
        if count != 1:
            return count
        answer(state, tables, legal[0])


@rule
def step(state, tables, legal, action):
    """A player's legal answer, and on to the next real choice; its legal actions are in `legal`."""
    state.decisions += 1
    answer(state, tables, action)
    return run_to_choice(state, tables, legal)

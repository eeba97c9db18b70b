"""R2: a new game."""

from hemlock_env.cards.vocabulary import (
    CELLS,
    DISTRICTS,
    GENERICS,
    ITEMS,
    MAX_PLAYERS,
    MINIONS,
    NIGHTS,
)
from hemlock_env.engine.chance import begin_stream, draw_below, end_stream, shuffle_night_deck
from hemlock_env.engine.constants import (
    EMPTY,
    HAND,
    MARKERS,
    NO_SPACE,
    NOBODY,
    NOTHING,
    RANDOM_SIDE,
    STACK_MAX,
    Decision,
    Step,
)
from hemlock_env.engine.effects import blank_frame
from hemlock_env.engine.events import (
    EVENT_AGENDAS,
    EVENT_DEAL,
    EVENT_FIRST_PLAYER,
    EVENT_NIGHT_DECK,
    EVENT_SIDES,
)
from hemlock_env.engine.state import rule


@rule
def set_up(state, tables, seed):
    """R2, from the options already written in the record: players, variants, asked_side,
    asked_first.
    """
    state.seed = seed
    clear(state)
    choose_sides(state)
    lay_out(state, tables)
    fill_supply(state, tables)
    deal_hands(state)
    deal_agendas(state, tables)
    choose_first_player(state)
    for card in range(NIGHTS):
        state.night_deck[card] = card
    state.n_deck = NIGHTS
    begin_stream(state, EVENT_NIGHT_DECK)
    shuffle_night_deck(state)
    end_stream(state)
    state.step = Step.REVEAL


@rule
def clear(state):
    """An empty table."""
    state.week, state.night, state.turn, state.decisions = 1, 0, 0, 0
    state.decision = Decision.NONE
    state.decider = state.active = NOBODY
    state.depth = 0
    for depth in range(STACK_MAX):
        blank_frame(state, depth)
    state.claim_at = state.markers_left = 0
    state.discard[:] = 0
    state.minions[:, :, :] = 0
    state.known[:, :] = 0
    state.items[:, :] = 0
    state.spent[:, :] = 0
    state.stock[:] = 0
    state.support[:] = 0
    state.nights[:] = 0
    state.n_nights = 0
    state.row[:] = 0
    state.used[:] = 0
    state.hand[:, :] = 0
    state.agenda[:] = NOTHING
    state.loot_hand[:, :] = 0


@rule
def choose_sides(state):
    """R2.3: `random` is drawn for each district, whatever the others are."""
    begin_stream(state, EVENT_SIDES)
    for district in range(DISTRICTS):
        drawn = draw_below(state, 2)
        asked = state.asked_side[district]
        state.side[district] = drawn if asked == RANDOM_SIDE else asked
    end_stream(state)


@rule
def lay_out(state, tables):
    """R2.3: the districts with their empty spaces; markers for each player."""
    for district in range(DISTRICTS):
        for cell in range(CELLS):
            is_space = tables.spaces[district, state.side[district], cell] == 1
            state.spaces[district, cell] = EMPTY if is_space else NO_SPACE
    for seat in range(state.num_players):
        state.stock[seat] = MARKERS


@rule
def fill_supply(state, tables):
    """R2.1, R1.5; R2.2: n copies of each generic kind leave it for the deal."""
    for kind in range(MINIONS):
        state.supply[kind] = state.num_players * tables.minion_copies[kind]
        if kind < GENERICS:
            state.supply[kind] -= state.num_players
    for item in range(ITEMS):
        state.item_supply[item] = state.num_players * tables.item_copies[item]


@rule
def deal_hands(state):
    """R2.2: four cards each, drawn one by one; in the stream's pile `left` of each generic kind
    remain.
    """
    begin_stream(state, EVENT_DEAL)
    undealt = GENERICS * state.num_players
    for seat in range(state.num_players):
        for _ in range(HAND):
            number = draw_below(state, undealt)
            undealt -= 1
            for kind in range(GENERICS):
                left = state.num_players - dealt(state, kind)
                if number < left:
                    state.hand[seat, kind] += 1
                    break
                number -= left
    end_stream(state)


@rule
def dealt(state, kind):
    """Copies of a kind that are in hands already."""
    count = 0
    for seat in range(MAX_PLAYERS):
        count += state.hand[seat, kind]
    return count


@rule
def deal_agendas(state, tables):
    """R11.3: one card each."""
    begin_stream(state, EVENT_AGENDAS)
    if state.agendas == 1:
        for seat in range(state.num_players):
            state.agenda[seat] = draw_agenda(state, tables, tables.n_agendas - seat)
    end_stream(state)


@rule
def draw_agenda(state, tables, left):
    """The next card of the shuffled agendas: one that no seat holds, of the `left` that remain."""
    number = draw_below(state, left)
    for card in range(tables.n_agendas):
        if not is_agenda_held(state, card):
            if number == 0:
                return card
            number -= 1
    return NOTHING  # never reached: checked against the number of players when the game is made


@rule
def is_agenda_held(state, card):
    """Does any seat hold this agenda card?"""
    for seat in range(state.num_players):
        if state.agenda[seat] == card:
            return True
    return False


@rule
def choose_first_player(state):
    """R2.5: the seat that the options name, else drawn."""
    begin_stream(state, EVENT_FIRST_PLAYER)
    drawn = draw_below(state, state.num_players)
    state.supremacy = drawn if state.asked_first == NOBODY else state.asked_first
    end_stream(state)

"""R7: the effect stack, and one function for each word.

A word that needs an answer asks and leaves its row; once answered it finishes, and the next word
runs. Running a word again before it was answered asks the same question again: that is how a
position is read back.
"""

from hemlock_env.cards.tables import FIRST_SCHEME_SOURCE, NOWHERE
from hemlock_env.cards.vocabulary import DISTRICTS, FIRST_LEADER, GENERICS, MINIONS, Op, Where
from hemlock_env.engine.constants import ANYWHERE, NOBODY, NOTHING, Decision
from hemlock_env.engine.markers import gain_support, must_choose_space
from hemlock_env.engine.minions import (
    available,
    gain,
    hand_size,
    has_losable_in,
    is_in_scope,
    leader_may_stand,
)
from hemlock_env.engine.state import rule

# ---- the stack -----------------------------------------------------------------------------------


@rule
def ask(state, decision, seat):
    """Open a question; `decisions.answer` closes it."""
    state.decision = decision
    state.decider = seat


@rule
def push(state, source, here):
    """Begin an effect, in a frame that is blank."""
    frame = state.frames[state.depth]
    frame.source = source
    frame.here = here
    state.depth += 1


@rule
def pop(state):
    """End the effect on top, leaving nothing of it behind."""
    state.depth -= 1
    blank_frame(state, state.depth)


@rule
def blank_frame(state, depth):
    """No effect in progress."""
    frame = state.frames[depth]
    frame.source = frame.row = frame.triggers = 0
    frame.here = NOWHERE
    clear_choices(frame)


@rule
def clear_choices(frame):
    """No choice made yet in the word in progress."""
    frame.rival = NOBODY
    frame.district = NOWHERE
    frame.minion = NOTHING
    frame.progress = 0


@rule
def next_word(state):
    """The word on top of the stack is done."""
    frame = state.frames[state.depth - 1]
    clear_choices(frame)
    frame.row += 1


@rule
def scheme_source(state, district):
    """The program of the scheme that lies face up in a district."""
    return FIRST_SCHEME_SOURCE + 2 * district + state.side[district]


@rule
def word(state, tables):
    """The word in progress on top of the stack: (Op, argument)."""
    frame = state.frames[state.depth - 1]
    return tables.program[frame.source, frame.row, 0], tables.program[frame.source, frame.row, 1]


@rule
def scope(state, tables):
    """The districts that the word in progress speaks of: one, ANYWHERE, or NOWHERE (R5.6)."""
    where = word(state, tables)[1]
    if where == Where.ANY:
        return ANYWHERE
    return state.frames[state.depth - 1].here


# ---- one function a word -------------------------------------------------------------------------


@rule
def loot_minion(state, tables):
    """R5.3 (a), R5.5: the kind that the loot card in use places, a servant in its place, or
    NOTHING.
    """
    return available(state, tables.loot_minion[state.frames[0].source])


@rule
def place_loot_minion(state, tables):
    """R5.3 (a): the district is the player's choice; R5.6 with nothing to place."""
    if loot_minion(state, tables) == NOTHING:
        next_word(state)
    else:
        ask(state, Decision.PLACE_MINION, state.active)


@rule
def trigger_scheme(state):
    """R5.3 (c): as settled when the minion was placed."""
    frame = state.frames[state.depth - 1]
    triggers, here = frame.triggers, frame.here
    frame.triggers = 0
    next_word(state)
    if triggers == 1:
        push(state, scheme_source(state, here), here)


@rule
def place_marker(state, tables):
    """R7.1; R5.6: "here" with no minion placed does nothing."""
    where = scope(state, tables)
    if where != NOWHERE and must_choose_space(state, state.active, where):
        ask(state, Decision.PLACE_MARKER, state.active)
    else:
        next_word(state)


@rule
def gain_item(state, item):
    """R7.2."""
    if state.item_supply[item] > 0:
        state.item_supply[item] -= 1
        state.items[state.active, item] += 1
    next_word(state)


@rule
def gain_minion(state, kind):
    """R7.3."""
    gain(state, state.active, kind)
    next_word(state)


@rule
def gain_chosen(state, first, end):
    """R7.4, R7.5: a kind of the player's choice among first..end-1; none in the supply: R6.6."""
    for kind in range(first, end):
        if state.supply[kind] > 0:
            ask(state, Decision.GAIN_MINION, state.active)
            return
    gain(state, state.active, NOTHING)
    next_word(state)


@rule
def may_play(state, tables, seat, kind, district):
    """R6.4, R7.6, R8.1 (c): may this kind go from the hand to this district?"""
    if state.hand[seat, kind] == 0:
        return False
    if kind < FIRST_LEADER:
        return True
    return tables.lair[kind] == district and leader_may_stand(state, tables, seat, kind)


@rule
def can_play(state, tables, seat, where):
    """R7.6: is there any legal minion for these districts?"""
    for kind in range(MINIONS):
        for district in range(DISTRICTS):
            if is_in_scope(district, where) and may_play(state, tables, seat, kind, district):
                return True
    return False


@rule
def play_minion(state, tables):
    """R7.6."""
    if can_play(state, tables, state.active, scope(state, tables)):
        ask(state, Decision.PLAY_MINION, state.active)
    else:
        next_word(state)


@rule
def is_possible_rival(state, seat, where):
    """R7.7: another seat with a minion to lose there."""
    return seat != state.active and has_losable_in(state, seat, where)


@rule
def discard_rival(state, tables):
    """R7.7: first the rival, if several qualify, then the minion."""
    frame = state.frames[state.depth - 1]
    if frame.rival == NOBODY:
        where = scope(state, tables)
        possible = 0
        for seat in range(state.num_players):
            if is_possible_rival(state, seat, where):
                possible += 1
                frame.rival = seat
        if possible == 0:
            next_word(state)
            return
        if possible > 1:
            frame.rival = NOBODY
            ask(state, Decision.PICK_RIVAL, state.active)
            return
    ask(state, Decision.DISCARD_RIVAL, state.active)


@rule
def move_minion(state):
    """R7.8: first the minion, which stays where it is until its new district is chosen."""
    if state.frames[state.depth - 1].minion != NOTHING:
        ask(state, Decision.MOVE_TO, state.active)
    else:
        return_minion(state)


@rule
def return_minion(state):
    """R7.9: an own minion from the board, never a leader."""
    if has_losable_in(state, state.active, ANYWHERE):
        ask(state, Decision.PICK_OWN, state.active)
    else:
        next_word(state)


@rule
def rivals_discard(state):
    """R7.10: each rival in clockwise order who holds any."""
    frame = state.frames[state.depth - 1]
    while frame.progress < state.num_players - 1:
        rival = (state.active + 1 + frame.progress) % state.num_players
        if hand_size(state, rival) > 0:
            ask(state, Decision.DISCARD_HAND, rival)
            return
        frame.progress += 1
    next_word(state)


@rule
def may_place_leader(state, tables, seat, kind):
    """R7.11."""
    return state.supply[kind] > 0 and leader_may_stand(state, tables, seat, kind)


@rule
def place_leader(state, tables):
    """R7.11."""
    for kind in range(FIRST_LEADER, MINIONS):
        if may_place_leader(state, tables, state.active, kind):
            ask(state, Decision.PLACE_LEADER, state.active)
            return
    next_word(state)


@rule
def support_word(state):
    """R7.12."""
    gain_support(state, state.active)
    next_word(state)


@rule
def run_word(state, tables):
    """Carry out the word in progress, or ask what it needs."""
    op, argument = word(state, tables)
    if op == Op.END:
        pop(state)
    elif op == Op.PLACE_LOOT_MINION:
        place_loot_minion(state, tables)
    elif op == Op.TRIGGER_SCHEME:
        trigger_scheme(state)
    elif op == Op.PLACE_MARKER:
        place_marker(state, tables)
    elif op == Op.GAIN_ITEM:
        gain_item(state, argument)
    elif op == Op.GAIN_MINION:
        gain_minion(state, argument)
    elif op == Op.GAIN_GENERIC:
        gain_chosen(state, 0, GENERICS)
    elif op == Op.GAIN_LEADER:
        gain_chosen(state, FIRST_LEADER, MINIONS)
    elif op == Op.PLAY_MINION:
        play_minion(state, tables)
    elif op == Op.DISCARD_RIVAL:
        discard_rival(state, tables)
    elif op == Op.MOVE_MINION:
        move_minion(state)
    elif op == Op.RETURN_MINION:
        return_minion(state)
    elif op == Op.RIVALS_DISCARD:
        rivals_discard(state)
    elif op == Op.PLACE_LEADER:
        place_leader(state, tables)
    elif op == Op.GAIN_SUPPORT:
        support_word(state)

"""Every question: what may be answered (legal_x) directly above what the answer does (apply_x).

A legal_x writes action numbers, ascending, into `legal` and returns how many; an apply_x trusts its
caller. `effects.ask` opens a question, `answer` below closes it; nobody else does either.
"""

from hemlock_env.cards.tables import FIRST_ITEM_SOURCE, NOWHERE
from hemlock_env.cards.vocabulary import (
    CELLS,
    DISTRICTS,
    FIRST_LEADER,
    GENERICS,
    ITEMS,
    MINIONS,
    NON_LEADERS,
    SERVANT,
    Op,
)
from hemlock_env.engine.constants import (
    ANYWHERE,
    DISCARD_BLOCK,
    DISTRICT_BLOCK,
    EMPTY,
    ITEM_BLOCK,
    KEPT_MINIONS,
    NOBODY,
    OWN_BLOCK,
    PLAY_BLOCK,
    PLAY_LEADER_BLOCK,
    RIVAL_BLOCK,
    SEAT_BLOCK,
    SPACE_BLOCK,
    TAKE_BLOCK,
    Decision,
)
from hemlock_env.engine.effects import (
    is_possible_rival,
    loot_minion,
    may_place_leader,
    may_play,
    next_word,
    push,
    scheme_source,
    scope,
    word,
)
from hemlock_env.engine.markers import put_marker
from hemlock_env.engine.minions import (
    counting_cards,
    from_hand,
    is_in_scope,
    is_triggered,
    place,
    to_hand,
)
from hemlock_env.engine.state import rule

# ---- R5.1: use a loot card -----------------------------------------------------------------------


@rule
def legal_use_loot(state, tables, legal):
    """R5.1, R11.1: a card of the row or of the own loot hand; R11.2: or a face-up item."""
    count = 0
    for loot in range(tables.n_loot):
        if state.row[loot] == 1 or state.loot_hand[state.decider, loot] == 1:
            legal[count] = loot
            count += 1
    if state.items_as_loot == 1:
        count = list_items(state, tables, legal, count)
    return count


@rule
def list_items(state, tables, legal, count):
    """The face-up items of the seat that decides."""
    for item in range(ITEMS):
        if state.items[state.decider, item] > 0:
            legal[count] = tables.n_loot + ITEM_BLOCK + item
            count += 1
    return count


@rule
def apply_use_loot(state, tables, action):
    """R5.2: a used card leaves the row at once; R11.2."""
    if action >= tables.n_loot:
        use_item(state, action - tables.n_loot - ITEM_BLOCK)
        return
    state.row[action] = 0
    state.loot_hand[state.decider, action] = 0
    state.used[action] = 1
    push(state, action, NOWHERE)


@rule
def use_item(state, item):
    """R8.1 (a): turn it face down, then resolve its effect."""
    state.items[state.decider, item] -= 1
    state.spent[state.decider, item] += 1
    push(state, FIRST_ITEM_SOURCE + item, NOWHERE)


# ---- R5.3 (a): the district of the loot's minion -------------------------------------------------


@rule
def legal_place_minion(tables, legal):
    """R5.3: a district of the player's choice; no loot card brings a leader."""
    for district in range(DISTRICTS):
        legal[district] = tables.n_loot + DISTRICT_BLOCK + district
    return DISTRICTS


@rule
def apply_place_minion(state, tables, action):
    """R5.3: whether the scheme triggers is settled as the minion is placed."""
    district = action - tables.n_loot - DISTRICT_BLOCK
    kind = loot_minion(state, tables)
    state.supply[kind] -= 1
    place(state, state.decider, kind, district)
    frame = state.frames[state.depth - 1]
    frame.here = district
    if is_triggered(state, tables, kind, district):
        frame.triggers = 1
    next_word(state)


# ---- R7.1, R9.4: the space of a marker -----------------------------------------------------------


@rule
def marker_scope(state, tables):
    """Where the marker may go: in a claim the night card's district, else what the word says."""
    if state.depth == 0:
        return tables.night_district[state.nights[0]]
    return scope(state, tables)


@rule
def legal_place_marker(state, tables, legal):
    """R7.1, R9.4: any empty space there."""
    where = marker_scope(state, tables)
    count = 0
    for district in range(DISTRICTS):
        if is_in_scope(district, where):
            for cell in range(CELLS):
                if state.spaces[district, cell] == EMPTY:
                    legal[count] = tables.n_loot + SPACE_BLOCK + district * CELLS + cell
                    count += 1
    return count


@rule
def apply_place_marker(state, tables, action):
    """R7.1, R9.4."""
    space = action - tables.n_loot - SPACE_BLOCK
    put_marker(state, state.decider, space // CELLS, space % CELLS)
    if state.depth == 0:
        state.markers_left -= 1
    else:
        next_word(state)


# ---- R7.4, R7.5: the minion to gain --------------------------------------------------------------


@rule
def legal_gain_minion(state, tables, legal):
    """R7.4: a generic kind in the supply; R7.5: a leader in the supply."""
    first, end = 0, GENERICS
    if word(state, tables)[0] == Op.GAIN_LEADER:
        first, end = FIRST_LEADER, MINIONS
    return list_takes(state, tables, legal, 0, first, end)


@rule
def list_takes(state, tables, legal, count, first, end):
    """The kinds first..end-1 that are in the supply."""
    for kind in range(first, end):
        if state.supply[kind] > 0:
            legal[count] = tables.n_loot + TAKE_BLOCK + kind
            count += 1
    return count


@rule
def take(state, tables, action):
    """From the supply to the hand of the seat that decides."""
    kind = action - tables.n_loot - TAKE_BLOCK
    state.supply[kind] -= 1
    to_hand(state, state.decider, kind)


@rule
def apply_gain_minion(state, tables, action):
    """R7.4, R7.5."""
    take(state, tables, action)
    next_word(state)


# ---- R7.6: the minion to play --------------------------------------------------------------------


@rule
def legal_play_minion(state, tables, legal):
    """R7.6: from hand to the districts that the word speaks of."""
    return list_plays(state, tables, legal, 0, scope(state, tables))


@rule
def list_plays(state, tables, legal, count, where):
    """The minions that the deciding seat may place from hand, kind by kind."""
    for kind in range(FIRST_LEADER):
        if state.hand[state.decider, kind] > 0:
            for district in range(DISTRICTS):
                if is_in_scope(district, where):
                    legal[count] = tables.n_loot + PLAY_BLOCK + kind * DISTRICTS + district
                    count += 1
    for kind in range(FIRST_LEADER, MINIONS):
        lair = tables.lair[kind]
        if is_in_scope(lair, where) and may_play(state, tables, state.decider, kind, lair):
            legal[count] = tables.n_loot + PLAY_LEADER_BLOCK + kind - FIRST_LEADER
            count += 1
    return count


@rule
def played(tables, action):
    """Kind and district of a `play` action."""
    number = action - tables.n_loot - PLAY_BLOCK
    if number < NON_LEADERS * DISTRICTS:
        return number // DISTRICTS, number % DISTRICTS
    kind = number - NON_LEADERS * DISTRICTS + FIRST_LEADER
    return kind, tables.lair[kind]


@rule
def play(state, tables, action):
    """From hand to the own side; returns whether the scheme there triggers, and where."""
    kind, district = played(tables, action)
    from_hand(state, state.decider, kind)
    place(state, state.decider, kind, district)
    return is_triggered(state, tables, kind, district), district


@rule
def apply_play_minion(state, tables, action):
    """R5.7: the scheme that it triggers is resolved before the rest of this effect."""
    next_word(state)
    triggered, district = play(state, tables, action)
    if triggered:
        push(state, scheme_source(state, district), district)


# ---- R7.7: the rival, and the minion to discard --------------------------------------------------


@rule
def legal_pick_rival(state, tables, legal):
    """R7.7: by the number of seats clockwise from the actor."""
    where = scope(state, tables)
    count = 0
    for offset in range(1, state.num_players):
        seat = (state.active + offset) % state.num_players
        if is_possible_rival(state, seat, where):
            legal[count] = tables.n_loot + SEAT_BLOCK + offset - 1
            count += 1
    return count


@rule
def apply_pick_rival(state, tables, action):
    """R7.7."""
    offset = action - tables.n_loot - SEAT_BLOCK + 1
    state.frames[state.depth - 1].rival = (state.active + offset) % state.num_players


@rule
def legal_discard_rival(state, tables, legal):
    """R7.7: never a leader."""
    rival = state.frames[state.depth - 1].rival
    where = scope(state, tables)
    return list_board(state, legal, rival, where, tables.n_loot + RIVAL_BLOCK)


@rule
def list_board(state, legal, seat, where, block):
    """The kinds, leaders left out, that a seat has on the board, district by district."""
    count = 0
    for district in range(DISTRICTS):
        if is_in_scope(district, where):
            for kind in range(NON_LEADERS):
                if state.minions[district, seat, kind] > 0:
                    legal[count] = block + district * NON_LEADERS + kind
                    count += 1
    return count


@rule
def apply_discard_rival(state, tables, action):
    """R7.7, R6.5."""
    number = action - tables.n_loot - RIVAL_BLOCK
    district, kind = number // NON_LEADERS, number % NON_LEADERS
    rival = state.frames[state.depth - 1].rival
    state.minions[district, rival, kind] -= 1
    state.discard[kind] += 1
    next_word(state)


# ---- R7.8, R7.9: an own minion, and where it goes ------------------------------------------------


@rule
def legal_pick_own(state, tables, legal):
    """R7.8, R7.9: any own minion on the board, never a leader."""
    return list_board(state, legal, state.decider, ANYWHERE, tables.n_loot + OWN_BLOCK)


@rule
def apply_pick_own(state, tables, action):
    """R7.9: back to hand at once; R7.8: it waits for its new district."""
    number = action - tables.n_loot - OWN_BLOCK
    district, kind = number // NON_LEADERS, number % NON_LEADERS
    if word(state, tables)[0] == Op.RETURN_MINION:
        state.minions[district, state.decider, kind] -= 1
        to_hand(state, state.decider, kind)
        next_word(state)
        return
    frame = state.frames[state.depth - 1]
    frame.district = district
    frame.minion = kind


@rule
def legal_move_to(state, tables, legal):
    """R7.8: another district."""
    count = 0
    for district in range(DISTRICTS):
        if district != state.frames[state.depth - 1].district:
            legal[count] = tables.n_loot + DISTRICT_BLOCK + district
            count += 1
    return count


@rule
def apply_move_to(state, tables, action):
    """R7.8, R6.7: moving is not placing."""
    frame = state.frames[state.depth - 1]
    state.minions[frame.district, state.decider, frame.minion] -= 1
    district = action - tables.n_loot - DISTRICT_BLOCK
    state.minions[district, state.decider, frame.minion] += 1
    next_word(state)


# ---- R7.10: a minion of the own hand -------------------------------------------------------------


@rule
def legal_discard_hand(state, tables, legal):
    """R7.10: any kind in hand, leaders too."""
    count = 0
    for kind in range(MINIONS):
        if state.hand[state.decider, kind] > 0:
            legal[count] = tables.n_loot + DISCARD_BLOCK + kind
            count += 1
    return count


@rule
def apply_discard_hand(state, tables, action):
    """R7.10, R6.5: then the next rival."""
    kind = action - tables.n_loot - DISCARD_BLOCK
    from_hand(state, state.decider, kind)
    state.discard[kind] += 1
    state.frames[state.depth - 1].progress += 1


# ---- R7.11: a leader from the supply -------------------------------------------------------------


@rule
def legal_place_leader(state, tables, legal):
    """R7.11: into its lair, where the seat has none yet."""
    count = 0
    for kind in range(FIRST_LEADER, MINIONS):
        if may_place_leader(state, tables, state.decider, kind):
            legal[count] = tables.n_loot + PLAY_LEADER_BLOCK + kind - FIRST_LEADER
            count += 1
    return count


@rule
def apply_place_leader(state, tables, action):
    """R7.11."""
    kind, lair = played(tables, action)
    state.supply[kind] -= 1
    place(state, state.decider, kind, lair)
    next_word(state)


# ---- R8.1: a special action ----------------------------------------------------------------------


@rule
def legal_special_action(state, tables, legal):
    """R8.1: (a) an item, (b) a non-leader from the supply, (c) a minion from hand."""
    count = list_items(state, tables, legal, 0)
    count = list_takes(state, tables, legal, count, 0, NON_LEADERS)
    return list_plays(state, tables, legal, count, ANYWHERE)


@rule
def apply_special_action(state, tables, action):
    """R8.1; R6.7: nothing is triggered."""
    number = action - tables.n_loot
    if number < DISTRICT_BLOCK:
        use_item(state, number - ITEM_BLOCK)
    elif number < PLAY_BLOCK:
        take(state, tables, action)
    else:
        play(state, tables, action)


# ---- R9.6: down to two minions -------------------------------------------------------------------


@rule
def crowded_district(state, seat):
    """R9.6: the first district where a seat has too many cards, NOWHERE if there is none."""
    for district in range(DISTRICTS):
        if counting_cards(state, seat, district) > KEPT_MINIONS:
            return district
    return NOWHERE


@rule
def legal_discard_down(state, tables, legal):
    """R9.6: servants don't count and stay; the leaders have gone already (R9.5)."""
    district = crowded_district(state, state.decider)
    count = 0
    for kind in range(NON_LEADERS):
        if kind != SERVANT and state.minions[district, state.decider, kind] > 0:
            legal[count] = tables.n_loot + OWN_BLOCK + district * NON_LEADERS + kind
            count += 1
    return count


@rule
def apply_discard_down(state, tables, action):
    """R9.6: these cards go to the supply."""
    number = action - tables.n_loot - OWN_BLOCK
    district, kind = number // NON_LEADERS, number % NON_LEADERS
    state.minions[district, state.decider, kind] -= 1
    state.supply[kind] += 1


# ---- both together, in the order of Decision -----------------------------------------------------


@rule
def list_legal(state, tables, legal):
    """Write the legal actions of the open question, ascending; return how many (0: no question is
    open).
    """
    decision = state.decision
    if decision == Decision.USE_LOOT:
        return legal_use_loot(state, tables, legal)
    if decision == Decision.PLACE_MINION:
        return legal_place_minion(tables, legal)
    if decision == Decision.PLACE_MARKER:
        return legal_place_marker(state, tables, legal)
    if decision == Decision.GAIN_MINION:
        return legal_gain_minion(state, tables, legal)
    if decision == Decision.PLAY_MINION:
        return legal_play_minion(state, tables, legal)
    if decision == Decision.PICK_RIVAL:
        return legal_pick_rival(state, tables, legal)
    if decision == Decision.DISCARD_RIVAL:
        return legal_discard_rival(state, tables, legal)
    if decision == Decision.PICK_OWN:
        return legal_pick_own(state, tables, legal)
    if decision == Decision.MOVE_TO:
        return legal_move_to(state, tables, legal)
    if decision == Decision.DISCARD_HAND:
        return legal_discard_hand(state, tables, legal)
    if decision == Decision.PLACE_LEADER:
        return legal_place_leader(state, tables, legal)
    if decision == Decision.SPECIAL_ACTION:
        return legal_special_action(state, tables, legal)
    if decision == Decision.DISCARD_DOWN:
        return legal_discard_down(state, tables, legal)
    return 0


@rule
def answer(state, tables, action):
    """Carry out a legal action and close the question."""
    decision = state.decision
    if decision == Decision.USE_LOOT:
        apply_use_loot(state, tables, action)
    elif decision == Decision.PLACE_MINION:
        apply_place_minion(state, tables, action)
    elif decision == Decision.PLACE_MARKER:
        apply_place_marker(state, tables, action)
    elif decision == Decision.GAIN_MINION:
        apply_gain_minion(state, tables, action)
    elif decision == Decision.PLAY_MINION:
        apply_play_minion(state, tables, action)
    elif decision == Decision.PICK_RIVAL:
        apply_pick_rival(state, tables, action)
    elif decision == Decision.DISCARD_RIVAL:
        apply_discard_rival(state, tables, action)
    elif decision == Decision.PICK_OWN:
        apply_pick_own(state, tables, action)
    elif decision == Decision.MOVE_TO:
        apply_move_to(state, tables, action)
    elif decision == Decision.DISCARD_HAND:
        apply_discard_hand(state, tables, action)
    elif decision == Decision.PLACE_LEADER:
        apply_place_leader(state, tables, action)
    elif decision == Decision.SPECIAL_ACTION:
        apply_special_action(state, tables, action)
    elif decision == Decision.DISCARD_DOWN:
        apply_discard_down(state, tables, action)
    state.decision = Decision.NONE
    state.decider = NOBODY

"""R6: what minions count, where they may go, and how they pass between supply, hands and board."""

import numpy as np

from hemlock_env.cards.vocabulary import (
    DISTRICTS,
    GENERICS,
    MINIONS,
    NON_LEADERS,
    SERVANT,
)
from hemlock_env.engine.constants import ANYWHERE, NOTHING, Step
from hemlock_env.engine.state import rule


@rule
def total(state, tables, seat, district):
    """R9.2: the values of a seat's minions in a district."""
    amount = 0
    for kind in range(MINIONS):
        count = np.int64(state.minions[district, seat, kind])
        amount += count * tables.minion_value[district, kind]
    return amount


@rule
def available(state, kind):
    """R5.5, R6.6: the kind itself, a servant in its place, or NOTHING."""
    if kind != NOTHING and state.supply[kind] > 0:
        return kind
    if state.supply[SERVANT] > 0:
        return SERVANT
    return NOTHING


@rule
def to_hand(state, seat, kind):
    """R13.4: everyone sees the kind that comes to a hand."""
    state.hand[seat, kind] += 1
    state.known[seat, kind] += 1


@rule
def from_hand(state, seat, kind):
    """R13.4: and the kind that leaves it."""
    state.hand[seat, kind] -= 1
    if state.known[seat, kind] > 0:
        state.known[seat, kind] -= 1


@rule
def gain(state, seat, kind):
    """R7.3: from the supply to hand, with R6.6; `kind` NOTHING asks for the servant at once."""
    gained = available(state, kind)
    if gained != NOTHING:
        state.supply[gained] -= 1
        to_hand(state, seat, gained)


@rule
def hand_size(state, seat):
    """Minions in a hand."""
    size = 0
    for kind in range(MINIONS):
        size += state.hand[seat, kind]
    return size


@rule
def leader_may_stand(state, tables, seat, kind):
    """R6.4: the lair has no leader of that seat yet."""
    return state.minions[tables.lair[kind], seat, kind] == 0


@rule
def place(state, seat, kind, district):
    """Onto the own side of a district."""
    state.minions[district, seat, kind] += 1


@rule
def is_triggered(state, tables, kind, district):
    """R6.7: would placing this kind here trigger the district's scheme?"""
    if state.step != Step.LOOT_USED:  # only in the loot phase
        return False
    if kind == SERVANT:  # R6.3
        return True
    # R6.2, R6.4: a masque or a leader never triggers, whatever the symbols
    return kind < GENERICS and tables.symbols[district, state.side[district], kind] == 1


@rule
def has_losable(state, seat, district):
    """R7.7 to R7.9: any minion of a seat in a district that is not a leader."""
    for kind in range(NON_LEADERS):
        if state.minions[district, seat, kind] > 0:
            return True
    return False


@rule
def has_losable_in(state, seat, scope):
    """The same in one district, in ANYWHERE, or (scope NOWHERE) in none."""
    for district in range(DISTRICTS):
        if is_in_scope(district, scope) and has_losable(state, seat, district):
            return True
    return False


@rule
def is_in_scope(district, scope):
    """Does an effect that speaks of `scope` reach this district?"""
    return scope == ANYWHERE or scope == district


@rule
def counting_cards(state, seat, district):
    """R9.6: minion cards on a side, servants not counted."""
    cards = 0
    for kind in range(MINIONS):
        if kind != SERVANT:
            cards += state.minions[district, seat, kind]
    return cards

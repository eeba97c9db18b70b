"""What is wrong with a state by the rules: a state that somebody wrote down is held against them.

Plain Python: it is asked once a position, and says of each fault where it is and why.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from hemlock_env.cards.tables import FIRST_ITEM_SOURCE, FIRST_SCHEME_SOURCE, NOWHERE
from hemlock_env.cards.vocabulary import FIRST_LEADER, ITEMS, MINIONS, NIGHTS, Op
from hemlock_env.engine.constants import (
    LOOT_HAND,
    MARKERS,
    NOBODY,
    NOTHING,
    OWNED,
    WEEK_NIGHTS,
    Phase,
    Step,
)
from hemlock_env.engine.view import PHASE_OF_STEP


class Fault(NamedTuple):
    """Where a state breaks a rule, and which."""

    at: tuple[Any, ...]
    """a field of STATE, and indices or the field of a frame after it"""
    why: str


def faults(state: Any, tables: Any, used_is_known: bool = True) -> Iterator[Fault]:
    """Every fault of a state that stands at a question or at the end.

    Args:
        state: a record of STATE with each value in its range.
        tables: the record of its card set.
        used_is_known: False where a position leaves out which loot was used this night.
    """
    yield from course_faults(state)
    yield from hand_faults(state)
    yield from leader_faults(state, tables)
    yield from night_faults(state)
    yield from loot_faults(state, used_is_known)
    yield from agenda_faults(state)
    yield from minion_faults(state, tables)
    yield from item_faults(state, tables)
    yield from marker_faults(state)
    yield from return_faults(state)
    for depth in range(state["depth"]):
        yield from effect_faults(state, tables, depth)


def phase_of(state: Any) -> Phase:
    """The part of the night that a state stands in."""
    return Phase(int(PHASE_OF_STEP[state["step"]]))


def course_faults(state: Any) -> Iterator[Fault]:
    """R3.2, R9.6: what comes after the nights of a week, and when."""
    phase = phase_of(state)
    name = phase.name.lower()
    if phase not in (Phase.LOOT, Phase.SPECIAL) and state["night"] != WEEK_NIGHTS:
        yield Fault(("night",), f"{state['night']} must be 4 in phase {name!r} (R3.2)")
    week = {Phase.DISCARD_DOWN: 1, Phase.OVER: 2}.get(phase, state["week"])
    if state["week"] != week:
        yield Fault(("week",), f"must be {week} in phase {name!r} (R9.6, R3.2)")


def hand_faults(state: Any) -> Iterator[Fault]:
    """R13.4: what is known of a hand is in it."""
    for seat, kind in np.argwhere(state["known"] > state["hand"]).tolist():
        yield Fault(("known", seat, kind), "is more than the hand holds (R13.4)")


def leader_faults(state: Any, tables: Any) -> Iterator[Fault]:
    """R6.4: a leader stands only at home, and one on a side."""
    for district, seat, kind in np.argwhere(state["minions"]).tolist():
        count = state["minions"][district, seat, kind]
        if kind >= FIRST_LEADER and count > (tables["lair"][kind] == district):
            why = "a leader stands only in its lair, and alone (R6.4)"
            yield Fault(("minions", district, seat, kind), why)


def night_faults(state: Any) -> Iterator[Fault]:
    """R2.4, R4.1, R9.5: how many night cards have come, are unresolved, and are to come."""
    night, phase = int(state["night"]), phase_of(state)
    deck = state["night_deck"][: state["n_deck"]]
    if np.isin(deck, state["nights"][: state["n_nights"]]).any():
        yield Fault(("night_deck",), "holds a card that is among `nights`")
    to_come = NIGHTS - (int(state["week"]) - 1) * WEEK_NIGHTS - night
    if len(deck) != to_come:
        yield Fault(("night_deck",), f"must hold {to_come} cards at this night (R4.1)")
    few = many = night
    if phase == Phase.CLAIM:
        few, many = 1, WEEK_NIGHTS
    elif phase in (Phase.DISCARD_DOWN, Phase.OVER):
        few = many = 0
    if not few <= state["n_nights"] <= many:
        yield Fault(("nights",), f"must hold {few} to {many} cards here (R4.1, R9.5)")


# ---- loot ----------------------------------------------------------------------------------------


def loot_faults(state: Any, used_is_known: bool) -> Iterator[Fault]:
    """R4.2, R5.2, R11.1: each card in one place, and the right number of them."""
    places = state["row"] + state["used"] + state["loot_hand"].sum(axis=0)
    if (places > 1).any():
        yield Fault(("used",), "holds a card that is also in loot_row or a loot_hand")
    if state["hidden_loot"]:
        yield from loot_hand_faults(state, used_is_known)
    else:
        yield from loot_row_faults(state, used_is_known)
    used, uses = int(state["used"].sum()), sum(loot_uses(state))
    # Less where items stood in (R11.2), or where it is left out.
    is_exact = used and used_is_known and phase_of(state) != Phase.LOOT
    is_exact = is_exact and not state["items_as_loot"]
    if used > uses or (is_exact and used != uses):
        yield Fault(("used",), f"{used} cards, but {uses} were used (R5.1)")


def loot_uses(state: Any) -> list[int]:
    """Turns of the loot phase that each seat has begun, the running one included (R5.1)."""
    players = int(state["num_players"])
    if phase_of(state) != Phase.LOOT:
        return [2] * players
    begun = [0] * players
    for turn in range(int(state["turn"]) + int(state["step"] == Step.LOOT_USED)):
        begun[(int(state["supremacy"]) + turn) % players] += 1
    return begun


def loot_row_faults(state: Any, used_is_known: bool) -> Iterator[Fault]:
    """R4.2, R5.2; with R11.2 an item may have been used instead."""
    if state["loot_hand"].any():
        yield Fault(("loot_hand",), "a loot_hand without the option loot='hand' (R11.1)")
    in_phase, cards = phase_of(state) == Phase.LOOT, 2 * int(state["num_players"]) + 1
    few = cards - sum(loot_uses(state)) if in_phase else 0
    many = cards if in_phase and state["items_as_loot"] else few
    row = int(state["row"].sum())
    if not few <= row <= many:
        yield Fault(("row",), f"{row} cards, but {few} to {many} can be left (R5.2)")
    if in_phase and used_is_known and row + state["used"].sum() != cards:
        yield Fault(("used",), f"with the loot_row it must make {cards} cards (R4.2)")


def loot_hand_faults(state: Any, used_is_known: bool) -> Iterator[Fault]:
    """R11.1: three cards each, less those used; the third goes back."""
    if state["row"].any():
        yield Fault(("row",), "must be empty with the option loot='hand' (R11.1)")
    in_phase, players = phase_of(state) == Phase.LOOT, int(state["num_players"])
    for seat, uses in enumerate(loot_uses(state)):
        few = max(LOOT_HAND - uses, 0) if in_phase else 0
        many = LOOT_HAND if in_phase and state["items_as_loot"] else few
        held = int(state["loot_hand"][seat].sum())
        if not few <= held <= many:
            why = f"{held} cards, but {few} to {many} are right (R11.1)"
            yield Fault(("loot_hand", seat), why)
    dealt = LOOT_HAND * players - int(state["loot_hand"].sum())
    if in_phase and used_is_known and state["used"].sum() != dealt:
        yield Fault(("used",), f"{dealt} cards have left the hands (R11.1)")


# ---- every card and marker is somewhere ----------------------------------------------------------


def agenda_faults(state: Any) -> Iterator[Fault]:
    """R11.3: with the option a card for each seat, no card twice; without it none."""
    agendas = state["agenda"][: state["num_players"]].tolist()
    for seat, agenda in enumerate(agendas):
        if (agenda != NOTHING) != bool(state["agendas"]):
            option = "with" if state["agendas"] else "without"
            held = "none is held" if agenda == NOTHING else "is held"
            yield Fault(("agenda", seat), f"{held} {option} the option agendas (R11.3)")
        elif agenda != NOTHING and agenda in agendas[:seat]:
            yield Fault(("agenda", seat), "is held twice (R11.3)")


def minion_faults(state: Any, tables: Any) -> Iterator[Fault]:
    """R1.5: every minion is somewhere, once."""
    for kind in range(MINIONS):
        count = (
            state["supply"][kind]
            + state["discard"][kind]
            + state["hand"][:, kind].sum()
            + state["minions"][:, :, kind].sum()
        )
        exist = tables["minion_copies"][kind] * state["num_players"]
        if count != exist:
            yield Fault(("supply", kind), f"{count} in all places, but {exist} exist (R1.5)")


def item_faults(state: Any, tables: Any) -> Iterator[Fault]:
    """R1.5: every item is somewhere, once."""
    for item in range(ITEMS):
        held = state["items"][:, item].sum() + state["spent"][:, item].sum()
        count = state["item_supply"][item] + held
        exist = tables["item_copies"][item] * state["num_players"]
        if count != exist:
            yield Fault(("item_supply", item), f"{count} in all places, but {exist} exist (R1.5)")


def marker_faults(state: Any) -> Iterator[Fault]:
    """R1.6."""
    for seat in range(state["num_players"]):
        stock, placed = int(state["stock"][seat]), int((state["spaces"] == OWNED + seat).sum())
        if stock + placed != MARKERS:
            why = f"{stock} in stock and {placed} placed make {stock + placed}, not {MARKERS}"
            yield Fault(("stock", seat), f"{why} (R1.6)")


def return_faults(state: Any) -> Iterator[Fault]:
    """R9.5, R9.7: what has gone back to the supply by now."""
    phase, gone = phase_of(state), "gone back to the supply by now"
    if phase not in (Phase.DISCARD_DOWN, Phase.OVER):
        return
    if state["spent"].any():
        yield Fault(("spent",), f"`spent` items have {gone} (R9.5)")
    if state["minions"][:, :, FIRST_LEADER:].any():
        yield Fault(("minions",), f"leaders have {gone} (R9.5)")
    if phase == Phase.OVER and state["discard"].any():
        yield Fault(("discard",), f"has {gone} (R9.7)")


# ---- effects in progress -------------------------------------------------------------------------


def effect_faults(state: Any, tables: Any, depth: int) -> Iterator[Fault]:
    """R7: first a loot card or an item, above it a scheme; choices made belong to the word in
    progress.
    """

    def fault(field: str, why: str) -> Fault:
        return Fault(("frames", depth, field), why)

    frame = state["frames"][depth]
    source, row = int(frame["source"]), int(frame["row"])
    is_scheme, is_loot = source >= FIRST_SCHEME_SOURCE, source < FIRST_ITEM_SOURCE
    if is_scheme != (depth == 1) or (is_loot and phase_of(state) != Phase.LOOT):
        yield fault("source", "can't be in progress there (R7.6)")
    if is_loot and state["used"][source] != 1:
        yield fault("source", "is being used, so loot_used must hold it (R5.2)")
    words = tables["program"][source, :, 0]
    if Op.END in words[:row] or (is_scheme and words[row] == Op.END):
        yield fault("row", f"{row} is past the end of the effect")
    if frame["triggers"] and (not is_loot or frame["here"] == NOWHERE):
        yield fault("triggers", "only a placed loot minion triggers (R5.3)")
    if is_scheme and frame["here"] != (source - FIRST_SCHEME_SOURCE) // 2:
        yield fault("here", "must be the scheme's own district (R7)")
    if not is_scheme and not is_loot and frame["here"] != NOWHERE:
        yield fault("here", "an item has no here (R7)")
    if words[row] == Op.PLACE_LOOT_MINION and frame["here"] != NOWHERE:
        yield fault("here", "the minion isn't placed yet (R5.3)")
    for field, why in choice_faults(state, frame, words[row]):
        yield fault(field, why)


def choice_faults(state: Any, frame: Any, op: int) -> Iterator[tuple[str, str]]:
    """R7.7, R7.8, R7.10: what the player has chosen already in the word in progress."""
    if frame["rival"] != NOBODY and op != Op.DISCARD_RIVAL:
        yield "rival", "no rival is picked in this word (R7.7)"
    if frame["rival"] == state["active"]:
        yield "rival", "must be another seat than the acting one (R7.7)"
    moving = frame["minion"] != NOTHING
    if moving != (frame["district"] != NOWHERE) or (moving and op != Op.MOVE_MINION):
        yield "minion", "no minion is moved in this word (R7.8)"
    elif moving and not is_movable(state, frame):
        yield "minion", "no such own minion, leaders apart, is there (R7.8)"
    if frame["progress"] and op != Op.RIVALS_DISCARD:
        yield "progress", "no rivals discard in this word (R7.10)"


def is_movable(state: Any, frame: Any) -> bool:
    """R7.8: an own minion that stands where it is said to, never a leader."""
    own = state["minions"][frame["district"], state["active"]]
    return bool(frame["minion"] < FIRST_LEADER and own[frame["minion"]] > 0)

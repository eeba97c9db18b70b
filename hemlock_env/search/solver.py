"""An exact solver for the end of a game of two: what every legal action is worth with best play.

Once the loot of the last night lies open nothing is hidden or random any more (R13.3), so the rest
is a game of perfect information and can be searched to its end: alpha-beta inside the compiled
engine, one record of `scratch` for each choice that is open. docs/endgames.md says how.

A value is one whole number, what seat 0 gets: twice its margin, plus 1 if it wins, less 1 if it
loses (R10.6). A house with the larger influence wins, so this orders by outcome first and by margin
second.
"""

# Compiled, like the engine: the types follow from the parameters' names.
# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from hemlock_env._jit import compiled, ensure, new_records
from hemlock_env.cards.vocabulary import CELLS, DISTRICTS
from hemlock_env.engine.constants import (
    EMPTY,
    LEGAL_MAX,
    NOBODY,
    WEEK_NIGHTS,
    Decision,
    Step,
)
from hemlock_env.engine.decisions import answer, list_legal
from hemlock_env.engine.flow import advance_once, seat_in_order, step
from hemlock_env.engine.kernel import ENTRY_TYPES
from hemlock_env.engine.markers import INFLUENCE, held_cells
from hemlock_env.engine.scoring import placed_markers, score
from hemlock_env.engine.state import TYPES, entry_point
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.game import Game
from hemlock_env.game.spec import GameSpec

NODES = 5_000_000  # positions that a search may look at, if the caller doesn't say
NODES_MAX = 1 << 40

PLIES = 128  # choices that can be open at once
UNSOLVED = 1 << 40  # beyond any value
MEMO_BITS = 16
MEMO_MASK = (1 << MEMO_BITS) - 1

# A choice that is open: the window that its value is wanted in, and the best answer so far.
PLY = np.dtype(
    [
        ("at", np.int64),  # answers tried
        ("count", np.int64),  # of so many
        ("alpha", np.int64),  # seat 0 is sure of it elsewhere
        ("beta", np.int64),  # and seat 1 of this
        ("best", np.int64),
    ],
    align=True,
)

# A district in the claims. Sets of cells are numbers, bit by bit, as in engine/markers.
AREA = np.dtype(
    [
        ("own", np.int64, (2,)),  # cells of each seat before the claims
        ("empty", np.int64),
        ("order", np.int64),  # who places, bit by bit, the next lowest; ends with a 1
        ("count", np.int64),  # how many markers
    ],
    align=True,
)

# A marker to be placed, in the search of one district.
SPOT = np.dtype(
    [
        ("own", np.int64, (2,)),
        ("empty", np.int64),
        ("order", np.int64),
        ("left", np.int64),  # spaces not yet tried
        ("best", np.int64),
    ],
    align=True,
)


def _records(dtype: np.dtype[Any]) -> Any:
    return numba.types.Array(numba.from_dtype(dtype), 1, "C", aligned=True)


SOLVER_TYPES = {
    **ENTRY_TYPES,
    "scratch": ENTRY_TYPES["states"],
    "plies": _records(PLY),
    "choices": numba.int16[:, ::1],
    "promises": numba.int64[::1],
    "areas": _records(AREA),
    "spots": _records(SPOT),
    "memo": numba.int64[:, ::1],
    "tally": numba.int64[::1],
}

entry = entry_point(SOLVER_TYPES)


def part(function):
    """A piece of an entry point."""
    return compiled(function, {**TYPES, **SOLVER_TYPES})


# ---- the claims of one district ------------------------------------------------------------------


@part
def lead_in(own, other):
    """R10.1: the influence of one set of markers less another's."""
    return INFLUENCE[own] - INFLUENCE[other]


@part
def memo_key(spots, at):
    """All that the value depends on; never 0."""
    spot = spots[at]
    own, other = spot.own[0], spot.own[1]
    cells = own | (other << CELLS) | (spot.empty << (2 * CELLS))
    return cells | (spot.order << (3 * CELLS))


@part
def memo_place(key):
    """Where a key is kept; a later one takes the place of an earlier."""
    return (key ^ (key >> 9) ^ (key >> 20)) & MEMO_MASK


@part
def fold_spot(spots, at, value):
    """One way to place the marker is worth this."""
    spot = spots[at]
    if spot.order & 1 == 0:
        spot.best = max(spot.best, value)
    else:
        spot.best = min(spot.best, value)


@part
def open_spot(spots, at):
    """No space tried yet."""
    spot = spots[at]
    spot.left = spot.empty
    spot.best = UNSOLVED if spot.order & 1 else -UNSOLVED


@part
def place_next(spots, at):
    """The next space of a spot is taken; what follows stands in the spot above."""
    here, above = spots[at], spots[at + 1]
    cell = here.left & -here.left
    here.left ^= cell
    above.own[0], above.own[1] = here.own[0], here.own[1]
    above.own[here.order & 1] |= cell
    above.empty = here.empty ^ cell
    above.order = here.order >> 1


@part
def area_value(areas, district, spots, memo):
    """Seat 0's lead in a district when both place their markers there as best they can.

    Every way is tried, but what has been found out about a set of cells is kept in `memo`, for this
    position and all that follow.
    """
    area, root = areas[district], spots[0]
    root.own[0], root.own[1] = area.own[0], area.own[1]
    root.empty, root.order = area.empty, area.order
    key = memo_key(spots, 0)
    if memo[memo_place(key), 0] == key:
        return memo[memo_place(key), 1]
    open_spot(spots, 0)
    at = 0
    while True:
        if spots[at].left == 0:
            value = spots[at].best
            key = memo_key(spots, at)
            memo[memo_place(key), 0], memo[memo_place(key), 1] = key, value
            if at == 0:
                return value
            at -= 1
            fold_spot(spots, at, value)
            continue
        place_next(spots, at)
        above = spots[at + 1]
        if above.order == 1:
            fold_spot(spots, at, lead_in(above.own[0], above.own[1]))
            continue
        key = memo_key(spots, at + 1)
        if memo[memo_place(key), 0] == key:
            fold_spot(spots, at, memo[memo_place(key), 1])
            continue
        at += 1
        open_spot(spots, at)


# ---- all claims ----------------------------------------------------------------------------------


@part
def break_off(state):
    """The claims begin now (R9.0), whatever is still to come before them."""
    if state.step >= Step.CLAIM:
        return
    state.depth = 0
    state.decision = Decision.NONE
    state.decider = NOBODY
    state.supremacy = seat_in_order(state, 1)
    state.step = Step.CLAIM


@part
def open_areas(state, areas):
    """The districts before the claims, with nobody to place yet."""
    for district in range(DISTRICTS):
        area = areas[district]
        area.own[0] = held_cells(state, 0, district)
        area.own[1] = held_cells(state, 1, district)
        area.empty = 0
        for cell in range(CELLS):
            area.empty |= np.int64(state.spaces[district, cell] == EMPTY) << cell
        area.order = area.count = 0


@part
def claim_anyhow(state, tables, legal, areas):
    """To the end of the game, each marker on the lowest space; notes who places where."""
    while state.step != Step.OVER:
        if state.decision == Decision.NONE:
            advance_once(state, tables)
            continue
        area = areas[tables.night_district[state.nights[0]]]
        area.order |= np.int64(state.decider) << area.count
        area.count += 1
        list_legal(state, tables, legal)
        answer(state, tables, legal[0])


@part
def worth(margin, placed):
    """R10.6: the value of a margin, more or fewer placed markers breaking a tie."""
    deciding = margin if margin != 0 else placed
    outcome = np.int64(deciding > 0) - np.int64(deciding < 0)
    return 2 * margin + outcome


@part
def settle(state, tables, legal, areas, spots, memo):
    """The value of a position from which only the claims are played; spends it.

    Who places how many markers where is settled before the first one (R9.2 to R9.4): minions don't
    move any more, and a marker takes one space, whichever it is. So the claims are one small game
    for each district, and what both get in them adds up; the winner, too, follows from the sum.
    """
    break_off(state)
    open_areas(state, areas)
    claim_anyhow(state, tables, legal, areas)
    margin = score(state, tables, 0) - score(state, tables, 1)
    for district in range(DISTRICTS):
        area = areas[district]
        if area.count > 0:
            area.order |= 1 << area.count
            margin += area_value(areas, district, spots, memo)
            margin -= lead_in(held_cells(state, 0, district), held_cells(state, 1, district))
    return worth(margin, placed_markers(state, 0) - placed_markers(state, 1))


# ---- what comes before the claims ----------------------------------------------------------------


@part
def fold(scratch, at, plies, value):
    """One answer to an open choice is worth this to seat 0."""
    ply = plies[at]
    if scratch[at].decider == 0:
        ply.best = max(ply.best, value)
        ply.alpha = max(ply.alpha, value)
    else:
        ply.best = min(ply.best, value)
        ply.beta = min(ply.beta, value)


@part
def keep(choices, at, promises, kept, better, action, value):
    """Put an answer among those that are kept, the most promising first."""
    while kept > 0 and (value - promises[kept - 1]) * better > 0:
        promises[kept] = promises[kept - 1]
        choices[at, kept] = choices[at, kept - 1]
        kept -= 1
    promises[kept] = value
    choices[at, kept] = action


@part
def answer_in_next(scratch, at, tables, choices, action):
    """The record above becomes the next choice; returns how many answers that has."""
    scratch[at + 1] = scratch[at]
    return step(scratch[at + 1], tables, choices[at + 1], action)


@part
def open_ply(
    scratch, at, tables, plies, choices, promises, areas, spots, memo, tally, count, alpha, beta
):
    """A choice with so many answers. Those that leave only the claims are settled at once, the
    others kept in the order of what they promise: their value if the claims came next.
    """
    ply = plies[at]
    first = scratch[at].decider == 0
    ply.at = ply.count = 0
    ply.alpha, ply.beta = alpha, beta
    ply.best = -UNSOLVED if first else UNSOLVED
    kept = 0
    for place in range(count):
        action = choices[at, place]
        answer_in_next(scratch, at, tables, choices, action)
        tally[0] += 1
        last = scratch[at + 1].step >= Step.CLAIM
        value = settle(scratch[at + 1], tables, choices[at + 1], areas, spots, memo)
        if last:
            fold(scratch, at, plies, value)
            if ply.alpha >= ply.beta:
                return
        else:
            keep(choices, at, promises, kept, 1 if first else -1, action, value)
            kept += 1
    ply.count = kept


@part
def search(scratch, tables, plies, choices, promises, areas, spots, memo, tally, count, nodes):
    """The value of the choice in record 0, which has so many answers; UNSOLVED after `nodes`."""
    open_ply(
        scratch, 0, tables, plies, choices, promises, areas, spots, memo, tally,
        count, -UNSOLVED, UNSOLVED,
    )  # fmt: skip
    at = 0
    while True:
        here = plies[at]
        if here.at == here.count or here.alpha >= here.beta:
            if at == 0:
                return here.best
            at -= 1
            fold(scratch, at, plies, here.best)
            continue
        if tally[0] >= nodes or at + 2 == PLIES:
            return UNSOLVED
        answers = answer_in_next(scratch, at, tables, choices, choices[at, here.at])
        here.at += 1
        open_ply(
            scratch, at + 1, tables, plies, choices, promises, areas, spots, memo, tally,
            answers, here.alpha, here.beta,
        )  # fmt: skip
        at += 1


@entry
def solve_action(
    states,
    all_tables,
    game,
    action,
    nodes,
    scratch,
    plies,
    choices,
    promises,
    areas,
    spots,
    memo,
    tally,
):
    """What one legal action of a game is worth to seat 0, or UNSOLVED; `tally` counts positions."""
    tables = all_tables[0]
    scratch[0] = states[game]
    count = step(scratch[0], tables, choices[0], action)
    tally[0] += 1
    if scratch[0].step >= Step.CLAIM:
        return settle(scratch[0], tables, choices[0], areas, spots, memo)
    return search(
        scratch, tables, plies, choices, promises, areas, spots, memo, tally, count, nodes
    )


# ---- for Python ----------------------------------------------------------------------------------


class NotSolved(ValueError):  # noqa: N818 - it says what happened
    """The search has looked at as many positions as it may."""


class Value(NamedTuple):
    """What whoever decides gets when both play their best from then on."""

    outcome: int
    """1 it wins, 0 the win is shared, -1 it loses"""
    margin: int
    """its influence less the rival's"""


@dataclass(frozen=True)
class Solution:
    """All that there is to know about a position."""

    seat: int
    """who decides"""
    values: dict[str, Value]
    """of every legal action by name, in the order of the action table"""
    nodes: int
    """positions looked at"""

    @property
    def value(self) -> Value:
        """What the best actions are worth."""
        return max(self.values.values())

    @property
    def outcome(self) -> int:
        """1: whoever decides wins with best play, 0: the win is shared, -1: it loses."""
        return self.value.outcome

    @property
    def margin(self) -> int:
        """How far ahead it ends up with best play."""
        return self.value.margin

    @property
    def best(self) -> list[str]:
        """The actions that are worth most."""
        return [name for name, value in self.values.items() if value == self.value]


def value_from(number: int) -> Value:
    """A value from its number, as the seat that it is counted for sees it."""
    outcome = (number > 0) - (number < 0)
    return Value(outcome, (number - outcome) // 2)


def new_room(spec: GameSpec) -> tuple[Any, ...]:
    """What a search works in; the next search may use it again."""
    return (
        GameArrays(spec, PLIES).states,
        new_records(PLY, PLIES),
        np.empty((PLIES, LEGAL_MAX), np.int16),
        np.empty(LEGAL_MAX, np.int64),
        new_records(AREA, DISTRICTS),
        new_records(SPOT, CELLS + 1),
        np.zeros((1 << MEMO_BITS, 2), np.int64),
    )


def refusal(game: Game) -> str | None:
    """Why a game can't be solved, or None if it can."""
    state = game.state
    if game.num_players != 2:
        return f"only games of two can be solved, this one has {game.num_players} players"
    if state["hidden_loot"] or state["agendas"]:
        hides = "hidden loot" if state["hidden_loot"] else "agendas"
        return f"a game with {hides} can't be solved: not all is open"
    if game.over:
        return "the game is over: there is nothing to solve"
    week, night = int(state["week"]), int(state["night"])
    if (week, night) != (2, WEEK_NIGHTS):
        return (
            f"week {week}, night {night} is too early to solve: cards are still to be drawn "
            f"until the loot of week 2, night {WEEK_NIGHTS} is revealed"
        )
    return None


def solve(game: Game, nodes: int = NODES) -> Solution:
    """The exact value of every legal action of a game of two in its last night.

    Args:
        game: from the reveal of the last loot on; any sides, `items_as_loot` too.
        nodes: positions that may be looked at. From the last use of loot on thousands are enough.

    Raises:
        ValueError: such a game can't be solved; NotSolved: not with so many nodes.
    """
    if isinstance(nodes, bool) or not isinstance(nodes, int | np.integer):
        raise ValueError(f"nodes={nodes!r}: must be a whole number")
    if not 1 <= nodes <= NODES_MAX:
        raise ValueError(f"nodes={nodes}: must be from 1 to {NODES_MAX}")
    reason = refusal(game)
    if reason is not None:
        raise ValueError(reason)
    numbers, looked_at = solve_row(game.arrays, 0, nodes, new_room(game.spec))
    if numbers is None:
        raise NotSolved(
            f"not solved within {nodes:,} nodes: allow more, or ask at a later decision"
        )
    names = map(game.action_name, game.legal_actions())
    values = map(value_from, numbers.tolist())
    assert game.seat is not None
    return Solution(game.seat, dict(zip(names, values, strict=True)), looked_at)


def solve_row(
    games: GameArrays, row: int, nodes: int, room: tuple[Any, ...]
) -> tuple[NDArray[np.int64] | None, int]:
    """The values of one game's legal actions to whoever decides, int64, and the nodes that it took;
    None if they were not enough.
    """
    ensure(solve_action)
    sign = 1 if games.seats[row] == 0 else -1
    tally = np.zeros(1, np.int64)
    numbers = np.empty(games.counts[row], np.int64)
    for place, action in enumerate(games.legals[row, : len(numbers)].tolist()):
        number = solve_action(games.states, games.spec.tables, row, action, nodes, *room, tally)
        if abs(number) == UNSOLVED:
            return None, int(tally[0])
        numbers[place] = sign * number
    return numbers, int(tally[0])

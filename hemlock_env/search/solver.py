"""An exact solver for the end of a game of two: what every legal action is worth with best play.

Once the loot of the last night lies open nothing is hidden or random any more (R13.3), so the rest
is a game of perfect information and can be searched to its end (`alpha_beta`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hemlock_env._check import whole
from hemlock_env._jit import ensure
from hemlock_env.engine.constants import WEEK_NIGHTS
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.game import Game
from hemlock_env.search import alpha_beta

NODES = 5_000_000  # positions that a search may look at, if the caller doesn't say
NODES_MAX = 1 << 40
SLICE = 50_000  # positions looked at in one call: some hundredths of a second


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
    nodes = whole(nodes, 1, NODES_MAX, "nodes")
    reason = refusal(game)
    if reason is not None:
        raise ValueError(reason)
    numbers, looked_at = solve_row(game.arrays, 0, nodes, alpha_beta.new_workspace())
    if numbers is None:
        raise NotSolved(
            f"not solved within {nodes:,} nodes: allow more, or ask at a later decision"
        )
    names = map(game.action_name, game.legal_actions())
    values = map(value_from, numbers.tolist())
    assert game.seat is not None
    return Solution(game.seat, dict(zip(names, values, strict=True)), looked_at)


def solve_row(
    games: GameArrays, row: int, nodes: int, workspace: alpha_beta.Workspace
) -> tuple[NDArray[np.int64] | None, int]:
    """The values of one game's legal actions to whoever decides, int64, and the nodes that it took;
    None if they were not enough.
    """
    ensure(alpha_beta.solve_action)
    sign = 1 if games.seats[row] == 0 else -1
    workspace.visited[0] = 0
    workspace.place[0] = alpha_beta.CLOSED  # the search before may have been broken off
    numbers = np.empty(games.counts[row], np.int64)
    for i, action in enumerate(games.legals[row, : len(numbers)].tolist()):
        number = alpha_beta.PAUSED
        while number == alpha_beta.PAUSED:  # Ctrl-C is heard here
            pause = workspace.visited[0] + SLICE
            number = alpha_beta.solve_action(
                games.states, games.spec.tables, row, action, nodes, pause, workspace
            )
        if abs(number) == alpha_beta.UNSOLVED:
            return None, int(workspace.visited[0])
        numbers[i] = sign * number
    return numbers, int(workspace.visited[0])

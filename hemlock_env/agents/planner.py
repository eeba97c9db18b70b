"""planner: searches all choices of its own turn, by influence and what the night cards promise.

It works on the game as its seat may imagine it. A turn goes on to the next use_loot or
special_action, another seat's decision or the next draw of chance; within the budget every way to
play it is tried. A position is worth one's outlook (`prospects`) less the best rival's: the
influence, the markers that the night cards are likely to bring, and a little for what is held
ready. Ties are drawn from the decision's key.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hemlock_env._jit import ensure, new_records
from hemlock_env.agents.base import Actions, Bot, Decisions
from hemlock_env.engine.constants import LEGAL_MAX
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.game import Game
from hemlock_env.search import turn as planning
from hemlock_env.search.heuristics import PARTS

BUDGET = 4_000
BUDGET_MAX = 10_000_000


class PlannerBot(Bot):
    """The whole of its own turn, by prospects."""

    def __init__(self, budget: int = BUDGET, seed: int = 0) -> None:
        """Searches at most so many positions a move.

        Args:
            budget: positions; where it doesn't reach, the choices that are left are completed
                greedily.
            seed: see `Bot`.

        Raises:
            ValueError: there can be no such budget.
        """
        super().__init__(seed)
        if not 0 <= budget <= BUDGET_MAX:
            raise ValueError(f"planner: budget={budget} must be from 0 to {BUDGET_MAX}")
        self.spec = "planner" + (f":budget={budget}" if budget != BUDGET else "")
        self.budget = budget

    def prepare(self) -> None:
        """Compile the search, or load it from the cache."""
        super().prepare()
        ensure(planning.choose_plans)

    def choose(self, decisions: Decisions) -> Actions:
        """An action that is worth most."""
        self.prepare()
        games = decisions.imagine()
        actions = np.empty(len(decisions), np.int16)
        planning.choose_plans(
            games.states,
            games.spec.tables,
            games.legals,
            games.counts,
            decisions.keys,
            self.budget,
            *_scratch(games),
            actions,
        )
        return actions

    def values(self, game: Game, key: int = 0) -> dict[str, float]:
        """What each legal action is worth, in points, to whoever decides; `key` draws what it
        can't see.
        """
        ensure(planning.plan_actions)
        games = Decisions.of(game, np.array([key], np.uint64)).imagine()
        scratch = _scratch(games)
        planning.plan_actions(
            games.states,
            games.spec.tables,
            0,
            games.legals,
            games.counts,
            self.budget,
            *scratch,
        )
        names = map(game.action_name, game.legal_actions())
        return dict(zip(names, (scratch[-1] / PARTS).tolist(), strict=False))


def _scratch(games: GameArrays) -> tuple[Any, ...]:
    """Room for the search: positions, open choices, their answers, the values of the actions."""
    positions = GameArrays(games.spec, planning.DEPTH + 2).states
    choices = np.empty((planning.DEPTH + 1, LEGAL_MAX), np.int16)
    tries = new_records(planning.TRY, planning.DEPTH + 1)
    return positions, tries, choices, np.empty(LEGAL_MAX, np.int64)

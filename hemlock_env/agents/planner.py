"""planner: searches all choices of its own turn, by influence and what the night cards promise.

It works on the game as its seat may imagine it. A turn goes on to the next use_loot or
special_action, another seat's decision or the next draw of chance; within the budget every way to
play it is tried. A position is worth one's expected influence (`search.heuristics`) less the
best rival's: the influence, the markers that the night cards are likely to bring, and a little for
what is held ready. Ties are drawn from the decision's key.
"""

from __future__ import annotations

from typing import Annotated

from hemlock_env.agents.base import Between, checked_spec
from hemlock_env.agents.greedy import TurnBot
from hemlock_env.game.game import Game
from hemlock_env.search.heuristics import EXPECTED, PARTS


class PlannerBot(TurnBot):
    """The whole of its own turn, by expected influence."""

    heuristic = EXPECTED

    def __init__(
        self, budget: Annotated[int, Between(0, 10_000_000)] = 4_000, seed: int = 0
    ) -> None:
        """Searches at most so many positions a move.

        Args:
            budget: positions; where it doesn't reach, the choices that are left are completed
                greedily.
            seed: see `Bot`.

        Raises:
            ValueError: there can be no such budget.
        """
        super().__init__(seed)
        self.spec = checked_spec("planner", PlannerBot, budget=budget)
        self.budget = budget

    def values(self, game: Game, key: int = 0) -> dict[str, float]:
        """What each legal action is worth, in points, to whoever decides; `key` draws what it
        can't see.
        """
        return {name: value / PARTS for name, value in self._values(game, key).items()}

"""warden: holds two districts safely, and takes from the rival in front what it can.

It works on the game as its seat may imagine it, and searches its turn as planner does, with a small
budget. What it looks for is its own (`search.control`): the grip on two districts, not the most
influence to be expected. Ties are drawn from the decision's key.

It is held out: benchmark protocols measure against it, so nothing is trained, tuned or chosen
against it (docs/bots.md). How it plays never changes under this name.
"""

from __future__ import annotations

from hemlock_env.agents.greedy import TurnBot
from hemlock_env.game.game import Game
from hemlock_env.search.control import CONTROL
from hemlock_env.search.heuristics import PARTS


class WardenBot(TurnBot):
    """The whole of its own turn, by the hold on districts."""

    spec = "warden"
    heuristic = CONTROL
    budget = 400

    def values(self, game: Game, key: int = 0) -> dict[str, float]:
        """What each legal action is worth to whoever decides, in points of its own; `key` draws
        what it can't see.
        """
        return {name: value / PARTS for name, value in self._values(game, key).items()}

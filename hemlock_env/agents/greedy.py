"""greedy: the action that leaves its influence furthest ahead, looking no further than its turn.

It works on the game as its seat may imagine it. Each legal action is valued by playing it and
completing one's own pending choices greedily, up to the next use_loot or special_action, another
seat's decision or the next draw of chance. A position is worth one's influence (R10) less the best
rival's, with the night cards revealed so far claimed as they would fall now (R9). Ties are drawn
from the decision's key.
"""

from __future__ import annotations

import numpy as np

from hemlock_env._jit import ensure
from hemlock_env.agents.base import Actions, Bot, Decisions
from hemlock_env.agents.rollout import roots_of
from hemlock_env.game.game import Game
from hemlock_env.search import turn
from hemlock_env.search.heuristics import AS_IT_STANDS


class TurnBot(Bot):
    """What searches its own turn alone: greedy, planner, warden."""

    heuristic: int
    budget = 0

    def prepare(self) -> None:
        """Compile the search, or load it from the cache."""
        super().prepare()
        ensure(turn.choose_best)

    def choose(self, decisions: Decisions) -> Actions:
        """An action that is worth most."""
        self.prepare()
        games = decisions.imagine()
        actions = np.empty(len(decisions), np.int16)
        roots, room = roots_of(games), turn.new_turn_room(self.budget)
        search = (roots, decisions.keys, self.heuristic, self.budget, room, actions)
        while not turn.choose_best(*search):
            pass  # Ctrl-C is heard here
        return actions

    def _values(self, game: Game, key: int) -> dict[str, int]:
        """By the heuristic, in the units that it counts in."""
        self.prepare()
        ensure(turn.value_actions)
        games = Decisions.of(game, np.array([key], np.uint64)).imagine()
        room = turn.new_turn_room(self.budget)
        search = (roots_of(games), 0, self.heuristic, self.budget, room, turn.SLICE)
        while not turn.value_actions(*search):
            pass
        names = map(game.action_name, game.legal_actions())
        return dict(zip(names, room.values.tolist(), strict=False))


class GreedyBot(TurnBot):
    """One turn ahead, by influence."""

    spec = "greedy"
    heuristic = AS_IT_STANDS

    def values(self, game: Game, key: int = 0) -> dict[str, int]:
        """What each legal action is worth to whoever decides; `key` draws what it can't see."""
        return self._values(game, key)

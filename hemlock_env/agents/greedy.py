"""greedy: the action that leaves its influence furthest ahead, looking no further than its turn.

It works on the game as its seat may imagine it. Each legal action is valued by playing it and
completing one's own pending choices greedily, up to the next use_loot or special_action, another
seat's decision or the next draw of chance. A position is worth one's influence (R10) less the best
rival's, with the night cards revealed so far claimed as they would fall now (R9). Ties are drawn
from the decision's key.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hemlock_env._jit import ensure, new_records
from hemlock_env.agents.base import Actions, Bot, Decisions
from hemlock_env.engine.constants import LEGAL_MAX
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.game import Game
from hemlock_env.search import turn
from hemlock_env.search.heuristics import AS_IT_STANDS


class TurnBot(Bot):
    """What searches its own turn alone: greedy, planner."""

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
        turn.choose_best(
            games.states,
            games.spec.tables,
            games.legals,
            games.counts,
            decisions.keys,
            self.heuristic,
            self.budget,
            *self._scratch(games),
            actions,
        )
        return actions

    def _values(self, game: Game, key: int) -> dict[str, int]:
        """By the heuristic, in the units that it counts in."""
        self.prepare()
        ensure(turn.value_actions)
        games = Decisions.of(game, np.array([key], np.uint64)).imagine()
        *scratch, values = self._scratch(games)
        turn.value_actions(
            games.states,
            games.spec.tables,
            0,
            games.legals,
            games.counts,
            self.heuristic,
            self.budget,
            *scratch,
            values,
        )
        names = map(game.action_name, game.legal_actions())
        return dict(zip(names, values.tolist(), strict=False))

    def _scratch(self, games: GameArrays) -> tuple[Any, ...]:
        """Room for the search: positions, open choices, their answers, the values of the actions;
        with no budget no choice is ever open.
        """
        depth = turn.DEPTH if self.budget else 0
        positions = GameArrays(games.spec, depth + 2).states
        tries = new_records(turn.TRY, depth + 1)
        choices = np.empty((depth + 1, LEGAL_MAX), np.int16)
        return positions, tries, choices, np.empty(LEGAL_MAX, np.int64)


class GreedyBot(TurnBot):
    """One turn ahead, by influence."""

    spec = "greedy"
    heuristic = AS_IT_STANDS

    def values(self, game: Game, key: int = 0) -> dict[str, int]:
        """What each legal action is worth to whoever decides; `key` draws what it can't see."""
        return self._values(game, key)

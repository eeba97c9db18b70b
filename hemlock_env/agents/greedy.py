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

from hemlock_env._jit import ensure
from hemlock_env.agents.base import Actions, Bot, Decisions
from hemlock_env.engine.constants import LEGAL_MAX
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.game import Game
from hemlock_env.search import valuation


class GreedyBot(Bot):
    """One turn ahead, by influence."""

    spec = "greedy"

    def prepare(self) -> None:
        """Compile the valuation, or load it from the cache."""
        super().prepare()
        ensure(valuation.choose_best)

    def choose(self, decisions: Decisions) -> Actions:
        """An action that is worth most."""
        self.prepare()
        games = decisions.imagine()
        actions = np.empty(len(decisions), np.int16)
        valuation.choose_best(
            games.states,
            games.spec.tables,
            games.legals,
            games.counts,
            decisions.keys,
            *_scratch(games),
            actions,
        )
        return actions

    def values(self, game: Game, key: int = 0) -> dict[str, int]:
        """What each legal action is worth to whoever decides; `key` draws what it can't see."""
        ensure(valuation.value_actions)
        games = Decisions.of(game, np.array([key], np.uint64)).imagine()
        scratch = _scratch(games)
        valuation.value_actions(
            games.states, games.spec.tables, 0, games.legals, games.counts, *scratch
        )
        names = map(game.action_name, game.legal_actions())
        return dict(zip(names, scratch[-1].tolist(), strict=False))


def _scratch(games: GameArrays) -> tuple[Any, ...]:
    """Room for the valuation: the records LINE and TRIAL, a list of actions, their values."""
    records = GameArrays(games.spec, 2).states
    return records, np.empty(LEGAL_MAX, np.int16), np.empty(LEGAL_MAX, np.int64)

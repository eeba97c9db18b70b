"""rollout: flat Monte Carlo. Plays every legal action out many times and takes the best on average.

Each playout runs in a redeal of all that is hidden and of all chance to come (R13), to the end of
the game. A game is worth one's share of the win and, a little, how far one is ahead of the best
rival (`playouts`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env._jit import ensure
from hemlock_env.agents.base import Actions, Bot, Decisions
from hemlock_env.agents.searching import (
    NIGHTS_MAX,
    check_between,
    check_rollouts,
    room_for,
    roots_of,
    spec_of,
)
from hemlock_env.engine.constants import LEGAL_MAX
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.game import Game
from hemlock_env.search import playouts

DEFAULTS: dict[str, Any] = {"n": 64, "rollouts": "random", "nights": 0}
N_MAX = 1_000_000


class RolloutBot(Bot):
    """So many playouts of each legal action."""

    def __init__(
        self,
        n: int = DEFAULTS["n"],
        rollouts: str = DEFAULTS["rollouts"],
        nights: int = DEFAULTS["nights"],
        seed: int = 0,
    ) -> None:
        """Flat Monte Carlo.

        Args:
            n: playouts of each legal action.
            rollouts: how all seats play in them, "random" or "greedy".
            nights: 0 plays to the end of the game; 1 to the end of the night, 2 of the next, ...,
                where the game is valued as planner does.
            seed: see `Bot`.

        Raises:
            ValueError: an option can't be.
        """
        super().__init__(seed)
        options = {"n": n, "rollouts": rollouts, "nights": nights}
        check_between("rollout", "n", n, 1, N_MAX)
        check_rollouts("rollout", rollouts)
        check_between("rollout", "nights", nights, 0, NIGHTS_MAX)
        self.spec = spec_of("rollout", options, DEFAULTS)
        self.n = n
        self._playouts = playouts.new_playouts(rollouts == "greedy", nights)

    @property
    def simulated(self) -> int:
        """Decisions made in playouts so far."""
        return int(self._playouts["decisions"][0])

    def prepare(self) -> None:
        """Compile the playouts, or load them from the cache."""
        super().prepare()
        ensure(playouts.roll_out)

    def choose(self, decisions: Decisions) -> Actions:
        """An action that did best; ties: the lowest."""
        self.prepare()
        games = decisions.imagine()
        best = [int(self._means(games, i, key).argmax()) for i, key in enumerate(decisions.keys)]
        return games.legals[np.arange(len(best)), best]

    def values(self, game: Game, key: int = 0) -> dict[str, float]:
        """The mean return, 0 to 1, of whoever decides after each legal action."""
        self.prepare()
        decisions = Decisions.of(game, np.array([key], np.uint64))
        means = self._means(decisions.imagine(), 0, decisions.keys[0])
        return dict(zip(map(game.action_name, game.legal_actions()), means.tolist(), strict=True))

    def _means(self, games: GameArrays, i: int, key: np.uint64) -> NDArray[np.float64]:
        """One game at a time, so that Ctrl-C is heard in between."""
        means = np.empty(LEGAL_MAX)
        room = room_for(games, self._playouts)
        playouts.roll_out(roots_of(games), i, key, self.n, room, means)
        return means[: games.counts[i]]

"""rollout: flat Monte Carlo. Plays every legal action out many times and takes the best on average.

Each playout runs in a redeal of all that is hidden and of all chance to come (R13), to the end of
the game. A game is worth one's share of the win and, a little, how far one is ahead of the best
rival (`playouts`).
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from hemlock_env._jit import ensure
from hemlock_env.agents.base import Actions, Between, Bot, Decisions, checked_spec
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.game import Game
from hemlock_env.search.playouts import (
    RECORDS,
    Room,
    Roots,
    new_playouts,
    new_room,
    roll_out,
)
from hemlock_env.search.slices import in_slices

Rollouts = Literal["random", "greedy"]
Nights = Annotated[int, Between(0, 8)]


class PlayoutBot(Bot):
    """What plays games on in its mind: rollout, mcts."""

    def __init__(self, greedy: bool, nights: int, seed: int) -> None:
        """How its playouts go, see `RolloutBot`."""
        super().__init__(seed)
        self._playouts = new_playouts(greedy, nights)

    @property
    def simulated(self) -> int:
        """Decisions made in playouts, and in a tree before them, so far."""
        return int(self._playouts["decisions"][0])

    def _room(self, games: GameArrays) -> Room:
        """Room for playouts of such games."""
        return new_room(GameArrays(games.spec, RECORDS).states, self._playouts)


def roots_of(games: GameArrays) -> Roots:
    """Where searches of these games begin."""
    return Roots(games.states, games.spec.tables, games.legals, games.counts)


class RolloutBot(PlayoutBot):
    """So many playouts of each legal action."""

    def __init__(
        self,
        n: Annotated[int, Between(1, 1_000_000)] = 64,
        rollouts: Rollouts = "random",
        nights: Nights = 0,
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
        self.spec = checked_spec("rollout", RolloutBot, n=n, rollouts=rollouts, nights=nights)
        super().__init__(rollouts == "greedy", nights, seed)
        self.n = n

    def prepare(self) -> None:
        """Compile the playouts, or load them from the cache."""
        super().prepare()
        ensure(roll_out)

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
        roots, room, totals = roots_of(games), self._room(games), np.zeros(games.counts[i])

        def run(first: int, end: int) -> None:
            roll_out(roots, i, key, self.n, first, end, room, totals)

        in_slices(run, self.n * len(totals))
        return totals / self.n

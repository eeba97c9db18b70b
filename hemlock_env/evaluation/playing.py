"""BotGames: bots play games to the end, all games at once. Matches, endgame sets and timings share
this loop.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hemlock_env.agents.base import Actions, Bot, Decisions, legal_or_lowest
from hemlock_env.engine import kernel
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.keys import Keys, mix_keys
from hemlock_env.game.options import Options
from hemlock_env.game.spec import GameSpec

Rows = NDArray[np.intp]
Progress = Callable[[float, int], None]  # told how much is done, and of how much


class BotGames:
    """Games with a bot in every seat, and what is counted of their decisions.

    Attributes:
        games: the games.
        decisions: int64 (games, bots): that each bot was asked for.
        illegal: int64 (games, bots): its illegal answers, replaced by the lowest legal action.
        thinking: float64 (bots,): seconds of processor time that it took.
    """

    def __init__(
        self,
        spec: GameSpec,
        options: Options,
        bots: Sequence[Bot],
        seating: NDArray[np.integer],
        seeds: Keys,
        streams: Keys,
    ) -> None:
        """Games before their first step.

        Args:
            spec: of all games.
            options: of all games.
            bots: who plays.
            seating: the number of the bot in each seat, (games, seats).
            seeds: of the games, (games,).
            streams: what the keys of each seat's decisions are mixed from, (games, seats).
        """
        self.options, self.bots, self.seating, self.streams = options, bots, seating, streams
        self.games = GameArrays(spec, len(seeds), log=True)
        options.write(self.games.states)
        self.games.seeds[:] = seeds
        self.decisions = np.zeros((len(seeds), len(bots)), np.int64)
        self.illegal = np.zeros((len(seeds), len(bots)), np.int64)
        self.thinking = np.zeros(len(bots))
        self._memory = np.full(seating.shape, None, object)

    def play(self) -> Iterator[tuple[Rows, Actions]]:
        """Play to the end of the last game. Each step yields the running games and the actions that
        have been chosen there, before they are played.
        """
        self.games.run(kernel.START)
        rows = np.flatnonzero(self.games.counts)
        while len(rows):
            actions = self._choose(rows)
            self.games.actions[rows] = actions
            yield rows, actions
            self.games.run(kernel.STEP)
            self._memory[self.games.done] = None
            rows = np.flatnonzero(self.games.counts)

    def keys(self, rows: Rows) -> Keys:
        """Of the decisions that some games stand at, (n,)."""
        return mix_keys(
            self.streams[rows, self.games.seats[rows]], self.games.states["decisions"][rows]
        )

    def _choose(self, rows: Rows) -> Actions:
        """An action for each of some games, from the bot that decides there."""
        keys = self.keys(rows)
        deciding = self.seating[rows, self.games.seats[rows]]
        chosen = np.empty(len(rows), np.int16)
        for number in range(len(self.bots)):
            asked = deciding == number
            if asked.any():
                chosen[asked] = self._ask(number, rows[asked], keys[asked])
        return chosen

    def _ask(self, number: int, rows: Rows, keys: Keys) -> Actions:
        """The choices of one bot, counted and timed."""
        seats = self.games.seats[rows]
        decisions = Decisions(self.games, self.options, rows, keys, self._memory[rows, seats])
        begun = time.process_time()
        actions, legal = legal_or_lowest(self.bots[number], decisions)
        self.thinking[number] += time.process_time() - begun
        self._memory[rows, seats] = decisions.memory
        self.decisions[rows, number] += 1
        self.illegal[rows, number] += ~legal
        return actions

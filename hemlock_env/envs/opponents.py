"""The learner's opponents: bots by where they sit, asked together for all games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hemlock_env.agents import make_bot
from hemlock_env.agents.base import Actions, Bot, Decisions, checked_actions
from hemlock_env.agents.random_bot import RandomBot
from hemlock_env.agents.registry import CallableBot
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.game import Game
from hemlock_env.game.keys import Keys
from hemlock_env.game.options import Options
from hemlock_env.game.spec import GameSpec

Rows = NDArray[np.intp]
Opponent = str | Bot | type[Bot] | Callable[[Game], Any]


class Opponents(Protocol):
    """Whoever decides in the seats that aren't the learner's."""

    random: NDArray[np.int8]
    """int8 (opponents,), clockwise from the learner: 1 plays at random and is never asked"""

    def check(self, spec: GameSpec, options: Options) -> None:
        """ValueError if one of them can't play such games."""

    def prepare(self) -> None:
        """Compile or load what they need."""

    def choose(
        self, games: GameArrays, options: Options, rows: Rows, deciders: Rows, keys: Keys
    ) -> Actions:
        """A legal action for each row, int16 (n,).

        Args:
            games: the games; those of `rows` wait for an opponent.
            options: of those games.
            rows: which games, (n,).
            deciders: which opponent decides in each: 0 is the one to the learner's left, (n,).
            keys: a fresh random number for each decision, uint64 (n,).
        """


class BotOpponents:
    """Bots: one in all the other seats, or one in each."""

    def __init__(self, opponent: Opponent | Sequence[Opponent], num_players: int) -> None:
        """Make the bots.

        Args:
            opponent: one for all, or a list with one for each, clockwise from the learner.
            num_players: seats at the table.

        Raises:
            ValueError: there is no such bot, or the list isn't as long as it must be.
        """
        given: list[Any] = list(opponent) if isinstance(opponent, list | tuple) else [opponent]
        if len(given) not in (1, num_players - 1):
            raise ValueError(
                f"opponent={opponent!r}: must be one bot or a list of {num_players - 1}, "
                "clockwise from the learner"
            )
        made = [_bot(each) for each in given] * ((num_players - 1) // len(given))
        self.bots = list({id(bot): bot for bot in made}.values())
        self._at = np.array([self.bots.index(bot) for bot in made], np.intp)
        self.random = np.array([type(bot) is RandomBot for bot in made], np.int8)

    def __repr__(self) -> str:
        return f"<opponents {', '.join(self.bots[number].spec for number in self._at)}>"

    def check(self, spec: GameSpec, options: Options) -> None:
        """ValueError if one of them can't play such games."""
        for bot in self.bots:
            bot.check(spec, options)

    def prepare(self) -> None:
        """Compile or load what they need."""
        for bot in self.bots:
            bot.prepare()

    def choose(
        self, games: GameArrays, options: Options, rows: Rows, deciders: Rows, keys: Keys
    ) -> Actions:
        """See `Opponents`; each bot is asked once for all that it has to decide."""
        chosen = np.empty(len(rows), np.int16)
        asked = self._at[deciders]
        for number, bot in enumerate(self.bots):
            mine = asked == number
            if mine.any():
                decisions = Decisions(games, options, rows[mine], keys[mine])
                chosen[mine] = checked_actions(bot, decisions)
        return chosen


def _bot(opponent: Opponent) -> Bot:
    """A bot from a spec, a bot, a class of bots or a callable."""
    if isinstance(opponent, str | Bot):
        return make_bot(opponent)
    if isinstance(opponent, type) and issubclass(opponent, Bot):
        return opponent()
    if callable(opponent):
        return CallableBot(opponent, getattr(opponent, "__name__", repr(opponent)))
    raise ValueError(f"opponent={opponent!r}: must be the name of a bot, a bot or a callable")

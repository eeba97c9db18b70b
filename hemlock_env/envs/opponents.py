"""The learner's opponents: bots by where they sit, asked together for all games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

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
from hemlock_env.network.sampling import sample_legal

if TYPE_CHECKING:  # it needs safetensors
    from hemlock_env.network.policy import Policy

Rows = NDArray[np.intp]
Opponent = str | Bot | type[Bot] | Callable[[Game], Any]


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
        """int8 (opponents,), clockwise from the learner: 1 plays at random and is never asked"""

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
        """A legal action for each row, int16 (n,); each bot is asked once for all that it has to
        decide.

        Args:
            games: the games; those of `rows` wait for an opponent.
            options: of those games.
            rows: which games, (n,).
            deciders: which opponent decides in each: 0 is the one to the learner's left, (n,).
            keys: a fresh random number for each decision, uint64 (n,).
        """
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


class PolicyPool:
    """Opponents for self-play: every game's are one policy, drawn when the game begins.

    The first policy of the pool is the newest; it gets `newest_share` of the games, and the older
    ones share the rest.
    """

    def __init__(
        self, policy: Policy, num_players: int, newest_share: float = 0.5, size: int = 8
    ) -> None:
        """A pool of one policy.

        Args:
            policy: the newest.
            num_players: seats at each table.
            newest_share: 0 to 1.
            size: how many older policies are kept at most; then the oldest goes.
        """
        self.random = np.zeros(num_players - 1, np.int8)
        self.newest = policy
        self.older: list[Policy] = []
        self.newest_share = newest_share
        self.size = size
        # Who plays in each slot; None: the newest, whichever it is by then. An older one stays to
        # the end of the game, also when the pool has dropped it.
        self.of_slot: NDArray[np.object_] = np.full(0, None)

    def check(self, spec: GameSpec, options: Options) -> None:
        """CheckpointError if the policies are for other games."""
        for policy in [self.newest, *self.older]:
            policy.check_fits(spec.card_set, options)

    def prepare(self) -> None:
        """Nothing to compile."""

    def replace_newest(self, policy: Policy, keep: bool) -> None:
        """The newest policy changes, at once and in running games too.

        Args:
            policy: the new one.
            keep: the one before joins the older ones.
        """
        if keep:
            self.older = [*self.older, self.newest][-self.size :]
        self.newest = policy

    def deal(self, rows: Rows, count: int, rng: np.random.Generator) -> None:
        """Who plays in the games that are about to begin in some of `count` slots."""
        if len(self.of_slot) != count:
            self.of_slot = np.full(count, None)
        self.of_slot[rows] = None
        if self.older:
            numbers = rng.integers(len(self.older), size=len(rows))
            newest = rng.random(len(rows)) < self.newest_share
            for row, number in zip(rows[~newest], numbers[~newest], strict=True):
                self.of_slot[row] = self.older[number]

    def choose(
        self, games: GameArrays, options: Options, rows: Rows, deciders: Rows, keys: Keys
    ) -> Actions:
        """As `BotOpponents.choose`: drawn by the policies' probabilities, with one forward pass for
        each policy.
        """
        actions = np.empty(len(rows), np.int16)
        playing = [policy or self.newest for policy in self.of_slot[rows]]
        for policy in set(playing):
            mine = np.array([each is policy for each in playing])
            some = rows[mine]
            logits, _ = policy.logits_and_values(games.observations[some])
            legal, counts = games.legals[some], games.counts[some]
            actions[mine] = sample_legal(logits, legal, counts, keys[mine])
        return actions


Opponents = BotOpponents | PolicyPool  # whoever decides in the seats that aren't the learner's


def make_opponents(
    opponent: Opponent | Sequence[Opponent] | Opponents, num_players: int
) -> Opponents:
    """Bots from what a person wrote; a `PolicyPool` as it is."""
    return opponent if isinstance(opponent, PolicyPool) else BotOpponents(opponent, num_players)  # type: ignore[arg-type]

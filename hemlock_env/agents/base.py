"""Decisions and Bot: what a bot is given when its seat decides, and what it owes in return.

A bot never receives a game, only what its seat may see (R13): the observation, the legal actions
and, if it wants to think ahead, the game as its seat may imagine it.
"""

from __future__ import annotations

import hashlib
import math
import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache, cached_property
from inspect import signature
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from hemlock_env._check import Checks
from hemlock_env._jit import ensure
from hemlock_env.cards.vocabulary import MAX_PLAYERS
from hemlock_env.engine import kernel
from hemlock_env.engine.events import EVENT_BOT
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.game import Game
from hemlock_env.game.keys import Keys, mix_keys, seeds_from
from hemlock_env.game.options import Options, check_seed
from hemlock_env.game.spec import GameSpec

Actions = NDArray[np.int16]

ILLEGAL = -1  # what a bot returns that has no action to name


def source_digest(module_name: str) -> str:
    """Sixteen hex digits over the file of a module, "" where it has none."""
    file = getattr(sys.modules.get(module_name), "__file__", None)
    return "" if file is None else hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]


class Decisions:
    """Decisions that one bot has to make, one in each of an array of games.

    `keys` holds one fresh random number, uint64, for each decision. All that is random in a choice
    comes from it, so the same key gives the same choice, however the decisions are batched.
    """

    def __init__(
        self,
        games: GameArrays,
        options: Options,
        rows: NDArray[np.intp],
        keys: Keys,
        memory: NDArray[np.object_] | None = None,
    ) -> None:
        """Those of some rows of `games`; the games' next step makes them stale.

        Args:
            games: all of them.
            options: of all of them.
            rows: those that have to decide.
            keys: a fresh one for each decision.
            memory: see the attribute.
        """
        self.spec: GameSpec = games.spec
        self.options = options
        self.keys: Keys = np.ascontiguousarray(keys, np.uint64)
        self.seat: NDArray[np.int8] = games.seats[rows]
        self.memory = memory
        """what the bot left here at its seat's last decision of the same game, None at the first,
        object (n,), to be overwritten for the next; None where nothing is kept between decisions"""
        self._games = games
        self._rows = rows

    @classmethod
    def of(cls, game: Game, keys: Keys, memory: NDArray[np.object_] | None = None) -> Decisions:
        """The one that a running game stands at."""
        return cls(game.arrays, game.checked_options, np.zeros(1, np.intp), keys, memory)

    def __len__(self) -> int:
        """How many."""
        return len(self._rows)

    @cached_property
    def observation(self) -> NDArray[np.int8]:
        """What the deciding seat knows, int8 (n, features)."""
        return self._games.observations[self._rows]

    @cached_property
    def mask(self) -> NDArray[np.int8]:
        """1 where an action is legal, int8 (n, actions)."""
        return self._games.masks[self._rows]

    @cached_property
    def legal(self) -> NDArray[np.int16]:
        """Legal action indices ascending, filled up with -1, int16 (n, 40)."""
        return self._games.legals[self._rows]

    @cached_property
    def legal_count(self) -> NDArray[np.int16]:
        """How many actions are legal, int16 (n,); at least 2."""
        return self._games.counts[self._rows]

    def history(self, i: int) -> NDArray[np.int16] | None:
        """The players' answers in a game since its deal, which all have seen (R13.1); None where
        they aren't known.
        """
        answers = int(self._games.states["decisions"][self._rows[i]])
        log = self._games.log[self._rows[i]]
        return log[:answers].copy() if len(log) >= answers and len(log) else None

    def imagine(self, keys: Keys | None = None) -> GameArrays:
        """The games as the deciding seats may imagine them: all that is hidden drawn again (R13),
        a determinization of each.

        Args:
            keys: where the draws come from, one key a game; by default the decisions' own.
        """
        imagined = self._games.take(self._rows)
        imagined.redeal(self.seat, seeds_from(self.keys if keys is None else keys))
        return imagined

    def true_state(self) -> GameArrays:
        """The true games, all that is hidden included: for yardsticks that say so in their name."""
        return self._games.take(self._rows)

    def truth(self) -> GameArrays:
        """The old name of `true_state`."""
        warnings.warn("truth() is now true_state()", DeprecationWarning, stacklevel=2)
        return self.true_state()


class Bot(ABC):
    """A player. Its choice depends on the decision, the decision's key, what it left in the
    decision's memory, and nothing else.
    """

    spec: str = "bot"

    def __init__(self, seed: int = 0) -> None:
        """`seed` begins the stream that `act` draws its keys from."""
        self._stream = mix_keys([check_seed(seed)], [EVENT_BOT])
        self._made = 0
        self._plays: tuple[GameSpec, Options] | None = None  # what it was last checked for
        self._deal: tuple[Any, ...] = ()  # the game of the latest `act`
        self._memory = np.full(MAX_PLAYERS, None, object)  # of its seats

    def __repr__(self) -> str:
        """Its spec."""
        return f"<bot {self.spec}>"

    @abstractmethod
    def choose(self, decisions: Decisions) -> Actions:
        """A legal action for each decision, int16 (n,)."""

    def fingerprint(self) -> str:
        """Equal for bots that play alike; for one that reads files it tells these too."""
        own = type(self).__module__
        return self.spec if own.startswith("hemlock_env.") else f"{self.spec} {source_digest(own)}"

    def check(self, spec: GameSpec, options: Options) -> None:  # noqa: B027 - most play everything
        """Called before games of this kind.

        Raises:
            ValueError: the bot can't play them.
        """

    def prepare(self) -> None:
        """Compile or load what is needed, before a clock starts."""
        ensure(kernel.redeal_games)  # for `Decisions.imagine`

    def act(self, game: Game) -> int:
        """A legal action for whoever decides in one game; uses up a key of the bot's own stream.

        Raises:
            ValueError: the game is over, the bot can't play such games, or it has chosen an illegal
                action.
        """
        if game.over:
            raise ValueError(f"{self.spec}: the game is over")
        keys = mix_keys(self._stream, [self._made])
        deal = game.arrays.states["seed"][0], game.spec, game.checked_options
        if deal != self._deal:
            self._deal, self._memory = deal, np.full(MAX_PLAYERS, None, object)
        decisions = Decisions.of(game, keys, self._memory[game.seat :][:1])
        kind = decisions.spec, decisions.options
        if self._plays is None or self._plays[0] is not kind[0] or self._plays[1] != kind[1]:
            self.check(*kind)
            self._plays = kind
        self._made += 1
        return int(checked_actions(self, decisions)[0])


# ---- options of bots: the constructor's signature says it all ----


class Between(NamedTuple):
    """The least and the greatest value of an option that is a number, `Annotated` to its type."""

    low: float
    high: float | None = None


class Option(NamedTuple):
    """An option of a bot, as its constructor declares it."""

    name: str
    kind: type
    """int, float or str"""
    default: Any
    limits: Between | None
    words: tuple[str, ...]
    """the values that there are, or how a value is written"""

    @property
    def usage(self) -> str:
        """How it is written in a spec."""
        value = "|".join(self.words) or ("N" if self.kind is int else self.name[0].upper())
        return f"[:{self.name}={value}]"

    def check(self, bot: str, value: Any) -> None:
        """ValueError, which names the bot, unless the option can have the value."""
        checks, name = Checks(shape="{name}={value} {fault}"), f"{bot}: {self.name}"
        if len(self.words) > 1:
            checks.one_of(value, self.words, name)
        if self.limits is not None and self.kind is int:
            checks.whole(value, int(self.limits.low), self.limits.high, name)  # type: ignore[arg-type]
        elif self.limits is not None:
            if not math.isfinite(checks.number(value, *self.limits, name)):
                checks.refuse(value, name, "must be finite")


@cache
def options_of(bot: type[Bot]) -> Mapping[str, Option]:
    """The options that a bot's constructor takes by name: all its parameters but path and seed."""
    hints = get_type_hints(bot.__init__, include_extras=True)
    options = {}
    for name, parameter in signature(bot.__init__).parameters.items():
        if name in ("self", "path", "seed"):
            continue
        kind, *notes = get_args(hints[name]) or (hints[name],)
        if get_origin(hints[name]) is Literal:
            kind, notes = str, [kind, *notes]
        limits = next((note for note in notes if isinstance(note, Between)), None)
        words = tuple(note for note in notes if isinstance(note, str))
        options[name] = Option(name, kind, parameter.default, limits, words)
    return MappingProxyType(options)


def checked_spec(name: str, bot: type[Bot], *, brief: bool = False, **given: Any) -> str:
    """The spec of the bot of that name with these options, those at their defaults left out;
    `brief` writes 1 for 1.0.

    Raises:
        ValueError: one of them can't be.
    """
    options = options_of(bot)
    for option, value in given.items():
        options[option].check(name, value)
    changed = [option for option, value in given.items() if value != options[option].default]
    texts = {option: str(given[option]) for option in changed}
    if brief:
        texts = {option: text.removesuffix(".0") for option, text in texts.items()}
    return name + "".join(f":{option}={text}" for option, text in texts.items())


# ---- is what a bot chose legal ----


def checked_actions(bot: Bot, decisions: Decisions) -> Actions:
    """What a bot chooses, int16 (n,).

    Raises:
        TypeError: it hasn't chosen a whole number for each decision.
        ValueError: an action is illegal; the message lists the legal ones.
    """
    chosen, legal = _ask(bot, decisions)
    if np.count_nonzero(legal) < len(legal):
        wrong = int(legal.argmin())
        may = decisions.legal[wrong, : decisions.legal_count[wrong]].tolist()
        raise ValueError(f"{bot.spec} chose action {chosen[wrong]}, which is illegal; legal: {may}")
    return chosen.astype(np.int16)


def legal_or_lowest(bot: Bot, decisions: Decisions) -> tuple[Actions, NDArray[np.bool_]]:
    """What a bot chooses, with the lowest legal action in place of an illegal one, int16 (n,); and
    which of its own choices were legal, bool (n,).

    Raises:
        TypeError: it hasn't chosen a whole number for each decision.
    """
    chosen, legal = _ask(bot, decisions)
    return np.where(legal, chosen, decisions.legal[:, 0]).astype(np.int16), legal


def _ask(bot: Bot, decisions: Decisions) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """A bot's choices as it gave them, and which of them are legal."""
    chosen = np.asarray(bot.choose(decisions))
    if chosen.shape != (len(decisions),) or chosen.dtype.kind not in "iu":
        raise TypeError(f"{bot.spec}: choose must return {len(decisions)} whole numbers")
    legal: NDArray[np.bool_] = (decisions.legal == chosen[:, None]).any(axis=1)
    legal &= chosen >= 0  # -1 only fills the list up
    return chosen, legal

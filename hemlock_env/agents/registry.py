"""Bots by name. One spec string everywhere: `NAME[:OPTION=VALUE…]`, `ckpt:PATH[:OPTION=VALUE…]` or
`MODULE:OBJECT`.

A checkpoint's path may hold colons, unless it ends in what looks like `:OPTION=VALUE`.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from hemlock_env._check import did_you_mean, shown
from hemlock_env.agents.base import (
    ILLEGAL,
    Actions,
    Bot,
    Decisions,
    Option,
    options_of,
    source_digest,
)
from hemlock_env.agents.greedy import GreedyBot
from hemlock_env.agents.mcts import CheatMctsBot, GuidedMctsBot, MctsBot
from hemlock_env.agents.network_bot import CheckpointBot
from hemlock_env.agents.planner import PlannerBot
from hemlock_env.agents.random_bot import RandomBot
from hemlock_env.agents.rollout import RolloutBot
from hemlock_env.agents.warden import WardenBot
from hemlock_env.game.game import Game

OPTION = re.compile(r"[a-z_]+=[^:]*")
PRIOR = "prior"  # comes last: what follows is a spec of its own


class Kind(NamedTuple):
    """What a name stands for: a bot, or one for specs without and one for specs with a prior."""

    about: str
    bots: tuple[type[Bot], ...]

    @property
    def options(self) -> dict[str, Option]:
        """What its constructors declare, by name."""
        return {name: option for bot in self.bots for name, option in options_of(bot).items()}

    @property
    def takes_path(self) -> bool:
        """Is the name alone no spec?"""
        return "path" in signature(self.bots[0].__init__).parameters

    def usage(self, name: str) -> str:
        """How its spec is written."""
        options = "".join(option.usage for option in self.options.values())
        return name + (":PATH" if self.takes_path else "") + options


BOTS = {
    "random": Kind("any legal action, all equally likely", (RandomBot,)),
    "greedy": Kind("the action that puts its influence furthest ahead this turn", (GreedyBot,)),
    "planner": Kind(
        "searches its whole turn, by influence and what the night cards promise", (PlannerBot,)
    ),
    "warden": Kind("holds two districts safely and spoils the rival in front", (WardenBot,)),
    "rollout": Kind("flat Monte Carlo: plays every action out n times", (RolloutBot,)),
    "mcts": Kind("Monte Carlo tree search over what its seat can see", (MctsBot, GuidedMctsBot)),
    "cheat-mcts": Kind(
        "the same with all cards face up and all chance known: a yardstick", (CheatMctsBot,)
    ),
    "ckpt": Kind(
        "a trained policy: its likeliest action, or drawn at a temperature", (CheckpointBot,)
    ),
}
OWN_USAGE, OWN_ABOUT = "MODULE:OBJECT", "your own: a Bot class, or whatever takes a Game"


def list_bots() -> list[str]:
    """The names that `make_bot` takes as they are."""
    return [name for name, kind in BOTS.items() if not kind.takes_path]


def describe_bots() -> dict[str, str]:
    """How each kind of bot is written, and what it does in a line."""
    described = {kind.usage(name): kind.about for name, kind in BOTS.items()}
    return {**described, OWN_USAGE: OWN_ABOUT}


def make_bot(spec: str | Bot, seed: int = 0) -> Bot:
    """The bot that a spec string names; a bot is handed back as it is.

    Args:
        spec: such as "greedy", "ckpt:runs/quickstart:temperature=1" or "my_bots:careful".
        seed: of the stream that `Bot.act` draws from.

    Raises:
        ValueError: there is no such bot or option; the message says what there is.
    """
    if isinstance(spec, Bot):
        return spec
    if not isinstance(spec, str):
        raise ValueError(f"bot {spec!r}: must be a name such as 'greedy'")
    name, colon, rest = spec.partition(":")
    if name not in BOTS:
        if not colon or OPTION.fullmatch(rest):
            paths = [kind.usage(path) for path, kind in BOTS.items() if kind.takes_path]
            there = ", ".join([*list_bots(), *paths, OWN_USAGE])
            raise ValueError(
                f"unknown bot {shown(name)}{did_you_mean(name, BOTS)}; there is {there}"
            )
        return _own_bot(spec, seed)
    kind = BOTS[name]
    path, options = _split(rest) if colon else ("", {})
    if bool(path) != kind.takes_path:
        raise ValueError(f"bot {spec!r}: must be written {kind.usage(name)}")
    values = _values(spec, kind.options, options)
    bot = kind.bots[-1] if PRIOR in values else kind.bots[0]
    for option in values:
        if option not in options_of(bot):
            raise ValueError(f"{name}: with a prior there are no playouts, leave out {option}=")
    made: Callable[..., Bot] = bot
    return made(*([path] if path else []), **values, seed=seed)


def is_own_bot(spec: str) -> bool:
    """Is it written MODULE:OBJECT? To make such a bot imports and calls what the spec names."""
    name, colon, _ = spec.partition(":")
    return name not in BOTS and bool(colon)


def _split(rest: str) -> tuple[str, dict[str, str]]:
    """What follows a bot's name: a path or nothing, then options."""
    before, prior, behind = f":{rest}".partition(f":{PRIOR}=")
    options: dict[str, str] = {PRIOR: behind} if prior else {}
    parts = before[1:].split(":") if before else []
    while parts and OPTION.fullmatch(parts[-1]):
        name, _, value = parts.pop().partition("=")
        if name in options:
            raise ValueError(f"bot option {name!r} is given twice")
        options[name] = value
    return ":".join(parts), options


def _values(spec: str, known: Mapping[str, Option], given: Mapping[str, str]) -> dict[str, Any]:
    """The options in the types that the bot wants."""
    values = {}
    for name, text in given.items():
        if name not in known:
            there, guess = ", ".join(known) or "none", did_you_mean(name, known)
            raise ValueError(f"bot {spec!r}: unknown option {name!r}{guess}; there is {there}")
        kind = known[name].kind
        try:
            values[name] = kind(text)
        except ValueError:
            number = "a whole number" if kind is int else "a number"
            raise ValueError(f"bot {spec!r}: {name}={text!r} must be {number}") from None
    return values


# ---- the user's own ----


class CallableBot(Bot):
    """Whatever takes a Game and returns an action, by index or name.

    It is given a redeal (R13): what its seat may not know is there, but drawn anew each time.
    """

    def __init__(self, function: Callable[[Game], Any], spec: str, seed: int = 0) -> None:
        """`function` as a bot."""
        super().__init__(seed)
        self.spec = spec
        self._function = function

    def fingerprint(self) -> str:
        """Spec and source."""
        return f"{self.spec} {source_digest(self.spec.partition(':')[0])}"

    def choose(self, decisions: Decisions) -> Actions:
        """Game by game; an answer that is no action at all is ILLEGAL."""
        imagined = decisions.imagine()
        actions = np.full(len(decisions), ILLEGAL, np.int16)
        for i in range(len(decisions)):
            game = Game.from_arrays(imagined.take(slice(i, i + 1)), decisions.options)
            answer = self._function(game)
            try:
                actions[i] = decisions.spec.actions.check(answer)
            except ValueError:
                continue
        return actions


def _own_bot(spec: str, seed: int) -> Bot:
    """`MODULE:OBJECT`: a Bot, a class of Bots, or a callable."""
    target = _imported(spec)
    if isinstance(target, Bot):
        return target
    if isinstance(target, type):
        if not issubclass(target, Bot):
            raise ValueError(f"bot {spec!r}: the class must be derived from hemlock_env.agents.Bot")
        try:
            bot = target(seed=seed)
        except (TypeError, ValueError) as error:
            raise ValueError(f"bot {spec!r}: can't be made: {error}") from None
        bot.spec = spec
        return bot
    if not callable(target):
        raise ValueError(f"bot {spec!r}: {target!r} can't be called")
    return CallableBot(target, spec, seed)


def _imported(spec: str) -> Any:
    """The object that `MODULE:OBJECT` names."""
    module_name, _, path = spec.partition(":")
    try:
        target: Any = importlib.import_module(module_name)
    except (ImportError, ValueError, TypeError, SyntaxError) as error:
        raise ValueError(f"bot {spec!r}: can't import {module_name!r}: {error}") from None
    for name in path.split("."):
        if not hasattr(target, name):
            raise ValueError(f"bot {spec!r}: there is no {path!r} in {module_name!r}")
        target = getattr(target, name)
    return target

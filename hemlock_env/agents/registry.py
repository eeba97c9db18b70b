"""Bots by name. One spec string everywhere: `NAME[:OPTION=VALUE…]`, `ckpt:PATH[:OPTION=VALUE…]` or
`MODULE:OBJECT`.

A checkpoint's path may hold colons, unless it ends in what looks like `:OPTION=VALUE`.
"""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from hemlock_env.agents.base import ILLEGAL, Actions, Bot, Decisions, source_digest
from hemlock_env.agents.greedy import GreedyBot
from hemlock_env.agents.mcts import CheatMctsBot, MctsBot
from hemlock_env.agents.planner import PlannerBot
from hemlock_env.agents.random_bot import RandomBot
from hemlock_env.agents.rollout import RolloutBot
from hemlock_env.game.game import Game

OPTION = re.compile(r"[a-z_]+=[^:]*")


class Entry(NamedTuple):
    """A kind of bot."""

    about: str
    make: Callable[..., Bot]
    options: Mapping[str, type] = MappingProxyType({})  # name and type of each
    usage: str = ""  # how its spec is written, where there is more to it than the name
    takes_path: bool = False  # the name alone is no spec


def _checkpoint(path: str, **options: Any) -> Bot:
    from hemlock_env.agents.network_bot import CheckpointBot  # only here: it needs safetensors

    return CheckpointBot(path, **options)


def _mcts(**options: Any) -> Bot:
    if PRIOR not in options:
        return MctsBot(**options)
    from hemlock_env.agents.guided_mcts import GuidedMctsBot  # only here: it needs safetensors

    for name in PLAYOUT_OPTIONS:
        if name in options:
            raise ValueError(f"mcts: with a prior there are no playouts, leave out {name}=")
    return GuidedMctsBot(**options)


PLAYOUT_OPTIONS: Mapping[str, type] = {"rollouts": str, "nights": int}
PLAYOUT_USAGE = "[:rollouts=random|greedy][:nights=N]"
MCTS_OPTIONS: Mapping[str, type] = {"iterations": int, **PLAYOUT_OPTIONS, "c": float}
PRIOR = "prior"  # comes last: what follows is a spec of its own

BOTS = {
    "random": Entry("any legal action, all equally likely", RandomBot),
    "greedy": Entry("the action that puts its influence furthest ahead this turn", GreedyBot),
    "planner": Entry(
        "searches its whole turn, by influence and what the night cards promise",
        PlannerBot,
        {"budget": int},
        "planner[:budget=N]",
    ),
    "rollout": Entry(
        "flat Monte Carlo: plays every action out n times",
        RolloutBot,
        {"n": int, **PLAYOUT_OPTIONS},
        f"rollout[:n=N]{PLAYOUT_USAGE}",
    ),
    "mcts": Entry(
        "Monte Carlo tree search over what its seat can see",
        _mcts,
        {**MCTS_OPTIONS, PRIOR: str},
        f"mcts[:iterations=N]{PLAYOUT_USAGE}[:c=C][:prior=ckpt:PATH]",
    ),
    "cheat-mcts": Entry(
        "the same with all cards face up and all chance known: a yardstick",
        CheatMctsBot,
        MCTS_OPTIONS,
        "cheat-mcts[:OPTIONS OF mcts, no prior]",
    ),
    "ckpt": Entry(
        "a trained policy: its likeliest action, or drawn at a temperature",
        _checkpoint,
        {"temperature": float},
        "ckpt:PATH[:temperature=T]",
        takes_path=True,
    ),
}
OWN_USAGE, OWN_ABOUT = "MODULE:OBJECT", "your own: a Bot class, or whatever takes a Game"


def list_bots() -> list[str]:
    """The names that `make_bot` takes as they are."""
    return [name for name, entry in BOTS.items() if not entry.takes_path]


def describe_bots() -> dict[str, str]:
    """How each kind of bot is written, and what it does in a line."""
    described = {entry.usage or name: entry.about for name, entry in BOTS.items()}
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
            paths = [entry.usage for entry in BOTS.values() if entry.takes_path]
            there = ", ".join([*list_bots(), *paths, OWN_USAGE])
            raise ValueError(f"unknown bot {name!r}{_guess(name, BOTS)}; there is {there}")
        return _own_bot(spec, seed)
    entry = BOTS[name]
    path, options = _split(rest) if colon else ("", {})
    if bool(path) != entry.takes_path:
        raise ValueError(f"bot {spec!r}: must be written {entry.usage or name}")
    words = [path] if path else []
    return entry.make(*words, **_checked(spec, entry, options), seed=seed)


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


def _checked(spec: str, entry: Entry, options: dict[str, str]) -> dict[str, Any]:
    """The options in the types that the bot wants."""
    checked = {}
    for name, value in options.items():
        if name not in entry.options:
            there = ", ".join(entry.options) or "none"
            guess = _guess(name, entry.options)
            raise ValueError(f"bot {spec!r}: unknown option {name!r}{guess}; there is {there}")
        kind = entry.options[name]
        try:
            checked[name] = kind(value)
        except ValueError:
            number = "a whole number" if kind is int else "a number"
            raise ValueError(f"bot {spec!r}: {name}={value!r} must be {number}") from None
    return checked


def _guess(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


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
        for place in range(len(decisions)):
            game = Game.from_arrays(imagined.take(slice(place, place + 1)), decisions.options)
            answer = self._function(game)
            try:
                actions[place] = decisions.spec.actions.check(answer)
            except ValueError:
                continue
        return actions


def _own_bot(spec: str, seed: int) -> Bot:
    """`MODULE:OBJECT`: a Bot, a class of Bots, or a callable."""
    found = _imported(spec)
    if isinstance(found, Bot):
        return found
    if isinstance(found, type):
        if not issubclass(found, Bot):
            raise ValueError(f"bot {spec!r}: the class must be derived from hemlock_env.agents.Bot")
        try:
            bot = found(seed=seed)
        except TypeError as error:
            raise ValueError(f"bot {spec!r}: can't be made: {error}") from None
        bot.spec = spec
        return bot
    if not callable(found):
        raise ValueError(f"bot {spec!r}: {found!r} can't be called")
    return CallableBot(found, spec, seed)


def _imported(spec: str) -> Any:
    """The object that `MODULE:OBJECT` names."""
    module_name, _, path = spec.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
    except (ImportError, ValueError, TypeError, SyntaxError) as error:
        raise ValueError(f"bot {spec!r}: can't import {module_name!r}: {error}") from None
    for name in path.split("."):
        if not hasattr(found, name):
            raise ValueError(f"bot {spec!r}: there is no {path!r} in {module_name!r}")
        found = getattr(found, name)
    return found

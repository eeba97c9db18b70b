"""Bots: players that a spec string names (`make_bot("greedy")`), and what it takes to write one."""

import warnings
from typing import Any

from hemlock_env.agents.base import Actions, Bot, Decisions
from hemlock_env.agents.registry import describe_bots, list_bots, make_bot
from hemlock_env.game.keys import Keys

__all__ = ["Actions", "Bot", "Decisions", "Keys", "describe_bots", "list_bots", "make_bot"]


def __getattr__(name: str) -> Any:
    """The old name of `Decisions`."""
    if name == "Situations":
        warnings.warn("Situations is now Decisions", DeprecationWarning, stacklevel=2)
        return Decisions
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

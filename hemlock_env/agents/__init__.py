"""Bots: players that a spec string names (`make_bot("greedy")`), and what it takes to write one."""

from hemlock_env._moved import moved
from hemlock_env.agents.base import Actions, Bot, Decisions
from hemlock_env.agents.registry import describe_bots, list_bots, make_bot
from hemlock_env.game.keys import Keys

__all__ = ["Actions", "Bot", "Decisions", "Keys", "describe_bots", "list_bots", "make_bot"]

__getattr__ = moved(__name__, {"Situations": "hemlock_env.agents.Decisions"})

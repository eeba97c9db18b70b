"""What the searching bots share: their options, checked and written into a spec, and room to
search in.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from hemlock_env.game.arrays import GameArrays
from hemlock_env.search import playouts

ROLLOUTS = ("random", "greedy")
NIGHTS_MAX = 8


def spec_of(name: str, options: Mapping[str, object], defaults: Mapping[str, object]) -> str:
    """The spec string, with the options that are not at their defaults."""
    given = [f":{key}={value}" for key, value in options.items() if value != defaults[key]]
    return name + "".join(given)


def check_between(name: str, option: str, value: float, least: float, most: float) -> None:
    """Refuse a number that is not from `least` to `most`."""
    if not (math.isfinite(value) and least <= value <= most):
        raise ValueError(f"{name}: {option}={value} must be from {least} to {most}")


def check_rollouts(name: str, rollouts: str) -> None:
    """Refuse a kind of playout that there isn't."""
    if rollouts not in ROLLOUTS:
        raise ValueError(f"{name}: rollouts={rollouts!r} must be one of {', '.join(ROLLOUTS)}")


def roots_of(games: GameArrays) -> playouts.Roots:
    """Where searches of these games begin."""
    return playouts.Roots(games.states, games.spec.tables, games.legals, games.counts)


def room_for(games: GameArrays, record: Any) -> playouts.Room:
    """Room for playouts of these games, which go as the PLAYOUT record says."""
    return playouts.new_room(GameArrays(games.spec, playouts.RECORDS).states, record)

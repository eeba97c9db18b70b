"""Values from a person, checked once: each function hands back the value or raises an error that
names it and says what it must be.
"""

from __future__ import annotations

import difflib
import json
import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np


@dataclass(frozen=True)
class Checks:
    """The checks, with the error and the wording of one kind of input."""

    error: type[ValueError] = ValueError
    """what is raised"""
    shape: str = "{name}={value!r}: {fault}"
    """how the message is put together"""
    plain: bool = False
    """accept only the types that JSON and TOML have: no NumPy numbers"""

    def refuse(self, value: Any, name: str, fault: str) -> NoReturn:
        """Raise the error: `name` holds `value`, which `fault` says is wrong."""
        raise self.error(self.shape.format(name=name, value=value, fault=fault))

    def whole(self, value: Any, low: int, high: int | None, name: str) -> int:
        """A whole number from `low` to `high` (None: no upper end); a bool is none."""
        whole = value if type(value) is int else as_whole(value)  # an int needs no look
        if whole is None or (self.plain and not isinstance(value, int)):
            self.refuse(value, name, f"must be a whole number {_range(low, high)}")
        if whole < low or (high is not None and whole > high):
            self.refuse(value, name, f"must be {_range(low, high)}")
        return whole

    def number(self, value: Any, low: float, high: float | None, name: str) -> float:
        """A number from `low` to `high` as a float; a bool or NaN is none."""
        if not isinstance(value, float | np.floating) and as_whole(value) is None:
            self.refuse(value, name, f"must be a number {_range(low, high)}")
        if not (low <= value and (high is None or value <= high)):
            self.refuse(value, name, f"must be {_range(low, high)}")
        return float(value)

    def flag(self, value: Any, name: str) -> bool:
        """True or False."""
        if not isinstance(value, bool if self.plain else bool | np.bool_):
            self.refuse(
                value, name, f"must be {'true or false' if self.plain else 'True or False'}"
            )
        return bool(value)

    def one_of(self, value: Any, words: Iterable[str], name: str) -> str:
        """One of some words."""
        words = tuple(words)
        if not isinstance(value, str) or value not in words:
            guess = did_you_mean(value, words)
            self.refuse(value, name, f"must be one of {', '.join(words)}{guess}")
        return value


BOOLS = (bool, np.bool_)

ARGUMENT = Checks()
whole, number, flag, one_of = ARGUMENT.whole, ARGUMENT.number, ARGUMENT.flag, ARGUMENT.one_of


def as_whole(value: Any) -> int | None:
    """An integer of Python, NumPy or the like as an int; None for anything else, a bool too."""
    if isinstance(value, BOOLS):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def same_json(given: Any, right: Any) -> bool:
    """Equal to the last sign: in JSON 1, 1.0 and true are three things, in Python one."""
    try:
        return json.dumps(given, sort_keys=True) == json.dumps(right, sort_keys=True)
    except (TypeError, ValueError):
        return False


def did_you_mean(word: Any, words: Iterable[str]) -> str:
    """` (did you mean 'greedy'?)`, or nothing where no word is near."""
    near = nearest(word, words)
    return f" (did you mean {near!r}?)" if near else ""


def nearest(word: Any, words: Iterable[str]) -> str:
    """The word that `word` may have been meant for; empty if none is near."""
    near = difflib.get_close_matches(word, list(words), n=1) if isinstance(word, str) else []
    return near[0] if near else ""


def _range(low: float, high: float | None) -> str:
    return f"from {low}" if high is None else f"from {low} to {high}"

"""Values from a person, checked once: each function hands back the value or raises an error that
names it and says what it must be.
"""

from __future__ import annotations

import difflib
import json
import operator
import reprlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np


@dataclass(frozen=True)
class Checks:
    """The checks, with the error and the wording of one kind of input."""

    error: type[ValueError] = ValueError
    """what is raised"""
    shape: str = "{name}={value}: {fault}"
    """how the message is put together"""
    plain: bool = False
    """accept only the types that JSON and TOML have: no NumPy numbers"""

    def refuse(self, value: Any, name: str, fault: str) -> NoReturn:
        """Raise the error: `name` holds `value`, which `fault` says is wrong."""
        raise self.error(self.shape.format(name=name, value=shown(value), fault=fault))

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

    # ---- documents ----

    def document(self, value: Any, form: dict[Any, Any], version: str) -> None:
        """The form of a whole JSON document with a key `format`, before what it means is looked at.

        Args:
            value: as `json` reads it.
            form: an object by its keys, those that may be left out with a `?` at their end;
                `{str: x}` is an object with any keys, `[x]` a list, `(x, None)` x or null, `object`
                anything; else a type, where float is any number.
            version: what `format` must be.
        """
        if not isinstance(value, dict):
            self.refuse(value, version, "must be an object")
        said = value.get("format")
        if isinstance(said, str) and said != version:  # all else may be otherwise then
            self.refuse(said, "format", f"must be {version!r}")
        self.form(value, form)

    def form(self, value: Any, form: Any, name: str = "") -> None:
        """Types and keys of a JSON value and of all that is in it, as `document` has them."""
        match form:
            case (inner, None):
                if value is not None:
                    self.form(value, inner, name)
            case [inner]:
                self.of_type(value, list, name)
                for place, each in enumerate(value):
                    self.form(each, inner, f"{name}[{place}]")
            case dict():
                self.of_type(value, dict, name)
                inner = {str(key).removesuffix("?"): each for key, each in form.items()}
                if str in form:
                    inner = dict.fromkeys(value, form[str])
                else:
                    self.keys(value, [key for key in inner if key in form], inner, name)
                for key, each in value.items():
                    self.form(each, inner[key], f"{name}.{key}" if name else key)
            case _:
                self.of_type(value, form, name)

    def of_type(self, value: Any, kind: type, name: str) -> None:
        """A value of a type that JSON has; a bool is no number."""
        accepted = (int, float) if kind is float else kind
        if not isinstance(value, accepted) or (kind in (int, float) and isinstance(value, bool)):
            self.refuse(value, name, f"must be {JSON_TYPES[kind]}")

    def keys(
        self, value: dict[str, Any], required: Collection[str], known: Collection[str], name: str
    ) -> None:
        """An object with all the required keys and none but the known ones."""
        at = f"{name}." if name else ""
        for key in value:
            if key not in known:
                raise self.error(f"{at}{key[:80]}: unknown key; known are {', '.join(known)}")
        for key in required:
            if key not in value:
                raise self.error(f"{at}{key}: is missing")


JSON_TYPES = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    object: "there",
}
SHOWN = reprlib.Repr()
SHOWN.maxdict, SHOWN.maxlist, SHOWN.maxstring, SHOWN.maxother = 8, 12, 80, 80
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
    except (TypeError, ValueError, RecursionError):
        return False


def shown(value: Any) -> str:
    """A value for a message, in short however long or deep it is."""
    return SHOWN.repr(value)


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

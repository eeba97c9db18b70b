"""The options of a game (R2.3, R2.5, R2.6, R11), checked once and written into game records."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from functools import cache
from inspect import signature
from typing import Any

import numpy as np

from hemlock_env._check import did_you_mean, flag, one_of, shown, whole
from hemlock_env.cards import CardSet, check_for_players
from hemlock_env.cards.vocabulary import DISTRICTS, MAX_PLAYERS, MIN_PLAYERS
from hemlock_env.engine.constants import NOBODY, RANDOM_SIDE

SIDES = ("basic", "advanced", "random")
LOOTS = ("row", "hand")
HIDDEN_LOOT_PLAYERS = 3  # R11.1: at most
SEED_LIMIT = 2**63
DEFAULT_CARD_SET = "vault_of_darkness"

assert SIDES.index("random") == RANDOM_SIDE


@dataclass(frozen=True)
class Option:
    """What all of the package knows of one option of the game, beside its name, type and default.

    From here it goes to `Game`, batches and environments, the command line, configs, positions,
    records, web pages, the observation's axis names, and what a checkpoint fits.
    """

    state: str
    """the field of STATE that it is written to"""
    help: str
    """what it says on the command line"""
    check: Callable[[Any], Any]
    """the value from what a person wrote, or a ValueError"""
    number: Callable[[Any], Any] = int
    """the value as STATE has it"""
    played: Callable[[Any], Any] | None = None
    """read back from a state: the option as it came out (None: nothing later depends on it)"""
    choices: tuple[str, ...] = ()
    """the words that it may be, on the command line"""
    offered: tuple[str, ...] = ()
    """the words that a form offers, where they are others than `choices`"""
    limits: tuple[int, int] = (0, 0)
    """the least and the greatest number that it may be, on the command line"""
    flag: str = ""
    """its name on the command line, if that is another"""
    axis: str = ""
    """its entry in the observation's axis `option`, if it is a variant"""


def _check_sides(sides: Any) -> tuple[str, ...]:
    """One word for all four districts, or a list of four."""
    words = (sides,) * DISTRICTS if isinstance(sides, str) else sides
    if not isinstance(words, list | tuple) or len(words) != DISTRICTS:
        raise ValueError(f"sides={shown(sides)}: must be one word or a list of {DISTRICTS}")
    for word in words:
        if not isinstance(word, str) or word not in SIDES:
            raise ValueError(
                f"sides={shown(sides)}: {shown(word)} must be one of {', '.join(SIDES)}"
            )
    return tuple(words)


def _option(default: Any, **row: Any) -> Any:
    """A field of `Options` with its row."""
    return field(default=default, metadata={"option": Option(**row)})


@dataclass(frozen=True)
class Options:
    """What a game is played with, a row for each option; `sides` is as asked for, one word for each
    district.
    """

    num_players: int = _option(  # R1.1
        2,
        state="num_players",
        help="How many houses.",
        check=lambda value: whole(value, MIN_PLAYERS, MAX_PLAYERS, "num_players"),
        played=lambda state: int(state["num_players"]),
        limits=(MIN_PLAYERS, MAX_PLAYERS),
        flag="players",
    )
    sides: tuple[str, ...] = _option(  # R2.3
        ("basic",) * DISTRICTS,
        state="asked_side",
        help="basic, advanced, random; or four, comma-separated.",
        check=_check_sides,
        number=lambda sides: [SIDES.index(side) for side in sides],
        played=lambda state: [SIDES[side] for side in state["side"]],
        offered=SIDES,
    )
    loot: str = _option(  # R11.1
        "row",
        state="hidden_loot",
        help="hand: hidden.",
        check=lambda value: one_of(value, LOOTS, "loot"),
        number=LOOTS.index,
        played=lambda state: LOOTS[state["hidden_loot"]],
        choices=LOOTS,
        axis="loot_hand",
    )
    items_as_loot: bool = _option(  # R11.2
        False,
        state="items_as_loot",
        help="An item may be used in place of a loot card.",
        check=lambda value: flag(value, "items_as_loot"),
        played=lambda state: bool(state["items_as_loot"]),
        axis="items_as_loot",
    )
    agendas: bool = _option(  # R11.3
        False,
        state="agendas",
        help="Secret agenda cards.",
        check=lambda value: flag(value, "agendas"),
        played=lambda state: bool(state["agendas"]),
        axis="agendas",
    )
    first_player: int | None = _option(  # R2.5
        None,
        state="asked_first",
        help="The seat that begins with supremacy; left out, it is drawn.",
        check=lambda value: None if value is None else as_seat(value, MAX_PLAYERS, "first_player"),
        number=lambda seat: NOBODY if seat is None else seat,
    )

    def write(self, states: np.ndarray[Any, Any]) -> None:
        """Into every record of `states`, which `set_up` then reads."""
        for name, option in OPTIONS.items():
            states[option.state] = option.number(getattr(self, name))

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON, with the names that `Game` takes."""
        values = {name: getattr(self, name) for name in OPTIONS}
        return values | {"sides": list(self.sides)}


OPTIONS: dict[str, Option] = {row.name: row.metadata["option"] for row in fields(Options)}
OPTION_NAMES = tuple(OPTIONS)
# What a game depends on after it was set up: the options of positions and records.
PLAYED = tuple(name for name, option in OPTIONS.items() if option.played)
# Their types in JSON, as `Checks.form` takes them.
PLAYED_FORM = {
    row.name: [str] if isinstance(row.default, tuple) else type(row.default)
    for row in fields(Options)
    if row.name in PLAYED
}
AXIS = tuple(option.axis for option in OPTIONS.values() if option.axis)


def form_rows() -> list[dict[str, Any]]:
    """The variants that a form offers, in plain JSON: name, help and the words to choose from, no
    words where it is on or off.
    """
    rows = []
    for row in fields(Options):
        option = OPTIONS[row.name]
        words = option.offered or option.choices
        if words or isinstance(row.default, bool):
            rows.append({"name": row.name, "help": option.help, "words": list(words)})
    return rows


def played_options(state: Any) -> dict[str, Any]:
    """The options of a running game, as they came out, by name."""
    return {name: option.played(state) for name, option in OPTIONS.items() if option.played}


def check_options(card_set: CardSet, *given: Any, **by_name: Any) -> Options:
    """Options from what a person wrote, in the order of `Options` or by name; ValueError names the
    option that can't be.
    """
    refuse_unknown(by_name)
    asked = {**dict(zip(OPTION_NAMES, given, strict=False)), **by_name}
    options = Options(**{name: OPTIONS[name].check(value) for name, value in asked.items()})
    players, loot = options.num_players, options.loot
    if loot == "hand" and players > HIDDEN_LOOT_PLAYERS:
        raise ValueError(
            f"loot='hand' with num_players={players}: hidden loot is for 2 or 3 players (R11.1)"
        )
    if options.first_player is not None:
        as_seat(options.first_player, players, "first_player")
    check_for_players(card_set, players, loot, options.agendas)
    return options


class UnknownOptionError(TypeError, ValueError):
    """There is no such option. A TypeError in Python's words too: libraries try keywords and look
    for them.
    """


def refuse_unknown(given: Iterable[str], *makers: Callable[..., Any]) -> None:
    """UnknownOptionError where `given` has what is neither an option of the game nor a keyword of
    the `makers`; it names what there is.
    """
    known = _keywords(makers)
    unknown = [name for name in given if name not in known]
    if unknown:
        guess = did_you_mean(unknown[0], known)
        raise UnknownOptionError(
            f"unknown option: {', '.join(unknown)} (got an unexpected keyword argument "
            f"{unknown[0]!r}){guess}; the options are {', '.join(known)}"
        )


@cache
def _keywords(makers: tuple[Callable[..., Any], ...]) -> tuple[str, ...]:
    """What may be given to one of them by name, and the options of the game."""
    parameters = [row for maker in makers for row in signature(maker).parameters.values()]
    named = (
        row.name for row in parameters if row.kind in (row.POSITIONAL_OR_KEYWORD, row.KEYWORD_ONLY)
    )
    return tuple(dict.fromkeys([*named, *OPTION_NAMES, "card_set"]))


def check_seed(seed: Any) -> int:
    """A seed from a person: a whole number from 0 to 2^63 - 1."""
    return whole(seed, 0, SEED_LIMIT - 1, "seed")


def seed_or_drawn(seed: Any = None) -> int:
    """A seed from a person, or for None a fresh one; no global random state is read or changed."""
    return secrets.randbelow(SEED_LIMIT) if seed is None else check_seed(seed)


def check_seat(seat: Any, num_players: int) -> int:
    """A seat from a person."""
    return as_seat(seat, num_players, "seat")


def as_seat(seat: Any, num_players: int, name: str) -> int:
    """A seat, under any name."""
    return whole(seat, 0, num_players - 1, name)

"""The options of a game (R2.3, R2.5, R2.6, R11), checked once and written into game records."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hemlock_env._check import flag, one_of, whole
from hemlock_env.cards import CardSet, check_for_players, load_card_set
from hemlock_env.cards.vocabulary import DISTRICTS, MAX_PLAYERS, MIN_PLAYERS
from hemlock_env.engine.constants import NOBODY, RANDOM_SIDE

SIDES = ("basic", "advanced", "random")
LOOTS = ("row", "hand")
HIDDEN_LOOT_PLAYERS = 3  # R11.1: at most
SEED_LIMIT = 2**63
DEFAULT_CARD_SET = "vault_of_darkness"

assert SIDES.index("random") == RANDOM_SIDE


@dataclass(frozen=True)
class Options:
    """What a game is played with. `sides` is as asked for: one word of SIDES for each district."""

    num_players: int = 2
    sides: tuple[str, ...] = ("basic",) * DISTRICTS
    loot: str = "row"
    items_as_loot: bool = False
    agendas: bool = False
    first_player: int | None = None

    def write(self, states: np.ndarray[Any, Any]) -> None:
        """Into every record of `states`, which `set_up` then reads."""
        states["num_players"] = self.num_players
        states["hidden_loot"] = self.loot == "hand"
        states["items_as_loot"] = self.items_as_loot
        states["agendas"] = self.agendas
        states["asked_side"] = [SIDES.index(side) for side in self.sides]
        states["asked_first"] = NOBODY if self.first_player is None else self.first_player

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON, with the names that `Game` takes."""
        return {
            "num_players": self.num_players,
            "sides": list(self.sides),
            "loot": self.loot,
            "items_as_loot": self.items_as_loot,
            "agendas": self.agendas,
            "first_player": self.first_player,
        }


OPTION_NAMES = tuple(Options().as_dict())


def check_options(
    card_set: CardSet,
    num_players: Any = 2,
    sides: Any = "basic",
    loot: Any = "row",
    items_as_loot: Any = False,
    agendas: Any = False,
    first_player: Any = None,
) -> Options:
    """Options from what a person wrote; ValueError names the option that can't be."""
    players = whole(num_players, MIN_PLAYERS, MAX_PLAYERS, "num_players")
    loot = one_of(loot, LOOTS, "loot")
    if loot == "hand" and players > HIDDEN_LOOT_PLAYERS:
        raise ValueError(
            f"loot='hand' with num_players={players}: hidden loot is for 2 or 3 players (R11.1)"
        )
    if first_player is not None:
        first_player = whole(first_player, 0, players - 1, "first_player")
    options = Options(
        players,
        _check_sides(sides),
        loot,
        flag(items_as_loot, "items_as_loot"),
        flag(agendas, "agendas"),
        first_player,
    )
    check_for_players(card_set, players, loot, options.agendas)
    return options


def refuse_unknown(options: Mapping[str, Any]) -> None:
    """ValueError where there are options that don't exist; names them and what there is."""
    unknown = [name for name in options if name not in OPTION_NAMES]
    if unknown:
        there_are = ", ".join([*OPTION_NAMES, "card_set"])
        raise ValueError(f"unknown option: {', '.join(unknown)}; the options are {there_are}")


def _check_sides(sides: Any) -> tuple[str, ...]:
    """One word for all four districts, or a list of four."""
    words = (sides,) * DISTRICTS if isinstance(sides, str) else sides
    if not isinstance(words, list | tuple) or len(words) != DISTRICTS:
        raise ValueError(f"sides={sides!r}: must be one word or a list of {DISTRICTS}")
    for word in words:
        if not isinstance(word, str) or word not in SIDES:
            raise ValueError(f"sides={sides!r}: {word!r} must be one of {', '.join(SIDES)}")
    return tuple(words)


def check_seed(seed: Any) -> int:
    """A seed from a person: a whole number from 0 to 2^63 - 1."""
    return whole(seed, 0, SEED_LIMIT - 1, "seed")


def seed_or_drawn(seed: Any = None) -> int:
    """A seed from a person, or for None a fresh one; no global random state is read or changed."""
    return secrets.randbelow(SEED_LIMIT) if seed is None else check_seed(seed)


def check_seat(seat: Any, num_players: int) -> int:
    """A seat from a person."""
    return whole(seat, 0, num_players - 1, "seat")


def find_card_set(card_set: CardSet | str | os.PathLike[str]) -> CardSet:
    """A card set given itself, its id or its path."""
    return card_set if isinstance(card_set, CardSet) else load_card_set(card_set)

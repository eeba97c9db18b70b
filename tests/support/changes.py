"""Good positions and records, and ways to change one thing in them."""

import copy
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st

from hemlock_env import Game, replay
from tests.support.play import phase_and_kind, played, stops

Change = Callable[[dict[str, Any]], Any]

# ---- one change ----


def reached(value: Any, way: list[Any]) -> Any:
    """What stands in a JSON value at the end of a way."""
    for step in way:
        value = value[step]
    return value


def put(value: Any, *path: Any) -> Change:
    """Puts a value in a place, or takes away what is there (`...`)."""

    def change(position: dict[str, Any]) -> None:
        *way, last = path
        if value is ...:
            del reached(position, way)[last]
        else:
            reached(position, way)[last] = value

    return change


def add(number: int, *path: Any) -> Change:
    """Adds to a count."""

    def change(position: dict[str, Any]) -> None:
        *way, last = path
        counts = reached(position, way)
        counts[last] = counts.get(last, 0) + number

    return change


def mark(sign: str, district: str, row: int, column: int) -> Change:
    """Writes a sign on a space."""

    def change(position: dict[str, Any]) -> None:
        rows = position["districts"][district]["spaces"]
        rows[row] = rows[row][:column] + sign + rows[row][column + 1 :]

    return change


# ---- changes at random ----

ODD_NUMBERS = (-1, 0, 1, 2, 3, 4, 12, 13, 127, 128, 10**9, 10**30, 0.0, 1.0, 1.5)
ODD_TEXTS = ("", ".", "ghoul", "spires", "leader_spires", "loot", "special", "claim", "over")
ODD_LISTS = ([], {}, [[]], [0], ["ghoul"], {"ghoul": 1}, {"": 0}, ["...", "...", "..."])
ODD_VALUES = st.sampled_from([None, True, False, *ODD_NUMBERS, *ODD_TEXTS, "use_loot", *ODD_LISTS])


def paths(value: Any, *way: Any) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    children = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in children:
        yield (*way, key)
        if isinstance(child, dict | list):
            yield from paths(child, *way, key)


def changed_at_random(value: Any, data: st.DataObject) -> Any:
    """With one to three places given another value, taken away, or exchanged with another place."""
    value = copy.deepcopy(value)
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from(list(paths(value))))
        at = reached(value, way)
        what = data.draw(st.sampled_from(("put", "put", "remove", "exchange", "repeat")))
        if what == "put":
            at[last] = copy.deepcopy(data.draw(ODD_VALUES))
        elif what == "remove":
            del at[last]
        elif what == "exchange":
            other = data.draw(st.sampled_from(list(at if isinstance(at, dict) else range(len(at)))))
            at[last], at[other] = at[other], at[last]
        elif isinstance(at, list):
            at.append(copy.deepcopy(at[last]))
        if not value:
            break
    return value


# ---- good positions ----


def position_at(kind: str, *, seed: int, phase: str = "", **options: Any) -> dict[str, Any]:
    """The first decision of a kind that comes up from this seed on."""
    while True:
        for game in stops(Game(**options, seed=seed), Random(seed)):
            position = game.to_position()
            found_phase, found_kind = phase_and_kind(position)
            if found_kind == kind and phase in ("", found_phase):
                return position
        seed += 1


SPECIAL = position_at("special_action", seed=3)  # the first of a game of two


def assert_refused(position: Any, word: str) -> None:
    """With the word in the message, and the position is what it was."""
    text = json.dumps(position)
    with pytest.raises(ValueError) as error:
        Game.from_position(position)
    assert word in str(error.value)
    assert type(error.value).__module__ == "hemlock_env.game.position_reader"
    assert json.dumps(position) == text


# ---- good records ----

LONG_RECORD = played(Game(3, loot="hand", agendas=True, sides="random", seed=5), 1000).record()
RECORD = played(Game(seed=6), 1000).record()


def replayed(record: Any) -> list[Game]:
    """To the last event."""
    return list(replay(record))

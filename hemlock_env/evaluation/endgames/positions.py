"""A set of endgames, and its file: positions with the exact value of every legal action."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env._check import Checks, shown, whole
from hemlock_env._files import parse_json, text_of
from hemlock_env.cards import CardSet
from hemlock_env.engine import kernel
from hemlock_env.engine.constants import LEGAL_MAX
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.game import Game
from hemlock_env.game.hashes import rules_hash
from hemlock_env.game.options import PLAYED_FORM, Options
from hemlock_env.game.position import OPTION_KEYS
from hemlock_env.game.spec import GameSpec, find_spec

FORMAT = "hemlock-endgames/1"
SHIPPED = Path(__file__).with_name("endgames.json.gz")
POSITIONS = 1_000  # in the shipped set

# Left out of every position of a set: they stand once at its head, or mean nothing here.
COMMON = ("format", "card_set", "card_set_hash", "options")
USELESS = ("rng", "scores", "winners")

# The types and keys of a set, as `Checks.document` takes them; of its positions see the reader.
FORM = {
    "format": str,
    "card_set": str,
    "card_set_hash": str,
    "rules": str,
    "options": PLAYED_FORM,
    "seed": int,
    "positions": [{"stage": str, "position": {str: object}, "values": {str: int}}],
}
VALUE_MAX = 10**6  # far beyond what a game can be won by
FIELD = Checks(shape="{name}: {value} {fault}", plain=True)


class Endgames:
    """A set of solved positions."""

    def __init__(self, options: Options, games: GameArrays) -> None:
        self.options = options
        self.games = games
        """one row a position"""
        self.values: NDArray[np.int64] = np.zeros((games.count, LEGAL_MAX), np.int64)
        """(positions, 40): of each legal action to whoever decides, twice the margin plus the
        outcome (see `solver`)"""
        self.stages: list[str] = [""] * games.count

    def __len__(self) -> int:
        """How many positions."""
        return self.games.count

    def game(self, row: int) -> Game:
        """One of the positions, to be looked at or played on."""
        return Game.from_arrays(self.games.take(slice(row, row + 1)), self.options)


# ---- reading ----


def load_endgames(
    path: str | os.PathLike[str] | None = None, positions: int | None = None
) -> Endgames:
    """A set from a file: the shipped one by default, all of it or its first positions.

    Raises:
        ValueError: there is no such set, or it was made for other cards or rules than are here.
    """
    name = os.fspath(SHIPPED if path is None else path)
    stored = _read(name)
    spec, options = _check_head(stored, name)
    rows = stored["positions"]
    count = len(rows) if positions is None else whole(positions, 1, len(rows), "positions")
    endgames = Endgames(options, GameArrays(spec, count))
    head = {key: stored[key] for key in COMMON} | {"format": "hemlock-position/1"}
    for number, row in enumerate(rows[:count]):
        try:
            game = Game.from_position({**row["position"], **head}, seed=0)
            legal = game.arrays.legal_names(0)
            FIELD.keys(row["values"], legal, legal, "values")
            values = [
                FIELD.whole(row["values"][action], -VALUE_MAX, VALUE_MAX, f"values.{action}")
                for action in legal
            ]
        except ValueError as error:
            raise ValueError(
                f"{name}: position {number} is damaged, or not of these rules: {error}"
            ) from None
        endgames.games.states[number] = game.state
        endgames.values[number, : len(values)] = values
        endgames.stages[number] = row["stage"]
    endgames.games.run(kernel.SHOW)
    return endgames


def _read(name: str) -> dict[str, Any]:
    """What a file holds."""
    what = f"a set of endgames ({FORMAT})"
    try:
        text = text_of(gzip.decompress(Path(name).read_bytes()), name)
        stored = parse_json(text, name, what)
    except OSError as error:
        raise ValueError(f"{name}: can't be read: {error.strerror or error}") from None
    except (EOFError, zlib.error) as error:
        raise ValueError(f"{name}: isn't {what}: {error}") from None
    if stored.get("format") != FORMAT:
        raise ValueError(f"{name}: isn't {what}")
    return stored


def _check_head(stored: dict[str, Any], name: str) -> tuple[GameSpec, Options]:
    """The set's spec and options; it must be for the rules as they are here."""
    try:
        FIELD.document(stored, FORM, FORMAT)
        spec, options = find_spec(stored["card_set"], **stored["options"])
    except ValueError as error:
        raise ValueError(f"{name}: is damaged: {error}") from None
    if not stored["positions"]:
        raise ValueError(f"{name}: holds no positions")
    if stored["rules"] != rules_hash(spec.card_set):
        raise ValueError(
            f"{name}: was made for other cards or rules ({shown(stored['rules'])}; here: "
            f"{rules_hash(spec.card_set)}): make a new one with `hemlock endgames --make FILE`"
        )
    return spec, options


# ---- writing ----


def position_of(game: Game) -> dict[str, Any]:
    """A game's position as it stands in a set."""
    position = game.to_position()
    for key in (*COMMON, *USELESS):
        del position[key]
    del position["decision"]["legal"]  # the values name the actions
    del position["pending"]["decisions"]  # nothing depends on how long the game has been
    return position


def pack(cards: CardSet, options: Options, seed: int, rows: list[dict[str, Any]]) -> bytes:
    """The file of a set; no date in it, so that the same set is the same bytes.

    Args:
        cards: of all positions.
        options: of all positions.
        seed: that the set was made with.
        rows: `stage`, `position` and `values` (by the action's name) of each position.
    """
    stored = {
        "format": FORMAT,
        "card_set": cards.id,
        "card_set_hash": cards.hash,
        "rules": rules_hash(cards),
        "options": {key: options.as_dict()[key] for key in OPTION_KEYS},
        "seed": seed,
        "positions": rows,
    }
    return gzip.compress(json.dumps(stored, separators=(",", ":")).encode(), 9, mtime=0)

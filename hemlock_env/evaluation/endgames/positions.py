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

from hemlock_env._check import whole
from hemlock_env._files import parse_json, text_of
from hemlock_env.cards import CardSet, load_card_set
from hemlock_env.engine import kernel
from hemlock_env.engine.constants import LEGAL_MAX
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.game import Game
from hemlock_env.game.hashes import rules_hash
from hemlock_env.game.options import Options
from hemlock_env.game.position import OPTION_KEYS
from hemlock_env.game.spec import find_spec

FORMAT = "hemlock-endgames/1"
SHIPPED = Path(__file__).with_name("endgames.json.gz")
POSITIONS = 1_000  # in the shipped set

# Left out of every position of a set: they stand once at its head, or mean nothing here.
COMMON = ("format", "card_set", "card_set_hash", "options")
USELESS = ("rng", "scores", "winners")


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
    cards = _check_head(stored, name)
    rows = stored["positions"]
    count = len(rows) if positions is None else whole(positions, 1, len(rows), "positions")
    spec, options = find_spec(cards, **stored["options"])
    endgames = Endgames(options, GameArrays(spec, count))
    head = {key: stored[key] for key in COMMON} | {"format": "hemlock-position/1"}
    for number, row in enumerate(rows[:count]):
        try:
            game = Game.from_position({**head, **row["position"]}, seed=0)
            values = [row["values"][game.action_name(action)] for action in game.legal_actions()]
        except (ValueError, KeyError, TypeError) as error:
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


def _check_head(stored: dict[str, Any], name: str) -> CardSet:
    """The set's cards; it must be for the rules as they are here."""
    missing = [key for key in (*COMMON, "rules", "positions") if key not in stored]
    if missing:
        raise ValueError(f"{name}: is damaged: {', '.join(missing)} missing")
    cards = load_card_set(stored["card_set"])
    if not isinstance(stored["options"], dict) or not isinstance(stored["positions"], list):
        raise ValueError(f"{name}: is damaged: options or positions are not what they should be")
    if not stored["positions"]:
        raise ValueError(f"{name}: holds no positions")
    if stored["rules"] != rules_hash(cards):
        raise ValueError(
            f"{name}: was made for other cards or rules ({stored['rules']}; here: "
            f"{rules_hash(cards)}): make a new one with `hemlock endgames --make FILE`"
        )
    return cards


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

"""The games of a ladder on disk: a folder with one CSV line for each game, and what they have in
common.

Lines are only ever added, whole chunks at a time; a line that a crash cut short is left out when
the folder is read. So a ladder that was stopped goes on where it was, and one that grew by a bot or
by more pairs plays what is missing.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env._check import Checks, same_json, shown
from hemlock_env._files import read_csv, read_json, write_json
from hemlock_env.cards.vocabulary import MAX_PLAYERS
from hemlock_env.evaluation.ladder.schedule import Schedule
from hemlock_env.evaluation.match import GAMES_MAX, Games

GAMES = "games.csv"
COMMON = "ladder.json"
FORMAT = 1

# Of each number, how it is read, and the least and the greatest that it can be.
COLUMNS: dict[str, tuple[Callable[[str], Any], float, float] | None] = {
    "a": None,
    "b": None,
    "group": (int, 0, GAMES_MAX),
    "seat": (int, 0, MAX_PLAYERS - 1),
    "score": (float, 0, 1),
    "margin": (float, -1e6, 1e6),
    "digest": (partial(int, base=16), 0, 2**64 - 1),
    **dict.fromkeys(("decisions_a", "decisions_b", "illegal_a", "illegal_b"), (int, 0, 2**31)),
    **dict.fromkeys(("seconds_a", "seconds_b"), (float, 0, 1e9)),
}


# The types and keys of what is common, as `Checks.form` takes them.
COMMON_FORM = {
    "format": int,
    "seed": int,
    "options": {str: object},
    "rules": str,
    "package": str,
    "bots": {str: str},
}
FIELD = Checks(shape="{name}: {value} {fault}")


@dataclass(frozen=True)
class Chunk:
    """Some groups of one pairing, by the numbers of its bots in the schedule."""

    a: int
    b: int
    first: int
    end: int

    @property
    def groups(self) -> int:
        """How many."""
        return self.end - self.first


class Store:
    """A folder of games."""

    def __init__(self, folder: Path, schedule: Schedule, read_only: bool = False) -> None:
        """Open the folder for the games of a schedule, or make it unless it is only to be read.

        Raises:
            ValueError: it can't be written, it isn't there to be read, or it holds games of another
                kind.
        """
        self.folder = folder
        self.file = folder / GAMES
        self._schedule = schedule
        identity = {"format": FORMAT, **schedule.identity(), "bots": schedule.fingerprints()}
        common = folder / COMMON
        if read_only:
            if not common.exists():
                raise ValueError(f"{folder}: no ladder has been played there yet")
            _check_common(common, identity)
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if common.exists():
                identity["bots"] = {**_check_common(common, identity), **identity["bots"]}
            write_json(common, identity)
            with open(self.file, "a", encoding="utf-8"):
                pass
        except OSError as error:
            raise ValueError(f"{folder}: can't be written: {error}") from None

    def add(self, chunk: Chunk, games: Games) -> None:
        """Add the games of a chunk, at once."""
        names = self._schedule.names
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        if self.file.stat().st_size == 0:
            writer.writerow(COLUMNS)
        elif not _ends_whole(self.file):
            lines.write("\n")  # after a line that was cut short
        for game in range(len(games.scores)):
            group, seat = divmod(game, games.group_size)
            writer.writerow(
                [
                    *(names[chunk.a], names[chunk.b], chunk.first + group, seat),
                    *(games.scores[game], games.margins[game], f"{games.digests[game]:016x}"),
                    *games.decisions[game],
                    *games.illegal[game],
                    *(f"{seconds:.6g}" for seconds in games.thinking[game]),
                ]
            )
        descriptor = os.open(self.file, os.O_WRONLY | os.O_APPEND)
        try:  # in one write: another ladder may be playing in the same folder
            os.write(descriptor, lines.getvalue().encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def read(self) -> dict[tuple[int, int], dict[int, Games]]:
        """The complete groups of each pairing of the schedule: games by the number of the group."""
        number = {name: bot for bot, name in enumerate(self._schedule.names)}
        seats = self._schedule.num_players
        wanted = {(pairing.a, pairing.b): pairing.groups for pairing in self._schedule.pairings}
        rows: dict[tuple[int, int], dict[int, dict[int, dict[str, Any]]]] = {}
        for row in _whole_rows(self.file):
            pair = (number.get(row["a"], -1), number.get(row["b"], -1))
            if row["group"] < wanted.get(pair, 0):
                rows.setdefault(pair, {}).setdefault(row["group"], {})[row["seat"]] = row
        return {
            pair: {
                group: _games([by_seat[seat] for seat in range(seats)])
                for group, by_seat in sorted(groups.items())
                if by_seat.keys() >= set(range(seats))
            }
            for pair, groups in rows.items()
        }


def read_scores(file: Path, seats: int) -> dict[tuple[str, str], NDArray[np.float64]]:
    """A's mean score in each whole group of a games.csv, in the order of their numbers, by the
    names of A and B: float64 (groups,). Nothing is asked about the bots.

    Raises:
        ValueError: the file can't be read, or holds what no game has; the message names it.
    """
    found: dict[tuple[str, str], dict[int, dict[int, float]]] = {}
    for row in _whole_rows(file):
        groups = found.setdefault((row["a"], row["b"]), {})
        groups.setdefault(row["group"], {})[row["seat"]] = row["score"]
    return {
        pair: np.array(
            [
                np.mean([by_seat[seat] for seat in range(seats)])
                for _, by_seat in sorted(groups.items())
                if by_seat.keys() >= set(range(seats))
            ]
        )
        for pair, groups in found.items()
    }


def _check_common(file: Path, identity: dict[str, Any]) -> dict[str, str]:
    """The fingerprints of the bots that the folder knows; ValueError where games can't be mixed."""
    try:
        there = read_json(file)
        FIELD.form(there, COMMON_FORM)
    except ValueError as error:
        raise ValueError(f"{file}: can't be read ({error}); choose another folder") from None
    bots: dict[str, str] = there["bots"]
    for key in ("format", "seed", "options", "rules", "package"):
        if not same_json(there[key], identity[key]):
            raise ValueError(
                f"{file.parent} holds games with {key} {shown(there[key])}, not {identity[key]!r}; "
                "choose another folder"
            )
    for name, fingerprint in identity["bots"].items():
        if bots.get(name, fingerprint) != fingerprint:
            raise ValueError(
                f"{file.parent} holds games of another bot {name!r}, {bots[name][:80]}, now it is "
                f"{fingerprint}; choose another folder"
            )
    return bots


def _ends_whole(file: Path) -> bool:
    with open(file, "rb") as lines:
        lines.seek(-1, os.SEEK_END)
        return lines.read() == b"\n"


def _whole_rows(file: Path) -> Iterable[dict[str, Any]]:
    """Rows that are complete, with their numbers; one that a crashed run cut short is left out.

    Raises:
        ValueError: a row holds what no game has; the message names it.
    """
    for number, row in enumerate(read_csv(file), 1):
        whole = None not in row and row.get("seconds_b", True)
        row.pop(None, None)  # type: ignore[call-overload]
        try:
            FIELD.keys(row, COLUMNS, COLUMNS, "columns")
            if whole:
                yield {name: _number(name, text) for name, text in row.items()}
        except ValueError as error:
            raise ValueError(f"{file}: game {number}: {error}; choose another folder") from None


def _number(name: str, text: str) -> Any:
    """What a column holds, within what a game can have; names as they are."""
    about = COLUMNS[name]
    if about is None:
        return text
    read, low, high = about
    try:
        value = read(text)
    except ValueError:
        FIELD.refuse(text, name, "must be a number")
    if not low <= value <= high:
        FIELD.refuse(text, name, f"must be from {low} to {high}")
    return value


def _games(rows: list[dict[str, Any]]) -> Games:
    """The games of one group."""

    def column(*names: str) -> Any:
        return np.array([[row[name] for name in names] for row in rows])

    return Games(
        scores=column("score")[:, 0],
        margins=column("margin")[:, 0],
        digests=np.array([row["digest"] for row in rows], np.uint64),
        decisions=column("decisions_a", "decisions_b"),
        illegal=column("illegal_a", "illegal_b"),
        thinking=column("seconds_a", "seconds_b"),
        group_size=len(rows),
    )

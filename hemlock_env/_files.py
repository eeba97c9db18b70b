"""Files and folders that are written whole or not at all, and the one reader of text, JSON, TOML
and CSV: what can't be read is a ValueError that names the file.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.resources.abc import Traversable
from itertools import accumulate
from pathlib import Path
from typing import Any

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PACKAGE = Path(__file__).parent
LOCK = ".lock"  # in a folder that is claimed
OLD = ".old"  # ends the name of the folder before, while a new one takes its place
DEPTH = 100  # of JSON; where Python's reader gives up differs between its versions
_MARK = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[][{}]', re.DOTALL)  # a string's brackets don't count
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """A path beside `file` to write to: it takes the file's place at the end, and after an error
    nothing of it is left.
    """
    fresh = beside(file, f".new{os.getpid()}")
    try:
        yield fresh
        os.replace(fresh, file)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise


def write_text(file: Path, text: str) -> None:
    """A text file in UTF-8, in place of one of that name."""
    with replacing(file) as fresh:
        fresh.write_text(text, encoding="utf-8")


def write_json(file: Path, value: Any, indent: int | None = 2) -> None:
    """A JSON file; with `indent=None` on one line."""
    separators = (",", ":") if indent is None else None
    write_text(file, json.dumps(value, indent=indent, separators=separators) + "\n")


def write_csv(
    file: Path, rows: Iterable[Mapping[str, object]], names: Sequence[str], ending: str = "\r\n"
) -> None:
    """A CSV file with these columns; `ending` ends a line."""
    with replacing(file) as fresh, open(fresh, "w", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, names, extrasaction="ignore", lineterminator=ending)
        writer.writeheader()
        writer.writerows(rows)


def read_json(file: Path, what: str = "a JSON object") -> dict[str, Any]:
    """The JSON object in a file.

    Raises:
        ValueError: it can't be read, or isn't one; the message names the file and says `what` it
            should be.
    """
    return parse_json(read_text(file), str(file), what)


def parse_json(text: str, name: str, what: str = "a JSON object") -> dict[str, Any]:
    """The JSON object in a text; `name` and `what` are for messages, as in `read_json`."""
    try:
        if max(accumulate(_STEP.get(mark, 0) for mark in _MARK.findall(text)), default=0) > DEPTH:
            raise ValueError("nested too deep")
        value = json.loads(text, parse_constant=_no_number)
    except ValueError as error:
        raise ValueError(f"{name}: isn't {what}: {error}") from None
    if not isinstance(value, dict):
        raise ValueError(f"{name}: isn't {what}: must be a JSON object")
    return value


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")  # Python's reader takes NaN and Infinity


def read_toml(file: Path) -> dict[str, Any]:
    """The table in a TOML file."""
    return parse_toml(read_text(file), str(file))


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """The table in a text; `name` is for messages."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"{name}: is no valid TOML: nested too deep") from None
    except ValueError as error:  # a number of thousands of digits too
        raise ValueError(f"{name}: is no valid TOML: {error}") from None


def read_csv(file: Path) -> list[dict[str, Any]]:
    """The rows of a CSV file by column; the last line is left out where a crash cut it short."""
    *whole, _ = read_text(file).split("\n")
    try:
        return list(csv.DictReader((f"{line}\n" for line in whole), restval=""))
    except csv.Error as error:
        raise ValueError(f"{file}: isn't CSV: {error}") from None


def read_text(file: Path | Traversable, name: str | None = None) -> str:
    """The text of a file in UTF-8, with or without the byte order mark that some editors put first;
    `name` is for messages, its path by default.
    """
    name = str(file) if name is None else name
    try:
        data = file.read_bytes()
    except (OSError, ValueError) as error:  # a zero in a path is a ValueError
        reason = error.strerror if isinstance(error, OSError) else error
        raise ValueError(f"{name}: can't be read: {reason}") from None
    return text_of(data, name)


def text_of(data: bytes, name: str) -> str:
    """The same from the bytes of a file."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{name}: is not UTF-8 text: {error}") from None


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """A folder with these files by name, in place of one of that name.

    At every moment a whole folder is there, under its name or, for an instant, with `OLD` at its
    end.
    """
    fresh, old = beside(folder, f".new{os.getpid()}"), beside(folder, OLD)
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    try:
        for name, data in files.items():
            with open(fresh / name, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
    except OSError:  # such as a full disk: what was begun would only be in the way
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    if folder.exists():
        shutil.rmtree(old, ignore_errors=True)
        folder.rename(old)
    fresh.rename(folder)
    _sync(folder.parent)
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def claimed(folder: Path, why: str) -> Iterator[None]:
    """Hold a folder, which is made if need be, against all others that claim it.

    The system keeps the lock on an open file, so one that was killed blocks nobody; its empty file
    stays.

    Raises:
        ValueError: another holds it, in this process or another; the message ends with `why`.
        OSError: the folder can't be made or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / LOCK, "ab") as file:
        try:
            if sys.platform == "win32":
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            raise ValueError(f"{folder} is in use: {why}") from None
        except OSError:
            pass  # some file systems of clusters know no locks: nobody is kept out there
        yield


def shipped(name: str) -> tuple[Path, Path]:
    """Where a folder that is shipped may be: in an installed package (setup.py puts it there), and
    in a checkout.
    """
    return PACKAGE / name, PACKAGE.parent / name


def beside(path: Path, ending: str) -> Path:
    """The path with `ending` after its name."""
    return path.with_name(path.name + ending)


def _sync(folder: Path) -> None:
    """The new names on the disk too, where the system lets us ask for it."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

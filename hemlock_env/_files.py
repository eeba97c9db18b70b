"""Files and folders that are written whole or not at all, and JSON and TOML read from them."""

from __future__ import annotations

import csv
import json
import os
import shutil
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

OLD = ".old"  # ends the name of the folder before, while a new one takes its place


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
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{file}: can't be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file}: isn't {what}: {error}") from None
    if not isinstance(value, dict):
        raise ValueError(f"{file}: isn't {what}: must be a JSON object")
    return value


def read_toml(file: Path) -> dict[str, Any]:
    """The table in a TOML file; ValueError, with the file's name, where there is none."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{file}: can't be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file}: not TOML: {error}") from None


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


def shipped(name: str) -> tuple[Path, Path]:
    """Where a folder that is shipped may be: in an installed package (setup.py puts it there), and
    in a checkout.
    """
    package = Path(__file__).parent
    return package / name, package.parent / name


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

"""Records on the disk."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def read_record(path: Path) -> dict[str, Any]:
    """The JSON object in a file; `replay` checks what is in it.

    Raises:
        ValueError: the file can't be read, or holds something else; the message names it.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path}: can't be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: isn't a record in JSON: {error}") from None
    if not isinstance(record, dict):
        raise ValueError(f"{path}: isn't a record: a record is a JSON object")
    return record


def write_record(path: Path, record: dict[str, Any], *, replace: bool = False) -> None:
    """Write a record, whole or not at all.

    Raises:
        ValueError: the file is there already and may not be replaced, or can't be written.
    """
    if path.exists() and not replace:
        raise ValueError(f"{path}: is there already; name another file")
    fresh = path.with_name(f"{path.name}.new{os.getpid()}")
    try:
        fresh.write_text(json.dumps(record, separators=(",", ":")) + "\n", encoding="utf-8")
        os.replace(fresh, path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise ValueError(f"{path}: can't be written: {error.strerror}") from None


def free_name(stem: str) -> Path:
    """A file in the current folder that isn't there yet."""
    numbered = (Path(f"{stem}{f'-{number}' if number else ''}.json") for number in range(10_000))
    return next(path for path in numbered if not path.exists())

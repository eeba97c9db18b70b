"""The versions that the tests were run with, as a file for pip.

`python -m tests.support.lock requirements-lock.txt` writes those of the environment that runs it.
"""

from __future__ import annotations

import platform
import sys
from collections import deque
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Requirement("hemlock-env[dev]")  # all that tests, checks and the site need


def locked() -> dict[str, str]:
    """Name and version of all that PROJECT needs, directly or through others, itself left out.

    What a platform doesn't need isn't installed, and so not listed. A local part of a version
    (`+cpu`) is left out: it says where a build comes from, and no package index has it.
    """
    versions: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    waiting = deque([PROJECT])
    while waiting:
        wanted = waiting.popleft()
        name = canonicalize_name(wanted.name)
        for extra in {"", *wanted.extras}:
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            try:
                found = distribution(name)
            except PackageNotFoundError:
                raise SystemExit(f"{wanted} is not installed: run `make lock`") from None
            versions[name] = found.version.partition("+")[0]
            needs = map(Requirement, found.requires or ())
            waiting += (
                need for need in needs if not need.marker or need.marker.evaluate({"extra": extra})
            )
    del versions[canonicalize_name(PROJECT.name)]
    return dict(sorted(versions.items()))


def text() -> str:
    """The lock file: what it is for, where it was made, a version on each line."""
    head = (
        "The versions that the tests were run with, all of them; `make lock` writes this file.",
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"torch as {distribution('torch').version}.",
        "pip install -r requirements-lock.txt, then pip install --no-deps -e .",
    )
    lines = [f"# {line}" for line in head]
    return "\n".join([*lines, *(f"{name}=={version}" for name, version in locked().items())]) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), encoding="utf-8")

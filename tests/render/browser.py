"""Headless Chromium for the tests of pages; they are skipped where it isn't installed."""

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's package chromium")

# No sandbox: as root, and in containers, Chromium doesn't start with one.
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars "
    "--window-size=1400,1000 --enable-logging=stderr --virtual-time-budget=20000"
).split()


def opened(address: str, folder: Path) -> str:
    """The document after its scripts have run; fails if the console says anything."""
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={folder / 'profile'}", "--dump-dom", address]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    console = [line for line in done.stderr.split("\n") if "CONSOLE" in line]
    assert not console, "\n".join(console)
    return done.stdout


def text_of(page: str, name: str) -> str:
    """The text within the element of an id, which holds no other of its kind."""
    found = re.search(rf'<(\w+)[^>]* id="{name}"[^>]*>(.*?)</\1>', page, re.DOTALL)
    assert found is not None, name
    return words_in(found[2])


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def words_in(markup: str) -> str:
    """The text of some markup, with a blank between elements."""
    parser = _Words()
    parser.feed(markup)
    return " ".join(" ".join(parser.found).split())

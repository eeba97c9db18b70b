"""The README's and the docs' Python runs, twice with the same output; files and commands exist."""

import contextlib
import importlib.util
import io
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from hemlock_env.cli import main
from hemlock_env.network.checkpoint import shipped_checkpoints

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def blocks(page):
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def output_of(page):
    """What the page's blocks print, run one after the other as a reader would."""
    printed = io.StringIO()
    names = {"__name__": "__main__"}
    with contextlib.redirect_stdout(printed):
        for code in blocks(page):
            exec(compile(code, str(page), "exec"), names)
    return printed.getvalue()


@pytest.mark.pitfall("S20")
@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda page: page.name)
def test_python_on_the_page_runs_and_repeats_itself(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert output_of(page) == output_of(page)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_readme_shows_python_for_every_face():
    faces = ("Game(", "hemlock_v0", "Batch(", "gym.make(")
    shown = [[face in block for face in faces] for block in blocks(PAGES[0])]
    assert shown == np.eye(len(faces), dtype=bool).tolist()


SHELL = re.compile(r"^```(?:sh|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands_of(page):
    """The words of every `hemlock` and `python -m` line in the page's shell blocks."""
    for block in SHELL.findall(page.read_text(encoding="utf-8")):
        for line in block.splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if words[:1] == ["hemlock"] or words[:2] == ["python", "-m"]:
                yield words


@pytest.mark.pitfall("S20")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_on_the_page_are_understood(page):
    for words in commands_of(page):
        if words[0] == "python":
            assert importlib.util.find_spec(words[2]), words
        elif len(words) > 1 and words[1] in main.commands:
            main.commands[words[1]].make_context(words[1], words[2:]).close()
        else:
            assert words[1:] in ([], ["--help"], ["--version"]), words


def test_checkpoints_that_the_pages_name_are_shipped():
    for page in PAGES:
        named = set(re.findall(r"ckpt:([a-z0-9_]+)(?![/\w])", page.read_text(encoding="utf-8")))
        assert named <= {*shipped_checkpoints(), "runs"}, page.name


def test_make_targets_of_the_pages_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"(?:^|`)make ([a-z]+)", text, re.MULTILINE):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{page.name}: make {target}"

"""Files from strangers: changed at random, each is accepted or refused with a ValueError.

`pytest -m mutations` changes each kind of file ten thousand times; the plain run takes a sample.
"""

import copy
import pickle
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hemlock_env.agents import make_bot
from tests.support import mutations
from tests.support.changes import paths, reached
from tests.support.mutations import KINDS


def bear(kind: str, folder: Path, numbers: range) -> list[int]:
    """How many changed files were accepted and refused."""
    counts = [0, 0]
    for number in numbers:
        try:
            KINDS[kind](folder, Random(number))
            counts[0] += 1
        except ValueError as error:
            assert 0 < len(str(error)) < 4_000, number
            counts[1] += 1
        except Exception as error:
            error.add_note(f"seed {number}")
            raise
    return counts


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint that can't be read is tried again, after a moment."""
    monkeypatch.setattr(time, "sleep", lambda seconds: None)


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_file_is_accepted_or_refused(kind: str, tmp_path: Path) -> None:
    _, refused = bear(kind, tmp_path, range(60))
    assert refused > 6


@pytest.mark.mutations
@pytest.mark.parametrize("kind", KINDS)
def test_ten_thousand_changed_files_are_accepted_or_refused(kind: str, tmp_path: Path) -> None:
    accepted, refused = bear(kind, tmp_path, range(10_000))
    assert accepted > 100 and refused > 1_000


# ---- nothing that comes with a file runs ----

OWN = "somebodys_bot:Bot"


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is left behind when the module `somebodys_bot` is imported."""
    trace = tmp_path / "was_here"
    home = tmp_path / "modules"
    home.mkdir()
    (home / "somebodys_bot.py").write_text(f"open({str(trace)!r}, 'w').close()\n")
    monkeypatch.syspath_prepend(home)
    return trace


def named(value: Any, rng: Random) -> Any:
    """A JSON value with somebody's bot in one of its places."""
    value = copy.deepcopy(value)
    *way, last = rng.choice(list(paths(value)))
    reached(value, way)[last] = OWN
    return value


# A plan of a ladder is a person's own: it may name modules.
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "plan"])
def test_nothing_that_a_file_names_is_imported(
    kind: str, tmp_path: Path, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutations, "changed_value", named)
    monkeypatch.setattr(mutations, "changed_bytes", lambda data, rng: data)
    monkeypatch.setattr(mutations, "TEXTS", (OWN,))
    bear(kind, tmp_path, range(100))
    assert not trace.exists()
    assert "somebodys_bot" not in sys.modules


def test_the_bot_would_leave_its_trace(trace: Path) -> None:
    with pytest.raises(ValueError, match="Bot"):
        make_bot(OWN)
    assert trace.exists()
    del sys.modules["somebodys_bot"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("protocol", [0, 2])
def test_a_pickle_is_never_opened(
    kind: str, protocol: int, tmp_path: Path, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that would leave a file behind, in place of what is changed."""

    class Pickled:
        def __reduce__(self) -> Any:
            return open, (str(trace), "w")

    pickled = pickle.dumps(Pickled(), protocol)
    for name in ("changed_json", "changed_toml", "changed_bytes", "changed_csv"):
        monkeypatch.setattr(mutations, name, lambda data, rng: pickled)
    accepted, refused = bear(kind, tmp_path, range(8))
    assert accepted <= 6 and refused
    assert not trace.exists()
    pickle.loads(pickled).close()
    assert trace.exists()

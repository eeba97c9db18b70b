"""Every fault of other environments has a test, and no test cites one that isn't listed."""

import tomllib
from pathlib import Path

import pytest

from tests.support.citations import citations

FILE = Path(__file__).with_name("pitfalls.toml")
PITFALLS = tomllib.loads(FILE.read_text("utf-8"))["pitfall"]
IDS = [pitfall["id"] for pitfall in PITFALLS]
CITED = citations("pitfall")


@pytest.mark.parametrize("id", IDS)
def test_has_a_test(id):
    assert [path for path, ids in CITED.items() if id in ids]


def test_only_pitfalls_that_are_there_are_cited():
    assert set().union(*CITED.values()) == {*IDS}


def test_each_pitfall_stands_once_and_has_words():
    assert IDS == [f"S{number:02}" for number in range(1, 21)]
    assert all(pitfall["text"] for pitfall in PITFALLS)

"""The walk counts in `walks.json`; engine and oracle agreed on them when they were written."""

import json

import pytest

from tests.golden.walks import FILE, WALKS, walked, walked_by_oracle

KEPT = json.loads(FILE.read_text(encoding="utf-8"))
NUMBERS = ("below", "count", "digest")

BY_WALK = pytest.mark.parametrize("walk", KEPT, ids=[walk["name"] for walk in KEPT])


def numbers(walk):
    """What was written down: the count below each first action, their sum, a digest of the ends."""
    return {key: walk[key] for key in NUMBERS}


@BY_WALK
def test_the_engine_walks_as_many_ways_to_the_same_positions(walk):
    assert walked(walk) == numbers(walk)


def test_the_oracle_still_walks_the_shortest_of_them_alike():
    walk = min(KEPT, key=lambda walk: walk["count"])
    assert walked_by_oracle(walk) == numbers(walk)


def test_every_walk_of_the_list_is_written_down():
    listed = [(name, options, seed, depth) for name, options, seed, _, depth in WALKS]
    assert [(w["name"], w["options"], w["seed"], w["depth"]) for w in KEPT] == listed

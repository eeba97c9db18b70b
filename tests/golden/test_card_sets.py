"""The shipped card sets are frozen by their hashes: the first line of a set is its revision 1.

Where a card that affects play has changed: raise `revision` in the set's file and add its new hash
below the old ones in `card_sets.json`. A line that is there stays, because results name it.
"""

import json
from pathlib import Path

import pytest

from hemlock_env.cards import load_card_set
from hemlock_env.cards.load import shipped_ids

FROZEN = json.loads(Path(__file__).with_name("card_sets.json").read_text(encoding="utf-8"))


def test_every_shipped_set_is_frozen_and_no_other():
    assert tuple(sorted(FROZEN)) == shipped_ids()


@pytest.mark.parametrize("name", FROZEN)
def test_the_set_is_the_newest_revision_that_is_frozen(name):
    cards = load_card_set(name)
    cure = f"{name}: raise `revision` in its file and add {cards.hash} to {name} in card_sets.json"
    assert (cards.revision, cards.hash) == (len(FROZEN[name]), FROZEN[name][-1]), cure


@pytest.mark.parametrize("name", FROZEN)
def test_no_two_revisions_play_alike(name):
    assert len(set(FROZEN[name])) == len(FROZEN[name])


def test_the_first_revision_is_what_0_1_0_shipped():
    assert FROZEN["vault_of_darkness"][0] == "09de5ca349345d84"

"""CardSet.hash: changed by all that affects play and by nothing else."""

import pytest

from hemlock_env.cards import load_card_set
from tests.support.card_sets import default_dict, write_set

SHIPPED = load_card_set("vault_of_darkness").hash


@pytest.fixture
def hash_of(tmp_path):
    """The hash of a card set given as a dict."""
    return lambda cards: load_card_set(write_set(tmp_path / "mine.toml", cards)).hash


def test_the_shipped_hash_is_the_one_that_records_hold():
    """Changes only together with a card; then old records and checkpoints don't fit any more."""
    assert SHIPPED == "09de5ca349345d84"


def set_name(cards):
    cards["name"] = "Another name"


def set_id(cards):
    cards["id"] = "another_id"


def raise_the_revision(cards):
    cards["revision"] = 2


def count_no_revisions(cards):
    del cards["revision"]


def write_a_text(cards):
    cards["loot"][0]["text"] = "Place a marker here."


def write_a_text_on_a_side(cards):
    cards["district"][0]["basic"]["text"] = "Gain a trinket."


def drop_a_source(cards):
    del cards["night"][3]["source"]


def drop_the_source_of_a_side(cards):
    del cards["district"][1]["advanced"]["source"]


def pad_a_grid(cards):
    cards["district"][0]["basic"]["spaces"] = ["###", "###", "."]


def write_out_no_change(cards):
    """Only the form differs: inline tables instead of sections, no comments."""


UNPLAYED = [
    *(set_name, set_id, write_a_text, write_a_text_on_a_side, drop_a_source),
    *(drop_the_source_of_a_side, pad_a_grid, write_out_no_change),
    *(raise_the_revision, count_no_revisions),
]


@pytest.mark.parametrize("edit", UNPLAYED)
def test_edits_that_no_game_feels_leave_the_hash_alone(hash_of, edit):
    cards = default_dict()
    edit(cards)
    assert hash_of(cards) == SHIPPED


def change_copies_of_a_minion(cards):
    cards["copies"]["ghoul"] = 5


def change_copies_of_an_item(cards):
    cards["copies"]["potion"] = 2


def move_a_lair(cards):
    cards["lairs"]["ghoul"] = "spires"


def swap_the_lairs_of_two_leaders(cards):
    cards["lairs"]["leader_spires"] = "boneyard"
    cards["lairs"]["leader_boneyard"] = "spires"


def add_a_symbol(cards):
    cards["district"][2]["basic"]["symbols"].append("shadow")


def change_a_scheme(cards):
    cards["district"][2]["advanced"]["scheme"] = [{"op": "move_minion"}]


def add_a_space(cards):
    cards["district"][1]["basic"]["spaces"][1] = "###"


def change_the_district_of_a_night(cards):
    cards["night"][0]["district"] = "courtyard"


def change_the_value_of_a_night(cards):
    cards["night"][0]["value"] = 3


def rename_a_night(cards):
    cards["night"][0]["id"] = "first_night"


def rename_a_loot_card(cards):
    cards["loot"][0]["id"] = "tithe"


def change_the_minion_of_a_loot_card(cards):
    cards["loot"][0]["minion"] = "ghoul"


def change_a_place(cards):
    cards["loot"][0]["ability"][0]["where"] = "any"


def change_an_item_gained(cards):
    cards["loot"][1]["ability"][0]["item"] = "potion"


def add_a_word(cards):
    cards["item"][0]["effect"].append({"op": "gain_support"})


def add_a_loot_card(cards):
    cards["loot"].append({"id": "bone_flute", "minion": "ghoul", "ability": []})


def swap_two_loot_cards(cards):
    cards["loot"][0], cards["loot"][1] = cards["loot"][1], cards["loot"][0]


def drop_an_agenda(cards):
    cards["agenda"].pop()


def change_a_test(cards):
    cards["agenda"][0]["conditions"][1]["test"] = "hand"


def ask_for_more(cards):
    cards["agenda"][0]["conditions"][1]["at_least"] = 4


def give_more_points(cards):
    cards["agenda"][0]["conditions"][1]["points"] = 3


PLAYED = [
    *(change_copies_of_a_minion, change_copies_of_an_item),
    *(move_a_lair, swap_the_lairs_of_two_leaders),
    *(add_a_symbol, change_a_scheme, add_a_space),
    *(change_the_district_of_a_night, change_the_value_of_a_night, rename_a_night),
    *(rename_a_loot_card, change_the_minion_of_a_loot_card, change_a_place, change_an_item_gained),
    *(add_a_word, add_a_loot_card, swap_two_loot_cards),
    *(drop_an_agenda, change_a_test, ask_for_more, give_more_points),
]


@pytest.mark.parametrize("edit", PLAYED)
def test_edits_that_a_game_feels_change_the_hash(hash_of, edit):
    cards = default_dict()
    edit(cards)
    assert hash_of(cards) != SHIPPED

"""Which order counts: default names have that of R1, other names that of the file."""

import pytest

from hemlock_env.cards import load_card_set
from tests.support.card_sets import default_dict, harbour_dict, write_set

DEFAULT = load_card_set("vault_of_darkness")


@pytest.fixture
def load(tmp_path):
    """A card set from a dict."""
    return lambda cards: load_card_set(write_set(tmp_path / "mine.toml", cards))


def reversed_dict(table):
    """The same table with its keys in the other order."""
    return dict(reversed(table.items()))


def test_default_kinds_may_stand_in_any_order(load):
    """R1.1"""
    cards = default_dict()
    cards["copies"] = reversed_dict(cards["copies"])
    cards["lairs"] = reversed_dict(cards["lairs"])
    assert load(cards) == DEFAULT


def test_default_districts_may_stand_in_any_order(load):
    """R1.2"""
    cards = default_dict()
    cards["district"].reverse()
    assert load(cards) == DEFAULT


def test_default_items_may_stand_in_any_order(load):
    """R1.3"""
    cards = default_dict()
    cards["item"].reverse()
    assert load(cards) == DEFAULT


def test_sections_and_keys_may_stand_in_any_order(load):
    cards = reversed_dict(default_dict())
    cards["loot"] = [reversed_dict(card) for card in cards["loot"]]
    assert load(cards) == DEFAULT


def test_symbols_may_stand_in_any_order(load):
    cards = default_dict()
    cards["district"][0]["advanced"]["symbols"] = ["shadow", "ghoul"]
    assert load(cards) == DEFAULT


def test_loot_nights_and_agendas_keep_the_order_of_the_file(load):
    cards = default_dict()
    cards["loot"].reverse()
    cards["night"].reverse()
    cards["agenda"].reverse()
    assert load(cards).loot == DEFAULT.loot[::-1]
    assert load(cards).nights == DEFAULT.nights[::-1]
    assert load(cards).agendas == DEFAULT.agendas[::-1]


def test_other_kinds_have_their_roles_by_the_order_of_the_file(load):
    """R1.1: four generic kinds, masque, servant, four leaders."""
    assert load(harbour_dict()).minions == (
        *("sailor", "smith", "oracle", "baker", "mime", "porter"),
        *("queen", "king", "abbot", "judge"),
    )


def test_items_may_stand_among_the_kinds(load):
    cards = harbour_dict()
    cards["copies"] = {"map": 3, "rope": 2, "bell": 4, **cards["copies"]}
    assert load(cards) == load(harbour_dict())


def test_other_districts_and_items_have_the_order_of_the_file(load):
    other = load(harbour_dict())
    assert [district.id for district in other.districts] == ["quay", "mill", "tower", "garden"]
    assert [item.id for item in other.items] == ["rope", "bell", "map"]


def test_one_other_name_is_enough_for_the_order_of_the_file(load):
    cards = default_dict()
    cards["item"].reverse()
    cards["item"][0]["id"] = "amulet"
    cards["copies"]["amulet"] = cards["copies"].pop("trinket")
    cards["loot"][6]["ability"] = []
    cards["district"][0]["basic"]["scheme"] = []
    assert [item.id for item in load(cards).items] == ["amulet", "potion", "scepter"]


def test_leaders_without_a_lair_live_in_the_district_of_their_number(load):
    """R6.4"""
    cards = harbour_dict()
    cards["lairs"] = {"sailor": "mill", "smith": "mill", "oracle": "mill", "baker": "mill"}
    assert load(cards).lairs[6:] == (0, 1, 2, 3)


def test_a_set_may_be_without_agendas(load):
    cards = default_dict()
    del cards["agenda"]
    assert load(cards).agendas == ()

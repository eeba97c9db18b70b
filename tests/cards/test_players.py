"""check_for_players: a set that so many players can't use is refused before the game."""

import pytest

from hemlock_env.cards import CardSetError, check_for_players, load_card_set
from tests.support.card_sets import default_dict, write_set

DEFAULT = load_card_set("vault_of_darkness")


@pytest.fixture
def load(tmp_path):
    """A card set from a dict."""
    return lambda cards: load_card_set(write_set(tmp_path / "mine.toml", cards))


def with_loot(count):
    """The default set with that many loot cards."""
    loot = [{"id": f"chest_{n}", "minion": "ghoul", "ability": []} for n in range(count)]
    return {**default_dict(), "loot": loot}


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_the_default_set_serves_two_three_and_four(num_players):
    """R2.6"""
    check_for_players(DEFAULT, num_players, loot="row", agendas=True)


@pytest.mark.parametrize("num_players", [2, 3])
def test_the_default_set_serves_loot_in_hand(num_players):
    """R11.1"""
    check_for_players(DEFAULT, num_players, loot="hand", agendas=True)


def test_five_loot_cards_serve_two_players(load):
    """R4.2"""
    check_for_players(load(with_loot(5)), 2)


def test_a_row_needs_two_loot_cards_a_player_and_one_more(load):
    """R4.2"""
    said = r'mine.toml: loot: 4 players with loot="row" need 9 cards, not 8'
    with pytest.raises(CardSetError, match=said):
        check_for_players(load(with_loot(8)), 4)


def test_hands_need_three_loot_cards_a_player(load):
    """R11.1"""
    said = r'mine.toml: loot: 2 players with loot="hand" need 6 cards, not 5'
    with pytest.raises(CardSetError, match=said):
        check_for_players(load(with_loot(5)), 2, loot="hand")


def test_agendas_need_a_card_for_each_player(load):
    """R11.3"""
    cards = default_dict()
    cards["agenda"].pop()
    with pytest.raises(CardSetError, match=r"mine.toml: agenda: 4 players .* need 4 cards, not 3"):
        check_for_players(load(cards), 4, agendas=True)


def test_agenda_cards_are_not_needed_without_the_option(load):
    """R11.3"""
    check_for_players(load({**default_dict(), "agenda": []}), 4)


def test_as_many_minions_as_an_observation_holds_are_allowed(load):
    """63 for each of two players: 126."""
    cards = default_dict()
    cards["copies"]["servant"] += 38
    check_for_players(load(cards), 2)


def test_more_minions_than_an_observation_holds_are_refused(load):
    """64 for each of two players: 128."""
    cards = default_dict()
    cards["copies"]["servant"] += 39
    said = r"mine.toml: \[copies\]: 2 players times 64 minions are more than 127"
    with pytest.raises(CardSetError, match=said):
        check_for_players(load(cards), 2)


def test_more_items_than_an_observation_holds_are_refused(load):
    """32 for each of four players: 128."""
    cards = default_dict()
    cards["copies"]["potion"] += 23
    said = r"mine.toml: \[copies\]: 4 players times 32 items are more than 127"
    with pytest.raises(CardSetError, match=said):
        check_for_players(load(cards), 4)

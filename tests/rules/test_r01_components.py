"""R1: components."""

from collections import Counter

import pytest

from hemlock_env import Game, load_card_set
from tests.support.scenario import hand, legal, play, scenario, spaces, stock, supply, supports

GENERIC = ["courtesan", "ghoul", "alchemist", "shadow"]
LEADERS = ["leader_spires", "leader_boneyard", "leader_alley_maze", "leader_courtyard"]
ITEMS = ["scepter", "potion", "trinket"]


@pytest.mark.rule("R1.1")
def test_the_minion_kinds_come_in_the_order_of_the_rules():
    game = Game(seed=1)
    assert list(game.to_position()["supply"]["minions"]) == [
        "courtesan",
        "ghoul",
        "alchemist",
        "shadow",
        "masque",
        "servant",
        "leader_spires",
        "leader_boneyard",
        "leader_alley_maze",
        "leader_courtyard",
    ]


@pytest.mark.rule("R1.2")
def test_the_districts_come_in_the_order_of_the_rules():
    game = Game(seed=1)
    assert list(game.to_position()["districts"]) == [
        "spires",
        "boneyard",
        "alley_maze",
        "courtyard",
    ]


@pytest.mark.rule("R1.2")
def test_a_district_card_has_other_influence_spaces_on_its_advanced_side():
    basic, advanced = Game(seed=1), Game(seed=1, sides="advanced")
    assert (spaces(basic, "spires"), spaces(advanced, "spires")) == (".../...", ". ./.../ .")


@pytest.mark.rule("R1.2")
def test_a_district_card_has_another_scheme_on_its_advanced_side():
    basic = scenario(phase="loot", row=["regents_baton"])
    advanced = scenario(phase="loot", row=["regents_baton"], sides="advanced")
    play(basic, "loot:regents_baton", "district:spires")
    play(advanced, "loot:regents_baton", "district:spires")
    assert (supply(basic)["trinket"], supply(advanced)["trinket"]) == (5, 6)


@pytest.mark.rule("R1.3")
def test_the_items_come_in_the_order_of_the_rules():
    game = Game(seed=1)
    assert list(game.to_position()["supply"]["items"]) == ["scepter", "potion", "trinket"]


@pytest.mark.rule("R1.4")
def test_there_are_eight_night_cards_and_all_are_in_the_game():
    position = Game(seed=1).to_position()
    assert len({*position["nights"], *position["night_deck"]}) == 8


@pytest.mark.rule("R1.4")
def test_there_are_ten_loot_cards():
    game = Game(seed=1)
    names = [game.action_name(action) for action in range(game.action_mask().size)]
    assert sum(name.startswith("loot:") for name in names) == 10


@pytest.mark.rule("R1.4")
def test_a_loot_card_gives_a_minion_and_does_something():
    game = scenario(phase="loot", row=["regents_baton"])
    play(game, "loot:regents_baton", "district:boneyard")
    assert (supply(game)["courtesan"], supply(game)["scepter"]) == (7, 5)


@pytest.mark.rule("R1.5")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_copies_grow_with_the_players(players):
    game = Game(players, seed=1)
    total = sum((Counter(hand(game, seat)) for seat in range(players)), supply(game))
    assert total == {
        **dict.fromkeys(GENERIC, 4 * players),
        "masque": 2 * players,
        "servant": 3 * players,
        **dict.fromkeys(LEADERS, players),
        **dict.fromkeys(ITEMS, 3 * players),
    }


@pytest.mark.rule("R1.6")
def test_each_player_has_twelve_markers():
    game = Game(3, seed=1)
    assert [stock(game, seat) for seat in range(3)] == [12, 12, 12]


@pytest.mark.rule("R1.6")
def test_a_support_marker_does_not_come_from_the_stock():
    game = scenario(items=["trinket"])
    play(game, "item:trinket", "space:spires:0,0")
    assert (supports(game), stock(game, 0)) == ([1, 0], 11)


@pytest.mark.rule("R1.6")
def test_the_reserve_of_support_markers_does_not_run_out():
    game = scenario(items=["trinket"], support=[150, 150])
    play(game, "item:trinket", "space:spires:0,0")
    assert supports(game) == [151, 150]


@pytest.mark.rule("R1.7")
def test_there_are_four_agenda_cards():
    players = Game(4, agendas=True, seed=1).to_position()["players"]
    assert {player["agenda"] for player in players} == {
        "patron_of_the_spires",
        "warden_of_the_boneyard",
        "voice_of_the_alleys",
        "host_of_the_courtyard",
    }


@pytest.mark.rule("R1.7")
def test_there_are_two_agendas_on_each_card():
    cards = load_card_set("vault_of_darkness")
    assert [len(card.conditions) for card in cards.agendas] == [2, 2, 2, 2]


@pytest.mark.rule("R1.7")
def test_agendas_are_optional():
    players = Game(seed=1).to_position()["players"]
    assert [player["agenda"] for player in players] == [None, None]


@pytest.mark.rule("R1.3")
def test_each_kind_of_item_can_be_used():
    game = scenario(items=["scepter potion trinket"])
    assert {"item:scepter", "item:potion", "item:trinket"} <= {*legal(game)}

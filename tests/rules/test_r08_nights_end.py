"""R8: the night's end."""

import pytest

from tests.support.scenario import (
    asked,
    course,
    hand,
    items,
    legal,
    play,
    scenario,
    side,
    spaces,
    spent,
    supply,
    supports,
)

KINDS = ["courtesan", "ghoul", "alchemist", "shadow", "masque", "servant"]
NOTHING_TO_TAKE = dict.fromkeys(KINDS, 0)


@pytest.mark.rule("R8.1")
def test_each_player_takes_one_special_action_in_seat_order():
    game = scenario(3, supremacy=1)
    seats = [game.seat, play(game, "take:ghoul").seat, play(game, "take:ghoul").seat]
    assert (seats, course(play(game, "take:ghoul"))) == ([1, 2, 0], (1, 2, "loot"))


@pytest.mark.rule("R8.1")
def test_all_kinds_of_special_actions_are_on_offer():
    game = scenario(items=["scepter potion"], hands=["masque leader_courtyard"])
    assert legal(game) == [
        "item:scepter",
        "item:potion",
        *(f"take:{kind}" for kind in KINDS),
        "play:masque:spires",
        "play:masque:boneyard",
        "play:masque:alley_maze",
        "play:masque:courtyard",
        "play:leader_courtyard:courtyard",
    ]


@pytest.mark.rule("R8.1")
def test_an_item_is_turned_face_down_before_its_effect():
    game = play(scenario(items=["trinket trinket"]), "item:trinket")
    assert (asked(game), items(game, 0), spent(game, 0)) == (
        (0, "place_marker"),
        {"trinket": 1},
        {"trinket": 1},
    )


@pytest.mark.rule("R8.1")
def test_the_items_effect_is_resolved():
    game = play(scenario(items=["trinket"]), "item:trinket", "space:courtyard:1,1")
    assert (spaces(game, "courtyard"), supports(game)) == (".../.0.", [1, 0])


@pytest.mark.rule("R8.1")
def test_an_item_that_lies_face_down_can_not_be_used():
    game = scenario(spent=["trinket"])
    assert "item:trinket" not in legal(game)


@pytest.mark.rule("R8.1")
def test_a_rivals_item_can_not_be_used():
    game = scenario(items=["", "trinket"])
    assert "item:trinket" not in legal(game)


@pytest.mark.rule("R8.1")
def test_a_minion_is_taken_from_the_supply_to_hand():
    game = play(scenario(hands=["ghoul"]), "take:masque")
    assert (hand(game, 0), supply(game)["masque"]) == ({"ghoul": 1, "masque": 1}, 3)


@pytest.mark.rule("R8.1")
def test_a_leader_can_not_be_taken():
    game = scenario()
    assert legal(game) == [f"take:{kind}" for kind in KINDS]


@pytest.mark.rule("R8.1")
def test_only_a_minion_that_is_in_the_supply_can_be_taken():
    game = scenario(supply={"ghoul": 0, "masque": 0})
    assert legal(game) == ["take:courtesan", "take:alchemist", "take:shadow", "take:servant"]


@pytest.mark.rule("R8.1")
def test_a_minion_is_placed_from_hand_on_the_own_side():
    game = play(scenario(supremacy=1, hands=["", "ghoul shadow"]), "play:ghoul:courtyard")
    assert (hand(game, 1), side(game, "courtyard", 1)) == ({"shadow": 1}, {"ghoul": 1})


@pytest.mark.rule("R8.1")
def test_a_leader_is_placed_from_hand_in_its_lair():
    game = play(scenario(hands=["leader_alley_maze"]), "play:leader_alley_maze:alley_maze")
    assert side(game, "alley_maze", 0) == {"leader_alley_maze": 1}


@pytest.mark.rule("R8.2")
def test_a_special_action_can_not_be_declined():
    # All that seat 0 could want to keep: its masque and its trinket.
    game = scenario(supply=NOTHING_TO_TAKE, hands=["masque"], items=["trinket"])
    assert legal(game) == [
        "item:trinket",
        "play:masque:spires",
        "play:masque:boneyard",
        "play:masque:alley_maze",
        "play:masque:courtyard",
    ]


@pytest.mark.rule("R8.2")
def test_the_only_legal_special_action_is_taken():
    game = scenario(supply=NOTHING_TO_TAKE, hands=["masque"], items=["", "trinket"])
    play(game, "play:masque:spires")
    assert (asked(game), spent(game, 1)) == ((1, "place_marker"), {"trinket": 1})


@pytest.mark.rule("R8.2")
def test_a_player_with_no_legal_special_action_is_passed_over():
    game = scenario(3, supply=NOTHING_TO_TAKE, hands=["masque", "", "masque"])
    play(game, "play:masque:spires")
    assert (asked(game), course(game)) == ((2, "special_action"), (1, 1, "special"))


@pytest.mark.rule("R8.2")
def test_the_night_ends_though_the_last_player_has_no_legal_special_action():
    game = scenario(supply=NOTHING_TO_TAKE, hands=["masque"])
    play(game, "play:masque:spires")
    assert course(game) == (1, 2, "loot")


@pytest.mark.rule("R8.2")
def test_an_item_may_be_used_though_its_effect_can_do_nothing():
    game = scenario(items=["potion"])
    play(game, "item:potion")
    assert (spent(game, 0), asked(game)) == ({"potion": 1}, (1, "special_action"))

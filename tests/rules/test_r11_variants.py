"""R11: variants."""

import pytest

from hemlock_env import Game
from tests.support.scenario import (
    asked,
    course,
    discarded,
    finish,
    items,
    legal,
    loot_hand,
    play,
    row,
    scenario,
    spaces,
    spent,
)

# ---- R11.1 ----


@pytest.mark.rule("R11.1")
@pytest.mark.parametrize("players", [2, 3])
def test_with_hidden_loot_everyone_is_dealt_three_cards(players):
    game = Game(players, loot="hand", seed=1)
    dealt = [loot_hand(game, seat) for seat in range(players)]
    assert [len(cards) for cards in dealt] == [3] * players


@pytest.mark.rule("R11.1")
def test_with_hidden_loot_there_is_no_row():
    assert row(Game(loot="hand", seed=1)) == []


@pytest.mark.rule("R11.1")
def test_no_card_is_dealt_twice():
    game = Game(3, loot="hand", seed=1)
    assert len({card for seat in range(3) for card in loot_hand(game, seat)}) == 9


@pytest.mark.rule("R11.1")
def test_the_own_three_cards_are_on_offer():
    cards = ["taxers_hold", "crypt_lantern", "servants_bell"]
    game = scenario(phase="loot", loot_hands=[["smugglers_key"], cards], supremacy=1)
    assert legal(game) == ["loot:taxers_hold", "loot:crypt_lantern", "loot:servants_bell"]


@pytest.mark.rule("R11.1")
def test_a_used_card_leaves_the_loot_hand():
    game = scenario(phase="loot", loot_hands=[["regents_baton", "crypt_lantern", "taxers_hold"]])
    play(game, "loot:regents_baton", "district:boneyard")
    assert loot_hand(game, 0) == ["taxers_hold", "crypt_lantern"]


@pytest.mark.rule("R11.1")
def test_the_third_card_goes_back_unused():
    game = scenario(
        phase="loot", turn=3, loot_hands=[["taxers_hold"], ["regents_baton", "servants_bell"]]
    )
    play(game, "loot:regents_baton", "district:boneyard")
    assert (course(game), loot_hand(game, 0), loot_hand(game, 1)) == ((1, 1, "special"), [], [])


@pytest.mark.rule("R11.1")
def test_three_new_cards_are_dealt_each_night():
    game = play(scenario(turn=1, loot_hands=[]), "take:ghoul")
    assert [len(loot_hand(game, seat)) for seat in range(2)] == [3, 3]


@pytest.mark.rule("R11.1")
def test_all_ten_cards_are_shuffled_anew_each_night():
    games = [play(scenario(turn=1, loot_hands=[], seed=seed), "take:ghoul") for seed in range(30)]
    assert len({card for game in games for card in loot_hand(game, 0)}) == 10


@pytest.mark.rule("R11.1")
def test_four_can_not_play_with_hidden_loot():
    with pytest.raises(ValueError, match="loot"):
        Game(4, loot="hand")


# ---- R11.2 ----


@pytest.mark.rule("R11.2")
def test_an_item_can_be_used_instead_of_a_loot_card():
    cards = ["taxers_hold", "regents_baton", "crypt_lantern", "smugglers_key", "servants_bell"]
    game = scenario(phase="loot", items_as_loot=True, items=["potion trinket"], row=cards)
    assert legal(game) == [*(f"loot:{card}" for card in cards), "item:potion", "item:trinket"]


@pytest.mark.rule("R11.2")
def test_without_the_variant_no_item_is_used_in_place_of_loot():
    game = scenario(phase="loot", items=["potion trinket"])
    assert not [name for name in legal(game) if name.startswith("item:")]


@pytest.mark.rule("R11.2")
def test_an_item_that_lies_face_down_can_not_stand_in_for_loot():
    game = scenario(phase="loot", items_as_loot=True, spent=["potion"])
    assert "item:potion" not in legal(game)


@pytest.mark.rule("R11.2")
def test_an_item_as_loot_takes_no_card_from_the_row():
    game = scenario(phase="loot", items_as_loot=True, items=["potion"])
    play(game, "item:potion")
    assert (len(row(game)), asked(game)) == (5, (1, "use_loot"))


@pytest.mark.rule("R11.2")
def test_an_item_as_loot_is_turned_face_down_and_takes_effect():
    game = scenario(
        phase="loot", items_as_loot=True, items=["potion"], board={"spires": ["", "ghoul"]}
    )
    play(game, "item:potion")
    assert (items(game, 0), spent(game, 0), discarded(game)) == ({}, {"potion": 1}, {"ghoul": 1})


@pytest.mark.rule("R11.2")
def test_an_item_as_loot_places_no_minion():
    game = scenario(phase="loot", items_as_loot=True, items=["trinket"])
    play(game, "item:trinket")
    assert asked(game) == (0, "place_marker")


@pytest.mark.rule("R11.2")
def test_an_item_counts_as_one_of_the_two_uses():
    game = scenario(phase="loot", turn=3, items_as_loot=True, items=["", "potion"])
    play(game, "item:potion")
    assert (course(game), row(game)) == ((1, 1, "special"), [])


@pytest.mark.rule("R11.2")
def test_both_uses_can_be_items():
    game = scenario(phase="loot", items_as_loot=True, items=["potion potion", "potion potion"])
    play(game, "item:potion", "item:potion", "item:potion", "item:potion")
    assert (course(game), spent(game, 0)) == ((1, 1, "special"), {"potion": 2})


@pytest.mark.rule("R11.2")
def test_an_item_as_loot_leaves_the_special_action():
    game = scenario(phase="loot", turn=3, items_as_loot=True, items=["trinket", "potion"])
    play(game, "item:potion")
    assert "item:trinket" in legal(game)


@pytest.mark.rule("R11.2", "R11.1")
def test_an_item_as_loot_leaves_the_hidden_loot_in_hand():
    game = scenario(phase="loot", items_as_loot=True, items=["potion"], loot_hands=[])
    play(game, "item:potion")
    assert (len(loot_hand(game, 0)), asked(game)) == (3, (1, "use_loot"))


# ---- R11.3 ----


@pytest.mark.rule("R11.3")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_with_agendas_everyone_is_dealt_one(players):
    held = [p["agenda"] for p in Game(players, agendas=True, seed=1).to_position()["players"]]
    assert (None in held, len({*held})) == (False, players)


@pytest.mark.rule("R11.3")
def test_the_agendas_are_shuffled():
    games = [Game(agendas=True, seed=seed) for seed in range(40)]
    assert len({game.to_position()["players"][0]["agenda"] for game in games}) == 4


@pytest.mark.rule("R11.3")
def test_a_rival_does_not_see_the_agenda():
    one = scenario(agendas=["patron_of_the_spires", "voice_of_the_alleys"])
    other = scenario(agendas=["host_of_the_courtyard", "voice_of_the_alleys"])
    assert one.observe(1).tobytes() == other.observe(1).tobytes()


@pytest.mark.rule("R11.3")
def test_a_player_sees_the_own_agenda():
    one = scenario(agendas=["patron_of_the_spires", "voice_of_the_alleys"])
    other = scenario(agendas=["host_of_the_courtyard", "voice_of_the_alleys"])
    assert one.observe(0).tobytes() != other.observe(0).tobytes()


# ---- R11.4 and all together ----


@pytest.mark.rule("R11.4")
def test_the_advanced_sides_are_a_variant():
    game = Game(seed=1, sides="advanced")
    assert (game.to_position()["options"]["sides"], spaces(game, "spires")) == (
        ["advanced"] * 4,
        ". ./.../ .",
    )


@pytest.mark.rule("R11.4")
def test_the_sides_can_be_chosen_card_by_card():
    game = Game(seed=1, sides=["basic", "advanced", "basic", "basic"])
    assert (spaces(game, "spires"), spaces(game, "boneyard")) == (".../...", "../ ../. .")


@pytest.mark.rule("R11.4")
def test_an_unknown_side_is_refused():
    with pytest.raises(ValueError, match="sides"):
        Game(sides="back")


@pytest.mark.rule("R11.1", "R11.2", "R11.3", "R11.4")
def test_the_variants_combine():
    game = Game(3, sides="random", loot="hand", items_as_loot=True, agendas=True, seed=1)
    assert finish(game).over


@pytest.mark.rule("R11.1", "R11.2", "R11.3", "R11.4")
def test_the_variants_are_off_by_default():
    assert Game(seed=1).to_position()["options"] == {
        "num_players": 2,
        "sides": ["basic", "basic", "basic", "basic"],
        "loot": "row",
        "items_as_loot": False,
        "agendas": False,
    }

"""R5: using loot."""

import pytest

from tests.support.scenario import (
    asked,
    course,
    discarded,
    hand,
    items,
    legal,
    play,
    row,
    scenario,
    side,
    spaces,
    stock,
    supply,
    supports,
)

DISTRICTS = ["spires", "boneyard", "alley_maze", "courtyard"]


@pytest.mark.rule("R5.1")
def test_each_player_uses_a_card_and_then_each_a_second_one():
    game = scenario(
        phase="loot", supremacy=1, row=["regents_baton", "cutpurses_glove", "philosophers_still"]
    )
    first = game.seat
    second = play(game, "loot:regents_baton", "district:boneyard").seat
    third = play(game, "loot:cutpurses_glove", "district:spires").seat
    fourth = play(game, "loot:philosophers_still", "district:spires").seat
    assert [first, second, third, fourth] == [1, 0, 1, 0]


@pytest.mark.rule("R5.1")
def test_the_second_round_begins_with_supremacy_again():
    game = scenario(3, phase="loot", turn=2, supremacy=2, row=["regents_baton"])  # seat 1
    play(game, "loot:regents_baton", "district:boneyard")
    assert asked(game) == (2, "use_loot")


@pytest.mark.rule("R5.1")
def test_any_card_of_the_row_can_be_used_and_no_other():
    cards = ["taxers_hold", "crypt_lantern", "smugglers_key", "carnival_visage", "servants_bell"]
    game = scenario(phase="loot", row=cards)
    assert legal(game) == [f"loot:{card}" for card in cards]


@pytest.mark.rule("R5.1")
def test_nobody_uses_a_third_card():
    game = scenario(phase="loot", turn=3, row=["regents_baton"])
    play(game, "loot:regents_baton", "district:boneyard")
    assert course(game) == (1, 1, "special")


@pytest.mark.rule("R5.2")
def test_a_used_card_leaves_the_row_at_once():
    game = scenario(phase="loot", row=["regents_baton"])
    play(game, "loot:regents_baton")  # its district is still open
    assert (len(row(game)), "regents_baton" in row(game)) == (4, False)


@pytest.mark.rule("R5.2")
def test_what_is_left_of_the_row_goes_back_when_all_have_used_two():
    game = scenario(phase="loot", turn=3, row=["regents_baton", "crypt_lantern"])
    play(game, "loot:regents_baton", "district:boneyard")
    assert row(game) == []


@pytest.mark.rule("R5.3")
def test_the_minion_of_the_card_is_placed_on_the_own_side_from_the_supply():
    game = scenario(phase="loot", turn=1, row=["cutpurses_glove"])
    play(game, "loot:cutpurses_glove", "district:boneyard")
    assert (side(game, "boneyard", 1), supply(game)["shadow"]) == ({"shadow": 1}, 7)


@pytest.mark.rule("R5.3")
def test_the_minion_goes_to_a_district_of_choice():
    game = play(scenario(phase="loot", row=["cutpurses_glove"]), "loot:cutpurses_glove")
    assert legal(game) == [
        "district:spires",
        "district:boneyard",
        "district:alley_maze",
        "district:courtyard",
    ]


@pytest.mark.rule("R5.3")
def test_the_minion_stays_in_the_supply_until_its_district_is_chosen():
    game = play(scenario(phase="loot", row=["cutpurses_glove"]), "loot:cutpurses_glove")
    assert supply(game)["shadow"] == 8


@pytest.mark.rule("R5.3")
def test_the_minion_is_placed_before_the_ability():
    game = scenario(phase="loot", row=["smugglers_key"])
    play(game, "loot:smugglers_key", "district:boneyard")  # moves the only own minion: itself
    assert asked(game) == (0, "move_to")


@pytest.mark.rule("R5.3")
def test_the_ability_is_resolved_before_the_scheme():
    game = scenario(phase="loot", row=["taxers_hold"])
    play(game, "loot:taxers_hold", "district:spires")
    assert (asked(game), items(game, 0)) == ((0, "place_marker"), {})


@pytest.mark.rule("R5.3")
def test_the_scheme_follows_the_ability():
    game = scenario(phase="loot", row=["taxers_hold"])
    play(game, "loot:taxers_hold", "district:spires", "space:spires:0,0")
    assert items(game, 0) == {"trinket": 1}


@pytest.mark.rule("R5.3")
def test_the_scheme_is_resolved_though_the_ability_has_moved_the_minion_away():
    game = scenario(phase="loot", row=["smugglers_key"])
    play(game, "loot:smugglers_key", "district:courtyard", "district:boneyard")
    assert (asked(game), side(game, "courtyard", 0)) == ((0, "gain_minion"), {})


@pytest.mark.rule("R5.3")
def test_a_minion_that_the_ability_moves_to_its_symbol_triggers_nothing():
    game = scenario(phase="loot", row=["smugglers_key"])
    play(game, "loot:smugglers_key", "district:boneyard", "district:courtyard")
    assert asked(game) == (1, "use_loot")


@pytest.mark.rule("R5.4")
def test_an_ability_can_not_be_declined():
    game = scenario(phase="loot", row=["taxers_hold"], spaces={"spires": "011/0.."})
    play(game, "loot:taxers_hold", "district:spires")
    assert legal(game) == ["space:spires:1,1", "space:spires:1,2"]


@pytest.mark.rule("R5.4")
def test_a_scheme_can_not_be_declined():
    game = scenario(phase="loot", row=["cutpurses_glove"])
    play(game, "loot:cutpurses_glove", "district:courtyard")
    assert legal(game) == ["take:courtesan", "take:ghoul", "take:alchemist", "take:shadow"]


@pytest.mark.rule("R5.4")
def test_what_is_possible_of_an_ability_is_done(changed_cards):
    cards = changed_cards(abilities={"regents_baton": ("gain_item scepter", "gain_support")})
    game = scenario(phase="loot", row=["regents_baton"], items=["", {"scepter": 6}], card_set=cards)
    play(game, "loot:regents_baton", "district:boneyard")
    assert (items(game, 0), supports(game)) == ({}, [1, 0])


@pytest.mark.rule("R5.4")
def test_the_words_of_an_ability_are_done_from_left_to_right(changed_cards):
    cards = changed_cards(abilities={"regents_baton": ("gain_support", "place_marker any")})
    game = scenario(phase="loot", row=["regents_baton"], card_set=cards)
    play(game, "loot:regents_baton", "district:boneyard")
    assert (asked(game), supports(game)) == ((0, "place_marker"), [1, 0])


@pytest.mark.rule("R5.4")
def test_the_acting_player_chooses_what_a_rival_loses():
    game = scenario(
        phase="loot", row=["gravediggers_spade"], board={"spires": ["", "ghoul masque"]}
    )
    play(game, "loot:gravediggers_spade", "district:spires")
    assert asked(game) == (0, "discard_rival")


@pytest.mark.rule("R5.5")
def test_a_servant_is_placed_where_the_kind_is_exhausted():
    game = scenario(phase="loot", row=["cutpurses_glove"], supply={"shadow": 0})
    play(game, "loot:cutpurses_glove", "district:spires")
    assert (side(game, "spires", 0), supply(game)["servant"]) == ({"servant": 1}, 5)


@pytest.mark.rule("R5.5")
def test_the_servant_that_is_placed_instead_triggers_the_scheme():
    game = scenario(phase="loot", row=["philosophers_still"], supply={"alchemist": 0})
    play(game, "loot:philosophers_still", "district:spires")
    assert items(game, 0) == {"potion": 1, "trinket": 1}


@pytest.mark.rule("R5.5")
def test_with_no_servant_left_no_district_is_asked_and_nothing_is_placed():
    game = scenario(phase="loot", row=["cutpurses_glove"], supply={"shadow": 0, "servant": 0})
    play(game, "loot:cutpurses_glove")
    assert [side(game, name, 0) for name in DISTRICTS] == [{}, {}, {}, {}]


@pytest.mark.rule("R5.5")
def test_an_exhausted_servant_has_no_substitute():
    game = scenario(phase="loot", row=["servants_bell"], supply={"servant": 0}, hands=["ghoul"])
    play(game, "loot:servants_bell")
    assert asked(game) == (0, "play_minion")


@pytest.mark.rule("R5.6")
def test_without_a_minion_an_effect_without_here_happens():
    game = scenario(phase="loot", row=["cutpurses_glove"], supply={"shadow": 0, "servant": 0})
    play(game, "loot:cutpurses_glove")
    assert (items(game, 0), asked(game)) == ({"trinket": 1}, (1, "use_loot"))


@pytest.mark.rule("R5.6")
def test_without_a_minion_no_marker_is_placed_here_and_no_support_gained():
    game = scenario(phase="loot", row=["taxers_hold"], supply={"courtesan": 0, "servant": 0})
    play(game, "loot:taxers_hold")
    assert (asked(game), stock(game, 0), supports(game)) == ((1, "use_loot"), 12, [0, 0])


@pytest.mark.rule("R5.6")
def test_without_a_minion_no_rival_is_discarded_here():
    game = scenario(
        phase="loot",
        row=["gravediggers_spade"],
        supply={"ghoul": 0, "servant": 0},
        board={"spires": ["", "masque"]},
    )
    play(game, "loot:gravediggers_spade")
    assert (asked(game), side(game, "spires", 1)) == ((1, "use_loot"), {"masque": 1})


@pytest.mark.rule("R5.6")
def test_without_a_minion_none_is_played_here_but_the_next_word_happens(changed_cards):
    cards = changed_cards(abilities={"taxers_hold": ("play_minion here", "gain_support")})
    game = scenario(
        phase="loot",
        row=["taxers_hold"],
        supply={"courtesan": 0, "servant": 0},
        hands=["ghoul"],
        card_set=cards,
    )
    play(game, "loot:taxers_hold")
    assert (hand(game, 0), supports(game)) == ({"ghoul": 1}, [1, 0])


@pytest.mark.rule("R5.7")
def test_a_triggered_scheme_comes_before_the_rest_of_the_ability(changed_cards):
    cards = changed_cards(abilities={"servants_bell": ("play_minion any", "gain_support")})
    game = scenario(phase="loot", row=["servants_bell"], hands=["shadow"], card_set=cards)
    play(game, "loot:servants_bell", "district:spires", "play:shadow:courtyard")
    assert (asked(game), supports(game)) == ((0, "gain_minion"), [0, 0])


@pytest.mark.rule("R5.7")
def test_the_rest_of_the_ability_follows_the_triggered_scheme(changed_cards):
    cards = changed_cards(abilities={"servants_bell": ("play_minion any", "gain_support")})
    game = scenario(phase="loot", row=["servants_bell"], hands=["shadow"], card_set=cards)
    play(game, "loot:servants_bell", "district:spires", "play:shadow:courtyard", "take:ghoul")
    assert (asked(game), supports(game)) == ((1, "use_loot"), [1, 0])


@pytest.mark.rule("R5.7")
def test_the_played_minions_scheme_comes_before_that_of_the_loots_minion():
    game = scenario(phase="loot", row=["servants_bell"], hands=["shadow"])
    play(game, "loot:servants_bell", "district:spires", "play:shadow:courtyard")
    assert (asked(game), items(game, 0)) == ((0, "gain_minion"), {})


@pytest.mark.rule("R5.7")
def test_the_loots_minion_triggers_after_the_played_minions_scheme():
    game = scenario(phase="loot", row=["servants_bell"], hands=["shadow"])
    play(game, "loot:servants_bell", "district:spires", "play:shadow:courtyard", "take:ghoul")
    assert (asked(game), items(game, 0)) == ((1, "use_loot"), {"trinket": 1})


@pytest.mark.rule("R5.7")
def test_two_minions_in_one_district_trigger_its_scheme_twice():
    game = scenario(phase="loot", row=["servants_bell"], hands=["courtesan"])
    play(game, "loot:servants_bell", "district:spires", "play:courtesan:spires")
    assert items(game, 0) == {"trinket": 2}


@pytest.mark.rule("R5.7")
def test_all_words_of_a_scheme_come_before_the_rest_of_the_ability(changed_cards):
    cards = changed_cards(
        abilities={"servants_bell": ("play_minion any", "place_marker any")},
        schemes={"boneyard": ("place_marker here", "place_marker here")},
    )
    game = scenario(phase="loot", row=["servants_bell"], hands=["alchemist"], card_set=cards)
    play(game, "loot:servants_bell", "district:spires", "play:alchemist:boneyard")
    play(game, "space:boneyard:0,0", "space:boneyard:0,1", "space:spires:1,1")
    assert (spaces(game, "boneyard"), spaces(game, "spires")) == ("00./. ./...", ".../.0.")


@pytest.mark.rule("R5.4", "R6.5")
def test_a_scheme_can_make_the_rivals_discard(changed_cards):
    cards = changed_cards(schemes={"spires": ("rivals_discard",)})
    game = scenario(phase="loot", row=["regents_baton"], hands=["", "ghoul shadow"], card_set=cards)
    play(game, "loot:regents_baton", "district:spires", "discard:ghoul")
    assert (discarded(game), asked(game)) == ({"ghoul": 1}, (1, "use_loot"))

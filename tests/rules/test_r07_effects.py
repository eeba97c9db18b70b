"""R7: effects."""

import pytest

from hemlock_env import load_card_set
from tests.support.scenario import (
    asked,
    discarded,
    hand,
    items,
    legal,
    play,
    scenario,
    side,
    spaces,
    spent,
    stock,
    supply,
    supports,
)

LEADERS = ["leader_spires", "leader_boneyard", "leader_alley_maze", "leader_courtyard"]
GENERIC = ["courtesan", "ghoul", "alchemist", "shadow"]

# All 28 spaces, three players: stocks of 4, 2 and 2 are left.
FULL_BOARD = {
    "spires": "000/000",
    "boneyard": "111/1 1/111",
    "alley_maze": "222/2 2/222",
    "courtyard": "012/012",
}
# Seat 0 has placed all its twelve markers.
NO_STOCK = {"boneyard": "000/0 0/000", "courtyard": "000/0.."}


# ---- R7.1 place_marker ----


@pytest.mark.rule("R7.1")
def test_a_marker_from_the_stock_goes_to_the_chosen_space():
    game = scenario(phase="loot", row=["taxers_hold"], spaces={"boneyard": "1../. ./..0"})
    play(game, "loot:taxers_hold", "district:boneyard", "space:boneyard:1,2")
    assert (spaces(game, "boneyard"), stock(game, 0)) == ("1../. 0/..0", 10)


@pytest.mark.rule("R7.1")
def test_a_marker_here_goes_to_an_empty_space_of_that_district():
    game = scenario(phase="loot", row=["taxers_hold"], spaces={"boneyard": "1.1/. ./0.0"})
    play(game, "loot:taxers_hold", "district:boneyard")
    assert legal(game) == [
        "space:boneyard:0,1",
        "space:boneyard:1,0",
        "space:boneyard:1,2",
        "space:boneyard:2,1",
    ]


@pytest.mark.rule("R7.1")
def test_a_marker_anywhere_goes_to_an_empty_space_of_any_district():
    game = scenario(
        3,
        items=["trinket"],
        spaces={**FULL_BOARD, "spires": "00./000", "alley_maze": "222/2 ./222"},
    )
    play(game, "item:trinket")
    assert legal(game) == ["space:spires:0,2", "space:alley_maze:1,2"]


@pytest.mark.rule("R7.1")
def test_a_marker_anywhere_can_go_to_all_28_spaces():
    game = play(scenario(items=["trinket"]), "item:trinket")
    assert len(legal(game)) == 28


@pytest.mark.rule("R7.1")
def test_without_an_empty_space_here_a_support_marker_is_gained():
    game = scenario(phase="loot", row=["taxers_hold"], spaces={"courtyard": "010/101"})
    play(game, "loot:taxers_hold", "district:courtyard")
    assert (supports(game), stock(game, 0)) == ([1, 0], 9)


@pytest.mark.rule("R7.1")
def test_without_an_empty_space_anywhere_a_support_marker_is_gained(changed_cards):
    cards = changed_cards(effects={"trinket": ("place_marker any",)})
    game = scenario(3, items=["trinket"], spaces=FULL_BOARD, card_set=cards)
    play(game, "item:trinket")
    assert (supports(game), stock(game, 0)) == ([1, 0, 0], 4)


@pytest.mark.rule("R7.1")
def test_without_a_stock_nothing_happens_though_there_is_space():
    game = scenario(phase="loot", row=["taxers_hold"], spaces=NO_STOCK)
    play(game, "loot:taxers_hold", "district:alley_maze")
    assert (asked(game), supports(game)) == ((1, "use_loot"), [0, 0])


@pytest.mark.rule("R7.1")
def test_without_a_stock_nothing_happens_where_there_is_no_space_either():
    game = scenario(phase="loot", row=["taxers_hold"], spaces=NO_STOCK)
    play(game, "loot:taxers_hold", "district:boneyard")
    assert (asked(game), supports(game)) == ((1, "use_loot"), [0, 0])


@pytest.mark.rule("R7.1")
def test_the_only_empty_space_is_taken_without_a_question():
    game = scenario(phase="loot", row=["taxers_hold"], spaces={"courtyard": "01./101"})
    play(game, "loot:taxers_hold", "district:courtyard")
    assert (asked(game), spaces(game, "courtyard")) == ((1, "use_loot"), "010/101")


@pytest.mark.rule("R7.1")
def test_here_is_the_district_of_the_scheme_in_a_scheme(changed_cards):
    cards = changed_cards(schemes={"boneyard": ("place_marker here",)})
    game = scenario(phase="loot", row=["servants_bell"], hands=["alchemist"], card_set=cards)
    play(game, "loot:servants_bell", "district:alley_maze", "play:alchemist:boneyard")
    assert legal(game)[0] == "space:boneyard:0,0"


# ---- R7.2 gain_item ----


@pytest.mark.rule("R7.2")
def test_a_gained_item_lies_face_up():
    game = scenario(phase="loot", row=["regents_baton"], items=["scepter"])
    play(game, "loot:regents_baton", "district:boneyard")
    assert (items(game, 0), supply(game)["scepter"]) == ({"scepter": 2}, 4)


@pytest.mark.rule("R7.2")
def test_an_item_of_which_none_is_left_is_not_gained():
    game = scenario(phase="loot", row=["regents_baton"], items=["", {"scepter": 6}])
    play(game, "loot:regents_baton", "district:boneyard")
    assert (items(game, 0), asked(game)) == ({}, (1, "use_loot"))


@pytest.mark.rule("R7.2")
def test_spent_items_are_not_there_to_be_gained():
    game = scenario(phase="loot", row=["regents_baton"], spent=["scepter", {"scepter": 5}])
    play(game, "loot:regents_baton", "district:boneyard")
    assert (items(game, 0), spent(game, 0)) == ({}, {"scepter": 1})


# ---- R7.3 to R7.5: gaining minions ----


@pytest.mark.rule("R7.3")
def test_a_named_minion_comes_to_hand():
    game = scenario(phase="loot", sides="advanced", row=["gravediggers_spade"])
    play(game, "loot:gravediggers_spade", "district:courtyard")
    assert (hand(game, 0), supply(game)["masque"]) == ({"masque": 1}, 3)


@pytest.mark.rule("R7.4")
def test_a_generic_minion_of_choice_comes_to_hand():
    game = scenario(phase="loot", row=["binding_philtre"])
    play(game, "loot:binding_philtre", "district:spires", "take:shadow")
    assert (hand(game, 0), supply(game)["shadow"]) == ({"shadow": 1}, 7)


@pytest.mark.rule("R7.4")
def test_only_a_generic_kind_that_is_in_the_supply_can_be_chosen():
    game = scenario(phase="loot", row=["binding_philtre"], supply={"courtesan": 0, "shadow": 0})
    play(game, "loot:binding_philtre", "district:spires")
    assert legal(game) == ["take:ghoul", "take:alchemist"]


@pytest.mark.rule("R7.4")
def test_the_last_generic_kind_comes_without_a_question():
    left = {"courtesan": 0, "ghoul": 0, "shadow": 0}
    game = scenario(phase="loot", row=["binding_philtre"], supply=left)
    play(game, "loot:binding_philtre", "district:spires")
    assert hand(game, 0) == {"alchemist": 1}


@pytest.mark.rule("R7.4")
def test_with_all_generic_kinds_exhausted_a_servant_comes():
    game = scenario(phase="loot", row=["cutpurses_glove"], supply=dict.fromkeys(GENERIC, 0))
    play(game, "loot:cutpurses_glove", "district:courtyard")
    assert hand(game, 0) == {"servant": 1}


@pytest.mark.rule("R7.4")
def test_with_servants_exhausted_too_nothing_comes():
    # One servant is left: it is placed instead of the shadow.
    left = {**dict.fromkeys(GENERIC, 0), "servant": 1}
    game = scenario(phase="loot", row=["cutpurses_glove"], supply=left)
    play(game, "loot:cutpurses_glove", "district:courtyard")
    assert (hand(game, 0), asked(game)) == ({}, (1, "use_loot"))


@pytest.mark.rule("R7.5")
def test_a_leader_of_choice_comes_to_hand():
    game = scenario(phase="loot", row=["crypt_lantern"])
    play(game, "loot:crypt_lantern", "district:spires", "take:leader_courtyard")
    assert (hand(game, 0), supply(game)["leader_courtyard"]) == ({"leader_courtyard": 1}, 1)


@pytest.mark.rule("R7.5")
def test_only_a_leader_that_is_in_the_supply_can_be_chosen():
    game = scenario(phase="loot", row=["crypt_lantern"], supply={"leader_boneyard": 0})
    play(game, "loot:crypt_lantern", "district:spires")
    assert legal(game) == ["take:leader_spires", "take:leader_alley_maze", "take:leader_courtyard"]


@pytest.mark.rule("R7.5")
def test_a_leader_can_be_gained_though_its_lair_has_one_already():
    game = scenario(phase="loot", row=["crypt_lantern"], board={"spires": ["leader_spires"]})
    play(game, "loot:crypt_lantern", "district:spires")
    assert "take:leader_spires" in legal(game)


@pytest.mark.rule("R7.5")
def test_with_no_leader_in_the_supply_a_servant_comes():
    game = scenario(phase="loot", row=["crypt_lantern"], hands=["", dict.fromkeys(LEADERS, 2)])
    play(game, "loot:crypt_lantern", "district:spires")
    assert hand(game, 0) == {"servant": 1}


# ---- R7.6 play_minion ----


@pytest.mark.rule("R7.6")
def test_a_minion_is_played_from_hand_to_any_district():
    game = scenario(phase="loot", row=["servants_bell"], hands=["masque ghoul"])
    play(game, "loot:servants_bell", "district:spires", "play:masque:courtyard")
    assert (hand(game, 0), side(game, "courtyard", 0)) == ({"ghoul": 1}, {"masque": 1})


@pytest.mark.rule("R7.6")
def test_each_kind_in_hand_can_be_played_a_leader_only_at_home():
    game = scenario(phase="loot", row=["servants_bell"], hands=["masque masque leader_boneyard"])
    play(game, "loot:servants_bell", "district:spires")
    assert legal(game) == [
        "play:masque:spires",
        "play:masque:boneyard",
        "play:masque:alley_maze",
        "play:masque:courtyard",
        "play:leader_boneyard:boneyard",
    ]


@pytest.mark.rule("R7.6")
def test_a_minion_played_here_goes_to_the_district_of_the_loots_minion(changed_cards):
    cards = changed_cards(abilities={"servants_bell": ("play_minion here",)})
    game = scenario(
        phase="loot",
        row=["servants_bell"],
        hands=["ghoul masque leader_boneyard leader_spires"],
        card_set=cards,
    )
    play(game, "loot:servants_bell", "district:boneyard")
    assert legal(game) == [
        "play:ghoul:boneyard",
        "play:masque:boneyard",
        "play:leader_boneyard:boneyard",
    ]


@pytest.mark.rule("R7.6")
def test_a_played_minion_can_trigger():
    game = scenario(phase="loot", row=["servants_bell"], hands=["alchemist"])
    play(game, "loot:servants_bell", "district:spires", "play:alchemist:boneyard")
    assert items(game, 0) == {"potion": 1, "trinket": 1}


@pytest.mark.rule("R7.6")
def test_with_an_empty_hand_none_is_played():
    game = scenario(phase="loot", row=["servants_bell"])
    play(game, "loot:servants_bell", "district:spires")
    assert asked(game) == (1, "use_loot")


@pytest.mark.rule("R7.6")
def test_a_leader_whose_lair_is_taken_is_no_legal_minion():
    game = scenario(
        phase="loot",
        row=["servants_bell"],
        hands=["leader_alley_maze"],
        board={"alley_maze": ["leader_alley_maze"]},
    )
    play(game, "loot:servants_bell", "district:spires")
    assert (asked(game), hand(game, 0)) == ((1, "use_loot"), {"leader_alley_maze": 1})


@pytest.mark.rule("R7.6")
def test_a_scheme_may_not_play_a_minion(changed_cards):
    cards = changed_cards(schemes={"spires": ("play_minion any",)})
    with pytest.raises(ValueError, match="play_minion"):
        load_card_set(cards)


# ---- R7.7 discard_rival ----


@pytest.mark.rule("R7.7")
def test_a_rivals_minion_of_choice_is_discarded():
    game = scenario(items=["potion"], board={"spires": ["", "ghoul masque"]})
    play(game, "item:potion", "rival:spires:masque")
    assert (side(game, "spires", 1), discarded(game)) == ({"ghoul": 1}, {"masque": 1})


@pytest.mark.rule("R7.7")
def test_the_minion_can_be_picked_in_any_district():
    game = scenario(
        items=["potion"], board={"spires": ["", "ghoul servant"], "courtyard": ["", "ghoul"]}
    )
    play(game, "item:potion")
    assert legal(game) == ["rival:spires:ghoul", "rival:spires:servant", "rival:courtyard:ghoul"]


@pytest.mark.rule("R7.7")
def test_here_the_minion_is_picked_only_in_this_district():
    game = scenario(
        phase="loot",
        row=["gravediggers_spade"],
        board={"spires": ["", "ghoul servant"], "courtyard": ["", "shadow masque"]},
    )
    play(game, "loot:gravediggers_spade", "district:courtyard")
    assert legal(game) == ["rival:courtyard:shadow", "rival:courtyard:masque"]


@pytest.mark.rule("R7.7")
def test_a_leader_is_never_picked():
    game = scenario(items=["potion"], board={"spires": ["", "leader_spires ghoul"]})
    play(game, "item:potion")
    assert (side(game, "spires", 1), discarded(game)) == ({"leader_spires": 1}, {"ghoul": 1})


@pytest.mark.rule("R7.7")
def test_the_own_minions_are_never_picked():
    game = scenario(items=["potion"], board={"spires": ["ghoul ghoul", "masque"]})
    play(game, "item:potion")
    assert discarded(game) == {"masque": 1}


@pytest.mark.rule("R7.7")
def test_with_several_rivals_the_rival_is_chosen_first():
    # Seat 3 acts: seats 0, 1 and 2 are 1, 2 and 3 seats clockwise; seat 1 has only a leader.
    game = scenario(
        4, supremacy=3, items=["", "", "", "potion"], board={"spires": ["ghoul", "", "shadow"]}
    )
    play(game, "item:potion")
    assert (asked(game), legal(game)) == ((3, "pick_rival"), ["seat:1", "seat:3"])


@pytest.mark.rule("R7.7")
def test_a_rival_with_only_a_leader_is_not_on_offer():
    game = scenario(
        3, items=["potion"], board={"spires": ["", "leader_spires", "ghoul ghoul masque"]}
    )
    play(game, "item:potion")
    assert (asked(game), legal(game)) == (
        (0, "discard_rival"),
        ["rival:spires:ghoul", "rival:spires:masque"],
    )


@pytest.mark.rule("R7.7")
def test_only_the_chosen_rivals_minions_are_on_offer():
    game = scenario(
        3,
        items=["potion"],
        board={"spires": ["", "ghoul"], "courtyard": ["", "masque", "shadow servant"]},
    )
    play(game, "item:potion", "seat:1")
    assert legal(game) == ["rival:spires:ghoul", "rival:courtyard:masque"]


@pytest.mark.rule("R7.7")
def test_the_chosen_rivals_only_minion_goes_without_a_question():
    game = scenario(3, items=["potion"], board={"spires": ["", "ghoul", "ghoul shadow"]})
    play(game, "item:potion", "seat:1")
    assert (side(game, "spires", 1), side(game, "spires", 2)) == ({}, {"ghoul": 1, "shadow": 1})


@pytest.mark.rule("R7.7")
def test_here_only_rivals_with_a_minion_there_are_on_offer():
    game = scenario(
        4,
        phase="loot",
        row=["gravediggers_spade"],
        board={"spires": ["", "ghoul", "ghoul", ""], "boneyard": ["", "", "", "shadow"]},
    )
    play(game, "loot:gravediggers_spade", "district:spires")
    assert legal(game) == ["seat:1", "seat:2"]


@pytest.mark.rule("R7.7")
def test_without_a_rivals_minion_nothing_is_discarded():
    game = scenario(phase="loot", row=["gravediggers_spade"], board={"spires": ["", "masque"]})
    play(game, "loot:gravediggers_spade", "district:boneyard")
    assert (asked(game), discarded(game)) == ((1, "use_loot"), {})


# ---- R7.8 move_minion ----


@pytest.mark.rule("R7.8")
def test_an_own_minion_moves_to_another_district():
    game = scenario(phase="loot", row=["smugglers_key"], board={"spires": ["masque"]})
    play(game, "loot:smugglers_key", "district:spires", "own:spires:masque")
    play(game, "district:alley_maze")
    assert (side(game, "spires", 0), side(game, "alley_maze", 0)) == ({"shadow": 1}, {"masque": 1})


@pytest.mark.rule("R7.8")
def test_it_can_not_move_to_where_it_stands():
    game = scenario(phase="loot", row=["smugglers_key"], board={"spires": ["masque"]})
    play(game, "loot:smugglers_key", "district:boneyard", "own:spires:masque")
    assert legal(game) == ["district:boneyard", "district:alley_maze", "district:courtyard"]


@pytest.mark.rule("R7.8")
def test_it_stays_where_it_is_until_its_district_is_chosen():
    game = scenario(phase="loot", row=["smugglers_key"], board={"spires": ["masque"]})
    play(game, "loot:smugglers_key", "district:boneyard", "own:spires:masque")
    assert side(game, "spires", 0) == {"masque": 1}


@pytest.mark.rule("R7.8")
def test_neither_leaders_nor_rivals_minions_are_moved():
    game = scenario(
        phase="loot",
        row=["smugglers_key"],
        board={"spires": ["leader_spires servant", "ghoul"], "courtyard": ["", "masque"]},
    )
    play(game, "loot:smugglers_key", "district:spires")
    assert legal(game) == ["own:spires:shadow", "own:spires:servant"]


@pytest.mark.rule("R7.8")
def test_with_only_a_leader_nothing_is_moved():
    game = scenario(
        phase="loot",
        row=["smugglers_key"],
        supply={"shadow": 0, "servant": 0},
        board={"spires": ["leader_spires", "ghoul"]},
    )
    play(game, "loot:smugglers_key")
    assert (asked(game), side(game, "spires", 0)) == ((1, "use_loot"), {"leader_spires": 1})


# ---- R7.9 return_minion ----


@pytest.mark.rule("R7.9")
def test_an_own_minion_comes_back_to_hand():
    game = scenario(
        phase="loot", sides="advanced", row=["philosophers_still"], board={"spires": ["masque"]}
    )
    play(game, "loot:philosophers_still", "district:alley_maze", "own:spires:masque")
    assert (hand(game, 0), side(game, "spires", 0)) == ({"masque": 1}, {})


@pytest.mark.rule("R7.9")
def test_neither_leaders_nor_rivals_minions_come_back():
    game = scenario(
        phase="loot",
        sides="advanced",
        row=["philosophers_still"],
        board={"alley_maze": ["leader_alley_maze", "shadow"], "spires": ["masque", "ghoul"]},
    )
    play(game, "loot:philosophers_still", "district:alley_maze")
    assert legal(game) == ["own:spires:masque", "own:alley_maze:alchemist"]


@pytest.mark.rule("R7.9")
def test_with_only_a_leader_none_comes_back(changed_cards):
    cards = changed_cards(effects={"potion": ("return_minion",)})
    game = scenario(items=["potion"], board={"spires": ["leader_spires", "ghoul"]}, card_set=cards)
    play(game, "item:potion")
    assert (hand(game, 0), asked(game)) == ({}, (1, "special_action"))


# ---- R7.10 rivals_discard ----


@pytest.mark.rule("R7.10")
def test_the_rivals_discard_clockwise_from_the_acting_player():
    game = scenario(
        4,
        phase="loot",
        supremacy=2,
        row=["carnival_visage"],
        hands=["ghoul shadow", "ghoul shadow", "ghoul shadow", "ghoul shadow"],
    )
    third = play(game, "loot:carnival_visage", "district:spires").seat
    first = play(game, "discard:ghoul").seat
    second = play(game, "discard:ghoul").seat
    assert [third, first, second] == [3, 0, 1]


@pytest.mark.rule("R7.10")
def test_each_rival_chooses_a_minion_of_the_own_hand():
    game = scenario(
        3,
        phase="loot",
        row=["carnival_visage"],
        hands=["", "ghoul ghoul servant leader_spires", "shadow masque"],
    )
    play(game, "loot:carnival_visage", "district:spires")
    assert (asked(game), legal(game)) == (
        (1, "discard_hand"),
        ["discard:ghoul", "discard:servant", "discard:leader_spires"],
    )


@pytest.mark.rule("R7.10")
def test_a_rival_without_a_hand_is_passed_over():
    game = scenario(3, phase="loot", row=["carnival_visage"], hands=["ghoul", "", "shadow masque"])
    play(game, "loot:carnival_visage", "district:spires")
    assert asked(game) == (2, "discard_hand")


@pytest.mark.rule("R7.10")
def test_a_hand_of_one_kind_is_discarded_from_without_a_question():
    game = scenario(
        3, phase="loot", row=["carnival_visage"], hands=["", "ghoul ghoul", "shadow masque"]
    )
    play(game, "loot:carnival_visage", "district:spires")
    assert (hand(game, 1), asked(game)) == ({"ghoul": 1}, (2, "discard_hand"))


@pytest.mark.rule("R7.10")
def test_the_acting_player_discards_nothing():
    game = scenario(phase="loot", row=["carnival_visage"], hands=["ghoul shadow", "ghoul shadow"])
    play(game, "loot:carnival_visage", "district:spires", "discard:shadow")
    assert (hand(game, 0), hand(game, 1)) == ({"ghoul": 1, "shadow": 1}, {"ghoul": 1})


@pytest.mark.rule("R7.10")
def test_with_no_hands_nothing_is_discarded():
    game = scenario(phase="loot", row=["carnival_visage"], hands=["ghoul shadow"])
    play(game, "loot:carnival_visage", "district:spires")
    assert (asked(game), discarded(game)) == ((1, "use_loot"), {})


# ---- R7.11 place_leader ----


@pytest.mark.rule("R7.11")
def test_a_leader_goes_from_the_supply_to_its_lair():
    game = scenario(items=["scepter"])
    play(game, "item:scepter", "play:leader_boneyard:boneyard")
    assert (side(game, "boneyard", 0), supply(game)["leader_boneyard"]) == (
        {"leader_boneyard": 1},
        1,
    )


@pytest.mark.rule("R7.11")
def test_every_leader_of_the_supply_is_on_offer():
    game = play(scenario(items=["scepter"]), "item:scepter")
    assert legal(game) == [
        "play:leader_spires:spires",
        "play:leader_boneyard:boneyard",
        "play:leader_alley_maze:alley_maze",
        "play:leader_courtyard:courtyard",
    ]


@pytest.mark.rule("R7.11")
def test_a_lair_with_an_own_leader_is_not_on_offer_one_with_a_rivals_is():
    game = scenario(
        items=["scepter"],
        board={"spires": ["leader_spires"], "boneyard": ["", "leader_boneyard"]},
        supply={"leader_courtyard": 0},
    )
    play(game, "item:scepter")
    assert legal(game) == ["play:leader_boneyard:boneyard", "play:leader_alley_maze:alley_maze"]


@pytest.mark.rule("R7.11")
def test_a_leader_in_hand_is_not_in_the_supply():
    game = scenario(items=["scepter"], hands=["leader_spires leader_spires"])
    play(game, "item:scepter")
    assert "play:leader_spires:spires" not in legal(game)


@pytest.mark.rule("R7.11")
def test_without_a_leader_to_place_nothing_happens():
    game = scenario(
        items=["scepter"],
        board={"spires": ["leader_spires"]},
        supply={"leader_boneyard": 0, "leader_alley_maze": 0, "leader_courtyard": 0},
    )
    play(game, "item:scepter")
    assert (asked(game), spent(game, 0)) == ((1, "special_action"), {"scepter": 1})


# ---- R7.12 gain_support ----


@pytest.mark.rule("R7.12")
def test_a_support_marker_is_gained(changed_cards):
    cards = changed_cards(effects={"potion": ("gain_support", "gain_support")})
    game = scenario(items=["potion"], support=[3, 1], card_set=cards)
    play(game, "item:potion")
    assert supports(game) == [5, 1]


@pytest.mark.rule("R7.12")
def test_a_support_marker_is_gained_with_an_empty_stock():
    game = scenario(items=["trinket"], spaces=NO_STOCK)
    play(game, "item:trinket")
    assert (supports(game), stock(game, 0)) == ([1, 0], 0)

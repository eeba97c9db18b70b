"""R9: the week's end. `week_end` begins with the new holder of supremacy: seat 0 if not said."""

import pytest

from tests.support.scenario import (
    asked,
    claimed,
    course,
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
    week_end,
)

# Four nights that leave spires and courtyard alone.
ELSEWHERE = ["boneyard_1", "boneyard_2", "alley_maze_1", "alley_maze_2"]
# Seat 0 has placed all its twelve markers.
NO_STOCK = {"boneyard": "000/0 0/000", "courtyard": "000/0.."}


# ---- R9.0 ----


@pytest.mark.rule("R9.0")
@pytest.mark.parametrize(("before", "after"), [(0, 1), (1, 2), (2, 0)])
def test_supremacy_passes_clockwise_when_the_week_ends(before, after):
    game = play(scenario(3, night=4, turn=2, supremacy=before), "take:ghoul")
    assert game.to_position()["supremacy"] == after


@pytest.mark.rule("R9.0")
@pytest.mark.parametrize("night", [1, 2, 3])
def test_supremacy_stays_on_other_nights(night):
    game = play(scenario(3, night=night, turn=2, supremacy=1), "take:ghoul")
    assert (game.to_position()["supremacy"], game.seat) == (1, 1)


@pytest.mark.rule("R9.0")
def test_supremacy_passes_before_the_claims():
    game = scenario(
        night=4,
        turn=1,
        supremacy=1,
        board={"spires": ["ghoul", "ghoul"]},
        nights=["spires_1"],
    )
    play(game, "take:ghoul")
    assert (asked(game), game.to_position()["supremacy"]) == ((0, "place_marker"), 0)


@pytest.mark.rule("R9.0")
def test_supremacy_passes_in_the_second_week_too():
    game = play(scenario(week=2, night=4, turn=1, supremacy=0), "take:ghoul")
    assert (game.over, game.to_position()["supremacy"]) == (True, 1)


@pytest.mark.rule("R9.0")
def test_the_second_week_begins_with_the_new_holder_of_supremacy():
    game = play(scenario(3, night=4, turn=2, supremacy=0), "take:ghoul")
    assert (asked(game), course(game)) == ((1, "use_loot"), (2, 1, "loot"))


# ---- R9.1 ----


@pytest.mark.rule("R9.1")
def test_the_night_cards_are_resolved_in_the_order_of_their_reveal():
    game = week_end(
        board={"spires": ["ghoul"], "courtyard": ["ghoul"]}, nights=["courtyard_1", "spires_1"]
    )
    first = legal(game)[0]
    second = legal(play(game, "space:courtyard:1,2"))[0]
    assert (first, second) == ("space:courtyard:0,0", "space:spires:0,0")


@pytest.mark.rule("R9.1")
def test_a_night_card_is_whole_before_the_next():
    game = week_end(
        board={"spires": ["servant masque masque", "leader_spires"], "boneyard": ["masque", ""]},
        nights=["spires_2", "boneyard_1"],
    )
    play(game, "space:spires:0,0", "space:spires:0,1")
    assert (asked(game), legal(game)[0]) == ((1, "place_marker"), "space:spires:0,2")


# ---- R9.2 ----


@pytest.mark.rule("R9.2")
def test_the_highest_total_claims_as_many_markers_as_the_card_says():
    assert claimed("spires", "masque masque", "masque ghoul", value=2) == [2, 0]


@pytest.mark.rule("R9.2")
def test_only_minions_in_the_district_of_the_card_count():
    game = week_end(
        board={"spires": ["", "ghoul"], "boneyard": ["masque masque"]},
        spaces={"spires": "010/101"},
        nights=["spires_1", "alley_maze_1", "alley_maze_2", "courtyard_1"],
    )
    assert supports(game) == [0, 1]


@pytest.mark.rule("R9.2")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_total_of_nothing_claims_nothing(players):
    assert claimed("spires", *[""] * players) == [0] * players


@pytest.mark.rule("R9.2")
def test_two_who_tie_both_claim():
    assert claimed("boneyard", "ghoul shadow", "masque alchemist", value=2) == [2, 2]


@pytest.mark.rule("R9.2")
def test_three_tie_and_the_fourth_claims_nothing():
    assert claimed("boneyard", "ghoul", "masque", "shadow", "servant servant") == [1, 1, 0, 1]


@pytest.mark.rule("R9.2")
def test_four_who_tie_all_claim():
    assert claimed("boneyard", "ghoul", "masque", "shadow servant", "servant servant") == [1] * 4


@pytest.mark.rule("R9.2")
def test_those_who_tie_below_the_highest_claim_nothing():
    assert claimed("courtyard", "servant", "servant", "masque") == [0, 0, 1]


@pytest.mark.rule("R9.2")
def test_those_who_tie_place_in_seat_order_each_all_markers_before_the_next():
    game = week_end(
        players=3,
        first=2,
        board={"spires": ["ghoul", "ghoul", "ghoul"]},
        nights=["spires_2", "boneyard_1", "alley_maze_1", "courtyard_1"],
    )
    seats = [game.seat]
    for action in ("0,0", "0,1", "0,2", "1,0"):
        seats.append(play(game, f"space:spires:{action}").seat)
    assert seats == [2, 2, 0, 0, 1]


@pytest.mark.rule("R9.2")
def test_the_last_in_seat_order_may_find_no_space():
    game = week_end(
        players=4,
        first=2,
        board={"spires": ["servant", "servant", "servant", "servant"]},
        nights=["spires_2", "boneyard_1", "alley_maze_1", "courtyard_1"],
    )
    play(game, "space:spires:0,0", "space:spires:0,1", "space:spires:0,2", "space:spires:1,0")
    play(game, "space:spires:1,1")  # and the last space is seat 0's second
    assert (spaces(game, "spires"), supports(game)) == ("223/300", [0, 2, 0, 0])


@pytest.mark.rule("R9.2")
def test_markers_of_a_claim_come_from_the_stock():
    game = week_end(board={"spires": ["ghoul"]}, nights=["spires_2"])
    play(game, "space:spires:0,0", "space:spires:1,2")
    assert (spaces(game, "spires"), stock(game, 0)) == ("0../..0", 10)


# ---- R9.3 ----


@pytest.mark.rule("R9.3")
def test_a_claimant_with_a_leader_places_one_marker_more():
    assert claimed("spires", "leader_spires", "masque", value=2) == [3, 0]


@pytest.mark.rule("R9.3")
def test_a_leader_places_a_marker_though_its_player_claims_nothing():
    assert claimed("spires", "leader_spires", "masque masque", value=2) == [1, 2]


@pytest.mark.rule("R9.3")
def test_the_leaders_marker_comes_after_the_claim():
    game = week_end(
        first=0, board={"spires": ["leader_spires", "masque masque"]}, nights=["spires_1"]
    )
    claimant = game.seat
    leader = play(game, "space:spires:0,0").seat
    assert [claimant, leader] == [1, 0]


@pytest.mark.rule("R9.3")
def test_leaders_place_in_seat_order():
    game = week_end(
        players=3,
        first=1,
        board={"spires": ["leader_spires servant", "leader_spires", "leader_spires"]},
        nights=["spires_1"],
    )
    seats = [game.seat]
    for space in ("0,0", "0,1", "0,2"):
        seats.append(play(game, f"space:spires:{space}").seat)
    assert seats == [0, 1, 2, 0]


@pytest.mark.rule("R9.3")
def test_a_leader_places_once_for_each_of_two_cards_of_its_district():
    game = week_end(
        board={"spires": ["leader_spires", "masque masque"]},
        spaces={"spires": "010/101"},
        nights=["spires_1", "boneyard_1", "spires_2", "boneyard_2"],
    )
    assert supports(game) == [2, 3]


@pytest.mark.rule("R9.3")
def test_a_leader_in_a_district_that_no_card_shows_places_nothing():
    game = week_end(
        board={"courtyard": ["leader_courtyard"]},
        spaces={"courtyard": "010/101"},
        nights=ELSEWHERE,
    )
    assert (supports(game), stock(game, 0)) == ([0, 0], 9)


@pytest.mark.rule("R9.3")
def test_a_leader_in_hand_places_nothing():
    game = week_end(hands=["leader_spires"], spaces={"spires": "010/101"}, nights=["spires_1"])
    assert supports(game) == [0, 0]


# ---- R9.4 ----


@pytest.mark.rule("R9.4")
def test_the_owner_chooses_an_empty_space_of_the_district():
    game = week_end(
        board={"boneyard": ["", "ghoul"]},
        spaces={"boneyard": "0.1/. 0/11."},
        nights=["boneyard_1"],
    )
    assert (asked(game), legal(game)) == (
        (1, "place_marker"),
        ["space:boneyard:0,1", "space:boneyard:1,0", "space:boneyard:2,2"],
    )


@pytest.mark.rule("R9.4")
def test_without_a_space_a_support_marker_comes_and_the_stock_stays():
    game = week_end(board={"spires": ["ghoul"]}, spaces={"spires": "010/101"}, nights=["spires_2"])
    assert (supports(game), stock(game, 0)) == ([2, 0], 9)


@pytest.mark.rule("R9.4")
def test_the_last_space_is_filled_before_a_support_marker_comes():
    game = week_end(board={"spires": ["ghoul"]}, spaces={"spires": "010/1.1"}, nights=["spires_2"])
    assert (spaces(game, "spires"), supports(game), stock(game, 0)) == ("010/101", [1, 0], 9)


@pytest.mark.rule("R9.4")
def test_a_player_without_a_stock_places_nothing_and_gains_nothing():
    game = week_end(
        board={"spires": ["ghoul"], "boneyard": ["ghoul"]},
        spaces=NO_STOCK,
        nights=["spires_1", "boneyard_1"],
    )
    assert (spaces(game, "spires"), supports(game)) == (".../...", [0, 0])


@pytest.mark.rule("R9.4")
def test_a_leader_without_a_stock_places_nothing_and_gains_nothing():
    game = week_end(
        board={"spires": ["leader_spires", "masque masque"]},
        spaces=NO_STOCK,
        nights=["spires_1"],
    )
    play(game, "space:spires:0,0")  # the claim of seat 1
    assert (spaces(game, "spires"), supports(game)) == ("1../...", [0, 0])


@pytest.mark.rule("R9.4")
def test_a_claim_ends_when_the_stock_runs_out():
    game = week_end(
        board={"spires": ["ghoul"]},
        spaces={"boneyard": "000/0 0/000", "courtyard": "000/..."},
        nights=["spires_2"],
    )
    play(game, "space:spires:0,0")
    assert (stock(game, 0), supports(game), course(game)) == (0, [0, 0], (2, 1, "loot"))


@pytest.mark.rule("R9.4")
def test_a_support_marker_is_never_placed():
    game = week_end(board={"spires": ["ghoul"]}, spaces=NO_STOCK, support=[5], nights=["spires_1"])
    assert (spaces(game, "spires"), supports(game)) == (".../...", [5, 0])


# ---- R9.5 ----


@pytest.mark.rule("R9.5")
def test_a_night_card_stays_while_it_is_resolved():
    game = week_end(board={"spires": ["ghoul"]}, nights=["spires_2", "boneyard_1"])
    play(game, "space:spires:0,0")
    assert game.to_position()["nights"][:2] == ["spires_2", "boneyard_1"]


@pytest.mark.rule("R9.5")
def test_a_night_card_leaves_the_game_when_it_is_resolved():
    game = week_end(
        board={"spires": ["ghoul"], "boneyard": ["ghoul"]},
        nights=["spires_1", "boneyard_1", "alley_maze_1", "alley_maze_2"],
    )
    play(game, "space:spires:0,0")
    assert game.to_position()["nights"] == ["boneyard_1", "alley_maze_1", "alley_maze_2"]


@pytest.mark.rule("R9.5")
def test_the_second_week_has_the_other_four_cards():
    game = week_end(nights=ELSEWHERE)
    position = game.to_position()
    assert {*position["nights"], *position["night_deck"]} == {
        "spires_1",
        "spires_2",
        "courtyard_1",
        "courtyard_2",
    }


@pytest.mark.rule("R9.5")
def test_spent_items_go_back_to_the_supply():
    game = week_end(spent=["scepter", "scepter potion"])
    assert (spent(game, 0), spent(game, 1), supply(game)["scepter"]) == ({}, {}, 6)


@pytest.mark.rule("R9.5")
def test_spent_items_are_still_there_while_districts_are_claimed():
    game = week_end(spent=["scepter"], board={"spires": ["ghoul"]}, nights=["spires_1"])
    assert spent(game, 0) == {"scepter": 1}


@pytest.mark.rule("R9.5")
def test_items_that_lie_face_up_stay():
    game = week_end(items=["scepter"], spent=["scepter"])
    assert (items(game, 0), supply(game)["scepter"]) == ({"scepter": 1}, 5)


@pytest.mark.rule("R9.5")
def test_leaders_on_the_board_go_back_to_the_supply():
    game = week_end(board={"spires": ["leader_spires ghoul"]}, nights=ELSEWHERE)
    assert (side(game, "spires", 0), supply(game)["leader_spires"]) == ({"ghoul": 1}, 2)


@pytest.mark.rule("R9.5")
def test_leaders_in_hand_stay():
    game = week_end(hands=["", "leader_spires"])
    assert hand(game, 1) == {"leader_spires": 1}


@pytest.mark.rule("R9.5")
def test_leaders_go_back_only_after_the_fourth_card():
    game = week_end(
        board={"spires": ["leader_spires"]},
        nights=["courtyard_1", "boneyard_1", "alley_maze_1", "spires_1"],
        spaces={"spires": "01./1.."},
    )
    assert legal(game) == ["space:spires:0,2", "space:spires:1,1", "space:spires:1,2"]


# ---- R9.6 ----


@pytest.mark.rule("R9.6")
def test_a_player_discards_down_to_two_minions_in_a_district():
    game = week_end(board={"spires": ["ghoul ghoul shadow"]}, nights=ELSEWHERE)
    play(game, "own:spires:ghoul")
    assert (side(game, "spires", 0), course(game)) == (
        {"ghoul": 1, "shadow": 1},
        (2, 1, "loot"),
    )


@pytest.mark.rule("R9.6")
def test_the_player_chooses_which():
    game = week_end(board={"spires": ["ghoul shadow masque"]}, nights=ELSEWHERE)
    assert (asked(game), legal(game)) == (
        (0, "discard_down"),
        ["own:spires:ghoul", "own:spires:shadow", "own:spires:masque"],
    )


@pytest.mark.rule("R9.6")
def test_one_card_is_discarded_at_a_time():
    game = week_end(board={"spires": ["ghoul shadow shadow masque"]}, nights=ELSEWHERE)
    play(game, "own:spires:ghoul")
    assert (asked(game), legal(game)) == (
        (0, "discard_down"),
        ["own:spires:shadow", "own:spires:masque"],
    )


@pytest.mark.rule("R9.6")
def test_minions_of_one_kind_are_discarded_without_a_question():
    game = week_end(board={"spires": [{"shadow": 5}]}, nights=ELSEWHERE)
    assert (side(game, "spires", 0), supply(game)["shadow"]) == ({"shadow": 2}, 6)


@pytest.mark.rule("R9.6")
def test_cards_count_and_not_values():
    game = week_end(board={"spires": ["masque alchemist"]}, nights=ELSEWHERE)  # four
    assert (course(game), side(game, "spires", 0)) == (
        (2, 1, "loot"),
        {"alchemist": 1, "masque": 1},
    )


@pytest.mark.rule("R9.6")
def test_servants_do_not_count():
    game = week_end(board={"spires": ["ghoul shadow servant servant"]}, nights=ELSEWHERE)
    assert (course(game), side(game, "spires", 0)) == (
        (2, 1, "loot"),
        {"ghoul": 1, "shadow": 1, "servant": 2},
    )


@pytest.mark.rule("R9.6")
def test_servants_are_not_on_offer_and_stay():
    game = week_end(board={"spires": ["ghoul ghoul masque servant"]}, nights=ELSEWHERE)
    offer = legal(game)
    play(game, "own:spires:ghoul")
    assert (offer, side(game, "spires", 0)) == (
        ["own:spires:ghoul", "own:spires:masque"],
        {"ghoul": 1, "masque": 1, "servant": 1},
    )


@pytest.mark.rule("R9.6")
def test_leaders_are_gone_by_then_and_do_not_count():
    game = week_end(board={"spires": ["leader_spires ghoul shadow"]}, nights=ELSEWHERE)
    assert (course(game), side(game, "spires", 0)) == ((2, 1, "loot"), {"ghoul": 1, "shadow": 1})


@pytest.mark.rule("R9.6")
def test_players_discard_in_seat_order():
    crowd = "ghoul shadow masque"
    game = week_end(players=3, first=2, board={"spires": [crowd] * 3}, nights=ELSEWHERE)
    third = game.seat
    first = play(game, "own:spires:ghoul").seat
    second = play(game, "own:spires:ghoul").seat
    assert [third, first, second] == [2, 0, 1]


@pytest.mark.rule("R9.6")
def test_a_player_goes_through_the_districts_in_their_order():
    crowd = ["ghoul shadow masque", "ghoul shadow masque"]
    game = week_end(board={"courtyard": crowd, "spires": crowd}, nights=ELSEWHERE)
    offers = [legal(game)[0]]
    offers.append(legal(play(game, "own:spires:ghoul"))[0])
    assert (offers, play(game, "own:courtyard:ghoul").seat) == (
        ["own:spires:ghoul", "own:courtyard:ghoul"],
        1,
    )


@pytest.mark.rule("R9.6")
def test_these_cards_go_to_the_supply():
    game = week_end(board={"spires": ["ghoul shadow masque masque"]}, nights=ELSEWHERE)
    play(game, "own:spires:ghoul")
    assert (supply(game)["ghoul"], discarded(game)) == (8, {})


@pytest.mark.rule("R9.6")
def test_nobody_discards_in_the_second_week():
    game = week_end(week=2, board={"spires": ["ghoul shadow masque"]}, nights=ELSEWHERE)
    assert (game.over, side(game, "spires", 0)) == (True, {"ghoul": 1, "shadow": 1, "masque": 1})


# ---- R9.7 ----


@pytest.mark.rule("R9.7")
def test_discarded_minions_go_back_to_the_supply_after_the_first_week():
    game = week_end(discard="ghoul masque masque leader_spires")
    back = [supply(game)[kind] for kind in ("ghoul", "masque", "leader_spires")]
    assert (discarded(game), back) == ({}, [8, 4, 2])


@pytest.mark.rule("R9.7")
def test_discarded_minions_go_back_to_the_supply_after_the_second_week():
    game = week_end(week=2, discard="ghoul masque")
    assert (game.over, discarded(game), supply(game)["ghoul"]) == (True, {}, 8)


@pytest.mark.rule("R9.7")
def test_discarded_minions_are_still_out_while_players_discard_down():
    game = week_end(
        board={"spires": ["ghoul shadow masque"]}, discard="alchemist", nights=ELSEWHERE
    )
    assert (discarded(game), supply(game)["alchemist"]) == ({"alchemist": 1}, 7)


@pytest.mark.rule("R9.7")
def test_the_second_week_follows_the_first():
    game = week_end(players=3, first=1)
    assert (course(game), asked(game)) == ((2, 1, "loot"), (1, "use_loot"))


@pytest.mark.rule("R9.7")
def test_minions_on_the_board_stay_for_the_second_week():
    game = week_end(board={"courtyard": ["ghoul masque", "servant"]}, nights=ELSEWHERE)
    assert (side(game, "courtyard", 0), side(game, "courtyard", 1)) == (
        {"ghoul": 1, "masque": 1},
        {"servant": 1},
    )

"""R10: final scoring. Most positions are games that are over; the scores are those of the seats."""

import pytest

from tests.support.scenario import items, play, scenario, spaces, week_end


def over(players=2, **rest):
    """A finished game."""
    return scenario(players, week=2, night=4, phase="over", **rest)


@pytest.mark.rule("R10.1")
def test_a_marker_alone_counts_one():
    assert over(spaces={"spires": "0../..."}).scores() == [1, 0]


@pytest.mark.rule("R10.1")
def test_two_neighbours_count_two_each():
    assert over(spaces={"spires": "00./..."}).scores() == [4, 0]


@pytest.mark.rule("R10.1")
def test_markers_above_each_other_are_neighbours():
    assert over(spaces={"boneyard": "0../0 ./..."}).scores() == [4, 0]


@pytest.mark.rule("R10.1")
def test_a_marker_with_several_neighbours_counts_two():
    assert over(spaces={"spires": "000/.0."}).scores() == [8, 0]


@pytest.mark.rule("R10.1")
def test_diagonal_markers_are_not_adjacent():
    assert over(spaces={"spires": "0.0/.0."}).scores() == [3, 0]


@pytest.mark.rule("R10.1")
def test_a_rivals_marker_is_no_neighbour():
    assert over(spaces={"spires": "01./1.."}).scores() == [1, 2]


@pytest.mark.rule("R10.1")
def test_a_gap_without_a_space_separates_markers():
    assert over(spaces={"boneyard": ".../0 0/..."}).scores() == [2, 0]


@pytest.mark.rule("R10.1")
def test_the_end_of_a_row_is_not_adjacent_to_the_beginning_of_the_next():
    assert over(spaces={"spires": "..0/0.."}).scores() == [2, 0]


@pytest.mark.rule("R10.1")
def test_markers_in_two_districts_are_not_adjacent():
    game = over(spaces={"spires": "0../...", "boneyard": "0../. ./...", "courtyard": "0../..."})
    assert game.scores() == [3, 0]


@pytest.mark.rule("R10.2")
def test_each_item_counts_one_and_strictly_the_most_one_more():
    assert over(items=["scepter scepter trinket", "potion potion"]).scores() == [4, 2]


@pytest.mark.rule("R10.2")
def test_a_tie_for_most_items_has_no_bonus():
    game = over(3, items=["scepter potion", "trinket trinket", "potion"])
    assert game.scores() == [2, 2, 1]


@pytest.mark.rule("R10.2")
def test_without_items_there_is_no_bonus():
    assert over().scores() == [0, 0]


@pytest.mark.rule("R10.2")
def test_items_that_lay_face_down_do_not_count():
    game = week_end(week=2, items=["", "scepter"], spent=["potion potion trinket"])
    assert game.scores() == [1, 2]  # seat 0: the servant of the last special action


@pytest.mark.rule("R10.3")
def test_each_minion_in_hand_counts_one_whatever_its_kind():
    assert over(hands=["ghoul masque servant leader_spires", "shadow"]).scores() == [4, 1]


@pytest.mark.rule("R10.3")
def test_minions_on_the_board_do_not_count():
    assert over(board={"spires": ["masque masque", "ghoul"]}).scores() == [0, 0]


@pytest.mark.rule("R10.4")
def test_each_support_marker_counts_one():
    assert over(support=[3, 11]).scores() == [3, 11]


@pytest.mark.rule("R10.5")
def test_the_points_of_the_agendas_are_added():
    game = over(
        agendas=["voice_of_the_alleys", "patron_of_the_spires"],
        hands=[{"ghoul": 5}, {"shadow": 5}],
    )
    assert game.scores() == [7, 5]


@pytest.mark.rule("R10.6")
def test_the_most_influence_wins():
    assert over(3, support=[3, 5, 4]).winners() == [1]


@pytest.mark.pitfall("S17")
@pytest.mark.rule("R10.6")
def test_a_tie_goes_to_whoever_placed_the_most_markers():
    # 2 each: two markers alone, or two support markers.
    assert over(spaces={"spires": "0.0/..."}, support=[0, 2]).winners() == [0]


@pytest.mark.rule("R10.6")
def test_markers_break_the_tie_only_among_the_highest():
    # 2, 2 and 1: seat 2 has the most markers of all only with less influence.
    game = over(3, spaces={"spires": "0.2/..."}, support=[1, 2, 0])
    assert (game.scores(), game.winners()) == ([2, 2, 1], [0])


@pytest.mark.pitfall("S17")
@pytest.mark.rule("R10.6")
def test_who_ties_in_markers_too_shares_a_draw():
    game = over(spaces={"spires": "0.1/..."})
    assert game.winners() == [0, 1]


@pytest.mark.pitfall("S17")
@pytest.mark.rule("R10.6")
def test_two_of_three_can_share_a_draw():
    game = over(3, spaces={"spires": "0.2/.1."}, support=[1, 0, 1])
    assert game.winners() == [0, 2]


@pytest.mark.rule("R10.6")
def test_nobody_has_won_before_the_end():
    assert scenario(support=[9]).winners() == []


@pytest.mark.rule("R10.7")
def test_the_scoring_example_of_the_text():
    # Ten markers: six and two side by side, two alone.
    game = over(
        spaces={"spires": "000/000", "boneyard": "00./. ./..0", "alley_maze": "0../. ./..."},
        support=[3],
        items=["scepter scepter potion trinket", "scepter scepter potion trinket"],
        hands=["ghoul ghoul shadow courtesan masque servant"],
    )
    assert game.scores() == [31, 4]


@pytest.mark.rule("R10.8")
def test_the_claiming_example_of_the_text():
    game = week_end(
        first=1,
        board={"boneyard": ["ghoul masque alchemist", "leader_boneyard shadow"]},
        nights=["boneyard_2"],
    )
    seats = [game.seat]
    for space in ("0,0", "0,1"):
        seats.append(play(game, f"space:boneyard:{space}").seat)
    play(game, "space:boneyard:0,2")
    assert (seats, spaces(game, "boneyard")) == ([0, 0, 1], "001/. ./...")


@pytest.mark.rule("R10.9")
def test_the_loot_example_of_the_text():
    game = scenario(phase="loot", row=["taxers_hold"])
    play(game, "loot:taxers_hold", "district:spires", "space:spires:1,0")
    assert (spaces(game, "spires"), items(game, 0)) == (".../0..", {"trinket": 1})

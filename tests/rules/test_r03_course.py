"""R3: the course of the game."""

import pytest

from hemlock_env import Game
from tests.support.scenario import asked, course, finish, play, scenario, week_end


@pytest.mark.rule("R3.1")
def test_a_game_has_two_weeks_of_four_nights_each_with_another_card():
    events = finish(Game(seed=3)).record()["events"]
    nights = [event["night"] for event in events if "night" in event]
    assert (len(nights), len({*nights})) == (8, 8)


@pytest.mark.rule("R3.1")
def test_a_night_begins_with_a_card_turned_up_and_the_loot_revealed():
    position = Game(seed=3).to_position()
    assert (len(position["nights"]), len(position["loot_row"])) == (1, 5)


@pytest.mark.rule("R3.1")
def test_loot_is_used_before_special_actions():
    game = scenario(phase="loot", turn=3, row=["regents_baton"])
    play(game, "loot:regents_baton", "district:boneyard")
    assert (course(game), asked(game)) == ((1, 1, "special"), (0, "special_action"))


@pytest.mark.rule("R3.1")
def test_after_the_special_actions_the_next_night_begins():
    game = play(scenario(night=2, turn=1), "take:ghoul")
    assert (course(game), asked(game)) == ((1, 3, "loot"), (0, "use_loot"))


@pytest.mark.rule("R3.2")
def test_after_the_fourth_night_the_districts_are_claimed():
    game = week_end(board={"spires": ["ghoul"]}, nights=["spires_1"])
    assert course(game) == (1, 4, "claim")


@pytest.mark.rule("R3.2")
def test_there_are_no_claims_before_the_fourth_night():
    game = scenario(night=3, turn=1, board={"spires": ["ghoul"]}, nights=["spires_1"])
    play(game, "take:ghoul")
    assert course(game) == (1, 4, "loot")


@pytest.mark.rule("R3.2")
def test_the_second_week_begins_after_the_first_weeks_end():
    assert course(week_end()) == (2, 1, "loot")


@pytest.mark.rule("R3.2")
def test_the_game_is_over_after_the_second_weeks_end():
    game = week_end(week=2)
    assert (course(game), game.over) == ((2, 4, "over"), True)


@pytest.mark.rule("R3.2")
def test_the_end_is_scored():
    game = week_end(week=2, hands=["ghoul ghoul", "shadow"], last="take:servant")  # by seat 0
    assert (game.scores(), game.winners()) == ([3, 1], [0])

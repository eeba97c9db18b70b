"""R4: reveals."""

import pytest

from hemlock_env import Game
from tests.support.scenario import play, row, scenario


@pytest.mark.rule("R4.1")
def test_the_top_night_card_goes_to_the_right_of_those_revealed():
    game = scenario(night=2, turn=1, nights=["courtyard_2", "spires_1"], deck=["boneyard_2"])
    play(game, "take:ghoul")
    assert game.to_position()["nights"] == ["courtyard_2", "spires_1", "boneyard_2"]


@pytest.mark.rule("R4.1")
def test_a_revealed_night_card_leaves_the_deck():
    game = scenario(night=3, turn=1, deck=["boneyard_2", "spires_2"])
    play(game, "take:ghoul")
    assert game.to_position()["night_deck"][0] == "spires_2"


@pytest.mark.rule("R4.2")
@pytest.mark.parametrize(("players", "cards"), [(2, 5), (3, 7), (4, 9)])
def test_the_loot_row_has_two_cards_for_each_player_and_one_more(players, cards):
    assert len({*row(Game(players, seed=1))}) == cards


@pytest.mark.rule("R4.2")
def test_all_ten_loot_cards_can_be_revealed():
    seen = {card for seed in range(30) for card in row(Game(seed=seed))}
    assert len(seen) == 10


@pytest.mark.rule("R4.2")
def test_cards_used_last_night_are_shuffled_in_again():
    used = ["taxers_hold", "regents_baton", "crypt_lantern", "servants_bell"]
    rows = [row(play(scenario(turn=1, used=used, seed=s), "take:ghoul")) for s in range(20)]
    assert {*used} <= {card for cards in rows for card in cards}


@pytest.mark.rule("R4.2")
def test_a_new_row_of_full_length_is_revealed_each_night():
    game = play(scenario(3, turn=2), "take:ghoul")
    assert len(row(game)) == 7

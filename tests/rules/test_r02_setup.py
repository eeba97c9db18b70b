"""R2: setup."""

import pytest

from hemlock_env import Game
from tests.support.scenario import hand, play, scenario, spaces, stock, supply

BASIC, ADVANCED = ".../...", ". ./.../ ."  # the spires


@pytest.mark.rule("R2.1")
def test_all_special_minions_leaders_and_items_begin_in_the_supply():
    game = Game(seed=1)
    assert supply(game) == {
        **dict.fromkeys(["courtesan", "ghoul", "alchemist", "shadow"], 6),
        **{"masque": 4, "servant": 6},
        **{"leader_spires": 2, "leader_boneyard": 2, "leader_alley_maze": 2, "leader_courtyard": 2},
        **{"scepter": 6, "potion": 6, "trinket": 6},
    }


@pytest.mark.rule("R2.2")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_hand_has_four_cards(players):
    game = Game(players, seed=1)
    assert [sum(hand(game, seat).values()) for seat in range(players)] == [4] * players


@pytest.mark.rule("R2.2")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_as_many_of_each_generic_kind_are_dealt_as_there_are_players(players):
    left = supply(Game(players, seed=1))
    copies = [left[kind] for kind in ("courtesan", "ghoul", "alchemist", "shadow")]
    assert copies == [3 * players] * 4


@pytest.mark.rule("R2.2")
def test_the_dealt_minions_are_shuffled():
    hands = {tuple(hand(Game(seed=seed), 0).items()) for seed in range(20)}
    assert len(hands) > 5


@pytest.mark.rule("R2.3")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_everyone_takes_twelve_markers(players):
    game = Game(players, seed=1)
    assert [stock(game, seat) for seat in range(players)] == [12] * players


@pytest.mark.rule("R2.3")
def test_the_districts_are_laid_out_empty_with_the_basic_side():
    districts = Game(seed=1).to_position()["districts"]
    assert districts["spires"] == {"minions": [{}, {}], "spaces": ["...", "...", "   "]}


@pytest.mark.rule("R2.3")
def test_each_district_can_have_a_side_of_its_own():
    game = Game(seed=1, sides=["advanced", "basic", "basic", "advanced"])
    sides = game.to_position()["options"]["sides"]
    assert (sides, spaces(game, "spires")) == (["advanced", "basic", "basic", "advanced"], ADVANCED)


@pytest.mark.rule("R2.3")
def test_random_sides_are_drawn_for_each_district():
    draws = {drawn_sides(seed) for seed in range(200)}
    assert len(draws) == 16


@pytest.mark.rule("R2.3")
def test_random_sides_follow_from_the_seed():
    assert drawn_sides(7) == drawn_sides(7)


@pytest.mark.rule("R2.3")
def test_a_drawn_side_is_played_with_its_own_spaces():
    layouts = {spaces(Game(seed=seed, sides="random"), "spires") for seed in range(20)}
    assert layouts == {BASIC, ADVANCED}


@pytest.mark.rule("R2.4")
def test_the_night_deck_holds_all_eight_cards_one_of_them_revealed():
    position = Game(seed=1).to_position()
    assert (len(position["nights"]), len({*position["nights"], *position["night_deck"]})) == (1, 8)


@pytest.mark.rule("R2.4")
def test_the_night_deck_is_shuffled():
    decks = {tuple(Game(seed=seed).to_position()["night_deck"]) for seed in range(20)}
    assert len(decks) == 20


@pytest.mark.rule("R2.5")
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_the_named_first_player_holds_supremacy_and_begins(seat):
    game = Game(3, first_player=seat, seed=1)
    assert (game.to_position()["supremacy"], game.seat) == (seat, seat)


@pytest.mark.rule("R2.5")
def test_the_first_player_is_drawn_if_none_is_named():
    assert {Game(3, seed=seed).seat for seed in range(30)} == {0, 1, 2}


@pytest.mark.rule("R2.6")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_two_to_four_can_play(players):
    assert len(Game(players, seed=1).to_position()["players"]) == players


@pytest.mark.rule("R2.6")
@pytest.mark.parametrize("players", [1, 5])
def test_one_or_five_can_not_play(players):
    with pytest.raises(ValueError, match="num_players"):
        Game(players)


@pytest.mark.rule("R2.6")
def test_seat_order_goes_clockwise_from_the_holder_of_supremacy():
    game = scenario(4, supremacy=2)
    seats = [game.seat, *(play(game, "take:servant").seat for _ in range(3))]
    assert seats == [2, 3, 0, 1]


def drawn_sides(seed):
    """The sides that a seed gives."""
    return tuple(Game(seed=seed, sides="random").to_position()["options"]["sides"])

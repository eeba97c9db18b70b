"""R13: what a player knows."""

import pytest

from hemlock_env import Game
from tests.support.scenario import (
    finish,
    hand,
    known,
    legal,
    loot_hand,
    play,
    play_at_random,
    scenario,
    side,
)

LOOT = ["taxers_hold", "regents_baton", "crypt_lantern", "smugglers_key"]
SEEDS = range(30)
SEATS = [0, 1]


def shown(seat, players=2, *, after=(), **position):
    """All that a seat is shown of a position, after some actions."""
    return play(scenario(players, **position), *after).observe(seat).tobytes()


def redeals(game, seat):
    """What is hidden from a seat drawn anew, many times."""
    return [game.redeal(seat, seed) for seed in SEEDS]


# ---- R13.1: two positions differ in one open thing, and seat 1 is shown it (`engine.fields`) ----

OPEN = {
    "supply": ({}, {"hands": ["ghoul"]}),
    "item_supply": ({}, {"items": ["potion"]}),
    "discard": ({}, {"supply": {"ghoul": 5}}),
    "minions": ({"board": {"spires": ["ghoul"]}}, {"board": {"courtyard": ["ghoul"]}}),
    "items": ({"items": ["potion"]}, {"items": ["trinket"]}),
    "spent": ({"spent": ["potion"]}, {"spent": ["trinket"]}),
    "space_owner": ({"spaces": {"spires": "0../..."}}, {"spaces": {"spires": ".0./..."}}),
    "space_empty": ({"spaces": {"spires": "0../..."}}, {"spaces": {"spires": ".0./..."}}),
    "stock": ({}, {"spaces": {"spires": "0../..."}}),
    "support": ({}, {"support": [1]}),
    "hand_size": ({}, {"hands": ["ghoul"]}),
    "in_row": ({"phase": "loot", "row": LOOT}, {"phase": "loot", "row": [*LOOT, "servants_bell"]}),
    "used": ({"used": LOOT}, {"used": [*LOOT[:3], "servants_bell"]}),
    "nights": (
        {"night": 2, "nights": ["spires_1", "boneyard_1"]},
        {"night": 2, "nights": ["boneyard_1", "spires_1"]},
    ),
    "nights_to_come": ({"nights": ["spires_1"]}, {"nights": ["spires_2"]}),
    "nights_resolved": (
        {"week": 2, "night": 4, "nights": ["spires_1"]},
        {"week": 2, "night": 4, "nights": ["spires_2"]},
    ),
    "side": ({"sides": "basic"}, {"sides": "advanced"}),
    "second_week": ({"week": 1}, {"week": 2}),
    "night": ({"night": 1}, {"night": 2}),
    "phase": ({"phase": "loot"}, {"phase": "special"}),
    "turn": ({"turn": 0}, {"turn": 1}),
    "supremacy": ({"supremacy": 0}, {"supremacy": 1}),
    "active": ({"turn": 0}, {"turn": 1}),
    "decider": ({"turn": 0}, {"turn": 1}),
    "decision": ({"phase": "loot"}, {"phase": "special"}),
}


@pytest.mark.rule("R13.1")
@pytest.mark.parametrize("field", OPEN)
def test_all_see(field):
    games = [scenario(**position) for position in OPEN[field]]
    one, other = (game.spec.layout.part(game.observe(1), field).tobytes() for game in games)
    assert one != other


@pytest.mark.rule("R13.1")
def test_all_see_the_kind_of_the_decision():
    game = scenario(3, items=["potion"], board={"spires": ["", "ghoul ghoul", "ghoul"]})
    play(game, "item:potion")
    before = game.observe(2).tobytes()
    assert play(game, "seat:1").observe(2).tobytes() != before


@pytest.mark.rule("R13.1")
def test_all_see_which_minion_is_gained():
    one = shown(2, 3, after=["take:ghoul"], hands=["", "masque", ""])
    other = shown(2, 3, after=["take:shadow"], hands=["", "masque", ""])
    assert one != other


@pytest.mark.rule("R13.1")
def test_all_see_where_a_minion_is_placed():
    one = shown(1, after=["play:ghoul:spires"], hands=["ghoul"])
    other = shown(1, after=["play:ghoul:courtyard"], hands=["ghoul"])
    assert one != other


# ---- R13.2: two positions differ in one hidden thing, and the seat can't tell ----


@pytest.mark.rule("R13.2")
@pytest.mark.parametrize("seat", [0, 1])
def test_the_order_of_the_night_deck_is_hidden(seat):
    one = shown(seat, deck=["boneyard_1", "courtyard_2"])
    other = shown(seat, deck=["courtyard_2", "boneyard_1"])
    assert one == other


@pytest.mark.rule("R13.2")
@pytest.mark.parametrize("seat", [0, 1])
def test_the_loot_to_come_is_hidden(seat):
    assert shown(seat, seed=1) == shown(seat, seed=2)


@pytest.mark.rule("R13.2")
def test_other_players_hands_are_hidden():
    one = shown(0, 3, hands=["masque", "ghoul ghoul", "shadow courtesan"])
    other = shown(0, 3, hands=["masque", "ghoul shadow", "ghoul courtesan"])
    assert one == other


@pytest.mark.rule("R13.2")
def test_the_own_hand_is_not_hidden():
    one = shown(1, 3, hands=["masque", "ghoul ghoul", "shadow courtesan"])
    other = shown(1, 3, hands=["masque", "ghoul shadow", "ghoul courtesan"])
    assert one != other


@pytest.mark.rule("R13.2")
def test_other_players_agendas_are_hidden():
    one = shown(1, agendas=["patron_of_the_spires", "voice_of_the_alleys"])
    other = shown(1, agendas=["host_of_the_courtyard", "voice_of_the_alleys"])
    assert one == other


@pytest.mark.rule("R13.2")
def test_other_players_loot_hands_are_hidden():
    own = ["taxers_hold", "crypt_lantern", "servants_bell"]
    one = shown(0, phase="loot", loot_hands=[own, ["regents_baton"]])
    other = shown(0, phase="loot", loot_hands=[own, ["carnival_visage", "smugglers_key"]])
    assert one == other


@pytest.mark.rule("R13.2")
def test_the_own_loot_hand_is_not_hidden():
    one = shown(1, phase="loot", loot_hands=[["taxers_hold"], ["regents_baton"]])
    other = shown(1, phase="loot", loot_hands=[["taxers_hold"], ["carnival_visage"]])
    assert one != other


@pytest.mark.rule("R13.2")
def test_after_the_end_nothing_is_hidden():
    game = finish(Game(3, agendas=True, seed=5))
    assert game.redeal(0, seed=1).to_position() == game.to_position()


# ---- R13.3 ----


@pytest.mark.rule("R13.3")
def test_all_other_hands_together_are_shown():
    game = scenario(3, hands=["masque", "ghoul leader_spires", "shadow ghoul"])
    others = game.spec.layout.part(game.observe(0), "others_hands")
    assert others.tolist() == [0, 2, 0, 1, 0, 0, 1, 0, 0, 0]  # in the order of R1.1


@pytest.mark.rule("R13.3")
def test_with_two_players_the_rivals_hand_is_known():
    game = scenario(hands=["masque ghoul", "shadow shadow courtesan servant"])
    hands = {tuple(hand(other, 1).items()) for other in redeals(game, 0)}
    assert hands == {(("courtesan", 1), ("shadow", 2), ("servant", 1))}


@pytest.mark.rule("R13.3")
def test_with_two_players_a_rivals_hand_makes_a_difference():
    one = shown(0, hands=["masque", "ghoul shadow"], supply={"courtesan": 8, "ghoul": 7})
    other = shown(0, hands=["masque", "ghoul courtesan"], supply={"shadow": 8, "ghoul": 7})
    assert one != other


@pytest.mark.rule("R13.3")
def test_with_two_players_only_shuffles_are_hidden():
    game = play_at_random(Game(seed=4), 12)
    other = game.redeal(0, seed=1).to_position()
    assert {**other, "night_deck": [], "rng": {}} == {
        **game.to_position(),
        "night_deck": [],
        "rng": {},
    }


@pytest.mark.rule("R13.3")
def test_with_three_players_the_other_hands_are_redealt_and_keep_their_sizes():
    game = scenario(3, hands=["masque", "ghoul ghoul", "shadow courtesan courtesan"])
    sizes = {
        tuple(sum(hand(other, seat).values()) for seat in range(3)) for other in redeals(game, 0)
    }
    different = {tuple(hand(other, 1).items()) for other in redeals(game, 0)}
    assert (sizes, len(different) > 1) == ({(1, 2, 3)}, True)


# ---- R13.4 ----


@pytest.mark.rule("R13.4")
def test_nothing_is_known_of_the_cards_dealt_at_the_start():
    game = Game(3, seed=1)
    assert [known(game, seat) for seat in range(3)] == [{}, {}, {}]


@pytest.mark.rule("R13.4")
def test_gaining_a_minion_makes_one_known():
    game = play(scenario(hands=["ghoul"]), "take:ghoul")
    assert (hand(game, 0), known(game, 0)) == ({"ghoul": 2}, {"ghoul": 1})


@pytest.mark.rule("R13.4")
def test_gaining_a_servant_instead_makes_a_servant_known():
    game = scenario(
        phase="loot", sides="advanced", row=["philosophers_still"], supply={"masque": 0}
    )
    play(game, "loot:philosophers_still", "district:courtyard")
    assert known(game, 0) == {"servant": 1}


@pytest.mark.rule("R13.4")
def test_playing_a_minion_makes_one_less_known():
    game = scenario(hands=["ghoul ghoul shadow"], known=["ghoul ghoul"])
    play(game, "play:ghoul:spires")
    assert known(game, 0) == {"ghoul": 1}


@pytest.mark.rule("R13.4")
def test_playing_a_minion_that_was_not_known_goes_not_below_nothing():
    game = scenario(hands=["ghoul shadow"], known=["shadow"])
    play(game, "play:ghoul:spires")
    assert known(game, 0) == {"shadow": 1}


@pytest.mark.rule("R13.4")
def test_discarding_a_minion_makes_one_less_known():
    game = scenario(
        phase="loot",
        row=["carnival_visage"],
        hands=["", "ghoul masque masque"],
        known=["", "ghoul masque"],
    )
    play(game, "loot:carnival_visage", "district:spires", "discard:masque")
    assert known(game, 1) == {"ghoul": 1}


@pytest.mark.rule("R13.4")
def test_a_minion_taken_back_from_the_board_is_known():
    game = scenario(phase="loot", sides="advanced", row=["philosophers_still"])
    play(game, "loot:philosophers_still", "district:alley_maze")
    assert known(game, 0) == {"alchemist": 1}


@pytest.mark.rule("R13.4")
@pytest.mark.parametrize("seat", [0, 1])
def test_what_is_known_is_shown_with_two_players_too(seat):
    assert shown(seat, hands=["ghoul"]) != shown(seat, hands=["ghoul"], known=["ghoul"])


@pytest.mark.rule("R13.4")
def test_what_is_known_of_a_hand_is_never_redealt():
    game = scenario(
        3, hands=["", "ghoul masque", "shadow courtesan"], known=["", "masque", "shadow"]
    )
    kept = {(hand(g, 1).get("masque"), hand(g, 2).get("shadow")) for g in redeals(game, 0)}
    assert kept == {(1, 1)}


@pytest.mark.rule("R13.4")
def test_the_rest_of_a_hand_is_open_to_doubt():
    game = scenario(
        3, hands=["", "ghoul masque", "shadow courtesan"], known=["", "masque", "shadow"]
    )
    hands = {tuple(hand(other, 1)) for other in redeals(game, 0)}
    assert hands == {("ghoul", "masque"), ("courtesan", "masque")}


# ---- R13.5 ----


@pytest.mark.rule("R13.5")
def test_no_one_can_hold_a_loot_card_that_was_used():
    game = scenario(phase="loot", turn=1, used=["taxers_hold"], loot_hands=[])
    assert not any("taxers_hold" in loot_hand(other, 0) for other in redeals(game, 1))


@pytest.mark.rule("R13.5")
def test_any_other_loot_card_can_be_in_a_rivals_hand():
    own = ["regents_baton", "crypt_lantern", "servants_bell"]
    game = scenario(phase="loot", turn=1, used=["taxers_hold"], loot_hands=[[], own])
    held = {card for other in redeals(game, 1) for card in loot_hand(other, 0)}
    assert held == {
        "gravediggers_spade",
        "philosophers_still",
        "binding_philtre",
        "cutpurses_glove",
        "smugglers_key",
        "carnival_visage",
    }


@pytest.mark.rule("R13.5")
def test_everyone_sees_which_hidden_loot_was_used():
    own = ["regents_baton", "crypt_lantern", "servants_bell"]
    one = shown(1, phase="loot", turn=1, used=["taxers_hold"], loot_hands=[[], own])
    other = shown(1, phase="loot", turn=1, used=["carnival_visage"], loot_hands=[[], own])
    assert one != other


# ---- R13.6 ----


@pytest.mark.rule("R13.6")
@pytest.mark.parametrize("decisions", [0, 11, 60, 101])
@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 2},
        {"num_players": 3, "loot": "hand", "agendas": True, "items_as_loot": True},
        {"num_players": 4, "agendas": True, "sides": "random"},
    ],
    ids=["two", "three", "four"],
)
def test_a_redeal_leaves_what_the_player_is_shown(options, decisions):
    game = play_at_random(Game(**options, seed=decisions), decisions)
    views = [{g.observe(seat).tobytes() for g in [game, *redeals(game, seat)]} for seat in SEATS]
    assert [len(same) for same in views] == [1, 1]


@pytest.mark.rule("R13.6")
def test_a_redeal_draws_the_hidden_things_anew():
    game = Game(3, loot="hand", agendas=True, seed=1)
    drawn = [other.to_position() for other in redeals(game, 0)]
    different = [
        {str(position["night_deck"]) for position in drawn},
        {str(position["players"][1]["hand"]) for position in drawn},
        {str(position["players"][1]["agenda"]) for position in drawn},
        {str(position["players"][1]["loot_hand"]) for position in drawn},
    ]
    assert min(len(values) for values in different) > 1


@pytest.mark.rule("R13.6")
def test_a_redeal_keeps_what_the_player_holds():
    game = Game(3, loot="hand", agendas=True, seed=1)
    own = {str(other.to_position()["players"][0]) for other in [game, *redeals(game, 0)]}
    assert len(own) == 1


@pytest.mark.rule("R13.6")
def test_a_redeal_leaves_the_original_as_it_was():
    game = Game(3, loot="hand", agendas=True, seed=1)
    before = game.to_position()
    game.redeal(0, seed=1)
    assert game.to_position() == before


@pytest.mark.rule("R13.6")
def test_whoever_decides_still_has_a_choice_after_a_redeal():
    # Seat 1 chooses between ghoul and shadow; two masques of seat 2 would leave it none.
    game = scenario(
        3, phase="loot", row=["carnival_visage"], hands=["", "ghoul shadow", "masque masque"]
    )
    play(game, "loot:carnival_visage", "district:spires")
    assert min(len(legal(other)) for other in redeals(game, 0)) == 2


@pytest.mark.rule("R13.6")
def test_the_hand_of_whoever_decides_is_redealt_too():
    game = scenario(
        3, phase="loot", row=["carnival_visage"], hands=["", "ghoul shadow", "masque masque"]
    )
    play(game, "loot:carnival_visage", "district:spires")
    assert len({tuple(legal(other)) for other in redeals(game, 0)}) == 3


@pytest.mark.rule("R13.6")
def test_a_redeal_keeps_all_that_is_open():
    game = scenario(
        3,
        hands=["", "ghoul shadow", "masque"],
        board={"spires": ["ghoul", "masque"]},
        items=["potion"],
        discard="ghoul",
    )
    boards = {str(side(other, "spires", 1)) for other in redeals(game, 2)}
    assert boards == {"{'masque': 1}"}

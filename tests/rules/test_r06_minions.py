"""R6: minions."""

import pytest

from tests.support.scenario import (
    asked,
    claimed,
    discarded,
    hand,
    items,
    legal,
    play,
    scenario,
    side,
    supply,
    week_end,
)

LAIRS = [
    ("ghoul", "boneyard"),
    ("alchemist", "spires"),
    ("shadow", "alley_maze"),
    ("courtesan", "courtyard"),
]
DISTRICTS = ["spires", "boneyard", "alley_maze", "courtyard"]
LEADERS = ["leader_spires", "leader_boneyard", "leader_alley_maze", "leader_courtyard"]


# Both sides claim if and only if their values are equal (R9.2).


@pytest.mark.rule("R6.1")
@pytest.mark.parametrize(("kind", "lair"), LAIRS)
def test_a_generic_minion_counts_two_in_its_lair(kind, lair):
    assert claimed(lair, kind, "servant servant") == [1, 1]


@pytest.mark.rule("R6.1")
@pytest.mark.parametrize(
    ("kind", "district"),
    [(kind, name) for kind, lair in LAIRS for name in DISTRICTS if name != lair],
)
def test_a_generic_minion_counts_one_elsewhere(kind, district):
    assert claimed(district, kind, "servant") == [1, 1]


@pytest.mark.rule("R6.1")
def test_several_minions_add_up():
    assert claimed("boneyard", "ghoul ghoul shadow", {"servant": 5}) == [1, 1]


@pytest.mark.rule("R6.2")
@pytest.mark.parametrize("district", DISTRICTS)
def test_a_masque_counts_two_everywhere(district):
    assert claimed(district, "masque", "servant servant") == [1, 1]


@pytest.mark.rule("R6.2")
def test_a_masque_triggers_no_scheme():
    game = scenario(phase="loot", row=["carnival_visage"])
    play(game, "loot:carnival_visage", "district:boneyard")
    assert (asked(game), items(game, 0)) == ((1, "use_loot"), {})


@pytest.mark.rule("R6.2")
def test_a_masque_triggers_nothing_even_where_it_is_a_symbol(changed_cards):
    cards = changed_cards(symbols={"spires": ["masque"]})
    game = scenario(phase="loot", row=["carnival_visage"], card_set=cards)
    play(game, "loot:carnival_visage", "district:spires")
    assert items(game, 0) == {}


@pytest.mark.rule("R6.3")
@pytest.mark.parametrize("district", DISTRICTS)
def test_a_servant_counts_one_everywhere(district):
    assert claimed(district, "servant servant", "masque") == [1, 1]


@pytest.mark.rule("R6.3")
@pytest.mark.parametrize(
    ("district", "item"),
    [("spires", "trinket"), ("boneyard", "potion"), ("alley_maze", "scepter")],
)
def test_a_servant_triggers_every_scheme(district, item):
    game = scenario(phase="loot", row=["servants_bell"])
    play(game, "loot:servants_bell", f"district:{district}")
    assert items(game, 0) == {item: 1}


@pytest.mark.rule("R6.3")
def test_a_servant_triggers_the_scheme_of_the_courtyard():
    game = scenario(phase="loot", row=["servants_bell"])
    play(game, "loot:servants_bell", "district:courtyard")
    assert asked(game) == (0, "gain_minion")


@pytest.mark.rule("R6.3")
def test_a_servant_played_from_hand_triggers_too():
    game = scenario(phase="loot", row=["servants_bell"], hands=["servant"])
    play(game, "loot:servants_bell", "district:spires", "play:servant:boneyard")
    assert items(game, 0) == {"potion": 1, "trinket": 1}


@pytest.mark.rule("R6.4")
@pytest.mark.parametrize("district", DISTRICTS)
def test_a_leader_counts_three(district):
    # Both claim; the leader's own marker (R9.3) is the second one.
    assert claimed(district, f"leader_{district}", "servant servant servant") == [2, 1]


@pytest.mark.rule("R6.4")
def test_a_leader_counts_no_more_than_three():
    assert claimed("spires", "leader_spires", {"servant": 4}) == [1, 1]


@pytest.mark.rule("R6.4")
@pytest.mark.parametrize("district", DISTRICTS)
def test_a_leader_is_placed_only_in_its_own_lair(district):
    game = scenario(hands=[f"leader_{district}"])
    plays = [name for name in legal(game) if name.startswith("play:")]
    assert plays == [f"play:leader_{district}:{district}"]


@pytest.mark.rule("R6.4")
def test_no_second_leader_comes_to_a_side():
    game = scenario(hands=["leader_spires"], board={"spires": ["leader_spires"]})
    assert "play:leader_spires:spires" not in legal(game)


@pytest.mark.rule("R6.4")
def test_a_rivals_leader_does_not_keep_the_own_one_out():
    game = scenario(hands=["leader_spires"], board={"spires": ["", "leader_spires"]})
    play(game, "play:leader_spires:spires")
    assert side(game, "spires", 0) == {"leader_spires": 1}


@pytest.mark.rule("R6.4")
def test_a_leader_triggers_nothing_even_where_it_is_a_symbol(changed_cards):
    cards = changed_cards(symbols={"boneyard": ["leader_boneyard"]})
    game = scenario(
        phase="loot", row=["servants_bell"], hands=["leader_boneyard ghoul"], card_set=cards
    )
    play(game, "loot:servants_bell", "district:spires", "play:leader_boneyard:boneyard")
    assert items(game, 0) == {"trinket": 1}  # the servant's at the spires


@pytest.mark.rule("R6.5")
def test_a_discarded_minion_does_not_go_to_the_supply():
    game = scenario(items=["potion"], board={"spires": ["", "masque"]})
    play(game, "item:potion")
    assert (discarded(game), supply(game)["masque"]) == ({"masque": 1}, 3)


@pytest.mark.rule("R6.5")
def test_a_discarded_minion_can_not_be_gained_this_week():
    game = scenario(discard={"masque": 4})
    assert "take:masque" not in legal(game)


@pytest.mark.rule("R6.5")
def test_a_minion_discarded_from_a_hand_lies_with_the_others():
    game = scenario(phase="loot", row=["carnival_visage"], hands=["", "ghoul"], discard="shadow")
    play(game, "loot:carnival_visage", "district:spires")
    assert (discarded(game), hand(game, 1)) == ({"ghoul": 1, "shadow": 1}, {})


@pytest.mark.rule("R6.5")
def test_everyone_sees_what_is_discarded_from_a_hand():
    game = scenario(
        3, phase="loot", row=["carnival_visage"], hands=["ghoul", "ghoul shadow", "masque"]
    )
    play(game, "loot:carnival_visage", "district:spires")
    one = play(game.copy(), "discard:ghoul").observe(0).tobytes()
    other = play(game.copy(), "discard:shadow").observe(0).tobytes()
    assert one != other


@pytest.mark.rule("R6.6")
def test_gaining_an_exhausted_kind_gains_a_servant():
    game = scenario(
        phase="loot", sides="advanced", row=["philosophers_still"], supply={"masque": 0}
    )
    play(game, "loot:philosophers_still", "district:courtyard")
    assert hand(game, 0) == {"servant": 1}


@pytest.mark.rule("R6.6")
def test_with_no_servant_left_nothing_is_gained():
    game = scenario(
        phase="loot",
        sides="advanced",
        row=["philosophers_still"],
        supply={"masque": 0, "servant": 0},
    )
    play(game, "loot:philosophers_still", "district:courtyard")
    assert (hand(game, 0), asked(game)) == ({}, (1, "use_loot"))


@pytest.mark.rule("R6.6")
def test_with_no_leader_left_a_servant_is_gained():
    game = scenario(phase="loot", row=["crypt_lantern"], supply=dict.fromkeys(LEADERS, 0))
    play(game, "loot:crypt_lantern", "district:spires")
    assert hand(game, 0) == {"servant": 1}


@pytest.mark.rule("R6.6")
def test_with_neither_leader_nor_servant_left_nothing_is_gained():
    game = scenario(
        phase="loot", row=["crypt_lantern"], supply={**dict.fromkeys(LEADERS, 0), "servant": 0}
    )
    play(game, "loot:crypt_lantern", "district:spires")
    assert (hand(game, 0), asked(game)) == ({}, (1, "use_loot"))


@pytest.mark.rule("R6.7")
def test_a_minion_among_the_symbols_triggers():
    game = scenario(phase="loot", row=["regents_baton"])
    play(game, "loot:regents_baton", "district:spires")
    assert items(game, 0) == {"scepter": 1, "trinket": 1}


@pytest.mark.rule("R6.7")
def test_a_minion_that_is_no_symbol_triggers_nothing():
    game = scenario(phase="loot", row=["regents_baton"])
    play(game, "loot:regents_baton", "district:boneyard")
    assert items(game, 0) == {"scepter": 1}


@pytest.mark.rule("R6.7")
def test_a_minion_played_from_hand_in_the_loot_phase_triggers():
    game = scenario(phase="loot", row=["servants_bell"], hands=["ghoul"])
    play(game, "loot:servants_bell", "district:spires", "play:ghoul:alley_maze")
    assert items(game, 0) == {"scepter": 1, "trinket": 1}


@pytest.mark.rule("R6.7")
def test_moving_a_minion_triggers_nothing():
    game = scenario(phase="loot", row=["smugglers_key"], board={"boneyard": ["courtesan"]})
    play(game, "loot:smugglers_key", "district:boneyard")
    play(game, "own:boneyard:courtesan", "district:spires")
    assert (items(game, 0), asked(game)) == ({}, (1, "use_loot"))


@pytest.mark.rule("R6.7")
def test_a_special_action_triggers_nothing():
    game = scenario(hands=["courtesan"])
    play(game, "play:courtesan:spires")
    assert (side(game, "spires", 0), items(game, 0)) == ({"courtesan": 1}, {})


@pytest.mark.rule("R6.7")
def test_an_item_used_as_a_special_action_triggers_nothing(changed_cards):
    cards = changed_cards(effects={"potion": ("play_minion any",)})
    game = scenario(items=["potion"], hands=["courtesan"], card_set=cards)
    play(game, "item:potion", "play:courtesan:spires")
    assert (side(game, "spires", 0), items(game, 0)) == ({"courtesan": 1}, {})


@pytest.mark.rule("R6.7")
def test_an_item_used_as_loot_can_trigger(changed_cards):
    cards = changed_cards(effects={"potion": ("play_minion any",)})
    game = scenario(
        phase="loot", items_as_loot=True, items=["potion"], hands=["courtesan"], card_set=cards
    )
    play(game, "item:potion", "play:courtesan:spires")
    assert items(game, 0) == {"trinket": 1}


@pytest.mark.rule("R6.7")
def test_the_weeks_end_triggers_nothing():
    game = week_end(board={"boneyard": ["ghoul", ""]}, nights=["boneyard_1"])
    play(game, "space:boneyard:0,0")
    assert (items(game, 0), items(game, 1)) == ({}, {})

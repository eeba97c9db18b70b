"""R12: what the cards of the default set do in play; `tests/cards` has what is printed on them."""

import pytest

from hemlock_env import Game
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
    spaces,
    spent,
    supports,
)


def use(loot, district, *, sides="basic", **rest):
    """Seat 0 has used a loot card at a district, up to the next question."""
    game = scenario(phase="loot", row=[loot], sides=sides, **rest)
    return play(game, f"loot:{loot}", f"district:{district}")


def over(**rest):
    """A finished game."""
    return scenario(week=2, night=4, phase="over", **rest)


# ---- R12.1: districts ----


@pytest.mark.rule("R12.1")
@pytest.mark.parametrize(
    ("district", "basic", "advanced"),
    [
        ("spires", ".../...", ". ./.../ ."),
        ("boneyard", ".../. ./...", "../ ../. ."),
        ("alley_maze", ".../. ./...", "..././.."),
        ("courtyard", ".../...", ".../. ./..."),
    ],
)
def test_the_spaces_of_both_sides(district, basic, advanced):
    sides = [spaces(Game(sides=word, seed=1), district) for word in ("basic", "advanced")]
    assert sides == [basic, advanced]


@pytest.mark.rule("R12.1")
def test_a_courtesan_gains_a_trinket_at_the_spires():
    game = use("regents_baton", "spires")
    assert items(game, 0) == {"scepter": 1, "trinket": 1}


@pytest.mark.rule("R12.1")
def test_an_alchemist_gains_a_potion_at_the_boneyard():
    game = play(use("binding_philtre", "boneyard"), "take:ghoul")
    assert items(game, 0) == {"potion": 1}


@pytest.mark.rule("R12.1")
def test_a_ghoul_gains_a_scepter_at_the_alley_maze():
    assert items(use("gravediggers_spade", "alley_maze"), 0) == {"scepter": 1}


@pytest.mark.rule("R12.1")
def test_a_shadow_gains_a_generic_minion_at_the_courtyard():
    game = play(use("cutpurses_glove", "courtyard"), "take:alchemist")
    assert hand(game, 0) == {"alchemist": 1}


@pytest.mark.rule("R12.1")
@pytest.mark.parametrize("loot", ["gravediggers_spade", "cutpurses_glove"])
def test_a_ghoul_or_shadow_places_a_marker_anywhere_at_the_advanced_spires(loot):
    game = use(loot, "spires", sides="advanced")
    assert (asked(game), legal(game)[0], legal(game)[-1]) == (
        (0, "place_marker"),
        "space:spires:0,0",
        "space:courtyard:2,2",
    )


@pytest.mark.rule("R12.1")
def test_a_courtesan_discards_a_rival_at_the_advanced_boneyard():
    game = use(
        "regents_baton",
        "boneyard",
        sides="advanced",
        board={"boneyard": ["", "ghoul"], "spires": ["", "shadow"]},
    )
    assert discarded(game) == {"ghoul": 1}


@pytest.mark.rule("R12.1")
def test_an_alchemist_returns_a_minion_at_the_advanced_alley_maze():
    game = use("philosophers_still", "alley_maze", sides="advanced")  # the alchemist itself
    assert (hand(game, 0), side(game, "alley_maze", 0)) == ({"alchemist": 1}, {})


@pytest.mark.rule("R12.1")
@pytest.mark.parametrize("loot", ["gravediggers_spade", "philosophers_still"])
def test_a_ghoul_or_alchemist_gains_a_masque_at_the_advanced_courtyard(loot):
    assert hand(use(loot, "courtyard", sides="advanced"), 0) == {"masque": 1}


@pytest.mark.rule("R12.1")
@pytest.mark.parametrize("district", ["boneyard", "alley_maze", "courtyard"])
def test_courtesans_trigger_nothing_elsewhere(district):
    game = use("regents_baton", district)
    assert (items(game, 0), asked(game)) == ({"scepter": 1}, (1, "use_loot"))


@pytest.mark.rule("R12.1")
@pytest.mark.parametrize("district", ["spires", "boneyard", "courtyard"])
def test_ghouls_trigger_nothing_elsewhere(district):
    game = use("gravediggers_spade", district)
    assert (items(game, 0), asked(game)) == ({}, (1, "use_loot"))


@pytest.mark.rule("R12.1")
@pytest.mark.parametrize("district", ["spires", "alley_maze", "courtyard"])
def test_alchemists_trigger_nothing_elsewhere(district):
    game = use("philosophers_still", district)
    assert (items(game, 0), asked(game)) == ({"potion": 1}, (1, "use_loot"))


@pytest.mark.rule("R12.1")
@pytest.mark.parametrize("district", ["spires", "boneyard", "alley_maze"])
def test_shadows_trigger_nothing_elsewhere(district):
    game = use("cutpurses_glove", district)
    assert (items(game, 0), asked(game)) == ({"trinket": 1}, (1, "use_loot"))


@pytest.mark.rule("R12.1")
@pytest.mark.parametrize("loot", ["regents_baton", "philosophers_still"])
def test_other_kinds_place_no_marker_at_the_advanced_spires(loot):
    assert asked(use(loot, "spires", sides="advanced")) == (1, "use_loot")


@pytest.mark.rule("R12.1")
@pytest.mark.parametrize("loot", ["philosophers_still", "cutpurses_glove"])
def test_other_kinds_discard_no_rival_at_the_advanced_boneyard(loot):
    game = use(loot, "boneyard", sides="advanced", board={"boneyard": ["", "masque"]})
    assert (discarded(game), asked(game)) == ({}, (1, "use_loot"))


@pytest.mark.rule("R12.1")
def test_a_ghoul_discards_no_rival_at_the_advanced_boneyard():
    game = use("crypt_lantern", "boneyard", sides="advanced", board={"boneyard": ["", "masque"]})
    play(game, "take:leader_spires")
    assert (discarded(game), asked(game)) == ({}, (1, "use_loot"))


@pytest.mark.rule("R12.1")
@pytest.mark.parametrize("loot", ["regents_baton", "gravediggers_spade", "cutpurses_glove"])
def test_other_kinds_return_no_minion_at_the_advanced_alley_maze(loot):
    game = use(loot, "alley_maze", sides="advanced")
    assert (hand(game, 0), asked(game)) == ({}, (1, "use_loot"))


@pytest.mark.rule("R12.1")
@pytest.mark.parametrize("loot", ["regents_baton", "cutpurses_glove"])
def test_other_kinds_gain_no_masque_at_the_advanced_courtyard(loot):
    game = use(loot, "courtyard", sides="advanced")
    assert (hand(game, 0), asked(game)) == ({}, (1, "use_loot"))


# ---- R12.2: nights ----


@pytest.mark.rule("R12.2")
@pytest.mark.parametrize("value", [1, 2])
@pytest.mark.parametrize("district", ["spires", "boneyard", "alley_maze", "courtyard"])
def test_each_district_has_a_night_of_either_value(district, value):
    assert claimed(district, "ghoul", "", value=value) == [value, 0]


@pytest.mark.rule("R12.2")
def test_the_night_cards():
    position = Game(seed=1).to_position()
    assert {*position["nights"], *position["night_deck"]} == {
        "spires_1",
        "spires_2",
        "boneyard_1",
        "boneyard_2",
        "alley_maze_1",
        "alley_maze_2",
        "courtyard_1",
        "courtyard_2",
    }


# ---- R12.3: loot ----


@pytest.mark.rule("R12.3")
def test_taxers_hold():
    game = play(use("taxers_hold", "alley_maze"), "space:alley_maze:2,2")
    assert (side(game, "alley_maze", 0), spaces(game, "alley_maze")) == (
        {"courtesan": 1},
        ".../. ./..0",
    )


@pytest.mark.rule("R12.3")
def test_regents_baton():
    game = use("regents_baton", "alley_maze")
    assert (side(game, "alley_maze", 0), items(game, 0)) == ({"courtesan": 1}, {"scepter": 1})


@pytest.mark.rule("R12.3")
def test_gravediggers_spade():
    board = {"spires": ["", "masque"], "courtyard": ["", "masque"]}
    game = use("gravediggers_spade", "spires", board=board)
    assert (side(game, "spires", 0), side(game, "spires", 1), side(game, "courtyard", 1)) == (
        {"ghoul": 1},
        {},
        {"masque": 1},
    )


@pytest.mark.rule("R12.3")
def test_crypt_lantern():
    game = play(use("crypt_lantern", "spires"), "take:leader_boneyard")
    assert (side(game, "spires", 0), hand(game, 0)) == ({"ghoul": 1}, {"leader_boneyard": 1})


@pytest.mark.rule("R12.3")
def test_philosophers_still():
    game = use("philosophers_still", "spires")
    assert (side(game, "spires", 0), items(game, 0)) == ({"alchemist": 1}, {"potion": 1})


@pytest.mark.rule("R12.3")
def test_binding_philtre():
    game = play(use("binding_philtre", "spires"), "take:courtesan")
    assert (side(game, "spires", 0), hand(game, 0)) == ({"alchemist": 1}, {"courtesan": 1})


@pytest.mark.rule("R12.3")
def test_cutpurses_glove():
    game = use("cutpurses_glove", "spires")
    assert (side(game, "spires", 0), items(game, 0)) == ({"shadow": 1}, {"trinket": 1})


@pytest.mark.rule("R12.3")
def test_smugglers_key():
    game = use("smugglers_key", "spires", board={"boneyard": ["masque"]})
    play(game, "own:boneyard:masque", "district:spires")
    assert side(game, "spires", 0) == {"shadow": 1, "masque": 1}


@pytest.mark.rule("R12.3")
def test_carnival_visage():
    game = use("carnival_visage", "spires", hands=["", "ghoul"])
    assert (side(game, "spires", 0), hand(game, 1)) == ({"masque": 1}, {})


@pytest.mark.rule("R12.3")
def test_servants_bell():
    game = use("servants_bell", "spires", hands=["ghoul"])
    play(game, "play:ghoul:boneyard")
    assert (side(game, "spires", 0), side(game, "boneyard", 0)) == ({"servant": 1}, {"ghoul": 1})


# ---- R12.4: items ----


@pytest.mark.rule("R12.4")
def test_the_scepter_places_a_leader():
    game = play(scenario(items=["scepter"]), "item:scepter", "play:leader_spires:spires")
    assert (side(game, "spires", 0), spent(game, 0)) == ({"leader_spires": 1}, {"scepter": 1})


@pytest.mark.rule("R12.4")
def test_the_potion_discards_a_rivals_minion_anywhere():
    board = {"spires": ["", "ghoul"], "courtyard": ["", "masque"]}
    game = play(scenario(items=["potion"], board=board), "item:potion", "rival:courtyard:masque")
    assert (discarded(game), side(game, "courtyard", 1)) == ({"masque": 1}, {})


@pytest.mark.rule("R12.4")
def test_the_trinket_places_a_marker_anywhere_and_then_gives_support():
    game = play(scenario(items=["trinket"]), "item:trinket")
    before = supports(game)
    play(game, "space:courtyard:0,0")
    assert (before, supports(game), spaces(game, "courtyard")) == ([0, 0], [1, 0], "0../...")


# ---- R12.5: agendas ----

OTHERS = {
    "patron_of_the_spires": "warden_of_the_boneyard",
    "warden_of_the_boneyard": "voice_of_the_alleys",
    "voice_of_the_alleys": "host_of_the_courtyard",
    "host_of_the_courtyard": "patron_of_the_spires",
}


def agenda_points(agenda, **rest):
    """What an agenda adds to the final score of seat 0; seat 1 has another one."""
    return over(agendas=[agenda, OTHERS[agenda]], **rest).scores()[0] - over(**rest).scores()[0]


@pytest.mark.rule("R12.5")
@pytest.mark.parametrize(
    ("agenda", "most", "tie"),
    [
        ("patron_of_the_spires", {"spires": "001/..."}, {"spires": "0.1/..."}),
        ("warden_of_the_boneyard", {"boneyard": "001/. ./..."}, {"boneyard": "0.1/. ./..."}),
        ("voice_of_the_alleys", {"alley_maze": "001/. ./..."}, {"alley_maze": "0.1/. ./..."}),
        ("host_of_the_courtyard", {"courtyard": "001/..."}, {"courtyard": "0.1/..."}),
    ],
)
def test_strictly_the_most_markers_in_the_district_of_the_agenda(agenda, most, tie):
    assert (agenda_points(agenda, spaces=most), agenda_points(agenda, spaces=tie)) == (2, 0)


@pytest.mark.rule("R12.5")
@pytest.mark.parametrize("agenda", sorted(OTHERS))
def test_nobody_meets_an_agenda_with_nothing(agenda):
    assert agenda_points(agenda) == 0


@pytest.mark.rule("R12.5")
@pytest.mark.parametrize(
    ("held", "points"), [("scepter potion", 0), ("scepter potion potion", 2), ({"trinket": 4}, 2)]
)
def test_the_patron_of_the_spires_wants_three_items(held, points):
    assert agenda_points("patron_of_the_spires", items=[held]) == points


@pytest.mark.rule("R12.5")
@pytest.mark.parametrize(
    ("marked", "points"),
    [
        ({"spires": "00./00."}, 2),
        ({"courtyard": "000/..0"}, 2),
        ({"spires": "00./0.0"}, 0),  # three and one
        ({"spires": "0.0/00."}, 0),  # a diagonal joins nothing
        ({"spires": "00./...", "courtyard": "00./..."}, 0),  # two districts
        ({"spires": "001/010"}, 0),  # three of four
    ],
)
def test_the_warden_of_the_boneyard_wants_four_markers_in_a_group(marked, points):
    assert agenda_points("warden_of_the_boneyard", spaces=marked) == points


@pytest.mark.rule("R12.5")
@pytest.mark.parametrize(
    ("held", "points"),
    [("ghoul ghoul shadow masque", 0), ("ghoul ghoul shadow servant leader_spires", 2)],
)
def test_the_voice_of_the_alleys_wants_five_minions_in_hand(held, points):
    assert agenda_points("voice_of_the_alleys", hands=[held]) == points


@pytest.mark.rule("R12.5")
@pytest.mark.parametrize(("spires", "points"), [("0.0/...", 2), ("0../...", 0)])
def test_the_host_of_the_courtyard_wants_two_markers_in_every_district(spires, points):
    marked = {"boneyard": "0.0/. ./...", "alley_maze": "0.0/. ./...", "courtyard": "0.0/1.1"}
    assert agenda_points("host_of_the_courtyard", spaces={**marked, "spires": spires}) == points


@pytest.mark.rule("R12.5")
def test_both_agendas_of_a_card_can_be_met():
    marked, held = {"spires": "0../..."}, ["scepter potion potion"]
    assert agenda_points("patron_of_the_spires", spaces=marked, items=held) == 4


@pytest.mark.rule("R12.5")
def test_markers_elsewhere_do_not_meet_an_agenda():
    assert agenda_points("patron_of_the_spires", spaces={"courtyard": "0.0/..."}) == 0


@pytest.mark.rule("R12.6")
def test_the_points_of_an_agenda_can_win():
    game = over(
        agendas=["patron_of_the_spires", "voice_of_the_alleys"],
        spaces={"spires": "0../..."},
        support=[0, 2],
    )
    assert (game.scores(), game.winners()) == ([3, 2], [0])


@pytest.mark.rule("R12.6")
def test_a_tie_that_agendas_make_is_broken_by_markers():
    game = over(
        agendas=["patron_of_the_spires", "voice_of_the_alleys"],
        spaces={"spires": "0../..."},
        support=[0, 3],
    )
    assert (game.scores(), game.winners()) == ([3, 3], [0])

"""R14: decisions."""

import json

import numpy as np
import pytest

from hemlock_env import Batch, Game
from tests.support.scenario import asked, legal, play, row, scenario, spaces, week_end

LOOT = [
    "taxers_hold",
    "regents_baton",
    "gravediggers_spade",
    "crypt_lantern",
    "philosophers_still",
    "binding_philtre",
    "cutpurses_glove",
    "smugglers_key",
    "carnival_visage",
    "servants_bell",
]


@pytest.fixture
def forced_marker(changed_cards):
    """A new game in which seat 0 had to put a marker on the only space of the spires."""
    cards = changed_cards(
        abilities=dict.fromkeys(LOOT, ("place_marker here",)),
        symbols={"spires": []},
        spaces={"spires": ["#"]},
    )
    game = Game(card_set=cards, first_player=0, seed=1)
    loot = next(card for card in row(game) if card != "servants_bell")  # it would trigger
    return play(game, f"loot:{loot}", "district:spires")


@pytest.mark.rule("R14.1")
def test_a_choice_with_one_legal_action_is_made_by_the_engine(forced_marker):
    assert (spaces(forced_marker, "spires"), asked(forced_marker)) == ("0", (1, "use_loot"))


@pytest.mark.rule("R14.1")
def test_a_forced_choice_is_part_of_the_record(forced_marker):
    events = forced_marker.record()["events"]
    assert events[-1] == {"seat": 0, "action": "space:spires:0,0", "forced": True}


@pytest.mark.rule("R14.1")
def test_a_players_choice_is_not_marked_as_forced(forced_marker):
    events = forced_marker.record()["events"]
    assert events[-2] == {"seat": 0, "action": "district:spires"}


@pytest.mark.rule("R14.1")
def test_forced_choices_come_between_the_choices_of_the_record(forced_marker):
    play(forced_marker, legal(forced_marker)[0], "district:boneyard", "space:boneyard:0,0")
    actions = [event.get("action", "")[:5] for event in forced_marker.record()["events"]]
    assert actions[-6:] == ["loot:", "distr", "space", "loot:", "distr", "space"]


@pytest.mark.rule("R14.1")
def test_a_record_with_forced_choices_is_plain_json(forced_marker):
    record = forced_marker.record()
    assert json.loads(json.dumps(record)) == record


@pytest.mark.rule("R14.1")
def test_several_forced_choices_follow_each_other():
    # The last of the week's actions; seat 0 fills the two spaces left, one of its choice.
    game = week_end(board={"spires": ["ghoul"]}, spaces={"spires": "01./1.1"}, nights=["spires_2"])
    play(game, "space:spires:0,2")
    assert (spaces(game, "spires"), asked(game)) == ("010/101", (0, "use_loot"))


@pytest.mark.rule("R14.1")
@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 2, "sides": "random"},
        {"num_players": 3, "loot": "hand", "items_as_loot": True, "agendas": True},
        {"num_players": 4, "sides": "random", "items_as_loot": True},
    ],
    ids=["two", "three", "four"],
)
def test_the_engine_stops_only_where_there_is_a_choice(options):
    batch = Batch(2, seed=1, **options)
    counts = set()
    while (batch.legal_count > 0).any():
        counts |= {int(count) for count in np.unique(batch.legal_count)}
        batch.play_random(1)
    assert (1 in counts, 2 in counts) == (False, True)


@pytest.mark.rule("R14.1")
def test_the_game_stops_at_the_choice_between_two():
    game = scenario(
        phase="loot", row=["gravediggers_spade"], board={"spires": ["", "ghoul masque"]}
    )
    play(game, "loot:gravediggers_spade", "district:spires")
    assert len(legal(game)) == 2


@pytest.mark.rule("R14.2")
def test_a_rival_is_asked_in_the_acting_players_turn():
    game = scenario(phase="loot", row=["carnival_visage"], hands=["", "ghoul shadow"])
    play(game, "loot:carnival_visage", "district:spires")
    assert (asked(game), game.to_position()["turn"]) == ((1, "discard_hand"), 0)


@pytest.mark.rule("R14.2")
def test_the_acting_players_turn_goes_on_after_the_rivals_answer(changed_cards):
    cards = changed_cards(abilities={"carnival_visage": ("rivals_discard", "place_marker any")})
    game = scenario(
        phase="loot", row=["carnival_visage"], hands=["", "ghoul shadow"], card_set=cards
    )
    play(game, "loot:carnival_visage", "district:spires", "discard:ghoul")
    assert asked(game) == (0, "place_marker")


@pytest.mark.rule("R14.2")
def test_players_are_asked_at_the_weeks_end_whoever_acted_last():
    game = week_end(players=3, first=0, board={"spires": ["", "", "ghoul"]}, nights=["spires_1"])
    assert asked(game) == (2, "place_marker")


@pytest.mark.rule("R14.2")
def test_only_the_seat_that_is_asked_has_legal_actions():
    game = scenario(phase="loot", row=["carnival_visage"], hands=["", "ghoul shadow"])
    play(game, "loot:carnival_visage", "district:spires")
    assert (game.action_mask(0).sum(), game.action_mask(1).sum()) == (0, 2)

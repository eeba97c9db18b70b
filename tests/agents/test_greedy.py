"""greedy chooses what is best by its own yardstick."""

from random import Random

import numpy as np
import pytest

from hemlock_env import Game
from hemlock_env.agents import Decisions
from hemlock_env.agents.greedy import GreedyBot
from tests.agents.plain_worth import plain_worth
from tests.support.scenario import FULL, play, scenario, week_end

BOT = GreedyBot()


def choices(game: Game, keys: int = 40) -> set[str]:
    """What greedy plays here, over a number of keys."""
    decisions = [Decisions.of(game, np.array([key], np.uint64)) for key in range(keys)]
    return {game.action_name(int(BOT.choose(each)[0])) for each in decisions}


# ---- what an action is worth ----


def test_a_minion_to_hand_is_worth_one() -> None:
    assert BOT.values(scenario())["take:ghoul"] == 1


@pytest.mark.rule("R9.2", "R10.1")
def test_a_minion_that_claims_a_night_card_is_worth_its_markers_less_the_card_played() -> None:
    game = scenario(hands=["ghoul"], nights=["boneyard_2"])
    before = 1  # in hand
    assert BOT.values(game)["play:ghoul:boneyard"] == before - 1 + 2 * 2


def test_it_plays_the_minion_that_claims() -> None:
    assert choices(scenario(hands=["ghoul"], nights=["boneyard_2"])) == {"play:ghoul:boneyard"}


def test_it_takes_a_claim_from_a_rival() -> None:
    game = scenario(
        hands=["masque"], board={"spires": ["ghoul", "ghoul ghoul"]}, nights=["spires_2"]
    )
    # A tie of 3 to 2 is won: four points here, four not there.
    assert choices(game) == {"play:masque:spires"}


@pytest.mark.rule("R9.3")
def test_a_leader_brings_a_marker_of_its_own() -> None:
    game = scenario(
        hands=["leader_spires"], board={"spires": ["", "ghoul ghoul ghoul ghoul"]},
        nights=["spires_1"],
    )  # fmt: skip
    # From 1 (hand) less 1 (the rival's claim) to 1 (the leader's marker) less 1.
    assert BOT.values(game)["play:leader_spires:spires"] == 0


@pytest.mark.rule("R9.0")
def test_supremacy_passes_before_the_night_cards_are_valued() -> None:
    # One space is left and both claim: the seat after the holder takes it, the other gains support.
    game = scenario(
        board={"spires": ["ghoul", "ghoul"]},
        spaces={"spires": "10./101"},
        supremacy=0,
        nights=["spires_1"],
    )
    own = 4 + 1 + 1  # two markers in a row, the minion taken, the support marker
    assert BOT.values(game)["take:ghoul"] == own - (4 + 4)


@pytest.mark.rule("R9.4")
def test_a_claimed_marker_goes_where_it_joins_most() -> None:
    game = scenario(
        board={"courtyard": ["ghoul", ""]},
        spaces={"courtyard": "0.0/..."},
        nights=["courtyard_1"],
    )
    # Between two isolated markers: 3 that count 2 each.
    assert BOT.values(game)["take:ghoul"] == 6 + 1


def test_a_marker_is_placed_beside_an_own_one() -> None:
    game = scenario(spaces={"spires": "0../..."}, items=["trinket"])
    assert choices(play(game, "item:trinket")) == {
        "space:spires:0,1",
        "space:spires:1,0",
    }


def test_an_item_is_worth_what_its_own_choices_then_bring() -> None:
    game = scenario(spaces={"spires": "0../..."}, items=["trinket"])
    # A marker that joins another (1 to 4) and a support marker; the item and its bonus are spent.
    assert BOT.values(game)["item:trinket"] == 4 + 1


def test_pending_choices_are_completed_one_after_another() -> None:
    game = scenario(
        phase="loot", row=["taxers_hold"], nights=["spires_2"], spaces={"spires": "0../..."}
    )
    values = BOT.values(game)
    # The courtesan in spires: a marker beside the other (4), a trinket (1, and 1 for the most), and
    # the claim: two more markers (4).
    assert values["loot:taxers_hold"] == 4 + 2 + 4


@pytest.mark.rule("R7.10")
def test_it_stops_where_a_rival_decides() -> None:
    game = scenario(phase="loot", row=["carnival_visage"], hands=["", "ghoul shadow"])
    values = BOT.values(play(game, "loot:carnival_visage"))
    # The rival still holds two minions when valuing stops.
    assert values["district:boneyard"] == -2


@pytest.mark.rule("R14.1")
def test_it_makes_a_rivals_forced_choice() -> None:
    game = scenario(phase="loot", row=["carnival_visage"], hands=["", "ghoul ghoul"])
    values = BOT.values(play(game, "loot:carnival_visage"))
    assert values["district:boneyard"] == -1


def test_it_does_not_look_past_a_draw() -> None:
    # The last special action of the night; the next night card would count for seat 0.
    board = {name: ["masque", ""] for name in FULL}
    game = scenario(night=2, turn=1, supremacy=1, board=board, nights=["spires_1", "spires_2"])
    assert BOT.values(game, key=1) == BOT.values(game, key=2)


def test_at_the_weeks_end_it_goes_on_through_its_own_claims() -> None:
    game = week_end(
        board={"spires": ["masque", ""]},
        nights=["spires_2", "boneyard_1", "alley_maze_1", "courtyard_1"],
    )
    assert set(BOT.values(game).values()) == {4 + 1}  # the servant taken last is in hand


def test_ties_are_drawn_among_the_best_alone() -> None:
    takes = {"take:courtesan", "take:ghoul", "take:alchemist", "take:shadow"}
    assert choices(scenario()) == takes | {"take:masque", "take:servant"}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_an_action_that_leaves_nothing_pending_is_worth_what_plain_python_says(
    players: int,
) -> None:
    random = Random(players)
    game = Game(players, sides="random", items_as_loot=True, seed=players)
    checked = 0
    while not game.over:
        seat = game.seat
        assert seat is not None
        values = BOT.values(game)
        for action in game.legal_actions():
            after = game.copy()
            after.step(action)
            if _settled(game, after):
                value = plain_worth(after.to_position(), seat, game.card_set)
                assert values[game.action_name(action)] == value
                checked += 1
        game.step(random.choice(game.legal_actions()))
    assert checked > 300


def _settled(before: Game, after: Game) -> bool:
    """Does the action lead, within the night, to the next use of loot or special action?"""
    if after.over or before.state["night"] != after.state["night"]:
        return False
    return after.to_position()["decision"]["kind"] in ("use_loot", "special_action")

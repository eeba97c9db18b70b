"""planner finds the best way to play its whole turn, by what it says a position is worth."""

from random import Random
from typing import Any

import numpy as np
import pytest

from hemlock_env import Game
from hemlock_env.agents import Decisions
from hemlock_env.agents.planner import PlannerBot
from hemlock_env.evaluation import play_match
from hemlock_env.search.heuristics import EXPECTED, HOLD, PARTS, ROUNDS_MAX, evaluate
from tests.support.scenario import FULL, play, scenario, week_end

BOT = PlannerBot()
ELSEWHERE = ["boneyard_1", "boneyard_2", "alley_maze_1", "courtyard_1"]  # night cards, not spires
LAST = {"week": 2, "night": 4, "turn": 1, "supremacy": 1}  # the last special action of a game


def choices(game: Game, bot: PlannerBot = BOT, keys: int = 20) -> set[str]:
    """What the bot plays here, over a number of keys."""
    decisions = [Decisions.of(game, np.array([key], np.uint64)) for key in range(keys)]
    return {game.action_name(int(bot.choose(each)[0])) for each in decisions}


def worth(game: Game, seat: int = 0) -> float:
    """What a position is worth to a seat, in points."""
    value = evaluate(game.arrays.states[0], game.spec.tables[0], seat, EXPECTED)
    return float(value) / PARTS


# ---- what a position is worth ----


@pytest.mark.rule("R9.2", "R10.1")
def test_when_nothing_is_to_come_a_claim_counts_two_for_each_marker() -> None:
    game = scenario(board={"spires": ["masque", ""]}, nights=["spires_2"], **LAST)
    assert BOT.values(game)["take:ghoul"] == 1 + 2 * 2


def test_a_tie_is_claimed_by_both() -> None:
    game = scenario(board={"spires": ["ghoul", "ghoul"]}, nights=["spires_2"], **LAST)
    assert BOT.values(game)["take:ghoul"] == 1


@pytest.mark.rule("R9.4")
def test_a_claim_in_a_full_district_counts_one_for_each_marker() -> None:
    game = scenario(
        board={"spires": ["masque", ""]}, spaces={"spires": FULL["spires"]}, nights=["spires_2"],
        **LAST,
    )  # fmt: skip
    assert BOT.values(game)["take:ghoul"] == 1 + 2


@pytest.mark.rule("R9.3")
def test_a_leader_brings_a_marker_for_each_night_card_of_its_district() -> None:
    game = scenario(
        board={"spires": ["leader_spires", "ghoul ghoul ghoul ghoul"]},
        nights=["spires_1", "spires_2"],
        **LAST,
    )
    assert BOT.values(game)["take:ghoul"] == 1 + 2 * 2 - 2 * 3


def test_the_longer_until_the_claims_the_less_a_lead_is_worth() -> None:
    chances = HOLD[:, HOLD.shape[1] // 2 + 3].tolist()
    assert chances[0] == PARTS
    assert chances == sorted(chances, reverse=True)
    assert chances[ROUNDS_MAX] > PARTS / 2


def test_a_night_card_in_the_deck_counts_by_the_chance_that_it_comes() -> None:
    board = {"spires": ["masque masque masque masque", ""]}
    first, second = (
        worth(scenario(week=week, board=board, nights=["boneyard_2"], deck=["spires_2"]))
        for week in (1, 2)
    )
    # Of a deck of seven three come in the first week; in the second all three that are left come.
    assert 0 < first < second


@pytest.mark.rule("R13.2")
def test_the_order_of_the_night_deck_makes_no_difference() -> None:
    board = {"spires": ["masque masque", ""], "boneyard": ["", "ghoul"]}
    decks = ["spires_1", "boneyard_1", "courtyard_1"], ["courtyard_1", "spires_1", "boneyard_1"]
    told = {worth(scenario(week=2, night=1, board=board, deck=deck)) for deck in decks}
    assert len(told) == 1


@pytest.mark.parametrize("held", [{"items": ["trinket"]}, {"hands": ["leader_spires"]}])
def test_what_can_still_be_used_counts_a_point_more(held: dict[str, Any]) -> None:
    before, after = scenario(seed=1, **held), scenario(seed=1)
    most_items = "items" in held
    assert worth(before) - worth(after) == 1 + 1 + most_items


def test_what_can_not_be_used_any_more_counts_as_it_is() -> None:
    game = scenario(hands=["leader_spires"], nights=ELSEWHERE, **LAST)
    values = BOT.values(game)
    assert values["take:ghoul"] == 2
    assert values["play:leader_spires:spires"] == 0


def test_after_the_claims_of_the_first_week_the_board_counts_for_the_second() -> None:
    # Whoever discards down should keep the minions that count twice.
    game = week_end(board={"spires": ["masque masque ghoul ghoul", ""]}, nights=ELSEWHERE)
    assert choices(game) == {"own:spires:ghoul"}


# ---- the search ----


def test_it_moves_a_minion_to_where_it_claims() -> None:
    game = scenario(
        phase="loot", row=["smugglers_key"], turn=3, supremacy=1, week=2, night=4,
        board={"spires": ["", "masque"], "boneyard": ["alchemist ghoul masque", ""]},
        nights=["spires_2", "boneyard_2"],
    )  # fmt: skip
    play(game, "loot:smugglers_key", "district:alley_maze")
    # In spires an alchemist counts 2; the others stay where they count 2.
    assert choices(game) == {"own:boneyard:alchemist"}
    assert choices(play(game, "own:boneyard:alchemist")) == {"district:spires"}


def best_by_hand(game: Game, seat: int) -> float:
    """The best that a seat can make of its turn, every way to play it tried."""
    if is_settled(game, seat):
        return worth(game, seat)
    values = []
    for action in game.legal_actions():
        after = game.copy()
        after.step(action)
        values.append(best_by_hand(after, seat))
    return max(values)


def is_settled(game: Game, seat: int) -> bool:
    """Is the turn over, or is it another's decision?"""
    kind = game.to_position()["decision"]["kind"]
    return game.seat != seat or kind in ("use_loot", "special_action")


@pytest.mark.parametrize("sides", ["basic", "advanced"])
def test_it_values_an_action_by_the_best_way_to_go_on(sides: str) -> None:
    random, game = Random(3), Game(2, sides=sides, seed=3)
    checked = 0
    while checked < 60:
        seat = game.seat
        assert seat is not None
        if game.to_position()["phase"] == "loot":  # within the night: no draw comes in between
            values = PlannerBot(budget=1_000_000).values(game)
            action = random.choice(game.legal_actions())
            after = game.copy()
            after.step(action)
            assert values[game.action_name(action)] == best_by_hand(after, seat)
            checked += 1
        game.step(random.choice(game.legal_actions()))
        if game.over:
            game = Game(2, sides=sides, seed=checked)


def test_more_budget_never_finds_less() -> None:
    random, game = Random(4), Game(3, sides="random", agendas=True, seed=4)
    for _ in range(100):
        narrow, wide = (PlannerBot(budget).values(game) for budget in (0, 1_000_000))
        assert all(wide[name] >= narrow[name] for name in narrow)
        game.step(random.choice(game.legal_actions()))


def test_it_beats_greedy() -> None:
    assert play_match("planner", "greedy", games=200, seed=1).interval[0] > 0.75

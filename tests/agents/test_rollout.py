"""rollout and the playouts: what a game is worth to each seat, and how it is played on."""

from typing import Any

import pytest

from hemlock_env import Game, make_bot
from hemlock_env.agents.rollout import RolloutBot
from hemlock_env.evaluation import play_match
from tests.support.scenario import scenario

LAST = {"week": 2, "night": 4, "turn": 1, "supremacy": 1}  # the last special action of a game
ELSEWHERE = ["boneyard_1", "boneyard_2", "alley_maze_1", "courtyard_1"]  # night cards, not spires


def shares(game: Game, **options: Any) -> dict[str, float]:
    """What the bot thinks of each action."""
    return RolloutBot(**options).values(game)


# ---- what a game is worth ----


@pytest.mark.rule("R10.6")
def test_a_win_by_one_is_worth_the_win_and_a_little() -> None:
    game = scenario(nights=ELSEWHERE, **LAST)  # nothing is placed: one minion more wins
    assert shares(game, n=1)["take:ghoul"] == pytest.approx(0.8 + 0.2 * (1 + 1 / 30) / 2)


@pytest.mark.rule("R10.6")
def test_a_draw_is_shared() -> None:
    game = scenario(nights=ELSEWHERE, hands=["", "ghoul"], **LAST)
    assert shares(game, n=1)["take:ghoul"] == pytest.approx(0.8 / 2 + 0.2 / 2)


def test_a_lost_game_is_worth_how_close_it_was() -> None:
    game = scenario(nights=ELSEWHERE, support=[0, 16], **LAST)
    assert shares(game, n=1)["take:ghoul"] == pytest.approx(0.2 * (1 - 15 / 30) / 2)


def test_a_lead_beyond_thirty_counts_as_thirty() -> None:
    game = scenario(nights=ELSEWHERE, support=[90], **LAST)
    assert shares(game, n=1)["take:ghoul"] == pytest.approx(1)


def test_playouts_that_stop_value_the_game_as_planner_does() -> None:
    even = scenario(3, night=1, turn=2, supremacy=1)
    ahead = scenario(3, night=1, turn=2, supremacy=1, support=[10])
    for game, least, most in ((even, 0.3, 0.7), (ahead, 0.7, 0.95)):
        assert all(least < share < most for share in shares(game, nights=1, n=8).values())


# ---- playing on ----


def test_random_playouts_differ_and_greedy_ones_follow_the_better_line() -> None:
    # The rival acts last: a claim is there for the taking, and greedy takes it.
    game = scenario(
        week=2, night=4, turn=0, supremacy=0, hands=["", "masque"], nights=ELSEWHERE,
        board={"courtyard": ["ghoul", ""]},
    )  # fmt: skip
    at_random, greedily = (
        shares(game, rollouts=kind, n=32)["take:ghoul"] for kind in ("random", "greedy")
    )
    assert greedily < at_random - 0.1


def test_it_plays_so_many_playouts_of_each_action() -> None:
    game = scenario(nights=ELSEWHERE, **LAST)
    bot = RolloutBot(n=7)
    bot.values(game)
    assert bot.simulated == 7 * len(game.legal_actions())  # nothing is left to decide after it


def test_it_takes_what_wins() -> None:
    game = scenario(
        hands=["masque"], board={"spires": ["ghoul", "ghoul ghoul"]}, nights=["spires_2"], **LAST
    )
    assert make_bot("rollout:n=4").act(game) == game.action_index("play:masque:spires")


def test_more_playouts_play_better() -> None:
    result = play_match("rollout:n=16:nights=1", "rollout:n=1:nights=1", games=40, seed=1)
    assert result.interval[0] > 0.5


# ---- what it may know ----


@pytest.mark.rule("R13.2")
def test_it_knows_nothing_of_the_draws_to_come() -> None:
    bot, game = RolloutBot(n=16), Game(seed=3)
    assert bot.values(game, key=1) == bot.values(game.redeal(game.seat or 0, 9), key=1)
    assert bot.values(game, key=1) != bot.values(game, key=2)

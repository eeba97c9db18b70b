"""rollout and the playouts: what a game is worth to each seat, and how it is played on."""

from typing import Any

import numpy as np
import pytest

from hemlock_env import Game, make_bot
from hemlock_env.agents import Decisions
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


@pytest.mark.parametrize("options", [
    {"num_players": 2, "loot": "hand", "items_as_loot": True},
    {"num_players": 3, "sides": "advanced", "agendas": True},
    {"num_players": 4, "sides": "random", "items_as_loot": True},
])  # fmt: skip
@pytest.mark.parametrize("rollouts", ["random", "greedy:nights=1"])
def test_it_plays_every_kind_of_game(options: dict[str, Any], rollouts: str) -> None:
    result = play_match(f"rollout:n=2:rollouts={rollouts}", "random", games=4, options=options)
    assert result.illegal == 0
    assert result.score > 1 / options["num_players"]


# ---- what it may know ----


@pytest.mark.rule("R13.6")
@pytest.mark.parametrize("spec", ["rollout:n=3", "rollout:n=1:rollouts=greedy:nights=1"])
def test_a_choice_does_not_change_when_what_is_hidden_is_redealt(spec: str) -> None:
    game = Game(3, loot="hand", agendas=True, seed=5)
    random = make_bot("random", seed=1)
    while not game.over:
        assert game.seat is not None
        seen = {make_bot(spec, seed=7).act(game.redeal(game.seat, seed)) for seed in (1, 2)}
        assert seen == {make_bot(spec, seed=7).act(game)}
        game.step(random.act(game))


@pytest.mark.rule("R13.2")
def test_it_knows_nothing_of_the_draws_to_come() -> None:
    bot, game = RolloutBot(n=16), Game(seed=3)
    assert bot.values(game, key=1) == bot.values(game.redeal(game.seat or 0, 9), key=1)
    assert bot.values(game, key=1) != bot.values(game, key=2)


def test_a_game_is_left_as_it_was() -> None:
    game = Game(3, agendas=True, seed=2)
    before = game.to_position()
    RolloutBot(n=4).values(game)
    assert game.to_position() == before


def test_a_choice_depends_on_its_key_alone() -> None:
    game = Game(seed=4)
    situations = Decisions.of(game, np.array([11], np.uint64))
    bot = RolloutBot(n=2)
    assert len({int(bot.choose(situations)[0]) for _ in range(5)}) == 1


@pytest.mark.parametrize(("spec", "says"), [
    ("rollout:n=0", "n=0 must be from 1"),
    ("rollout:n=1.5", "n='1.5' must be a whole number"),
    ("rollout:rollouts=wild", "rollouts='wild' must be one of random, greedy"),
    ("rollout:nights=9", "nights=9 must be from 0 to 8"),
    ("rollout:m=3", "unknown option 'm'"),
    ("rollout:n=3:n=4", "'n' is given twice"),
    ("rollout:64", "must be written rollout"),
])  # fmt: skip
def test_a_wrong_option_is_refused(spec: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        make_bot(spec)


def test_a_spec_names_what_is_not_as_usual() -> None:
    assert make_bot("rollout:rollouts=greedy:n=64").spec == "rollout:rollouts=greedy"

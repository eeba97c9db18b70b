"""mcts searches what its seat can see, cheat-mcts what is."""

import subprocess
import sys
from os import environ
from pathlib import Path
from typing import Any

import pytest

from hemlock_env import Game, make_bot
from hemlock_env.agents.mcts import CheatMctsBot, MctsBot
from hemlock_env.evaluation import play_match
from hemlock_env.evaluation.match import Match
from tests.support.scenario import scenario

LAST = {"week": 2, "night": 4, "turn": 1, "supremacy": 1}  # the last special action of a game


def played_to(decisions: int, **options: Any) -> Game:
    """A game some random decisions on."""
    game, random = Game(**options), make_bot("random", seed=1)
    while game.decisions < decisions and not game.over:
        game.step(random.act(game))
    return game


# ---- the search ----


def test_each_iteration_begins_with_an_action() -> None:
    found = MctsBot(iterations=300).values(Game(seed=1))
    assert sum(each.visits for each in found.values()) == 300
    assert all(0 < each.share < 1 for each in found.values())


def test_every_action_is_tried_and_the_best_most_often() -> None:
    game = scenario(
        hands=["masque"], board={"spires": ["ghoul", "ghoul ghoul"]}, nights=["spires_2"], **LAST
    )
    found = MctsBot(iterations=2_000).values(game)
    assert min(each.visits for each in found.values()) > 0
    best = max(found, key=lambda name: found[name].visits)
    assert best == max(found, key=lambda name: found[name].share) == "play:masque:spires"
    assert make_bot("mcts").act(game) == game.action_index(best)


def test_it_sees_what_a_rival_will_answer() -> None:
    # Whatever seat 0 does, seat 1 plays last; only a masque more keeps the tie that claims.
    game = scenario(
        week=2, night=4, turn=0, supremacy=0, hands=["masque", "ghoul"],
        board={"spires": ["masque", "masque"]}, nights=["spires_2"],
    )  # fmt: skip
    found = MctsBot(iterations=4_000).values(game)
    assert max(found, key=lambda name: found[name].visits) == "play:masque:spires"


def test_more_iterations_play_better() -> None:
    result = play_match("mcts:iterations=200", "mcts:iterations=20", games=40, seed=1)
    assert result.interval[0] > 0.5


def test_it_counts_what_it_simulates() -> None:
    bot = MctsBot(iterations=50, nights=0)
    bot.act(Game(seed=1))
    assert 50 * 40 < bot.simulated < 50 * 250


@pytest.mark.parametrize("options", [
    {"num_players": 2, "loot": "hand", "items_as_loot": True},
    {"num_players": 3, "sides": "advanced", "agendas": True},
    {"num_players": 4, "sides": "random", "items_as_loot": True},
])  # fmt: skip
@pytest.mark.parametrize("bot", [
    "mcts:iterations=60",
    "mcts:iterations=20:nights=0",
    "mcts:iterations=8:rollouts=greedy",
    "cheat-mcts:iterations=60",
])  # fmt: skip
def test_it_plays_every_kind_of_game(options: dict[str, Any], bot: str) -> None:
    result = play_match(bot, "random", games=4, options=options)
    assert result.illegal == 0
    assert result.score > 1 / options["num_players"]


# ---- what it may know ----


@pytest.mark.rule("R13.6")
@pytest.mark.parametrize("spec", [
    "mcts:iterations=40", "mcts:iterations=10:nights=0", "mcts:iterations=4:rollouts=greedy"
])  # fmt: skip
def test_a_choice_does_not_change_when_what_is_hidden_is_redealt(spec: str) -> None:
    game = Game(3, loot="hand", agendas=True, seed=5)
    random = make_bot("random", seed=1)
    while not game.over:
        assert game.seat is not None
        seen = {make_bot(spec, seed=7).act(game.redeal(game.seat, seed)) for seed in (1, 2)}
        assert seen == {make_bot(spec, seed=7).act(game)}
        game.step(random.act(game))


@pytest.mark.rule("R13.2")
def test_what_it_finds_out_does_not_depend_on_what_is_hidden() -> None:
    game = played_to(30, num_players=3, loot="hand", agendas=True, seed=6)
    assert game.seat is not None
    other = game.redeal(game.seat, 1)
    assert other.to_position() != game.to_position()
    assert MctsBot().values(game, key=4) == MctsBot().values(other, key=4)


def test_the_cheat_knows_what_is_hidden() -> None:
    game = played_to(30, num_players=3, loot="hand", agendas=True, seed=6)
    assert game.seat is not None
    other = game.redeal(game.seat, 1)
    assert CheatMctsBot().values(game, key=4) != CheatMctsBot().values(other, key=4)


def test_the_cheat_profits_from_it() -> None:
    options = {"loot": "hand"}
    result = play_match(
        "cheat-mcts:iterations=300:nights=0", "mcts:iterations=300:nights=0", 60, 1, options
    )
    assert result.score > 0.5


def test_no_one_else_is_shown_the_truth() -> None:
    sources = Path(__file__).parents[2].glob("hemlock_env/**/*.py")
    asking = {path.name for path in sources if ".true_state()" in path.read_text("utf-8")}
    assert asking == {"mcts.py"}


def test_searching_changes_neither_the_game_nor_its_chance() -> None:
    game = played_to(20, num_players=3, agendas=True, seed=2)
    before = game.to_position()
    for bot in (MctsBot(iterations=50), CheatMctsBot(iterations=50)):
        bot.act(game)
        bot.values(game)
    assert game.to_position() == before


def test_a_choice_does_not_depend_on_the_games_played_beside_it() -> None:
    match = Match("mcts:iterations=30", "random", games=8, seed=2)
    assert match.play(chunk=8).digest == match.play(chunk=2).digest


# ---- options ----


@pytest.mark.parametrize(("spec", "says"), [
    ("mcts:iterations=0", "mcts: iterations=0 must be from 1"),
    ("mcts:iterations=many", "iterations='many' must be a whole number"),
    ("mcts:c=-1", "c=-1.0 must be from 0"),
    ("mcts:c=nan", "c=nan must be from 0"),
    ("mcts:rollouts=", "rollouts='' must be one of random, greedy"),
    ("mcts:nights=-1", "nights=-1 must be from 0"),
    ("cheat-mcts:iterations=0", "cheat-mcts: iterations=0"),
    ("mcts:iteration=5", "did you mean 'iterations'"),
    ("mcst", "did you mean 'mcts'"),
])  # fmt: skip
def test_a_wrong_option_is_refused(spec: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        make_bot(spec)


def test_a_spec_names_what_is_not_as_usual() -> None:
    assert make_bot("mcts:c=0.2:iterations=1000").spec == "mcts"
    assert make_bot("cheat-mcts:c=1:nights=0").spec == "cheat-mcts:nights=0:c=1.0"
    assert make_bot("mcts:iterations=10000").spec == "mcts:iterations=10000"


# ---- compiled or not ----

PRINT_VALUES = """
from tests.support.scenario import scenario
from hemlock_env.agents.mcts import MctsBot
game = scenario(
    3, night=3, turn=1, hands=["ghoul", "shadow masque"], supremacy=2,
    board={"boneyard": ["ghoul", "shadow masque", "leader_boneyard"]},
    nights=["boneyard_2"], items=["trinket"],
    agendas=["host_of_the_courtyard", "voice_of_the_alleys", "patron_of_the_spires"],
)
for rollouts, iterations in (("random", 30), ("greedy", 3)):
    found = MctsBot(iterations, rollouts).values(game, key=3)
    print({name: (each.visits, round(each.share, 9)) for name, each in found.items()})
"""


@pytest.mark.slow
def test_uncompiled_it_finds_alike() -> None:
    answers = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", PRINT_VALUES],
            env={**environ, "NUMBA_DISABLE_JIT": jit},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for jit in ("0", "1")
    ]
    assert answers[0] == answers[1] and "item:trinket" in answers[0]

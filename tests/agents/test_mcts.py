"""mcts searches what its seat can see, cheat-mcts what is."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hemlock_env import Game, make_bot
from hemlock_env.agents.base import Decisions
from hemlock_env.agents.mcts import CheatMctsBot, MctsBot
from hemlock_env.evaluation import play_match
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


# ---- what it may know ----


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
    cheat, honest = (f"{name}:iterations=200:nights=1" for name in ("cheat-mcts", "mcts"))
    result = play_match(cheat, honest, 60, 1, {"loot": "hand"})
    assert result.interval[0] > 0.5


def test_no_one_else_is_shown_the_truth() -> None:
    sources = Path(__file__).parents[2].glob("hemlock_env/**/*.py")
    asking = {path.name for path in sources if ".true_state()" in path.read_text("utf-8")}
    assert asking == {"base.py", "mcts.py"}  # base.py: its old name calls it


@pytest.mark.rule("R13.2")
def test_what_it_kept_of_earlier_decisions_does_not_depend_on_what_is_hidden() -> None:
    game, bot = Game(2, seed=2, loot="hand", agendas=True), MctsBot(iterations=30)
    memory, used = np.full((2, 1), None, object), 0
    while not game.over:
        assert game.seat is not None
        keys = np.array([game.decisions], np.uint64)
        decisions = Decisions.of(game, keys, memory[game.seat].copy())
        other = Decisions.of(game.redeal(game.seat, game.decisions), keys, memory[game.seat].copy())
        other.history = decisions.history  # type: ignore[method-assign]  # a redealt game has none
        used += len(bot._kept(other, 0)[0]) > 1
        chosen = bot.choose(decisions)
        assert bot.choose(other) == chosen
        memory[game.seat] = decisions.memory
        game.step(int(chosen[0]))
    assert used > 30

"""Exact ends in a tree search: what is solved is what the solver says."""

from pathlib import Path

import numpy as np
import pytest

from hemlock_env import Game
from hemlock_env.agents.base import Decisions
from hemlock_env.agents.mcts import GuidedMctsBot, MctsBot, TreeBot
from hemlock_env.evaluation.endgames import load_endgames
from hemlock_env.network.evaluator import MARGIN_SHARE as GUIDED_SHARE
from hemlock_env.search.exact import may_solve
from hemlock_env.search.playouts import MARGIN_SCALE, MARGIN_SHARE
from hemlock_env.search.solver import Value, solve
from tests.support.checkpoints import untrained

ENOUGH = 20_000
LEAVES_TOO = 20 * 5_000_000  # what a leaf of these positions may take


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return untrained(tmp_path_factory.mktemp("run") / "checkpoint", (8,))


def solvable(positions: int) -> list[Game]:
    """Positions of the last night that take few enough nodes."""
    every = load_endgames(positions=positions)
    games = [every.game(number) for number in range(positions)]
    return [game for game in games if may_solve(game.arrays.states[0], ENOUGH)]


def worth(value: Value, margin_share: float) -> float:
    """The return of an exact value, by hand."""
    margin = max(-1.0, min(1.0, value.margin / MARGIN_SCALE))
    win = (1 + value.outcome) / 2
    return (1 - margin_share) * win + margin_share * (1 + margin) / 2


def test_a_decision_that_can_be_solved_is_perfect(folder: Path) -> None:
    bots: list[TreeBot] = [
        GuidedMctsBot(f"ckpt:{folder}", iterations=1),
        MctsBot(iterations=1, exact=ENOUGH),
    ]
    games = solvable(60)
    assert len(games) > 20
    for game in games:
        best = solve(game).best
        for bot in bots:
            action = int(bot.choose(Decisions.of(game, np.zeros(1, np.uint64)))[0])
            assert game.action_name(action) in best


def test_leaves_that_are_solved_get_their_exact_return(folder: Path) -> None:
    bots = (
        (GuidedMctsBot(f"ckpt:{folder}", iterations=60, exact=LEAVES_TOO), GUIDED_SHARE),
        (MctsBot(iterations=60, exact=LEAVES_TOO), MARGIN_SHARE),
    )
    visited = 0
    for game in solvable(30):
        values = solve(game).values
        for bot, margin_share in bots:
            for name, found in bot.values(game).items():
                if found.visits:
                    visited += 1
                    assert found.share == pytest.approx(worth(values[name], margin_share), abs=1e-6)
    assert visited > 60


@pytest.mark.parametrize("options", [{"num_players": 3}, {"loot": "hand"}, {"agendas": True}, {}])
def test_what_is_hidden_or_random_is_not_solved(options: dict[str, object]) -> None:
    game = Game(**options)  # type: ignore[arg-type]
    assert not may_solve(game.arrays.states[0], 1 << 40)

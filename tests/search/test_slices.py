"""Long searches run in slices: what they find doesn't depend on them, and Ctrl-C is heard between
two.
"""

import numpy as np
import pytest

from hemlock_env import Batch, Game
from hemlock_env.agents.base import Decisions
from hemlock_env.agents.planner import PlannerBot
from hemlock_env.agents.rollout import RolloutBot, roots_of
from hemlock_env.engine.constants import Step
from hemlock_env.evaluation import play_match
from hemlock_env.search import slices, solver, turn
from hemlock_env.search.heuristics import EXPECTED
from hemlock_env.search.solver import solve
from tests.support.interrupts import interrupted_after
from tests.support.thoughts import random_game_at

SLOW = "rollout:n=20000"  # two seconds a decision


def test_slices_cover_all_work_once_and_adapt(monkeypatch: pytest.MonkeyPatch) -> None:
    now, done = 0.0, list[range]()
    monkeypatch.setattr(slices.time, "perf_counter", lambda: now)

    def run(first: int, end: int) -> None:
        nonlocal now
        done.append(range(first, end))
        now += 0.001 * len(done[-1]) if first < 5_000 else 1.0

    slices.in_slices(run, 6_000)
    assert [number for part in done for number in part] == list(range(6_000))
    sizes = [len(part) for part in done]
    assert sizes[0] == slices.FIRST and max(sizes) <= 128  # 0.128 s at a millisecond each
    assert sizes[-2] < 10  # a second each: fewer and fewer
    slices.in_slices(run, 0)
    assert sum(sizes) == 6_000


def test_playouts_in_slices_are_the_same_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    game, bot = Game(seed=4), RolloutBot(n=7)
    whole = bot.values(game, key=3)
    monkeypatch.setattr(slices, "FIRST", 1)
    monkeypatch.setattr(slices, "SHORT", 0.0)
    assert bot.values(game, key=3) == whole


@pytest.mark.parametrize("lines", [1, 3])
@pytest.mark.parametrize("budget", [0, 40, 4_000])
def test_a_turn_in_slices_is_the_same_turn(budget: int, lines: int) -> None:
    for seed in range(4):
        game = random_game_at(seed, Step.LOOT_USED)
        games = Decisions.of(game, np.array([seed], np.uint64)).imagine()
        found = []
        for size in (lines, turn.SLICE):
            room = turn.new_turn_room(budget)
            calls = 1
            while not turn.value_actions(roots_of(games), 0, EXPECTED, budget, room, size):
                calls += 1
            found.append(room.values[: games.counts[0]].tolist())
            assert (calls > 1) == (size == lines)
        assert found[0] == found[1]


def test_many_turns_in_slices_are_each_chosen_once(monkeypatch: pytest.MonkeyPatch) -> None:
    batch, bot, calls = Batch(1_500, seed=2), PlannerBot(), []
    bot.prepare()
    choose_best = turn.choose_best

    def counted(*search: object) -> bool:
        calls.append(1)
        return bool(choose_best(*search))

    monkeypatch.setattr(turn, "choose_best", counted)
    keys = np.arange(1_500, dtype=np.uint64)

    def chosen(rows: np.ndarray) -> list[int]:
        return bot.choose(Decisions(batch._arrays, batch.options, rows, keys[rows])).tolist()

    together = chosen(np.arange(1_500))
    assert len(calls) > 1
    assert together == [action for row in range(1_500) for action in chosen(np.array([row]))]


def test_solving_in_slices_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    game = random_game_at(3, Step.SPECIAL_DONE)
    whole = solve(game)
    assert whole.nodes > 500
    monkeypatch.setattr(solver, "SLICE", 50)
    assert solve(game) == whole


def test_control_c_is_heard_within_a_search() -> None:
    game = Game(seed=1)
    bot = RolloutBot(n=20_000)
    with interrupted_after(0.1, processor=True) as came:
        bot.act(game)
    assert came
    playouts = 20_000 * len(game.legal_actions())
    assert bot.simulated < 30 * playouts  # decisions: a playout has a hundred


def test_control_c_is_heard_within_a_match() -> None:
    told = list[float]()
    with interrupted_after(0.2, processor=True) as came:
        play_match(SLOW, "random", 2, progress=lambda done, _: told.append(done))
    assert came and max(told, default=0) < 1

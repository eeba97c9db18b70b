"""Every way into the package, each for a few decisions: threads, processes and `hemlock warmup` are
tested with them.

    python -m tests.support.ways threads     all at once, twice each, from the first moment on
    python -m tests.support.ways warm        none compiles or loads anything after `hemlock warmup`
    python -m tests.support.ways children    forked and spawned in the middle of a game
"""

import multiprocessing
import pickle
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from click.testing import CliRunner

from hemlock_env import Batch, Game, hemlock_v0, list_bots, make_bot, replay
from hemlock_env.engine.constants import Step
from hemlock_env.evaluation import play_match
from tests.support.thoughts import random_game_at

SEARCHES = ("mcts", "cheat-mcts")
POLICY = "ckpt:two_player"
BOTS = [
    *(f"{name}:iterations=20" if name in SEARCHES else name for name in list_bots()),
    *(POLICY, f"{POLICY}:temperature=1", f"mcts:iterations=20:prior={POLICY}"),
    "rollout:n=1:rollouts=greedy:nights=1",
    "mcts:iterations=4:rollouts=greedy",
]


def game() -> Any:
    """Played to its end, with everything that can be asked of it."""
    played = Game(seed=3, num_players=3, loot="hand", agendas=True)
    while not played.over:
        again = Game.from_position(played.to_position()).redeal(1, played.seat)
        again.step(again.legal_actions()[0])
        played.step(played.legal_actions()[-1])
    *_, last = replay(played.record())
    return last.scores(), played.winners()


def bot(spec: str) -> Any:
    """A few decisions of its own, and a match."""
    played, player = Game(seed=5), make_bot(spec, seed=1)
    for _ in range(3):
        played.step(player.act(played))
    match = play_match(spec, "random", 2, seed=1)
    return played.record(), match.score


def batch() -> Any:
    played = Batch(4, seed=2, autoreset=True)
    for _ in range(40):
        played.step(played.sample())
    saved = pickle.loads(pickle.dumps(played))
    played.play_random(5)
    return played.observation.sum(), saved.observation.sum()


def aec() -> Any:
    env = hemlock_v0.env(num_players=4)
    env.reset(seed=3)
    seen = 0
    for _ in zip(range(40), env.agent_iter(), strict=False):
        observation, _, over, cut, _ = env.last()
        seen += int(observation["observation"].sum())
        env.step(None if over or cut else int(observation["action_mask"].argmax()))
    return seen


def gym(opponent: str) -> Any:
    env = gymnasium.make("hemlock/Hemlock-v0", opponent=opponent)
    _, info = env.reset(seed=1)
    seen = 0
    for _ in range(20):
        observation, _, over, _, info = env.step(int(info["action_mask"].argmax()))
        seen += int(np.sum(observation))
        if over:
            _, info = env.reset()
    return seen


def vector() -> Any:
    envs = gymnasium.make_vec("hemlock/Hemlock-v0", num_envs=4, opponent="greedy")
    _, infos = envs.reset(seed=1)
    seen = 0
    for _ in range(20):
        observation, *_, infos = envs.step(infos["action_mask"].argmax(1))
        seen += int(np.sum(observation))
    return seen


def solver() -> Any:
    from hemlock_env.search.solver import solve

    return solve(random_game_at(24, Step.CLAIM)).value


def served() -> Any:
    from hemlock_env.play.web import make_app

    page = make_app(["greedy", POLICY]).test_client()
    name = page.post("/games", json={"seed": 4}).json["game"]
    for _ in range(3):
        state = page.get(f"/games/{name}/state").json
        answer = {"step": state["step"], "action": state["choices"][0]["action"]}
        assert page.post(f"/games/{name}/act", json=answer).status_code == 200
    return state["log"]


def train(*changes: str) -> Any:
    """A tiny run of a trainer."""
    from tests.training.tiny import tiny, train_tiny

    with tempfile.TemporaryDirectory() as folder:
        assert train_tiny(tiny(), Path(folder) / "run") == 0


WAYS: dict[str, Callable[[], Any]] = {
    **{f"bot {spec}": partial(bot, spec) for spec in BOTS},
    **{f"gym {spec}": partial(gym, spec) for spec in ("random", "planner", POLICY)},
    **{way.__name__: way for way in (game, batch, aec, vector, solver, served)},
}


def threads() -> None:
    """Two of each way begin at once; each finds what the same way finds alone."""
    start, found = threading.Barrier(2 * len(WAYS)), dict[str, list[Any]]()

    def go(name: str) -> None:
        start.wait()
        result = WAYS[name]()
        found.setdefault(name, []).append(result)

    all_threads = [threading.Thread(target=go, args=(name,)) for name in [*WAYS, *WAYS]]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()
    for name, way in WAYS.items():
        assert found.get(name) == [way()] * 2, name


def warm() -> None:
    """After `hemlock warmup` the cache is asked for nothing more."""
    from hemlock_env._cache import FunctionCache
    from hemlock_env.cli import main

    CliRunner().invoke(main, ["warmup"])
    asked = []
    load = FunctionCache.load_overload

    def spy(cache: Any, *args: Any) -> Any:
        asked.append(cache._name)
        return load(cache, *args)

    FunctionCache.load_overload = spy  # type: ignore[method-assign]
    for way in (*WAYS.values(), train):
        way()
    assert asked == [], asked


def played_on(begun: Game) -> Any:
    """The rest of a game, by a bot that is made anew and by the lowest legal action in turn."""
    player = make_bot("planner")
    while not begun.over:
        begun.step(player.act(begun))
        if not begun.over:
            begun.step(begun.legal_actions()[0])
    return begun.record()


def children() -> None:
    """A game goes on in a forked and in a spawned process as it does here."""
    for method in ("fork", "spawn"):
        begun = Game(seed=8)
        for _ in range(9):
            begun.step(begun.legal_actions()[0])
        with multiprocessing.get_context(method).Pool(2) as pool:
            records = pool.map(played_on, [begun] * 4)
        assert records == [played_on(begun)] * 4, method


if __name__ == "__main__":
    {"threads": threads, "warm": warm, "children": children}[sys.argv[1]]()
    print("done")

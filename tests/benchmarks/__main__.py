"""`python -m tests.benchmarks`: one table of medians, and of ratios to a yardstick in the same run.

Every figure is the median of rounds; in each round all measurements take their turn, so that a busy
machine slows yardstick and measured alike. Times are processor time of one thread, but for the two
lines that say wall time.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import random
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from importlib import resources
from statistics import median

import numpy as np
from rich.console import Console
from rich.table import Table

from hemlock_env import Batch, Game, hemlock_v0, make_bot
from hemlock_env.agents.base import Decisions
from hemlock_env.envs.gym_env import HemlockGymEnv
from hemlock_env.envs.vector import HemlockVectorEnv
from hemlock_env.game.keys import mix_keys
from tests.support.oracle import Oracle
from tests.support.positions import some_games

ROUNDS = 9
SEARCHED = 400
PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo")


def per_second(play: Callable[[], int]) -> float:
    """What `play` says it did, a second of this thread's processor time."""
    started = time.process_time()
    done = play()
    return done / (time.process_time() - started)


def batch_rows(games: int, steps: int) -> Callable[[], int]:
    """Masks, legal lists, observations and random actions, every step through Python."""
    batch = Batch(games, seed=1, autoreset=True)
    batch.play_random(np.arange(games) % 130)

    def play() -> int:
        for _ in range(steps):
            batch.step(batch.sample())
        return games * steps

    return play


def vector_rows(envs: int, steps: int) -> Callable[[], int]:
    """The vectorised environment against random rivals: masks and observations every step, random
    legal actions; the decisions of all seats count.
    """
    venv = HemlockVectorEnv(envs, autoreset_mode="SAME_STEP")
    venv.reset(seed=1)
    games, every, rng = venv.slots.games, np.arange(envs), np.random.default_rng(1)

    def step() -> int:
        """Decisions made: those of games that ended too, but not the rivals' first of new ones."""
        before = games.states["decisions"].astype(np.int64)
        places = (rng.random(envs) * games.counts).astype(np.intp)
        info = venv.step(games.legals[every, places].astype(np.int64))[4]
        after = games.states["decisions"].astype(np.int64)
        if "final_info" in info:
            after = np.where(info["_final_info"], info["final_info"]["decisions"], after)
        return int((after - before).sum())

    for _ in range(130):  # so that games end at different times
        step()
    return lambda: sum(step() for _ in range(steps))


def kernel_rows(games: int, decisions: int) -> Callable[[], int]:
    """The rules alone: random decisions inside the kernel, one observation a call."""
    batch = Batch(games, seed=1, autoreset=True)

    def play() -> int:
        batch.play_random(decisions)
        return games * decisions

    return play


def game_rows(decisions: int) -> Callable[[], int]:
    """`Game`: a step, the mask, the observation."""
    chance = random.Random(1)

    def play() -> int:
        game = Game(seed=chance.randrange(2**63))
        for _ in range(decisions):
            if game.over:
                game = Game(seed=chance.randrange(2**63))
            legal = game.legal_actions()
            game.step(legal[int(chance.random() * len(legal))])
            game.action_mask()
            game.observe(game.seat or 0)
        return decisions

    return play


def gym_rows(steps: int) -> Callable[[], int]:
    """The Gymnasium environment against a random opponent; only the learner's steps count, so one
    step is about two decisions.
    """
    env, chance = HemlockGymEnv(), random.Random(1)
    _, info = env.reset(seed=1)

    def play() -> int:
        nonlocal info
        for _ in range(steps):
            legal = np.flatnonzero(info["action_mask"])
            _, _, over, _, info = env.step(int(legal[int(chance.random() * len(legal))]))
            if over:
                _, info = env.reset()
        return steps

    return play


def single_rows(decisions: int) -> Callable[[], int]:
    """A batch of one, its first legal action each time."""
    batch = Batch(1, seed=1, autoreset=True)

    def play() -> int:
        for _ in range(decisions):
            batch.step(batch.legal[:, 0])
        return decisions

    return play


def aec_rows(env: object, games: int) -> Callable[[], int]:
    """The standard loop of PettingZoo, action by flatnonzero."""
    chance = random.Random(1)

    def play() -> int:
        steps = 0
        for game in range(games):
            env.reset(seed=game)
            for _agent in env.agent_iter():
                observation, _reward, terminated, truncated, _info = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                legal = np.flatnonzero(observation["action_mask"])
                env.step(int(legal[int(chance.random() * len(legal))]))
                steps += 1
        return steps

    return play


def guided(leaves: int) -> str:
    """A tree search with a policy in it, so many leaves in flight."""
    return f"mcts:iterations={SEARCHED}:leaves={leaves}:exact=0:prior=ckpt:two_player"


def search_rows(spec: str, count: int) -> Callable[[], int]:
    """Iterations of a tree search, one decision in each of `count` games at various points."""
    bot, keys = make_bot(spec), mix_keys([1], np.arange(count))
    bot.prepare()
    games, rows = some_games(2 * count)
    decisions = Decisions(games, Game().checked_options, rows[:count], keys)

    def play() -> int:
        bot.choose(decisions)
        return count * SEARCHED

    return play


def oracle_rows(games: int) -> Callable[[], int]:
    """The slow oracle of the tests on the same game: the yardstick of the rules."""
    text = resources.files("hemlock_env.cards").joinpath("sets/vault_of_darkness.toml").read_text()
    card_set = tomllib.loads(text)
    loot = [card["id"] for card in card_set["loot"]]
    chance = random.Random(1)

    def row(week: int, night: int) -> list[str]:
        return chance.sample(loot, 5)

    def play() -> int:
        decisions = 0
        for _ in range(games):
            game = Game(seed=chance.randrange(2**63))
            setup = game.record()["events"][0]["setup"]
            oracle = Oracle(card_set, {**game.options, "sides": setup["sides"]}, setup, row)
            while not oracle.over:
                oracle.step(chance.choice(oracle.legal()))
                decisions += 1
        return decisions

    return play


def connect_four() -> object | None:
    """The yardstick of the AEC loop, if its own requirements are installed."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        from pettingzoo.classic import connect_four_v3
    except ImportError:
        return None
    return connect_four_v3.raw_env()


def fresh_process(code: str) -> float:
    """Seconds of wall time for a new interpreter, less those for an empty one."""

    def run(line: str) -> float:
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", line], check=True)
        return time.perf_counter() - started

    return run(code) - run("pass")


def measure() -> dict[str, float]:
    """Medians by name."""
    plays = {
        "batch": batch_rows(4096, 20),
        "vector": vector_rows(1024, 40),
        "kernel": kernel_rows(4096, 20),
        "game": game_rows(5000),
        "gym": gym_rows(3000),
        "single": single_rows(10_000),
        "aec": aec_rows(hemlock_v0.raw_env(), 20),
        "oracle": oracle_rows(10),
        "searches": search_rows(guided(1), 64),
        "search": search_rows(guided(1), 1),
        "playouts": search_rows(f"mcts:iterations={SEARCHED}", 8),
    }
    yardstick = connect_four()
    if yardstick is not None:
        plays["connect_four"] = aec_rows(yardstick, 60)
    rounds: dict[str, list[float]] = {name: [] for name in plays}
    for _ in range(ROUNDS):
        for name, play in plays.items():
            rounds[name].append(per_second(play))
    found = {name: median(values) for name, values in rounds.items()}
    found["import"] = median(fresh_process("import hemlock_env") for _ in range(5))
    ready = "import hemlock_env; hemlock_env.Game(seed=1)"
    found["ready"] = median(fresh_process(ready) for _ in range(5))
    return found


def show(found: dict[str, float]) -> None:
    """The table; a ratio below 1 needs two decimals."""
    table = Table(title="hemlock-env benchmarks")
    for column in ("what", "median", "ratio"):
        table.add_column(column, justify="left" if column == "what" else "right")

    def row(what: str, name: str, yardstick: str = "", against: str = "") -> None:
        times = found[name] / found[yardstick] if yardstick in found else 0.0
        ratio = f"{times:,.{1 if times >= 1 else 2}f} x {against}" if times else ""
        table.add_row(what, f"{found[name]:,.0f} /s", ratio)

    everything = "Batch of 4,096: masks, legal lists, observations, random actions"
    row(everything, "batch", "oracle", "oracle")
    vector = "vector environment of 1,024 against random rivals: masks, observations, all seats"
    row(vector, "vector", "oracle", "oracle")
    row("the rules alone, random decisions inside the kernel", "kernel", "oracle", "oracle")
    row("slow oracle (the yardstick), the same game", "oracle")
    row("Game: step, mask, observation", "game", "oracle", "oracle")
    row(
        "Gymnasium environment against a random opponent, the learner's steps",
        "gym",
        "game",
        "Game",
    )
    row("Batch of 1: step with mask and observation", "single", "oracle", "oracle")
    row("raw AEC loop", "aec", "connect_four", "connect_four_v3")
    if "connect_four" in found:
        row("connect_four_v3 raw_env, the same loop (the yardstick)", "connect_four")
    row(
        "mcts with a prior, iterations, 64 games together",
        "searches",
        "oracle",
        "oracle",
    )
    row("the same, one game", "search", "oracle", "oracle")
    row("mcts by playouts, iterations", "playouts", "oracle", "oracle")
    table.add_row("import hemlock_env, wall time", f"{found['import']:.2f} s", "")
    ready = "a Game ready in a fresh process (compiled before), wall time"
    table.add_row(ready, f"{found['ready']:.2f} s", "")
    Console(width=120).print(table)
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    machine = f"{platform.machine()}, {os.cpu_count()} cores"
    print(f"Python {platform.python_version()}, {versions}; {machine}")
    print(f"medians of {ROUNDS} interleaved rounds; load average {os.getloadavg()[0]:.1f}")
    if "connect_four" not in found:
        print("connect_four_v3 was left out: it needs pygame (`make bench` installs it)")


if __name__ == "__main__":
    show(measure())

"""`make bench-peers`: decisions a second of other projects' games and of this one, in one sitting.

Random legal play on one core. Every row keeps a process of its own, pinned to one core where the
system can do that; the processes take turns, round by round, so that a busy machine slows all of
them. Times are processor time of the whole process, the random choice included. A step is what that
project's users pay for a decision: whoever has to decide gets a legal mask and an observation.
Chance that the caller must draw is part of the step and is not counted as a decision.

The games differ: a row says how quick a step is on that game, not how good a project is.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import multiprocessing
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

SECONDS = 0.5  # of processor time, for one row in one round
CORE_ONLY = {
    **{f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR")},
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
}
Play = Callable[[], int]


# ---- This project ----


def ours_batch() -> Play:
    """4,096 games, as a training loop drives them."""
    from tests.benchmarks.__main__ import batch_rows

    return batch_rows(4096, 20)


def ours_game() -> Play:
    """One game."""
    from tests.benchmarks.__main__ import game_rows

    return game_rows(5000)


def ours_raw() -> Play:
    """PettingZoo's loop without wrappers."""
    from hemlock_env import hemlock_v0
    from tests.benchmarks.__main__ import aec_rows

    return aec_rows(hemlock_v0.raw_env(), 20)


def ours_wrapped() -> Play:
    """The same loop with PettingZoo's wrappers, as `env()` makes it."""
    from hemlock_env import hemlock_v0
    from tests.benchmarks.__main__ import aec_rows

    return aec_rows(hemlock_v0.env(), 10)


def ours_gym() -> Play:
    """`gymnasium.make` with its default wrappers; the random rival's decisions count too."""
    import gymnasium
    import numpy as np

    import hemlock_env  # noqa: F401 (registers)

    env, chance = gymnasium.make("hemlock/Hemlock-v0", opponent="random"), random.Random(1)

    def play() -> int:
        _, info = env.reset(seed=chance.randrange(2**31))
        over = False
        while not over:
            legal = np.flatnonzero(info["action_mask"])
            _, _, over, _, info = env.step(int(legal[int(chance.random() * len(legal))]))
        return int(info["decisions"])

    return play


# ---- Others ----


def open_spiel(name: str) -> Callable[[], Play]:
    """One game of OpenSpiel from Python: legal actions, the observation of whoever decides."""

    def make() -> Play:
        import pyspiel

        game, chance = pyspiel.load_game(name), random.Random(1)
        seen = game.get_type().provides_observation_tensor

        def play() -> int:
            state, decisions = game.new_initial_state(), 0
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(chance.choices(outcomes, weights)[0])
                    continue
                if seen:
                    state.observation_tensor()
                else:
                    state.information_state_tensor()
                legal = state.legal_actions()
                state.apply_action(legal[int(chance.random() * len(legal))])
                decisions += 1
            return decisions

        return play

    return make


def pgx(name: str, games: int) -> Callable[[], Play]:
    """A batch of pgx: masks, observations, random actions and new games in one XLA program."""

    def make() -> Play:
        import jax
        import pgx as library
        from pgx.experimental import act_randomly, auto_reset

        env = library.make(name)
        advance = jax.vmap(auto_reset(env.step, env.init))

        @jax.jit
        def step(state: Any, key: Any) -> tuple[Any, Any]:
            key, acting, chance = jax.random.split(key, 3)
            action = act_randomly(acting, state.legal_action_mask)
            return advance(state, action, jax.random.split(chance, games)), key

        key = jax.random.PRNGKey(1)
        state = jax.jit(jax.vmap(env.init))(jax.random.split(key, games))
        state, key = step(state, key)  # compiled
        jax.block_until_ready(state.observation)

        def play() -> int:
            nonlocal state, key
            for _ in range(20):
                state, key = step(state, key)
            jax.block_until_ready(state.observation)
            return 20 * games

        return play

    return make


def env_pool(name: str, games: int) -> Callable[[], Play]:
    """A batch of EnvPool, one thread: masks and observations every step through Python."""

    def make() -> Play:
        import envpool
        import numpy as np

        env = envpool.make(name, env_type="gymnasium", num_envs=games, num_threads=1, seed=1)
        _, info = env.reset()
        every, rng = np.arange(games), np.random.default_rng(1)

        def play() -> int:
            nonlocal info
            decisions = 0
            for _ in range(20):
                mask = info["legal_action_mask"] if "legal_action_mask" in info else info["mask"]
                action = np.where(mask, rng.random(mask.shape), -1.0).argmax(axis=1)
                _, _, over, cut, info = env.step(action, every)
                # After the end of a game the next step begins a new one, whatever was asked.
                decisions += games - int((over | cut).sum())
            return decisions

        return play

    return make


def rlcard(name: str) -> Callable[[], Play]:
    """One game of RLCard, random legal actions; its state holds observation and legal actions."""

    def make() -> Play:
        import rlcard as library

        env, chance = library.make(name, config={"seed": 1}), random.Random(1)

        def play() -> int:
            state, _ = env.reset()
            decisions = 0
            while not env.is_over():
                legal = list(state["legal_actions"])
                state, _ = env.step(legal[int(chance.random() * len(legal))])
                decisions += 1
            return decisions

        return play

    return make


def connect_four(wrapped: bool) -> Callable[[], Play]:
    """PettingZoo's own turn game, the very loop that drives this project's."""

    def make() -> Play:
        from pettingzoo.classic import connect_four_v3

        from tests.benchmarks.__main__ import aec_rows

        return aec_rows(connect_four_v3.env() if wrapped else connect_four_v3.raw_env(), 40)

    return make


# ---- The sitting ----


class Row(NamedTuple):
    """A line of the table."""

    project: str
    step: str  # what it was and what one step gives
    make: Callable[[], Play]
    needs: str = ""  # a package


ROWS = (
    Row("hemlock-env", "`Batch` of 4,096: mask, legal list, observation", ours_batch),
    Row("pgx", "leduc_holdem, 4,096 games: mask, observation", pgx("leduc_holdem", 4096), "pgx"),
    Row("pgx", "hex, 1,024 games: mask, observation", pgx("hex", 1024), "pgx"),
    Row("pgx", "backgammon, 1,024 games: mask, observation", pgx("backgammon", 1024), "pgx"),
    Row(
        *("EnvPool", "LeducHoldem-v1, 1,024 games: mask, both seats' observations"),
        *(env_pool("LeducHoldem-v1", 1024), "envpool"),
    ),
    Row(
        *("EnvPool", "Backgammon-v1, 1,024 games: mask, both seats' observations"),
        *(env_pool("Backgammon-v1", 1024), "envpool"),
    ),
    Row("hemlock-env", "`Game`, one game: step, mask, observation", ours_game),
    Row("OpenSpiel", "hanabi: legal list, observation", open_spiel("hanabi"), "open_spiel"),
    Row("OpenSpiel", "backgammon: legal list, observation", open_spiel("backgammon"), "open_spiel"),
    Row("OpenSpiel", "gin_rummy: legal list, observation", open_spiel("gin_rummy"), "open_spiel"),
    Row("RLCard", "uno: legal list, observation", rlcard("uno"), "rlcard"),
    Row("hemlock-env", "PettingZoo's loop, `raw_env()`: mask, observation", ours_raw),
    Row(
        "PettingZoo",
        "connect_four_v3, the same loop, `raw_env()`",
        connect_four(False),
        "pygame-ce",
    ),
    Row("hemlock-env", "PettingZoo's loop, `env()`: mask, observation", ours_wrapped),
    Row("PettingZoo", "connect_four_v3, the same loop, `env()`", connect_four(True), "pygame-ce"),
    Row("hemlock-env", "`gymnasium.make`, its rival's decisions too", ours_gym),
)


def serve(number: int, core: int, pipe: Connection) -> None:
    """One row's process: each message asks for one more measurement."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    play = ROWS[number].make()
    play()
    while True:
        pipe.send(per_second(play))
        pipe.recv()


def per_second(play: Play) -> float:
    """Decisions a second of processor time, over at least `SECONDS`."""
    started, done, spent = time.process_time(), 0, 0.0
    while spent < SECONDS:
        done += play()
        spent = time.process_time() - started
    return done / spent


def installed(row: Row) -> bool:
    """Is the package there that a row needs?"""
    try:
        return not row.needs or bool(importlib.metadata.version(row.needs))
    except importlib.metadata.PackageNotFoundError:
        return False


def measure(numbers: list[int], rounds: int) -> dict[int, list[float]]:
    """Figures by row, round by round; a row whose process fails has none."""
    os.environ.update(CORE_ONLY)
    core = min(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
    spawn = multiprocessing.get_context("spawn")
    found: dict[int, list[float]] = {number: [] for number in numbers}
    pipes = {}
    processes = []
    for number in numbers:  # one after the other, as compiling takes the whole core
        pipes[number], theirs = spawn.Pipe()
        processes.append(spawn.Process(target=serve, args=(number, core, theirs), daemon=True))
        processes[-1].start()
        theirs.close()
        answered(pipes, number)
    for _ in range(rounds):
        for number in list(pipes):
            try:
                pipes[number].send(True)
            except OSError:
                del pipes[number]
                continue
            pace = answered(pipes, number)
            if pace:
                found[number].append(pace)
    for process in processes:
        process.kill()
    return found


def answered(pipes: dict[int, Connection], number: int) -> float:
    """The figure that a row's process sends; 0 and out of the sitting if it has died."""
    try:
        return float(pipes[number].recv())
    except EOFError:
        row = ROWS[number]
        print(f"{row.project}, {row.step}: failed, left out", file=sys.stderr)
        del pipes[number]
        return 0.0


def show(found: dict[int, list[float]]) -> None:
    """The table, as Markdown."""
    yardstick = statistics.median(found[0])
    print("| project | step | decisions a second | lowest to highest | of `Batch` |")
    print("|---|---|--:|---|--:|")
    for number, paces in found.items():
        if paces:
            row, middle = ROWS[number], statistics.median(paces)
            figures = f"{middle:,.0f} | {min(paces):,.0f} to {max(paces):,.0f}"
            print(f"| {row.project} | {row.step} | {figures} | {middle / yardstick:.3f} |")
    packages = sorted(
        {"hemlock-env", "numpy", "numba", "jax", "pettingzoo"} | {r.needs for r in ROWS}
    )
    told = (
        f"{name} {importlib.metadata.version(name)}"
        for name in packages
        if name and installed(Row("", "", ours_batch, name))
    )
    print(f"\nPython {platform.python_version()}, {', '.join(told)}; {os.cpu_count()} cores,")
    rounds = max(map(len, found.values()))
    print(f"one used; medians of {rounds} rounds by turns; load average {os.getloadavg()[0]:.1f}")


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.peers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args(arguments)
    if given.rounds < 1:
        print("peers: --rounds must be 1 or more", file=sys.stderr)
        return 2
    missing = sorted({row.needs for row in ROWS if not installed(row)})
    if missing:
        print(f"left out, not installed: {', '.join(missing)} (`make bench-peers` installs them)")
    show(measure([n for n, row in enumerate(ROWS) if installed(row)], given.rounds))
    return 0


if __name__ == "__main__":
    sys.exit(main())

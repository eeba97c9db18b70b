"""`python -m tests.benchmarks.parts`: where an iteration of `mcts` with a prior spends its time.

The functions named in PARTS are replaced by wrappers that read the processor's time stamp counter
before and after, then the search is compiled anew, into no cache. The counter gives each part's
share; processor time of the thread gives the whole. A wrapper costs some 20 nanoseconds each time.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
import time
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba.core.caching import NullCache
from numba.extending import intrinsic
from rich.console import Console
from rich.table import Table

from hemlock_env import _jit

ROUNDS = 7


class Part(NamedTuple):
    """A function as one module calls it."""

    what: str
    module: str
    function: str
    inside: str = ""
    """the function that it is a part of"""


EVALUATOR, TREE = "network.evaluator", "search.tree"
FORWARD = "network.forward"
PARTS = (
    Part("redeal: copy the game, draw what is hidden", EVALUATOR, "deal"),
    Part("select: the way down, beside the next three", EVALUATOR, "select_leaf"),
    Part("choice of a child by PUCT", TREE, "select_puct", "select_leaf"),
    Part("rules: the engine's steps", TREE, "step", "select_leaf"),
    Part("nodes of what is revealed", TREE, "enter_reveal", "select_leaf"),
    Part("position to inputs, beside the next four", EVALUATOR, "see"),
    Part("observation", FORWARD, "look", "see"),
    Part("derived features", FORWARD, "derive_features", "see"),
    Part("inputs out of both", FORWARD, "pick_bytes", "see"),
    Part("first layer, what differs from the reference", FORWARD, "first_layer", "see"),
    Part("network beyond the first layer, beside the next two", EVALUATOR, "ask_network"),
    Part("second layer", FORWARD, "next_layer", "ask_network"),
    Part("head: legal logits and values", FORWARD, "head", "ask_network"),
    Part("expand: softmax, children", EVALUATOR, "expand"),
    Part("backpropagate", EVALUATOR, "backpropagate"),
)

TICKS = np.zeros(len(PARTS), np.int64)
CALLS = np.zeros(len(PARTS), np.int64)


@intrinsic
def tick(typing_context: Any) -> Any:
    """The time stamp counter."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        read = ir.FunctionType(ir.IntType(64), [])
        counter = builder.module.declare_intrinsic("llvm.readcyclecounter", fnty=read)
        return builder.call(counter, [])

    return numba.int64(), generate


@intrinsic
def add_at(typing_context: Any, address: Any, number: Any) -> Any:
    """Add to the int64 at an address: compiled code would take an array for a constant."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        builder.store(builder.add(builder.load(place), args[1]), place)
        return context.get_dummy_value()

    return numba.void(numba.int64, numba.int64), generate


def timed(function: Any, slot: int) -> Any:
    """The function with a clock around it."""
    names = ", ".join(inspect.signature(function.py_func).parameters)
    ticks, calls = (int(a.ctypes.data + 8 * slot) for a in (TICKS, CALLS))
    lines = (
        f"def {function.__name__}({names}):",
        "    begun = tick()",
        f"    found = function({names})",
        f"    add_at({ticks}, tick() - begun)",
        f"    add_at({calls}, 1)",
        "    return found",
    )
    scope = {"function": function, "tick": tick, "add_at": add_at}
    exec("\n".join(lines), scope)
    return numba.njit(nogil=True)(scope[function.__name__])


def put_clocks() -> None:
    """Around all PARTS; nothing that is compiled from now on is kept."""
    _jit.FunctionCache = lambda *_: NullCache()  # type: ignore[assignment,misc]
    for slot, part in enumerate(PARTS):
        module = importlib.import_module(f"hemlock_env.{part.module}")
        setattr(module, part.function, timed(getattr(module, part.function), slot))


def measure(games: int, leaves: int) -> tuple[list[float], list[float]]:
    """Microseconds an iteration, medians: of each part by itself, and of all and what is left."""
    from tests.benchmarks.__main__ import guided, search_rows

    play = search_rows(guided(leaves), games)
    play()
    rounds = []
    for _ in range(ROUNDS):
        TICKS[:] = 0
        begun, begun_ticks = time.process_time(), READ()
        iterations = play()
        seconds, ticks = time.process_time() - begun, READ() - begun_ticks
        own = TICKS.astype(np.float64)
        for slot, part in enumerate(PARTS):
            if part.inside:
                outer = [other.function for other in PARTS].index(part.inside)
                own[outer] -= TICKS[slot]
        shares = np.append(own, [ticks - own.sum(), ticks]) / ticks
        rounds.append(shares * seconds / iterations * 1e6)
    return [median(column) for column in zip(*rounds, strict=True)], (CALLS / CALLS[0]).tolist()


READ: Callable[[], int] = numba.njit(lambda: tick())


def main() -> None:
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=64, help="searched together")
    parser.add_argument("--leaves", type=int, default=1, help="in flight together in one tree")
    given = parser.parse_args()
    put_clocks()
    found, calls = measure(given.games, given.leaves)
    table = Table(title=f"an iteration, {given.games} games together, leaves={given.leaves}")
    for column in ("part", "µs", "share", "times an iteration"):
        table.add_column(column, justify="left" if column == "part" else "right")
    names = [("  " if part.inside else "") + part.what for part in PARTS]
    for i, name in enumerate([*names, "what is left", "all"]):
        often = f"{calls[i]:.2f}" if i < len(calls) else ""
        table.add_row(name, f"{found[i]:.2f}", f"{found[i] / found[-1]:.0%}", often)
    Console(width=100).print(table)
    print(f"medians of {ROUNDS} rounds; load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()

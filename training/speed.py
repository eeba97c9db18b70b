"""`python -m training.speed`: decisions a second of the two trainers, side by side.

Both play and learn with a 256x2 network and one epoch, no pool. Every setting of games, steps and
minibatch is measured for both in float32 and one process; then the trainer of this project as it is
used, with its own precision and more processes. Each figure is a median over rounds in which all
take turns, so that a busy machine slows all of them. A decision counts when it enters a gradient.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

from hemlock_env.cli.output import show
from hemlock_env.learning.config import Settings, check_settings
from hemlock_env.learning.maskable_ppo import MaskablePPOTrainer
from hemlock_env.learning.ppo import PPOTrainer
from hemlock_env.learning.process import prepare_process
from hemlock_env.learning.trainer import Trainer

NETWORK = {"hidden_sizes": [256, 256], "update_epochs": 1, "pool_share": 0.0}
# Games, steps of a rollout, minibatch: small, middle, large.
SIZES = ((256, 32, 2048), (1024, 32, 8192), (4096, 32, 32768))
HEAD = ("trainer", "precision", "games", "minibatch", "processes", "a process", "in all", "range")


class Row(NamedTuple):
    """One trainer with one setting."""

    name: str
    make: Callable[[Settings], Trainer]
    precision: str
    size: tuple[int, int, int]
    processes: int = 1

    def trainer(self) -> Trainer:
        """Begun, with all that it compiles or starts done."""
        games, steps, minibatch = self.size
        keys: dict[str, object] = {
            "num_envs": games,
            "num_steps": steps,
            "minibatch_size": minibatch,
        }
        if self.make is PPOTrainer:  # MaskablePPO knows neither
            keys |= {"precision": self.precision, "processes": self.processes}
        more = {"total_timesteps": 10**9}
        trainer = self.make(check_settings({**NETWORK, **keys, **more}, "training.speed"))
        trainer.start()
        trainer.update()
        return trainer


def rows_of(processes: int, sizes: tuple[tuple[int, int, int], ...] = SIZES) -> list[Row]:
    """What is measured: both trainers at every size on equal terms, then ours as it is used."""
    found = [
        Row(name, make, "float32", size)
        for size in sizes
        for name, make in (("PPO", PPOTrainer), ("MaskablePPO", MaskablePPOTrainer))
    ]
    used = [Row("PPO", PPOTrainer, "auto", sizes[-1], count) for count in sorted({1, processes})]
    return [*found, *used]


def pace(trainer: Trainer, updates: int) -> float:
    """Decisions a second of wall time over some updates."""
    before, begun = learned(trainer), time.perf_counter()
    for _ in range(updates):
        trainer.update()
    return (learned(trainer) - before) / (time.perf_counter() - begun)


def learned(trainer: Trainer) -> int:
    """Decisions that have entered a gradient; MaskablePPO learns from one seat of each game."""
    if isinstance(trainer, MaskablePPOTrainer):
        return int(trainer.model.num_timesteps)
    return trainer.num_timesteps


def measure(rows: list[Row], rounds: int) -> list[list[float]]:
    """Decisions a second of each row, round by round."""
    prepare_process()
    trainers: list[Trainer] = []
    try:
        for row in rows:
            trainers.append(row.trainer())
        by_round = [[pace(one, 1) for one in trainers] for _ in range(rounds)]
    finally:
        for trainer in trainers:
            trainer.close()
    return [list(paces) for paces in zip(*by_round, strict=True)]


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m training.speed", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=2, help="of PPO's last row (2)")
    parser.add_argument("--quick", action="store_true", help="the smallest size alone")
    given = parser.parse_args(arguments)
    if given.rounds < 1 or given.processes < 1:
        print("speed: --rounds and --processes must be 1 or more", file=sys.stderr)
        return 2
    rows = rows_of(given.processes, SIZES[:1] if given.quick else SIZES)
    found = measure(rows, given.rounds)
    medians = [statistics.median(paces) for paces in found]
    table = []
    for row, middle, paces in zip(rows, medians, found, strict=True):
        games, _steps, minibatch = row.size
        setting = row.name, row.precision, f"{games:,}", f"{minibatch:,}", str(row.processes)
        spread = f"{min(paces):,.0f} to {max(paces):,.0f}"
        table.append([*setting, f"{middle / row.processes:,.0f}", f"{middle:,.0f}", spread])
    show("decisions that enter a gradient, a second", table, HEAD)
    best = {
        name: max(m for m, row in zip(medians, rows, strict=True) if on_equal_terms(row, name))
        for name in ("PPO", "MaskablePPO")
    }
    ratio = best["PPO"] / best["MaskablePPO"]
    print(f"each at its own best size, float32, one process: PPO {ratio:.1f} times MaskablePPO")
    return 0


def on_equal_terms(row: Row, name: str) -> bool:
    """Is this a row of `name` that the other trainer has too?"""
    return row.name == name and row.precision == "float32" and row.processes == 1


if __name__ == "__main__":
    sys.exit(main())

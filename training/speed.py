"""`python -m training.speed`: decisions a second of the two trainers, side by side.

Both play and learn with a 256x2 network and one epoch; each figure is a median over rounds in which
they take turns, so that a busy machine slows both. A decision counts when it enters a gradient.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

from hemlock_env.cli.output import show
from hemlock_env.learning.config import Settings, check_settings
from hemlock_env.learning.maskable_ppo import MaskablePPOTrainer
from hemlock_env.learning.ppo import PPOTrainer
from hemlock_env.learning.process import prepare_process
from hemlock_env.learning.trainer import Trainer

NETWORK = {"hidden_sizes": [256, 256], "update_epochs": 1, "total_timesteps": 10**9}
OURS = {**NETWORK, "num_envs": 4096, "num_steps": 64, "minibatch_size": 32768, "pool_share": 0.0}
THEIRS = {**NETWORK, "num_envs": 256, "num_steps": 32, "minibatch_size": 2048, "pool_share": 0.0}
WARM_UP = 2  # updates that are not counted
HEAD = ("trainer", "median", "lowest", "highest", "ratio")


def settings_of(keys: dict[str, object], processes: int = 1) -> Settings:
    """Resolved; MaskablePPO knows one process alone."""
    more = {"processes": processes} if processes > 1 else {}
    return check_settings({**keys, **more}, "training.speed")


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


def measure(rounds: int, processes: int) -> dict[str, list[float]]:
    """Decisions a second, round by round."""
    prepare_process()
    ours = PPOTrainer(settings_of(OURS, processes))
    ours.start()
    theirs = MaskablePPOTrainer(settings_of(THEIRS))
    names = f"training.ppo, {processes} processes", "MaskablePPO (sb3-contrib)"
    found: dict[str, list[float]] = {name: [] for name in names}
    try:
        pace(ours, WARM_UP)
        pace(theirs, 1)
        for _ in range(rounds):
            found[names[0]].append(pace(ours, 3))
            found[names[1]].append(pace(theirs, 1))
    finally:
        ours.close()
    return found


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m training.speed", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--processes", type=int, default=2, help="of training.ppo (2)")
    given = parser.parse_args(arguments)
    if given.rounds < 1 or given.processes < 1:
        print("speed: --rounds and --processes must be 1 or more", file=sys.stderr)
        return 2
    found = measure(given.rounds, given.processes)
    medians = {name: statistics.median(paces) for name, paces in found.items()}
    yardstick = list(medians.values())[-1]
    rows = []
    for name, paces in found.items():
        figures = (f"{pace:,.0f}" for pace in (medians[name], min(paces), max(paces)))
        rows.append([name, *figures, f"{medians[name] / yardstick:.1f} x"])
    show("decisions that enter a gradient, a second", rows, HEAD)
    return 0


if __name__ == "__main__":
    sys.exit(main())

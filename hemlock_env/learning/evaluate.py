"""`python -m training.evaluate RUN`: the newest checkpoint of a run against the scripted bots.

Every seed is played twice with the seats swapped (docs/evaluation.md). Needs no torch.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from hemlock_env.evaluation.match import MatchResult, play_match
from hemlock_env.learning.config import read_settings
from hemlock_env.network.policy import load_policy

OPPONENTS = ("random", "greedy", "planner")


def evaluate(run: Path, games: int, seed: int) -> dict[str, MatchResult]:
    """The matches, under the options that the run's checkpoint was trained for."""
    checkpoint, config = run / "checkpoint", run / "config.toml"
    if config.is_file():  # it tells where the cards are, a checkpoint only which they are
        options = read_settings(config).batch_options
    else:
        options = dict(load_policy(checkpoint).meta["options"])
    return {
        opponent: play_match(f"ckpt:{checkpoint}", opponent, games, seed, options)
        for opponent in OPPONENTS
    }


def write_json(path: Path, results: dict[str, MatchResult]) -> None:
    """All that is known of the matches, by opponent, whole or not at all."""
    stored = {name: result.as_dict() for name, result in results.items()}
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    os.replace(fresh, path)


def table_of(results: dict[str, MatchResult]) -> Table:
    """What a person reads."""
    table = Table(title="strength, one forward pass a decision, likeliest action")
    table.add_column("against")
    for column in ("games", "score", "95 % interval", "by seat", "margin", "games/s"):
        table.add_column(column, justify="right")
    for opponent, result in results.items():
        low, high = result.interval
        table.add_row(
            opponent,
            f"{result.games:,}",
            f"{result.score:.1%}",
            f"{low:.1%} to {high:.1%}",
            " / ".join(f"{score:.1%}" for score in result.seats),
            f"{result.margin:+.1f}",
            f"{result.games / result.seconds:,.0f}",
        )
    return table


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m training.evaluate", description=__doc__)
    parser.add_argument("run", type=Path, help="run folder, such as runs/quickstart")
    parser.add_argument("--games", type=int, default=2000, help="games against each bot (2000)")
    parser.add_argument("--seed", type=int, default=2026, help="seed of the matches (2026)")
    given = parser.parse_args(arguments)
    try:
        results = evaluate(given.run, given.games, given.seed)
        write_json(given.run / "evaluation.json", results)
    except (ValueError, OSError) as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 2
    Console(width=None if sys.stdout.isatty() else 100).print(table_of(results))
    print(
        f"run folder: {given.run} (learning_curve.png, metrics.csv, checkpoint/, evaluation.json)"
    )
    print(f"play it: hemlock match ckpt:{given.run / 'checkpoint'} greedy --games 200")
    return 0


if __name__ == "__main__":
    sys.exit(main())

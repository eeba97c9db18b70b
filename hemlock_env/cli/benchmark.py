"""`hemlock benchmark AGENT`: the numbers that people cite."""

from __future__ import annotations

import re
from pathlib import Path

import click

from hemlock_env._files import write_json
from hemlock_env.cli.ladder import play_missing
from hemlock_env.cli.options import PATH, processes_option
from hemlock_env.cli.output import progress, refusals, show


@click.command()
@click.argument("agent")
@click.option("--out", type=PATH, help="Folder; runs/benchmark/AGENT.")
@processes_option
def benchmark(agent: str, out: Path | None, processes: int) -> None:
    """Run the frozen benchmark for AGENT, any bot's spec.

    Its opponents, seeds and numbers of games are fixed; docs/benchmark.md defines them. The games
    are kept in the folder: the same command goes on where it was stopped.

    Example: hemlock benchmark ckpt:runs/quickstart
    """
    from hemlock_env.evaluation.benchmark import FILE, Benchmark
    from hemlock_env.evaluation.endgames import POSITIONS
    from hemlock_env.evaluation.ladder.report import PAIR_HEAD, pair_rows

    folder = out or Path("runs/benchmark") / re.sub(r"[^\w=.-]+", "_", agent)
    with refusals():
        run = Benchmark(agent, folder)
    play_missing(run.ladder, processes)
    with progress(POSITIONS, "endgames", "endgames") as note:
        result = run.result(note)
    write_json(folder / FILE, result.as_dict())
    opponents = [row[1:] for row in pair_rows(result.opponents)]
    show(f"{agent} against", opponents, PAIR_HEAD[1:])
    show(f"Benchmark, protocol {result.protocol}, rules {result.rules}", result.lines())
    click.echo(f"result: {folder / FILE}")

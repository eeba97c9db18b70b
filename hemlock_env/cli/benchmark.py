"""`hemlock benchmark AGENT`: the numbers that people cite."""

from __future__ import annotations

from pathlib import Path

import click

from hemlock_env._files import write_json
from hemlock_env.cli.ladder import play_missing
from hemlock_env.cli.options import PATH, processes_option
from hemlock_env.cli.output import progress, refusals, show

DEFAULT_PROTOCOL = "1.1"  # `protocols.DEFAULT`; importing it would load the package for --help


@click.command()
@click.argument("agent")
@click.option(
    "--protocol",
    default=DEFAULT_PROTOCOL,
    show_default=True,
    metavar="NAME",
    help="2 has stronger opponents and shorter intervals; 1.1 is what earlier results are beside.",
)
@click.option("--out", type=PATH, help="Folder; runs/benchmark/PROTOCOL/AGENT.")
@processes_option
def benchmark(agent: str, protocol: str, out: Path | None, processes: int) -> None:
    """Run a frozen benchmark for AGENT, any bot's spec.

    The opponents, seeds and numbers of games of a protocol are fixed; docs/benchmark.md defines
    them. The games are kept in the folder: the same command goes on where it was stopped.

    Example: hemlock benchmark ckpt:runs/quickstart --protocol 2
    """
    from hemlock_env.evaluation.benchmark import FILE, Benchmark, default_folder
    from hemlock_env.evaluation.endgames import POSITIONS
    from hemlock_env.evaluation.ladder.report import PAIR_HEAD, pair_rows
    from hemlock_env.evaluation.protocols import find_protocol

    with refusals():
        folder = out or default_folder(find_protocol(protocol).name, agent)
        run = Benchmark(agent, folder, protocol)
    play_missing(run.ladder, processes)
    with progress(POSITIONS, "endgames", "endgames") as note:
        result = run.result(note)
    write_json(folder / FILE, result.as_dict())
    opponents = [row[1:] for row in pair_rows(result.opponents)]
    show(f"{agent} against", opponents, PAIR_HEAD[1:])
    made = f"protocol {result.protocol}, cards {result.cards}, rules {result.rules}"
    show(f"Benchmark, {made}", result.lines())
    click.echo(f"result: {folder / FILE}")

"""`hemlock ship RUN NAME`: a run's policy becomes a checkpoint with a model card."""

from __future__ import annotations

from pathlib import Path

import click

from hemlock_env.cli.options import CORES, PATH
from hemlock_env.cli.train import training


@click.command()
@click.argument("run", type=PATH)
@click.argument("name")
@click.argument("more", metavar="[RUN]...", nargs=-1, type=PATH)
@click.option(
    "--exploit", "exploiters", multiple=True, type=PATH, metavar="RUN",
    help="An exploiter's run, for the card.",
)  # fmt: skip
@click.option("--processes", type=int, default=CORES, help="Of the benchmark, at the same time.")
def ship(
    run: Path, name: str, more: tuple[Path, ...], exploiters: tuple[Path, ...], processes: int
) -> None:
    """Copy the policy of RUN to checkpoints/NAME, run the frozen benchmark, write the model card.

    Example: hemlock ship runs/two_player two_player --exploit runs/exploit
    """
    with training(run):
        from hemlock_env.learning.publish import ship

        home = ship(run, name, processes, [*exploiters, *more])
    click.echo(f"{home}: {', '.join(sorted(path.name for path in home.iterdir()))}")

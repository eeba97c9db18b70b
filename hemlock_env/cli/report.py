"""`hemlock report RUN RUN ...`: runs of several seeds as one result."""

from __future__ import annotations

import json
from pathlib import Path

import click

from hemlock_env.cli.options import PATH, json_option
from hemlock_env.cli.output import refusals, show


@click.command()
@click.argument("folders", metavar="RUN...", nargs=-1, required=True, type=PATH)
@click.option("--protocol", metavar="NAME", help="Take the benchmark of this protocol.")
@click.option("--markdown", "page", type=PATH, help="Write the tables to this file, too.")
@json_option
def report(
    folders: tuple[Path, ...], protocol: str | None, page: Path | None, as_json: bool
) -> None:
    """Mean, range and interval over seeds and pairs, of the runs in the folders RUN.

    Runs whose configs differ in the seed alone are counted together. Their scores are those of
    `hemlock benchmark ckpt:RUN`, or, where there is none, of the last matches in training.

    Example: hemlock report runs/quickstart
    """
    from hemlock_env._files import write_text
    from hemlock_env.learning import seeds

    with refusals():
        runs = [seeds.read_run(folder, protocol) for folder in folders]
        groups = seeds.group_runs(runs)
        if page is not None:
            write_text(page, seeds.markdown(groups))
    if as_json:
        click.echo(json.dumps(seeds.as_dict(groups)))
        return
    show(f"Scores by {groups[0].measured}", seeds.rows(groups), seeds.HEAD)
    for line in seeds.notes(groups):
        click.echo(f"note: {line}")

"""`hemlock ladder CONFIG`: many bots against each other, rated together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hemlock_env.cli.options import PATH, processes_option
from hemlock_env.cli.output import duration, progress_bar, refusals, show

if TYPE_CHECKING:
    from hemlock_env.evaluation.ladder.run import Ladder
    from hemlock_env.evaluation.ladder.standings import Standings


@click.command()
@click.argument("config", type=PATH)
@click.option("--out", type=PATH, help="Folder; runs/NAME for NAME.toml.")
@processes_option
@click.option("--report-only", is_flag=True, help="Play nothing, report what there is.")
@click.option("--anchor", metavar="NAME", help="Rate this bot 0; by default the one in the middle.")
def ladder(
    config: Path, out: Path | None, processes: int, report_only: bool, anchor: str | None
) -> None:
    """Play the bots of CONFIG against each other and rate them.

    All games are kept in the folder: the same command goes on where it was stopped, and plays what
    is missing when bots or pairs were added.

    Example: hemlock ladder configs/ladder.toml
    """
    from hemlock_env.evaluation.ladder.run import Ladder
    from hemlock_env.evaluation.ladder.schedule import read_schedule

    folder = out or Path("runs") / config.stem
    with refusals():
        run = Ladder(read_schedule(config, anchor), folder, read_only=report_only)
    if not report_only:
        play_missing(run, processes)
    with refusals():
        report(run.standings(), folder)


def play_missing(ladder: Ladder, processes: int) -> None:
    """What is missing, with a word beforehand on how long it takes."""
    games = ladder.schedule.games
    seconds = ladder.seconds_to_go(processes)
    if seconds:
        click.echo(
            f"{games:,} games of {len(ladder.schedule.pairings)} meetings, "
            f"about {duration(seconds)} in {processes} processes"
        )
    try:
        with progress_bar(games) as bar:
            ladder.play_missing(bar, processes)
    except KeyboardInterrupt:
        left = sum(chunk.groups for chunk in ladder.missing) * ladder.schedule.num_players
        there = f"{games - left:,} of {games:,} games are in {ladder.store.folder}"
        click.echo(f"stopped: {there}; the same command goes on", err=True)
        raise click.Abort from None


def report(standings: Standings, folder: Path) -> None:
    """On the screen and in the folder."""
    from hemlock_env.evaluation.ladder.report import (
        BOT_HEAD,
        PAIR_HEAD,
        bot_rows,
        pair_rows,
        write_report,
    )

    show(f"Ratings, {standings.anchor} = 0", bot_rows(standings), BOT_HEAD)
    show("Meetings", pair_rows(standings.meetings), PAIR_HEAD)
    for line in [*standings.warnings, *write_report(standings, folder)]:
        click.echo(line)
    click.echo(f"report: {folder / 'ladder.md'}")

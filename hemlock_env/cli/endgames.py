"""`hemlock endgames BOT`: how often a bot misses the best action of positions solved exactly."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import click

from hemlock_env.cli.options import json_option, seed_option
from hemlock_env.cli.output import progress, refusals, tell


@click.command()
@click.argument("bot", required=False)
@click.option(
    "--positions", type=int, help="The first so many of the set; by default all. With --make 1000."
)
@seed_option
@click.option("--set", "path", help="A set of your own instead of the shipped one.")
@json_option
@click.option("--make", "made", metavar="FILE", help="Make a new set instead (BOT is left out).")
def endgames(
    bot: str | None,
    positions: int | None,
    seed: int,
    path: str | None,
    as_json: bool,
    made: str | None,
) -> None:
    """Ask BOT what it plays in the last night, where every action has been solved exactly.

    Prints how often it misses the best action, and how much it loses by that. `hemlock bots` lists
    the bots.

    Example: hemlock endgames planner --positions 100
    """
    if made is not None:
        if bot is not None or path is not None or as_json:
            raise click.UsageError("--make goes with --positions and --seed alone")
        make(made, positions, seed)
        return
    if bot is None:
        raise click.UsageError("name a BOT to test (`hemlock bots` lists them), or --make FILE")
    from hemlock_env.evaluation.endgames import EndgameTest

    with refusals():
        test = EndgameTest(bot, positions, seed, path)
    with progress(len(test.set), "positions", "asking") as note:
        result = test.play(note)
    tell(result, as_json, f"{bot} in {result.positions} endgames, seed {seed}")


# ---- a new set ----


def make(path: str, positions: int | None, seed: int) -> None:
    """Make a set and write it to a file that isn't there yet."""
    from hemlock_env.evaluation.endgames import POSITIONS, make_endgames

    count = POSITIONS if positions is None else positions
    with new_file(path) as file, progress(count, "positions", "solving") as note:
        with refusals():
            made = make_endgames(count, seed, note)
        file.write(made)
    click.echo(f"{count} positions in {path}")


@contextmanager
def new_file(path: str) -> Iterator[IO[bytes]]:
    """A file made before the work: nothing is overwritten, and what was broken off leaves nothing
    behind.
    """
    try:
        file = open(path, "xb")
    except FileExistsError:
        why = "is there already: name another file, or remove it first"
        raise click.UsageError(f"{path} {why}") from None
    except OSError as error:
        raise click.UsageError(f"{path} can't be written: {error.strerror}") from error
    try:
        with file:
            yield file
    except BaseException:
        os.remove(path)
        raise

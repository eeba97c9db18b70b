"""What the commands share: refusals in one line, options of the game, progress, tables."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

REFUSED = 2  # exit code for what was asked wrongly
INTERRUPTED = 130
SEED_MAX = 2**63 - 1
NOTICED = 2.0  # seconds after which it can be told how long something will take
SLOW = 10.0  # seconds; what takes longer is told


class OneLine(click.Group):
    """Says what is wrong in one line on stderr, without the usage around it."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command and leave with its exit code."""
        try:
            sys.exit(super().main(*args, **{**kwargs, "standalone_mode": False}))
        except click.ClickException as error:
            click.echo(f"hemlock: {' '.join(error.format_message().split())}", err=True)
            sys.exit(REFUSED)
        except click.Abort:
            click.echo("hemlock: interrupted", err=True)
            sys.exit(INTERRUPTED)


@contextmanager
def refusals() -> Iterator[None]:
    """A ValueError that explains itself to a person, as a refusal."""
    try:
        yield
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.UsageError(f"{error.filename}: {error.strerror or error}") from error


def find_own_bots() -> None:
    """Bots of one's own are imported from the current folder, as with `python -m`."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())


# ---- options of the game ----

GAME_OPTIONS = (
    click.option("--players", type=click.IntRange(2, 4), default=2, help="How many houses."),
    click.option(
        "--sides", default="basic", help="basic, advanced, random; or four, comma-separated."
    ),
    click.option("--loot", type=click.Choice(["row", "hand"]), default="row", help="hand: hidden."),
    click.option(
        "--items-as-loot", is_flag=True, help="An item may be used in place of a loot card."
    ),
    click.option("--agendas", is_flag=True, help="Secret agenda cards."),
    click.option("--card-set", default="vault_of_darkness", help="Id of a shipped set, or a file."),
)


def game_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say which game is played; `options_of` reads them back."""
    for option in reversed(GAME_OPTIONS):
        command = option(command)
    return command


def options_of(words: dict[str, Any]) -> dict[str, Any]:
    """What `Game` takes, from what `game_options` gave."""
    sides = words["sides"]
    return {
        "num_players": words["players"],
        "sides": sides.split(",") if "," in sides else sides,
        "loot": words["loot"],
        "items_as_loot": words["items_as_loot"],
        "agendas": words["agendas"],
        "card_set": words["card_set"],
    }


# ---- for people ----


@contextmanager
def progress_bar(total: float, about: str = "playing") -> Iterator[Callable[[float], None] | None]:
    """A bar on stderr if that is a terminal; takes how much is done."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(about, total=total)
        yield lambda done: bar.update(task, completed=done)


def foretelling(bar: Callable[[float], None] | None, what: str) -> Callable[[float, int], None]:
    """Moves a bar, and says once how long all will take if that is long."""
    begun = time.perf_counter()
    told = False

    def progress(done: float, total: int) -> None:
        nonlocal told
        took = time.perf_counter() - begun
        if not told and took > NOTICED and 0 < done < total:
            left = took / done * (total - done)
            if left > SLOW:
                click.echo(f"about {duration(left)} to go for {total:,} {what}", err=True)
            told = True
        if bar is not None:
            bar(done)

    return progress


def show(title: str, rows: list[tuple[str, str]]) -> None:
    """A table on a terminal, plain text elsewhere."""
    if not sys.stdout.isatty():
        width = max(len(name) for name, _ in rows)
        click.echo("\n".join([title, *(f"{name:{width}}  {value}" for name, value in rows)]))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), show_header=False)
    for name, value in rows:
        table.add_row(Text(name), Text(value))
    Console().print(table)


def show_table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table with a head: lines and colours on a terminal, plain columns elsewhere."""
    if not sys.stdout.isatty():
        lines = [head, *rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        click.echo(title)
        for line in lines:
            cells = [f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)]
            click.echo("  ".join(cells).rstrip())
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title))
    for name in head:
        table.add_column(Text(name))
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


def duration(seconds: float) -> str:
    """In words, roughly."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"

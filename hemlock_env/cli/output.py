"""What commands say to people: refusals in one line, progress, tables."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

REFUSED = 2  # exit code for what was asked wrongly
INTERRUPTED = 130
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


# ---- progress ----


@contextmanager
def progress_bar(total: float, about: str = "playing") -> Iterator[Callable[[float], None]]:
    """A bar on stderr if that is a terminal; takes how much is done."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(about, total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def progress(
    total: float, what: str, about: str = "playing"
) -> Iterator[Callable[[float, int], None]]:
    """A bar that says once how long all will take if that is long; takes how much is done, and of
    how much.
    """
    begun = time.perf_counter()
    estimated = False

    def note(done: float, total: int) -> None:
        nonlocal estimated
        took = time.perf_counter() - begun
        if not estimated and took > NOTICED and 0 < done < total:
            left = took / done * (total - done)
            if left > SLOW:
                click.echo(f"about {duration(left)} to go for {total:,} {what}", err=True)
            estimated = True
        bar(done)

    with progress_bar(total, about) as bar:
        yield note


def duration(seconds: float) -> str:
    """In words, roughly."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


# ---- results ----


def tell(result: Any, as_json: bool, title: str) -> None:
    """A result as one JSON object, or in words."""
    if as_json:
        click.echo(json.dumps(result.as_dict()))
    else:
        show(title, result.lines())


def show(title: str, rows: Sequence[Sequence[str]], head: Sequence[str] = ()) -> None:
    """A table: lines and colours on a terminal, plain columns elsewhere."""
    if not sys.stdout.isatty():
        lines = [head, *rows] if head else rows
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        click.echo(title)
        for line in lines:
            cells = [f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)]
            click.echo("  ".join(cells).rstrip())
        return
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    columns = (Column(Text(name)) for name in head)
    table = Table(*columns, title=Text(title), show_header=bool(head))
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)

"""What commands say to people: refusals in one line, progress, tables."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from traceback import walk_tb
from typing import Any

import click

from hemlock_env._signals import ENDINGS, Ending, heard, silence

REFUSED = 2  # exit code for what was asked wrongly
FAILED = 1  # what was found out can't be told
SIGNALLED = 128  # and a signal's number
INTERRUPTED = SIGNALLED + 2
CLOSED_PIPE = SIGNALLED + 13  # what other tools leave with when `head` has read enough
NOTICED = 2.0  # seconds after which it can be told how long something will take
SLOW = 10.0  # seconds; what takes longer is told
BETWEEN_LINES = 30.0  # seconds between lines of a status where there is no terminal


class OneLine(click.Group):
    """Says what is wrong in one line on stderr, without the usage around it."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command and leave with its exit code."""
        ending = Ending()
        try:
            with heard(ENDINGS, ending.hear):
                code = self._run(*args, **kwargs)
        except KeyboardInterrupt:  # while it was leaving
            code = INTERRUPTED
        sys.exit(finish_output(SIGNALLED + ending.signal if ending.signal else code))

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        """A command's exit code, whatever ends it."""
        try:
            return super().main(*args, **{**kwargs, "standalone_mode": False})
        except click.ClickException as error:
            complain(" ".join(error.format_message().split()))
            return REFUSED
        except click.Abort:
            complain("interrupted")
            return INTERRUPTED
        except SystemExit as error:  # so rich leaves when nobody reads any more
            closed = isinstance(error.__context__, BrokenPipeError)
            return CLOSED_PIPE if closed else error.code
        except OSError as error:
            if not of_output(error):
                raise
            return output_failed(error)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read the words of a command; help and version are told here."""
        with closed_pipes():
            return super().make_context(*args, **kwargs)

    def invoke(self, context: click.Context) -> Any:
        """Do what the words say."""
        with closed_pipes():
            return super().invoke(context)


# ---- output that can't be written ----


@contextmanager
def closed_pipes() -> Iterator[None]:
    """Nobody reads any more: the code for it, for releases of click have others."""
    try:
        yield
    except BrokenPipeError as error:
        raise SystemExit(CLOSED_PIPE) from error


def of_output(error: OSError) -> bool:
    """Is it standard output or standard error that can't be written, and no file?"""
    if error.filename is not None:
        return False
    *_, (frame, _) = walk_tb(error.__traceback__)  # where it was raised
    return frame.f_globals["__name__"].partition(".")[0] in ("click", "rich")


def output_failed(error: OSError) -> int:
    """The exit code where output can't be written; the reason is told, if anybody can read it."""
    if isinstance(error, BrokenPipeError):
        return CLOSED_PIPE
    complain(f"output can't be written: {error.strerror}: send it to where there is room")
    return FAILED


def finish_output(code: Any) -> Any:
    """The exit code, once all is written; what can't be is let go, for Python would tell of it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            with suppress(OSError, ValueError):  # as in tests, where a stream has no number
                silence(stream.fileno())
            code = code or output_failed(error)
        except (AttributeError, ValueError):  # there is none, or it is closed
            pass
    return code


def complain(line: str) -> None:
    """A line on stderr; without one, the exit code has to do."""
    with suppress(OSError):
        click.echo(f"hemlock: {line}", err=True)


@contextmanager
def refusals() -> Iterator[None]:
    """A ValueError that explains itself to a person, as a refusal."""
    try:
        yield
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        if of_output(error):
            raise
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


@contextmanager
def status(total: float) -> Iterator[Callable[[float, str], None]]:
    """A bar with a line of text; where there is no terminal, the line alone, every half minute.
    Takes how much is done, and the line.
    """
    if not sys.stderr.isatty():
        told = time.monotonic()

        def tell_now_and_then(done: float, line: str) -> None:
            nonlocal told
            if time.monotonic() - told >= BETWEEN_LINES:
                told = time.monotonic()
                click.echo(line, err=True)

        yield tell_now_and_then
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = BarColumn(bar_width=20), TextColumn("{task.description}", markup=False)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("playing", total=total)
        yield lambda done, line: bar.update(task, completed=done, description=line)


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

"""`hemlock replay RECORD`: a record checked and told in words, or as a page to look through."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hemlock_env.cli.options import PATH
from hemlock_env.cli.output import refusals

if TYPE_CHECKING:
    from hemlock_env.render.page import Opinion


@click.command()
@click.argument("record", type=PATH)
@click.option("--html", type=PATH, help="Write a page here instead of words.")
@click.option(
    "--values", metavar="ckpt:PATH", help="Add what this checkpoint expects and would do."
)
@click.option("--card-set", help="A file, if the record's own id doesn't find its cards.")
def replay(record: Path, html: Path | None, values: str | None, card_set: str | None) -> None:
    """Replay a record, checking every event against the rules.

    Without --html the moves are printed in words. The page is one file: step, play, jump to a
    night, and see what each seat knew.

    Example: hemlock replay game.json --html game.html
    """
    from hemlock_env._files import read_json, write_text
    from hemlock_env.render.page import replay_page

    if values is not None and html is None:
        raise click.UsageError("--values goes with --html: the curve is on the page")
    with refusals():
        played = read_json(record, "a record in JSON")
        if html is None:
            click.echo("\n".join(words_of(played, card_set)))
            return
        _check_target(html, record)
        opinion = None if values is None else opinion_from(values, played, card_set)
        page = replay_page(played, card_set=card_set, opinion=opinion)
    try:
        write_text(html, page)
    except OSError as error:
        raise click.UsageError(f"{html}: can't be written: {error.strerror}") from error
    click.echo(f"{html}: {len(page.encode()) / 1000:,.0f} kB, open it in a browser")


def _check_target(html: Path, record: Path) -> None:
    """Only a page is written over, never a record or anything else."""
    if html.is_dir():
        raise click.UsageError(f"{html}: is a folder; name a file such as {html / 'game.html'}")
    if html.exists() and html.resolve() == record.resolve():
        raise click.UsageError(f"{html}: is the record itself; name another file for the page")
    if html.exists() and not html.read_bytes()[:15].lower().startswith(b"<!doctype html>"):
        raise click.UsageError(f"{html}: is there and isn't a page; name another file")


def words_of(record: dict[str, Any], card_set: str | None) -> list[str]:
    """The moves in words, after the whole record has been checked."""
    from hemlock_env.game.replay import replay
    from hemlock_env.render.page import moves

    *_, game = replay(record, card_set=card_set)
    lines = [move["words"] for move in moves(record, game.card_set)]
    scores = ", ".join(f"seat {seat}: {score}" for seat, score in enumerate(game.scores()))
    winners = ", ".join(map(str, game.winners()))
    return [*lines, f"Final: {scores}. Won by seat {winners}." if game.over else "Not over yet."]


def opinion_from(spec: str, record: dict[str, Any], card_set: str | None) -> Opinion:
    """What a checkpoint expects and would do, decision by decision."""
    from hemlock_env.agents import make_bot
    from hemlock_env.agents.network_bot import CheckpointBot
    from hemlock_env.game.replay import replay
    from hemlock_env.play.opinion import opinion_of

    bot = make_bot(spec)
    if not isinstance(bot, CheckpointBot):
        raise ValueError(f"--values {spec}: must be a checkpoint, ckpt:PATH")
    game = next(replay(record, card_set=card_set))
    bot.check(game.spec, game.checked_options)
    return partial(opinion_of, bot.policy)

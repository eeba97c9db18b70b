"""The command line: `hemlock match`, `hemlock bots`, `hemlock warmup`.

Nothing heavy is imported before a command needs it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

import hemlock_env

if TYPE_CHECKING:
    from hemlock_env.evaluation.match import Match, MatchResult, Progress

REFUSED = 2  # exit code for what was asked wrongly
INTERRUPTED = 130
SEED_MAX = 2**63 - 1


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


@click.group(
    cls=OneLine,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(hemlock_env.__version__, prog_name="hemlock")
@click.pass_context
def main(context: click.Context) -> None:
    """Hemloch: Vault of Darkness, for reinforcement learning."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@main.command()
def bots() -> None:
    """List the bots and how each is written."""
    from hemlock_env.agents import describe_bots

    described = describe_bots()
    width = max(map(len, described))
    for spec, about in described.items():
        click.echo(f"{spec:{width}}  {about}")


@main.command()
def warmup() -> None:
    """Compile the rules and the bots now, instead of at the first game."""
    from hemlock_env import Batch, Game, list_bots, make_bot

    game = Game(seed=0)
    for name in list_bots():
        game.step(make_bot(name).act(game))
    game.record()  # and with it what Python asks of the rules besides playing
    game.redeal(0, 0).scores()
    game.winners()
    batch = Batch(1)
    batch.step(batch.sample())
    batch.reset()
    click.echo("ready")


@main.command("match")
@click.argument("bot_a", metavar="A")
@click.argument("bot_b", metavar="B")
@click.option("--games", type=int, default=200, help="How many; rounded up to whole groups.")
@click.option("--seed", type=click.IntRange(0, SEED_MAX), default=0, help="Fixes everything.")
@click.option("--players", type=click.IntRange(2, 4), default=2, help="B takes all seats but one.")
@click.option("--sides", default="basic", help="basic, advanced, random; or four, comma-separated.")
@click.option("--loot", type=click.Choice(["row", "hand"]), default="row", help="hand: hidden.")
@click.option("--items-as-loot", is_flag=True, help="An item may be used in place of a loot card.")
@click.option("--agendas", is_flag=True, help="Secret agenda cards.")
@click.option("--card-set", default="vault_of_darkness", help="Id of a shipped set, or a file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def match_command(
    bot_a: str,
    bot_b: str,
    games: int,
    seed: int,
    players: int,
    sides: str,
    loot: str,
    items_as_loot: bool,
    agendas: bool,
    card_set: str,
    as_json: bool,
) -> None:
    """Play bot A against bot B, each seed with the seats changed round.

    `hemlock bots` lists the bots.
    """
    from hemlock_env.evaluation.match import Match

    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # for bots of one's own, as with `python -m`
    options = {
        "num_players": players,
        "sides": sides.split(",") if "," in sides else sides,
        "loot": loot,
        "items_as_loot": items_as_loot,
        "agendas": agendas,
        "card_set": card_set,
    }
    with refusals():
        match = Match(bot_a, bot_b, games, seed, options)
    if as_json:
        click.echo(json.dumps(match.play().as_dict()))
        return
    if match.games != games:
        click.echo(f"{games} games rounded up to {match.games}: whole groups of {match.group_size}")
    with progress_bar(match) as progress:
        result = match.play(progress)
    show(f"{bot_a} against {bot_b}, seed {seed}", lines(result))


@contextmanager
def progress_bar(match: Match) -> Iterator[Progress | None]:
    """A bar on stderr if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("playing", total=match.games)
        yield lambda played, _: bar.update(task, completed=played)


def lines(result: MatchResult) -> list[tuple[str, str]]:
    """A result for people: what, and how much."""
    low, high = result.interval
    seats = ", ".join(f"{seat}: {score:.3f}" for seat, score in enumerate(result.seats))
    rows = [
        ("games", f"{result.games} in {result.pairs} groups, {result.distinct_games} distinct"),
        ("win, draw, loss", f"{result.wins}, {result.draws}, {result.losses}"),
        ("score", f"{result.score:.3f} (95 % interval {low:.3f} to {high:.3f})"),
        ("score by seat", seats),
        ("mean margin", f"{result.margin:+.2f} influence"),
        ("speed", f"{result.games / result.seconds:,.0f} games a second"),
    ]
    if result.illegal:
        rows.append(("illegal actions", f"{result.illegal}, the lowest legal one played instead"))
    return rows


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


if __name__ == "__main__":
    main()

"""`hemlock play BOT`: a game against bots in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from hemlock_env.cli.options import PATH, SEED_MAX, game_options, hints_option
from hemlock_env.cli.output import refusals

if TYPE_CHECKING:
    from hemlock_env.play.session import Session

WITH_LOAD = ("bots", "load", "save", "hints", "card_set")  # all else is for a new game


@click.command()
@click.argument("bots", metavar="[BOT]...", nargs=-1)
@click.option("--seat", type=click.IntRange(0, 3), default=0, help="Where you sit.")
@click.option("--seed", type=click.IntRange(0, SEED_MAX), help="Fixes everything; else drawn.")
@hints_option
@click.option("--save", type=PATH, help="Keep the game here after every choice.")
@click.option("--load", type=PATH, help="Go on with a game that was kept.")
@game_options
@click.pass_context
def play(
    context: click.Context,
    /,
    bots: tuple[str, ...],
    seat: int,
    seed: int | None,
    hints: str,
    save: Path | None,
    load: Path | None,
    **options: Any,
) -> None:
    """Play against bots in the terminal.

    One BOT takes all other seats, or name one for each; without any it is greedy. `hemlock bots`
    lists them. Beside --load name just those of your own that play in the kept game: a record alone
    imports nothing. In the game, `help` lists the commands: hint, undo, save and load among them.

    Example: hemlock play planner --seat 1 --save game.json
    """
    from hemlock_env.play.session import Session
    from hemlock_env.play.terminal import Terminal

    with refusals():
        if load is None:
            session = Session.new(bots or ("greedy",), seat, hints, seed=seed, **options)
        else:
            _refuse_new_game_options(context)
            session = Session.read(load, hints=hints, card_set=options["card_set"], own=bots)
            _refuse_strangers(bots, session)
        keep = _target(save, load)
        terminal = Terminal(session, _read, click.echo, keep)
        if load is not None:
            terminal.saved = len(session.history)
        terminal.keep()
        terminal.run()
    if session.over:  # for whoever saw the end scroll by
        won = session.seat in session.game.winners()
        click.echo("You have won." if won else "You haven't won.")


def _read(prompt: str) -> str:
    line: str = click.prompt(prompt.rstrip("> "), "", prompt_suffix="> ", show_default=False)
    return line


def _refuse_new_game_options(context: click.Context) -> None:
    """The game that was kept says how it is played."""
    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        if parameter.name not in WITH_LOAD and source == ParameterSource.COMMANDLINE:
            given = parameter.opts[0] if isinstance(parameter, click.Option) else "BOTS"
            raise ValueError(f"{given} is for a new game; --load goes on with one as it was")


def _refuse_strangers(bots: tuple[str, ...], session: Session) -> None:
    """Beside --load, BOTS only vouches for those that play in the kept game."""
    for bot in bots:
        if bot not in session.agents:
            raise ValueError(f"{bot} is for a new game; in the kept one play {session.agents}")


def _target(save: Path | None, load: Path | None) -> Path | None:
    """Where the game is kept: never in place of another."""
    if save is None:
        return load
    if save.exists() and (load is None or save.resolve() != load.resolve()):
        raise ValueError(f"{save}: is there already; --load it, or name another file")
    return save

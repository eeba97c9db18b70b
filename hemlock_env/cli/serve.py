"""`hemlock serve`: games against bots in the browser."""

from __future__ import annotations

import logging
import os
import socket
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import click

from hemlock_env._files import claimed
from hemlock_env.cli.options import card_set_option, hints_option
from hemlock_env.cli.output import refusals

HOST = "127.0.0.1"  # nowhere else: the server trusts whoever reaches it


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=8642, help="0 takes a free one.")
@click.option(
    "--bot", "bots", metavar="BOT", multiple=True, help="Offer this bot; may be given repeatedly."
)
@hints_option
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="A folder for the games: they go on when the server is started again.",
)
@card_set_option
def serve(port: int, bots: tuple[str, ...], hints: str, keep: Path | None, card_set: str) -> None:
    """Play in the browser, on this machine alone.

    Without --bot the page offers greedy, planner and random. Needs the extra `play`.

    Example: hemlock serve --bot greedy --bot mcts --keep my_games
    """
    with ExitStack() as held:
        with refusals():
            app = _app(bots or ("greedy", "planner", "random"), hints, keep, card_set)
            if keep is not None:
                held.enter_context(claimed(keep, "another server keeps its games there"))
        listening = _listen(port)
        with suppress(KeyboardInterrupt):  # that is how it ends
            click.echo(f"http://{HOST}:{listening.getsockname()[1]}/ (stop with Ctrl-C)")
            _serve(app, listening)


def _app(bots: tuple[str, ...], hints: str, keep: Path | None, card_set: str) -> Any:
    """The application, once everything that it names has been found."""
    try:
        from hemlock_env.play.web import make_app
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("flask", "werkzeug"):
            raise
        raise ValueError("serve needs Flask: pip install 'hemlock-env[play]'") from None
    from hemlock_env.agents import make_bot
    from hemlock_env.cards import load_card_set

    load_card_set(card_set)
    for bot in (*bots, hints):
        make_bot(bot)
    if keep is not None:
        try:
            keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"--keep {keep}: can't be made: {error.strerror}") from None
    return make_app(bots, hints=hints, folder=keep, card_set=card_set)


def _listen(port: int) -> socket.socket:
    """A socket on this machine's own address; one line if the port is taken."""
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise click.UsageError(f"port {port}: {why}; choose another with --port") from error


def _serve(app: Any, listening: socket.socket) -> None:
    """Until Ctrl-C."""
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # no line for every request
    port, handle = listening.getsockname()[1], listening.fileno()
    server = make_server(HOST, port, app, threaded=True, fd=handle)
    try:
        server.serve_forever()
    finally:
        server.server_close()

"""The command line, `hemlock`: one file for each command.

Nothing heavy is imported before a command needs it.
"""

from __future__ import annotations

import os
import sys

import click

from hemlock_env._version import __version__
from hemlock_env.cli.benchmark import benchmark
from hemlock_env.cli.bots import bots, warmup
from hemlock_env.cli.endgames import endgames
from hemlock_env.cli.exploit import exploit
from hemlock_env.cli.ladder import ladder
from hemlock_env.cli.luck import luck
from hemlock_env.cli.match import match
from hemlock_env.cli.output import OneLine
from hemlock_env.cli.play import play
from hemlock_env.cli.replay import replay
from hemlock_env.cli.report import report
from hemlock_env.cli.serve import serve
from hemlock_env.cli.ship import ship
from hemlock_env.cli.sprt import sprt
from hemlock_env.cli.train import train

COMMANDS = (
    *(play, serve, replay, match, sprt, luck, ladder, endgames, benchmark),
    *(train, exploit, report, ship, bots, warmup),
)


@click.group(
    cls=OneLine,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(__version__, prog_name="hemlock")
@click.pass_context
def main(context: click.Context) -> None:
    """Hemloch: Vault of Darkness, for reinforcement learning."""
    # Bots of one's own are found here, as with `python -m`; a folder with records may be anyone's.
    if context.invoked_subcommand != "replay" and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in COMMANDS:
    main.add_command(command)

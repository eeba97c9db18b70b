"""Options that several commands take."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import click

SEED_MAX = 2**63 - 1
CORES = os.cpu_count() or 1

seed_option = click.option(
    "--seed", type=click.IntRange(0, SEED_MAX), default=0, help="Fixes everything."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
hints_option = click.option(
    "--hints", metavar="BOT", default="greedy", help="The bot that advises."
)
card_set_option = click.option(
    "--card-set", default="vault_of_darkness", help="Id of a shipped set, or a file."
)
processes_option = click.option(
    "--processes", type=click.IntRange(1, 256), default=CORES, help="At the same time."
)


def find_own_bots() -> None:
    """Bots of one's own are imported from the current folder, as with `python -m`."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())


# ---- options of the game ----


def _sides(context: click.Context, option: click.Parameter, word: str) -> str | list[str]:
    return word.split(",") if "," in word else word


GAME_OPTIONS = (
    click.option(
        "--players", "num_players", type=click.IntRange(2, 4), default=2, help="How many houses."
    ),
    click.option(
        "--sides",
        default="basic",
        callback=_sides,
        help="basic, advanced, random; or four, comma-separated.",
    ),
    click.option("--loot", type=click.Choice(["row", "hand"]), default="row", help="hand: hidden."),
    click.option(
        "--items-as-loot", is_flag=True, help="An item may be used in place of a loot card."
    ),
    click.option("--agendas", is_flag=True, help="Secret agenda cards."),
    card_set_option,
)


def game_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say which game is played, under the names that `Game` takes."""
    for option in reversed(GAME_OPTIONS):
        command = option(command)
    return command

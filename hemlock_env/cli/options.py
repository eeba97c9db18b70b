"""Options that several commands take."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from hemlock_env.game.options import DEFAULT_CARD_SET, OPTIONS, PLAYED, Options

SEED_MAX = 2**63 - 1
PATH: Any = click.Path(path_type=Path)
CORES = os.cpu_count() or 1

seed_option = click.option(
    "--seed", type=click.IntRange(0, SEED_MAX), default=0, help="Fixes everything."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
hints_option = click.option(
    "--hints", metavar="BOT", default="greedy", help="The bot that advises."
)
card_set_option = click.option(
    "--card-set", default=DEFAULT_CARD_SET, help="Id of a shipped set, or a file."
)
processes_option = click.option(
    "--processes", type=click.IntRange(1, 256), default=CORES, help="At the same time."
)


# ---- options of the game ----


def _sides(context: click.Context, option: click.Parameter, word: str) -> str | list[str]:
    return word.split(",") if "," in word else word


def _click_option(name: str) -> Callable[..., Any]:
    """An option of the game as one of the command line."""
    option, default = OPTIONS[name], getattr(Options, name)
    kind: dict[str, Any] = {"default": default}
    if option.choices:
        kind["type"] = click.Choice(option.choices)
    elif isinstance(default, bool):
        kind = {"is_flag": True}
    elif isinstance(default, int):
        kind["type"] = click.IntRange(*option.limits)
    else:
        kind |= {"default": default[0], "callback": _sides}
    word = (option.flag or name).replace("_", "-")
    return click.option(f"--{word}", name, help=option.help, **kind)


def game_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say which game is played, under the names that `Game` takes."""
    command = card_set_option(command)
    for name in reversed(PLAYED):
        command = _click_option(name)(command)
    return command

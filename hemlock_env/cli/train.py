"""`hemlock train CONFIG`: self-play training, from a config to a policy."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from hemlock_env.cli.options import PATH
from hemlock_env.cli.output import of_output

TRAINERS = {  # only the one that is asked for is loaded
    "ppo": "hemlock_env.learning.ppo:PPOTrainer",
    "maskable_ppo": "hemlock_env.learning.maskable_ppo:MaskablePPOTrainer",
}


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What the commands that make a run have in common: --resume and changes of the config.

    `--set a=1 b=2` may go on with more changes: click hands them over as arguments.
    """
    for decorate in (
        click.argument("more", metavar="[KEY=VALUE]...", nargs=-1),
        click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="A change."),
        click.option("--resume", is_flag=True, help="Go on from the last save."),
    ):
        command = decorate(command)
    return command


@contextmanager
def training(folder: Path) -> Iterator[None]:
    """What goes wrong in training, as a refusal in one line."""
    try:
        from hemlock_env.learning.team import TeamError

        yield
    except ImportError as error:
        raise click.UsageError(
            f"{error}: training needs the extra 'train': pip install 'hemlock-env[train]'"
        ) from error
    except OSError as error:
        if of_output(error):
            raise
        raise click.UsageError(
            f"{error.filename or folder}: {error.strerror or error}: make room or choose another "
            "--run; what was saved before is whole, and --resume goes on from there"
        ) from error
    except (ValueError, TeamError) as error:
        raise click.UsageError(str(error)) from error


@click.command()
@click.argument("config")
@run_options
@click.option("--run", type=PATH, help="Run folder; runs/NAME for NAME.toml.")
@click.option("--trainer", type=click.Choice([*TRAINERS]), default="ppo", help="What learns.")
def train(
    config: str,
    more: tuple[str, ...],
    changes: tuple[str, ...],
    resume: bool,
    run: Path | None,
    trainer: str,
) -> int:
    """Train a policy by self-play. CONFIG is a TOML file or the name of a shipped one: quickstart,
    two_player, maskable_ppo. docs/training.md explains every key.

    Ctrl-C saves; the same command with --resume goes on.

    Example: hemlock train quickstart --set seed=7 processes=1 --run runs/seed7
    """
    folder = run or Path("runs") / Path(config).stem
    with training(folder):
        from hemlock_env.learning.config import find_config, read_settings
        from hemlock_env.learning.run import train as run_training

        settings = read_settings(find_config(config), [*changes, *more])
        return run_training(pkgutil.resolve_name(TRAINERS[trainer]), settings, folder, resume)

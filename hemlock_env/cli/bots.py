"""`hemlock bots` and `hemlock warmup`."""

from __future__ import annotations

import importlib
import pkgutil
from contextlib import suppress

import click


@click.command()
def bots() -> None:
    """List the bots and how each is written.

    Example: hemlock bots
    """
    from hemlock_env.agents import describe_bots

    described = describe_bots()
    width = max(map(len, described))
    for spec, about in described.items():
        click.echo(f"{spec:{width}}  {about}")


@click.command()
def warmup() -> None:
    """Compile everything now, instead of when it is first used: rules, bots, solver, trainer.

    Example: hemlock warmup
    """
    from hemlock_env._files import PACKAGE
    from hemlock_env._jit import EntryDispatcher, ensure

    for module in pkgutil.walk_packages([str(PACKAGE)], "hemlock_env."):
        if module.name.startswith("hemlock_env.cli"):
            continue  # its __main__ would run
        with suppress(ModuleNotFoundError):  # of an extra that isn't installed
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, EntryDispatcher):
                    ensure(value)
    click.echo("ready")

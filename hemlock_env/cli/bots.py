"""`hemlock bots` and `hemlock warmup`."""

from __future__ import annotations

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
    """Compile the rules, the bots and the solver now, instead of at the first game.

    Example: hemlock warmup
    """
    from hemlock_env._jit import ensure
    from hemlock_env.agents import list_bots, make_bot
    from hemlock_env.envs import rows
    from hemlock_env.game import Batch, Game
    from hemlock_env.network import evaluator as guided
    from hemlock_env.search import alpha_beta

    game = Game(seed=0)
    for name in list_bots():
        game.step(make_bot(name).act(game))
    game.record()  # and with it what Python asks of the rules besides playing
    game.redeal(0, 0).scores()
    game.winners()
    batch = Batch(1)
    batch.step(batch.sample())
    batch.reset()
    for entry in (rows.play_rows, guided.search_guided, alpha_beta.solve_action):
        ensure(entry)
    click.echo("ready")

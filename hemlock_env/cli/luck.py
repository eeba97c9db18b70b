"""`hemlock luck A [B]`: how much of a result is skill and how much luck."""

from __future__ import annotations

from typing import Any

import click

from hemlock_env.cli.options import game_options, json_option, seed_option
from hemlock_env.cli.output import progress, refusals, tell


@click.command()
@click.argument("bot_a", metavar="A")
@click.argument("bot_b", metavar="[B]", required=False)
@click.option("--games", type=int, default=2000, help="How many; two for each deal.")
@seed_option
@game_options
@json_option
def luck(
    bot_a: str, bot_b: str | None, games: int, seed: int, as_json: bool, **options: Any
) -> None:
    """Measure what skill, first seat and deal have to do with the result of A against B.

    Without B the bot plays itself. Every deal is played twice with the seats swapped; two players.

    Example: hemlock luck greedy --games 2000
    """
    from hemlock_env.evaluation.luck import measure_luck

    bot_b = bot_b or bot_a
    with refusals(), progress(games, "games") as note:
        result = measure_luck(bot_a, bot_b, games, seed, options, note)
    tell(result, as_json, f"{bot_a} against {bot_b}, seed {seed}")

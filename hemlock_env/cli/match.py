"""`hemlock match A B ...`: a bot against others, one at a time."""

from __future__ import annotations

import json
from typing import Any

import click

from hemlock_env.cli.options import game_options, json_option, seed_option
from hemlock_env.cli.output import progress, refusals, show


@click.command()
@click.argument("bot_a", metavar="A")
@click.argument("bots_b", metavar="B", nargs=-1, required=True)
@click.option("--games", type=int, default=200, help="How many; rounded up to whole groups.")
@seed_option
@game_options
@json_option
def match(
    bot_a: str, bots_b: tuple[str, ...], games: int, seed: int, as_json: bool, **options: Any
) -> None:
    """Play bot A against bot B, each seed with the seats changed round; with several B against
    each, in one table.

    With three or four players B takes all seats but one. `hemlock bots` lists the bots.

    Example: hemlock match planner greedy --games 200 --seed 1
    """
    from hemlock_env.evaluation.match import ROW_HEAD, Match
    from hemlock_env.evaluation.statistics import repeated

    with refusals():
        matches = {b: Match(bot_a, b, games, seed, options) for b in bots_b}
    if as_json:
        by_bot = {b: match.play().as_dict() for b, match in matches.items()}
        click.echo(json.dumps(by_bot if len(bots_b) > 1 else by_bot[bots_b[0]]))
        return
    first = next(iter(matches.values()))
    if first.games != games:
        click.echo(f"{games} games rounded up to {first.games}: whole groups of {first.group_size}")
    results = {}
    for b, match in matches.items():
        with progress(match.games, "games", f"against {b}") as note:
            results[b] = match.play(note)
    title = f"{bot_a} against {', '.join(results)}, seed {seed}"
    if len(results) == 1:
        show(title, results[bots_b[0]].lines())
    else:
        rows = [[b, *result.row()] for b, result in results.items()]
        show(title, rows, ["against", *ROW_HEAD])
        for b, result in results.items():
            for line in repeated(result.games, result.distinct_games):
                click.echo(f"warning: against {b}: {line}")

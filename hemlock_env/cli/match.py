"""`hemlock match A B`: two bots against each other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from hemlock_env.cli.common import (
    SEED_MAX,
    find_own_bots,
    foretelling,
    game_options,
    options_of,
    progress_bar,
    refusals,
    show,
)

if TYPE_CHECKING:
    from hemlock_env.evaluation.match import MatchResult


@click.command()
@click.argument("bot_a", metavar="A")
@click.argument("bot_b", metavar="B")
@click.option("--games", type=int, default=200, help="How many; rounded up to whole groups.")
@click.option("--seed", type=click.IntRange(0, SEED_MAX), default=0, help="Fixes everything.")
@game_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def match(bot_a: str, bot_b: str, games: int, seed: int, as_json: bool, **words: Any) -> None:
    """Play bot A against bot B, each seed with the seats changed round.

    With three or four players B takes all seats but one. `hemlock bots` lists the bots.

    Example: hemlock match planner greedy --games 200 --seed 1
    """
    from hemlock_env.evaluation.match import Match

    find_own_bots()
    with refusals():
        match = Match(bot_a, bot_b, games, seed, options_of(words))
    if as_json:
        click.echo(json.dumps(match.play().as_dict()))
        return
    if match.games != games:
        click.echo(f"{games} games rounded up to {match.games}: whole groups of {match.group_size}")
    with progress_bar(match.games) as bar:
        result = match.play(foretelling(bar, "games"))
    show(f"{bot_a} against {bot_b}, seed {seed}", lines(result))


def lines(result: MatchResult) -> list[tuple[str, str]]:
    """A result for people: what, and how much."""
    low, high = result.interval
    seats = ", ".join(f"{seat}: {score:.3f}" for seat, score in enumerate(result.seats))
    rows = [
        ("games", f"{result.games} in {result.pairs} groups, {result.distinct_games} distinct"),
        ("win, draw, loss", f"{result.wins}, {result.draws}, {result.losses}"),
        ("score", f"{result.score:.3f} (95 % interval {low:.3f} to {high:.3f})"),
        ("score by seat", seats),
        ("mean margin", f"{result.margin:+.2f} influence"),
        ("speed", f"{result.games / result.seconds:,.0f} games a second"),
    ]
    if result.illegal:
        rows.append(("illegal actions", f"{result.illegal}, the lowest legal one played instead"))
    return rows

"""`hemlock match A B ...`: a bot against others, one at a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from hemlock_env.cli.options import game_options, json_option, seed_option
from hemlock_env.cli.output import progress, refusals, show

if TYPE_CHECKING:
    from hemlock_env.evaluation.match import MatchResult


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
    from hemlock_env.evaluation.match import Match

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
        show(title, lines(results[bots_b[0]]))
    else:
        show(title, [row_of(b, result) for b, result in results.items()], HEAD)


HEAD = ("against", "games", "score", "95 % interval", "by seat", "margin", "games/s")


def row_of(bot_b: str, result: MatchResult) -> list[str]:
    """A result among others."""
    from hemlock_env.evaluation.statistics import format_interval

    return [
        bot_b,
        f"{result.games:,}",
        f"{result.score:.1%}",
        format_interval(result.interval, ".1%"),
        " / ".join(f"{score:.1%}" for score in result.seats),
        f"{result.margin:+.1f}",
        f"{result.games / result.seconds:,.0f}",
    ]


def lines(result: MatchResult) -> list[tuple[str, str]]:
    """A result for people: what, and how much."""
    from hemlock_env.evaluation.statistics import format_estimate

    seats = ", ".join(f"{seat}: {score:.3f}" for seat, score in enumerate(result.seats))
    rows = [
        ("games", f"{result.games} in {result.pairs} groups, {result.distinct_games} distinct"),
        ("win, draw, loss", f"{result.wins}, {result.draws}, {result.losses}"),
        ("score", format_estimate(result.score, result.interval, ".3f")),
        ("score by seat", seats),
        ("mean margin", f"{result.margin:+.2f} influence"),
        ("speed", f"{result.games / result.seconds:,.0f} games a second"),
    ]
    if result.illegal:
        rows.append(("illegal actions", f"{result.illegal}, the lowest legal one played instead"))
    return rows

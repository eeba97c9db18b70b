"""`hemlock sprt A B`: is A stronger than B? With no more games than the answer needs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from hemlock_env.cli.options import (
    PATH,
    SEED_MAX,
    game_options,
    json_option,
    processes_option,
)
from hemlock_env.cli.output import refusals, status, tell

# `evaluation.sprt` and `evaluation.sequential` have the same; importing them would load the package
# for --help.
DEFAULT_SEED, DEFAULT_MAX_PAIRS, DEFAULT_BATCH = 3_000_017, 20_000, 50

# 1 is an error of the program, 2 what was asked wrongly: neither is an answer.
EXIT_CODES = {"H1": 0, "H0": 3, "undecided": 4}


@click.command()
@click.argument("bot_a", metavar="A")
@click.argument("bot_b", metavar="B")
@click.option("--elo0", type=float, default=0.0, help="H0: A is so many Elo points stronger.")
@click.option("--elo1", type=float, default=10.0, help="H1: A is so many; more than --elo0.")
@click.option("--alpha", type=float, default=0.05, help="How often H1 may be accepted wrongly.")
@click.option("--beta", type=float, default=0.05, help="How often H0 may be accepted wrongly.")
@click.option("--max-pairs", type=int, default=DEFAULT_MAX_PAIRS, help="Ends undecided there.")
@click.option("--batch", type=int, default=DEFAULT_BATCH, help="Pairs between two looks.")
@click.option("--out", type=PATH, help="Folder; runs/sprt/A,B.")
@click.option(
    "--seed", type=click.IntRange(0, SEED_MAX), default=DEFAULT_SEED, help="Fixes everything."
)
@processes_option
@game_options
@json_option
def sprt(
    bot_a: str,
    bot_b: str,
    out: Path | None,
    processes: int,
    as_json: bool,
    **arguments: Any,
) -> None:
    """Play pairs of games until it is decided whether A is stronger than B.

    A sequential test of Elo --elo1 (H1) against --elo0 (H0). The exit code is the answer: 0 for H1,
    3 for H0, 4 where --max-pairs left it undecided. All games are kept in the folder: the same
    command goes on where it was stopped, also with more pairs.

    Example: hemlock sprt planner greedy --elo0 0 --elo1 10
    """
    from hemlock_env.evaluation.sequential import SequentialTest
    from hemlock_env.evaluation.sprt import Sprt, SprtResult

    names = ",".join(re.sub(r"[^\w=.-]+", "_", bot) for bot in (bot_a, bot_b))
    folder = out or Path("runs/sprt") / names
    hypotheses = {name: arguments.pop(name) for name in ("elo0", "elo1", "alpha", "beta")}
    own = {name: arguments.pop(name) for name in ("max_pairs", "batch", "seed")}
    with refusals():
        test = SequentialTest(**hypotheses)
        run = Sprt(bot_a, bot_b, folder, test, options=arguments, **own)
    last: list[SprtResult] = []
    try:
        with status(run.max_pairs) as note:

            def look(result: SprtResult) -> None:
                last[:] = [result]
                if not as_json:
                    note(result.pairs, result.line())

            result = run.play(look, processes)
    except KeyboardInterrupt:
        there = last[0].line() if last else "no pairs"
        click.echo(f"stopped: {there}, in {folder}; the same command goes on", err=True)
        raise click.Abort from None
    tell(result, as_json, f"{bot_a} against {bot_b}, seed {result.seed}")
    if not as_json:
        click.echo(f"games: {folder}")
    click.get_current_context().exit(EXIT_CODES[result.verdict])

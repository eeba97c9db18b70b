"""A ladder's standings as files: JSON, CSV, Markdown, and pictures where matplotlib is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hemlock_env._files import write_csv, write_json, write_text
from hemlock_env.evaluation.ladder.standings import PairResult, Rating, Standings
from hemlock_env.evaluation.statistics import Interval, format_interval

NO_PICTURES = "no pictures: matplotlib is missing, pip install 'hemlock-env[train]' brings it"

BOT_HEAD = ("bot", "Elo", "95 %", "games", "decisions", "ms a move", "illegal")
PAIR_HEAD = ("A", "B", "pairs", "score of A", "95 %", "by seat of A", "draws", "margin", "distinct")


def write_report(standings: Standings, folder: Path) -> list[str]:
    """standings.json, bots.csv, meetings.csv, ladder.md, matrix.png, ratings.png.

    Returns what is to be told about it, such as that there are no pictures.
    """
    write_json(folder / "standings.json", standings.as_dict())
    _write_csv(folder / "bots.csv", standings.bots)
    _write_csv(folder / "meetings.csv", standings.meetings)
    write_text(folder / "ladder.md", markdown(standings))
    try:
        from hemlock_env.evaluation.ladder import pictures
    except ImportError:
        return [NO_PICTURES]
    pictures.draw_matrix(standings, folder / "matrix.png")
    pictures.draw_ratings(standings, folder / "ratings.png")
    return []


# ---- rows of words ----


def bot_rows(standings: Standings) -> list[tuple[str, ...]]:
    """BOT_HEAD for each bot, best first."""
    return [
        (
            *(bot.name, f"{bot.rating:.0f}"),
            format_interval(bot.rating_interval, ".0f")
            if bot.name != standings.anchor
            else "anchor",
            *(f"{bot.games:,}", f"{bot.decisions:,}", f"{bot.milliseconds:.3g}", str(bot.illegal)),
        )
        for bot in standings.bots
    ]


def pair_rows(pairs: Sequence[PairResult]) -> list[tuple[str, ...]]:
    """PAIR_HEAD for each pairing."""
    return [
        (
            *(pair.a, pair.b, f"{pair.pairs:,}", f"{pair.score:.3f}"),
            format_interval(pair.interval, ".3f"),
            " / ".join(f"{score:.3f}" for score in pair.seats),
            *(f"{100 * pair.draws:.1f} %", f"{pair.margin:+.2f}", f"{pair.distinct_games:,}"),
        )
        for pair in pairs
    ]


def matrix_rows(standings: Standings) -> list[tuple[str, ...]]:
    """A row for each bot: its score against each, with the interval, if they met."""
    names = [bot.name for bot in standings.bots]
    return [(a, *(_cell(standings.score_of(a, b)) for b in names)) for a in names]


def _cell(result: tuple[float, Interval] | None) -> str:
    return "" if result is None else f"{result[0]:.3f} ({format_interval(result[1], '.3f')})"


# ---- files ----


def markdown(standings: Standings) -> str:
    """The whole report."""
    names = [bot.name for bot in standings.bots]
    played = ", ".join(f"{key} {value}" for key, value in standings.options.items())
    return "\n\n".join(
        [
            "# Ladder",
            f"Seed {standings.seed}, cards {standings.cards}, rules {standings.rules}; {played}.",
            *(f"**Note:** {warning}." for warning in standings.warnings),
            "## Ratings",
            f"Bradley-Terry on the Elo scale, {standings.anchor} = 0.",
            table(BOT_HEAD, bot_rows(standings)),
            "## Score of the row's bot against the column's",
            "A draw counts half; 95 % intervals by bootstrap over the groups of games.",
            table(("", *names), matrix_rows(standings)),
            "## Meetings",
            table(PAIR_HEAD, pair_rows(standings.meetings)),
        ]
    ) + "\n"  # fmt: skip


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    cells = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _write_csv(file: Path, rows: Sequence[Rating] | Sequence[PairResult]) -> None:
    """Plain numbers, a column for each field; intervals and seats in columns of their own."""
    flat = [_flat(asdict(row)) for row in rows]
    write_csv(file, flat, list(flat[0]), "\n")


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, tuple):
            columns |= {f"{name}_low": value[0], f"{name}_high": value[1]}
        elif isinstance(value, list):
            columns |= {f"{name}_{seat}": number for seat, number in enumerate(value)}
        else:
            columns[name] = value
    return columns

"""The matrix of a ladder as a heat map, and its ratings as a plot. Needs matplotlib."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from hemlock_env.evaluation.ladder.standings import Standings

DARK_FROM = 0.3  # how far from one half a score's field is so dark that its figure is light


def draw_matrix(standings: Standings, file: Path) -> None:
    """Score of the row's bot against the column's, best first."""
    names, scores = standings.matrix()
    count = len(names)
    figure = Figure(figsize=(3.5 + 0.75 * count, 2.5 + 0.6 * count), layout="constrained")
    axes = figure.add_subplot()
    axes.imshow(scores, vmin=0, vmax=1, cmap="RdBu", aspect="auto")
    for row, column in zip(*np.nonzero(~np.isnan(scores)), strict=True):
        score = scores[row, column]
        colour = "white" if abs(score - 0.5) > DARK_FROM else "black"
        axes.text(column, row, f"{100 * score:.0f}", ha="center", va="center", color=colour)
    axes.set_xticks(range(count), names, rotation=30, ha="right")
    axes.set_yticks(range(count), names)
    axes.set_title("Score of the row against the column, %")
    figure.savefig(file, dpi=120)


def draw_ratings(standings: Standings, file: Path) -> None:
    """Ratings with their intervals, best on top."""
    bots = standings.bots[::-1]
    ratings = np.array([bot.rating for bot in bots])
    bounds = np.array([bot.rating_interval for bot in bots])
    figure = Figure(figsize=(7, 1.5 + 0.4 * len(bots)), layout="constrained")
    axes = figure.add_subplot()
    # An interval by bootstrap may lie a little beside the rating itself.
    reach = np.maximum(0, np.stack([ratings - bounds[:, 0], bounds[:, 1] - ratings]))
    axes.errorbar(ratings, range(len(bots)), xerr=reach, fmt="o", capsize=4)
    axes.set_yticks(range(len(bots)), [bot.name for bot in bots])
    axes.set_xlabel(f"Elo points, {standings.anchor} = 0; 95 % intervals")
    axes.grid(axis="x", alpha=0.3)
    figure.savefig(file, dpi=120)

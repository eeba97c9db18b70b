"""What a run tells: progress bar or plain lines, metrics.csv, TensorBoard, the learning curve."""

from __future__ import annotations

import csv
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from hemlock_env._files import read_csv, replacing, write_csv
from hemlock_env.evaluation.match import MatchResult

LINE_SECONDS = 5.0  # between two plain lines, where there is no terminal

# The columns of metrics.csv, one row for each update, and the names in TensorBoard.
METRICS = {
    "timesteps": "decisions of all seats so far",
    "minutes": "training so far; matches, pictures and start are not counted",
    "sps": "timesteps a second in this update, played",
    "learned_sps": "timesteps a second, learned from: none of an opponent, none still pending",
    "games": "games finished so far",
    "game_length": "timesteps of this update for each game that ended in it",
    "normalized_entropy": "entropy over that of the uniform policy on the legal actions, 0 to 1",
    "policy_loss": "PPO's clipped loss, about 0",
    "value_loss": "mean square error of the values: outcome, margin, the privileged critic's",
    "approx_kl": "KL divergence of this update's policies (Schulman's k3 estimator)",
    "clip_fraction": "share of decisions whose ratio left 1 ± `clip_coef`",
    "explained_variance": "1 - Var(returns - values) / Var(returns), of the outcome",
    "learning_rate": "Adam's step size",
    "ent_coef": "weight of the entropy bonus",
}
# What columns were called in version 0.1.
RENAMED = {
    "decisions": "timesteps",
    "speed": "sps",
    "learned": "learned_sps",
    "entropy": "normalized_entropy",
    "kl": "approx_kl",
    "clipped": "clip_fraction",
    "explained": "explained_variance",
    "entropy_weight": "ent_coef",
}
CSV, PICTURE = "metrics.csv", "learning_curve.png"
SCORE, LOW, HIGH = "score:", "low:", "high:"  # and a bot: its column, where matches were played


def score_columns(bot: str) -> tuple[str, str, str]:
    """The columns of metrics.csv for the matches against a bot: score and interval."""
    return f"{SCORE}{bot}", f"{LOW}{bot}", f"{HIGH}{bot}"


def columns(opponents: Sequence[str]) -> list[str]:
    """All columns of metrics.csv."""
    return [*METRICS, *(name for bot in opponents for name in score_columns(bot))]


Row = Mapping[str, float]


class Report:
    """The files of a run folder that people look at, and what they see on the way.

    Args:
        folder: of the run.
        opponents: the bots of the matches.
        timesteps: where the run is: metrics of later ones are dropped, as a resumed run comes there
            again.
        console: where lines or a progress bar go.
    """

    def __init__(
        self, folder: Path, opponents: Sequence[str], timesteps: int, console: Console
    ) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self.file = folder / CSV
        self.picture = folder / PICTURE
        self.opponents = tuple(opponents)
        self.columns = columns(opponents)
        self.display = Display(console)
        kept = _keep_rows(self.file, timesteps, self.columns)
        self.scores = last_scores(kept)
        self.matched = _last_matched(kept, self.columns)  # timesteps before the last whole match
        self._board = SummaryWriter(folder / "tensorboard", purge_step=timesteps + 1)

    def __enter__(self) -> Report:
        self.display.bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.display.bar.stop()
        self._board.close()

    def update(self, progress: float, metrics: Row) -> None:
        """One update done."""
        with open(self.file, "a", newline="", encoding="utf-8") as lines:
            csv.DictWriter(lines, self.columns).writerow(metrics)
        self._plot(metrics["timesteps"], metrics)
        self.display.show(progress, self._line(progress, metrics))

    def matches(self, progress: float, facts: Row, matches: Mapping[str, MatchResult]) -> None:
        """Matches after the last update, into its row; not all opponents if stopped.

        Args:
            progress: of the run, 0 to 1.
            facts: the timesteps and minutes where they were played.
            matches: results by opponent.
        """
        if len(matches) == len(self.opponents):
            self.matched = int(facts["timesteps"])
        if not matches:
            return
        found: dict[str, float] = {}
        for opponent, match in matches.items():
            self.scores[opponent] = (match.score, *match.interval)
            found |= zip(score_columns(opponent), self.scores[opponent], strict=True)
        row = _add_to_last(self.file, self.columns, facts, found)
        self._plot(facts["timesteps"], found)
        self.display.show(progress, self._line(progress, row), now=True)
        self.draw()

    def _plot(self, timesteps: float, numbers: Row) -> None:
        for name, value in numbers.items():
            if name != "timesteps":
                self._board.add_scalar(name.replace(":", "/"), value, int(timesteps))

    def _line(self, progress: float, row: Row) -> str:
        """Timesteps, speed, entropy, value error, scores so far, time left."""
        against = "  ".join(
            f"{opponent} {100 * score:.0f} ({100 * low:.0f}-{100 * high:.0f}) %"
            for opponent, (score, low, high) in self.scores.items()
        )
        left = 60.0 * row["minutes"] * (1.0 / max(progress, 1e-9) - 1.0)
        return (
            f"{row['timesteps'] / 1e6:.1f}M decisions  {_learning(row)}"
            f"{against or 'no match yet'}  left {int(left) // 60}:{int(left) % 60:02d}"
        )

    def draw(self) -> None:
        """The learning curve, from metrics.csv."""
        draw_curves([read_metrics(self.file)], self.picture)


def _learning(row: Row) -> str:
    """How learning goes on; nothing where an update was lost by a kill, and with it its metrics."""
    if "sps" not in row:
        return ""
    return (
        f"{row['sps'] / 1e3:.0f}k/s  entropy {row['normalized_entropy']:.2f}  "
        f"value error {row['value_loss']:.3f}  "
    )


class Display:
    """A bar with a line of text on a terminal; elsewhere plain lines, with no control codes."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._shown = 0.0
        bar, text = BarColumn(bar_width=20), TextColumn("{task.fields[line]}", markup=False)
        self.bar = Progress(bar, text, console=console, disable=not console.is_terminal)
        self._task = self.bar.add_task("", total=1.0, line="starting")

    def show(self, progress: float, line: str, now: bool = False) -> None:
        """The state of things; as a plain line only every few seconds, or if it must be `now`."""
        if self.console.is_terminal:
            self.bar.update(self._task, completed=progress, line=line)
        elif now or progress >= 1.0 or time.monotonic() - self._shown >= LINE_SECONDS:
            self._shown = time.monotonic()
            self.say(f"{100 * progress:3.0f} %  {line}")

    def say(self, text: str) -> None:
        """A line that stays."""
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)


# ---- metrics.csv ----


def read_metrics(file: Path) -> list[dict[str, str]]:
    """The rows of a metrics.csv, under today's names where an earlier version wrote it."""
    return [{RENAMED.get(name, name): text for name, text in row.items()} for row in read_csv(file)]


def _keep_rows(file: Path, timesteps: int, names: list[str]) -> list[dict[str, str]]:
    """Begin the file, or leave out of it what came after the save that the run goes on from."""
    rows = read_metrics(file) if file.is_file() else []
    kept = [row for row in rows if _whole(row, names) and int(row["timesteps"]) <= timesteps]
    write_csv(file, kept, names)
    return kept


def _add_to_last(file: Path, names: list[str], facts: Row, found: Row) -> dict[str, float]:
    """Put what was found after the newest update into its row; the row.

    A run that was saved and then killed has no row yet: it gets one that has no more than this.
    """
    rows = read_metrics(file)
    if not rows or int(rows[-1]["timesteps"]) != facts["timesteps"]:
        rows.append({name: str(number) for name, number in facts.items()})
    rows[-1] |= {name: str(number) for name, number in found.items()}
    write_csv(file, rows, names)
    return {name: float(number) for name, number in rows[-1].items() if number}


def _whole(row: dict[str, Any], names: list[str]) -> bool:
    """Not cut short by a crash, as the last row may be."""
    return str(row.get("timesteps", "")).isdigit() and row.get(names[-1]) is not None


def _last_matched(rows: list[dict[str, str]], names: list[str]) -> int:
    """Timesteps before the last match against all opponents; 0 if there was none."""
    scores = [name for name in names if name.startswith(SCORE)]
    whole = [row for row in rows if all(row.get(name) for name in scores)]
    return int(whole[-1]["timesteps"]) if whole else 0


def _opponents(rows: list[dict[str, str]]) -> list[str]:
    """The bots that a run has columns for."""
    names = rows[0] if rows else {}
    return [name.removeprefix(SCORE) for name in names if name.startswith(SCORE)]


def last_scores(rows: list[dict[str, str]]) -> dict[str, tuple[float, float, float]]:
    """The newest score against each opponent, with its interval."""
    scores = {}
    for row in rows:
        for bot in _opponents(rows):
            if row[f"{SCORE}{bot}"]:
                score, low, high = (float(row[name]) for name in score_columns(bot))
                scores[bot] = score, low, high
    return scores


# ---- Learning curve ----


def draw_curves(runs: list[list[dict[str, str]]], file: Path) -> None:
    """Scores with bands, and entropy, over timesteps, as PNG.

    Args:
        runs: the rows of each run. The band of one run is the 95 % interval of its matches; that of
            several goes from the lowest score among them to the highest, around their mean.
        file: where to.
    """
    from matplotlib.figure import Figure  # takes a second: only here

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    for bot in _opponents(runs[0]):
        played, middle, low, high = _band(runs, bot)
        axes.plot(played, middle, marker="o", markersize=3, label=f"score against {bot}")
        axes.fill_between(played, low, high, alpha=0.2)
    for rows in runs:
        told = [row for row in rows if row["normalized_entropy"]]
        seen = [float(row["timesteps"]) / 1e6 for row in told]
        entropy = [float(row["normalized_entropy"]) for row in told]
        label = "entropy, share of the greatest" if rows is runs[0] else None
        axes.plot(seen, entropy, color="0.6", label=label)
    axes.axhline(0.5, color="0.8", linewidth=0.8)
    axes.set(xlabel="decisions (millions)", ylim=(0.0, 1.02))
    axes.legend(loc="lower right")
    with replacing(file) as fresh:
        figure.savefig(fresh, dpi=100, format="png")


def _band(runs: list[list[dict[str, str]]], bot: str) -> NDArray[np.float64]:
    """Where matches were played (millions of decisions), score, and the band's two ends."""
    matches = [[row for row in rows if row.get(f"{SCORE}{bot}")] for rows in runs]
    points = []
    for together in zip(*matches, strict=False):
        scores = [float(row[f"{SCORE}{bot}"]) for row in together]
        low, high = min(scores), max(scores)
        if len(runs) == 1:
            low, high = (float(together[0][name]) for name in score_columns(bot)[1:])
        played = sum(float(row["timesteps"]) for row in together) / len(together) / 1e6
        points.append((played, sum(scores) / len(scores), low, high))
    return np.array(points).reshape(-1, 4).T

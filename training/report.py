"""What a run tells: progress bar or plain lines, metrics.csv, TensorBoard, the learning curve."""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Column

if TYPE_CHECKING:
    from hemlock_env.evaluation.match import MatchResult
    from training.ppo import Trainer

LINE_SECONDS = 5.0  # between two plain lines, where there is no terminal

# The columns of metrics.csv, one row for each update, and the names in TensorBoard.
METRICS = {
    "decisions": "decisions of all seats so far",
    "minutes": "training so far; matches, pictures and start are not counted",
    "speed": "decisions a second in this update, played and learned from",
    "games": "games finished so far",
    "game_length": "decisions played in this update for each game that ended in it",
    "entropy": "how undecided the policy is, 0 to 1: entropy over the log of the legal actions",
    "policy_loss": "PPO's clipped loss, about 0",
    "value_loss": "half the mean square error of the values",
    "kl": "how far the policy moved in this update (Schulman's estimate of the divergence)",
    "clipped": "share of decisions whose probability moved beyond `clip`",
    "explained": "share of the variance of the returns that the values foresaw",
    "learning_rate": "Adam's step size",
    "entropy_weight": "weight of the entropy bonus",
    "win_rate": "score against the opponent (a shared win is a half), where a match was played",
    "win_low": "its 95 % interval, lower end",
    "win_high": "upper end",
}
MATCH_METRICS = ("win_rate", "win_low", "win_high")

Row = Mapping[str, float]


class Report:
    """The files of a run folder that people look at, and what they see on the way."""

    def __init__(self, folder: Path, trainer: Trainer, console: Console | None = None) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self.file = folder / "metrics.csv"
        self.picture = folder / "learning_curve.png"
        self.opponent = trainer.settings.opponent
        self.display = Display(console or Console())
        self.match = _last_match(_keep_rows(self.file, trainer.decisions))
        self._csv = open(self.file, "a", newline="", encoding="utf-8")
        self._board = SummaryWriter(folder / "tensorboard", purge_step=trainer.decisions + 1)

    def __enter__(self) -> Report:
        self.display.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.display.stop()
        self._csv.close()
        self._board.close()

    def update(self, trainer: Trainer, metrics: Row, match: MatchResult | None) -> None:
        """One update done, and perhaps a match."""
        row = dict(metrics)
        if match is not None:
            row |= zip(MATCH_METRICS, (match.score, *match.interval), strict=True)
            self.match = row
        csv.DictWriter(self._csv, list(METRICS)).writerow(row)
        self._csv.flush()
        for name, value in row.items():
            if name != "decisions":
                self._board.add_scalar(name, value, trainer.decisions)
        self.display.show(trainer.progress, self._line(trainer, row), now=match is not None)
        if match is not None:
            self.draw()

    def _line(self, trainer: Trainer, row: Row) -> str:
        """Decisions, speed, entropy, win rate so far, time left."""
        against = "no match yet"
        if self.match:
            against = f"{100 * self.match['win_rate']:.0f} %"
        left = trainer.seconds * (1.0 / max(trainer.progress, 1e-9) - 1.0)
        return (
            f"{trainer.decisions / 1e6:.1f}M decisions  {row['speed'] / 1e3:.0f}k/s  "
            f"entropy {row['entropy']:.2f}  {self.opponent}: {against}  "
            f"left {int(left) // 60}:{int(left) % 60:02d}"
        )

    def draw(self) -> None:
        """The learning curve, from metrics.csv."""
        draw_curve(_read_rows(self.file), self.opponent, self.picture)


class Display:
    """A bar with a line of text on a terminal; elsewhere plain lines, with no control codes."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._shown = 0.0
        self._bar: Progress | None = None
        if console.is_terminal:
            column = Column(no_wrap=True)
            text = TextColumn("{task.fields[line]}", markup=False, table_column=column)
            self._bar = Progress(BarColumn(bar_width=20), text, console=console)
            self._task = self._bar.add_task("", total=1.0, line="starting")

    def start(self) -> None:
        """Show the bar."""
        if self._bar:
            self._bar.start()

    def stop(self) -> None:
        """Leave the terminal as it was."""
        if self._bar:
            self._bar.stop()

    def show(self, progress: float, line: str, now: bool = False) -> None:
        """The state of things; as a plain line only every few seconds, or if it must be `now`."""
        if self._bar:
            self._bar.update(self._task, completed=progress, line=line)
        elif now or progress >= 1.0 or time.monotonic() - self._shown >= LINE_SECONDS:
            self._shown = time.monotonic()
            self.say(f"{100 * progress:3.0f} %  {line}")

    def say(self, text: str) -> None:
        """A line that stays."""
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)


# ---- metrics.csv ----


def _read_rows(file: Path) -> list[dict[str, str]]:
    with open(file, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def _keep_rows(file: Path, decisions: int) -> list[dict[str, str]]:
    """Begin the file, or leave out of it what came after the save that the run goes on from."""
    rows = _read_rows(file) if file.is_file() else []
    kept = [row for row in rows if _whole(row) and int(row["decisions"]) <= decisions]
    fresh = file.with_name(file.name + ".new")
    with open(fresh, "w", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, list(METRICS), extrasaction="ignore")
        writer.writeheader()
        writer.writerows(kept)
    os.replace(fresh, file)
    return kept


def _whole(row: dict[str, Any]) -> bool:
    """Not cut short by a crash, as the last row may be."""
    return str(row.get("decisions", "")).isdigit() and row.get(MATCH_METRICS[-1]) is not None


def _last_match(rows: list[dict[str, str]]) -> Row:
    matches = [row for row in rows if row["win_rate"]]
    return {name: float(matches[-1][name]) for name in MATCH_METRICS} if matches else {}


# ---- Learning curve ----


def draw_curve(rows: list[dict[str, str]], opponent: str, file: Path) -> None:
    """Win rate with its interval, and entropy, over decisions, as PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # takes a second: only here
    from matplotlib.figure import Figure

    def column(name: str, some: list[dict[str, str]]) -> list[float]:
        return [float(row[name]) for row in some]

    matches = [row for row in rows if row["win_rate"]]
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    played = [count / 1e6 for count in column("decisions", matches)]
    axes.plot(played, column("win_rate", matches), marker="o", label=f"score against {opponent}")
    axes.fill_between(played, column("win_low", matches), column("win_high", matches), alpha=0.2)
    seen = [count / 1e6 for count in column("decisions", rows)]
    axes.plot(seen, column("entropy", rows), color="0.6", label="entropy, share of the greatest")
    axes.axhline(0.5, color="0.8", linewidth=0.8)
    axes.set(xlabel="decisions (millions)", ylim=(0.0, 1.02))
    axes.legend(loc="lower right")
    fresh = file.with_name("new." + file.name)
    figure.savefig(fresh, dpi=100)
    os.replace(fresh, file)

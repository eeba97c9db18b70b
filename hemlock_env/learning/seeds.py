"""Runs of several seeds as one result: mean, range, and an interval that has the runs as a level
above the pairs of games.

docs/evaluation.md says how the interval is made and how often it holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env._check import Checks
from hemlock_env._files import read_json, read_toml
from hemlock_env.evaluation.benchmark import AGENT, FILE, default_folder
from hemlock_env.evaluation.ladder.report import table
from hemlock_env.evaluation.ladder.store import GAMES, read_scores
from hemlock_env.evaluation.statistics import (
    Interval,
    bayesian_bootstrap,
    format_interval,
    interval_over_runs,
)
from hemlock_env.learning.checkpoint import CONFIG
from hemlock_env.learning.report import CSV, last_scores, read_metrics

IN_TRAINING = "last match in training"
CLOSE = 1e-9  # two sums of the same scores
PLAYERS = 2
HEAD = ("runs", "budget", "against", "seeds", "mean", "range", "95 %", "each seed")
NEEDED = {
    "protocol": str,
    "rules": str,
    "opponents": [{"b": str, "pairs": int, "score": float}],
}  # of benchmark.json
FIELD = Checks(shape="{name}: {value} {fault}")


@dataclass(frozen=True)
class Run:
    """One run, and how it scored."""

    folder: str
    seed: int | None
    measured: str
    """`protocol 2`, or `last match in training`"""
    rules: str
    """hash of rules and cards; empty where only metrics.csv says how it scored"""
    scores: dict[str, float]
    """mean score by opponent"""
    config: Mapping[str, Any]
    """without the seed"""
    pairs: dict[str, NDArray[np.float64]] | None
    """the score of each pair by opponent, if the games were kept"""

    @property
    def score(self) -> float:
        """The mean over the opponents, all alike in weight."""
        return float(np.mean(list(self.scores.values())))


@dataclass(frozen=True)
class Scores:
    """Of a group of runs against one opponent, or against all alike."""

    against: str
    mean: float
    range: tuple[float, float]
    """of the single runs"""
    interval: Interval | None
    """95 % interval of what further seeds would score on average; None with one run"""
    each: list[float]
    """a score for each run, by seed"""


@dataclass(frozen=True)
class Group:
    """Runs that differ in their seed alone: one algorithm with one budget."""

    name: str
    budget: str
    measured: str
    rules: str
    runs: list[str]
    """their folders, by seed"""
    seeds: list[int | None]
    scores: list[Scores]
    """the mean over all opponents first, then each opponent"""

    @property
    def overall(self) -> Scores:
        """Against all opponents alike."""
        return self.scores[0]

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        plain = asdict(self)
        for scores in plain["scores"]:
            scores["range"] = list(scores["range"])
            scores["interval"] = scores["interval"] and list(scores["interval"])
        return plain


# ---- reading runs ----


def read_run(folder: Path, protocol: str | None = None) -> Run:
    """A run, from its benchmark if there is one, else from the last matches in metrics.csv.

    Args:
        folder: of the run. Its benchmark is in it, in `benchmark`, in a folder there, or where
            `hemlock benchmark ckpt:FOLDER` puts it.
        protocol: only that protocol's benchmark counts, and metrics.csv doesn't.

    Raises:
        ValueError: there is no result, more than one, or one that its games don't bear out.
    """
    if not (folder / CONFIG).is_file():
        raise ValueError(f"{folder}: no {CONFIG} there: give the folder of a run")
    config = read_toml(folder / CONFIG)
    seed = config.pop("seed", None)
    found = {home: _read_result(home / FILE) for home in _homes(folder)}
    fitting = {
        home: result for home, result in found.items() if protocol in (None, result["protocol"])
    }
    if len(fitting) > 1:
        places = ", ".join(
            f"{home} (protocol {each['protocol']})" for home, each in fitting.items()
        )
        raise ValueError(f"{folder}: several results: {places}: name --protocol or move one away")
    if fitting:
        ((home, result),) = fitting.items()
        pairs = _pairs(home, result)
        return Run(
            folder=str(folder),
            seed=seed,
            measured=f"protocol {result['protocol']}",
            rules=result["rules"],
            scores={name: float(scores.mean()) for name, scores in pairs.items()},
            config=config,
            pairs=pairs,
        )
    if protocol is not None:
        raise ValueError(
            f"{folder}: no result of protocol {protocol}: "
            f"hemlock benchmark ckpt:{folder} --protocol {protocol}"
        )
    rows = read_metrics(folder / CSV) if (folder / CSV).is_file() else []
    matches = last_scores(rows)
    if not matches:
        raise ValueError(f"{folder}: no result: hemlock benchmark ckpt:{folder} --protocol 2")
    scores = {name: score for name, (score, *_) in matches.items()}
    return Run(str(folder), seed, IN_TRAINING, "", scores, config, None)


def _homes(folder: Path) -> list[Path]:
    """The folders with a benchmark of a run."""
    inside = folder / "benchmark"
    outside = default_folder("*", f"ckpt:{folder}")
    others = sorted(outside.parent.parent.glob(f"*/{outside.name}"))
    homes = [folder, inside, *sorted(inside.glob("*")), *others]
    return [home for home in homes if (home / FILE).is_file()]


def _read_result(file: Path) -> dict[str, Any]:
    """What is needed of a benchmark.json."""
    result = read_json(file)
    try:
        needed = {key: result[key] for key in ("protocol", "rules")}
        needed["opponents"] = [
            {key: each[key] for key in ("b", "pairs", "score")} for each in result["opponents"]
        ]
        FIELD.form(needed, NEEDED)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{file}: is no result of a benchmark ({error}): run the benchmark again"
        ) from None
    return needed


def _pairs(home: Path, result: dict[str, Any]) -> dict[str, NDArray[np.float64]]:
    """The score of each pair by opponent, in the order of the result."""
    games = read_scores(home / GAMES, PLAYERS)
    pairs = {}
    for each in result["opponents"]:
        scores = games.get((AGENT, each["b"]), np.empty(0))
        if len(scores) != each["pairs"] or abs(scores.mean() - each["score"]) > CLOSE:
            raise ValueError(
                f"{home}: {GAMES} and {FILE} don't belong together ({each['b']}): run the "
                "benchmark again with this folder as --out"
            )
        pairs[each["b"]] = scores
    return pairs


# ---- groups ----


def group_runs(runs: Sequence[Run]) -> list[Group]:
    """Runs whose configs differ in the seed alone, counted together.

    Raises:
        ValueError: the runs weren't measured alike, or a group has a seed twice.
    """
    kinds = {f"{run.measured}, rules {run.rules or 'not told'}": run.folder for run in runs}
    if len(kinds) > 1:
        told = "; ".join(f"{folder}: {kind}" for kind, folder in kinds.items())
        raise ValueError(
            f"the runs were not measured alike ({told}): run the same benchmark for all, and name "
            "it by --protocol"
        )
    groups: list[list[Run]] = []
    for run in runs:
        same = next((group for group in groups if group[0].config == run.config), None)
        if same is None:
            groups.append(same := [])
        same.append(run)
    return [_group(sorted(group, key=_order)) for group in groups]


def _order(run: Run) -> tuple[int, str]:
    return (-1 if run.seed is None else run.seed, run.folder)


def _group(runs: list[Run]) -> Group:
    seeds = [run.seed for run in runs]
    for one, other in pairwise(runs):
        if one.seed == other.seed:
            raise ValueError(
                f"{one.folder} and {other.folder} have the same config and seed, {one.seed}: "
                "name one of them"
            )
        if one.scores.keys() != other.scores.keys():
            raise ValueError(f"{one.folder} and {other.folder} met other opponents: measure again")
    each = np.array([list(run.scores.values()) for run in runs])
    drawn = _resampled(runs)
    names = list(runs[0].scores)
    scores = [_scores("all, alike", each.mean(axis=1), drawn.mean(axis=2))]
    if len(names) > 1:
        scores += [_scores(name, each[:, at], drawn[:, :, at]) for at, name in enumerate(names)]
    else:
        scores = [_scores(names[0], each[:, 0], drawn[:, :, 0])]
    return Group(
        name=_common_name([Path(run.folder).name for run in runs]),
        budget=_budget(runs[0].config),
        measured=runs[0].measured,
        rules=runs[0].rules,
        runs=[run.folder for run in runs],
        seeds=seeds,
        scores=scores,
    )


def _resampled(runs: list[Run]) -> NDArray[np.float64]:
    """Mean scores with pairs drawn again, (times, runs, opponents): the same deals in all runs."""
    kept = [list(run.pairs.values()) for run in runs if run.pairs is not None]
    if not kept:
        return np.array([[list(run.scores.values()) for run in runs]])
    flat = [scores for run in kept for scores in run]
    drawn = bayesian_bootstrap(flat, PLAYERS)
    return drawn.reshape(len(drawn), len(runs), -1)


def _scores(against: str, each: NDArray[np.float64], drawn: NDArray[np.float64]) -> Scores:
    return Scores(
        against=against,
        mean=float(each.mean()),
        range=(float(each.min()), float(each.max())),
        interval=interval_over_runs(float(each.mean()), drawn) if len(each) > 1 else None,
        each=each.tolist(),
    )


def _common_name(names: list[str]) -> str:
    """What the folders of a group are called without their seeds."""
    without = [re.sub(r"[-_. ]*(seed)?[-_. ]*\d+$", "", name) or name for name in names]
    return " / ".join(dict.fromkeys(without))


def _budget(config: Mapping[str, Any]) -> str:
    """In decisions, or in minutes where they end a run."""
    timesteps, minutes = config.get("total_timesteps", 0), config.get("max_minutes", 0.0)
    words = [f"{timesteps / 1e6:g} M decisions"] if timesteps else []
    return " or ".join(words + ([f"{minutes:g} min"] if minutes else []))


# ---- tables ----


def rows(groups: Sequence[Group]) -> list[tuple[str, ...]]:
    """HEAD for each group, the mean over all opponents."""
    return [row for group in groups for row in _rows(group, group.scores[:1])]


def _rows(group: Group, scores: Sequence[Scores]) -> list[tuple[str, ...]]:
    return [
        (
            group.name,
            group.budget,
            each.against,
            str(len(each.each)),
            f"{each.mean:.3f}",
            format_interval(each.range, ".3f") if len(each.each) > 1 else "",
            "one seed" if each.interval is None else format_interval(each.interval, ".3f"),
            ", ".join(f"{score:.3f}" for score in each.each),
        )
        for each in scores
    ]


def notes(groups: Sequence[Group]) -> list[str]:
    """What a reader must know."""
    lines = []
    if any(len(group.runs) == 1 for group in groups):
        lines.append("one seed says nothing about others: no interval there")
    if any(2 <= len(group.runs) < 5 for group in groups):
        lines.append("two to four seeds leave a wide interval: they say no more about other seeds")
    if groups[0].measured == IN_TRAINING:
        lines.append("from metrics.csv, which has no single pairs: the intervals are of runs alone")
    return lines


def markdown(groups: Sequence[Group]) -> str:
    """All of it as tables."""
    measured = f"{groups[0].measured}, rules {groups[0].rules}".removesuffix(", rules ")
    single = [row for group in groups for row in _rows(group, group.scores[1:])]
    return "\n\n".join(
        [
            f"Scores by {measured}; 95 % intervals over seeds and pairs.",
            *(f"**Note:** {line}." for line in notes(groups)),
            table(HEAD, rows(groups)),
            *([table(HEAD, single)] if single else []),
        ]
    ) + "\n"  # fmt: skip


def as_dict(groups: Sequence[Group]) -> dict[str, Any]:
    """All of it as plain JSON."""
    return {
        "measured": groups[0].measured,
        "rules": groups[0].rules,
        "groups": [group.as_dict() for group in groups],
        "notes": notes(groups),
    }

"""95 % confidence intervals over groups of games: the games of a group share a deal, so the group,
not the game, is the unit (a cluster).

Two ways to one: Wilson's interval with an effective sample size, for a score by itself; the
bootstrap, for whatever is computed from scores. docs/evaluation.md says why they are made so, and
how often they hold.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Interval = tuple[float, float]

Z = 1.959963984540054  # a normal variable is within +-Z in 95 % of cases
TAILS = (2.5, 97.5)  # percentiles that hold 95 % between them
RESAMPLES = 1000
RUN_DRAWS = 10_000  # of the level of runs, whose tails are long
NEVER_SURE = 1e-9


# ---- Wilson's interval ----


def wilson(mean: float, size: float) -> Interval:
    """Wilson's score interval (1927) of a proportion: `mean` in `size` trials.

    Never outside 0 to 1, and never of no width: all wins in 100 trials say "at least 0.963".
    """
    spread = Z * Z / size
    centre = (mean + spread / 2) / (1 + spread)
    reach = Z * math.sqrt(mean * (1 - mean) / size + spread / (4 * size)) / (1 + spread)
    # At 0 and 1 the bound is the mean itself, which rounding may miss.
    return max(0.0, min(mean, centre - reach)), min(1.0, max(mean, centre + reach))


def effective_size(scores: NDArray[np.float64]) -> float:
    """Effective sample size of clustered scores (0 to 1): how many independent games vary as these
    groups do.

    Groups that vary like single games are worth one game each, pairs of independent games two, and
    pairs in which one game's luck makes up for the other's more. One made-up group of the first
    kind is counted in, because few groups, or groups that are almost all won, say little about how
    they vary: groups that are all won, or all lost, are worth one game each.
    """
    mean = float(scores.mean())
    single = mean * (1 - mean)  # the variance of single games
    around = float(((scores - mean) ** 2).sum())
    return len(scores) * (len(scores) * single + 1) / (around + 1)


def interval(scores: NDArray[np.float64]) -> Interval:
    """Wilson's 95 % interval of the mean of group scores, each 0 to 1, with their effective sample
    size; at least one group.
    """
    return wilson(float(scores.mean()), effective_size(scores))


# ---- the bootstrap ----


def percentile_interval(resampled: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """The percentile interval: the 2.5 % and 97.5 % quantiles of resampled values, along the first
    axis; float64 (2, ...).
    """
    bounds: NDArray[np.float64] = np.percentile(np.asarray(resampled), TAILS, axis=0)
    return bounds


def bootstrap(
    groups: NDArray[np.float64],
    statistic: Callable[[NDArray[np.float64]], float],
    seed: int = 0,
    times: int = RESAMPLES,
) -> Interval:
    """The cluster bootstrap's 95 % interval of a statistic (Efron 1979): whole groups are drawn
    again with replacement.

    Args:
        groups: a group in each entry of the first axis.
        statistic: from such an array to a number.
        seed: of the draws.
        times: how often.
    """
    rng = np.random.default_rng(seed)
    count = len(groups)
    drawn = [statistic(groups[rng.integers(0, count, count)]) for _ in range(times)]
    low, high = percentile_interval(drawn)
    return float(low), float(high)


def bayesian_bootstrap(
    matches: Sequence[NDArray[np.float64]], num_players: int, seed: int = 0, times: int = RESAMPLES
) -> NDArray[np.float64]:
    """Mean scores of each match under the Bayesian bootstrap (Rubin 1981).

    Each time every group gets a weight drawn from Exp(1), the same in every match: groups of a
    number are played on the same deals. One made-up game (a group has one for each seat) is counted
    in that ended even: won with a share of 1 / seats, else lost. So groups that all went alike
    still leave doubt.

    Args:
        matches: the group scores of each, each 0 to 1.
        num_players: seats.
        seed: of the draws.
        times: how often.

    Returns:
        float64 (times, matches).
    """
    rng = np.random.default_rng(seed)
    game = 1 / num_players  # of a group
    even = 1 / num_players
    means = np.empty((times, len(matches)))
    all_weights = rng.standard_exponential((times, max(map(len, matches))))
    for match, groups in enumerate(matches):
        weights = all_weights[:, : len(groups)]
        won = rng.standard_gamma(game * even, times)
        lost = rng.standard_gamma(game * (1 - even), times)
        means[:, match] = (weights @ groups + won) / (weights.sum(axis=1) + won + lost)
    # The made-up game may weigh next to nothing, but no rating belongs to a score of 0 or 1.
    return np.clip(means, NEVER_SURE, 1 - NEVER_SURE)


def interval_over_runs(score: float, drawn: NDArray[np.float64], seed: int = 0) -> Interval:
    """A 95 % interval of what further runs of other seeds would score on average, from few runs.

    Runs are taken as normally distributed around their mean with a variance that is known from them
    alone, so Student's t stands for drawing runs again, which says far too little with three. That
    is done for each draw of the pairs below, so both levels are in the interval.

    Args:
        score: the mean score of the runs, which the interval holds.
        drawn: each run's mean score by `bayesian_bootstrap`, (times, runs), at least two runs.
        seed: of the draws.
    """
    runs = drawn.shape[1]
    often = np.repeat(drawn, -(-RUN_DRAWS // len(drawn)), axis=0)
    error = often.std(axis=1, ddof=1) / math.sqrt(runs)
    away = np.random.default_rng(seed).standard_t(runs - 1, len(often)) * error
    return interval_of(score, np.clip(often.mean(axis=1) + away, 0, 1))


def interval_of(score: float, resampled: NDArray[np.float64]) -> Interval:
    """The percentile interval of a mean score from its resampled values (times,); it holds the
    score itself.
    """
    low, high = percentile_interval(resampled)
    return min(float(low), score), max(float(high), score)


# ---- in words and in JSON ----


def format_interval(bounds: Interval, form: str) -> str:
    """An interval as `low to high`, each in a format such as `.3f`."""
    low, high = bounds
    return f"{low:{form}} to {high:{form}}"


def format_estimate(value: float, bounds: Interval, form: str, unit: str = "") -> str:
    """A value with its 95 % interval, each in a format such as `.3f`; `unit` follows the value."""
    return f"{value:{form}}{unit} (95 % interval {format_interval(bounds, form)})"


@dataclass(frozen=True)
class Result:
    """What was measured, with a field for each number."""

    def as_dict(self) -> dict[str, Any]:
        """As plain JSON: intervals are lists."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain


def repeated(games: int, distinct: int) -> list[str]:
    """What a reader must know where games repeat: a line, or none."""
    if distinct == games:
        return []
    return [
        f"only {distinct} of {games} games differ; "
        "deterministic bots repeat themselves, and the interval is too narrow"
    ]

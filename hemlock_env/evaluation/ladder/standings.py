"""Standings of a ladder: the result of each pairing, the rating of each bot, the matrix of scores.

All of it is computed from the games alone; how it is shown is `report`'s business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env.evaluation.ladder.ratings import PairScores, fit, smoothed
from hemlock_env.evaluation.ladder.schedule import Pairing, Schedule
from hemlock_env.evaluation.match import Games, summary
from hemlock_env.evaluation.statistics import (
    Interval,
    bayesian_bootstrap,
    interval_of,
    percentile_interval,
    repeated,
)


@dataclass(frozen=True)
class PairResult:
    """The result of all games of A against B."""

    a: str
    b: str
    pairs: int
    """groups"""
    games: int
    score: float
    """A's mean score: a win alone 1, a shared win 1/2"""
    interval: Interval
    """95 %, by the Bayesian bootstrap over the groups"""
    seats: list[float]
    """A's mean score by its seat"""
    draws: float
    """share of games that A won together with others"""
    margin: float
    """A's influence less the mean of its rivals', on average"""
    distinct_games: int
    illegal: int


SAME = ("pairs", "games", "score", "seats", "margin", "distinct_games", "illegal")  # as in a match


@dataclass(frozen=True)
class Rating:
    """One bot over all its games: how strong, how quick, how lawful."""

    name: str
    spec: str
    rating: float
    """Elo points above the anchor"""
    rating_interval: Interval
    """95 %, by the same bootstrap"""
    games: int
    """that it sat in"""
    decisions: int
    milliseconds: float
    """of processor time for one decision"""
    illegal: int


@dataclass(frozen=True)
class Standings:
    """A ladder as it stands."""

    bots: list[Rating]
    """best first"""
    meetings: list[PairResult]
    anchor: str
    seed: int
    options: dict[str, Any]
    cards: str
    """the card set and its revision"""
    rules: str
    """hash of rules and cards"""
    package: str
    """version of the package, and so of the shipped bots"""
    complete: bool
    """False while games are missing"""

    def score_of(self, a: str, b: str) -> tuple[float, Interval] | None:
        """A's mean score against B with its interval, if they met; with two seats it is also what
        B's leaves of 1.
        """
        for pair in self.meetings:
            if (pair.a, pair.b) == (a, b):
                return pair.score, pair.interval
            if (pair.b, pair.a) == (a, b) and self.options["num_players"] == 2:
                low, high = pair.interval
                return 1 - pair.score, (1 - high, 1 - low)
        return None

    def matrix(self) -> tuple[list[str], NDArray[np.float64]]:
        """Score of the row's bot against the column's, best bots first; NaN where unknown."""
        names = [bot.name for bot in self.bots]
        scores = [[self.score_of(a, b) or (np.nan,) for b in names] for a in names]
        return names, np.array([[score[0] for score in row] for row in scores])

    @property
    def warnings(self) -> list[str]:
        """What a reader must know."""
        lines = [] if self.complete else ["not all games have been played yet"]
        for pair in self.meetings:
            who = f"{pair.a} against {pair.b}"
            lines += [f"{who}: {line}" for line in repeated(pair.games, pair.distinct_games)]
            if pair.illegal:
                lines.append(f"{who}: {pair.illegal} illegal actions")
        return lines

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {**asdict(self), "warnings": self.warnings}


def standings(schedule: Schedule, played: Sequence[tuple[Pairing, Games]]) -> Standings:
    """From the games of every pairing, at least one group each."""
    pairs = [PairScores(pairing.a, pairing.b, games.group_scores) for pairing, games in played]
    seats = schedule.num_players
    resampled = bayesian_bootstrap([pair.groups for pair in pairs], seats, schedule.seed)
    model = len(schedule.entrants), 0, seats
    ratings = fit(pairs, smoothed(pairs, seats), *model)
    anchor = middle(ratings) if schedule.anchor is None else schedule.names.index(schedule.anchor)
    drawn = fit(pairs, resampled, *model)
    bounds = percentile_interval(drawn - drawn[:, [anchor]])
    ratings -= ratings[anchor]
    bots = [
        _rating(schedule, bot, played, ratings[bot], (bounds[0, bot], bounds[1, bot]))
        for bot in range(len(schedule.entrants))
    ]
    return Standings(
        bots=sorted(bots, key=lambda bot: -bot.rating),
        meetings=[
            _pair_result(schedule, pairing, games, means)
            for (pairing, games), means in zip(played, resampled.T, strict=True)
        ],
        anchor=schedule.names[anchor],
        cards=schedule.spec.card_set.edition,
        complete=all(len(games.by_group) == pairing.groups for pairing, games in played),
        **schedule.identity(),
    )


def middle(ratings: NDArray[np.float64]) -> int:
    """The number of the bot whose rating is in the middle; of two such the weaker. What is known
    least about the ends of a ladder is then in the intervals of the ends alone.
    """
    return int(np.argsort(-ratings, kind="stable")[len(ratings) // 2])


def _pair_result(
    schedule: Schedule, pairing: Pairing, games: Games, resampled: NDArray[np.float64]
) -> PairResult:
    result = summary(games, 0.0, schedule.spec.card_set)
    return PairResult(
        a=schedule.names[pairing.a],
        b=schedule.names[pairing.b],
        interval=interval_of(result.score, resampled),
        draws=result.draws / result.games,
        **{name: getattr(result, name) for name in SAME},
    )


def _rating(
    schedule: Schedule,
    bot: int,
    played: Sequence[tuple[Pairing, Games]],
    rating: float,
    interval: Interval,
) -> Rating:
    """Of a bot by its number, with its games as A and as B."""
    own = [
        (games, side)
        for pairing, games in played
        for side, who in enumerate((pairing.a, pairing.b))
        if who == bot
    ]
    decisions = sum(int(games.decisions[:, side].sum()) for games, side in own)
    seconds = sum(float(games.thinking[:, side].sum()) for games, side in own)
    return Rating(
        name=schedule.names[bot],
        spec=schedule.entrants[bot].spec,
        rating=float(rating),
        rating_interval=(float(interval[0]), float(interval[1])),
        games=sum(len(games.scores) for games, _ in own),
        decisions=decisions,
        milliseconds=1000 * seconds / max(decisions, 1),
        illegal=sum(int(games.illegal[:, side].sum()) for games, side in own),
    )

"""What the games of a ladder say: each meeting, each bot, the matrix of wins, ratings.

All of it is computed from the games alone; how it is shown is `report`'s business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env.evaluation.ladder.plan import Meeting, Plan
from hemlock_env.evaluation.ladder.ratings import (
    TAILS,
    Pairing,
    fit,
    interval_of,
    resample,
    smoothed,
)
from hemlock_env.evaluation.match import Games, summary

Interval = tuple[float, float]


@dataclass(frozen=True)
class Met:
    """All games of A against B."""

    a: str
    b: str
    pairs: int
    """groups"""
    games: int
    score: float
    """A's mean score: a win alone 1, a shared win 1/2"""
    interval: Interval
    """95 %, by bootstrap over the groups"""
    seats: list[float]
    """A's mean score by its seat"""
    draws: float
    """share of games that A won together with others"""
    margin: float
    """A's influence less the mean of its rivals', on average"""
    distinct_games: int
    illegal: int


@dataclass(frozen=True)
class Standing:
    """One bot, over all its games."""

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

    bots: list[Standing]
    """best first"""
    meetings: list[Met]
    anchor: str
    seed: int
    options: dict[str, Any]
    rules: str
    """hash of rules and cards"""
    package: str
    """version of the package, and so of the shipped bots"""
    complete: bool
    """False while games are missing"""

    def matrix(self) -> tuple[list[str], NDArray[np.float64]]:
        """Score of the row's bot against the column's, in the order of `bots`; NaN where unknown.

        With two seats the column's score is what the row's leaves of 1; with more, both ways are
        played.
        """
        names = [bot.name for bot in self.bots]
        scores = np.full((len(names), len(names)), np.nan)
        for met in self.meetings:
            row, column = names.index(met.a), names.index(met.b)
            scores[row, column] = met.score
            if self.options["num_players"] == 2:
                scores[column, row] = 1 - met.score
        return names, scores

    def interval_of(self, a: str, b: str) -> Interval | None:
        """That of A's score against B, if they met."""
        for met in self.meetings:
            if (met.a, met.b) == (a, b):
                return met.interval
            if (met.b, met.a) == (a, b) and self.options["num_players"] == 2:
                low, high = met.interval
                return 1 - high, 1 - low
        return None

    @property
    def warnings(self) -> list[str]:
        """What a reader must know."""
        said = [] if self.complete else ["not all games have been played yet"]
        for met in self.meetings:
            if met.distinct_games < met.games:
                said.append(
                    f"{met.a} against {met.b}: only {met.distinct_games} of {met.games} games "
                    "differ; deterministic bots repeat themselves, and the interval is too narrow"
                )
            if met.illegal:
                said.append(f"{met.a} against {met.b}: {met.illegal} illegal actions")
        return said

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {**asdict(self), "warnings": self.warnings}


def standings(plan: Plan, played: Sequence[tuple[Meeting, Games]]) -> Standings:
    """From the games of every meeting, at least one group each."""
    pairings = [Pairing(each.a, each.b, games.by_group.mean(axis=1)) for each, games in played]
    resampled = resample(pairings, plan.num_players, plan.seed)
    where = len(plan.rungs), plan.anchor, plan.num_players
    ratings = fit(pairings, smoothed(pairings, plan.num_players), *where)
    spread = np.percentile(fit(pairings, resampled, *where), TAILS, axis=0)
    bots = [
        _standing(plan, bot, played, ratings[bot], (spread[0, bot], spread[1, bot]))
        for bot in range(len(plan.rungs))
    ]
    return Standings(
        bots=sorted(bots, key=lambda bot: -bot.rating),
        meetings=[
            _met(plan, meeting, games, resampled[:, place])
            for place, (meeting, games) in enumerate(played)
        ],
        anchor=plan.names[plan.anchor],
        complete=all(len(games.by_group) == meeting.groups for meeting, games in played),
        **plan.identity(),
    )


def _met(plan: Plan, meeting: Meeting, games: Games, resampled: NDArray[np.float64]) -> Met:
    result = summary(games, seconds=0.0)
    return Met(
        a=plan.names[meeting.a],
        b=plan.names[meeting.b],
        pairs=result.pairs,
        games=result.games,
        score=result.score,
        interval=interval_of(result.score, resampled),
        seats=result.seats,
        draws=result.draws / result.games,
        margin=result.margin,
        distinct_games=result.distinct_games,
        illegal=result.illegal,
    )


def _standing(
    plan: Plan,
    bot: int,
    played: Sequence[tuple[Meeting, Games]],
    rating: float,
    interval: Interval,
) -> Standing:
    """A bot's games, as A and as B."""
    own = [
        (games, place)
        for meeting, games in played
        for place, who in enumerate((meeting.a, meeting.b))
        if who == bot
    ]
    decisions = sum(int(games.decisions[:, place].sum()) for games, place in own)
    seconds = sum(float(games.thinking[:, place].sum()) for games, place in own)
    return Standing(
        name=plan.names[bot],
        spec=plan.rungs[bot].spec,
        rating=float(rating),
        rating_interval=(float(interval[0]), float(interval[1])),
        games=sum(len(games.scores) for games, _ in own),
        decisions=decisions,
        milliseconds=1000 * seconds / max(decisions, 1),
        illegal=sum(int(games.illegal[:, place].sum()) for games, place in own),
    )

"""How much of a result is skill and how much luck: every deal played twice with the seats swapped.

docs/luck.md says what the parts mean and what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env.agents.base import Bot
from hemlock_env.cards import CardSet
from hemlock_env.evaluation.match import Games, Match
from hemlock_env.evaluation.playing import Progress
from hemlock_env.evaluation.statistics import (
    Interval,
    Result,
    bootstrap,
    format_estimate,
    format_interval,
    interval,
    repeated,
)
from hemlock_env.game.hashes import rules_hash

PLAYERS = 2  # a margin is one number only between two
DEALS_MIN = 10  # fewer say nothing about how deals vary


@dataclass(frozen=True)
class Luck(Result):
    """What the games of A against B owe to whom; seat 0 begins with supremacy in all of them."""

    games: int
    """games played, two for each deal"""
    score: float
    """A's mean score: a win 1, a draw 1/2"""
    score_interval: Interval
    """its 95 % interval (Wilson), a deal one cluster"""
    first: float
    """mean score of the seat that begins with supremacy, whoever sits there"""
    first_interval: Interval
    """its 95 % interval"""
    draws: float
    """share of the games that nobody won"""
    same_bot: float
    """share of the deals of which one bot won both games"""
    same_seat: float
    """share of the deals of which one seat won both games"""
    mean: float
    """A's margin: its influence less B's, on average"""
    spread: float
    """standard deviation of A's margin within a seat"""
    skill: float
    """share of the mean square of the margin that is A's lead on average"""
    seat: float
    """share that is the lead of the first seat on average"""
    deal: float
    """share that goes with the deal: both games of it favour the same seat"""
    deal_interval: Interval
    """its 95 % interval by the cluster bootstrap over the deals"""
    rest: float
    """share that differs between the two games of a deal"""
    distinct_games: int
    """games that differ in seed or actions"""
    cards: str
    """the card set and its revision"""
    rules: str
    """hash of rules and cards"""

    def lines(self) -> list[tuple[str, str]]:
        """The parts for people: what, and how much."""
        deal = format_interval(self.deal_interval, ".3f")
        same = f"one bot won {self.same_bot:.1%}, one seat {self.same_seat:.1%}"
        return [
            ("games", f"{self.games}, {self.draws:.1%} drawn"),
            ("score", format_estimate(self.score, self.score_interval, ".3f")),
            ("first seat's score", format_estimate(self.first, self.first_interval, ".3f")),
            ("both games of a deal", same),
            ("margin", f"{self.mean:+.2f} influence, standard deviation {self.spread:.2f}"),
            ("of its mean square", f"skill {self.skill:.1%}, first seat {self.seat:.1%}"),
            ("the deal", f"{self.deal:.1%} (95 % interval {deal})"),
            ("the rest", f"{self.rest:.1%}"),
            ("cards", f"{self.cards}, rules {self.rules}"),
            *(("warning", line) for line in repeated(self.games, self.distinct_games)),
        ]


def measure_luck(
    bot_a: str | Bot,
    bot_b: str | Bot,
    games: int,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Luck:
    """Play A against B and take the margin apart; A and B may be the same bot.

    Args:
        bot_a: a bot or its spec string.
        bot_b: the other.
        games: how many at least; rounded up to whole deals, at least 10 of them.
        seed: 0 to 2^63 - 1, fixes everything.
        options: those of `Game`, by name; two players, and `first_player` is seat 0 by itself.
        progress: is told how many games are played, and of how many.

    Raises:
        ValueError: an argument can't be, or a bot can't play such games.
    """
    first = (options or {}).get("first_player")
    if first not in (None, 0):
        raise ValueError(f"first_player={first!r}: luck is measured with seat 0 as first player")
    match = Match(bot_a, bot_b, games, seed, {**(options or {}), "first_player": 0})
    if match.group_size != PLAYERS:
        raise ValueError(f"num_players={match.group_size}: luck is measured with {PLAYERS} players")
    if match.groups < DEALS_MIN:
        raise ValueError(f"games={games}: must be at least {DEALS_MIN * PLAYERS}")
    match.prepare()
    return luck_of(match.play_groups(0, match.groups, progress), match.spec.card_set)


def luck_of(games: Games, card_set: CardSet) -> Luck:
    """Skill and luck in games that were played in pairs, one deal each, with these cards."""
    scores = games.by_group  # (deals, A's seat)
    margins = games.margins.reshape(scores.shape)
    first = np.stack([scores[:, 0], 1 - scores[:, 1]], axis=1)  # of seat 0, whoever sits there
    skill, seat, deal, rest = parts(margins)
    return Luck(
        games=scores.size,
        score=float(scores.mean()),
        score_interval=interval(games.group_scores),
        first=float(first.mean()),
        first_interval=interval(first.mean(axis=1)),
        draws=float((scores == 0.5).mean()),
        same_bot=_both(scores),
        same_seat=_both(first),
        mean=float(margins.mean()),
        spread=float(np.sqrt(margins.var(axis=0, ddof=1).mean())),
        skill=float(skill),
        seat=float(seat),
        deal=float(deal),
        deal_interval=bootstrap(margins, lambda drawn: parts(drawn)[2]),
        rest=float(rest),
        distinct_games=games.distinct,
        cards=card_set.edition,
        rules=rules_hash(card_set),
    )


def _both(scores: NDArray[np.float64]) -> float:
    """Share of the pairs (deals, 2) that were won twice, or lost twice."""
    return float(((scores == 1).all(axis=1) | (scores == 0).all(axis=1)).mean())


def parts(margins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Variance components: shares of skill, seat, deal and rest in the mean square of A's margins.

    A's margin is its lead on average, plus or minus that of the first seat, plus or minus what the
    deal gives to one seat, plus the rest. What the deal gives has opposite signs in the two games,
    so its variance is minus their covariance; the estimate can be a little below zero.

    Args:
        margins: float64 (..., deals, 2): with A in seat 0, with A in seat 1.

    Returns:
        float64 (4, ...), which sum to 1; all 0 if no game has any margin.
    """
    means = margins.mean(axis=-2)
    around = margins - means[..., None, :]
    degrees = margins.shape[-2] - 1
    variance = (around**2).sum(axis=-2).mean(axis=-1) / degrees
    deal = -around.prod(axis=-1).sum(axis=-1) / degrees
    skill = (means.sum(axis=-1) / 2) ** 2
    seat = ((means[..., 0] - means[..., 1]) / 2) ** 2
    whole = np.array([skill, seat, deal, variance - deal])
    total = whole.sum(axis=0)
    shares: NDArray[np.float64] = whole / np.where(total > 0, total, 1)
    return shares

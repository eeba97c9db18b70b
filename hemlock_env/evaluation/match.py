"""A match: bot A against bot B in groups of games (pairs, with two players): one deal each, played
with A in every seat in turn.

The games of a chunk are played together; nothing in a result but the time depends on the size of a
chunk or on the process.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env._check import whole
from hemlock_env.agents.base import Bot
from hemlock_env.agents.registry import make_bot
from hemlock_env.cards import CardSet
from hemlock_env.engine.events import EVENT_MATCH_GAMES, EVENT_MATCH_KEYS
from hemlock_env.evaluation.playing import BotGames, Progress
from hemlock_env.evaluation.statistics import (
    Interval,
    Result,
    format_estimate,
    format_interval,
    interval,
    repeated,
)
from hemlock_env.game.arrays import prepare
from hemlock_env.game.hashes import rules_hash
from hemlock_env.game.keys import Keys, mix_keys, seeds_from
from hemlock_env.game.options import check_seed
from hemlock_env.game.rewards import margins
from hemlock_env.game.spec import find_spec

CHUNK = 1024  # games played together
GAMES_MAX = 10_000_000
NIGHTS_TO_PLAY = 8  # R3.1: for the progress of a game

IN_JSON = (
    *("games", "pairs", "score", "interval", "seats", "margin", "distinct_games", "illegal"),
    *("seconds", "cards", "rules"),
)
ROW_HEAD = ("games", "score", "95 % interval", "by seat", "margin", "games/s")


@dataclass(frozen=True)
class MatchResult(Result):
    """How A did against B."""

    games: int
    """games played"""
    pairs: int
    """groups: one seed each, played with A in every seat in turn (two players: a pair)"""
    score: float
    """A's mean score: a win alone 1, a shared win 1/2"""
    interval: Interval
    """Wilson's 95 % interval of the score, a group one cluster"""
    seats: list[float]
    """A's mean score by its seat"""
    margin: float
    """A's influence less the mean of its rivals', on average"""
    distinct_games: int
    """games that differ in seed or actions"""
    illegal: int
    """illegal actions of both bots; the lowest legal one was played instead"""
    seconds: float
    """time to play, compiling not counted"""
    wins: int
    """games that A won alone"""
    draws: int
    """games that A won together with others"""
    losses: int
    """games that A didn't win"""
    cards: str
    """the card set and its revision"""
    rules: str
    """hash of rules and cards"""
    digest: str = field(repr=False)
    """of all games in order: equal digests, equal games"""
    decisions: tuple[int, int] = field(repr=False)
    """decisions that A and B were asked for"""
    thinking: tuple[float, float] = field(repr=False)
    """seconds of processor time that A and B took for them"""

    def as_dict(self) -> dict[str, Any]:
        """What `hemlock match --json` prints."""
        values = super().as_dict()
        return {name: values[name] for name in IN_JSON}

    def lines(self) -> list[tuple[str, str]]:
        """A result for people: what, and how much."""
        seats = ", ".join(f"{seat}: {score:.3f}" for seat, score in enumerate(self.seats))
        rows = [
            ("games", f"{self.games} in {self.pairs} groups, {self.distinct_games} distinct"),
            ("win, draw, loss", f"{self.wins}, {self.draws}, {self.losses}"),
            ("score", format_estimate(self.score, self.interval, ".3f")),
            ("score by seat", seats),
            ("mean margin", f"{self.margin:+.2f} influence"),
            ("speed", f"{self.games / self.seconds:,.0f} games a second"),
            ("cards", f"{self.cards}, rules {self.rules}"),
        ]
        rows += [("warning", line) for line in repeated(self.games, self.distinct_games)]
        if self.illegal:
            rows.append(("illegal actions", f"{self.illegal}, the lowest legal one played instead"))
        return rows

    def row(self) -> list[str]:
        """A result among others, under ROW_HEAD."""
        return [
            f"{self.games:,}",
            f"{self.score:.1%}",
            format_interval(self.interval, ".1%"),
            " / ".join(f"{score:.1%}" for score in self.seats),
            f"{self.margin:+.1f}",
            f"{self.games / self.seconds:,.0f}",
        ]


class Match:
    """A match, checked and ready to play."""

    def __init__(
        self,
        bot_a: str | Bot,
        bot_b: str | Bot,
        games: int,
        seed: int = 0,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """A match of A against B.

        Args:
            bot_a: a bot or its spec string; it sits in one seat of each game.
            bot_b: takes all other seats.
            games: how many at least; rounded up to whole groups, a game for each seat of A.
            seed: 0 to 2^63 - 1, fixes every game and all that the bots draw.
            options: those of `Game`, by name, `card_set` included.

        Raises:
            ValueError: an argument can't be, or a bot can't play such games.
        """
        count = whole(games, 1, GAMES_MAX, "games")
        self.seed = np.uint64(check_seed(seed))
        self.spec, self.options = find_spec(**(options or {}))
        self.bots = make_bot(bot_a), make_bot(bot_b)
        for bot in self.bots:
            bot.check(self.spec, self.options)
        self.group_size = self.options.num_players
        self.groups = -(-count // self.group_size)
        self.games = self.groups * self.group_size

    def play(self, progress: Progress | None = None, chunk: int = CHUNK) -> MatchResult:
        """Play it. `progress` is told how many games are played, and of how many."""
        self.prepare()
        begun = time.perf_counter()
        games = self.play_groups(0, self.groups, progress, chunk)
        return summary(games, time.perf_counter() - begun, self.spec.card_set)

    def prepare(self) -> None:
        """Compile or load the rules and the bots, before a clock starts."""
        prepare()
        for bot in self.bots:
            bot.prepare()

    def play_groups(
        self, first: int, end: int, progress: Progress | None = None, chunk: int = CHUNK
    ) -> Games:
        """Play groups first..end-1: the same games as among all others, whoever plays those."""
        size = max(1, chunk // self.group_size)
        parts = [
            self._play_together(np.arange(start, min(start + size, end)), progress)
            for start in range(first, end, size)
        ]
        return join(parts)

    def _play_together(self, groups: NDArray[np.intp], progress: Progress | None) -> Games:
        """Some groups at once; rows: group by group, and in each by A's seat."""
        seats = np.arange(self.group_size)
        group = np.repeat(groups, self.group_size)
        seat_of_a = np.tile(seats, len(groups))
        streams = mix_keys(mix_keys(mix_keys(self.seed, EVENT_MATCH_KEYS), group), seat_of_a)
        played = BotGames(
            self.spec,
            self.options,
            self.bots,
            seating=(seats != seat_of_a[:, None]).astype(np.intp),
            seeds=seeds_from(mix_keys(mix_keys(self.seed, EVENT_MATCH_GAMES), group)),
            streams=mix_keys(streams[:, None], seats),
        )
        digests: Keys = played.games.seeds.copy()
        ended = int(groups[0]) * self.group_size + len(group)  # when the last of these has
        for rows, actions in played.play():
            digests[rows] = mix_keys(digests[rows], actions)
            if progress is not None:
                progress(ended - _games_left(played.games.states[rows]), self.games)
        if progress is not None:
            progress(ended, self.games)
        return _tally(played, digests, seat_of_a)


@dataclass(frozen=True)
class Games:
    """What is kept of games, in their order: group by group, and in each by the seat of A."""

    scores: NDArray[np.float64]
    """(games,): A's share of the win"""
    margins: NDArray[np.float64]
    """(games,): A's influence less the mean of its rivals'"""
    digests: Keys
    """(games,): of the seed and all actions"""
    decisions: NDArray[np.int64]
    """(games, 2): that A and B were asked for"""
    illegal: NDArray[np.int64]
    """(games, 2): illegal answers of A and B"""
    thinking: NDArray[np.float64]
    """(games, 2): seconds of processor time of A and B; of a chunk in equal shares"""
    group_size: int
    """seats"""

    @property
    def distinct(self) -> int:
        """How many differ in seed or actions."""
        return len(np.unique(self.digests))

    @property
    def by_group(self) -> NDArray[np.float64]:
        """A's scores, (groups, seats of A)."""
        return self.scores.reshape(-1, self.group_size)

    @property
    def group_scores(self) -> NDArray[np.float64]:
        """A's mean score in each group, (groups,): the clusters of the intervals."""
        means: NDArray[np.float64] = self.by_group.mean(axis=1)
        return means


def join(parts: Sequence[Games]) -> Games:
    """One after the other."""
    names = [column.name for column in fields(Games) if column.name != "group_size"]
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return Games(**columns, group_size=parts[0].group_size)


def summary(games: Games, seconds: float, card_set: CardSet) -> MatchResult:
    """The result of all games of a match, which took so long and were played with these cards."""
    by_group, scores = games.by_group, games.scores
    return MatchResult(
        games=len(scores),
        pairs=len(by_group),
        score=float(scores.mean()),
        interval=interval(games.group_scores),
        seats=by_group.mean(axis=0).tolist(),
        margin=float(games.margins.mean()),
        distinct_games=games.distinct,
        illegal=int(games.illegal.sum()),
        seconds=seconds,
        wins=int((scores == 1).sum()),
        draws=int((scores == 0.5).sum()),
        losses=int((scores == 0).sum()),
        cards=card_set.edition,
        rules=rules_hash(card_set),
        digest=hashlib.sha256(games.digests.astype("<u8").tobytes()).hexdigest()[:16],
        decisions=tuple(games.decisions.sum(axis=0).tolist()),
        thinking=tuple(games.thinking.sum(axis=0).tolist()),
    )


def _games_left(states: NDArray[Any]) -> float:
    """How much of running games is still to be played; a begun game counts in part."""
    nights = (states["week"] - 1) * (NIGHTS_TO_PLAY // 2) + states["night"] - 1
    return len(states) - float(nights.sum()) / NIGHTS_TO_PLAY


def _tally(played: BotGames, digests: Keys, seat_of_a: NDArray[np.intp]) -> Games:
    """What is kept of games that have ended."""
    games = played.games
    won = games.winners[np.arange(games.count), seat_of_a] == 1
    alone = games.winners.sum(axis=1) == 1
    return Games(
        scores=np.where(won, np.where(alone, 1.0, 0.5), 0.0),
        margins=margins(games.scores)[np.arange(games.count), seat_of_a],
        digests=digests,
        decisions=played.decisions,
        illegal=played.illegal,
        thinking=np.tile(played.thinking / games.count, (games.count, 1)),
        group_size=played.seating.shape[1],
    )


def play_match(
    bot_a: str | Bot,
    bot_b: str | Bot,
    games: int,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> MatchResult:
    """Play A against B; see `Match` for the arguments and what is refused."""
    return Match(bot_a, bot_b, games, seed, options).play(progress)

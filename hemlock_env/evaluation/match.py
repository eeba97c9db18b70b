"""A match: bot A against bot B over groups of games, each one seed with the seats changed round.

The games of a chunk are played together; nothing in a result but the time depends on the size of a
chunk or on the process.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env.agents.base import Actions, Bot, Decisions, legal_or_lowest
from hemlock_env.agents.registry import make_bot
from hemlock_env.cards import CardSet
from hemlock_env.engine import kernel
from hemlock_env.engine.events import EVENT_MATCH_GAMES, EVENT_MATCH_KEYS
from hemlock_env.evaluation.statistics import interval
from hemlock_env.game.arrays import GameArrays, prepare
from hemlock_env.game.keys import Keys, mix_keys, seeds_from
from hemlock_env.game.options import (
    DEFAULT_CARD_SET,
    Options,
    check_options,
    check_seed,
    find_card_set,
    refuse_unknown,
)
from hemlock_env.game.rewards import margin
from hemlock_env.game.spec import spec_for

CHUNK = 1024  # games played together
GAMES_MAX = 10_000_000
NIGHTS_TO_PLAY = 8  # R3.1: for the progress of a game

Progress = Callable[[float, int], None]


@dataclass(frozen=True)
class MatchResult:
    """How A did against B."""

    games: int
    """games played"""
    pairs: int
    """groups: one seed each, played with A in every seat in turn (two players: a pair)"""
    score: float
    """A's mean score: a win alone 1, a shared win 1/2"""
    interval: tuple[float, float]
    """95 % interval of the score, over the groups"""
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
    digest: str = field(repr=False)
    """of all games in order: equal digests, equal games"""
    decisions: tuple[int, int] = field(repr=False)
    """decisions that A and B were asked for"""
    thinking: tuple[float, float] = field(repr=False)
    """seconds of processor time that A and B took for them"""

    def as_dict(self) -> dict[str, Any]:
        """What `hemlock match --json` prints."""
        return {
            "games": self.games,
            "pairs": self.pairs,
            "score": self.score,
            "interval": list(self.interval),
            "seats": self.seats,
            "margin": self.margin,
            "distinct_games": self.distinct_games,
            "illegal": self.illegal,
            "seconds": self.seconds,
        }


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
        check_whole("games", games, 1, GAMES_MAX)
        self.seed = np.uint64(check_seed(seed))
        self.options, card_set = split_options(options or {})
        self.spec = spec_for(card_set, self.options.num_players)
        self.bots = make_bot(bot_a), make_bot(bot_b)
        for bot in self.bots:
            bot.check(self.spec, self.options)
        self.group_size = self.options.num_players
        self.groups = -(-int(games) // self.group_size)
        self.games = self.groups * self.group_size

    def play(self, progress: Progress | None = None, chunk: int = CHUNK) -> MatchResult:
        """Play it. `progress` is told how many games are played, and of how many."""
        self.prepare()
        begun = time.perf_counter()
        games = self.play_groups(0, self.groups, progress, chunk)
        return summary(games, time.perf_counter() - begun)

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
            _Chunk(self, np.arange(start, min(start + size, end))).play(progress)
            for start in range(first, end, size)
        ]
        return join(parts)


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
    def by_group(self) -> NDArray[np.float64]:
        """A's scores, (groups, seats of A)."""
        return self.scores.reshape(-1, self.group_size)


def join(parts: Sequence[Games]) -> Games:
    """One after the other."""
    names = [each.name for each in fields(Games) if each.name != "group_size"]
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return Games(**columns, group_size=parts[0].group_size)


def summary(games: Games, seconds: float) -> MatchResult:
    """The result of all games of a match, which took so long."""
    by_group, scores = games.by_group, games.scores
    return MatchResult(
        games=len(scores),
        pairs=len(by_group),
        score=float(scores.mean()),
        interval=interval(by_group.mean(axis=1)),
        seats=by_group.mean(axis=0).tolist(),
        margin=float(games.margins.mean()),
        distinct_games=len(np.unique(games.digests)),
        illegal=int(games.illegal.sum()),
        seconds=seconds,
        wins=int((scores == 1).sum()),
        draws=int((scores == 0.5).sum()),
        losses=int((scores == 0).sum()),
        digest=hashlib.sha256(games.digests.astype("<u8").tobytes()).hexdigest()[:16],
        decisions=tuple(games.decisions.sum(axis=0).tolist()),
        thinking=tuple(games.thinking.sum(axis=0).tolist()),
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


def check_whole(name: str, value: Any, least: int, most: int) -> int:
    """A whole number from `least` to `most`; ValueError names what isn't."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ValueError(f"{name}={value!r}: must be a whole number")
    if not least <= value <= most:
        raise ValueError(f"{name}={value}: must be from {least} to {most}")
    return int(value)


def split_options(given: Mapping[str, Any]) -> tuple[Options, CardSet]:
    """The options of `Game` by name: checked, and the card set; ValueError for what can't be."""
    options = dict(given)
    card_set = find_card_set(options.pop("card_set", DEFAULT_CARD_SET))
    refuse_unknown(options)
    return check_options(card_set, **options), card_set


class _Chunk:
    """Some groups of a match, played together; rows: group by group, and in each by A's seat."""

    def __init__(self, match: Match, groups: NDArray[np.intp]) -> None:
        players = match.group_size
        self.match = match
        self.before = int(groups[0]) * players
        self.games = GameArrays(match.spec, len(groups) * players)
        self.seat_of_a = np.tile(np.arange(players), len(groups))
        self.decisions = np.zeros((self.games.count, 2), np.int64)
        self.illegal = np.zeros((self.games.count, 2), np.int64)
        self.thinking = [0.0, 0.0]
        group = np.repeat(groups, players)
        streams = mix_keys(mix_keys(mix_keys(match.seed, EVENT_MATCH_KEYS), group), self.seat_of_a)
        # (games, seats): where the keys of each seat's decisions come from
        self.streams = mix_keys(streams[:, None], np.arange(players))
        match.options.write(self.games.states)
        self.games.seeds[:] = seeds_from(mix_keys(mix_keys(match.seed, EVENT_MATCH_GAMES), group))
        self.digests: Keys = self.games.seeds.copy()

    def play(self, progress: Progress | None) -> Games:
        """To the end of the last game."""
        self.games.run(kernel.START)
        rows = np.flatnonzero(self.games.counts)
        while len(rows):
            actions = self._choose(rows)
            self.digests[rows] = mix_keys(self.digests[rows], actions)
            self.games.actions[rows] = actions
            self.games.run(kernel.STEP)
            rows = np.flatnonzero(self.games.counts)
            if progress is not None:
                progress(self._played(rows), self.match.games)
        return self._tally()

    def _choose(self, rows: NDArray[np.intp]) -> Actions:
        """An action for each running game, from the bot that decides there."""
        seats = self.games.seats[rows]
        keys = mix_keys(self.streams[rows, seats], self.games.states["decisions"][rows])
        chosen = np.empty(len(rows), np.int16)
        decides_a = seats == self.seat_of_a[rows]
        for which, asked in enumerate((decides_a, ~decides_a)):
            if asked.any():
                chosen[asked] = self._ask(which, rows[asked], keys[asked])
        return chosen

    def _ask(self, which: int, rows: NDArray[np.intp], keys: Keys) -> Actions:
        """The choices of A (0) or B (1), counted and timed."""
        decisions = Decisions(self.games, self.match.options, rows, keys)
        begun = time.process_time()
        actions, legal = legal_or_lowest(self.match.bots[which], decisions)
        self.thinking[which] += time.process_time() - begun
        self.decisions[rows, which] += 1
        self.illegal[rows, which] += ~legal
        return actions

    def _played(self, running: NDArray[np.intp]) -> float:
        """Games played so far in the match, the begun ones in part."""
        states = self.games.states[running]
        nights = (states["week"] - 1) * (NIGHTS_TO_PLAY // 2) + states["night"] - 1
        left = len(running) - float(nights.sum()) / NIGHTS_TO_PLAY
        return self.before + self.games.count - left

    def _tally(self) -> Games:
        places = np.arange(self.games.count)
        won = self.games.winners[places, self.seat_of_a] == 1
        alone = self.games.winners.sum(axis=1) == 1
        return Games(
            scores=np.where(won, np.where(alone, 1.0, 0.5), 0.0),
            margins=np.array(
                [
                    margin(row, seat)
                    for row, seat in zip(self.games.scores.tolist(), self.seat_of_a, strict=True)
                ]
            ),
            digests=self.digests,
            decisions=self.decisions,
            illegal=self.illegal,
            thinking=np.tile(np.array(self.thinking) / self.games.count, (self.games.count, 1)),
            group_size=self.match.group_size,
        )

"""The benchmark: frozen protocols, so that the numbers of two papers can be compared.

`protocols` declares them, docs/benchmark.md says them in words.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hemlock_env._version import __version__
from hemlock_env.agents.registry import make_bot
from hemlock_env.evaluation.endgames import EndgameResult, play_endgames
from hemlock_env.evaluation.ladder.run import Ladder
from hemlock_env.evaluation.ladder.run import Progress as GamesProgress
from hemlock_env.evaluation.ladder.schedule import Schedule, make_schedule
from hemlock_env.evaluation.ladder.standings import PairResult, standings
from hemlock_env.evaluation.match import Games
from hemlock_env.evaluation.playing import Progress
from hemlock_env.evaluation.protocols import DEFAULT, Protocol, find_protocol
from hemlock_env.evaluation.statistics import (
    Interval,
    Result,
    bayesian_bootstrap,
    format_estimate,
    interval_of,
    repeated,
)

AGENT = "agent"
FILE = "benchmark.json"


@dataclass(frozen=True)
class BenchmarkResult(Result):
    """What is cited."""

    agent: str
    """its spec"""
    fingerprint: str
    """tells it from another bot of that spec, such as a newer checkpoint"""
    protocol: str
    """its name"""
    cards: str
    """the card set and its revision"""
    rules: str
    """hash of rules and cards"""
    version: str
    """of the package"""
    score: float
    """mean of the scores against each opponent, all alike in weight"""
    interval: Interval
    """95 %, by the Bayesian bootstrap over the pairs"""
    opponents: list[PairResult]
    """one for each, A the agent"""
    milliseconds: float
    """of processor time for one decision of the agent in these games"""
    decisions: int
    """of the agent"""
    illegal: int
    """illegal actions of the agent"""
    endgames: EndgameResult

    def lines(self) -> list[tuple[str, str]]:
        """A result for people: what, and how much."""
        return [
            ("mean score", format_estimate(self.score, self.interval, ".3f")),
            *((f"endgames: {what}", value) for what, value in self.endgames.lines()),
            ("decisions", f"{self.decisions:,}, {self.milliseconds:.3g} ms each"),
            ("illegal actions", str(self.illegal)),
            *(
                ("warning", f"{pair.b}: {line}")
                for pair in self.opponents
                for line in repeated(pair.games, pair.distinct_games)
            ),
        ]


class Benchmark:
    """A protocol for one agent, its games kept in a folder: a run that was stopped goes on."""

    def __init__(self, agent: str, folder: str | os.PathLike[str], protocol: str = DEFAULT) -> None:
        """Check the agent and open the folder.

        Args:
            agent: any bot's spec.
            folder: where the games are kept; a protocol and an agent have one for themselves.
            protocol: the name of one of `PROTOCOLS`.

        Raises:
            ValueError: there is no such agent or protocol, the agent can't play its games, or the
                folder can't be used.
        """
        self.agent = agent
        self.protocol = find_protocol(protocol)
        self.ladder = Ladder(schedule_of(self.protocol, agent), Path(folder))

    def play(self, progress: GamesProgress | None = None, processes: int = 1) -> None:
        """The games that are missing."""
        self.ladder.play_missing(progress, processes)

    def result(self, progress: Progress | None = None) -> BenchmarkResult:
        """Ask for the endgames, and count everything together; all games must have been played."""
        schedule = self.ladder.schedule
        played = self.ladder.played()
        table = standings(schedule, played)
        score, interval = mean_score(schedule, [games for _, games in played])
        bot, seed = make_bot(self.agent), self.protocol.seed
        agent = next(bot for bot in table.bots if bot.name == AGENT)
        return BenchmarkResult(
            agent=self.agent,
            fingerprint=bot.fingerprint(),
            protocol=self.protocol.name,
            cards=table.cards,
            rules=table.rules,
            version=__version__,
            score=score,
            interval=interval,
            opponents=table.meetings,
            milliseconds=agent.milliseconds,
            decisions=agent.decisions,
            illegal=agent.illegal,
            endgames=play_endgames(bot, seed=seed, path=self.protocol.endgames, progress=progress),
        )


def default_folder(protocol: str, agent: str) -> Path:
    """Where `hemlock benchmark` keeps the games of an agent, by its spec, unless told."""
    return Path("runs/benchmark") / protocol / re.sub(r"[^\w=.-]+", "_", agent)


def schedule_of(protocol: Protocol, agent: str) -> Schedule:
    """The agent against each opponent of a protocol."""
    opponents = [
        {"spec": each.spec, "pairs": each.pairs, "name": each.name or each.spec}
        for each in protocol.opponents
    ]
    most = max(each.pairs for each in protocol.opponents)
    return make_schedule(
        bots=[{"spec": agent, "pairs": most, "name": AGENT}, *opponents],
        matches=[(AGENT, str(each["name"])) for each in opponents],
        seed=protocol.seed,
        options=protocol.options,
    )


def mean_score(schedule: Schedule, played: list[Games]) -> tuple[float, Interval]:
    """The mean of the scores against each opponent, and its interval by the Bayesian bootstrap.

    The opponents are met on the same deals, so a deal has one weight in all of them.
    """
    groups = [games.group_scores for games in played]
    score = float(np.mean([scores.mean() for scores in groups]))
    resampled = bayesian_bootstrap(groups, schedule.num_players, schedule.seed).mean(axis=1)
    return score, interval_of(score, resampled)

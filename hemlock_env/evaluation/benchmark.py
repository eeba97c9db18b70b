"""The benchmark: a frozen protocol, so that the numbers of two papers can be compared.

docs/benchmark.md defines it in words. What is fixed here never changes under its version; another
opponent, seed or number of pairs is another version.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hemlock_env._version import __version__
from hemlock_env.agents.registry import make_bot
from hemlock_env.evaluation.endgames import EndgameResult, play_endgames
from hemlock_env.evaluation.endgames import Progress as EndgameProgress
from hemlock_env.evaluation.ladder.plan import Plan, make_plan
from hemlock_env.evaluation.ladder.ratings import Pairing, interval_of, resample
from hemlock_env.evaluation.ladder.run import Ladder, Progress
from hemlock_env.evaluation.ladder.standings import Met, Standing, standings
from hemlock_env.evaluation.match import Games

PROTOCOL = 1
SEED = 1_000_003  # of all games; nothing shipped was trained or tuned on it
OPPONENTS = {"random": 500, "greedy": 500, "planner": 500, "mcts:iterations=1000": 100}  # pairs
AGENT = "agent"
FILE = "benchmark.json"


@dataclass(frozen=True)
class BenchmarkResult:
    """What is cited."""

    agent: str
    fingerprint: str
    protocol: int
    rules: str
    version: str
    score: float
    """mean of the scores against each opponent, all alike in weight"""
    interval: tuple[float, float]
    """95 %"""
    opponents: list[Met]
    """one for each, A the agent"""
    milliseconds: float
    """of processor time for one decision of the agent in these games"""
    decisions: int
    illegal: int
    """of the agent"""
    endgames: EndgameResult

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self)


class Benchmark:
    """The protocol for one agent, its games kept in a folder: a run that was stopped goes on."""

    def __init__(self, agent: str, folder: str | os.PathLike[str]) -> None:
        """Check the agent and open the folder.

        Raises:
            ValueError: there is no such agent, it can't play two players' games with basic sides,
                or the folder can't be used.
        """
        self.agent = agent
        self.ladder = Ladder(protocol(agent), Path(folder))

    def play(self, progress: Progress | None = None, processes: int = 1) -> None:
        """The games that are missing."""
        self.ladder.play_missing(progress, processes)

    def result(self, progress: EndgameProgress | None = None) -> BenchmarkResult:
        """Ask for the endgames, and count everything together; all games must have been played."""
        plan = self.ladder.plan
        played = self.ladder.played()
        found = standings(plan, played)
        score, interval = mean_score(plan, [games for _, games in played])
        agent = next(bot for bot in found.bots if bot.name == AGENT)
        return BenchmarkResult(
            agent=self.agent,
            fingerprint=make_bot(self.agent).fingerprint(),
            protocol=PROTOCOL,
            rules=found.rules,
            version=__version__,
            score=score,
            interval=interval,
            opponents=found.meetings,
            **_pace_of(agent),
            endgames=play_endgames(make_bot(self.agent), seed=SEED, progress=progress),
        )


def protocol(agent: str) -> Plan:
    """Version PROTOCOL: the agent against each opponent, two players, basic sides, no variant."""
    rivals = [{"spec": spec, "pairs": pairs} for spec, pairs in OPPONENTS.items()]
    return make_plan(
        bots=[{"spec": agent, "pairs": max(OPPONENTS.values()), "name": AGENT}, *rivals],
        matches=[(AGENT, spec) for spec in OPPONENTS],
        seed=SEED,
    )


def mean_score(plan: Plan, played: list[Games]) -> tuple[float, tuple[float, float]]:
    """The mean of the scores against each opponent, and its interval."""
    groups = [games.by_group.mean(axis=1) for games in played]
    pairings = [Pairing(0, 1 + place, each) for place, each in enumerate(groups)]
    score = float(np.mean([each.mean() for each in groups]))
    return score, interval_of(score, resample(pairings, plan.num_players, SEED).mean(axis=1))


def _pace_of(agent: Standing) -> dict[str, Any]:
    return {
        "milliseconds": agent.milliseconds,
        "decisions": agent.decisions,
        "illegal": agent.illegal,
    }

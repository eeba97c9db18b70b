"""A bot before solved positions: how often it misses the best action, and what that costs."""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hemlock_env.agents.base import Actions, Bot, Decisions, legal_or_lowest
from hemlock_env.agents.registry import make_bot
from hemlock_env.engine.events import EVENT_ENDGAMES, EVENT_RESAMPLE_ENDGAMES
from hemlock_env.evaluation.endgames.positions import load_endgames
from hemlock_env.evaluation.playing import Progress
from hemlock_env.evaluation.statistics import Interval, Result, bootstrap, format_estimate, interval
from hemlock_env.game.arrays import prepare
from hemlock_env.game.hashes import rules_hash
from hemlock_env.game.keys import mix_keys
from hemlock_env.game.options import check_seed
from hemlock_env.search.solver import value_from

CHUNK = 50  # positions asked together
FIRST_CHUNK = 4  # the first ones tell how long the rest will take
RESAMPLES = 2_000


@dataclass(frozen=True)
class EndgameResult(Result):
    """How often, and by how much, a bot misses the best action."""

    bot: str
    """its spec"""
    positions: int
    """asked; one decision in each"""
    missed: float
    """share of positions in which its action isn't worth as much as the best"""
    missed_interval: Interval
    """Wilson's 95 % interval"""
    outcome_lost: float
    """mean loss of outcome: a win thrown away is 1, a win shared instead or a share lost 1/2"""
    outcome_interval: Interval
    """Wilson's 95 % interval"""
    margin_lost: float
    """mean loss of margin, in influence"""
    margin_interval: Interval
    """95 % interval by the bootstrap over the positions"""
    stages: dict[str, float]
    """share missed by the turn that a position stands in"""
    illegal: int
    """illegal actions; the lowest legal one was taken instead"""
    ms: float
    """milliseconds for an action"""
    cards: str
    """the card set and its revision"""
    rules: str
    """hash of rules and cards"""
    digest: str = field(repr=False)
    """of all actions in order: equal digests, equal actions"""

    def lines(self) -> list[tuple[str, str]]:
        """A result for people: what, and how much."""
        margin = format_estimate(
            self.margin_lost, self.margin_interval, ".3f", " influence a position"
        )
        rows = [
            ("best action missed", format_estimate(self.missed, self.missed_interval, ".1%")),
            ("outcome lost", format_estimate(self.outcome_lost, self.outcome_interval, ".1%")),
            ("margin lost", margin),
        ]
        rows += [(f"missed, {stage}", f"{missed:.1%}") for stage, missed in self.stages.items()]
        rows.append(("time", f"{self.ms:.3g} ms for an action"))
        rows.append(("cards", f"{self.cards}, rules {self.rules}"))
        if self.illegal:
            rows.append(("illegal actions", f"{self.illegal}, the lowest legal one taken instead"))
        return rows


class EndgameTest:
    """A bot and a set, checked and ready."""

    def __init__(
        self,
        bot: str | Bot,
        positions: int | None = None,
        seed: int = 0,
        path: str | os.PathLike[str] | None = None,
    ) -> None:
        """A bot before the positions of a set.

        Args:
            bot: a bot or its spec string.
            positions: the first so many; None: all.
            seed: 0 to 2^63 - 1, fixes all that the bot draws.
            path: a set of one's own instead of the shipped one.

        Raises:
            ValueError: an argument can't be, or the set is not of these rules.
        """
        self.seed = np.uint64(check_seed(seed))
        self.bot = make_bot(bot)
        self.set = load_endgames(path, positions)
        self.bot.check(self.set.games.spec, self.set.options)

    def play(self, progress: Progress | None = None, chunk: int = CHUNK) -> EndgameResult:
        """Ask the bot. `progress` is told how many positions it has answered, and of how many:
        first, when all is compiled, none.
        """
        prepare()
        self.bot.prepare()
        count = len(self.set)
        keys = mix_keys(mix_keys(self.seed, EVENT_ENDGAMES), np.arange(count))
        chosen = np.empty(count, np.int16)
        illegal, seconds = 0, 0.0
        if progress is not None:
            progress(0, count)
        for start, end in pairwise([0, *range(min(chunk, FIRST_CHUNK), count, chunk), count]):
            rows = np.arange(start, end)
            begun = time.perf_counter()
            decisions = Decisions(self.set.games, self.set.options, rows, keys[rows])
            chosen[rows], legal = legal_or_lowest(self.bot, decisions)
            seconds += time.perf_counter() - begun
            illegal += int((~legal).sum())
            if progress is not None:
                progress(end, count)
        return self._result(chosen, illegal, seconds)

    def _result(self, chosen: Actions, illegal: int, seconds: float) -> EndgameResult:
        outcome_lost, margin_lost = self._losses(chosen)
        # An action that loses outcome loses margin too, unless a tie is broken by placed markers.
        missed = ((margin_lost > 0) | (outcome_lost > 0)).astype(np.float64)
        stages = np.array(self.set.stages)
        draws = int(mix_keys(self.seed, EVENT_RESAMPLE_ENDGAMES))
        cards = self.set.games.spec.card_set
        return EndgameResult(
            bot=self.bot.spec,
            positions=len(chosen),
            missed=float(missed.mean()),
            missed_interval=interval(missed),
            outcome_lost=float(outcome_lost.mean()),
            outcome_interval=interval(outcome_lost),
            margin_lost=float(margin_lost.mean()),
            margin_interval=bootstrap(margin_lost, np.mean, draws, RESAMPLES),
            stages={
                stage: float(missed[stages == stage].mean()) for stage in np.unique(stages).tolist()
            },
            illegal=illegal,
            ms=1_000 * seconds / len(chosen),
            cards=cards.edition,
            rules=rules_hash(cards),
            digest=hashlib.sha256(chosen.astype("<i2").tobytes()).hexdigest()[:16],
        )

    def _losses(self, chosen: Actions) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Regret: outcome and margin that each choice gives away, float64 (positions,)."""
        games = self.set.games
        lost = np.empty((2, len(chosen)))
        for row, action in enumerate(chosen):
            legal = games.legals[row, : games.counts[row]]
            values = self.set.values[row, : len(legal)]
            best = value_from(int(values.max()))
            got = value_from(int(values[legal == action][0]))
            lost[:, row] = (best.outcome - got.outcome) / 2, best.margin - got.margin
        return lost[0], lost[1]


def play_endgames(
    bot: str | Bot,
    positions: int | None = None,
    seed: int = 0,
    path: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> EndgameResult:
    """Ask a bot; see `EndgameTest` for the arguments and what is refused."""
    return EndgameTest(bot, positions, seed, path).play(progress)

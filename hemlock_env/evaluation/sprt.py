"""Is A stronger than B? Pairs of games are played until the likelihoods of two answers say so: a
sequential test, its games kept in a folder.

A result depends on the bots, the seed and the test alone: pairs count in the order of their
numbers, whichever was played first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hemlock_env._check import same_json, shown, whole
from hemlock_env._files import read_json, write_json
from hemlock_env.evaluation.ladder.run import Ladder
from hemlock_env.evaluation.ladder.schedule import make_schedule
from hemlock_env.evaluation.ladder.store import COMMON, Chunk
from hemlock_env.evaluation.match import GAMES_MAX, Games, join
from hemlock_env.evaluation.sequential import (
    UNDECIDED,
    SequentialTest,
    elo_of_score,
    pair_counts,
)
from hemlock_env.evaluation.statistics import (
    Interval,
    Result,
    format_estimate,
    format_interval,
    interval,
    repeated,
)

SEED = 3_000_017  # of no protocol, ladder or training
MAX_PAIRS = 20_000
BATCH = 50  # pairs between two looks at the ratio
FILE = "sprt.json"  # what the folder's pairs are tested for
FORMAT = 1
A, B = "A", "B"  # their names in the folder: another bot in the same place is noticed
PLAYERS = 2


@dataclass(frozen=True)
class SprtResult(Result):
    """A sequential test, as it stands after so many pairs."""

    a: str
    b: str
    verdict: str
    """`H1`, `H0` or `undecided`"""
    llr: float
    """log-likelihood ratio of H1 over H0"""
    bounds: tuple[float, float]
    """of the ratio: H0 is accepted at the first, H1 at the second"""
    pairs: int
    """that were counted"""
    max_pairs: int
    counts: list[int]
    """pairs with a score of 0, 1/4, 1/2, 3/4 and 1"""
    score: float
    """A's mean score: a win alone 1, a shared win 1/2"""
    interval: Interval
    """95 % interval of the score, as if so many pairs had been fixed beforehand"""
    elo: float | None
    """the score in Elo points; None: beyond all bounds"""
    elo_interval: tuple[float | None, float | None]
    """the interval in Elo points"""
    elo0: float
    elo1: float
    alpha: float
    beta: float
    batch: int
    seed: int
    options: dict[str, Any] = field(repr=False)
    rules: str
    """hash of rules and cards"""
    package: str
    """version of the package, and so of the shipped bots"""
    fingerprints: dict[str, str] = field(repr=False)
    """of A and B"""
    distinct_games: int
    illegal: int
    """illegal actions of both bots"""

    @property
    def estimate(self) -> str:
        """Elo points with their interval, in words."""
        low, high = (_points(bound) for bound in self.elo_interval)
        return f"{_points(self.elo)} (95 % interval {low} to {high})"

    def line(self) -> str:
        """How it stands, on one line."""
        return (
            f"{self.pairs:,} pairs  LLR {self.llr:+.2f} ({format_interval(self.bounds, '+.2f')})  "
            f"score {self.score:.3f}  Elo {self.estimate}"
        )

    def lines(self) -> list[tuple[str, str]]:
        """A result for people: what, and how much."""
        hypotheses = {"H0": f"Elo {self.elo0:g}", "H1": f"Elo {self.elo1:g}"}
        told = f"{self.verdict} accepted: {hypotheses.get(self.verdict, '')}"
        counts = ", ".join(f"{count:,}" for count in self.counts)
        rows = [
            ("verdict", UNDECIDED if self.verdict == UNDECIDED else told),
            ("hypotheses", f"H0 {hypotheses['H0']}, H1 {hypotheses['H1']}"),
            ("LLR", f"{self.llr:+.2f}, within {format_interval(self.bounds, '+.2f')}"),
            ("pairs", f"{self.pairs:,} of at most {self.max_pairs:,}"),
            ("pairs by score 0, 1/4, 1/2, 3/4, 1", counts),
            ("score", format_estimate(self.score, self.interval, ".3f")),
            ("Elo", self.estimate),
        ]
        rows += [("warning", line) for line in repeated(2 * self.pairs, self.distinct_games)]
        if self.illegal:
            rows.append(("illegal actions", f"{self.illegal}, the lowest legal one played instead"))
        return rows


Progress = Callable[[SprtResult], None]


class Sprt:
    """A sequential test, checked, and a folder with the pairs that have been played."""

    def __init__(
        self,
        bot_a: str,
        bot_b: str,
        folder: str | os.PathLike[str],
        test: SequentialTest | None = None,
        max_pairs: int = MAX_PAIRS,
        batch: int = BATCH,
        seed: int = SEED,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Check everything and open the folder.

        Args:
            bot_a: a bot's spec.
            bot_b: the other's.
            folder: where the games are kept; a test has one for itself.
            test: the hypotheses and how often each may be rejected wrongly.
            max_pairs: where it ends undecided; rounded up to whole batches.
            batch: pairs that are played between two looks at the ratio.
            seed: 0 to 2^63 - 1, fixes every game and all that the bots draw.
            options: those of `Game`, by name, `card_set` included; two players.

        Raises:
            ValueError: an argument can't be, a bot can't play such games, or the folder holds
                another test, other bots or games of another kind.
        """
        self.test = test or SequentialTest()
        self.batch = whole(batch, 1, GAMES_MAX // PLAYERS, "batch")
        pairs = whole(max_pairs, 1, GAMES_MAX // PLAYERS, "max_pairs")
        self.max_pairs = -(-pairs // self.batch) * self.batch
        bots = [{"spec": bot_a, "name": A}, {"spec": bot_b, "name": B}]
        schedule = make_schedule(bots, pairs=self.max_pairs, seed=seed, options=options)
        if schedule.num_players != PLAYERS:
            raise ValueError(
                f"num_players={schedule.num_players}: a sequential test counts pairs of games, "
                "which have two players; `hemlock match` measures at larger tables"
            )
        kept = Path(folder) / FILE
        what = {"format": FORMAT, **asdict(self.test), "batch": self.batch}
        there = _check_folder(kept, what)
        self.ladder = Ladder(schedule, folder)
        if not there:
            write_json(kept, what)
        self._about = {
            "a": bot_a,
            "b": bot_b,
            "max_pairs": self.max_pairs,
            "batch": self.batch,
            "bounds": self.test.bounds,
            **asdict(self.test),
            **{key: schedule.identity()[key] for key in ("seed", "options", "rules", "package")},
            "fingerprints": schedule.fingerprints(),
        }

    def play(self, progress: Progress | None = None, processes: int = 1) -> SprtResult:
        """Play until it is decided or `max_pairs` are played, going on from what the folder has.

        `progress` is told how it stands at every look. The result is the same in any number of
        processes, which may play some pairs in vain. A KeyboardInterrupt, or any error, leaves the
        batches that were played in the folder, and the next call goes on from there.
        """
        stored = self._stored()
        starts = range(0, self.max_pairs, self.batch)
        missing = [Chunk(0, 1, at, at + self.batch) for at in starts if at not in stored]
        counted: list[Games] = []
        with closing(self.ladder.play_chunks(missing, processes)) as played:
            for start in starts:
                while start not in stored:
                    chunk, games = next(played)
                    stored[chunk.first] = games
                counted.append(stored[start])
                result = self._result(counted)
                if progress is not None:
                    progress(result)
                if result.verdict != UNDECIDED:
                    break
        return result

    def _stored(self) -> dict[int, Games]:
        """The whole batches in the folder, by the number of their first pair."""
        pairs = self.ladder.store.read().get((0, 1), {})
        batches = {}
        for start in range(0, self.max_pairs, self.batch):
            numbers = range(start, start + self.batch)
            if all(number in pairs for number in numbers):
                batches[start] = join([pairs[number] for number in numbers])
        return batches

    def _result(self, counted: list[Games]) -> SprtResult:
        """How it stands after some batches."""
        games = join(counted)
        scores = games.group_scores
        counts = pair_counts(scores)
        ratio = float(self.test.log_likelihood_ratio(counts))
        bounds = interval(scores)
        score = float(scores.mean())
        return SprtResult(
            verdict=self.test.verdict(ratio),
            llr=ratio,
            pairs=len(scores),
            counts=counts.tolist(),
            score=score,
            interval=bounds,
            elo=elo_of_score(score),
            elo_interval=(elo_of_score(bounds[0]), elo_of_score(bounds[1])),
            distinct_games=games.distinct,
            illegal=int(games.illegal.sum()),
            **self._about,
        )


def _check_folder(file: Path, what: dict[str, Any]) -> bool:
    """Does the folder hold this very test? ValueError if it holds another, or other games."""
    if not file.exists():
        if (file.parent / COMMON).exists():
            raise ValueError(f"{file.parent} holds games of a ladder; choose another folder")
        return False
    try:
        there = read_json(file)
    except ValueError as error:
        raise ValueError(f"{file}: can't be read ({error}); choose another folder") from None
    there = there if isinstance(there, dict) else {}
    for key, value in what.items():
        if not same_json(there.get(key), value):
            raise ValueError(
                f"{file.parent} holds a test with {key} {shown(there.get(key))}, not {value!r}; "
                "choose another folder: a question that is changed after a look at the games is "
                "answered wrongly too often"
            )
    return True


def _points(elo: float | None) -> str:
    return "unbounded" if elo is None else f"{elo:+.0f}"


def play_sprt(
    bot_a: str,
    bot_b: str,
    folder: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    processes: int = 1,
    **arguments: Any,
) -> SprtResult:
    """Test whether A is stronger than B; see `Sprt` for the other arguments and what is refused.

    Without a folder the games aren't kept.
    """
    if folder is not None:
        return Sprt(bot_a, bot_b, folder, **arguments).play(progress, processes)
    with TemporaryDirectory() as own:
        return Sprt(bot_a, bot_b, own, **arguments).play(progress, processes)

"""A ladder: a round robin of bots on the same deals, played in parallel, kept on disk, rated
together.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from hemlock_env._signals import leave_to_parent, start_tracker
from hemlock_env.agents.base import Bot, Decisions
from hemlock_env.agents.registry import make_bot
from hemlock_env.evaluation.ladder.schedule import Pairing, Schedule
from hemlock_env.evaluation.ladder.standings import Standings, standings
from hemlock_env.evaluation.ladder.store import Chunk, Store
from hemlock_env.evaluation.match import Games, Match, join
from hemlock_env.evaluation.playing import BotGames, Rows
from hemlock_env.game.arrays import prepare
from hemlock_env.game.keys import mix_keys

PARTS = 32  # chunks that a pairing is divided into, so that processes end together
CHUNK_MAX = 250  # groups

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Progress = Callable[[int], None]


class Ladder:
    """A schedule, and a folder with what of it has been played."""

    def __init__(
        self, schedule: Schedule, folder: str | os.PathLike[str], read_only: bool = False
    ) -> None:
        """Raises ValueError if the folder can't be used; see `Store`."""
        self.schedule = schedule
        self.store = Store(Path(folder), schedule, read_only)

    @property
    def missing(self) -> list[Chunk]:
        """What is still to be played; the pairings that are likely to take long first."""
        played = self.store.read()
        chunks = []
        for pairing in self.schedule.pairings:
            known = played.get((pairing.a, pairing.b), {})
            size = min(CHUNK_MAX, -(-pairing.groups // PARTS))
            for first in range(0, pairing.groups, size):
                groups = range(first, min(first + size, pairing.groups))
                if any(group not in known for group in groups):
                    chunks.append(Chunk(pairing.a, pairing.b, groups.start, groups.stop))
        # Fewer pairs are asked for where games take longer.
        return sorted(chunks, key=lambda chunk: chunk.groups)

    def play(self, progress: Progress | None = None, processes: int = 1) -> Standings:
        """Play what is missing, and count all games together; see `play_missing`."""
        self.play_missing(progress, processes)
        return self.standings()

    def play_missing(self, progress: Progress | None = None, processes: int = 1) -> None:
        """Play what is missing; `progress` is told how many games of the schedule are played.

        The games are the same in any number of processes. A KeyboardInterrupt, or any error, leaves
        what was played in the folder, and the next call goes on from there.
        """
        chunks = self.missing
        missing = sum(chunk.groups for chunk in chunks) * self.schedule.num_players
        done = self.schedule.games - missing
        if progress is not None:
            progress(done)
        with closing(self.play_chunks(chunks, processes)) as played:
            for _, games in played:
                done += len(games.scores)
                if progress is not None:
                    progress(done)

    def play_chunks(
        self, chunks: list[Chunk], processes: int = 1
    ) -> Generator[tuple[Chunk, Games], None, None]:
        """Play chunks; hands on each once it is in the folder, in whatever order they are done.

        Close the generator to play no more: what is being played then is lost.
        """
        with _workers(self.schedule, processes) as play_all:
            for chunk, games in play_all(chunks):
                self.store.add(chunk, games)
                yield chunk, games

    def played(self) -> list[tuple[Pairing, Games]]:
        """The games in the folder, pairing by pairing; ValueError if one has none."""
        stored = self.store.read()
        played = []
        for pairing in self.schedule.pairings:
            groups = stored.get((pairing.a, pairing.b), {})
            if not groups:
                a, b = self.schedule.names[pairing.a], self.schedule.names[pairing.b]
                raise ValueError(f"{self.store.folder}: no games of {a} against {b} yet")
            played.append((pairing, join(list(groups.values()))))
        return played

    def standings(self) -> Standings:
        """What can be said from the games in the folder; ValueError if a pairing has none."""
        return standings(self.schedule, self.played())

    def seconds_to_go(self, processes: int = 1) -> float:
        """About how long what is missing will take, from a few decisions of each bot."""
        chunks = self.missing
        if not chunks:
            return 0.0
        playing = {bot for chunk in chunks for bot in (chunk.a, chunk.b)}
        paces = {
            bot: seconds_a_game(self.schedule, self.schedule.entrants[bot].spec)
            for bot in sorted(playing)
        }
        seats = self.schedule.num_players
        total = sum(
            (paces[chunk.a] + (seats - 1) * paces[chunk.b]) * chunk.groups * seats
            for chunk in chunks
        )
        return total / max(1, min(processes, os.cpu_count() or 1, len(chunks)))


# ---- how long it takes ----

SPOTS = (10, 40, 70)  # decisions into a random game at which a bot is asked
DECISIONS = 55  # that a seat has to make in a game, about
GAMES = 64  # in which it is asked at once, as it is in a match
SLOW = 0.02  # seconds for one: such a bot gains nothing from being asked for many


def seconds_a_game(schedule: Schedule, spec: str) -> float:
    """About how long a bot takes for all decisions of one seat in a game."""
    bot, seats = make_bot(spec), schedule.num_players
    prepare()
    bot.prepare()
    bot.check(schedule.spec, schedule.checked_options)
    played = BotGames(
        schedule.spec,
        schedule.checked_options,
        [make_bot("random")],
        seating=np.zeros((GAMES, seats), np.intp),
        seeds=np.arange(GAMES, dtype=np.uint64),
        streams=mix_keys(np.arange(GAMES)[:, None], np.arange(seats)),
    )
    seconds = []
    for step, (rows, _) in enumerate(played.play()):
        if step in SPOTS:
            seconds.append(_seconds_a_decision(bot, played, rows))
        if step == max(SPOTS):
            break
    return DECISIONS * float(np.mean(seconds))


def _seconds_a_decision(bot: Bot, played: BotGames, rows: Rows) -> float:
    alone = _seconds(bot, played, rows[:1])
    return alone if alone > SLOW else _seconds(bot, played, rows) / len(rows)


def _seconds(bot: Bot, played: BotGames, rows: Rows) -> float:
    """The quicker of two times: the first decision of all may load or compile something, and
    another process may come in between.
    """
    seconds = []
    for _ in range(2):
        decisions = Decisions(played.games, played.options, rows, played.keys(rows))
        begun = time.perf_counter()
        bot.choose(decisions)
        seconds.append(time.perf_counter() - begun)
    return min(seconds)


# ---- processes ----


def _play_chunk(schedule: Schedule, chunk: Chunk) -> tuple[Chunk, Games]:
    """The games of a chunk, in this process."""
    a, b = schedule.entrants[chunk.a].spec, schedule.entrants[chunk.b].spec
    match = Match(a, b, chunk.end * schedule.num_players, schedule.seed, schedule.options)
    match.prepare()
    return chunk, match.play_groups(chunk.first, chunk.end)


PlayAll = Callable[[list[Chunk]], Iterator[tuple[Chunk, Games]]]


@contextmanager
def _workers(schedule: Schedule, processes: int) -> Iterator[PlayAll]:
    """What plays chunks, in this process or in several, and ends with all of them."""
    play = partial(_play_chunk, schedule)
    if processes == 1:
        yield lambda chunks: map(play, chunks)
        return
    before = set(multiprocessing.active_children())
    # Each process is to keep to its core; NumPy reads this when a process is started.
    for library in THREADS:
        os.environ.setdefault(library, "1")
    start_tracker()
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, leave_to_parent)

    def play_all(chunks: list[Chunk]) -> Iterator[tuple[Chunk, Games]]:
        for done in as_completed([pool.submit(play, chunk) for chunk in chunks]):
            yield done.result()

    try:
        yield play_all
    except BaseException:
        for child in set(multiprocessing.active_children()) - before:
            child.kill()  # it is deaf to a request, and writes nothing
        raise
    finally:
        pool.shutdown(cancel_futures=True)

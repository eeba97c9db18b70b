"""A ladder: bots that meet on the same deals, played in parallel, kept on disk, rated together."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from hemlock_env.evaluation.ladder.pace import seconds_a_game
from hemlock_env.evaluation.ladder.plan import Meeting, Plan
from hemlock_env.evaluation.ladder.standings import Standings, standings
from hemlock_env.evaluation.ladder.store import Chunk, Store
from hemlock_env.evaluation.match import Games, Match, join

PARTS = 32  # chunks that a meeting is divided into, so that processes end together
CHUNK_MAX = 250  # groups

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Progress = Callable[[int], None]


class Ladder:
    """A plan, and a folder with what of it has been played."""

    def __init__(self, plan: Plan, folder: str | os.PathLike[str], read_only: bool = False) -> None:
        """Raises ValueError if the folder can't be used; see `Store`."""
        self.plan = plan
        self.store = Store(Path(folder), plan, read_only)

    @property
    def missing(self) -> list[Chunk]:
        """What is still to be played; the meetings that are likely to take long first."""
        played = self.store.read()
        chunks = []
        for meeting in self.plan.meetings:
            known = played.get((meeting.a, meeting.b), {})
            size = min(CHUNK_MAX, -(-meeting.groups // PARTS))
            for first in range(0, meeting.groups, size):
                groups = range(first, min(first + size, meeting.groups))
                if any(group not in known for group in groups):
                    chunks.append(Chunk(meeting.a, meeting.b, groups.start, groups.stop))
        # Fewer pairs are asked for where games take longer.
        return sorted(chunks, key=lambda chunk: chunk.end - chunk.first)

    def play(self, progress: Progress | None = None, processes: int = 1) -> Standings:
        """Play what is missing, and count all games together; see `play_missing`."""
        self.play_missing(progress, processes)
        return self.standings()

    def play_missing(self, progress: Progress | None = None, processes: int = 1) -> None:
        """Play what is missing; `progress` is told how many games of the plan are played.

        The games are the same in any number of processes. A KeyboardInterrupt, or any error, leaves
        what was played in the folder, and the next call goes on from there.
        """
        chunks = self.missing
        done = self.plan.games - _games_in(chunks, self.plan.num_players)
        if progress is not None:
            progress(done)
        with _workers(self.plan, processes) as play_all:
            for chunk, games in play_all(chunks):
                self.store.add(chunk, games)
                done += len(games.scores)
                if progress is not None:
                    progress(done)

    def played(self) -> list[tuple[Meeting, Games]]:
        """The games in the folder, meeting by meeting; ValueError if one has none."""
        played = self.store.read()
        meetings = []
        for meeting in self.plan.meetings:
            groups = played.get((meeting.a, meeting.b), {})
            if not groups:
                a, b = self.plan.names[meeting.a], self.plan.names[meeting.b]
                raise ValueError(f"{self.store.folder}: no games of {a} against {b} yet")
            meetings.append((meeting, join(list(groups.values()))))
        return meetings

    def standings(self) -> Standings:
        """What can be said from the games in the folder; ValueError if a meeting has none."""
        return standings(self.plan, self.played())

    def seconds_to_go(self, processes: int = 1) -> float:
        """About how long what is missing will take, from a few decisions of each bot."""
        chunks = self.missing
        if not chunks:
            return 0.0
        asked = {bot for chunk in chunks for bot in (chunk.a, chunk.b)}
        paces = {bot: seconds_a_game(self.plan, self.plan.rungs[bot].spec) for bot in sorted(asked)}
        seats = self.plan.num_players
        total = sum(
            (paces[chunk.a] + (seats - 1) * paces[chunk.b]) * (chunk.end - chunk.first) * seats
            for chunk in chunks
        )
        return total / max(1, min(processes, os.cpu_count() or 1, len(chunks)))


def _games_in(chunks: list[Chunk], num_players: int) -> int:
    return sum(chunk.end - chunk.first for chunk in chunks) * num_players


# ---- processes ----


def _play_chunk(plan: Plan, chunk: Chunk) -> tuple[Chunk, Games]:
    """The games of a chunk, in this process."""
    a, b = plan.rungs[chunk.a].spec, plan.rungs[chunk.b].spec
    match = Match(a, b, chunk.end * plan.num_players, plan.seed, plan.options)
    match.prepare()
    return chunk, match.play_groups(chunk.first, chunk.end)


def _deaf() -> None:
    """Ctrl-C reaches all processes of a terminal; only the first decides what comes of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


PlayAll = Callable[[list[Chunk]], Iterator[tuple[Chunk, Games]]]


@contextmanager
def _workers(plan: Plan, processes: int) -> Iterator[PlayAll]:
    """What plays chunks, in this process or in several, and ends with all of them."""
    play = partial(_play_chunk, plan)
    if processes == 1:
        yield lambda chunks: map(play, chunks)
        return
    before = set(multiprocessing.active_children())
    # Each process is to keep to its core; NumPy reads this when a process is started.
    for library in THREADS:
        os.environ.setdefault(library, "1")
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), _deaf)

    def play_all(chunks: list[Chunk]) -> Iterator[tuple[Chunk, Games]]:
        waiting = {pool.submit(play, chunk) for chunk in chunks}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()

    try:
        yield play_all
    except BaseException:
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)

"""Several processes that learn together: the same weights, games of their own, averaged gradients.

Each process is a `PPOTrainer` with one thread. They meet once at every step of Adam, where each
reads what all have written to shared memory. The first process leads: it says when an update
begins, and saves for all.
"""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from hemlock_env._signals import leave_to_parent, start_tracker
from hemlock_env.learning.config import Settings
from hemlock_env.learning.process import prepare_process
from hemlock_env.network.checkpoint import CheckpointError

Make = Callable[[Settings, "Link"], Any]  # makes the trainer of a process

PATIENCE = 120.0  # seconds that a process waits for the others at a step of Adam


class TeamError(RuntimeError):
    """A process of the team is gone."""


class Link:
    """What one process needs to average its gradients; a link to nobody changes nothing."""

    def __init__(
        self, rank: int = 0, size: int = 1, shared: Any = None, meeting: Any = None
    ) -> None:
        self.rank = rank
        self.size = size
        self.meeting = meeting
        self._steps = 0
        if shared is not None:
            # Two halves by turns: nobody overwrites what another may still be reading.
            halves = np.frombuffer(shared, np.float32).reshape(2, size, -1)
            self._halves = torch.from_numpy(halves)

    def average(self, weights: Sequence[Tensor]) -> None:
        """Put the mean of all processes' gradients in place of this one's."""
        if self.size == 1:
            return
        gradients = [weight.grad for weight in weights if weight.grad is not None]
        assert len(gradients) == len(weights)
        sizes = [gradient.numel() for gradient in gradients]
        half = self._halves[self._steps % 2]
        self._steps += 1
        mine = torch.split(half[self.rank], sizes)
        for place, gradient in zip(mine, gradients, strict=True):
            place.copy_(gradient.reshape(-1))
        try:
            self.meeting.wait(PATIENCE)
        except threading.BrokenBarrierError:
            raise TeamError("another process of the run is gone: --resume goes on") from None
        mean = torch.split(half.mean(0), sizes)
        for gradient, place in zip(gradients, mean, strict=True):
            gradient.copy_(place.view_as(gradient))


class Team:
    """The other processes of a run, as the first one sees them; none before `start`."""

    def __init__(self) -> None:
        self._pipes: list[Any] = []
        self.processes: list[Any] = []

    def start(self, make: Make, settings: Settings, weights: int) -> Link:
        """Start them; this process's link to them.

        Args:
            make: makes a trainer from settings and link; it is pickled.
            settings: of the run.
            weights: how many numbers a gradient has.
        """
        start_tracker()
        context = multiprocessing.get_context("spawn")  # a fork would copy threads' locks
        size = settings.processes
        shared = context.RawArray("f", 2 * size * weights)
        meeting = context.Barrier(size)
        for rank in range(1, size):
            pipe, theirs = context.Pipe()
            process = context.Process(
                target=work, args=(make, settings, rank, shared, meeting, theirs), daemon=True
            )
            process.start()
            theirs.close()
            self._pipes.append(pipe)
            self.processes.append(process)
        try:
            self.receive()  # each says that it is ready
        except TeamError:
            self.close()
            raise
        return Link(0, size, shared, meeting)

    def send(self, method: str, *arguments: Any) -> None:
        """Have all call a method of their trainers; `receive` waits for what it gives."""
        for pipe in self._pipes:
            try:
                pipe.send((method, arguments))
            except OSError:
                raise TeamError("another process of the run is gone: --resume goes on") from None

    def receive(self) -> list[Any]:
        """What all answer, by rank."""
        answers = []
        for pipe in self._pipes:
            try:
                answers.append(pipe.recv())
            except (EOFError, OSError):
                raise TeamError("another process of the run is gone: --resume goes on") from None
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return answers

    def close(self) -> None:
        """End them."""
        for pipe in self._pipes:
            pipe.close()  # they see the end of the pipe
        for process in self.processes:
            process.join(5.0)
            if process.is_alive():
                process.kill()


def work(make: Make, settings: Settings, rank: int, shared: Any, meeting: Any, pipe: Any) -> None:
    """One of the other processes: does what the first one orders, until that is gone."""
    leave_to_parent()
    prepare_process()
    try:
        trainer = make(settings, Link(rank, settings.processes, shared, meeting))
        pipe.send("ready")
        while True:
            method, arguments = pipe.recv()
            pipe.send(getattr(trainer, method)(*arguments))
    except (EOFError, OSError, KeyboardInterrupt):
        return
    except (CheckpointError, TeamError) as error:
        meeting.abort()
        pipe.send(error)
    except Exception as error:
        meeting.abort()  # the others needn't wait
        pipe.send(TeamError(f"process {rank} of the run failed: {error!r}"))
        raise

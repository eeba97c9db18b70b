"""The signals that ask a process to end: Ctrl-C, a closed terminal, a request to end."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

# By name: not every system has all of them.
_NAMES = ("SIGHUP", "SIGTERM", "SIGQUIT", "SIGBREAK")
ENDINGS: tuple[int, ...] = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))


class Ended(KeyboardInterrupt):
    """A request to end, raised wherever Ctrl-C could have been."""


@contextmanager
def heard(numbers: Iterable[int], handler: Callable[[int], None]) -> Iterator[None]:
    """These signals go to `handler`, in the main thread; those that are ignored (`nohup`) stay so.

    What is written to a terminal that is gone goes nowhere from then on, and is no error.
    """
    terminals = [stream for stream in (1, 2) if os.isatty(stream)]

    def hear(number: int, frame: object) -> None:
        for stream in terminals:
            if not os.isatty(stream):
                silence(stream)
        handler(number)

    before: dict[int, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in numbers:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    before[number] = signal.signal(number, hear)
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def silence(stream: int) -> None:
    """What is written to a stream, by its number, goes nowhere from now on."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream)
    os.close(nowhere)


class Ending:
    """Raises `Ended` where a process is first asked to end; `signal` is then the number.

    A shell and the system may both tell of a closed terminal: later requests change nothing, so
    that what is being saved is saved.
    """

    signal = 0

    def hear(self, number: int) -> None:
        """A request."""
        if not self.signal:
            self.signal = number
            raise Ended


def start_tracker() -> None:
    """Start the process in which Python keeps track of what processes share, deaf to a closed
    terminal: it is deaf to Ctrl-C and SIGTERM already, and what it outlives it can clear away.
    """
    if hasattr(signal, "SIGHUP"):
        from multiprocessing import resource_tracker

        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})  # is inherited
        try:
            resource_tracker.ensure_running()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def leave_to_parent() -> None:
    """Of a terminal, and of a service that is stopped, all processes are told: only the first of
    a program decides what comes of it.
    """
    for number in (signal.SIGINT, *ENDINGS):
        signal.signal(number, signal.SIG_IGN)

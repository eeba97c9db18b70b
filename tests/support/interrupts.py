"""Ctrl-C at any moment: real signals, from a timer of the system."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Interrupted(KeyboardInterrupt):
    """What the timer's signal raises."""


def interrupt_me(*_: Any) -> None:
    raise Interrupted


def hear_signals() -> None:
    """Ctrl-C and SIGHUP as a program hears them that a person starts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


@contextmanager
def interrupted_after(seconds: float, processor: bool = False) -> Iterator[list[bool]]:
    """KeyboardInterrupt in the block after so many seconds; with `processor`, of processor time.

    Gives a list that holds True once it has come.
    """
    number, timer = signal.SIGALRM, signal.ITIMER_REAL
    if processor:
        number, timer = signal.SIGPROF, signal.ITIMER_PROF
    before = signal.signal(number, interrupt_me)
    came: list[bool] = []
    try:
        try:
            signal.setitimer(timer, seconds)
            yield came
        finally:
            signal.setitimer(timer, 0)
    except Interrupted:
        came.append(True)
    finally:
        signal.signal(number, before)

"""Deprecated: the old place and names of `hemlock_env.evaluation.ladder.schedule`."""

import warnings
from typing import Any

from hemlock_env.evaluation.ladder import schedule

NAMES = {"make_plan": "make_schedule", "read_plan": "read_schedule", "Plan": "Schedule"}


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    new = f"{schedule.__name__}.{NAMES[name]}"
    warnings.warn(f"{__name__}.{name} is now {new}", DeprecationWarning, stacklevel=2)
    return getattr(schedule, NAMES[name])

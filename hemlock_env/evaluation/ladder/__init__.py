"""A ladder of bots: scheduled, played, stored, rated, reported."""

from hemlock_env.evaluation.ladder.run import Ladder
from hemlock_env.evaluation.ladder.schedule import make_schedule, read_schedule

__all__ = ["Ladder", "make_schedule", "read_schedule"]

"""Deprecated: the old address of `hemlock_env.evaluation.ladder.schedule`."""

from hemlock_env._moved import moved

__getattr__ = moved(
    __name__,
    {
        "make_plan": "hemlock_env.evaluation.ladder.schedule.make_schedule",
        "read_plan": "hemlock_env.evaluation.ladder.schedule.read_schedule",
        "Plan": "hemlock_env.evaluation.ladder.schedule.Schedule",
    },
)

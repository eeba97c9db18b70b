"""A run small enough for tests."""

from typing import Any

from hemlock_env.learning.config import Settings, check_settings

TINY: dict[str, Any] = {
    "total_decisions": 2048,
    "games": 32,
    "steps": 16,
    "hidden": [16, 16],
    "minibatch": 128,
    "evaluate_decisions": 1024,
    "evaluate_games": 2,
    "opponents": ["random"],
    "precision": "float32",
}


def tiny(**changes: Any) -> Settings:
    return check_settings({**TINY, **changes}, "tiny")

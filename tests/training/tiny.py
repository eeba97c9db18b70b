"""A run small enough for tests, and the commands that make runs."""

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from hemlock_env.cli import main
from hemlock_env.learning.config import Settings, check_settings
from hemlock_env.learning.ppo import PPOTrainer
from hemlock_env.learning.run import train

TINY: dict[str, Any] = {
    "total_timesteps": 2048,
    "num_envs": 32,
    "num_steps": 16,
    "hidden_sizes": [16, 16],
    "minibatch_size": 128,
    "eval_freq": 1024,
    "eval_games": 2,
    "eval_opponents": ["random"],
    "precision": "float32",
}


def tiny(**changes: Any) -> Settings:
    return check_settings({**TINY, **changes}, "tiny")


def train_tiny(
    settings: Settings, folder: Path, console: Console | None = None, resume: bool = False
) -> int:
    """A run of `settings`; the exit code."""
    return train(PPOTrainer, settings, folder, resume, console or Console(quiet=True))


def hemlock(*words: object) -> int:
    """The exit code of a command."""
    with pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    return int(left.value.code or 0)

"""What a run needs of a trainer, whatever it learns by: updates, a policy, and its whole state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env.learning.checkpoint import State
from hemlock_env.learning.config import Settings
from hemlock_env.network.checkpoint import describe
from hemlock_env.network.encoder import FeatureEncoder
from hemlock_env.network.policy import Policy

COUNTERS = {"num_timesteps": np.int64, "num_games": np.int64, "seconds": np.float64}


class Trainer(ABC):
    """Counters, schedules and the face of a trainer; `learning.run` drives any.

    Args:
        settings: of the run.
        encoder: what the policy sees.
    """

    def __init__(self, settings: Settings, encoder: FeatureEncoder) -> None:
        self.settings = settings
        self.encoder = encoder
        self.num_timesteps = 0  # decisions of all seats
        self.num_games = 0
        self.seconds = 0.0  # of training, evaluation not counted

    @abstractmethod
    def update(self) -> dict[str, float]:
        """A rollout and the learning from it; a row of metrics, see `report.METRICS`."""

    @abstractmethod
    def weights(self) -> State:
        """The policy's weights by the names of a checkpoint; they change with training."""

    @abstractmethod
    def state_dict(self) -> State:
        """All that training goes on from, as arrays by name."""

    @abstractmethod
    def load_state_dict(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Bring a fresh trainer of the same settings to where `state` was taken.

        Raises:
            CheckpointError: it is of another trainer or version.
        """

    def start(self) -> None:  # noqa: B027 (most need nothing)
        """Start what training needs beside this process; `close` ends it."""

    def close(self) -> None:  # noqa: B027
        """End what `start` started."""

    @property
    def progress(self) -> float:
        """How much of the run is done, 0 to 1: by timesteps, or by time where that is further."""
        done = self.num_timesteps / self.settings.total_timesteps
        if self.settings.max_minutes:
            done = max(done, self.seconds / 60.0 / self.settings.max_minutes)
        return min(done, 1.0)

    def annealed(self, progress: float) -> dict[str, float]:
        """What the linear schedules say, by the names of metrics.csv."""
        left, settings = 1.0 - progress, self.settings
        ent_coef = settings.ent_coef_end + (settings.ent_coef - settings.ent_coef_end) * left
        return {"learning_rate": settings.learning_rate * left, "ent_coef": ent_coef}

    def facts(self) -> dict[str, float]:
        """Where the run stands, by the names of metrics.csv."""
        return {"timesteps": self.num_timesteps, "minutes": self.seconds / 60.0}

    def count(self, played: int, learned: float, games: int, seconds: float) -> dict[str, float]:
        """Count an update whose timesteps are counted; the metrics that all trainers have."""
        self.num_games += games
        self.seconds += seconds
        return {
            **self.facts(),
            "sps": played / seconds,
            "learned_sps": learned / seconds,
            "games": self.num_games,
            "game_length": played / max(games, 1),
        }

    def counters(self) -> State:
        """Their part of a state dict."""
        return {name: np.array(getattr(self, name), kind) for name, kind in COUNTERS.items()}

    def load_counters(self, state: Mapping[str, NDArray[Any]]) -> None:
        """The inverse of `counters`."""
        for name in COUNTERS:
            setattr(self, name, state[name].item())

    def meta(self) -> dict[str, Any]:
        """What the checkpoint says about itself."""
        settings, size = self.settings, len(self.encoder)
        about = describe(settings.cards, settings.options, settings.hidden_sizes, size)
        minutes = round(self.seconds / 60.0, 3)
        return {**about, "decisions": self.num_timesteps, "minutes": minutes}

    def policy(self) -> Policy:
        """The policy as it would be saved now."""
        weights = {name: weight.copy() for name, weight in self.weights().items()}
        return Policy(weights, self.meta())

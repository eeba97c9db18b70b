"""ckpt:PATH: a trained policy as a bot."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hemlock_env.agents.base import Actions, Bot, Decisions
from hemlock_env.game.options import Options
from hemlock_env.game.spec import GameSpec
from hemlock_env.network.policy import load_policy

# Rows that go through the network together, filled up where there are fewer: a matrix product
# rounds by its shape, and a choice may not depend on which other games are in the batch.
BLOCK = 32

_TO_UNIT = 2.0**-53
_UNIT_SHIFT = np.uint64(11)


class CheckpointBot(Bot):
    """Plays the likeliest legal action, or draws one."""

    def __init__(self, path: str, temperature: float = 0.0, seed: int = 0) -> None:
        """The policy in the checkpoint folder `path`.

        Args:
            path: the folder.
            temperature: 0 plays the likeliest action; 1 draws by the policy's probabilities; other
                temperatures sharpen or flatten them.
            seed: see `Bot`.

        Raises:
            ValueError: there is no sound checkpoint at `path`, or the temperature can't be.
        """
        super().__init__(seed)
        if not (math.isfinite(temperature) and temperature >= 0):
            raise ValueError(f"ckpt:{path}: temperature={temperature:g} must be 0 or more")
        self.spec = f"ckpt:{path}" + (f":temperature={temperature:g}" if temperature else "")
        self.temperature = temperature
        self.policy = load_policy(path)

    def fingerprint(self) -> str:
        """Spec and weights: a path may come to hold a newer policy."""
        return f"{self.spec} {self.policy.digest()}"

    def check(self, spec: GameSpec, options: Options) -> None:
        """Was the policy trained for these cards and options?"""
        self.policy.check_fits(spec.card_set, options)

    def choose(self, decisions: Decisions) -> Actions:
        """By the logits of the legal actions; ValueError where there is none."""
        legal = decisions.legal
        if (decisions.legal_count < 1).any():
            raise ValueError(f"{self.spec}: there is no legal action to choose from")
        listed = np.arange(legal.shape[1]) < decisions.legal_count[:, None]
        logits = self._logits(decisions.observation)
        scores = np.take_along_axis(logits, np.where(listed, legal, 0).astype(np.intp), axis=1)
        scores[~listed] = -np.inf
        places = scores.argmax(axis=1) if self.temperature == 0 else self._draw(scores, decisions)
        chosen: Actions = np.take_along_axis(legal, places[:, None], axis=1)[:, 0]
        return chosen

    def _logits(self, observation: NDArray[np.int8]) -> NDArray[np.float64]:
        """Of all actions, float64 (n, actions), the same for a row whatever the others are."""
        rows = len(observation)
        full = np.zeros((rows + -rows % BLOCK, observation.shape[1]), np.int8)
        full[:rows] = observation
        blocks = full.reshape(-1, BLOCK, observation.shape[1])
        logits = [self.policy.logits_and_values(block)[0] for block in blocks]
        return np.concatenate(logits)[:rows].astype(np.float64)

    def _draw(self, scores: NDArray[np.float64], decisions: Decisions) -> NDArray[np.intp]:
        """A place for each row of scores, by the softmax and the key."""
        weights = np.exp((scores - scores.max(axis=1, keepdims=True)) / self.temperature)
        heaped = weights.cumsum(axis=1)
        drawn = (decisions.keys >> _UNIT_SHIFT) * _TO_UNIT * heaped[:, -1]
        # Rounding may carry `drawn` to the top of the heap: never past the last legal action.
        last = decisions.legal_count - 1
        places: NDArray[np.intp] = np.minimum((heaped <= drawn[:, None]).sum(axis=1), last)
        return places

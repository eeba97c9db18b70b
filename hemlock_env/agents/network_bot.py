"""ckpt:PATH: a trained policy as a bot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from hemlock_env.agents.base import Actions, Between, Bot, Decisions, checked_spec
from hemlock_env.game.options import Options
from hemlock_env.game.spec import GameSpec
from hemlock_env.network.sampling import sample_legal

if TYPE_CHECKING:
    from hemlock_env.network.policy import Policy

# Rows that go through the network together, filled up where there are fewer: a matrix product
# rounds by its shape, and a choice may not depend on which other games are in the batch.
BLOCK = 32


class PolicyBot(Bot):
    """What asks a trained policy; mixed into a bot that sets `policy`."""

    policy: Policy

    def fingerprint(self) -> str:
        """Spec and weights: a path may come to hold a newer policy."""
        return f"{self.spec} {self.policy.digest()}"

    def check(self, spec: GameSpec, options: Options) -> None:
        """Was the policy trained for these cards and options?"""
        self.policy.check_fits(spec.card_set, options)


class CheckpointBot(PolicyBot):
    """Plays the likeliest legal action, or draws one."""

    def __init__(
        self, path: str, temperature: Annotated[float, Between(0)] = 0.0, seed: int = 0
    ) -> None:
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
        self.spec = checked_spec(f"ckpt:{path}", CheckpointBot, brief=True, temperature=temperature)
        self.temperature = temperature
        from hemlock_env.network.policy import load_policy  # only here: it loads safetensors

        self.policy = load_policy(path)

    def choose(self, decisions: Decisions) -> Actions:
        """By the logits of the legal actions; ValueError where there is none."""
        logits, temperature = self._logits(decisions.observation), self.temperature
        return sample_legal(
            logits, decisions.legal, decisions.legal_count, decisions.keys, temperature
        )

    def _logits(self, observation: NDArray[np.int8]) -> NDArray[np.float32]:
        """Of all actions, float32 (n, actions), the same for a row whatever the others are."""
        rows = len(observation)
        full = np.zeros((rows + -rows % BLOCK, observation.shape[1]), np.int8)
        full[:rows] = observation
        blocks = full.reshape(-1, BLOCK, observation.shape[1])
        logits = [self.policy.logits_and_values(block)[0] for block in blocks]
        return np.concatenate(logits)[:rows]

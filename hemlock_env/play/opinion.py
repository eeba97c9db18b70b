"""What a trained policy thinks of a decision."""

from __future__ import annotations

import numpy as np

from hemlock_env.game.game import Game
from hemlock_env.network.policy import Policy
from hemlock_env.network.sampling import softmax


def opinion_of(policy: Policy, game: Game) -> tuple[float, dict[int, float]]:
    """The reward that the deciding seat may expect, -1 to 1, and a probability for each legal
    action; both from what that seat knows.
    """
    legal = game.legal_actions()
    logits, values = policy.logits_and_values(game.observe(game.seat or 0)[None])
    likely = softmax(logits[0, legal].astype(np.float64)).tolist()
    return float(values[0]), dict(zip(legal, likely, strict=True))

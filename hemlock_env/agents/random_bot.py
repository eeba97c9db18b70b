"""random: any legal action, all equally likely."""

from __future__ import annotations

import numpy as np

from hemlock_env.agents.base import Actions, Bot, Decisions

_HALF = np.uint64(32)


class RandomBot(Bot):
    """Uniform over the legal actions."""

    spec = "random"

    def choose(self, decisions: Decisions) -> Actions:
        """The upper half of the key, scaled to the number of legal actions."""
        counts = decisions.legal_count.astype(np.uint64)
        places = ((decisions.keys >> _HALF) * counts) >> _HALF
        return decisions.legal[np.arange(len(decisions)), places.astype(np.intp)]

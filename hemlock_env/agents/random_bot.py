"""random: any legal action, all equally likely."""

from __future__ import annotations

import numpy as np

from hemlock_env.agents.base import Actions, Bot, Decisions

_HALF = np.uint64(32)


class RandomBot(Bot):
    """Uniform over the legal actions."""

    spec = "random"

    def choose(self, situations: Decisions) -> Actions:
        """The upper half of the key, scaled to the number of legal actions."""
        counts = situations.legal_count.astype(np.uint64)
        places = ((situations.keys >> _HALF) * counts) >> _HALF
        return situations.legal[np.arange(len(situations)), places.astype(np.intp)]

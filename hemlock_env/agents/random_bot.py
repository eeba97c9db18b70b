"""random: any legal action, all equally likely."""

from __future__ import annotations

import numpy as np

from hemlock_env.agents.base import Actions, Bot, Decisions
from hemlock_env.game.keys import draw_below


class RandomBot(Bot):
    """Uniform over the legal actions."""

    spec = "random"

    def choose(self, decisions: Decisions) -> Actions:
        """The upper half of the key, scaled to the number of legal actions."""
        drawn = draw_below(decisions.keys, decisions.legal_count)
        return decisions.legal[np.arange(len(decisions)), drawn]

"""Rewards at the end of a game.

outcome: the winners share +1 and the losers share -1, so the sum is 0; a draw of all is 0 for all.
margin: own influence less the mean of the rivals', divided by 20.
"""

from __future__ import annotations

from collections.abc import Sequence

from hemlock_env._check import one_of
from hemlock_env.engine.kernel import MARGIN, MARGIN_SCALE, OUTCOME

REWARDS = {"outcome": OUTCOME, "margin": MARGIN}


def reward_number(name: str) -> int:
    """The kernel's number for a reward's name; ValueError names the choices."""
    return REWARDS[one_of(name, REWARDS, "reward")]


def rewards(name: str, scores: Sequence[int], winners: Sequence[int]) -> list[float]:
    """The rewards by seat of one finished game, as Python floats (sum 0 to 1e-9)."""
    players = len(scores)
    if reward_number(name) == MARGIN:
        return [margin(scores, seat) / MARGIN_SCALE for seat in range(players)]
    if len(winners) == players:
        return [0.0] * players
    losers = players - len(winners)
    return [1.0 / len(winners) if seat in winners else -1.0 / losers for seat in range(players)]


def margin(scores: Sequence[int], seat: int) -> float:
    """Own influence less the mean of the rivals'."""
    own = scores[seat]
    return own - (sum(scores) - own) / (len(scores) - 1)

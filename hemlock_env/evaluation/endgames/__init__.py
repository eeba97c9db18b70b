"""Endgames: positions of the last night with the exact value of every legal action, and how often a
bot misses the best one. docs/endgames.md says what is in the shipped set.
"""

from hemlock_env.evaluation.endgames.make import make_endgames
from hemlock_env.evaluation.endgames.play import EndgameResult, EndgameTest, play_endgames
from hemlock_env.evaluation.endgames.positions import POSITIONS, Endgames, load_endgames

__all__ = [
    "POSITIONS",
    "EndgameResult",
    "EndgameTest",
    "Endgames",
    "load_endgames",
    "make_endgames",
    "play_endgames",
]

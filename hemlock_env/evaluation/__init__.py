"""Matches between bots: the same deals for both, and what can be said from so many games."""

from hemlock_env.evaluation.match import Match, MatchResult, play_match
from hemlock_env.evaluation.sprt import Sprt, SprtResult, play_sprt
from hemlock_env.evaluation.statistics import interval

__all__ = ["Match", "MatchResult", "Sprt", "SprtResult", "interval", "play_match", "play_sprt"]

"""Matches between bots: honest games, and what can be said from so many of them."""

from hemlock_env.evaluation.match import Match, MatchResult, play_match
from hemlock_env.evaluation.sprt import Sprt, SprtResult, play_sprt
from hemlock_env.evaluation.statistics import interval

__all__ = ["Match", "MatchResult", "Sprt", "SprtResult", "interval", "play_match", "play_sprt"]

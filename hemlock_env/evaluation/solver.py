"""Deprecated: the old address of `hemlock_env.search.solver`."""

from hemlock_env._moved import moved

NAMES = ("solve", "Solution", "Value", "NotSolved")

__getattr__ = moved(__name__, {name: f"hemlock_env.search.solver.{name}" for name in NAMES})

"""Deprecated: the old address of `hemlock_env.network.policy`."""

from hemlock_env._moved import moved

NAMES = ("load_policy", "Policy")

__getattr__ = moved(__name__, {name: f"hemlock_env.network.policy.{name}" for name in NAMES})

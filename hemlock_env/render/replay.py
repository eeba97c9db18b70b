"""Deprecated: the old address of `hemlock_env.render.page`."""

from hemlock_env._moved import moved

__getattr__ = moved(__name__, {"replay_page": "hemlock_env.render.page.replay_page"})

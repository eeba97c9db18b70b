"""The names under which Gymnasium and PettingZoo know the environments."""

from __future__ import annotations

import gymnasium
import pettingzoo

ID = "hemlock/Hemlock-v0"


def register() -> None:
    """Make the environments known; nothing where they are. The modules load when one is made."""
    if ID not in gymnasium.registry:
        gymnasium.register(
            id=ID,
            entry_point="hemlock_env.envs.gym_env:HemlockGymEnv",
            vector_entry_point="hemlock_env.envs.vector:HemlockVectorEnv",
        )
    # PettingZoo has a registry since 1.27.
    if hasattr(pettingzoo, "register") and ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", id=ID, entry_point="hemlock_env.hemlock_v0:env")

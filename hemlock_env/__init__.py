"""hemlock-env: the card and area-control game *Hemloch: Vault of Darkness* for reinforcement
learning.

`Game` is one game, `Batch` thousands, `hemlock_v0` the PettingZoo AEC environment. Importing the
package registers `hemlock/Hemlock-v0` with Gymnasium and PettingZoo. See README.md.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from hemlock_env._version import __version__
from hemlock_env.envs import registration

if TYPE_CHECKING:
    from hemlock_env import hemlock_v0
    from hemlock_env.agents import list_bots, make_bot
    from hemlock_env.cards import CardSet, CardSetError, load_card_set
    from hemlock_env.game.batch import Batch
    from hemlock_env.game.game import Game
    from hemlock_env.game.replay import replay

# Imported on first use: the rules need Numba, and whoever wants a card set or the version doesn't.
_HOMES = {
    "Batch": "hemlock_env.game.batch",
    "CardSet": "hemlock_env.cards",
    "CardSetError": "hemlock_env.cards",
    "Game": "hemlock_env.game.game",
    "list_bots": "hemlock_env.agents",
    "load_card_set": "hemlock_env.cards",
    "make_bot": "hemlock_env.agents",
    "replay": "hemlock_env.game.replay",
}

__all__ = [
    "Batch",
    "CardSet",
    "CardSetError",
    "Game",
    "__version__",
    "hemlock_v0",
    "list_bots",
    "load_card_set",
    "make_bot",
    "replay",
]


# `gym.make` finds what has been registered before, so this can't wait for the first use.
registration.register()


def __getattr__(name: str) -> Any:
    if name == "hemlock_v0":
        return importlib.import_module("hemlock_env.hemlock_v0")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'hemlock_env' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

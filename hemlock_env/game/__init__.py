"""One game and many, and the formats they are written in.

`from hemlock_env.game import Game` loads the rules; importing the package alone doesn't.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hemlock_env.game.batch import Batch
    from hemlock_env.game.game import Game
    from hemlock_env.game.replay import replay

_HOMES = {
    "Batch": "hemlock_env.game.batch",
    "Game": "hemlock_env.game.game",
    "replay": "hemlock_env.game.replay",
}

__all__ = ["Batch", "Game", "replay"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'hemlock_env.game' has no attribute {name!r}")

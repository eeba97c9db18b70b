"""One game and many, and the formats they are written in.

`from hemlock_env.game import Game` loads the rules; importing the package alone doesn't.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hemlock_env._moved import lazy

if TYPE_CHECKING:
    from hemlock_env.game.batch import Batch
    from hemlock_env.game.game import Game
    from hemlock_env.game.replay import replay

__all__ = ["Batch", "Game", "replay"]

__getattr__ = lazy(__name__, {name: f"hemlock_env.game.{name.lower()}:{name}" for name in __all__})

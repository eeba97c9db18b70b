"""hemlock-env: the card and area-control game *Hemloch: Vault of Darkness* for reinforcement
learning.

`Game` is one game, `Batch` thousands, `hemlock_v0` the PettingZoo AEC environment. Importing the
package registers `hemlock/Hemlock-v0` with Gymnasium and PettingZoo. See README.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hemlock_env._moved import lazy
from hemlock_env._version import __version__
from hemlock_env.envs import registration

if TYPE_CHECKING:
    from hemlock_env import hemlock_v0
    from hemlock_env.agents import list_bots, make_bot
    from hemlock_env.cards import CardSet, CardSetError, load_card_set
    from hemlock_env.game.batch import Batch
    from hemlock_env.game.game import Game
    from hemlock_env.game.replay import replay

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


# Imported on first use: the rules need Numba, and whoever wants a card set or the version doesn't.
__getattr__ = lazy(
    __name__,
    {
        "Batch": "hemlock_env.game.batch:Batch",
        "CardSet": "hemlock_env.cards:CardSet",
        "CardSetError": "hemlock_env.cards:CardSetError",
        "Game": "hemlock_env.game.game:Game",
        "hemlock_v0": "hemlock_env.hemlock_v0:",
        "list_bots": "hemlock_env.agents:list_bots",
        "load_card_set": "hemlock_env.cards:load_card_set",
        "make_bot": "hemlock_env.agents:make_bot",
        "replay": "hemlock_env.game.replay:replay",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)

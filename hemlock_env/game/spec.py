"""GameSpec: what all games of one card set and number of players share."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from hemlock_env._jit import DISABLE_JIT
from hemlock_env.cards import CardSet, load_tables
from hemlock_env.game.actions import action_table
from hemlock_env.game.tensor import layout_for


def for_kernel(records: np.ndarray[Any, Any]) -> Any:
    """Plain arrays are quicker to pass to compiled code; recarrays give `state.hand` uncompiled."""
    return records if DISABLE_JIT else records.view(np.ndarray)


class GameSpec:
    """What all games of one card set and number of players share: its cards as numbers, its
    tensors, its actions.
    """

    def __init__(self, card_set: CardSet, num_players: int) -> None:
        self.card_set = card_set
        self.num_players = num_players
        self.tables = for_kernel(load_tables(card_set))
        self.layout = layout_for(card_set, num_players)
        self.actions = action_table(card_set)


@lru_cache(maxsize=64)
def spec_for(card_set: CardSet, num_players: int) -> GameSpec:
    """The table of a card set and number of players, made once."""
    return GameSpec(card_set, num_players)

"""Action numbers and their names (docs/formats.md)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from hemlock_env._check import as_whole
from hemlock_env.cards import CardSet
from hemlock_env.cards.vocabulary import CELLS, FIRST_LEADER, GRID, NON_LEADERS
from hemlock_env.engine.constants import ACTIONS_BEYOND_LOOT
from hemlock_env.game.ids import ids_of


class ActionTable:
    """The fixed set of actions of a card set: `names[index]`, `index(name)`."""

    def __init__(self, card_set: CardSet) -> None:
        self.names = tuple(_names(card_set))
        self.numbers = {name: number for number, name in enumerate(self.names)}
        assert len(self.names) == len(card_set.loot) + ACTIONS_BEYOND_LOOT

    def __len__(self) -> int:
        return len(self.names)

    def index(self, name: Any) -> int:
        """The number of a name; ValueError where there is none."""
        if not isinstance(name, str) or name not in self.numbers:
            raise ValueError(f"{name!r} is not the name of an action")
        return self.numbers[name]

    def name(self, index: Any) -> str:
        """The name of a number; ValueError where there is none."""
        return self.names[self.check(index)]

    def check(self, action: Any) -> int:
        """A number from a number or a name; ValueError for anything else."""
        if isinstance(action, str):
            return self.index(action)
        number = action if type(action) is int else as_whole(action)  # an int needs no look
        if number is None or not 0 <= number < len(self.names):
            raise ValueError(
                f"action {action!r}: must be a name or a whole number from 0 to "
                f"{len(self.names) - 1}"
            )
        return number


def _names(card_set: CardSet) -> list[str]:
    """Block after block, in the order of `engine.constants`."""
    ids = ids_of(card_set)
    districts, minions = ids.districts, ids.minions
    others = minions[:NON_LEADERS]
    board = [f"{district}:{minion}" for district in districts for minion in others]
    return [
        *(f"loot:{loot}" for loot in ids.loot),
        *(f"item:{item}" for item in ids.items),
        *(f"district:{district}" for district in districts),
        *(
            f"space:{district}:{cell // GRID},{cell % GRID}"
            for district in districts
            for cell in range(CELLS)
        ),
        *(f"take:{minion}" for minion in minions),
        *(f"play:{minion}:{district}" for minion in others for district in districts),
        *(
            f"play:{minions[kind]}:{districts[card_set.lairs[kind]]}"
            for kind in range(FIRST_LEADER, len(minions))
        ),
        *(f"own:{minion}" for minion in board),
        *(f"seat:{offset}" for offset in (1, 2, 3)),
        *(f"rival:{minion}" for minion in board),
        *(f"discard:{minion}" for minion in minions),
    ]


@lru_cache(maxsize=64)
def action_table(card_set: CardSet) -> ActionTable:
    """The action table of a card set, made once."""
    return ActionTable(card_set)

"""The ids of a card set by number, for positions, records, names of actions and axes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from hemlock_env.cards import CardSet
from hemlock_env.cards.tables import FIRST_ITEM_SOURCE, FIRST_SCHEME_SOURCE


class Ids:
    """The ids of one card set; each tuple's order is that of the numbers in STATE."""

    def __init__(self, card_set: CardSet) -> None:
        self.minions = card_set.minions
        self.items = tuple(item.id for item in card_set.items)
        self.districts = tuple(district.id for district in card_set.districts)
        self.nights = tuple(night.id for night in card_set.nights)
        self.loot = tuple(loot.id for loot in card_set.loot)
        self.agendas = tuple(agenda.id for agenda in card_set.agendas)

    def source(self, source: int) -> str:
        """What an effect stands on, such as `loot:servants_bell`."""
        if source >= FIRST_SCHEME_SOURCE:
            return f"scheme:{self.districts[(source - FIRST_SCHEME_SOURCE) // 2]}"
        if source >= FIRST_ITEM_SOURCE:
            return f"item:{self.items[source - FIRST_ITEM_SOURCE]}"
        return f"loot:{self.loot[source]}"


@lru_cache(maxsize=64)
def ids_of(card_set: CardSet) -> Ids:
    """The ids of a card set, made once."""
    return Ids(card_set)


def counted(ids: Iterable[str], counts: Any) -> dict[str, int]:
    """Counts by id, zeros left out."""
    return {name: count for name, count in zip(ids, counts.tolist(), strict=True) if count}


def flagged(ids: Iterable[str], flags: Any) -> list[str]:
    """The ids whose flag is set, in the card set's order."""
    return [name for name, flag in zip(ids, flags.tolist(), strict=False) if flag]

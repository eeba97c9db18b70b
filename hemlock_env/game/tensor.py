"""What the observation tensor means: sizes, bounds, scaling, names and words, all made from
`engine.fields.FIELDS`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env.cards import CardSet
from hemlock_env.cards.vocabulary import GENERICS, GRID, NON_LEADERS, Op
from hemlock_env.engine.constants import Decision, Phase
from hemlock_env.engine.fields import (
    ALL_COPIES,
    AXES,
    COPIES,
    FIELDS,
    FIRST_SCHEME_WORD,
    FIRST_WORD,
    GROUP_DTYPES,
    ITEM_COPIES,
    Field,
    offset_of,
)
from hemlock_env.game.ids import ids_of
from hemlock_env.game.options import AXIS

SEAT_NAMES = ("self", "rival_1", "rival_2", "rival_3")
FIELD = {field.name: field for field in FIELDS}


class TensorLayout:
    """The tensor of a card set and number of players: where fields stand and what they mean."""

    def __init__(self, card_set: CardSet, num_players: int) -> None:
        self.card_set = card_set
        self.num_players = num_players
        self.blocks = {
            "game": 1,
            "seat": num_players,
            "loot": len(card_set.loot),
            "agenda": len(card_set.agendas),
        }
        self.starts: dict[str, int] = {}
        self.features = 0
        for group, blocks in self.blocks.items():
            self.starts[group] = self.features
            self.features += blocks * GROUP_DTYPES[group].itemsize

    def part(self, observation: NDArray[Any], name: str) -> NDArray[Any]:
        """The field `name` of a tensor (…, features): (…, *dims), or (…, blocks, *dims) in a group
        of several.
        """
        field = FIELD[name]
        blocks, size = self.blocks[field.group], GROUP_DTYPES[field.group].itemsize
        start = self.starts[field.group]
        lead = observation.shape[:-1]
        group = observation[..., start : start + blocks * size].reshape(*lead, blocks, size)
        at = offset_of(field)
        part = group[..., at : at + field.size].reshape(*lead, blocks, *field.dims)
        return part.reshape((*lead, *field.dims)) if field.group == "game" else part

    def _fill(self, values: dict[str, Any], dtype: Any) -> NDArray[Any]:
        """A vector (features,) with each field's value in its place."""
        vector = np.zeros(self.features, dtype)
        for field in FIELDS:
            self.part(vector, field.name)[...] = values[field.name]
        return vector

    @cached_property
    def high(self) -> NDArray[np.int8]:
        """The greatest value of each entry, int8 (features,); the least is 0."""
        copies = np.array(self.card_set.minion_copies) * self.num_players
        known: dict[Any, Any] = {
            COPIES: copies,
            ITEM_COPIES: np.array(self.card_set.item_copies) * self.num_players,
            ALL_COPIES: int(copies.sum()),
        }

        return self._fill(
            {field.name: known.get(field.high, field.high) for field in FIELDS}, np.int8
        )

    @cached_property
    def scale(self) -> NDArray[np.float32]:
        """What a network divides each entry by, float32 (features,)."""
        return self._fill({field.name: field.scale for field in FIELDS}, np.float32)

    def scaled(self, observation: NDArray[np.int8]) -> NDArray[np.float32]:
        """A tensor as a network sees it, float32 of the same shape."""
        return np.divide(observation, self.scale, dtype=np.float32)

    def axis_names(self, axis: str) -> tuple[str, ...]:
        """The names along one axis of a field."""
        ids = ids_of(self.card_set)
        named = {
            "district": ids.districts,
            "cell": tuple(f"{cell // GRID},{cell % GRID}" for cell in range(AXES["cell"])),
            "minion": ids.minions,
            "generic": ids.minions[:GENERICS],
            "non_leader": ids.minions[:NON_LEADERS],
            "item": ids.items,
            "night_card": ids.nights,
            "night": ("1", "2", "3", "4"),
            "phase": tuple(phase.name.lower() for phase in Phase),
            "decision": tuple(kind.name.lower() for kind in Decision if kind != Decision.NONE),
            "word": tuple(op.name.lower() for op in Op if op >= FIRST_WORD),
            "scheme_word": tuple(op.name.lower() for op in Op if op >= FIRST_SCHEME_WORD),
            "effect": ("first", "above"),
            "claiming": ("claim", "leaders"),
            "option": AXIS,
        }
        return named.get(axis) or tuple(str(number) for number in range(AXES[axis]))

    def block_names(self, group: str) -> tuple[str, ...]:
        """The names of a group's blocks."""
        return {
            "game": ("",),
            "seat": SEAT_NAMES[: self.num_players],
            "loot": ids_of(self.card_set).loot,
            "agenda": ids_of(self.card_set).agendas,
        }[group]

    def entries(self, field: Field) -> Iterator[str]:
        """The names of a field's entries in the order of `part`, such as `self spires ghoul`."""
        axes = [self.block_names(field.group), *(self.axis_names(axis) for axis in field.axes)]
        return (" ".join(filter(None, names)) for names in itertools.product(*axes))

    def names(self) -> list[str]:
        """A name for every feature, such as `minions: self spires ghoul`."""
        names = np.zeros(self.features, object)
        for field in FIELDS:
            part = self.part(names, field.name)
            said = [f"{field.name}: {entry}".removesuffix(": ") for entry in self.entries(field)]
            part[...] = np.array(said, object).reshape(part.shape)
        return list(names)

    def words(self, observation: NDArray[np.int8]) -> str:
        """A tensor (features,) in words: a line for each field that isn't all zero."""
        lines = []
        for field in FIELDS:
            values = self.part(observation, field.name).reshape(-1)
            said = [
                entry if value == 1 and entry else f"{entry} {value}".strip()
                for entry, value in zip(self.entries(field), values, strict=True)
                if value
            ]
            if said:
                lines.append(f"{field.name}: {', '.join(said)}")
        return "\n".join(lines)


@lru_cache(maxsize=64)
def layout_for(card_set: CardSet, num_players: int) -> TensorLayout:
    """The layout of a card set and number of players, made once."""
    return TensorLayout(card_set, num_players)

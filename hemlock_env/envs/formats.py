"""How environments show an observation: as one tensor, small or scaled, or as named arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from hemlock_env._check import one_of
from hemlock_env.cards import CardSet
from hemlock_env.cards.vocabulary import GRID
from hemlock_env.engine.fields import FIELDS, Field
from hemlock_env.game.tensor import TensorLayout, layout_for

FORMATS = ("int8", "float", "dict")


class ObservationFormat:
    """How observations are shown.

    * int8: the tensor as it is, (features,), with the bounds of every entry.
    * float: float32 (features,), every entry divided by its scale, for networks.
    * dict: an int8 array for each field of `docs/observation.md`. One that belongs to seats, loot
      or agenda cards has a row for each, and is called `seat_items` and the like. Then come the
      field's own axes; the spaces of the districts are planes, (…, 4, 3, 3).
    """

    def __init__(self, name: str, layout: TensorLayout) -> None:
        self.name = one_of(name, FORMATS, "observation")
        self.layout = layout

    def __deepcopy__(self, memo: dict[int, Any]) -> ObservationFormat:
        return self  # nothing in it changes

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.name, self.layout.card_set, self.layout.num_players)

    def make_space(self) -> spaces.Space[Any]:
        """A space of its own for whoever asks: a space has a random state."""
        high = self.layout.high
        if self.name == "dict":
            return spaces.Dict(
                {name: _box(np.asarray(part)) for name, part in self._parts(high).items()}
            )
        return _box(high if self.name == "int8" else self.layout.scaled(high))

    def show(self, tensor: NDArray[np.int8]) -> Any:
        """A tensor (…, features) in this form, in fresh arrays; leading axes stay in front."""
        if self.name == "int8":
            return tensor.copy()
        if self.name == "float":
            return self.layout.scaled(tensor)
        return {name: part.copy() for name, part in self._parts(tensor).items()}

    def _parts(self, tensor: NDArray[np.int8]) -> dict[str, NDArray[np.int8]]:
        """Each field of a tensor (…, features), by name."""
        lead = tensor.shape[:-1]
        return {
            key_of(field): self.layout.part(tensor, field.name).reshape(*lead, *self._shape(field))
            for field in FIELDS
            if field.group == "game" or self.layout.blocks[field.group]
        }

    def _shape(self, field: Field) -> tuple[int, ...]:
        """Of a field's array; a single number is an array of one."""
        axes = zip(field.axes, field.dims, strict=True)
        own = [(GRID, GRID) if axis == "cell" else (size,) for axis, size in axes]
        rows = () if field.group == "game" else (self.layout.blocks[field.group],)
        return (*rows, *(size for sizes in own for size in sizes)) or (1,)


def key_of(field: Field) -> str:
    """The name of a field's array."""
    return field.name if field.group == "game" else f"{field.group}_{field.name}"


def _box(high: NDArray[Any]) -> spaces.Box:
    return spaces.Box(np.zeros_like(high), high, dtype=high.dtype.type)


def _unpickle(name: str, card_set: CardSet, num_players: int) -> ObservationFormat:
    """A pickled format."""
    return ObservationFormat(name, layout_for(card_set, num_players))

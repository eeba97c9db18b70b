"""The inputs of a network: which entries of the observation and its derived features, at which
scale.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hemlock_env._jit import ensure
from hemlock_env.cards import CardSet, load_tables
from hemlock_env.cards.vocabulary import DISTRICTS, NIGHTS
from hemlock_env.game.batch import Batch
from hemlock_env.game.options import Options
from hemlock_env.game.tensor import TensorLayout
from hemlock_env.network.features import DERIVED, FEATURES, encode


class FeatureEncoder:
    """The inputs of the networks of one kind of game.

    Args:
        layout: of the observation.
        feature_index: which entries of the observation with its derived features behind it; None:
            all of them.
    """

    def __init__(
        self, layout: TensorLayout, feature_index: NDArray[np.int64] | None = None
    ) -> None:
        seats = layout.num_players
        scales = [np.full(feature.shape(seats), feature.scale).ravel() for feature in FEATURES]
        full_scale = np.concatenate([layout.scale, *scales]).astype(np.float32)
        self.layout = layout
        self.entries = len(full_scale)  # of an observation with all its derived features
        chosen = np.arange(self.entries) if feature_index is None else feature_index
        self.feature_index = np.array(chosen, np.int64)
        if self.feature_index.min() < 0 or self.feature_index.max() >= self.entries:
            raise ValueError(f"feature_index: places must be from 0 to {self.entries - 1}")
        self.scale = full_scale[self.feature_index]
        self.byte_index = _byte_index(layout)[self.feature_index].astype(np.uint32)
        """where the inputs stand in the observation with DERIVED behind it"""
        tables = load_tables(layout.card_set)
        self.night_values = np.zeros((DISTRICTS, NIGHTS), np.int64)
        self.night_values[tables["night_district"], np.arange(NIGHTS)] = tables["night_value"]

    def __len__(self) -> int:
        return len(self.feature_index)

    def fill(self, observations: NDArray[np.int8], inputs: NDArray[np.int8]) -> None:
        """The inputs of some observations (n, features) into int8 (n, inputs)."""
        expected = (len(observations), self.layout.features), (len(observations), len(self))
        if (observations.shape, inputs.shape) != expected:
            given = f"{observations.shape} and {inputs.shape}"
            raise ValueError(f"observations and inputs are {given}, must be {expected}")
        ensure(encode)
        seats = self.layout.num_players
        encode(observations, seats, self.night_values, self.byte_index, inputs)

    def of(self, observations: NDArray[np.int8]) -> NDArray[np.int8]:
        """The inputs of some observations, fresh int8 (n, inputs)."""
        inputs = np.empty((len(observations), len(self)), np.int8)
        self.fill(np.ascontiguousarray(observations), inputs)
        return inputs


def _byte_index(layout: TensorLayout) -> NDArray[np.int64]:
    """Where each entry of the observation and its derived features stands in their bytes: DERIVED
    has room for more seats than the table.
    """
    index = [np.arange(layout.features)]
    for feature in FEATURES:
        field, offset, *_ = DERIVED.fields[feature.name]  # type: ignore[index]
        places = layout.features + offset + np.arange(field.itemsize).reshape(field.shape)
        index.append(places[tuple(map(slice, feature.shape(layout.num_players)))].ravel())
    return np.concatenate(index)


GAMES, DECISIONS, EVERY = 1024, 300, 3  # what is played to select features
FOLLOWS = 1e-7  # share of a number's squares that others leave open, when they leave none


@lru_cache(maxsize=16)
def select_features(card_set: CardSet, options: Options) -> NDArray[np.int64]:
    """The entries that a network needs under these options; the same wherever asked.

    They change in random games, and none is a sum of others with factors and a constant, which the
    network's first layer makes by itself: an empty space is one without anyone's marker. From the
    last entry to the first, each is kept that doesn't follow from those kept before: so derived
    features go before what they are computed from.
    """
    batch = Batch(GAMES, seed=1, autoreset=True, card_set=card_set, **options.as_dict())
    encoder = FeatureEncoder(batch.spec.layout)
    products = np.zeros((encoder.entries + 1, encoder.entries + 1))
    for _ in range(0, DECISIONS, EVERY):
        batch.play_random(EVERY)
        rows = np.ones((GAMES, encoder.entries + 1), np.float32)  # the constant behind
        rows[:, :-1] = encoder.of(batch.observation)
        products += rows.T @ rows  # whole numbers below 2**24: exact
    backwards = independent(products[::-1, ::-1])  # the constant is 0, the last entry is 1
    feature_index = np.sort(encoder.entries - backwards[1:])
    feature_index.flags.writeable = False
    return feature_index


def independent(products: NDArray[np.float64]) -> NDArray[np.int64]:
    """Those of some numbers that don't follow from the ones before, by Gauss's elimination.

    Args:
        products: of the numbers with one another, summed over all their rows (n, n).
    """
    left = products.copy()
    kept = []
    for i, squares in enumerate(products.diagonal()):
        if left[i, i] > FOLLOWS * squares:
            kept.append(i)
            share = left[i, i:] / left[i, i]
            left[i:, i:] -= np.outer(left[i:, i], share)
    return np.array(kept, np.int64)

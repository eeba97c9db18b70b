"""Derived features: each is what it says, by another way; no input follows from others."""

import hashlib
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hemlock_env import Batch
from hemlock_env.cards.vocabulary import CELLS, DISTRICTS
from hemlock_env.engine.markers import INFLUENCE
from hemlock_env.network.encoder import FeatureEncoder, independent, select_features
from hemlock_env.network.features import FEATURES

Seen = NDArray[np.int8]


def some(seats: int) -> tuple[Batch, Seen, dict[str, Seen]]:
    """Games at all stages, their observations and derived features by name."""
    batch = Batch(300, seed=4, autoreset=True, num_players=seats)
    batch.play_random(np.arange(300) % 140)
    shown = FeatureEncoder(batch.spec.layout).of(batch.observation)
    features = batch.spec.layout.features
    assert (shown[:, :features] == batch.observation).all()
    ends = np.cumsum([math.prod(feature.shape(seats)) for feature in FEATURES])
    assert shown.shape[1] == features + ends[-1]
    parts = np.split(shown[:, features:], ends[:-1], axis=1)
    names = [feature.name for feature in FEATURES]
    return batch, batch.observation.copy(), dict(zip(names, parts, strict=True))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_leads_and_stakes(seats: int) -> None:
    batch, seen, derived = some(seats)
    part = batch.spec.layout.part
    total = part(seen, "total").astype(int)
    lead = total[:, 0] - total[:, 1:].max(1)
    np.testing.assert_array_equal(derived["lead"], lead.clip(-10, 10))
    buckets = derived["lead_is"].reshape(-1, DISTRICTS, 11)
    np.testing.assert_array_equal(buckets.argmax(2), lead.clip(-5, 5) + 5)
    assert (buckets.sum(2) == 1).all()
    cards = batch.card_set.nights
    values = np.zeros((len(cards), DISTRICTS), int)
    for number, card in enumerate(cards):
        values[number, card.district] = card.value
    revealed = part(seen, "nights").sum(1) @ values
    np.testing.assert_array_equal(derived["revealed"], revealed)
    claimed = derived["claimed"].reshape(-1, seats, DISTRICTS)
    np.testing.assert_array_equal(claimed, part(seen, "claims") * revealed[:, None])


@pytest.mark.parametrize("seats", [2, 4])
def test_gains_of_spaces(seats: int) -> None:
    batch, seen, derived = some(seats)
    owner = batch.spec.layout.part(seen, "space_owner")
    empty = batch.spec.layout.part(seen, "space_empty")
    bits = 1 << np.arange(CELLS)
    held = (owner * bits).sum(3)
    more = INFLUENCE[held[..., None] | bits] - INFLUENCE[held][..., None]
    gain = derived["gain"].reshape(-1, seats, DISTRICTS, CELLS)
    np.testing.assert_array_equal(gain, more * empty[:, None])


@pytest.mark.parametrize(
    ("options", "digest"),
    [
        ({"num_players": 2}, "b9d5624fd9ef16a9"),
        (
            {"num_players": 3, "loot": "hand", "agendas": True, "sides": "random"},
            "3bd53874149d84d6",
        ),
        ({"num_players": 4, "items_as_loot": True, "sides": "advanced"}, "ad0dfe55987b7fe7"),
    ],
    ids=["two", "three", "four"],
)
def test_every_entry_stands_where_checkpoints_expect_it(
    options: dict[str, Any], digest: str
) -> None:
    """40,960 observations; another digest is another FEATURES_VERSION."""
    batch = Batch(512, seed=7, autoreset=True, **options)
    encoder, entries = FeatureEncoder(batch.spec.layout), hashlib.sha256()
    for number in range(80):
        batch.play_random(3 + number % 5)
        entries.update(encoder.of(batch.observation).tobytes())
    assert entries.hexdigest()[:16] == digest


@pytest.mark.parametrize(
    "options", [{}, {"num_players": 3, "loot": "hand", "agendas": True}], ids=["two", "three"]
)
def test_what_is_left_out_follows_from_the_selected_features(options: dict[str, Any]) -> None:
    batch = Batch(2000, seed=8, autoreset=True, **options)
    feature_index = select_features(batch.card_set, batch.options)
    batch.play_random(np.arange(2000) % 150)
    full = FeatureEncoder(batch.spec.layout).of(batch.observation)
    chosen = FeatureEncoder(batch.spec.layout, feature_index).of(batch.observation)
    np.testing.assert_array_equal(chosen, full[:, feature_index])
    others = np.delete(full, feature_index, axis=1).astype(np.float64)
    assert others.shape[1] > 300 and (np.diff(feature_index) > 0).all()
    known = np.column_stack([np.ones(2000), chosen]).astype(np.float64)
    share, *_ = np.linalg.lstsq(known, others, rcond=None)
    # Entries that never changed in the games that were looked at may do so in these.
    missed = np.abs(known @ share - others).max(0) > 1e-6
    assert missed.mean() < 0.02


def test_numbers_that_follow_from_those_before_are_found() -> None:
    chance = np.random.default_rng(2)
    one, two, three = chance.integers(0, 5, (3, 100)).astype(np.float64)
    rows = np.array([np.ones(100), one, np.full(100, 3.0), two, 2 * one - two + 1, three])
    np.testing.assert_array_equal(independent(rows @ rows.T), [0, 1, 3, 5])


def test_arrays_of_another_shape_are_refused() -> None:
    batch = Batch(4, seed=1)
    inputs = FeatureEncoder(batch.spec.layout, np.arange(5))
    with pytest.raises(ValueError, match="must be"):
        inputs.fill(batch.observation, np.zeros((4, 4), np.int8))
    with pytest.raises(ValueError, match="must be"):
        inputs.of(batch.observation[:, 1:])
    for place in (-1, inputs.entries):
        with pytest.raises(ValueError, match="feature_index"):
            FeatureEncoder(batch.spec.layout, np.array([place]))

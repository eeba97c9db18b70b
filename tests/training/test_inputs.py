"""Insights: each is what it says, by another way; nothing that never changes is an input."""

import numpy as np
import pytest
from numpy.typing import NDArray

from hemlock_env import Batch
from hemlock_env.agents.inputs import INSIGHTS, Inputs, _sizes, find_live
from hemlock_env.cards.vocabulary import CELLS, DISTRICTS
from hemlock_env.engine.markers import INFLUENCE

Seen = NDArray[np.int8]


def some(seats: int) -> tuple[Batch, Seen, dict[str, Seen]]:
    """Games at all stages, their observations and insights by name."""
    batch = Batch(300, seed=4, autoreset=True, num_players=seats)
    batch.play_random(np.arange(300) % 140)
    shown = Inputs(batch.table.layout).of(batch.observation)
    features = batch.table.layout.features
    assert (shown[:, :features] == batch.observation).all()
    ends = np.cumsum(_sizes(seats))
    assert shown.shape[1] == features + ends[-1]
    parts = np.split(shown[:, features:], ends[:-1], axis=1)
    names = [name for name, *_ in INSIGHTS]
    return batch, batch.observation.copy(), dict(zip(names, parts, strict=True))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_leads_and_stakes(seats: int) -> None:
    batch, seen, insight = some(seats)
    part = batch.table.layout.part
    total = part(seen, "total").astype(int)
    lead = total[:, 0] - total[:, 1:].max(1)
    np.testing.assert_array_equal(insight["lead"], lead.clip(-10, 10))
    buckets = insight["lead_is"].reshape(-1, DISTRICTS, 11)
    np.testing.assert_array_equal(buckets.argmax(2), lead.clip(-5, 5) + 5)
    assert (buckets.sum(2) == 1).all()
    cards = batch.card_set.nights
    values = np.zeros((len(cards), DISTRICTS), int)
    for number, card in enumerate(cards):
        values[number, card.district] = card.value
    revealed = part(seen, "nights").sum(1) @ values
    np.testing.assert_array_equal(insight["revealed"], revealed)
    claimed = insight["claimed"].reshape(-1, seats, DISTRICTS)
    np.testing.assert_array_equal(claimed, part(seen, "claims") * revealed[:, None])


@pytest.mark.parametrize("seats", [2, 4])
def test_gains_of_spaces(seats: int) -> None:
    batch, seen, insight = some(seats)
    owner = batch.table.layout.part(seen, "space_owner")
    empty = batch.table.layout.part(seen, "space_empty")
    bits = 1 << np.arange(CELLS)
    held = (owner * bits).sum(3)
    more = INFLUENCE[held[..., None] | bits] - INFLUENCE[held][..., None]
    gain = insight["gain"].reshape(-1, seats, DISTRICTS, CELLS)
    np.testing.assert_array_equal(gain, more * empty[:, None])


def test_live_entries_are_those_that_change() -> None:
    batch = Batch(500, seed=8, autoreset=True)
    live = find_live(batch.card_set, batch.options)
    np.testing.assert_array_equal(live, find_live(batch.card_set, batch.options))
    batch.play_random(70)
    full = Inputs(batch.table.layout).of(batch.observation)
    still = np.setdiff1d(np.arange(full.shape[1]), live)
    assert len(still) > 100
    assert (np.ptp(full[:, still], axis=0) > 0).mean() < 0.02
    np.testing.assert_array_equal(
        Inputs(batch.table.layout, live).of(batch.observation), full[:, live]
    )

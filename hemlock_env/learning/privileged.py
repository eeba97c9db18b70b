"""The privileged state: what is hidden from the seat that decides, for a critic of training."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hemlock_env.game import Batch


def privileged_state(batch: Batch) -> NDArray[np.int8]:
    """All hands, loot hands and agendas, int8 (games, entries): whose it is counted clockwise from
    the seat that decides.
    """
    games, seats = batch.games, batch.num_players
    order = (np.maximum(batch.seat, 0)[:, None] + np.arange(seats)) % seats
    agendas = np.arange(len(batch.card_set.agendas))
    held = games["agenda"][:, :, None] == agendas
    parts = (
        np.take_along_axis(part, order[:, :, None], axis=1).reshape(len(batch), -1)
        for part in (games["hand"], games["loot_hand"], held)
    )
    return np.concatenate(list(parts), axis=1).astype(np.int8)

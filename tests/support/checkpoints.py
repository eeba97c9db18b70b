"""Policies with random weights: nothing here has learned anything."""

from pathlib import Path
from typing import Any

import numpy as np

from hemlock_env.cards import CardSet, load_card_set
from hemlock_env.game.options import check_options
from hemlock_env.game.tensor import layout_for
from hemlock_env.network.checkpoint import describe, save_policy, weight_shapes
from hemlock_env.network.encoder import FeatureEncoder, select_features


def random_weights(
    hidden: tuple[int, ...] = (16,),
    *,
    derived: bool = False,
    spread: float = 0.3,
    seed: int = 3,
    cards: CardSet | None = None,
    **options: Any,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Weights of a network for games of these options, and what its checkpoint says of it.

    `derived`: with derived features, and of all entries those alone that change. `spread` is the
    standard deviation of the weights: the wider, the surer the policy.
    """
    cards, rng = cards or load_card_set("vault_of_darkness"), np.random.default_rng(seed)
    checked = check_options(cards, **options)
    layout = layout_for(cards, checked.num_players)
    chosen = FeatureEncoder(layout, select_features(cards, checked)) if derived else None
    about = describe(cards, checked, hidden, None if chosen is None else len(chosen))
    weights: dict[str, Any] = {
        name: rng.normal(0.0, spread, shape).astype(np.float32)
        for name, shape in weight_shapes(about["network"]).items()
    }
    weights["input_scale"] = layout.scale if chosen is None else chosen.scale
    if chosen is not None:
        weights["live"] = chosen.feature_index
    return weights, {**about, "decisions": 0, "minutes": 0.0}


def untrained(folder: Path, hidden: tuple[int, ...] = (16,), **given: Any) -> Path:
    """A checkpoint of `random_weights`; its folder."""
    weights, about = random_weights(hidden, **given)
    save_policy(folder, weights, about)
    return folder

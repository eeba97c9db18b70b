"""What a stored network depends on, as short hashes: the rules and the tensor it reads."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from hemlock_env.cards import CardSet
from hemlock_env.engine.fields import FIELDS
from hemlock_env.game.tensor import TensorLayout

RULES_VERSION = 1  # raised when the rules as played change: what was learned before is out of date


def rules_hash(card_set: CardSet) -> str:
    """Sixteen hex digits over the version of the rules and what of the card set affects play."""
    return _digest([RULES_VERSION, card_set.hash])


def observation_hash(layout: TensorLayout) -> str:
    """Sixteen hex digits over the fields of the tensor: their names, places and bounds."""
    fields = [[field.group, field.name, field.dims, field.high] for field in FIELDS]
    return _digest([fields, layout.blocks])


def _digest(value: Any) -> str:
    line = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(line.encode()).hexdigest()[:16]

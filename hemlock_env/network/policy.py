"""Policy: a trained network, run with NumPy alone."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env.cards import CardSet, load_card_set
from hemlock_env.game.options import Options
from hemlock_env.game.tensor import layout_for
from hemlock_env.network.checkpoint import INSIGHT_MLP, check_fits, read_checkpoint
from hemlock_env.network.encoder import FeatureEncoder
from hemlock_env.network.forward import NORM_EPSILON, Network


class Policy:
    """A network: layers with ReLU, then a head with a logit for each action, and the value.

    There are two kinds. A plain one, `mlp`, sees the observation. An `insight_mlp` sees some of the
    entries of the observation and its derived features, its first layer is normed, and it has a
    second value, the margin, that only training uses.

    Args:
        weights: `input_scale`, `trunk.N.weight`, `trunk.N.bias`, `head.weight`, `head.bias`; an
            `insight_mlp` has also `live` (which entries it sees), `norm.weight`, `norm.bias`.
        meta: what `meta.json` holds.
    """

    def __init__(self, weights: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> None:
        self.meta = dict(meta)
        self.weights = dict(weights)
        network = self.meta["network"]
        names = [*(f"trunk.{number}" for number in range(len(network["hidden"])))]
        self.layers = [
            (
                np.ascontiguousarray(weights[f"{name}.weight"].T, np.float32),
                np.asarray(weights[f"{name}.bias"], np.float32),
            )
            for name in [*names, "head"]
        ]
        """weights (inputs, outputs) and biases of each layer; the last is the head"""
        normed = ("norm.weight", "norm.bias") if network["kind"] == INSIGHT_MLP else ()
        self.norm = tuple(np.asarray(weights[name], np.float32) for name in normed)
        """weight and bias of the layer norm; empty without one"""
        # Scaling the weights once does the same as scaling every input.
        first, bias = self.layers[0]
        scale = np.asarray(weights["input_scale"], np.float32)
        self.layers[0] = (first / scale[:, None], bias)
        self._feature_index = np.asarray(weights.get("live", np.arange(len(scale))), np.int64)
        self._actions = int(network["actions"])
        self._encoder: FeatureEncoder | None = None

    @property
    def num_players(self) -> int:
        """Seats at the table it was trained for."""
        return int(self.meta["options"]["num_players"])

    def logits_and_values(
        self, observation: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Logits of all actions, legal or not, (n, actions), and expected outcomes (n,).

        Args:
            observation: of the deciding seats, int8 (n, features).
        """
        layer = self.encoder.of(observation).astype(np.float32)
        for number, (weight, bias) in enumerate(self.layers[:-1]):
            layer = layer @ weight + bias
            if number == 0 and self.norm:
                layer = _normed(layer, *self.norm)
            layer = np.maximum(layer, np.float32(0.0))
        weight, bias = self.layers[-1]
        out = layer @ weight + bias
        return out[:, : self._actions], np.tanh(out[:, self._actions])

    @property
    def encoder(self) -> FeatureEncoder:
        """What the network sees of an observation."""
        if self._encoder is None:
            cards = load_card_set(self.meta["card_set"])
            layout = layout_for(cards, self.num_players)
            self._encoder = FeatureEncoder(layout, self._feature_index)
        return self._encoder

    def digest(self) -> str:
        """Sixteen hex digits over the weights."""
        digest = hashlib.sha256()
        for name in sorted(self.weights):
            digest.update(name.encode() + np.ascontiguousarray(self.weights[name]).tobytes())
        return digest.hexdigest()[:16]

    def check_fits(self, card_set: CardSet, options: Options) -> None:
        """CheckpointError, with both values, unless it was trained for such games."""
        check_fits(self.meta, card_set, options)
        layout = layout_for(card_set, options.num_players)
        self._encoder = FeatureEncoder(layout, self._feature_index)

    def packed(self) -> Network:
        """The network for compiled code."""
        (first, first_bias), *others, (head, head_bias) = self.layers
        params = [
            first_bias,
            *self.norm,
            *(array for layer in others for array in layer),
            head.T,
            head_bias,
        ]
        return Network(
            first=first,
            params=np.concatenate([array.ravel() for array in params]).astype(np.float32),
            widths=np.array([first_bias.size, *(bias.size for _, bias in others)], np.int64),
            byte_index=self.encoder.byte_index,
            night_values=self.encoder.night_values,
            num_players=self.num_players,
            features=self.encoder.layout.features,
            normed=int(bool(self.norm)),
            actions=self._actions,
            outputs=head_bias.size,
        )


def _normed(
    layer: NDArray[np.float32], weight: NDArray[np.float32], bias: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Each row with mean 0 and variance 1, then scaled and shifted (layer norm)."""
    centred = layer - layer.mean(1, keepdims=True)
    spread = np.sqrt(np.square(centred).mean(1, keepdims=True) + np.float32(NORM_EPSILON))
    normed: NDArray[np.float32] = centred / spread * weight + bias
    return normed


def load_policy(path: str | os.PathLike[str]) -> Policy:
    """Read a checkpoint folder, or the run folder around it.

    Raises:
        CheckpointError: something is missing, damaged or unknown; the message names file and cure.
    """
    return Policy(*read_checkpoint(path))

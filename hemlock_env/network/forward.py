"""A policy's network inside compiled code: one position at a time, for the tree of mcts.

It skips the inputs that are 0, most of them, and computes no logit but those of legal actions. Sums
are made in another order than NumPy's, so the last digits may differ from `Policy`'s.
"""

# Compiled, like the engine: types stand at the parameters, and where there is none it is an int64.
# mypy: allow-untyped-defs, allow-incomplete-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hemlock_env._jit import entry, part, row_loop
from hemlock_env.engine.constants import LEGAL_MAX
from hemlock_env.engine.types import (
    AllTables,
    Float32Rows,
    Float32s,
    Int,
    Int8s,
    Int16Rows,
    Int16s,
    Int64Rows,
    Int64s,
    State,
    States,
    Tables,
    UInt32s,
)
from hemlock_env.engine.view import look
from hemlock_env.network.features import DERIVED_BYTES, derive_features

NORM_EPSILON = 1e-5  # of the layer norm: PyTorch's default


class Network(NamedTuple):
    """A network and what it is asked about."""

    params: Float32s
    """for each layer a row of weights for each of its inputs, then the biases, behind the first
    layer weight and bias of the norm if there is one; of the head a row for each output"""
    widths: Int64s
    """of the layers before the head"""
    byte_index: UInt32s
    """its inputs in the bytes of the observation with DERIVED behind it"""
    night_values: Int64Rows
    """see `derive_features`"""
    num_players: Int
    """seats"""
    features: Int
    """entries of the observation"""
    normed: Int
    """1: the first layer is"""
    actions: Int
    """how many; the expected outcome is the output behind their logits"""
    outputs: Int
    """of the head"""


class Activations(NamedTuple):
    """Room for one pass through a network."""

    input: Int8s
    """the observation with DERIVED behind it"""
    layers: Float32Rows
    """a row for each layer before the head"""
    logits: Float32s
    """of the legal actions, in their order"""


def new_activations(network: Network) -> Activations:
    """Room for a pass through this network."""
    widths = network.widths
    return Activations(
        input=np.zeros(network.features + DERIVED_BYTES, np.int8),
        layers=np.zeros((len(widths), widths.max()), np.float32),
        logits=np.zeros(LEGAL_MAX, np.float32),
    )


# ---- rows ----


@row_loop
def add_row(row, weights, times):
    """Add so many times a row of weights."""
    for i in range(row.size):
        row[i] += times * weights[i]


@row_loop
def dot_row(row, weights):
    """The product with a row of weights."""
    total = np.float32(0.0)
    for i in range(row.size):
        total += row[i] * weights[i]
    return total


@row_loop
def relu_row(row):
    """Put 0 in place of what is below."""
    for i in range(row.size):
        row[i] = max(row[i], np.float32(0.0))


@row_loop
def norm_row(row, weight, bias, out):
    """Layer norm: mean 0 and variance 1, in place; then scaled and shifted, into `out`. Returns the
    factor that made the variance 1.
    """
    size = np.float32(row.size)
    mean = np.float32(0.0)
    for i in range(row.size):
        mean += row[i]
    mean /= size
    spread = np.float32(0.0)
    for i in range(row.size):
        row[i] -= mean
        spread += row[i] * row[i]
    scale = np.float32(1.0) / np.sqrt(spread / size + np.float32(NORM_EPSILON))
    for i in range(row.size):
        row[i] *= scale
        out[i] = row[i] * weight[i] + bias[i]
    return scale


@row_loop
def row_of(params, start, i, size):
    """Row i of a layer whose weights begin at `start`."""
    return params[start + i * size : start + (i + 1) * size]


@part
def copy_row(row: Float32s, params: Float32s, start):
    """Biases, to begin with."""
    for i in range(row.shape[0]):
        row[i] = params[start + i]


# ---- the layers ----


@part
def first_layer(params: Float32s, input: Int8s, byte_index: UInt32s, normed, row: Float32s):
    """The layer that sees the input, into `row`; where the next one's weights begin."""
    width, inputs = row.shape[0], byte_index.shape[0]
    copy_row(row, params, inputs * width)
    for i in range(inputs):
        value = input[byte_index[i]]
        if value != 0:
            add_row(row, row_of(params, 0, i, width), np.float32(value))
    start = (inputs + 1) * width
    if normed == 1:
        norm_row(row, row_of(params, start, 0, width), row_of(params, start, 1, width), row)
        start += 2 * width
    return start


@part
def next_layer(params: Float32s, start, below: Float32s, row: Float32s):
    """A layer behind the first, whose weights begin at `start`, into `row`; where the next one's
    begin.
    """
    width_below, width = below.shape[0], row.shape[0]
    copy_row(row, params, start + width_below * width)
    for i in range(width_below):
        if below[i] > 0:  # ReLU
            add_row(row, row_of(params, start, i, width), below[i])
    return start + (width_below + 1) * width


@part
def head(
    params: Float32s, start, actions, outputs, row: Float32s, legal: Int16s, count, logits: Float32s
):
    """Logits of the legal actions, into `logits`; the expected outcome, which stands behind them
    all.
    """
    width = row.shape[0]
    relu_row(row)
    biases = start + outputs * width
    for i in range(count):
        output = np.int64(legal[i])
        logits[i] = dot_row(row, row_of(params, start, output, width)) + params[biases + output]
    return np.tanh(dot_row(row, row_of(params, start, actions, width)) + params[biases + actions])


@part
def ask_network(
    state: State,
    tables: Tables,
    legal: Int16s,
    count,
    network: Network,
    activations: Activations,
):
    """The logits of the legal actions, into `activations`; the outcome that whoever decides
    expects.
    """
    tensor, features = activations.input, network.features
    tensor[:] = 0
    look(state, tables, state.decider, tensor, 0)
    derive_features(tensor[:features], network.num_players, network.night_values, tensor, features)
    # Arrays of their own go on from here: to pass the bundles would take longer.
    params, widths = network.params, network.widths
    row = activations.layers[0, : widths[0]]
    start = first_layer(params, tensor, network.byte_index, network.normed, row)
    for layer in range(1, widths.shape[0]):
        below, row = row, activations.layers[layer, : widths[layer]]
        start = next_layer(params, start, below, row)
    actions, outputs = network.actions, network.outputs
    return head(params, start, actions, outputs, row, legal, count, activations.logits)


@entry
def ask_position(
    states: States,
    all_tables: AllTables,
    game,
    legals: Int16Rows,
    counts: Int16s,
    network: Network,
    activations: Activations,
):
    """The same for one of an array of games."""
    return ask_network(
        states[game], all_tables[0], legals[game], counts[game], network, activations
    )

"""A policy's network inside compiled code: positions of searches, many at a time or one.

A number never depends on how many positions go through together: every sum is taken in the same
order. Sums are made in another order than NumPy's, so the last digits may differ from `Policy`'s.

The first layer is the widest and sees much the same all through a search, so only what differs from
a *reference* position is added to that position's sums, as efficiently updatable networks (NNUE)
do. Other layers skip inputs that are 0, or take four positions at once.
"""

# Compiled, like the engine: types stand at the parameters, and where there is none it is an int64.
# mypy: allow-untyped-defs, allow-incomplete-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hemlock_env._jit import entry, ordered_row_loop, part, row_loop
from hemlock_env.cards.vocabulary import MAX_PLAYERS
from hemlock_env.engine.constants import LEGAL_MAX
from hemlock_env.engine.types import (
    AllTables,
    Float32Rows,
    Float32s,
    Int,
    Int8Rows,
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
from hemlock_env.network.features import DERIVED_BYTES, derive_features, pick_bytes

NORM_EPSILON = 1e-5  # of the layer norm: PyTorch's default
OUTCOME, MARGIN = 0, 1  # the values


class Network(NamedTuple):
    """A network and what it is asked about."""

    first: Float32Rows
    """weights of the layer that sees the inputs, a row for each"""
    params: Float32s
    """its biases; weight and bias of the norm if there is one; for each further layer a row of
    weights for each of its inputs, then the biases; of the head a row for each output"""
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
    """how many; the expected outcome is the output behind their logits, then the margin"""
    outputs: Int
    """of the head"""


class Rows(NamedTuple):
    """Room for positions that go through a network together, a row each."""

    tensor: Int8s
    """the observation of one, with DERIVED behind it"""
    inputs: Int8Rows
    layers: Float32Rows
    """the rows of the first layer, of the second, ..."""
    logits: Float32Rows
    """of the legal actions, in their order"""
    values: Float32Rows
    """expected OUTCOME and MARGIN of whoever decides, -1 to 1"""
    index: Int64s
    """inputs of a layer that aren't 0"""
    times: Float32s
    """and what they are"""
    reference_inputs: Int8Rows
    """for each search and each seat that looks: the first position that it saw"""
    reference_sums: Float32Rows
    """and the first layer's sums there"""


def new_rows(network: Network, count: int, searches: int) -> Rows:
    """Room for so many positions of so many searches."""
    inputs, first = network.first.shape
    wide = max(inputs, int(network.widths.max()))
    sums = np.empty((searches * MAX_PLAYERS, first), np.float32)
    sums[:] = network.params[:first]
    return Rows(
        tensor=np.zeros(network.features + DERIVED_BYTES, np.int8),
        inputs=np.zeros((count, inputs), np.int8),
        layers=np.zeros((len(network.widths) * count, network.widths.max()), np.float32),
        logits=np.zeros((count, LEGAL_MAX), np.float32),
        values=np.zeros((count, 2), np.float32),
        index=np.zeros(wide + 1, np.int64),
        times=np.zeros(wide + 1, np.float32),
        reference_inputs=np.zeros((searches * MAX_PLAYERS, inputs), np.int8),
        reference_sums=sums,
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
def copy_row(row, source):
    """Into a row, from one that is as long or longer."""
    for i in range(row.size):
        row[i] = source[i]


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


# ---- which inputs count ----


@row_loop
def differing(inputs, reference, index, times):
    """The inputs that differ from the reference's, and by how much; returns how many. Every one is
    written and the count moves on where it differs: a branch would cost more.
    """
    count = 0
    for i in range(inputs.size):
        difference = np.int64(inputs[i]) - np.int64(reference[i])
        index[count] = i
        times[count] = np.float32(difference)
        count += difference != 0
    return count


@row_loop
def positive(row, index, times):
    """The same for the entries above 0."""
    count = 0
    for i in range(row.size):
        index[count] = i
        times[count] = row[i]
        count += row[i] > 0
    return count


# ---- sums, always in the order of the inputs ----


@ordered_row_loop
def add_chosen(row, weights, index, times, count):
    """Add the rows of weights that `index` names, each so many times; four at a time, so that the
    sums are read and written a quarter as often.
    """
    k = 0
    while k + 4 <= count:
        a, b = np.uint64(index[k]), np.uint64(index[k + 1])
        c, d = np.uint64(index[k + 2]), np.uint64(index[k + 3])
        ta, tb, tc, td = times[k], times[k + 1], times[k + 2], times[k + 3]
        for j in range(row.size):
            total = (row[j] + ta * weights[a, j]) + tb * weights[b, j]
            row[j] = (total + tc * weights[c, j]) + td * weights[d, j]
        k += 4
    while k < count:
        a, ta = np.uint64(index[k]), times[k]
        for j in range(row.size):
            row[j] += ta * weights[a, j]
        k += 1


@ordered_row_loop
def multiply_four(below0, below1, below2, below3, weights, row0, row1, row2, row3):
    """Add to four rows the products of those below with the weights, four inputs at a time."""
    i, inputs, one = np.uint64(0), np.uint64(weights.shape[0]), np.uint64(1)
    while i + np.uint64(4) <= inputs:
        a = i
        b, c, d = a + one, a + np.uint64(2), a + np.uint64(3)
        p0, p1, p2, p3 = below0[a], below0[b], below0[c], below0[d]
        q0, q1, q2, q3 = below1[a], below1[b], below1[c], below1[d]
        r0, r1, r2, r3 = below2[a], below2[b], below2[c], below2[d]
        s0, s1, s2, s3 = below3[a], below3[b], below3[c], below3[d]
        for j in range(weights.shape[1]):
            wa, wb, wc, wd = weights[a, j], weights[b, j], weights[c, j], weights[d, j]
            row0[j] = (((row0[j] + p0 * wa) + p1 * wb) + p2 * wc) + p3 * wd
            row1[j] = (((row1[j] + q0 * wa) + q1 * wb) + q2 * wc) + q3 * wd
            row2[j] = (((row2[j] + r0 * wa) + r1 * wb) + r2 * wc) + r3 * wd
            row3[j] = (((row3[j] + s0 * wa) + s1 * wb) + s2 * wc) + s3 * wd
        i += np.uint64(4)
    while i < inputs:
        p0, q0, r0, s0 = below0[i], below1[i], below2[i], below3[i]
        for j in range(weights.shape[1]):
            wa = weights[i, j]
            row0[j] += p0 * wa
            row1[j] += q0 * wa
            row2[j] += r0 * wa
            row3[j] += s0 * wa
        i += one


# ---- the layers ----


@part
def first_layer(network: Network, rows: Rows, row, reference):
    """The layer that sees the inputs, for one row. The first position of a search becomes its
    reference.
    """
    params, width = network.params, network.widths[0]
    out = rows.layers[row, :width]
    inputs, known = rows.inputs[row], rows.reference_inputs[reference]
    sums = rows.reference_sums[reference]
    count = differing(inputs, known, rows.index, rows.times)
    copy_row(out, sums)
    add_chosen(out, network.first, rows.index, rows.times, count)
    if not known.any():
        copy_row(known, inputs)
        copy_row(sums, out)
    if network.normed == 1:
        norm_row(out, row_of(params, width, 0, width), row_of(params, width, 1, width), out)
    relu_row(out)


@part
def next_layer(weights: Float32Rows, bias: Float32s, rows: Rows, below, above, count):
    """A layer behind the first, for `count` rows; its inputs begin at row `below` of the layers,
    what it gives at row `above`.
    """
    layers = rows.layers
    inputs, width = weights.shape
    for i in range(count):
        copy_row(layers[above + i, :width], bias)
    for i in range(0, count - 3, 4):
        multiply_four(
            layers[below + i], layers[below + i + 1],
            layers[below + i + 2], layers[below + i + 3], weights,
            layers[above + i], layers[above + i + 1],
            layers[above + i + 2], layers[above + i + 3],
        )  # fmt: skip
    for i in range(count - count % 4, count):
        chosen = positive(layers[below + i, :inputs], rows.index, rows.times)
        add_chosen(layers[above + i, :width], weights, rows.index, rows.times, chosen)
    for i in range(count):
        relu_row(layers[above + i, :width])


@part
def head(
    network: Network,
    start,
    row: Float32s,
    legal: Int16s,
    count,
    logits: Float32s,
    values: Float32s,
):
    """Logits of the legal actions and the values, which stand behind them all; a network without a
    margin expects it to be like the outcome.
    """
    params, width = network.params, row.shape[0]
    biases = start + network.outputs * width
    for i in range(count):
        output = np.int64(legal[i])
        logits[i] = dot_row(row, row_of(params, start, output, width)) + params[biases + output]
    for value in range(2):
        output = min(network.actions + value, network.outputs - 1)
        total = dot_row(row, row_of(params, start, output, width)) + params[biases + output]
        values[value] = np.tanh(total)


@part
def ask_network(network: Network, rows: Rows, count, legals: Int16Rows, counts: Int64s):
    """Logits and values of the first `count` rows, whose first layer is done."""
    params, widths, room = network.params, network.widths, rows.inputs.shape[0]
    start = widths[0] * (1 + 2 * network.normed)
    for layer in range(1, widths.shape[0]):
        below, width = widths[layer - 1], widths[layer]
        end = start + below * width
        weights = params[start:end].reshape((below, width))
        bias = params[end : end + width]
        next_layer(weights, bias, rows, (layer - 1) * room, layer * room, count)
        start = end + width
    last, width = (widths.shape[0] - 1) * room, widths[widths.shape[0] - 1]
    for i in range(count):
        row = rows.layers[last + i, :width]
        head(network, start, row, legals[i], counts[i], rows.logits[i], rows.values[i])


@part
def see(state: State, tables: Tables, network: Network, rows: Rows, row, reference):
    """A position as whoever decides sees it, into a row, and through the first layer. The seats of
    a search have their references side by side from `reference` on.
    """
    tensor, features = rows.tensor, network.features
    tensor[:] = 0
    look(state, tables, state.decider, tensor, 0)
    derive_features(tensor[:features], network.num_players, network.night_values, tensor, features)
    pick_bytes(rows.inputs[row], tensor, network.byte_index)
    first_layer(network, rows, row, reference + state.decider)


@entry
def ask_positions(
    states: States,
    all_tables: AllTables,
    legals: Int16Rows,
    counts: Int64s,
    network: Network,
    rows: Rows,
):
    """The same for an array of running games, one in each row and in each search."""
    for game in range(states.shape[0]):
        see(states[game], all_tables[0], network, rows, game, MAX_PLAYERS * game)
    ask_network(network, rows, states.shape[0], legals, counts)

"""A policy's network inside compiled code: one position at a time, for the tree of mcts.

It skips the inputs that are 0, most of them, and computes no logit but those of legal actions. Sums
are made in another order than NumPy's, so the last digits may differ from `Policy`'s.
"""

# Compiled, like the engine: the types follow from the parameters' names.
# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from hemlock_env._jit import compiled, new_records, row_loop
from hemlock_env.engine.constants import LEGAL_MAX
from hemlock_env.engine.kernel import ENTRY_TYPES
from hemlock_env.engine.state import TYPES, entry_point
from hemlock_env.engine.view import look
from hemlock_env.network.features import DERIVED_BYTES, derive_features
from hemlock_env.network.policy import NORM_EPSILON, Policy

# Sizes of a network, and its numbers in one array: for each layer a row of weights for each of its
# inputs, then the biases; of the head, a row for each output.
NETWORK = np.dtype(
    [
        ("features", np.int64),  # of the observation
        ("inputs", np.int64),
        ("layers", np.int64),  # without the head
        ("normed", np.int64),  # 1: the first layer is
        ("actions", np.int64),
        ("outputs", np.int64),  # logits of all actions, the expected outcome, perhaps more
        ("seats", np.int64),
    ],
    align=True,
)

FORWARD_TYPES = {
    **ENTRY_TYPES,
    "network": numba.from_dtype(NETWORK),
    "networks": numba.types.Array(numba.from_dtype(NETWORK), 1, "C", aligned=True),
    "numbers": numba.float32[::1],
    "wide": numba.int64[::1],
    "live": numba.int64[::1],
    "night_values": numba.int64[:, ::1],
    "tensor": numba.int8[::1],
    "rows": numba.float32[:, ::1],
    "row": numba.float32[::1],
    "logits": numba.float32[::1],
}


def part(function):
    """A piece of an entry point."""
    return compiled(function, {**TYPES, **FORWARD_TYPES})


@row_loop
def add_row(row, weights, times):
    """Add so many times a row of weights."""
    for place in range(row.size):
        row[place] += times * weights[place]


@row_loop
def dot_row(row, weights):
    """The product with a row of weights."""
    total = np.float32(0.0)
    for place in range(row.size):
        total += row[place] * weights[place]
    return total


@row_loop
def relu_row(row):
    """Put 0 in place of what is below."""
    for place in range(row.size):
        row[place] = max(row[place], np.float32(0.0))


@row_loop
def norm_row(row, gain, shift, out):
    """Mean 0 and variance 1, in place; then gain and shift, into `out`; the scale that it took."""
    size = np.float32(row.size)
    mean = np.float32(0.0)
    for place in range(row.size):
        mean += row[place]
    mean /= size
    spread = np.float32(0.0)
    for place in range(row.size):
        row[place] -= mean
        spread += row[place] * row[place]
    scale = np.float32(1.0) / np.sqrt(spread / size + np.float32(NORM_EPSILON))
    for place in range(row.size):
        row[place] *= scale
        out[place] = row[place] * gain[place] + shift[place]
    return scale


@row_loop
def weights_of(numbers, start, place, size):
    """A row of a layer whose weights begin at `start`."""
    return numbers[start + place * size : start + (place + 1) * size]


@part
def copy_row(row, numbers, start, count):
    """Biases, to begin with."""
    for place in range(count):
        row[place] = numbers[start + place]


@part
def see(state, tables, seat, network, live, night_values, tensor):
    """What the seat knows, with the derived features behind it."""
    tensor[:] = 0
    look(state, tables, seat, tensor, 0)
    features = network.features
    derive_features(tensor[:features], network.seats, night_values, tensor, features)


@part
def ask_network(
    state, tables, legal, count, network, numbers, wide, live, night_values, tensor, rows, logits
):
    """The logits of the legal actions, into `logits`; the outcome that whoever decides expects."""
    see(state, tables, state.decider, network, live, night_values, tensor)
    inputs = network.inputs
    row = rows[0, : wide[0]]
    copy_row(row, numbers, inputs * wide[0], wide[0])
    for place in range(inputs):
        seen = tensor[live[place]]
        if seen != 0:
            add_row(row, weights_of(numbers, 0, place, wide[0]), np.float32(seen))
    start = (inputs + 1) * wide[0]
    if network.normed == 1:
        gain = weights_of(numbers, start, 0, wide[0])
        norm_row(row, gain, weights_of(numbers, start, 1, wide[0]), row)
        start += 2 * wide[0]
    for layer in range(1, network.layers):
        below, row = row, rows[layer, : wide[layer]]
        copy_row(row, numbers, start + wide[layer - 1] * wide[layer], wide[layer])
        for place in range(wide[layer - 1]):
            if below[place] > 0:  # ReLU
                add_row(row, weights_of(numbers, start, place, wide[layer]), below[place])
        start += (wide[layer - 1] + 1) * wide[layer]
    last = wide[network.layers - 1]
    relu_row(row)
    biases = start + network.outputs * last
    for place in range(count):
        output = np.int64(legal[place])
        logit = dot_row(row, weights_of(numbers, start, output, last))
        logits[place] = logit + numbers[biases + output]
    outcome = network.actions
    value = dot_row(row, weights_of(numbers, start, outcome, last))
    return np.tanh(value + numbers[biases + outcome])


@entry_point(FORWARD_TYPES)
def ask_position(
    states,
    all_tables,
    game,
    legals,
    counts,
    networks,
    numbers,
    wide,
    live,
    night_values,
    tensor,
    rows,
    logits,
):
    """The same for one of an array of games."""
    return ask_network(
        states[game], all_tables[0], legals[game], counts[game],
        networks[0], numbers, wide, live, night_values, tensor, rows, logits,
    )  # fmt: skip


def pack(policy: Policy) -> tuple[Any, ...]:
    """A policy as `ask_network` takes it, the network in an array of one, with room to work in."""
    first, *others, (head, head_bias) = policy.layers
    inputs, wide = policy.inputs, [bias.size for _, bias in (first, *others)]
    network = new_records(NETWORK, 1)
    network["features"], network["inputs"] = inputs.layout.features, len(inputs)
    network["layers"], network["normed"] = len(wide), bool(policy.norm)
    network["actions"], network["outputs"] = policy.meta["network"]["actions"], head_bias.size
    network["seats"] = policy.num_players
    numbers = [
        *first,
        *policy.norm,
        *(part for layer in others for part in layer),
        head.T,
        head_bias,
    ]
    return (
        network,
        np.concatenate([each.ravel() for each in numbers]).astype(np.float32),
        np.array(wide, np.int64),
        inputs.byte_index.astype(np.int64),
        inputs.night_values,
        np.zeros(inputs.layout.features + DERIVED_BYTES, np.int8),
        np.zeros((len(wide), max(wide)), np.float32),
        np.zeros(LEGAL_MAX, np.float32),
    )

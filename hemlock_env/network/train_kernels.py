"""Layers of a network as training needs them, compiled: forward, backward, and a draw.

* The last layer, for legal actions alone. A position has six of 152 on average: a product with the
  layer's whole matrix, and a softmax over all, would mostly be waste.
* The norm and ReLU behind the first layer in one go, where steps of their own would each read and
  write all numbers.
"""

# Compiled, like the engine: the types follow from the parameters' names.
# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numba
import numpy as np

from hemlock_env._jit import row_loop
from hemlock_env.engine.state import entry_point
from hemlock_env.network.forward import add_row, dot_row, norm_row, relu_row

IMPOSSIBLE = -1e9  # logit of an action that isn't there: probability and gradient are exactly 0

entry = entry_point(
    {
        "seen": numba.float32[:, ::1],
        "weights": numba.float32[:, ::1],
        "biases": numba.float32[::1],
        "legal": numba.int16[:, ::1],
        "logits": numba.float32[:, ::1],
        "values": numba.float32[:, ::1],
        "seen_slope": numba.float32[:, ::1],
        "weights_slope": numba.float32[:, ::1],
        "biases_slope": numba.float32[::1],
        "gain": numba.float32[::1],
        "shift": numba.float32[::1],
        "scales": numba.float32[::1],
        "out": numba.float32[:, ::1],
        "slopes": numba.float32[:, ::1],
        "gain_slope": numba.float32[::1],
        "shift_slope": numba.float32[::1],
        "uniform": numba.float32[::1],
        "choice": numba.int64[::1],
        "log_prob": numba.float32[::1],
    }
)


@row_loop
def trace_relu(slope, row):
    """Back through `relu_row`, by what it gave."""
    for place in range(slope.size):
        slope[place] *= np.float32(row[place] > 0)


@row_loop
def trace_norm_row(row, gain, shift, scale, slope, gain_slope, shift_slope):
    """Back through `norm_row` and ReLU: `slope` is that of the result, then of what came in."""
    mean, along = np.float32(0.0), np.float32(0.0)
    for place in range(row.size):
        kept = np.float32(row[place] * gain[place] + shift[place] > 0)  # by ReLU
        passed = slope[place] * kept
        gain_slope[place] += passed * row[place]
        shift_slope[place] += passed
        passed *= gain[place]
        slope[place] = passed
        mean += passed
        along += passed * row[place]
    mean /= np.float32(row.size)
    along /= np.float32(row.size)
    for place in range(row.size):
        slope[place] = scale * (slope[place] - mean - row[place] * along)


@entry
def norm_relu(seen, gain, shift, scales, out):
    """Layer norm and ReLU of rows.

    Args:
        seen: float32 (n, wide); afterwards with mean 0 and variance 1 in each row.
        gain: float32 (wide,).
        shift: float32 (wide,).
        scales: to be written, float32 (n,): what each row was scaled by.
        out: to be written, float32 (n, wide).
    """
    for place in range(seen.shape[0]):
        scales[place] = norm_row(seen[place], gain, shift, out[place])
        relu_row(out[place])


@entry
def trace_norm_relu(seen, gain, shift, scales, slopes, gain_slope, shift_slope):
    """Back through `norm_relu`, by the chain rule, with what that left in `seen` and `scales`.

    `slopes` holds the loss's slopes in `out`, afterwards those in what came in; those in `gain` and
    `shift` are added to the arrays for them.
    """
    for place in range(seen.shape[0]):
        slope, scale = slopes[place], scales[place]
        trace_norm_row(seen[place], gain, shift, scale, slope, gain_slope, shift_slope)


@entry
def ask_head(seen, weights, biases, legal, logits, values):
    """Logits of the legal actions, and the values, which stand behind all actions in the layer.

    Args:
        seen: what the layer before gave, float32 (n, wide); ReLU is applied to it here.
        weights: float32 (actions + v, wide).
        biases: float32 (actions + v,).
        legal: int16 (n, most), filled up with -1.
        logits: to be written, float32 (n, most); IMPOSSIBLE where `legal` is -1.
        values: to be written, float32 (n, v).
    """
    most, count = legal.shape[1], values.shape[1]
    actions = weights.shape[0] - count
    for place in range(seen.shape[0]):
        row = seen[place]
        relu_row(row)
        for k in range(most):
            action = np.int64(legal[place, k])
            if action < 0:
                logits[place, k:] = np.float32(IMPOSSIBLE)
                break
            logits[place, k] = dot_row(row, weights[action]) + biases[action]
        for k in range(count):
            values[place, k] = dot_row(row, weights[actions + k]) + biases[actions + k]


@entry
def trace_head(seen, weights, legal, logits, values, seen_slope, weights_slope, biases_slope):
    """Back through `ask_head`, by the chain rule.

    `logits` and `values` hold the loss's slopes in them. That in `seen`, before its ReLU, is
    written; those in `weights` and `biases` are added to the arrays for them.
    """
    most, count = legal.shape[1], values.shape[1]
    actions = weights.shape[0] - count
    for place in range(seen.shape[0]):
        row, slope = seen[place], seen_slope[place]
        slope[:] = np.float32(0.0)
        for k in range(most):
            action = np.int64(legal[place, k])
            if action < 0:
                break
            add_row(slope, weights[action], logits[place, k])
            add_row(weights_slope[action], row, logits[place, k])
            biases_slope[action] += logits[place, k]
        for k in range(count):
            output = actions + k
            add_row(slope, weights[output], values[place, k])
            add_row(weights_slope[output], row, values[place, k])
            biases_slope[output] += values[place, k]
        trace_relu(slope, row)


@entry
def draw(logits, legal, uniform, choice, log_prob):
    """A place in each row of `legal` by the softmax of its logits, and the log of its probability.

    It is the first place at which the sum of probabilities passes `uniform`, a number in 0..1, and
    never one beyond the last action, whatever rounding does.
    """
    for place in range(logits.shape[0]):
        count, best = 0, logits[place, 0]
        while count < legal.shape[1] and legal[place, count] >= 0:
            best = max(best, logits[place, count])
            count += 1
        total = np.float32(0.0)
        for k in range(count):
            total += np.exp(logits[place, k] - best)
        target = uniform[place] * total
        reached = np.float32(0.0)
        chosen = max(count - 1, 0)
        for k in range(count):
            reached += np.exp(logits[place, k] - best)
            if reached > target:
                chosen = k
                break
        choice[place] = chosen
        log_prob[place] = logits[place, chosen] - best - np.log(total)

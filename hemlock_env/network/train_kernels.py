"""Layers of a network as training needs them, compiled: forward, backward, and a sample.

* The last layer, for legal actions alone. A position has six of 152 on average: a product with the
  layer's whole matrix, and a softmax over all, would mostly be waste.
* The norm and ReLU behind the first layer in one go, where steps of their own would each read and
  write all numbers.
"""

# Compiled, like the engine: types stand at the parameters, and where there is none it is an int64.
# mypy: allow-untyped-defs, allow-incomplete-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from hemlock_env._jit import entry, row_loop
from hemlock_env.engine.types import Float32Rows, Float32s, Int16Rows, Int64s
from hemlock_env.network.forward import add_row, dot_row, norm_row, relu_row

IMPOSSIBLE = -1e9  # logit of an action that isn't there: probability and gradient are exactly 0


@row_loop
def relu_row_backward(grad, row):
    """Back through `relu_row`, by what it gave."""
    for i in range(grad.size):
        grad[i] *= np.float32(row[i] > 0)


@row_loop
def norm_relu_row_backward(row, weight, bias, scale, grad, grad_weight, grad_bias):
    """Back through `norm_row` and ReLU. In: the gradient of the loss w.r.t. the result in `grad`;
    overwritten with the one w.r.t. the input. Those w.r.t. weight and bias are added to.
    """
    mean, along = np.float32(0.0), np.float32(0.0)
    for i in range(row.size):
        passed = grad[i] * np.float32(row[i] * weight[i] + bias[i] > 0)  # by ReLU
        grad_weight[i] += passed * row[i]
        grad_bias[i] += passed
        passed *= weight[i]
        grad[i] = passed
        mean += passed
        along += passed * row[i]
    mean /= np.float32(row.size)
    along /= np.float32(row.size)
    for i in range(row.size):
        grad[i] = scale * (grad[i] - mean - row[i] * along)


@entry
def norm_relu(
    input: Float32Rows,
    weight: Float32s,
    bias: Float32s,
    scales: Float32s,
    output: Float32Rows,
):
    """Layer norm and ReLU of rows.

    Args:
        input: float32 (n, width); afterwards with mean 0 and variance 1 in each row.
        weight: float32 (width,).
        bias: float32 (width,).
        scales: to be written, float32 (n,): what each row was scaled by.
        output: to be written, float32 (n, width).
    """
    for i in range(input.shape[0]):
        scales[i] = norm_row(input[i], weight, bias, output[i])
        relu_row(output[i])


@entry
def norm_relu_backward(
    input: Float32Rows,
    weight: Float32s,
    bias: Float32s,
    scales: Float32s,
    grad_output: Float32Rows,
    grad_weight: Float32s,
    grad_bias: Float32s,
):
    """Back through `norm_relu`, with what that left in `input` and `scales`.

    Args:
        input: normed, float32 (n, width).
        weight: as it was given.
        bias: as it was given.
        scales: as they were written.
        grad_output: in: gradient w.r.t. the output; overwritten with the one w.r.t. the input.
        grad_weight: is added to.
        grad_bias: is added to.
    """
    for i in range(input.shape[0]):
        norm_relu_row_backward(
            input[i], weight, bias, scales[i], grad_output[i], grad_weight, grad_bias
        )


@entry
def legal_head_forward(
    input: Float32Rows,
    weight: Float32Rows,
    bias: Float32s,
    legal: Int16Rows,
    logits: Float32Rows,
    values: Float32Rows,
):
    """Logits of the legal actions, and the values, which stand behind all actions in the layer.

    Args:
        input: what the layer before gave, float32 (n, width); ReLU is applied to it here.
        weight: float32 (actions + v, width).
        bias: float32 (actions + v,).
        legal: int16 (n, legal_max), filled up with -1.
        logits: to be written, float32 (n, legal_max); IMPOSSIBLE where `legal` is -1.
        values: to be written, float32 (n, v).
    """
    actions = weight.shape[0] - values.shape[1]
    for i in range(input.shape[0]):
        row = input[i]
        relu_row(row)
        for k in range(legal.shape[1]):
            action = np.int64(legal[i, k])
            if action < 0:
                logits[i, k:] = np.float32(IMPOSSIBLE)
                break
            logits[i, k] = dot_row(row, weight[action]) + bias[action]
        for k in range(values.shape[1]):
            values[i, k] = dot_row(row, weight[actions + k]) + bias[actions + k]


@entry
def legal_head_backward(
    input: Float32Rows,
    weight: Float32Rows,
    legal: Int16Rows,
    grad_logits: Float32Rows,
    grad_values: Float32Rows,
    grad_input: Float32Rows,
    grad_weight: Float32Rows,
    grad_bias: Float32s,
):
    """Back through `legal_head_forward`, with what that left in `input`.

    Args:
        input: behind ReLU, float32 (n, width).
        weight: as it was given.
        legal: as it was given.
        grad_logits: gradient w.r.t. the logits.
        grad_values: gradient w.r.t. the values.
        grad_input: to be written: the one w.r.t. the input, before its ReLU.
        grad_weight: is added to.
        grad_bias: is added to.
    """
    actions = weight.shape[0] - grad_values.shape[1]
    for i in range(input.shape[0]):
        row, grad = input[i], grad_input[i]
        grad[:] = np.float32(0.0)
        for k in range(legal.shape[1]):
            action = np.int64(legal[i, k])
            if action < 0:
                break
            add_row(grad, weight[action], grad_logits[i, k])
            add_row(grad_weight[action], row, grad_logits[i, k])
            grad_bias[action] += grad_logits[i, k]
        for k in range(grad_values.shape[1]):
            output = actions + k
            add_row(grad, weight[output], grad_values[i, k])
            add_row(grad_weight[output], row, grad_values[i, k])
            grad_bias[output] += grad_values[i, k]
        relu_row_backward(grad, row)


@entry
def sample(
    logits: Float32Rows,
    legal: Int16Rows,
    uniform: Float32s,
    choice: Int64s,
    log_prob: Float32s,
):
    """A place in each row of `legal` by the softmax of its logits, and the log of its probability.

    It is the first place at which the sum of probabilities passes `uniform`, a number in 0..1, and
    never one beyond the last action, whatever rounding does.
    """
    for i in range(logits.shape[0]):
        count, best = 0, logits[i, 0]
        while count < legal.shape[1] and legal[i, count] >= 0:
            best = max(best, logits[i, count])
            count += 1
        total = np.float32(0.0)
        for k in range(count):
            total += np.exp(logits[i, k] - best)
        target = uniform[i] * total
        reached = np.float32(0.0)
        chosen = max(count - 1, 0)
        for k in range(count):
            reached += np.exp(logits[i, k] - best)
            if reached > target:
                chosen = k
                break
        choice[i] = chosen
        log_prob[i] = logits[i, chosen] - best - np.log(total)

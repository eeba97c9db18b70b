"""Norm, head and draw for PyTorch: around the compiled loops of `network.train_kernels`."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from hemlock_env._jit import ensure
from hemlock_env.network.train_kernels import (
    IMPOSSIBLE,
    ask_head,
    draw,
    norm_relu,
    trace_head,
    trace_norm_relu,
)

__all__ = ["IMPOSSIBLE", "LegalHead", "NormRelu", "choose"]


class NormRelu(torch.autograd.Function):
    """Layer norm and ReLU, computed in float32."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, gain: Tensor, shift: Tensor) -> Tensor:
        """Of x (n, wide) in any precision, which the result has too."""
        seen = in_float32(x)  # it is normed in place
        scales, out = torch.empty(len(x)), torch.empty_like(seen)
        run(norm_relu, seen, gain, shift, scales, out)
        ctx.save_for_backward(seen, gain, shift, scales)
        return out.to(x.dtype)

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> Any:
        """The gradient by that of the result."""
        seen, gain, shift, scales = ctx.saved_tensors
        slope = in_float32(slopes[0])
        found = torch.zeros(len(gain)), torch.zeros(len(shift))
        run(trace_norm_relu, seen, gain, shift, scales, slope, *found)
        return slope.to(slopes[0].dtype), *found


class LegalHead(torch.autograd.Function):
    """ReLU, then the head's logits of the legal actions and its two values before tanh; float32."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, legal: Tensor) -> Any:
        """Of x (n, wide) in any precision and legal int16 (n, most)."""
        seen = in_float32(x)  # the head applies ReLU in place
        logits, values = torch.empty(legal.shape), torch.empty(len(x), 2)
        run(ask_head, seen, weight, bias, legal, logits, values)
        ctx.save_for_backward(seen, weight, legal)
        ctx.dtype = x.dtype
        return logits, values

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> Any:
        """The gradient by the gradients of logits and values."""
        seen, weight, legal = ctx.saved_tensors
        found = torch.empty_like(seen), torch.zeros(weight.shape), torch.zeros(len(weight))
        run(trace_head, seen, weight, legal, *slopes, *found)
        return found[0].to(ctx.dtype), *found[1:], None


def choose(logits: Tensor, legal: Tensor, uniform: Tensor) -> tuple[Tensor, Tensor]:
    """A place in each row by its probability, where the sum passes `uniform`, a number in 0..1; and
    the log of its probability.
    """
    choice, log_prob = torch.empty(len(logits), dtype=torch.int64), torch.empty(len(logits))
    run(draw, logits, legal, uniform, choice, log_prob)
    return choice, log_prob


def in_float32(x: Tensor) -> Tensor:
    """A copy to work in, a row behind the other."""
    return x.contiguous().to(torch.float32, copy=True)


def run(compiled: Any, *tensors: Tensor) -> None:
    """Compiled code on tensors, in their own memory; those that it only reads may lie anyhow."""
    ensure(compiled)
    compiled(*(tensor.detach().contiguous().numpy() for tensor in tensors))

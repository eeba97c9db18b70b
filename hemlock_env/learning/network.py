"""Norm, head and draw for PyTorch: around the compiled loops of `network.train_kernels`."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from hemlock_env._jit import ensure
from hemlock_env.network.train_kernels import (
    IMPOSSIBLE,
    legal_head_backward,
    legal_head_forward,
    norm_relu,
    norm_relu_backward,
    sample,
)

__all__ = ["IMPOSSIBLE", "LegalHead", "NormRelu", "choose"]


class NormRelu(torch.autograd.Function):
    """Layer norm and ReLU, computed in float32."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """Of x (n, width) in any precision, which the result has too."""
        normed = in_float32(x)  # it is normed in place
        scales, output = torch.empty(len(x)), torch.empty_like(normed)
        run(norm_relu, normed, weight, bias, scales, output)
        ctx.save_for_backward(normed, weight, bias, scales)
        return output.to(x.dtype)

    @staticmethod
    def backward(ctx: Any, *grad_output: Tensor) -> Any:
        """The gradient by that of the result."""
        normed, weight, bias, scales = ctx.saved_tensors
        grad = in_float32(grad_output[0])
        grads = torch.zeros(len(weight)), torch.zeros(len(bias))
        run(norm_relu_backward, normed, weight, bias, scales, grad, *grads)
        return grad.to(grad_output[0].dtype), *grads


class LegalHead(torch.autograd.Function):
    """ReLU, then the head's logits of the legal actions and its two values before tanh; float32."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, legal: Tensor) -> Any:
        """Of x (n, width) in any precision and legal int16 (n, legal_max)."""
        input = in_float32(x)  # the head applies ReLU in place
        logits, values = torch.empty(legal.shape), torch.empty(len(x), 2)
        run(legal_head_forward, input, weight, bias, legal, logits, values)
        ctx.save_for_backward(input, weight, legal)
        ctx.dtype = x.dtype
        return logits, values

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> Any:
        """The gradient by the gradients of logits and values."""
        input, weight, legal = ctx.saved_tensors
        grads = torch.empty_like(input), torch.zeros(weight.shape), torch.zeros(len(weight))
        run(legal_head_backward, input, weight, legal, *grad_outputs, *grads)
        return grads[0].to(ctx.dtype), *grads[1:], None


def choose(logits: Tensor, legal: Tensor, uniform: Tensor) -> tuple[Tensor, Tensor]:
    """A place in each row by its probability, where the sum passes `uniform`, a number in 0..1; and
    the log of its probability.
    """
    choice, log_prob = torch.empty(len(logits), dtype=torch.int64), torch.empty(len(logits))
    run(sample, logits, legal, uniform, choice, log_prob)
    return choice, log_prob


def in_float32(x: Tensor) -> Tensor:
    """A copy to work in, a row behind the other."""
    return x.contiguous().to(torch.float32, copy=True)


def run(compiled: Any, *tensors: Tensor) -> None:
    """Compiled code on tensors, in their own memory; those that it only reads may lie anyhow."""
    ensure(compiled)
    compiled(*(tensor.detach().contiguous().numpy() for tensor in tensors))

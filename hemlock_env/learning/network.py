"""The actor-critic network in PyTorch, around the compiled loops of `network.train_kernels`."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (everyone's name for it)

from hemlock_env._jit import ensure
from hemlock_env.learning.config import Settings
from hemlock_env.network.encoder import FeatureEncoder
from hemlock_env.network.train_kernels import (
    IMPOSSIBLE,
    legal_head_backward,
    legal_head_forward,
    norm_relu,
    norm_relu_backward,
    sample,
)

__all__ = ["IMPOSSIBLE", "Layers", "LegalHead", "Network", "NormRelu", "Output", "sample_actions"]

Pair = tuple[Tensor, Tensor]


class Layers(NamedTuple):
    """Weights and biases as a forward pass takes them."""

    trunk: list[Pair]
    norm: Pair
    head: Pair
    critic: list[Pair]
    """empty without a privileged critic"""


class Output(NamedTuple):
    """What a forward pass gives, for n decisions."""

    logits: Tensor
    """of the legal actions, float32 (n, width)"""
    value: Tensor
    """expected outcome and margin, float32 (n, 2)"""
    critic_value: Tensor
    """the same from the privileged critic; without one it is `value`"""


class Network(nn.Module):
    """An MLP with ReLU whose first layer is normed; one head has all logits, outcome and margin."""

    input_scale: Tensor

    def __init__(
        self, encoder: FeatureEncoder, actions: int, privileged_size: int, settings: Settings
    ) -> None:
        super().__init__()
        self.dtype = precision(settings.precision)
        sizes = [len(encoder), *settings.hidden_sizes]
        self.register_buffer("input_scale", torch.from_numpy(encoder.scale))
        self.trunk = nn.ModuleList(
            nn.Linear(size, width) for size, width in itertools.pairwise(sizes)
        )
        self.norm = nn.LayerNorm(sizes[1])
        self.head = nn.Linear(sizes[-1], actions + 2)
        if settings.privileged_critic:
            width = sizes[-1]
            inner = nn.Linear(width + privileged_size, width)
            self.critic = nn.ModuleList([inner, nn.Linear(width, 2)])
        self._init_weights(torch.Generator().manual_seed(settings.seed))

    def _init_weights(self, generator: torch.Generator) -> None:
        """Orthogonal, biases 0; the last layers near 0, so the first policy is near uniform."""
        for name, layer in self.named_modules():
            if isinstance(layer, nn.Linear):
                gain = 0.01 if name in ("head", "critic.1") else math.sqrt(2)
                nn.init.orthogonal_(layer.weight, gain, generator=generator)
                nn.init.zeros_(layer.bias)

    def layers(self) -> Layers:
        """The weights in the run's precision, those of norm and head in float32; the first layer
        scales its inputs.
        """

        def pair(layer: Any, scale: Tensor | float = 1.0) -> Pair:
            return (layer.weight / scale).to(self.dtype), layer.bias.to(self.dtype)

        first, *others = self.trunk
        trunk = [pair(first, self.input_scale), *map(pair, others)]
        critic = [pair(layer) for layer in getattr(self, "critic", ())]
        norm, head = (self.norm.weight, self.norm.bias), (self.head.weight, self.head.bias)
        return Layers(trunk, norm, head, critic)

    def forward(
        self, inputs: Tensor, legal: Tensor, layers: Layers, privileged: Tensor | None = None
    ) -> Output:
        """A forward pass.

        Args:
            inputs: int8 (n, inputs).
            legal: legal actions, int16 (n, width), padded with -1.
            layers: what `layers()` gave.
            privileged: the privileged state for the critic, int8 (n, entries).
        """
        return run_network(inputs.to(self.dtype), legal, layers, privileged)


def run_network(
    x: Tensor, legal: Tensor, layers: Layers, privileged: Tensor | None = None
) -> Output:
    """The network as a function of its weights."""
    first, *others = layers.trunk
    x = NormRelu.apply(F.linear(x, *first), *layers.norm)  # type: ignore[no-untyped-call]
    for number, layer in enumerate(others):
        x = F.linear(F.relu(x) if number else x, *layer)
    logits, value = LegalHead.apply(x, *layers.head, legal)  # type: ignore[no-untyped-call]
    value = value.tanh()
    if not layers.critic or privileged is None:
        return Output(logits, value, value)
    inner, outer = layers.critic
    x = F.relu(F.linear(torch.cat([F.relu(x), privileged.to(x.dtype)], 1), *inner))
    return Output(logits, value, F.linear(x, *outer).float().tanh())


def normalized_entropy(logits: Tensor, log_probs: Tensor) -> Tensor:
    """Entropy of each row over that of the uniform policy on its legal actions, 0 to 1; 0 where
    only one action is legal.
    """
    actions = (logits > IMPOSSIBLE).sum(1)
    entropy = -(logits.softmax(1) * log_probs).sum(1)
    return entropy / actions.clamp(min=2).log()


def precision(name: str) -> torch.dtype:
    """The dtype that networks run in; bfloat16 without hardware for it would be slow."""
    if name == "auto":
        can: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
        name = "bfloat16" if can.get("avx512_bf16") or can.get("amx_bf16") else "float32"
    return torch.bfloat16 if name == "bfloat16" else torch.float32


# ---- Compiled layers ----


class NormRelu(torch.autograd.Function):
    """Layer norm and ReLU, computed in float32."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """Of x (n, width) in any precision, which the result has too."""
        normed = in_float32(x)  # it is normed in place
        scales, out = torch.empty(len(x)), torch.empty_like(normed)
        run(norm_relu, normed, weight, bias, scales, out)
        ctx.save_for_backward(normed, weight, bias, scales)
        return out.to(x.dtype)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> Any:
        """Gradients w.r.t. x, weight and bias."""
        normed, weight, bias, scales = ctx.saved_tensors
        grad = in_float32(grad_outputs[0])
        grads = torch.zeros(len(weight)), torch.zeros(len(bias))
        run(norm_relu_backward, normed, weight, bias, scales, grad, *grads)
        return grad.to(grad_outputs[0].dtype), *grads


class LegalHead(torch.autograd.Function):
    """ReLU, then the head's logits of the legal actions and its two values before tanh; float32."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, legal: Tensor) -> Any:
        """Of x (n, width) in any precision and legal int16 (n, legal actions)."""
        rows = in_float32(x)  # the head applies ReLU in place
        logits, values = torch.empty(legal.shape), torch.empty(len(x), 2)
        run(legal_head_forward, rows, weight, bias, legal, logits, values)
        ctx.save_for_backward(rows, weight, legal)
        ctx.dtype = x.dtype
        return logits, values

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> Any:
        """Gradients w.r.t. x, weight and bias."""
        rows, weight, legal = ctx.saved_tensors
        grads = torch.empty_like(rows), torch.zeros(weight.shape), torch.zeros(len(weight))
        run(legal_head_backward, rows, weight, legal, *grad_outputs, *grads)
        return grads[0].to(ctx.dtype), *grads[1:], None


def sample_actions(logits: Tensor, legal: Tensor, uniform: Tensor) -> tuple[Tensor, Tensor]:
    """Sample from the softmax of each row by inverse transform.

    Args:
        logits: float32 (n, width).
        legal: the actions that they are of, padded with -1.
        uniform: a number in 0..1 for each row.

    Returns:
        Indices into `legal`, and their log-probabilities.
    """
    choice, log_prob = torch.empty(len(logits), dtype=torch.int64), torch.empty(len(logits))
    run(sample, logits, legal, uniform, choice, log_prob)
    return choice, log_prob


def in_float32(x: Tensor) -> Tensor:
    """A contiguous copy to work in."""
    return x.contiguous().to(torch.float32, copy=True)


def run(kernel: Any, *tensors: Tensor) -> None:
    """Compiled code on tensors, in their own memory; those that it only reads may be strided."""
    ensure(kernel)
    kernel(*(tensor.detach().contiguous().numpy() for tensor in tensors))

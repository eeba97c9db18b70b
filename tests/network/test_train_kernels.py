"""The compiled layers of training, through PyTorch: as its own, forward and backward."""

import numpy as np
import pytest
import torch

from hemlock_env.learning.network import IMPOSSIBLE, LegalHead, NormRelu, sample_actions

X = IMPOSSIBLE


def legal_of(logits: torch.Tensor) -> torch.Tensor:
    """Legal actions, as many as there are logits in each row, in an order of their own."""
    chance = torch.Generator().manual_seed(7)
    order = torch.rand(logits.shape, generator=chance).argsort(1).to(torch.int16)
    return torch.where(logits > X, order, -1)


def chosen(logits: torch.Tensor, uniform: torch.Tensor) -> torch.Tensor:
    """The places, after a look at their probabilities."""
    logits = logits.contiguous()
    choice, log_prob = sample_actions(logits, legal_of(logits), uniform)
    expected = logits.log_softmax(1).gather(1, choice[:, None])[:, 0]
    torch.testing.assert_close(log_prob, expected, atol=2e-6, rtol=1e-5)
    return choice


@pytest.mark.parametrize(("uniform", "place"), [(0.0, 0), (0.49, 0), (0.51, 1), (0.999, 1)])
def test_a_place_is_chosen_by_its_probability(uniform: float, place: int) -> None:
    logits = torch.tensor([[0.0, 0.0, X, X]])
    assert chosen(logits, torch.tensor([uniform])).tolist() == [place]


def test_rounding_never_chooses_what_is_not_there() -> None:
    logits = torch.full((1000, 40), X)
    logits[:, :7] = torch.randn(1000, 7, generator=torch.Generator().manual_seed(1)) * 10.0
    places = chosen(logits, torch.full((1000,), 1.0))  # beyond what a generator draws
    assert places.max() == 6


def test_places_are_chosen_in_proportion() -> None:
    logits = torch.tensor([[0.5, 0.3, 0.2]]).log().expand(20_000, 3)
    uniform = torch.from_numpy(np.random.default_rng(1).random(20_000, np.float32))
    shares = torch.bincount(chosen(logits, uniform)).double() / 20_000
    assert shares.tolist() == pytest.approx([0.5, 0.3, 0.2], abs=0.012)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("turned", [False, True])
def test_the_head_for_legal_actions_is_the_whole_one_gathered(
    dtype: torch.dtype, turned: bool
) -> None:
    chance = torch.Generator().manual_seed(3)

    def some(*size: int) -> torch.Tensor:
        return torch.randn(*size, generator=chance)

    x = (some(24, 50).t() if turned else some(50, 24)).to(dtype)
    weight, bias, counts = some(14, 24), some(14), torch.arange(50) % 13  # 0 to 12 are legal
    legal = legal_of(torch.where(torch.arange(12) < counts[:, None], 0.0, X))
    given = [each.detach().requires_grad_() for each in (x, weight, bias)]
    plain = [each.detach().clone().requires_grad_() for each in (x, weight, bias)]
    logits, values = LegalHead.apply(*given, legal)
    out = torch.nn.functional.linear(plain[0].float().relu(), *plain[1:])
    expected = out[:, :12].gather(1, legal.clamp(min=0).long()).masked_fill(legal < 0, X)
    torch.testing.assert_close(logits, expected)
    torch.testing.assert_close(values, out[:, 12:])
    grads = some(50, 12), some(50, 2)  # of padding too, which must not count
    torch.autograd.backward([logits, values], grads)
    torch.autograd.backward([expected, out[:, 12:]], grads)
    for mine, other in zip(given, plain, strict=True):
        torch.testing.assert_close(mine.grad, other.grad)


@pytest.mark.parametrize("turned", [False, True])
def test_norm_and_relu_in_one_are_those_of_torch(turned: bool) -> None:
    chance = torch.Generator().manual_seed(4)
    x, weight, bias, grads = (
        torch.randn(*size, generator=chance) for size in ((60, 40), (40,), (40,), (60, 40))
    )
    if turned:
        x, grads = x.t().contiguous().t(), grads.t().contiguous().t()
    given = [each.detach().requires_grad_() for each in (3.0 * x + 1.0, weight, bias)]
    plain = [each.detach().clone().requires_grad_() for each in given]
    output = NormRelu.apply(*given)
    expected = torch.nn.functional.layer_norm(plain[0], (40,), *plain[1:]).relu()
    torch.testing.assert_close(output, expected)
    output.backward(grads)
    expected.backward(grads)
    for mine, other in zip(given, plain, strict=True):
        torch.testing.assert_close(mine.grad, other.grad)
    assert NormRelu.apply(x.bfloat16(), weight, bias).dtype == torch.bfloat16

"""The network: only legal actions, the same numbers when acting, learning and in NumPy."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from hemlock_env.learning.network import IMPOSSIBLE, normalized_entropy
from hemlock_env.learning.ppo import (
    OUTCOME,
    Opponent,
    PPOTrainer,
    ppo_loss,
)
from hemlock_env.learning.team import Link
from tests.training.tiny import tiny

X = IMPOSSIBLE


def test_entropy_of_one_legal_action_is_zero() -> None:
    logits = torch.tensor([[3.0, X, X, X]], requires_grad=True)
    entropy = normalized_entropy(logits, logits.log_softmax(1))
    entropy.sum().backward()
    assert entropy.tolist() == [0.0]
    assert logits.grad is not None
    assert logits.grad.abs().max() == 0.0


def test_entropy_of_even_actions_is_one() -> None:
    logits = torch.tensor([[2.0, 2.0, 2.0, X]])
    assert normalized_entropy(logits, logits.log_softmax(1)).item() == pytest.approx(1.0)


def test_collect_plays_legal_actions_of_the_seat_that_decides() -> None:
    trainer = PPOTrainer(tiny(options={"num_players": 3}))
    trainer.collect()
    buffer, rows = trainer.buffer, slice(3, None)
    chosen = np.take_along_axis(buffer.legal[rows], buffer.choice[rows][:, :, None], 2)
    assert chosen.min() >= 0
    assert set(np.unique(buffer.seat[rows])) == {0, 1, 2}


class Ones:
    """A random stream at the top of its range, where rounding matters."""

    def random(self, size: int, dtype: type) -> NDArray[Any]:
        return np.ones(size, dtype)


@pytest.mark.parametrize("inverse_temperature", [1e-3, 0.5, 1.0, 1e4])
def test_an_opponent_of_any_temperature_plays_legal_actions(inverse_temperature: float) -> None:
    trainer = PPOTrainer(tiny(random_start_steps=0))
    everywhere = np.ones((2, len(trainer.batch)), np.bool_)
    opponent = Opponent(trainer.network.layers(), everywhere, inverse_temperature)
    buffer = trainer.buffer
    trainer.opponent = opponent
    trainer.rng = Ones()  # type: ignore[assignment]
    trainer.collect()
    rows = slice(buffer.seats, None)
    counts = (buffer.legal[rows] >= 0).sum(2)
    np.testing.assert_array_equal(buffer.choice[rows], counts - 1)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_before_the_first_step_the_policy_is_the_one_that_played(precision: str) -> None:
    trainer = PPOTrainer(tiny(precision=precision, num_envs=64, minibatch_size=300))
    with torch.no_grad():
        for weight in trainer.network.parameters():
            weight.mul_(3.0)  # far from undecided
        trainer.collect()
        advantages = trainer.buffer.compute_gae(trainer.settings.gae_lambda)
        seen = 0
        for part in trainer.minibatches(advantages, 0.1):
            output = trainer.network(part.inputs, part.legal, trainer.network.layers())
            log_prob = output.logits.log_softmax(1).gather(1, part.choice[:, None])[:, 0]
            assert ((log_prob - part.log_prob).exp() - 1.0).abs().max() < 1e-4
            assert output.value.abs().max() <= 1.0
            seen += len(output.value)
    assert seen == advantages.valid.sum()


@pytest.mark.parametrize("privileged_critic", [False, True])
def test_a_step_has_a_finite_gradient_for_every_weight(privileged_critic: bool) -> None:
    trainer = PPOTrainer(tiny(privileged_critic=privileged_critic))
    trainer.collect()
    advantages = trainer.buffer.compute_gae(trainer.settings.gae_lambda)
    part = next(trainer.minibatches(advantages, 0.1))
    loss, logged = ppo_loss(trainer.network, part, trainer.settings, 0.01)
    loss.backward()
    assert torch.isfinite(logged).all()
    for weight in trainer.network.parameters():
        assert weight.grad is not None
        assert torch.isfinite(weight.grad).all()


@pytest.mark.parametrize(("games", "steps"), [(1, 1), (2, 4)])
def test_few_decisions_leave_numbers_that_are_some(games: int, steps: int) -> None:
    """A rollout may settle fewer decisions than it has minibatches, or none."""
    trainer = PPOTrainer(tiny(num_envs=games, num_steps=steps, minibatch_size=1))
    settled, empty = [], 0
    for _ in range(6):
        metrics = trainer.update()
        assert np.isfinite(list(metrics.values())).all()
        settled.append(metrics["learned_sps"] > 0.0)
        empty += metrics["learned_sps"] < metrics["sps"]
    assert all(torch.isfinite(weight).all() for weight in trainer.network.parameters())
    assert empty
    assert all(settled) == (games > 1)


class Counting(Link):
    """A link to another process that has the same gradients."""

    def __init__(self) -> None:
        super().__init__(0, 2)
        self.steps: list[float] = []

    def average(self, weights: Sequence[torch.Tensor]) -> None:
        gradients = [weight.grad for weight in weights if weight.grad is not None]
        assert len(gradients) == len(weights)
        self.steps.append(float(sum(gradient.abs().sum() for gradient in gradients)))


def test_with_few_decisions_every_process_takes_the_same_steps() -> None:
    trainer = PPOTrainer(tiny(num_envs=2, num_steps=4, minibatch_size=1))
    trainer.link = link = Counting()
    trainer.update()
    assert len(link.steps) == 8
    assert np.isfinite(link.steps).all()
    assert 0.0 in link.steps


@pytest.mark.parametrize("players", [2, 3, 4])
def test_numpy_and_torch_give_the_same(players: int) -> None:
    trainer = PPOTrainer(tiny(options={"num_players": players}))
    trainer.update()
    for average, weight in zip(trainer.ema_weights, trainer.network.parameters(), strict=True):
        average.copy_(weight.detach())
    batch = trainer.batch
    order = np.random.default_rng(1).permutation(batch.mask.shape[1]).astype(np.int16)
    every = torch.from_numpy(order).expand(len(batch), -1)
    with torch.no_grad():
        inputs = torch.from_numpy(trainer.encoder.of(batch.observation))
        expected = trainer.network(inputs, every, trainer.network.layers())
    logits, values = trainer.policy().logits_and_values(batch.observation)
    assert logits.dtype == values.dtype == np.float32
    np.testing.assert_allclose(logits[:, order], expected.logits.numpy(), atol=1e-5)
    np.testing.assert_allclose(values, expected.value[:, OUTCOME].numpy(), atol=1e-5)


@pytest.mark.parametrize(
    "options",
    [
        {
            "num_players": 2,
            "sides": "random",
            "loot": "hand",
            "items_as_loot": True,
            "agendas": True,
        },
        {"num_players": 3, "loot": "hand", "agendas": True},
        {"num_players": 4, "sides": "advanced", "items_as_loot": True, "agendas": True},
    ],
    ids=["two", "three", "four"],
)
def test_all_variants_train(options: dict[str, object]) -> None:
    hidden = "agendas" in options
    trainer = PPOTrainer(
        tiny(options=options, privileged_critic=hidden, pool_share=0.5, pool_freq=512)
    )
    metrics = [trainer.update() for _ in range(2)]
    assert trainer.num_timesteps == 1024
    assert all(np.isfinite(list(row.values())).all() for row in metrics)

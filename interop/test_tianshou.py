"""Tianshou: masks hold, every decision is paid its own agent's result, and DQN trains."""

import math

import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv

from interop.tianshou_dqn import make_algorithm, make_env, train


def weights_of(learner: DQN) -> torch.Tensor:
    return torch.cat([part.detach().flatten() for part in learner.policy.parameters()]).clone()


def test_each_decision_is_legal_and_gets_the_result_of_the_agent_that_made_it():
    torch.manual_seed(2)
    np.random.seed(2)
    slots = DummyVectorEnv([lambda: make_env(num_players=3)])
    slots.seed(2)
    env = make_env(num_players=3)
    algorithm, _ = make_algorithm(env, width=8, learning_rate=1e-3, explore=0.5)
    buffer = VectorReplayBuffer(2_000, 1)
    collector = Collector(algorithm, slots, buffer, exploration_noise=True)
    collector.reset()
    collector.collect(n_episode=1)

    assert buffer.obs.mask[np.arange(len(buffer)), buffer.act[: len(buffer)]].all()
    result = buffer.rew[buffer.done].squeeze(0)
    assert abs(result.sum()) < 1e-6
    assert result.max() > 0
    batch, indices = buffer.sample(0)
    paid = algorithm._preprocess_batch(batch, buffer, indices)
    for place, agent in enumerate(env.agents):
        assert len(paid[agent].returns)
        assert np.allclose(paid[agent].returns.numpy(), result[place])


def test_dqn_learns_from_games_of_itself():
    weights, losses = [], []
    for learner, played, loss in train(rounds=2, games=2, updates=2, minibatch=64, width=16):
        assert played.n_collected_episodes == 2
        weights.append(weights_of(learner))
        losses.append(loss)

    assert len(losses) == 2
    assert all(map(math.isfinite, losses))
    assert torch.isfinite(weights[1]).all()
    assert not torch.equal(weights[0], weights[1])

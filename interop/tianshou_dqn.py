"""Tianshou: a deep Q-network by self-play, one network for all seats, masks on.

    python -m interop.tianshou_dqn --rounds 20

Tianshou pays a reward to whoever acted last and, with few steps of return, takes the value of what
the *next* agent sees. So a return here runs to the end of the game: every decision gets the result
of the agent that made it.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator
from typing import Any

import numpy as np

from hemlock_env import hemlock_v0
from interop import missing, whole

try:
    import torch
    from tianshou.algorithm import DQN
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.data import Collector, CollectStats, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv
    from tianshou.utils.net.common import Net
    from tianshou.utils.torch_utils import policy_within_training_step
except ImportError as error:
    raise missing(error, "interop.tianshou_dqn") from None

HORIZON = 1024  # decisions that a return looks ahead; four at random make about 255 in a game

# It warns of rewards that have a column for each agent, as here they must.
logging.getLogger("tianshou.data.stats").setLevel(logging.ERROR)


def make_env(num_players: int = 2, **options: Any) -> PettingZooEnv:
    """The environment for Tianshou; an illegal action raises, so masks that fail are seen.

    Args:
        num_players: 2 to 4.
        options: the others of `hemlock_v0.env`.
    """
    return PettingZooEnv(hemlock_v0.raw_env(num_players, observation="float", **options))


def make_algorithm(
    env: PettingZooEnv, width: int, learning_rate: float, explore: float
) -> tuple[MultiAgentOffPolicyAlgorithm, DQN]:
    """The algorithm that hands each agent's decisions to one and the same DQN, and that DQN."""
    network = Net(
        state_shape=env.observation_space["observation"].shape,
        action_shape=env.action_space.n,
        hidden_sizes=[width, width],
    )
    policy = DiscreteQLearningPolicy(
        model=network,
        action_space=env.action_space,
        eps_training=explore,
        # The policy of one agent isn't told that it trains.
        eps_inference=explore,
    )
    learner = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=learning_rate),
        gamma=1.0,
        n_step_return_horizon=HORIZON,
    )
    agents = [learner] * len(env.agents)
    return MultiAgentOffPolicyAlgorithm(algorithms=agents, env=env), learner


def train(
    *,
    num_players: int = 2,
    rounds: int = 20,
    games: int = 8,
    updates: int = 16,
    minibatch: int = 256,
    kept: int = 100_000,
    explore: float = 0.1,
    width: int = 128,
    learning_rate: float = 1e-3,
    seed: int = 0,
) -> Iterator[tuple[DQN, CollectStats, float]]:
    """Train by self-play; after each round the learner, what was played and the mean loss.

    Args:
        num_players: 2 to 4.
        rounds: how many; 1 or more.
        games: played in each round, one in each slot.
        updates: steps of the optimiser in each round, for each agent.
        minibatch: decisions for each update, of all agents.
        kept: decisions that the buffer holds, shared out among the slots.
        explore: the share of decisions made at random.
        width: of the two hidden layers.
        learning_rate: Adam's.
        seed: of games, exploration and weights.
    """
    torch.manual_seed(seed)
    np.random.seed(seed)  # Tianshou explores and samples by NumPy's global stream
    slots = DummyVectorEnv([lambda: make_env(num_players) for _ in range(games)])
    slots.seed(seed)
    algorithm, learner = make_algorithm(make_env(num_players), width, learning_rate, explore)
    buffer = VectorReplayBuffer(kept, games)
    collector = Collector(algorithm, slots, buffer, exploration_noise=True)
    collector.reset()
    for _ in range(rounds):
        with policy_within_training_step(algorithm.policy):
            played = collector.collect(n_episode=games)
            losses = [
                loss
                for _ in range(updates)
                for loss in algorithm.update(buffer, minibatch).get_loss_stats_dict().values()
            ]
        yield learner, played, float(np.mean(losses))


def main() -> None:
    """Train and print a line for each round."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--players", type=int, default=2, choices=(2, 3, 4))
    parser.add_argument("--rounds", type=whole(1), default=20)
    parser.add_argument("--games", type=whole(1), default=8, help="for each round")
    parser.add_argument("--seed", type=whole(0), default=0)
    asked = parser.parse_args()
    runs = train(num_players=asked.players, rounds=asked.rounds, games=asked.games, seed=asked.seed)
    for number, (_, played, loss) in enumerate(runs, 1):
        decisions, games = played.n_collected_steps, played.n_collected_episodes
        print(f"round {number}: {decisions} decisions, {games} games ended, loss {loss:.4f}")


if __name__ == "__main__":
    main()

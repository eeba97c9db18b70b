"""RLlib: PPO by self-play, one policy for all seats, masks on, on one machine or many.

python -m interop.rllib_ppo --iterations 10
python -m interop.rllib_ppo --iterations 10 --address auto --runners 8    # a running Ray cluster
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from gymnasium import spaces

from hemlock_env import hemlock_v0
from interop import missing, whole

try:
    import ray
    from pettingzoo.utils import BaseWrapper
    from ray.rllib.algorithms.ppo import PPO, PPOConfig
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
    from ray.rllib.core.rl_module.apis import ValueFunctionAPI
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from ray.tune.registry import register_env
    from torch import Tensor, nn
except ImportError as error:
    raise missing(error, "interop.rllib_ppo") from None

ENVIRONMENT = "hemlock_v0"
POLICY = "everyone"  # the one policy's id
BARRED = -1e9  # the logit of an illegal action: finite, so that no entropy is nan


class MaskedObservations(BaseWrapper):  # type: ignore[misc]
    """Observations as RLlib's modules name them: `observations` and `action_mask`, both float32.

    An agent that doesn't decide, or whose game is over, gets a mask of ones: RLlib evaluates its
    last observation too, and without a legal action there is no distribution.
    """

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._spaces = {
            agent: spaces.Dict(
                {
                    "observations": env.observation_space(agent)["observation"],
                    "action_mask": spaces.Box(0, 1, (env.action_space(agent).n,), np.float32),
                }
            )
            for agent in env.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Dict:
        """The agent's observations; the same object at every call."""
        return self._spaces[agent]

    def observe(self, agent: str) -> dict[str, Any]:
        """As the class says."""
        seen = super().observe(agent)
        mask = seen["action_mask"].astype(np.float32)
        return {
            "observations": seen["observation"],
            "action_mask": mask if mask.any() else np.ones_like(mask),
        }


class MaskedModule(TorchRLModule, ValueFunctionAPI):  # type: ignore[misc]
    """Policy and value of an observation, each with one hidden layer; illegal actions barred."""

    def setup(self) -> None:
        """Make the networks; `model_config["width"]` is that of the hidden layers."""
        features = self.observation_space["observations"].shape[0]
        width = self.model_config["width"]
        self.policy = nn.Sequential(
            nn.Linear(features, width), nn.ReLU(), nn.Linear(width, int(self.action_space.n))
        )
        self.value = nn.Sequential(nn.Linear(features, width), nn.ReLU(), nn.Linear(width, 1))

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Tensor]:
        seen = batch[Columns.OBS]
        logits = self.policy(seen["observations"])
        barred = seen["action_mask"] == 0
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(barred, BARRED)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:
        """The expected reward of whoever sees each observation."""
        return self.value(batch[Columns.OBS]["observations"]).squeeze(-1)


def make_env(options: dict[str, Any]) -> PettingZooEnv:
    """The environment for RLlib; an illegal action raises, so masks that fail are seen.

    Args:
        options: those of `hemlock_v0.env`.
    """
    return PettingZooEnv(MaskedObservations(hemlock_v0.raw_env(observation="float", **options)))


def _policy_of(agent: str, episode: Any, **_: Any) -> str:
    return POLICY


def settings(
    *,
    num_players: int = 2,
    runners: int = 1,
    decisions: int = 2048,
    epochs: int = 4,
    minibatch: int = 256,
    width: int = 128,
    learning_rate: float = 3e-4,
    seed: int = 0,
) -> PPOConfig:
    """PPO's settings for self-play.

    Args:
        num_players: 2 to 4.
        runners: processes that play, one CPU each; 0 plays in the trainer's own process.
        decisions: played for each update, by all runners and seats together.
        epochs: passes over them.
        minibatch: decisions for each step of the optimiser.
        width: of the hidden layers.
        learning_rate: Adam's.
        seed: of weights and runners.
    """
    register_env(ENVIRONMENT, make_env)
    return (
        PPOConfig()
        # RLlib's own check of environments samples without masks.
        .environment(
            ENVIRONMENT, env_config={"num_players": num_players}, disable_env_checking=True
        )
        .multi_agent(policies={POLICY}, policy_mapping_fn=_policy_of)
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={
                    POLICY: RLModuleSpec(module_class=MaskedModule, model_config={"width": width})
                }
            )
        )
        .env_runners(num_env_runners=runners, num_cpus_per_env_runner=1)
        # A runner that is lost with its machine is started anew as soon as there is room for it.
        .fault_tolerance(restart_failed_env_runners=True)
        .training(
            train_batch_size_per_learner=decisions,
            num_epochs=epochs,
            minibatch_size=minibatch,
            lr=learning_rate,
            gamma=1.0,
            lambda_=0.95,
            entropy_coeff=0.01,
            clip_param=0.2,
            grad_clip=0.5,
            grad_clip_by="global_norm",
            use_kl_loss=False,  # an action of no probability makes it infinite
        )
        .debugging(seed=seed, log_level="ERROR")
    )


def train(config: PPOConfig, iterations: int) -> Iterator[tuple[PPO, dict[str, Any]]]:
    """Train by self-play; after each iteration the algorithm and RLlib's results of it.

    `ray.init` comes before it if the work is for a cluster.
    """
    algorithm = config.build_algo()
    try:
        for _ in range(iterations):
            yield algorithm, algorithm.train()
    finally:
        algorithm.stop()


def main() -> None:
    """Train and print a line for each iteration."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--players", type=int, default=2, choices=(2, 3, 4))
    parser.add_argument("--iterations", type=whole(1), default=10)
    parser.add_argument("--decisions", type=whole(1), default=2048, help="for each iteration")
    parser.add_argument("--runners", type=whole(0), default=1, help="processes that play")
    parser.add_argument(
        "--address", default="local", help="a Ray cluster's; 'auto': the one running here"
    )
    parser.add_argument("--seed", type=whole(0), default=0)
    asked = parser.parse_args()
    ray.init(address=asked.address, log_to_driver=False, include_dashboard=False)
    cpus = int(ray.cluster_resources().get("CPU", 0))
    if asked.runners > cpus:  # RLlib would wait for more without a word
        parser.error(f"--runners {asked.runners}: each needs a CPU, and Ray has {cpus}")
    config = settings(
        num_players=asked.players,
        runners=asked.runners,
        decisions=asked.decisions,
        seed=asked.seed,
    )
    for algorithm, results in train(config, asked.iterations):
        played, learned = results["env_runners"], results["learners"][POLICY]
        print(
            f"iteration {algorithm.iteration}: {played['num_env_steps_sampled']} decisions, "
            f"{int(played.get('num_episodes', 0))} games ended, loss {learned['total_loss']:.4f}, "
            f"{algorithm.env_runner_group.num_healthy_remote_workers()} runners"
        )
    ray.shutdown()


if __name__ == "__main__":
    main()

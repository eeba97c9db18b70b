"""TorchRL: PPO by self-play, one network for all seats, masks on.

    python -m interop.torchrl_ppo --updates 20

TorchRL records every agent at every decision, whoever makes it. So each agent has a whole game to
estimate advantages from: its value is learned at all decisions, its policy at its own.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from hemlock_env import hemlock_v0
from interop import missing, whole

try:
    from tensordict import TensorDictBase
    from tensordict.nn import TensorDictModule
    from torchrl.collectors import Collector
    from torchrl.envs import PettingZooWrapper
    from torchrl.modules import MaskedCategorical, ProbabilisticActor
    from torchrl.objectives import ClipPPOLoss
    from torchrl.objectives.utils import ValueEstimators
except ImportError as error:
    raise missing(error, "interop.torchrl_ppo") from None

GROUP = "players"  # one group: its tensors have a row for each seat
OBSERVATION = (GROUP, "observation", "observation")
VALUE = (GROUP, "state_value")
ENTROPY_SHARE = 0.01
CLIP_NORM = 0.5


def make_env(num_players: int = 2, seed: int | None = None, **options: Any) -> PettingZooWrapper:
    """The environment for TorchRL; an illegal action raises, so masks that fail are seen.

    Args:
        num_players: 2 to 4.
        seed: of the first game, which fixes those that follow; None draws it.
        options: the others of `hemlock_v0.env`.
    """
    env = hemlock_v0.raw_env(num_players, observation="float", **options)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PettingZoo in TorchRL is tested using")
        return PettingZooWrapper(
            env,
            group_map={GROUP: env.possible_agents},
            use_mask=True,
            categorical_actions=True,
            seed=seed,
        )


def make_networks(env: PettingZooWrapper, width: int) -> tuple[ProbabilisticActor, Any]:
    """The policy and the value of a seat's observation, the same for all seats."""
    features = env.observation_spec[OBSERVATION].shape[-1]
    actions = env.observation_spec[GROUP, "action_mask"].shape[-1]
    policy = nn.Sequential(nn.Linear(features, width), nn.ReLU(), nn.Linear(width, actions))
    value = nn.Sequential(nn.Linear(features, width), nn.ReLU(), nn.Linear(width, 1))
    actor = ProbabilisticActor(
        TensorDictModule(policy, in_keys=[OBSERVATION], out_keys=[(GROUP, "logits")]),
        in_keys={"logits": (GROUP, "logits"), "mask": (GROUP, "action_mask")},
        out_keys=[(GROUP, "action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=(GROUP, "sample_log_prob"),
    )
    return actor, TensorDictModule(value, in_keys=[OBSERVATION], out_keys=[VALUE])


def make_loss(actor: ProbabilisticActor, critic: Any) -> ClipPPOLoss:
    """PPO's loss, unreduced, with advantages by agent from the rewards of the whole game."""
    loss = ClipPPOLoss(actor, critic, entropy_coeff=ENTROPY_SHARE, reduction="none")
    loss.set_keys(
        action=(GROUP, "action"),
        sample_log_prob=(GROUP, "sample_log_prob"),
        value=VALUE,
        reward=(GROUP, "reward"),
        done=(GROUP, "done"),
        terminated=(GROUP, "terminated"),
        advantage=(GROUP, "advantage"),
        value_target=(GROUP, "value_target"),
    )
    loss.make_value_estimator(ValueEstimators.GAE, gamma=1.0, lmbda=0.95)
    return loss


def total_loss(loss: ClipPPOLoss, batch: TensorDictBase) -> Tensor:
    """The scalar to minimise: policy and entropy where an agent decided, its value everywhere."""
    parts, acted = loss(batch), batch[GROUP, "mask"]

    def own(part: Tensor) -> Tensor:
        return part.reshape(acted.shape)[acted].mean()

    policy = own(parts["loss_objective"]) + own(parts["loss_entropy"])
    return policy + parts["loss_critic"].mean()


def train(
    *,
    num_players: int = 2,
    updates: int = 20,
    decisions: int = 1024,
    epochs: int = 4,
    minibatch: int = 256,
    width: int = 128,
    learning_rate: float = 3e-4,
    seed: int = 0,
) -> Iterator[tuple[ProbabilisticActor, TensorDictBase, float]]:
    """Train by self-play; after each update the policy, what it played and the mean loss.

    Args:
        num_players: 2 to 4.
        updates: how many; 1 or more.
        decisions: played for each update, by all seats together; 2 or more.
        epochs: passes over them.
        minibatch: decisions for each step of the optimiser.
        width: of the one hidden layer.
        learning_rate: Adam's.
        seed: fixes games and weights.
    """
    torch.manual_seed(seed)
    env = make_env(num_players, seed)
    actor, critic = make_networks(env, width)
    loss = make_loss(actor, critic)
    optimiser = torch.optim.Adam(loss.parameters(), learning_rate)
    collector = Collector(
        env,
        actor,
        frames_per_batch=decisions,
        total_frames=updates * decisions,
        auto_register_policy_transforms=False,
    )
    try:
        for batch in collector:
            with torch.no_grad():
                loss.value_estimator(batch)
            own = batch[GROUP, "advantage"][batch[GROUP, "mask"]]
            batch[GROUP, "advantage"] = (batch[GROUP, "advantage"] - own.mean()) / (
                own.std() + 1e-8
            )
            losses = []
            for _ in range(epochs):
                for rows in torch.randperm(len(batch)).split(minibatch):
                    value = total_loss(loss, batch[rows])
                    optimiser.zero_grad()
                    value.backward()
                    nn.utils.clip_grad_norm_(loss.parameters(), CLIP_NORM)
                    optimiser.step()
                    losses.append(value.item())
            yield actor, batch, sum(losses) / len(losses)
    finally:
        collector.shutdown()


def main() -> None:
    """Train and print a line for each update."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--players", type=int, default=2, choices=(2, 3, 4))
    parser.add_argument("--updates", type=whole(1), default=20)
    parser.add_argument("--decisions", type=whole(2), default=1024, help="for each update")
    parser.add_argument("--seed", type=whole(0), default=0)
    asked = parser.parse_args()
    runs = train(
        num_players=asked.players, updates=asked.updates, decisions=asked.decisions, seed=asked.seed
    )
    for number, (_, batch, loss) in enumerate(runs, 1):
        games = int(batch["next", "done"].sum())
        print(f"update {number}: {len(batch)} decisions, {games} games ended, loss {loss:.4f}")


if __name__ == "__main__":
    main()

"""MaskablePPO of sb3-contrib by self-play: one learner a game, against its newest and older selves.

Run folder and checkpoint are those of every trainer, so `ckpt:` plays what comes out of it.
docs/sb3.md says more.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from hemlock_env.envs.opponents import PolicyPool
from hemlock_env.envs.sb3 import HemlockVecEnv
from hemlock_env.game.keys import mix_keys, spread_seeds
from hemlock_env.game.tensor import layout_for
from hemlock_env.learning import checkpoint
from hemlock_env.learning.checkpoint import State
from hemlock_env.learning.config import ConfigError, Settings
from hemlock_env.learning.trainer import Trainer
from hemlock_env.network.checkpoint import weight_shapes
from hemlock_env.network.encoder import FeatureEncoder, select_features
from hemlock_env.network.policy import Policy

# Keys that MaskablePPO has no use for: refused unless left as they are.
UNUSED = (
    *("processes", "random_start_steps", "margin_until", "kl_coef", "privileged_critic"),
    *("ema_decay", "precision"),
)


# ---- Policy ----


class Trunk(BaseFeaturesExtractor):
    """Scales the inputs; linear layers with ReLU, the first normed, shared by actions and value."""

    input_scale: torch.Tensor

    def __init__(
        self, observation_space: spaces.Box, scale: NDArray[np.float32], hidden: tuple[int, ...]
    ) -> None:
        super().__init__(observation_space, hidden[-1])
        self.register_buffer("input_scale", torch.tensor(scale))
        sizes = [len(scale), *hidden]
        self.layers = nn.ModuleList(
            nn.Linear(size, width) for size, width in itertools.pairwise(sizes)
        )
        self.norm = nn.LayerNorm(hidden[0])

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """(n, inputs) to (n, last width)."""
        x = observations / self.input_scale
        for number, layer in enumerate(self.layers):
            x = layer(x) if number else self.norm(layer(x))
            x = torch.relu(x)
        return x


class HemlockPolicy(MaskableActorCriticPolicy):
    """A policy that a checkpoint can hold: a trunk, then one layer for actions and value."""

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        # Rewards are within -1..1.
        self.value_net = nn.Sequential(self.value_net, nn.Tanh())  # type: ignore[assignment]

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """The weights by the names of a checkpoint."""
        state, heads = self.state_dict(), ("action_net", "value_net.0")
        trunk = "features_extractor."
        found = {"input_scale": state[f"{trunk}input_scale"]}
        for number in range(len(self.features_extractor.layers)):  # type: ignore[arg-type]
            for kind in ("weight", "bias"):
                found[f"trunk.{number}.{kind}"] = state[f"{trunk}layers.{number}.{kind}"]
        for kind in ("weight", "bias"):
            found[f"norm.{kind}"] = state[f"{trunk}norm.{kind}"]
            rows = [state[f"{head}.{kind}"] for head in heads]
            unused = torch.zeros_like(rows[-1])  # the other trainer's second value, the margin
            found[f"head.{kind}"] = torch.cat([*rows, unused])
        return {name: weight.cpu().numpy().copy() for name, weight in found.items()}


# ---- Trainer ----


class MaskablePPOTrainer(Trainer):
    """A run's model, games, pool and counters; the run is one `update` after the other.

    Raises:
        ConfigError: there is something in the settings that MaskablePPO has no use for.
    """

    def __init__(self, settings: Settings) -> None:
        check_unused(settings)
        layout = layout_for(settings.cards, settings.options.num_players)
        live = select_features(settings.cards, settings.options)
        super().__init__(settings, FeatureEncoder(layout, live))
        self.pool = PolicyPool(
            self._first_policy(),
            settings.options.num_players,
            1.0 - settings.pool_share,
            settings.pool_size,
        )
        self.venv = HemlockVecEnv(
            settings.num_envs,
            opponent=self.pool,
            observation=self.encoder,
            margin_share=settings.margin_share,
            margin_scale=settings.margin_scale,
            **settings.batch_options,
        )
        self.model = self._make_model()
        self._begin_games()
        self.model.set_logger(Logger(folder=None, output_formats=[]))
        self.pool.replace_newest(self.policy(), keep=False)

    def _make_model(self) -> MaskablePPO:
        settings = self.settings
        trunk = {"scale": self.encoder.scale, "hidden": settings.hidden_sizes}
        return MaskablePPO(
            HemlockPolicy,
            self.venv,
            learning_rate=lambda _: self.annealed(self.progress)["learning_rate"],
            n_steps=settings.num_steps,
            batch_size=settings.minibatch_size,
            n_epochs=settings.update_epochs,
            gamma=1.0,  # a game has an end, and only the end counts
            gae_lambda=settings.gae_lambda,
            clip_range=settings.clip_coef,
            vf_coef=settings.vf_coef,
            max_grad_norm=settings.max_grad_norm,
            policy_kwargs={
                "features_extractor_class": Trunk,
                "features_extractor_kwargs": trunk,
                "net_arch": [],
            },
            device="cpu",
        )

    def update(self) -> dict[str, float]:
        """One rollout against the pool and the learning from it; the metrics of both."""
        begun, settings = time.perf_counter(), self.settings
        timesteps, games = self.venv.decisions, self.venv.games
        schedules = self.annealed(self.progress)
        self.model.ent_coef = schedules["ent_coef"]
        learned = settings.num_steps * settings.num_envs
        self.model.learn(
            learned,
            log_interval=None,  # type: ignore[arg-type]
            reset_num_timesteps=False,
        )
        played, before = self.venv.decisions - timesteps, self.num_timesteps
        self.num_timesteps += played
        due = self.num_timesteps // settings.pool_freq > before // settings.pool_freq
        self.pool.replace_newest(self.policy(), keep=due)
        took = time.perf_counter() - begun
        counted = self.count(played, learned, self.venv.games - games, took)
        return {**counted, **self._logged(), **schedules}

    def _logged(self) -> dict[str, float]:
        """What MaskablePPO logged of its update, under the names of metrics.csv.

        It tells only the mean entropy: this is over the mean log of the legal actions.
        """
        logged = self.model.logger.name_to_value
        legal = self.model.rollout_buffer.action_masks.sum(axis=-1)
        most = float(np.log(np.maximum(legal, 2)).mean())
        same = ("value_loss", "approx_kl", "clip_fraction", "explained_variance")
        return {
            "normalized_entropy": -logged["train/entropy_loss"] / most,
            "policy_loss": logged["train/policy_gradient_loss"],
            **{name: logged[f"train/{name}"] for name in same},
        }

    def weights(self) -> State:
        """The model's weights, by the names of a checkpoint."""
        policy = self.model.policy
        assert isinstance(policy, HemlockPolicy)
        return {**policy.arrays(), "live": self.encoder.feature_index}

    def _first_policy(self) -> Policy:
        """What holds the opponents' place until there is a model."""
        meta = self.meta()
        shapes = weight_shapes(meta["network"])
        weights: State = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
        weights |= {"input_scale": self.encoder.scale, "live": self.encoder.feature_index}
        return Policy(weights, meta)

    # ---- state ----

    def state_dict(self) -> State:
        """Weights, optimizer, pool and counters; the games of a resumed run begin anew."""
        state: State = {
            **self.counters(),
            **checkpoint.weights_state(self.model.policy, self.model.policy.optimizer),
        }
        for number, policy in enumerate(self.pool.older):
            for name, array in policy.weights.items():
                state[f"pool.{number}.{name}"] = array
        return {name: np.asarray(array, order="C") for name, array in state.items()}

    def load_state_dict(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Bring a fresh trainer to where `state` was taken; its games are new ones, else it would
        play those of the beginning of the run again.
        """
        checkpoint.check_arrays(self.state_dict(), state)
        self.load_counters(state)
        checkpoint.load_weights(self.model.policy, self.model.policy.optimizer, state)
        pool: dict[int, State] = {}
        for name, array in state.items():
            if name.startswith("pool."):
                _, number, weight = name.split(".", 2)
                pool.setdefault(int(number), {})[weight] = array
        meta = self.meta()
        self.pool.older = [Policy(pool[number], meta) for number in sorted(pool)]
        self.pool.replace_newest(self.policy(), keep=False)
        self._begin_games()

    def _begin_games(self) -> None:
        """Seeds for all that is drawn from here on, which no other seed and no other time has."""
        key = mix_keys(self.settings.seed, self.num_timesteps)
        model, *games = spread_seeds(key, 1 + self.venv.num_envs)
        self.model.set_random_seed(model % 2**32)  # the games too: neighbours, so they get others
        self.venv.seed(games)


def check_unused(settings: Settings) -> None:
    """ConfigError where a key is set that MaskablePPO has no use for."""
    plain = Settings()
    for name in UNUSED:
        if getattr(settings, name) != getattr(plain, name):
            raise ConfigError(f"{name}: MaskablePPO has no use for it: leave it out")

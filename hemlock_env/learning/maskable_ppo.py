"""MaskablePPO of sb3-contrib by self-play: one learner a game, against its newest and older selves.

    python -m training.maskable_ppo configs/maskable_ppo.toml [--resume] [--run DIR]
        [--set key=value ...]

Run folder and checkpoint are those of `training.ppo`, so `ckpt:` plays what comes out of it.
docs/sb3.md says more.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from rich.console import Console
from torch import nn

from hemlock_env.game.tensor import layout_for
from hemlock_env.learning import checkpoint
from hemlock_env.learning.config import ConfigError, Settings, read_settings
from hemlock_env.learning.ppo import check_opponents, explain, run
from hemlock_env.network.checkpoint import (
    CheckpointError,
    describe,
    find_checkpoint,
    read_file,
    read_meta,
    safetensors_from,
    save_policy,
    weight_shapes,
)
from hemlock_env.network.encoder import FeatureEncoder, select_features
from hemlock_env.network.policy import Policy

try:
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.logger import Logger
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

    from hemlock_env.envs.sb3 import HemlockVecEnv, PolicyPool
except ImportError as error:
    raise SystemExit(
        f"{error}: training.maskable_ppo needs the extra 'train': pip install '.[train]'"
    ) from None

# Keys of hemlock_env.learning.ppo that MaskablePPO has no use for: refused unless left as they are.
UNUSED = (
    *("processes", "scatter", "margin_until", "kl_share", "full_critic"),
    *("average", "precision"),
)


# ---- Settings ----


def read_config(file: Path, changes: Sequence[str] = ()) -> Settings:
    """Settings of `training.ppo`; ConfigError too for what MaskablePPO has no use for."""
    settings, plain = read_settings(file, changes), Settings()
    for name in UNUSED:
        if getattr(settings, name) != getattr(plain, name):
            raise ConfigError(f"{file}: {name}: MaskablePPO has no use for it: leave it out")
    return settings


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
            nn.Linear(size, wide) for size, wide in itertools.pairwise(sizes)
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


class Trainer:
    """A run's model, games, pool and counters; the run is one `update` after the other."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.decisions = self.games = 0
        self.seconds = 0.0  # of training, evaluation not counted
        layout = layout_for(settings.cards, settings.options.num_players)
        self.inputs = FeatureEncoder(layout, select_features(settings.cards, settings.options))
        kind = {"scale": self.inputs.scale, "hidden": settings.hidden}
        self.pool = PolicyPool(
            self._first_policy(),
            settings.options.num_players,
            1.0 - settings.pool_share,
            settings.pool_size,
        )
        self.venv = HemlockVecEnv(
            settings.games,
            opponent=self.pool,
            observation=self.inputs,
            margin_share=settings.margin_share,
            margin_scale=settings.margin_scale,
            seed=settings.seed % 2**62,
            **settings.batch_options,
        )
        self.model = MaskablePPO(
            HemlockPolicy,
            self.venv,
            learning_rate=lambda _: settings.learning_rate * (1.0 - self.progress),
            n_steps=settings.steps,
            batch_size=settings.minibatch,
            n_epochs=settings.epochs,
            gamma=1.0,  # a game has an end, and only the end counts
            gae_lambda=settings.gae_lambda,
            clip_range=settings.clip,
            vf_coef=settings.value_share,
            max_grad_norm=settings.max_gradient,
            policy_kwargs={
                "features_extractor_class": Trunk,
                "features_extractor_kwargs": kind,
                "net_arch": [],
            },
            seed=settings.seed % 2**32,
            device="cpu",
        )
        self.model.set_logger(Logger(folder=None, output_formats=[]))
        self.pool.replace_newest(self.policy(), keep=False)

    @property
    def progress(self) -> float:
        """How much of the run is done, 0 to 1: by decisions, or by time where that is further."""
        done = self.decisions / self.settings.total_decisions
        if self.settings.max_minutes:
            done = max(done, self.seconds / 60.0 / self.settings.max_minutes)
        return min(done, 1.0)

    def update(self) -> dict[str, float]:
        """One rollout against the pool and the learning from it; the metrics of both."""
        begun, settings = time.perf_counter(), self.settings
        decisions, games = self.venv.decisions, self.venv.games
        left = 1.0 - self.progress
        rate = settings.learning_rate * left
        weight = settings.entropy_end + (settings.entropy - settings.entropy_end) * left
        self.model.ent_coef = weight
        self.model.learn(
            settings.steps * settings.games,
            log_interval=None,  # type: ignore[arg-type]
            reset_num_timesteps=False,
        )
        played, ended = self.venv.decisions - decisions, self.venv.games - games
        due = (
            self.decisions + played
        ) // settings.pool_every > self.decisions // settings.pool_every
        self.decisions += played
        self.games += ended
        self.pool.replace_newest(self.policy(), keep=due)
        took = time.perf_counter() - begun
        self.seconds += took
        return {
            "decisions": self.decisions,
            "minutes": self.seconds / 60.0,
            "speed": played / took,
            "learned": settings.steps * settings.games / took,
            "games": self.games,
            "game_length": played / max(ended, 1),
            **self._logged(),
            "learning_rate": rate,
            "entropy_weight": weight,
        }

    def _logged(self) -> dict[str, float]:
        """What MaskablePPO said of its update, under the names of metrics.csv.

        It tells only the mean entropy: this is over the mean log of the legal actions.
        """
        said = self.model.logger.name_to_value
        legal = self.model.rollout_buffer.action_masks.sum(axis=-1)
        most = float(np.log(np.maximum(legal, 2)).mean())
        return {
            "entropy": -said["train/entropy_loss"] / most,
            "policy_loss": said["train/policy_gradient_loss"],
            "value_loss": said["train/value_loss"],
            "kl": said["train/approx_kl"],
            "clipped": said["train/clip_fraction"],
            "explained": said["train/explained_variance"],
        }

    def weights(self) -> dict[str, NDArray[Any]]:
        """As a checkpoint holds them."""
        policy = self.model.policy
        assert isinstance(policy, HemlockPolicy)
        return {**policy.arrays(), "live": self.inputs.feature_index}

    def meta(self) -> dict[str, Any]:
        """What the checkpoint says about itself."""
        settings = self.settings
        about = describe(settings.cards, settings.options, settings.hidden, len(self.inputs))
        return {**about, "decisions": self.decisions, "minutes": round(self.seconds / 60.0, 3)}

    def policy(self) -> Policy:
        """The policy as it would be saved now."""
        return Policy(self.weights(), self.meta())

    def _first_policy(self) -> Policy:
        """What holds the rivals' place until there is a model."""
        meta = self.meta()
        shapes = weight_shapes(meta["network"])
        weights: dict[str, NDArray[Any]] = {
            name: np.zeros(shape, np.float32) for name, shape in shapes.items()
        }
        return Policy(
            {**weights, "input_scale": self.inputs.scale, "live": self.inputs.feature_index}, meta
        )


# ---- Saving and going on ----


def save(folder: Path, trainer: Trainer) -> None:
    """The checkpoint of a run, in place of the one before."""
    state = safetensors.numpy.save(pack(trainer))
    files = {checkpoint.TRAINER: state}
    save_policy(folder / checkpoint.CHECKPOINT, trainer.weights(), trainer.meta(), files)


def pack(trainer: Trainer) -> dict[str, NDArray[Any]]:
    """What a run goes on from: weights, optimiser, pool and counters; its games begin anew."""
    arrays: dict[str, NDArray[Any]] = {
        "counters": np.array([trainer.decisions, trainer.games], np.int64),
        "seconds": np.array(trainer.seconds, np.float64),
    }
    adam = trainer.model.policy.optimizer.state
    for name, weight in trainer.model.policy.named_parameters():
        arrays[f"weight.{name}"] = weight.detach().numpy()
        for key in ("step", "exp_avg", "exp_avg_sq"):
            if weight in adam:
                arrays[f"adam.{name}.{key}"] = adam[weight][key].numpy()
    for number, policy in enumerate(trainer.pool.older):
        for name, array in policy.weights.items():
            arrays[f"pool.{number}.{name}"] = array
    return {name: np.asarray(array, order="C") for name, array in arrays.items()}


def resume(folder: Path, trainer: Trainer) -> None:
    """Go on where the run in this folder was saved last; CheckpointError if that can't be."""
    checkpoint.check(folder, trainer.settings)
    found = find_checkpoint(folder / checkpoint.CHECKPOINT)
    checkpoint.check_policy(found, trainer.settings, trainer.inputs.feature_index)
    data = read_file(found, checkpoint.TRAINER, read_meta(found))
    arrays = safetensors_from(found / checkpoint.TRAINER, data)
    try:
        unpack(trainer, arrays)
    except KeyError as error:
        raise CheckpointError(
            f"{found / checkpoint.TRAINER}: {error} is missing: not a run of maskable_ppo"
        ) from None
    # Else it would play the games from the beginning of the run again.
    trainer.model.set_random_seed((trainer.settings.seed + trainer.decisions) % 2**32)


def unpack(trainer: Trainer, arrays: dict[str, NDArray[Any]]) -> None:
    """Bring a fresh trainer of the same settings to where `arrays` was packed."""
    counters = (int(number) for number in arrays["counters"])
    trainer.decisions, trainer.games = counters
    trainer.seconds = float(arrays["seconds"])
    policy, adam = trainer.model.policy, {}
    with torch.no_grad():
        for number, (name, weight) in enumerate(policy.named_parameters()):
            weight.copy_(torch.from_numpy(arrays[f"weight.{name}"].copy()))
            keys = ("step", "exp_avg", "exp_avg_sq")
            if f"adam.{name}.step" in arrays:
                adam[number] = {
                    key: torch.from_numpy(arrays[f"adam.{name}.{key}"].copy()) for key in keys
                }
    groups = policy.optimizer.state_dict()["param_groups"]
    policy.optimizer.load_state_dict({"state": adam, "param_groups": groups})
    meta = trainer.meta()
    names = sorted({name.split(".")[1] for name in arrays if name.startswith("pool.")}, key=int)
    trainer.pool.older = [
        Policy(
            {
                key.removeprefix(f"pool.{number}."): array
                for key, array in arrays.items()
                if key.startswith(f"pool.{number}.")
            },
            meta,
        )
        for number in names
    ]
    trainer.pool.replace_newest(trainer.policy(), keep=False)


# ---- Run ----


def train(
    settings: Settings, folder: Path, go_on: bool = False, console: Console | None = None
) -> int:
    """A run, new or resumed, to its end; the exit code."""
    torch.set_num_threads(1)
    console = console or Console()
    trainer = Trainer(settings)
    if go_on:
        resume(folder, trainer)
    else:
        earlier = checkpoint.begin(folder, settings)
        if earlier:
            console.print(f"the earlier run is now in {earlier}", markup=False, highlight=False)
    return run(trainer, folder, console, save)  # type: ignore[arg-type]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training.maskable_ppo")
    parser.add_argument("config", type=Path, help="a TOML file such as configs/maskable_ppo.toml")
    parser.add_argument("--resume", action="store_true", help="go on from the last save")
    parser.add_argument("--run", type=Path, help="run folder; runs/NAME for a config NAME.toml")
    parser.add_argument("--set", nargs="+", action="extend", default=[], metavar="KEY=VALUE")
    given = parser.parse_args(arguments)
    folder = given.run or Path("runs") / given.config.stem
    try:
        settings = read_config(given.config, given.set)
        check_opponents(settings)
        return train(settings, folder, given.resume)
    except (ConfigError, CheckpointError) as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(explain(error, folder), file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

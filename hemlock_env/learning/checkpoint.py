"""The folder of a run: config and checkpoint, written whole or not at all, and read with suspicion.

A checkpoint is what `hemlock_env.network.policy` reads, and beside it `trainer.safetensors` with
the trainer's state dict. Nothing is pickled.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from hemlock_env._files import LOCK, beside, write_text
from hemlock_env.learning.config import ConfigError, Settings, differences, read_settings, to_toml
from hemlock_env.network.checkpoint import (
    CheckpointError,
    find_checkpoint,
    read_file,
    read_meta,
    safetensors_from,
    safetensors_of,
    save_policy,
)
from hemlock_env.network.encoder import FeatureEncoder
from hemlock_env.network.policy import Policy, load_policy

CONFIG, CHECKPOINT, TRAINER = "config.toml", "checkpoint", "trainer.safetensors"

State = dict[str, NDArray[Any]]
HALF = 2**64  # the random stream counts to 2^128, an array entry to 2^64


def check_free(folder: Path) -> None:
    """ConfigError where a run can't begin: what is there isn't a run's."""
    if folder.exists() and (not folder.is_dir() or (_held(folder) and not _is_run(folder))):
        raise ConfigError(f"{folder} holds something that is not a run: choose another --run")


def begin(folder: Path, settings: Settings) -> Path | None:
    """Begin a run in a folder that is claimed; where an earlier one was moved to, if there was one.

    Nobody's run is overwritten: it gets the next free number. Its config goes last, so that
    whatever a kill leaves behind is still a run.
    """
    folder.mkdir(parents=True, exist_ok=True)
    earlier, held = None, _held(folder)
    if held:
        numbers = itertools.count(1)
        places = (beside(folder, f"-{number}") for number in numbers)
        earlier = next(place for place in places if not place.exists())
        earlier.mkdir()
        for path in sorted(held, key=lambda path: path.name == CONFIG):
            path.rename(earlier / path.name)
    write_text(folder / CONFIG, to_toml(settings))
    return earlier


def _held(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name != LOCK]


def _is_run(folder: Path) -> bool:
    return (folder / CONFIG).is_file()


def save(folder: Path, policy: Policy, state: State) -> None:
    """The checkpoint of a run, in place of the one before."""
    data = safetensors_of(folder / CHECKPOINT / TRAINER, state)
    save_policy(folder / CHECKPOINT, policy.weights, policy.meta, {TRAINER: data})


def check(folder: Path, settings: Settings) -> None:
    """Is there a run of these settings to go on with? Else a CheckpointError."""
    if not _is_run(folder):
        raise CheckpointError(f"{folder}: no run to resume there: start it without --resume")
    changed = differences(settings, read_settings(folder / CONFIG))
    if changed:
        raise CheckpointError(
            f"{folder}: the run was begun with {'; '.join(changed)}: "
            "resume with the same config, or begin a new run without --resume"
        )


def load(folder: Path, settings: Settings, encoder: FeatureEncoder) -> State:
    """The state dict of the run in this folder, as it was saved last.

    Args:
        folder: of the run.
        settings: of the trainer that is to go on with it.
        encoder: what this trainer's policy sees.

    Raises:
        CheckpointError: there is none, it is damaged, or it is of another config (both values are
            named).
    """
    check(folder, settings)
    try:
        found = find_checkpoint(folder / CHECKPOINT)
    except CheckpointError:
        raise CheckpointError(
            f"{folder}: nothing was saved there yet: start it without --resume"
        ) from None
    policy = load_policy(found)
    policy.check_fits(settings.cards, settings.options)
    seen = policy.weights["live"]
    if not np.array_equal(seen, encoder.feature_index):
        raise CheckpointError(
            f"{found}: its {len(seen)} inputs are not the {len(encoder)} of this version: "
            "train anew"
        )
    return safetensors_from(found / TRAINER, read_file(found, TRAINER, read_meta(found)))


# ---- Arrays of a state dict ----


def check_arrays(expected: Mapping[str, NDArray[Any]], state: Mapping[str, NDArray[Any]]) -> None:
    """CheckpointError unless `state` has all that is expected, in its types and shapes."""
    for name, fresh in expected.items():
        found = (state[name].dtype, state[name].shape) if name in state else None
        if found != (fresh.dtype, fresh.shape):
            raise CheckpointError(
                f"{TRAINER}: {name} is {found}, this trainer has {(fresh.dtype, fresh.shape)}: "
                "train anew"
            )


def tensor(array: NDArray[Any]) -> torch.Tensor:
    """A tensor with memory of its own."""
    return torch.from_numpy(array.copy())


def weights_state(network: nn.Module, optimizer: torch.optim.Optimizer) -> State:
    """Weights, and Adam's memory of each."""
    arrays = {}
    for name, weight in network.named_parameters():
        nothing = torch.zeros_like(weight, requires_grad=False)  # before Adam's first step
        fresh = {"step": torch.tensor(0.0), "exp_avg": nothing, "exp_avg_sq": nothing}
        adam = optimizer.state.get(weight) or fresh
        arrays[f"weight.{name}"] = weight.detach().numpy()
        for key in fresh:
            arrays[f"adam.{name}.{key}"] = adam[key].numpy()
    return arrays


def load_weights(
    network: nn.Module, optimizer: torch.optim.Optimizer, state: Mapping[str, NDArray[Any]]
) -> None:
    """The inverse of `weights_state`."""
    adam = {}
    with torch.no_grad():
        for number, (name, weight) in enumerate(network.named_parameters()):
            weight.copy_(tensor(state[f"weight.{name}"]))
            keys = ("step", "exp_avg", "exp_avg_sq")
            adam[number] = {key: tensor(state[f"adam.{name}.{key}"]) for key in keys}
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": adam, "param_groups": groups})


def rng_state(rng: np.random.Generator) -> NDArray[np.uint64]:
    """Where a random stream (PCG64) stands."""
    state: Any = rng.bit_generator.state
    halves = [*divmod(state["state"]["state"], HALF), *divmod(state["state"]["inc"], HALF)]
    return np.array([*halves, state["has_uint32"], state["uinteger"]], np.uint64)


def load_rng(rng: np.random.Generator, state: NDArray[np.uint64]) -> None:
    """The inverse of `rng_state`."""
    high, low, inc_high, inc_low, has_half, half = (int(number) for number in state)
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": high * HALF + low, "inc": inc_high * HALF + inc_low},
        "has_uint32": has_half,
        "uinteger": half,
    }

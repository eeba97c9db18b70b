"""The folder of a run: config and checkpoint, written whole or not at all, and read with suspicion.

A checkpoint is what `hemlock_env.network.policy` reads (the averaged policy), and beside it
`trainer.safetensors` with all that training goes on from: weights, optimiser, games, open
decisions, random stream, counters. Nothing is pickled.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import safetensors.numpy
import torch
from numpy.typing import NDArray

from hemlock_env.learning.config import ConfigError, Settings, differences, read_settings, to_toml
from hemlock_env.network.checkpoint import (
    CheckpointError,
    find_checkpoint,
    read_file,
    read_meta,
    safetensors_from,
    save_policy,
)
from hemlock_env.network.policy import load_policy

if TYPE_CHECKING:
    from hemlock_env.learning.ppo import Trainer

CONFIG, CHECKPOINT, TRAINER = "config.toml", "checkpoint", "trainer.safetensors"

HALF = 2**64  # the random stream counts to 2^128, an array entry to 2^64


def begin(folder: Path, settings: Settings) -> Path | None:
    """Make the folder of a new run; where an earlier one was moved to, if there was one."""
    earlier = None
    if folder.exists():
        earlier = _make_room(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CONFIG).write_text(to_toml(settings), encoding="utf-8")
    return earlier


def _make_room(folder: Path) -> Path | None:
    """Nobody's run is overwritten: it gets the next free number."""
    if not folder.is_dir() or (any(folder.iterdir()) and not (folder / CONFIG).is_file()):
        raise ConfigError(f"{folder} holds something that is not a run: choose another --run")
    if not any(folder.iterdir()):
        return None
    number = 1
    while (earlier := folder.with_name(f"{folder.name}-{number}")).exists():
        number += 1
    folder.rename(earlier)
    return earlier


def save(folder: Path, trainer: Trainer) -> None:
    """The checkpoint of a run, in place of the one before."""
    state = safetensors.numpy.save(pack(trainer))
    save_policy(folder / CHECKPOINT, trainer.weights(), trainer.meta(), {TRAINER: state})


def check(folder: Path, settings: Settings) -> None:
    """Is there a run of these settings to go on with? Else a CheckpointError."""
    if not (folder / CONFIG).is_file():
        raise CheckpointError(f"{folder}: no run to resume there: start it without --resume")
    changed = differences(settings, read_settings(folder / CONFIG))
    if changed:
        raise CheckpointError(
            f"{folder}: the run was begun with {'; '.join(changed)}: "
            "resume with the same config, or begin a new run without --resume"
        )


def resume(folder: Path, trainer: Trainer) -> None:
    """Go on where the run in this folder was saved last.

    Raises:
        CheckpointError: there is none, it is damaged, or it is of another config (both values are
            named).
    """
    check(folder, trainer.settings)
    try:
        checkpoint = find_checkpoint(folder / CHECKPOINT)
    except CheckpointError:
        raise CheckpointError(
            f"{folder}: nothing was saved there yet: start it without --resume"
        ) from None
    check_policy(checkpoint, trainer.settings, trainer.inputs.feature_index)
    meta = read_meta(checkpoint)
    state = safetensors_from(checkpoint / TRAINER, read_file(checkpoint, TRAINER, meta))
    try:
        unpack(trainer, state)
        trainer.team.send("unpack", state)
    except CheckpointError as error:
        raise CheckpointError(f"{checkpoint / TRAINER}: {error}") from None


def check_policy(folder: Path, settings: Settings, live: NDArray[np.int64]) -> None:
    """CheckpointError where the policy there is for other games or sees something else."""
    policy = load_policy(folder)
    policy.check_fits(settings.cards, settings.options)
    if not np.array_equal(policy.weights["live"], live):
        found = len(policy.weights["live"])
        raise CheckpointError(
            f"{folder}: its {found} inputs are not the {len(live)} of this version: train anew"
        )


# ---- The trainer as arrays ----


def pack(trainer: Trainer) -> dict[str, NDArray[Any]]:
    """All that training goes on from, as arrays by name; of the other processes too."""
    arrays: dict[str, NDArray[Any]] = {
        "decisions": np.array(trainer.decisions, np.int64),
        "finished_games": np.array(trainer.games, np.int64),
        "seconds": np.array(trainer.seconds, np.float64),
        "pool_taken": np.array(trainer.pool.taken, np.int64),
    }
    trainer.team.send("pack")
    for part in [pack_rank(trainer), *trainer.team.receive()]:
        arrays |= part
    named = [name for name, _ in trainer.network.named_parameters()]
    weights = trainer.network.named_parameters()
    for (name, weight), average in zip(weights, trainer.average, strict=True):
        adam = trainer.optimiser.state.get(weight) or _no_adam(weight)
        arrays[f"weight.{name}"] = weight.detach().numpy()
        arrays[f"average.{name}"] = average.numpy()
        for key in ("step", "exp_avg", "exp_avg_sq"):
            arrays[f"adam.{name}.{key}"] = adam[key].numpy()
    for number, snapshot in enumerate(trainer.pool.snapshots):
        for name, frozen in zip(named, snapshot, strict=True):
            arrays[f"pool.{number}.{name}"] = frozen.numpy()
    return {name: np.asarray(array, order="C") for name, array in arrays.items()}


def pack_rank(trainer: Trainer, rank: int = 0) -> dict[str, NDArray[Any]]:
    """What one process has to itself: games, open decisions, random stream."""
    heads = slice(0, trainer.window.seats)
    stored = trainer.window.decisions()
    arrays = {f"open.{name}": np.ascontiguousarray(rows[heads]) for name, rows in stored.items()}
    arrays["rng"] = _pack_rng(trainer.rng)
    arrays["games"] = np.frombuffer(trainer.batch.games.tobytes(), np.uint8)
    return {f"{rank}.{name}": array for name, array in arrays.items()}


def _no_adam(weight: torch.Tensor) -> dict[str, torch.Tensor]:
    """Adam's memory before its first step."""
    nothing = torch.zeros_like(weight, requires_grad=False)
    return {"step": torch.tensor(0.0), "exp_avg": nothing, "exp_avg_sq": nothing}


def unpack(trainer: Trainer, arrays: dict[str, NDArray[Any]], rank: int = 0) -> None:
    """Bring a fresh trainer of the same settings to where `arrays` was packed."""
    named = [name for name, _ in trainer.network.named_parameters()]
    expected = pack(trainer) if rank == 0 else pack_rank(trainer, rank)
    for name, fresh in expected.items():
        found = (arrays[name].dtype, arrays[name].shape) if name in arrays else None
        if found != (fresh.dtype, fresh.shape):
            raise CheckpointError(
                f"{name} is {found}, this version has {(fresh.dtype, fresh.shape)}: train anew"
            )
    trainer.decisions = int(arrays["decisions"])
    trainer.games = int(arrays["finished_games"])
    trainer.seconds = float(arrays["seconds"])
    trainer.pool.taken = int(arrays["pool_taken"])
    kept = min(trainer.pool.taken, trainer.settings.pool_size)
    trainer.pool.snapshots = [
        [_tensor(arrays[f"pool.{number}.{name}"]) for name in named] for number in range(kept)
    ]
    _unpack_rng(trainer.rng, arrays[f"{rank}.rng"])
    games = arrays[f"{rank}.games"].tobytes()
    trainer.batch.restore(np.frombuffer(games, trainer.batch.games.dtype))
    heads = slice(0, trainer.window.seats)
    for name, stored in trainer.window.decisions().items():
        stored[heads] = arrays[f"{rank}.open.{name}"]
    adam = {}
    with torch.no_grad():
        for number, (name, weight) in enumerate(trainer.network.named_parameters()):
            weight.copy_(_tensor(arrays[f"weight.{name}"]))
            trainer.average[number].copy_(_tensor(arrays[f"average.{name}"]))
            keys = ("step", "exp_avg", "exp_avg_sq")
            adam[number] = {key: _tensor(arrays[f"adam.{name}.{key}"]) for key in keys}
    groups = trainer.optimiser.state_dict()["param_groups"]
    trainer.optimiser.load_state_dict({"state": adam, "param_groups": groups})


def _tensor(array: NDArray[Any]) -> torch.Tensor:
    return torch.from_numpy(array.copy())


def _pack_rng(rng: np.random.Generator) -> NDArray[np.uint64]:
    state: Any = rng.bit_generator.state
    halves = [*divmod(state["state"]["state"], HALF), *divmod(state["state"]["inc"], HALF)]
    return np.array([*halves, state["has_uint32"], state["uinteger"]], np.uint64)


def _unpack_rng(rng: np.random.Generator, packed: NDArray[np.uint64]) -> None:
    high, low, inc_high, inc_low, has_half, half = (int(number) for number in packed)
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": high * HALF + low, "inc": inc_high * HALF + inc_low},
        "has_uint32": has_half,
        "uinteger": half,
    }

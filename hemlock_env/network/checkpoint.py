"""Checkpoints: where they are found, what must be in them, how they are read and written.

A checkpoint is a folder with `policy.safetensors` (weights) and `meta.json` (what they were trained
for, and the hashes of the files beside it). Nothing in it is code: it is read as numbers and JSON.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from hemlock_env._check import Checks, shown
from hemlock_env._files import OLD, beside, read_json, shipped, write_folder
from hemlock_env._version import __version__
from hemlock_env.cards import CardSet
from hemlock_env.game.actions import action_table
from hemlock_env.game.hashes import observation_hash, rules_hash
from hemlock_env.game.options import PLAYED, PLAYED_FORM, Options
from hemlock_env.game.tensor import layout_for
from hemlock_env.network.features import FEATURES_VERSION

FORMAT = "hemlock-checkpoint/1"
WEIGHTS, META = "policy.safetensors", "meta.json"
SHIPPED = shipped("checkpoints")
CURE = "copy it again, or train anew"
LARGEST = float(np.finfo(np.float32).max)
LARGEST_SIZE = 10**6  # of a layer

# Kinds of networks: one that sees the observation; one with derived features and a normed first
# layer.
MLP, INSIGHT_MLP = "mlp", "insight_mlp"

# What meta.json must hold, and of which type, as `Checks.document` takes it.
META_FORM = {
    "format": str,
    "package": str,
    "card_set": str,
    "card_set_revision?": int,  # of a set that counts them
    "rules_hash": str,
    "observation_hash": str,
    "options": PLAYED_FORM,
    "network": {
        "kind": str,
        "hidden": [int],
        "actions": int,
        "features?": int,  # of MLP
        "inputs?": int,  # of INSIGHT_MLP, this and the next
        "insights?": int,
    },
    "decisions": int,
    "minutes": float,
    "sha256": {str: str},
}
FIELD = Checks(shape="{name}: {value} {fault}", plain=True)


class CheckpointError(ValueError):
    """A checkpoint can't be used; the message names the file or both values, and what to do."""


# ---- What a network is for ----


def describe(
    card_set: CardSet, options: Options, hidden: tuple[int, ...], inputs: int | None = None
) -> dict[str, Any]:
    """The part of meta.json that says what a network is for: a plain one, or with so many inputs an
    `insight_mlp`.
    """
    layout = layout_for(card_set, options.num_players)
    asked = options.as_dict()
    network: dict[str, Any] = {"kind": MLP, "features": layout.features}
    if inputs is not None:
        network = {"kind": INSIGHT_MLP, "insights": FEATURES_VERSION, "inputs": inputs}
    return {
        "format": FORMAT,
        "package": __version__,
        "card_set": card_set.id,
        **({} if card_set.revision is None else {"card_set_revision": card_set.revision}),
        "rules_hash": rules_hash(card_set),
        "observation_hash": observation_hash(layout),
        "options": {name: asked[name] for name in PLAYED},
        "network": {**network, "hidden": list(hidden), "actions": len(action_table(card_set))},
    }


def check_fits(meta: Mapping[str, Any], card_set: CardSet, options: Options) -> None:
    """CheckpointError, with both values, unless a network was trained for such games.

    What was trained with random sides fits any sides; who begins is no matter.
    """
    layout = layout_for(card_set, options.num_players)
    trained, asked = meta["options"], options.as_dict()
    for name in PLAYED:
        if name != "sides":
            _same(name, trained.get(name), asked[name])
    if not _sides_fit(trained.get("sides"), asked["sides"]):
        _same("sides", trained.get("sides"), asked["sides"])
    _same("rules_hash", meta["rules_hash"], rules_hash(card_set))
    _same("observation_hash", meta["observation_hash"], observation_hash(layout))
    network = meta["network"]
    if network["kind"] == INSIGHT_MLP:
        _same("insights", network["insights"], FEATURES_VERSION)
    else:
        _same("features", network["features"], layout.features)


def _same(name: str, trained: Any, asked: Any) -> None:
    if trained != asked:
        raise CheckpointError(
            f"the checkpoint is for {name}={shown(trained)}, asked for {name}={asked!r}: "
            "ask for what it was trained for, or train another"
        )


def _sides_fit(trained: Any, asked: list[str]) -> bool:
    """Does each district's side, as asked for, come up in the training games?"""
    if not isinstance(trained, list) or len(trained) != len(asked):
        return False
    return all(old in ("random", new) for old, new in zip(trained, asked, strict=True))


def weight_shapes(network: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The shape of every array of a network."""
    derived = network["kind"] == INSIGHT_MLP
    size = network["inputs" if derived else "features"]
    shapes: dict[str, tuple[int, ...]] = {"input_scale": (size,)}
    if derived:
        width = network["hidden"][0]
        shapes |= {"live": (size,), "norm.weight": (width,), "norm.bias": (width,)}
    for layer, width in enumerate(network["hidden"]):
        shapes |= {f"trunk.{layer}.bias": (width,), f"trunk.{layer}.weight": (width, size)}
        size = width
    outputs = network["actions"] + (2 if derived else 1)
    return shapes | {"head.weight": (outputs, size), "head.bias": (outputs,)}


# ---- Writing ----


def save_policy(
    folder: str | os.PathLike[str],
    weights: Mapping[str, NDArray[Any]],
    meta: Mapping[str, Any],
    others: Mapping[str, bytes] | None = None,
) -> None:
    """Write a checkpoint in place of the one before.

    At every moment there is a whole checkpoint: the new one is written beside the old, then takes
    its name.

    Args:
        folder: where; made if it isn't there.
        weights: as `Policy` takes them.
        meta: what `describe` gives, with `decisions` and `minutes`.
        others: more files for the same folder, by name.

    Raises:
        CheckpointError: a weight is NaN or infinite; nothing is written then.
    """
    files = {WEIGHTS: safetensors_of(Path(folder) / WEIGHTS, weights), **(others or {})}
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    about = json.dumps({**meta, "sha256": sums}, indent=2)
    write_folder(Path(folder), {**files, META: f"{about}\n".encode()})


def safetensors_of(file: Path, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of a safetensors file with these arrays, which must all be finite."""
    check_finite(arrays, f"{file} is not written", "what was saved before is whole")
    return safetensors.numpy.save({name: np.asarray(arrays[name], order="C") for name in arrays})


def check_finite(arrays: Mapping[str, NDArray[Any]], where: str, cure: str) -> None:
    """CheckpointError, with the first place, where a number is NaN or beyond what float32 holds."""
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not (np.abs(array) <= LARGEST).all():
            place = np.argwhere(~(np.abs(array) <= LARGEST))[0].tolist()
            raise CheckpointError(f"{where}: {name}{place} is {array[tuple(place)]}: {cure}")


# ---- Reading ----


def read_checkpoint(
    path: str | os.PathLike[str],
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Weights and meta.json of the checkpoint at `path`, see `find_checkpoint`; tried again once,
    as training may just be replacing it.

    Raises:
        CheckpointError: something is missing, damaged or unknown; the message names file and cure.
    """
    try:
        return _read(find_checkpoint(path))
    except CheckpointError:
        time.sleep(0.2)
        return _read(find_checkpoint(path))


def find_checkpoint(path: str | os.PathLike[str]) -> Path:
    """The folder that holds a checkpoint: `path` itself, the `checkpoint` in a run folder, or the
    shipped one of that name.
    """
    given = Path(path)
    homes = [home / given for home in SHIPPED] if len(given.parts) == 1 else []
    for folder in (given, given / "checkpoint", *homes):
        for candidate in (folder, beside(folder, OLD) if folder.name else folder):
            if (candidate / META).is_file():
                return candidate
    raise CheckpointError(
        f"{given}: no {META} there, nor in its folder checkpoint: give the folder of a checkpoint, "
        f"or a shipped one's name: {', '.join(shipped_checkpoints()) or 'there is none'}"
    )


def shipped_checkpoints() -> list[str]:
    """The names of the checkpoints that come with the package."""
    return sorted({meta.parent.name for home in SHIPPED for meta in home.glob(f"*/{META}")})


def _read(folder: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    meta = read_meta(folder)
    weights = safetensors_from(folder / WEIGHTS, read_file(folder, WEIGHTS, meta))
    _check_weights(folder / WEIGHTS, weights, meta["network"])
    return weights, meta


def read_meta(folder: Path) -> dict[str, Any]:
    """meta.json, with all that it must hold."""
    file = folder / META
    try:
        meta = read_json(file)
    except ValueError as error:
        raise CheckpointError(f"{error}: {CURE}") from None
    try:
        FIELD.document(meta, META_FORM, FORMAT)
        _check_network(meta["network"])
    except ValueError as error:
        raise CheckpointError(f"{file}: {error}: {CURE}") from None
    return meta


def _check_network(network: dict[str, Any]) -> None:
    kind = FIELD.one_of(network["kind"], (MLP, INSIGHT_MLP), "network.kind")
    sizes = ("actions", "features") if kind == MLP else ("actions", "inputs", "insights")
    FIELD.keys(network, ("kind", "hidden", *sizes), ("kind", "hidden", *sizes), "network")
    for name in sizes:
        FIELD.whole(network[name], 1, LARGEST_SIZE, f"network.{name}")
    if not network["hidden"]:
        FIELD.refuse([], "network.hidden", "must be the width of each layer")
    for layer, width in enumerate(network["hidden"]):
        FIELD.whole(width, 1, LARGEST_SIZE, f"network.hidden[{layer}]")


def read_file(folder: Path, name: str, meta: Mapping[str, Any]) -> bytes:
    """A file of a checkpoint, whole as it was written."""
    try:
        data = (folder / name).read_bytes()
    except OSError as error:
        raise _damaged(folder / name, str(error)) from None
    digest, expected = hashlib.sha256(data).hexdigest(), str(meta["sha256"].get(name))
    if digest != expected:
        raise _damaged(folder / name, f"its sha256 is {digest[:16]}…, {META} says {expected[:16]}…")
    return data


def safetensors_from(file: Path, data: bytes) -> dict[str, NDArray[Any]]:
    """The arrays in the bytes of a safetensors file, all finite."""
    try:
        arrays = dict(safetensors.numpy.load(data))
    except (safetensors.SafetensorError, ValueError, KeyError) as error:
        raise _damaged(file, str(error)[:200]) from None
    check_finite(arrays, f"{file} can't be used", CURE)
    return arrays


def _check_weights(file: Path, weights: dict[str, NDArray[Any]], network: dict[str, Any]) -> None:
    """Are all weights there, in the shapes that meta.json says, and numbers to reckon with?"""
    for name, shape in weight_shapes(network).items():
        if name not in weights:
            raise _damaged(file, f"{name} is missing")
        if weights[name].shape != shape:
            raise _damaged(file, f"{name} is {weights[name].shape}, {META} says {shape}")
        if weights[name].dtype.kind != ("i" if name == "live" else "f"):
            raise _damaged(file, f"{name} holds {weights[name].dtype}")
    feature_index = weights.get("live", np.zeros(0, np.int64))
    if feature_index.dtype != np.int64 or (feature_index < 0).any():
        raise _damaged(file, "live is not a list of places")
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scaled = weights["trunk.0.weight"] / weights["input_scale"]  # as `Policy` takes it
    check_finite({"trunk.0.weight / input_scale": scaled}, f"{file} can't be used", CURE)


def _damaged(file: Path, what: str) -> CheckpointError:
    return CheckpointError(f"{file} is damaged ({what}): {CURE}")

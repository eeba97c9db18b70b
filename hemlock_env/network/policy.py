"""Policy: a trained network, read from a checkpoint folder and run with NumPy alone.

A checkpoint is `policy.safetensors` (weights) and `meta.json` (what they were trained for, and the
hashes of the files beside it). Nothing in it is code: it is read as numbers and JSON.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from hemlock_env._version import __version__
from hemlock_env.cards import CardSet
from hemlock_env.game.hashes import observation_hash, rules_hash
from hemlock_env.game.options import Options, find_card_set
from hemlock_env.game.tensor import layout_for
from hemlock_env.network.encoder import FeatureEncoder
from hemlock_env.network.features import FEATURES_VERSION

FORMAT = "hemlock-checkpoint/1"
WEIGHTS, META = "policy.safetensors", "meta.json"
# Where the shipped checkpoints are: in an installed package (setup.py puts them there), and in a
# checkout.
SHIPPED = (
    Path(__file__).parents[1] / "checkpoints",
    Path(__file__).parents[2] / "checkpoints",
)
T = TypeVar("T")

NORM_EPSILON = 1e-5  # of the layer norm: PyTorch's default

OLD = ".old"  # the checkpoint before, while a new one takes its place

# What meta.json must hold, and of which type.
META_TYPES: dict[str, type | tuple[type, ...]] = {
    "format": str,
    "package": str,
    "card_set": str,
    "rules_hash": str,
    "observation_hash": str,
    "options": dict,
    "network": dict,
    "decisions": int,
    "minutes": (int, float),
    "sha256": dict,
}


class CheckpointError(ValueError):
    """A checkpoint can't be used; the message names the file or both values, and what to do."""


PLAIN, KEEN = "mlp", "insight_mlp"


class Policy:
    """A network: layers with ReLU, then a head with a logit for each action, and the value.

    There are two kinds. A plain one, `mlp`, sees the observation. An `insight_mlp` sees some of the
    entries of the observation and its derived features, its first layer is normed, and it has a
    second value, the margin, that only training uses.

    Args:
        weights: `input_scale`, `trunk.N.weight`, `trunk.N.bias`, `head.weight`, `head.bias`; an
            `insight_mlp` has also `live` (which entries it sees), `norm.weight`, `norm.bias`.
        meta: what `meta.json` holds.
    """

    def __init__(self, weights: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> None:
        self.meta = dict(meta)
        self.weights = dict(weights)
        network = self.meta["network"]
        names = [*(f"trunk.{number}" for number in range(len(network["hidden"])))]
        self.layers = [
            (
                np.ascontiguousarray(weights[f"{name}.weight"].T, np.float32),
                np.asarray(weights[f"{name}.bias"], np.float32),
            )
            for name in [*names, "head"]
        ]
        """weights (inputs, outputs) and biases of each layer; the last is the head"""
        normed = ("norm.weight", "norm.bias") if network["kind"] == KEEN else ()
        self.norm = tuple(np.asarray(weights[name], np.float32) for name in normed)
        """gain and shift of the layer norm; empty without one"""
        # Scaling the weights once does the same as scaling every input.
        first, bias = self.layers[0]
        scale = np.asarray(weights["input_scale"], np.float32)
        self.layers[0] = (first / scale[:, None], bias)
        self._live = np.asarray(weights.get("live", np.arange(len(scale))), np.int64)
        self._actions = int(network["actions"])
        self._inputs: FeatureEncoder | None = None

    @property
    def num_players(self) -> int:
        """Seats at the table it was trained for."""
        return int(self.meta["options"]["num_players"])

    def logits_and_values(
        self, observation: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Logits of all actions, legal or not, (n, actions), and expected outcomes (n,).

        Args:
            observation: of the deciding seats, int8 (n, features).
        """
        layer = self.inputs.of(observation).astype(np.float32)
        for number, (weight, bias) in enumerate(self.layers[:-1]):
            layer = layer @ weight + bias
            if number == 0 and self.norm:
                layer = _normed(layer, *self.norm)
            layer = np.maximum(layer, np.float32(0.0))
        weight, bias = self.layers[-1]
        out = layer @ weight + bias
        return out[:, : self._actions], np.tanh(out[:, self._actions])

    @property
    def inputs(self) -> FeatureEncoder:
        """How the network gets its observations."""
        if self._inputs is None:
            cards = find_card_set(self.meta["card_set"])
            self._inputs = FeatureEncoder(layout_for(cards, self.num_players), self._live)
        return self._inputs

    def digest(self) -> str:
        """Sixteen hex digits over the weights."""
        digest = hashlib.sha256()
        for name in sorted(self.weights):
            digest.update(name.encode() + np.ascontiguousarray(self.weights[name]).tobytes())
        return digest.hexdigest()[:16]

    def check_fits(self, card_set: CardSet, options: Options) -> None:
        """CheckpointError, with both values, unless it was trained for such games.

        What was trained with random sides fits any sides; who begins is no matter.
        """
        layout = layout_for(card_set, options.num_players)
        trained, asked = self.meta["options"], options.as_dict()
        for name in ("num_players", "loot", "items_as_loot", "agendas"):
            _same(name, trained.get(name), asked[name])
        if not _sides_fit(trained.get("sides"), asked["sides"]):
            _same("sides", trained.get("sides"), asked["sides"])
        _same("rules_hash", self.meta["rules_hash"], rules_hash(card_set))
        _same("observation_hash", self.meta["observation_hash"], observation_hash(layout))
        network = self.meta["network"]
        if network["kind"] == KEEN:
            _same("insights", network["insights"], FEATURES_VERSION)
        else:
            _same("features", network["features"], layout.features)
        self._inputs = FeatureEncoder(layout, self._live)


def _normed(
    layer: NDArray[np.float32], gain: NDArray[np.float32], shift: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Each row with mean 0 and variance 1, then scaled and shifted (layer norm)."""
    centred = layer - layer.mean(1, keepdims=True)
    spread = np.sqrt(np.square(centred).mean(1, keepdims=True) + np.float32(NORM_EPSILON))
    normed: NDArray[np.float32] = centred / spread * gain + shift
    return normed


def _same(name: str, trained: Any, asked: Any) -> None:
    if trained != asked:
        raise CheckpointError(
            f"the checkpoint is for {name}={trained!r}, asked for {name}={asked!r}: "
            "ask for what it was trained for, or train another"
        )


def _sides_fit(trained: Any, asked: list[str]) -> bool:
    """Does each district's side, as asked for, come up in the training games?"""
    if not isinstance(trained, list) or len(trained) != len(asked):
        return False
    return all(old in ("random", new) for old, new in zip(trained, asked, strict=True))


def describe(
    card_set: CardSet, options: Options, hidden: tuple[int, ...], inputs: int | None = None
) -> dict[str, Any]:
    """The part of meta.json that says what a network is for: a plain one, or with so many inputs an
    `insight_mlp`.
    """
    layout = layout_for(card_set, options.num_players)
    played = options.as_dict()
    del played["first_player"]
    network: dict[str, Any] = {"kind": PLAIN, "features": layout.features}
    if inputs is not None:
        network = {"kind": KEEN, "insights": FEATURES_VERSION, "inputs": inputs}
    return {
        "format": FORMAT,
        "package": __version__,
        "card_set": card_set.id,
        "rules_hash": rules_hash(card_set),
        "observation_hash": observation_hash(layout),
        "options": played,
        "network": {**network, "hidden": list(hidden), "actions": _action_count(card_set)},
    }


def _action_count(card_set: CardSet) -> int:
    from hemlock_env.game.actions import action_table

    return len(action_table(card_set))


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
    """
    data = safetensors.numpy.save({name: np.asarray(weights[name], order="C") for name in weights})
    files = {WEIGHTS: data, **(others or {})}
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    about = json.dumps({**meta, "sha256": sums}, indent=2)
    write_folder(Path(folder), {**files, META: f"{about}\n".encode()})


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """A folder with these files, in place of one of that name; never half of it."""
    fresh, old = _beside(folder, f".new{os.getpid()}"), _beside(folder, OLD)
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    try:
        for name, data in files.items():
            with open(fresh / name, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
    except OSError:  # such as a full disk: what was begun would only be in the way
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    if folder.exists():
        shutil.rmtree(old, ignore_errors=True)
        folder.rename(old)
    fresh.rename(folder)
    _sync_folder(folder.parent)
    shutil.rmtree(old, ignore_errors=True)


def _beside(folder: Path, ending: str) -> Path:
    return folder.with_name(folder.name + ending)


def _sync_folder(folder: Path) -> None:
    """The new names on the disk too, where the system lets us ask for it."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# ---- Reading ----


def load_policy(path: str | os.PathLike[str]) -> Policy:
    """Read a checkpoint folder, or the run folder around it.

    Raises:
        CheckpointError: something is missing, damaged or unknown; the message names file and cure.
    """
    return read_checkpoint(path, _read_policy)


def read_checkpoint(path: str | os.PathLike[str], read: Callable[[Path], T]) -> T:
    """What `read` makes of a checkpoint; tried again, as training may just be replacing it."""
    try:
        return read(find_checkpoint(path))
    except CheckpointError:
        time.sleep(0.2)
        return read(find_checkpoint(path))


def find_checkpoint(path: str | os.PathLike[str]) -> Path:
    """The folder that holds a checkpoint: `path` itself, the `checkpoint` in a run folder, or the
    shipped one of that name.
    """
    given = Path(path)
    shipped = [home / given for home in SHIPPED] if len(given.parts) == 1 else []
    for folder in (given, given / "checkpoint", *shipped):
        for candidate in (folder, _beside(folder, OLD) if folder.name else folder):
            if (candidate / META).is_file():
                return candidate
    raise CheckpointError(
        f"{given}: no {META} there, nor in its folder checkpoint: give the folder of a checkpoint, "
        f"or a shipped one's name: {', '.join(shipped_checkpoints()) or 'there is none'}"
    )


def shipped_checkpoints() -> list[str]:
    """The names of the checkpoints that come with the package."""
    return sorted({meta.parent.name for home in SHIPPED for meta in home.glob(f"*/{META}")})


def _read_policy(folder: Path) -> Policy:
    meta = read_meta(folder)
    weights = safetensors_from(folder / WEIGHTS, read_file(folder, WEIGHTS, meta))
    _check_shapes(folder / WEIGHTS, weights, meta["network"])
    return Policy(weights, meta)


def read_meta(folder: Path) -> dict[str, Any]:
    """meta.json, with all that it must hold."""
    file = folder / META
    try:
        meta = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _damaged(file, str(error)) from None
    if not isinstance(meta, dict):
        raise _damaged(file, "not a JSON object")
    if meta.get("format") != FORMAT:
        raise CheckpointError(
            f"{file}: format is {meta.get('format')!r}, this version reads {FORMAT!r}"
        )
    for name, kind in META_TYPES.items():
        if not isinstance(meta.get(name), kind):
            raise _damaged(file, f"{name} is {meta.get(name)!r}")
    _check_network(file, meta["network"])
    return meta


def _check_network(file: Path, network: dict[str, Any]) -> None:
    kind = network.get("kind")
    if kind not in (PLAIN, KEEN):
        raise CheckpointError(
            f"{file}: network is {kind!r}, this version has {PLAIN!r} and {KEEN!r}"
        )
    hidden = network.get("hidden")
    names = ("actions", "features") if kind == PLAIN else ("actions", "inputs", "insights")
    sizes = [network.get(name) for name in names]
    if not isinstance(hidden, list) or not hidden:
        raise _damaged(file, f"network hidden is {hidden!r}")
    if not all(type(size) is int and size > 0 for size in sizes + hidden):
        raise _damaged(file, f"network is {network!r}")


def read_file(folder: Path, name: str, meta: Mapping[str, Any]) -> bytes:
    """A file of a checkpoint, whole as it was written."""
    try:
        data = (folder / name).read_bytes()
    except OSError as error:
        raise _damaged(folder / name, str(error)) from None
    found, said = hashlib.sha256(data).hexdigest(), str(meta["sha256"].get(name))
    if found != said:
        raise _damaged(folder / name, f"its sha256 is {found[:16]}…, {META} says {said[:16]}…")
    return data


def safetensors_from(file: Path, data: bytes) -> dict[str, NDArray[Any]]:
    """The arrays in the bytes of a safetensors file."""
    try:
        return dict(safetensors.numpy.load(data))
    except (safetensors.SafetensorError, ValueError, KeyError) as error:
        raise _damaged(file, str(error)) from None


def _check_shapes(file: Path, weights: dict[str, NDArray[Any]], network: dict[str, Any]) -> None:
    """Are all weights there, in the shapes that meta.json says?"""
    for name, shape in weight_shapes(network).items():
        if name not in weights:
            raise _damaged(file, f"{name} is missing")
        if weights[name].shape != shape:
            raise _damaged(file, f"{name} is {weights[name].shape}, {META} says {shape}")
    live = weights.get("live", np.zeros(0, np.int64))
    if live.dtype != np.int64 or (live < 0).any():
        raise _damaged(file, "live is not a list of places")


def weight_shapes(network: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The shape of every array of a network."""
    keen = network["kind"] == KEEN
    size = network["inputs" if keen else "features"]
    shapes: dict[str, tuple[int, ...]] = {"input_scale": (size,)}
    if keen:
        wide = network["hidden"][0]
        shapes |= {"live": (size,), "norm.weight": (wide,), "norm.bias": (wide,)}
    for number, wide in enumerate(network["hidden"]):
        shapes |= {f"trunk.{number}.bias": (wide,), f"trunk.{number}.weight": (wide, size)}
        size = wide
    outputs = network["actions"] + (2 if keen else 1)
    return shapes | {"head.weight": (outputs, size), "head.bias": (outputs,)}


def _damaged(file: Path, what: str) -> CheckpointError:
    return CheckpointError(f"{file} is damaged ({what}): copy it again, or train anew")

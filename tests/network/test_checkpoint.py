"""Checkpoints of policies: what is damaged or doesn't fit is refused, with file or both values."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from hemlock_env import Game
from hemlock_env.cards import CardSet, load_card_set
from hemlock_env.game.options import check_options
from hemlock_env.network.checkpoint import CheckpointError, describe, save_policy, weight_shapes
from hemlock_env.network.policy import Policy, load_policy

CARDS = load_card_set("vault_of_darkness")


def described(card_set: CardSet = CARDS, **options: Any) -> dict[str, Any]:
    meta = describe(card_set, check_options(card_set, **options), (8,), 600)
    return {**meta, "decisions": 10, "minutes": 0.5}


def random_weights(meta: dict[str, Any]) -> dict[str, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(1)
    shapes = weight_shapes(meta["network"])
    weights = {name: rng.random(shape, np.float32) + 0.5 for name, shape in shapes.items()}
    return {**weights, "live": np.arange(*shapes["live"])}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    meta = described()
    save_policy(tmp_path / "checkpoint", random_weights(meta), meta)
    return tmp_path / "checkpoint"


def test_what_is_saved_is_loaded(folder: Path) -> None:
    meta = described()
    observation = Game(seed=1).observe(0)[None]
    logits, values = load_policy(folder).logits_and_values(observation)
    expected = Policy(random_weights(meta), meta).logits_and_values(observation)
    np.testing.assert_array_equal(logits, expected[0])
    np.testing.assert_array_equal(values, expected[1])
    assert (logits.shape, values.shape) == ((1, 152), (1,))


def test_a_plain_network_sees_the_observation_as_it_is(tmp_path: Path) -> None:
    meta = {**describe(CARDS, check_options(CARDS), (8,)), "decisions": 1, "minutes": 0.0}
    shapes = weight_shapes(meta["network"])
    assert "live" not in shapes
    weights = {name: np.full(shape, 0.1, np.float32) for name, shape in shapes.items()}
    save_policy(tmp_path / "checkpoint", weights, meta)
    observation = Game(seed=1).observe(0)[None]
    policy = load_policy(tmp_path)
    policy.check_fits(CARDS, check_options(CARDS))
    hidden = observation.sum(dtype=float) + 0.1  # 0.1 over the scale, 0.1, and the bias
    logits, values = policy.logits_and_values(observation)
    np.testing.assert_allclose(logits, np.full((1, 152), 8 * 0.1 * hidden + 0.1), rtol=1e-4)
    np.testing.assert_allclose(values, np.tanh(logits[:, 0]), rtol=1e-4)


def test_a_run_folder_will_do(folder: Path) -> None:
    assert load_policy(folder.parent).meta["decisions"] == 10


def test_inputs_are_scaled() -> None:
    meta = described()
    weights = random_weights(meta)
    first = "trunk.0.weight"
    scaled = {**weights, "input_scale": weights["input_scale"] * 2, first: weights[first] * 2}
    observation = Game(seed=1).observe(0)[None]
    np.testing.assert_allclose(
        Policy(weights, meta).logits_and_values(observation)[0],
        Policy(scaled, meta).logits_and_values(observation)[0],
        rtol=1e-5,
    )


# ---- Damaged ----


def refusal(folder: Path) -> str:
    with pytest.raises(CheckpointError) as error:
        load_policy(folder)
    return str(error.value)


def test_no_checkpoint_is_said_with_the_path(tmp_path: Path) -> None:
    assert str(tmp_path / "none") in refusal(tmp_path / "none")


def test_missing_weights_are_named(folder: Path) -> None:
    (folder / "policy.safetensors").unlink()
    assert "policy.safetensors is damaged" in refusal(folder)


@pytest.mark.parametrize("kept", [0, 4, 300, -1])
def test_weights_cut_short_are_named(folder: Path, kept: int) -> None:
    file = folder / "policy.safetensors"
    file.write_bytes(file.read_bytes()[:kept])
    said = refusal(folder)
    assert "policy.safetensors is damaged" in said
    assert "copy it again, or train anew" in said


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "[" * 100_000, "\x00", '{"format": "hemlock-checkpoint/1"}']
)
def test_a_broken_meta_file_is_named(folder: Path, text: str) -> None:
    (folder / "meta.json").write_text(text)
    assert "meta.json" in refusal(folder)


def change_meta(folder: Path, **changes: Any) -> None:
    file = folder / "meta.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


@pytest.mark.pitfall("S19")
def test_another_format_is_refused_with_both(folder: Path) -> None:
    change_meta(folder, format="hemlock-checkpoint/9")
    assert "'hemlock-checkpoint/9' must be 'hemlock-checkpoint/1'" in refusal(folder)


@pytest.mark.parametrize(
    ("network", "said"),
    [
        ({"kind": "transformer"}, "network.kind: 'transformer' must be one of mlp, insight_mlp"),
        ({"kind": "mlp"}, "network.insights: unknown key"),
        ({"hidden": []}, "network.hidden: []"),
        ({"hidden": 8}, "network.hidden: 8"),
        ({"hidden": [8, -1]}, "network.hidden[1]: -1"),
        ({"hidden": [9]}, "norm.weight is (8,), meta.json says (9,)"),
        ({"hidden": [8, 8]}, "trunk.1.bias is missing"),
        ({"actions": 151}, "head.weight is (154, 8), meta.json says (153, 8)"),
        ({"inputs": "many"}, "network.inputs: 'many'"),
        ({"insights": None}, "network.insights: None"),
    ],
)
def test_another_network_is_refused(folder: Path, network: dict[str, Any], said: str) -> None:
    change_meta(folder, network={**described()["network"], **network})
    assert said in refusal(folder)


def test_places_that_are_no_places_are_refused(folder: Path) -> None:
    meta = described()
    weights = {**random_weights(meta), "live": np.full(600, -1)}
    save_policy(folder, weights, meta)
    assert "live is not a list of places" in refusal(folder)


def saved_as_it_is(folder: Path, weights: dict[str, np.ndarray[Any, Any]]) -> None:
    """Weights under the right hash, without the checks of whoever saves."""
    data = safetensors.numpy.save(weights)
    (folder / "policy.safetensors").write_bytes(data)
    change_meta(folder, sha256={"policy.safetensors": hashlib.sha256(data).hexdigest()})


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_weights_that_are_no_numbers_are_neither_loaded_nor_saved(
    folder: Path, number: float
) -> None:
    weights = random_weights(described())
    weights["trunk.0.weight"][3, 5] = number
    before = (folder / "policy.safetensors").read_bytes()
    with pytest.raises(CheckpointError) as error:
        save_policy(folder, weights, described())
    assert f"trunk.0.weight[3, 5] is {number}" in str(error.value)
    assert (folder / "policy.safetensors").read_bytes() == before
    saved_as_it_is(folder, weights)
    said = refusal(folder)
    assert f"policy.safetensors can't be used: trunk.0.weight[3, 5] is {number}: copy" in said


@pytest.mark.parametrize(
    ("name", "changed", "said"),
    [
        ("head.bias", lambda old: old.astype(np.float64) * 1e300, "head.bias[0] is "),
        ("head.bias", lambda old: old.astype(np.int32), "head.bias holds int32"),
        pytest.param(
            *("head.bias", lambda old: old.astype(np.complex64), "head.bias holds complex64"),
            marks=pytest.mark.skipif(
                tuple(map(int, safetensors.__version__.split(".")[:2])) < (0, 7),
                reason="this safetensors knows no complex numbers",
            ),
        ),
        ("head.bias", lambda old: old > 0, "head.bias holds bool"),
        ("input_scale", np.zeros_like, "trunk.0.weight / input_scale[0, 0] is inf"),
        ("input_scale", lambda old: old * np.float32(1e-39), "/ input_scale[0, 0] is inf"),
        ("live", lambda old: old.astype(np.float32), "live holds float32"),
    ],
)
def test_weights_that_nothing_can_be_reckoned_with_are_refused(
    folder: Path, name: str, changed: Any, said: str
) -> None:
    weights = random_weights(described())
    saved_as_it_is(folder, {**weights, name: changed(weights[name])})
    assert said in refusal(folder)


def test_other_insights_are_refused_with_both() -> None:
    meta = described()
    meta["network"]["insights"] = 99
    with pytest.raises(CheckpointError, match="for insights=99, asked for insights=1"):
        Policy(random_weights(meta), meta).check_fits(CARDS, check_options(CARDS))


@pytest.mark.pitfall("S18")
def test_a_pickle_is_never_opened(folder: Path) -> None:
    """A pickle that would raise when opened, under the name and the hash of the weights."""
    pickle = b"cbuiltins\nexec\n(S'raise SystemExit'\ntR."
    (folder / "policy.safetensors").write_bytes(pickle)
    change_meta(folder, sha256={"policy.safetensors": hashlib.sha256(pickle).hexdigest()})
    assert "policy.safetensors is damaged" in refusal(folder)


# ---- Other games ----


@pytest.mark.pitfall("S19")
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"num_players": 3}, "for num_players=2, asked for num_players=3"),
        ({"loot": "hand"}, "for loot='row', asked for loot='hand'"),
        ({"items_as_loot": True}, "for items_as_loot=False, asked for items_as_loot=True"),
        ({"agendas": True}, "for agendas=False, asked for agendas=True"),
        ({"sides": "advanced"}, "asked for sides=['advanced', 'advanced', 'advanced', 'advanced']"),
    ],
)
def test_other_options_are_refused_with_both(asked: dict[str, Any], said: str) -> None:
    meta = described()
    policy = Policy(random_weights(meta), meta)
    with pytest.raises(CheckpointError) as error:
        policy.check_fits(CARDS, check_options(CARDS, **asked))
    assert said in str(error.value)


@pytest.mark.parametrize("sides", ["basic", "advanced", ["random", "basic", "basic", "advanced"]])
def test_random_sides_fit_every_choice(sides: Any) -> None:
    meta = described(sides="random")
    Policy(random_weights(meta), meta).check_fits(CARDS, check_options(CARDS, sides=sides))


def test_one_side_does_not_fit_random_sides() -> None:
    meta = described()
    with pytest.raises(CheckpointError, match="sides"):
        Policy(random_weights(meta), meta).check_fits(CARDS, check_options(CARDS, sides="random"))


def test_who_begins_is_no_matter() -> None:
    meta = described()
    Policy(random_weights(meta), meta).check_fits(CARDS, check_options(CARDS, first_player=1))


@pytest.mark.pitfall("S19")
def test_other_cards_are_refused_with_both(changed_cards: Any) -> None:
    meta = described()
    other = load_card_set(changed_cards(abilities={CARDS.loot[0].id: ("gain_support",)}))
    with pytest.raises(CheckpointError, match=f"rules_hash='{meta['rules_hash']}', asked for"):
        Policy(random_weights(meta), meta).check_fits(other, check_options(other))

"""Makes the golden checkpoint (S18): `tests/network/test_versions.py` plays it with every version.

    python -m tests.training.data.make_golden

A small `insight_mlp` with random weights, and 20 decisions of random games with what it chooses and
computes there. Make it again only where checkpoints of before are meant to be refused: after a
change of the rules, of the observation or of the derived features, and of their version with it.
"""

from pathlib import Path

import numpy as np
import safetensors.numpy

from hemlock_env import Batch
from hemlock_env.cards import load_card_set
from hemlock_env.game.options import Options
from hemlock_env.game.tensor import layout_for
from hemlock_env.network.checkpoint import describe, save_policy, weight_shapes
from hemlock_env.network.encoder import FeatureEncoder, select_features
from hemlock_env.network.policy import load_policy

FOLDER = Path(__file__).parent
COUNT = 20
SURE = 0.05  # the choice leads by so much, so no rounding of another machine turns it


def main() -> None:
    """Write the checkpoint and the decisions."""
    cards, options, rng = load_card_set("vault_of_darkness"), Options(), np.random.default_rng(18)
    inputs = FeatureEncoder(layout_for(cards, 2), select_features(cards, options))
    about = describe(cards, options, (8,), len(inputs))
    shapes = weight_shapes(about["network"])
    weights = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    weights |= {"input_scale": inputs.scale, "live": inputs.feature_index}
    checkpoint = FOLDER / "checkpoint"
    save_policy(checkpoint, weights, {**about, "decisions": 0, "minutes": 0.0})

    batch, policy = Batch(COUNT, seed=18, autoreset=True), load_policy(checkpoint)
    batch.play_random(5 * np.arange(COUNT))  # some of all parts of a game
    while True:
        logits, values = policy.logits_and_values(batch.observation)
        scores = np.where(batch.mask == 1, logits, -np.inf)
        second, first = np.sort(scores, axis=1)[:, -2:].T
        if (first - second > SURE).all():
            break
        batch.step(batch.sample())
    stored = {
        "observations": batch.observation,
        "legal": batch.legal,
        "actions": scores.argmax(axis=1).astype(np.int16),
        "logits": logits,
        "values": values,
    }
    whole = {name: np.ascontiguousarray(array) for name, array in stored.items()}
    (FOLDER / "situations.safetensors").write_bytes(safetensors.numpy.save(whole))


if __name__ == "__main__":
    main()

"""Windows: every decision is advantages once, by what came of it for its own seat."""

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from hemlock_env import Batch
from hemlock_env.learning.gae import Advantages
from hemlock_env.learning.ppo import OUTCOME, PPOTrainer, RolloutBuffer, rewards
from tests.training.tiny import tiny

GAE_LAMBDA = 0.9


def made_up_buffer(seats: int, seed: int) -> RolloutBuffer:
    """Random seats, values, ends and rewards; half of the head's places hold a carried decision."""
    rng = np.random.default_rng(seed)
    buffer = RolloutBuffer(Batch(40, num_players=seats), 25, inputs_size=3, privileged_size=0)
    shape = buffer.seat.shape
    buffer.value[:] = rng.normal(size=buffer.value.shape)
    buffer.seat[:] = rng.integers(0, seats, shape)
    for seat in range(seats):
        buffer.seat[seat] = np.where(rng.random(shape[1]) < 0.5, seat, -1)
    buffer.done[seats:] = rng.random((shape[0] - seats, shape[1])) < 0.1
    buffer.reward[:] = rng.normal(size=buffer.reward.shape) * buffer.done[:, :, None, None]
    return buffer


def slow_advantage(buffer: RolloutBuffer, row: int, game: int) -> NDArray[np.float32] | None:
    """By the definition, looking forward from one decision; None: nothing known came of it yet."""
    seat = buffer.seat[row, game]
    for later in range(row, len(buffer.seat)):
        if later > row and buffer.seat[later, game] == seat:
            following = slow_advantage(buffer, later, game)
            change: NDArray[np.float32] = buffer.value[later, game] - buffer.value[row, game]
            return change if following is None else change + GAE_LAMBDA * following
        if buffer.done[later, game]:
            came: NDArray[np.float32] = buffer.reward[later, game, seat] - buffer.value[row, game]
            return came
    return None


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_advantages_are_those_of_the_definition(seats: int) -> None:
    buffer = made_up_buffer(seats, seed=seats)
    advantages = buffer.compute_gae(GAE_LAMBDA)
    for row, game in zip(*np.nonzero(buffer.seat >= 0), strict=True):
        expected = slow_advantage(buffer, row, game)
        assert advantages.valid[row, game] == (expected is not None)
        found = advantages.advantage[row, game]
        assert found == pytest.approx(np.zeros(2) if expected is None else expected, abs=1e-4)
        is_open = advantages.pending_row[buffer.seat[row, game], game] == row
        assert is_open == (expected is None)


def test_a_row_without_decision_is_not_learned_from() -> None:
    buffer = made_up_buffer(2, seed=1)
    assert not buffer.compute_gae(GAE_LAMBDA).valid[buffer.seat < 0].any()


@pytest.mark.parametrize("seats", [2, 4])
def test_every_decision_is_learned_from_exactly_once(seats: int) -> None:
    settings = tiny(num_steps=7, options={"num_players": seats})
    trainer = PPOTrainer(settings)
    buffer = trainer.buffer
    made: dict[int, bytes] = {}
    learned: Counter[int] = Counter()
    advantages: Advantages | None = None
    for number in range(40):
        trainer.collect()
        number_decisions(buffer, number, made)
        advantages = buffer.compute_gae(settings.gae_lambda)
        for row, game in zip(*np.nonzero(advantages.valid), strict=True):
            name = int(buffer.log_prob[row, game])
            assert buffer.inputs[row, game].tobytes() == made[name]
            learned[name] += 1
        buffer.carry_pending(advantages.pending_row)
    assert advantages is not None
    heads = buffer.log_prob[:seats][buffer.seat[:seats] >= 0].astype(int).tolist()
    assert set(learned.values()) == {1}
    assert sorted([*learned, *heads]) == sorted(made)
    assert len(heads) > 0


def number_decisions(buffer: RolloutBuffer, number: int, made: dict[int, bytes]) -> None:
    """Each new decision gets a name of its own, kept where its log-probability is."""
    new = buffer.log_prob[buffer.seats :]
    names = number * new.size + np.arange(new.size)
    new[:] = names.reshape(new.shape)
    inputs = buffer.inputs[buffer.seats :].reshape(new.size, -1)
    made.update(zip(names.tolist(), (row.tobytes() for row in inputs), strict=True))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_rewards_are_within_bounds_and_sum_to_zero(seats: int) -> None:
    settings = tiny(margin_scale=5.0, options={"num_players": seats})
    batch = Batch(64, seed=1, num_players=seats)
    ended = 0
    while (batch.seat >= 0).any():
        batch.step(batch.sample())
        given = rewards(batch, settings)
        assert np.abs(given).max() <= 1.0
        assert np.abs(given.sum(1)).max() < 1e-6
        assert not given[~batch.done].any()
        assert (given[batch.done, :, OUTCOME] == batch.rewards[batch.done]).all()
        ended += int(batch.done.sum())
    assert ended == 64


def test_winners_are_rewarded_at_their_own_last_decision() -> None:
    trainer = PPOTrainer(tiny(num_envs=8, num_steps=200, random_start_steps=0))
    trainer.collect()
    buffer = trainer.buffer
    advantages = buffer.compute_gae(1.0)
    for game in range(8):
        end = int(np.flatnonzero(buffer.done[:, game])[0])
        for seat in (0, 1):
            row = int(np.flatnonzero(buffer.seat[: end + 1, game] == seat)[-1])
            assert advantages.advantage[row, game] + buffer.value[row, game] == pytest.approx(
                buffer.reward[end, game, seat], abs=1e-6
            )
            assert abs(buffer.reward[end, game, seat, OUTCOME]) > 0.1

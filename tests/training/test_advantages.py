"""Windows: every decision is judged once, by what came of it for its own seat."""

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from hemlock_env import Batch
from hemlock_env.learning.ppo import OUTCOME, Judged, Trainer, Window, judge, rewards
from tests.training.tiny import tiny

GAE_LAMBDA = 0.9


def made_up_window(seats: int, seed: int) -> Window:
    """Random seats, values, ends and rewards; half of the head's places hold a carried decision."""
    rng = np.random.default_rng(seed)
    window = Window(Batch(40, num_players=seats), 25, inputs_size=3, secrets_size=0)
    shape = window.seat.shape
    window.value[:] = rng.normal(size=window.value.shape)
    window.seat[:] = rng.integers(0, seats, shape)
    for seat in range(seats):
        window.seat[seat] = np.where(rng.random(shape[1]) < 0.5, seat, -1)
    window.done[seats:] = rng.random((shape[0] - seats, shape[1])) < 0.1
    window.reward[:] = rng.normal(size=window.reward.shape) * window.done[:, :, None, None]
    return window


def slow_advantage(window: Window, row: int, game: int) -> NDArray[np.float32] | None:
    """By the definition, looking forward from one decision; None: nothing known came of it yet."""
    seat = window.seat[row, game]
    for later in range(row, len(window.seat)):
        if later > row and window.seat[later, game] == seat:
            following = slow_advantage(window, later, game)
            change: NDArray[np.float32] = window.value[later, game] - window.value[row, game]
            return change if following is None else change + GAE_LAMBDA * following
        if window.done[later, game]:
            came: NDArray[np.float32] = window.reward[later, game, seat] - window.value[row, game]
            return came
    return None


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_advantages_are_those_of_the_definition(seats: int) -> None:
    window = made_up_window(seats, seed=seats)
    judged = judge(window, GAE_LAMBDA)
    for row, game in zip(*np.nonzero(window.seat >= 0), strict=True):
        expected = slow_advantage(window, row, game)
        assert judged.settled[row, game] == (expected is not None)
        found = judged.advantage[row, game]
        assert found == pytest.approx(np.zeros(2) if expected is None else expected, abs=1e-4)
        is_open = judged.open_row[window.seat[row, game], game] == row
        assert is_open == (expected is None)


def test_a_row_without_decision_is_not_learned_from() -> None:
    window = made_up_window(2, seed=1)
    assert not judge(window, GAE_LAMBDA).settled[window.seat < 0].any()


@pytest.mark.parametrize("seats", [2, 4])
def test_every_decision_is_learned_from_exactly_once(seats: int) -> None:
    settings = tiny(steps=7, options={"num_players": seats})
    trainer = Trainer(settings)
    window = trainer.window
    made: dict[int, bytes] = {}
    learned: Counter[int] = Counter()
    judged: Judged | None = None
    for number in range(40):
        trainer.collect()
        number_decisions(window, number, made)
        judged = judge(window, settings.gae_lambda)
        for row, game in zip(*np.nonzero(judged.settled), strict=True):
            name = int(window.log_prob[row, game])
            assert window.inputs[row, game].tobytes() == made[name]
            learned[name] += 1
        window.carry(judged.open_row)
    assert judged is not None
    heads = window.log_prob[:seats][window.seat[:seats] >= 0].astype(int).tolist()
    assert set(learned.values()) == {1}
    assert sorted([*learned, *heads]) == sorted(made)
    assert len(heads) > 0


def number_decisions(window: Window, number: int, made: dict[int, bytes]) -> None:
    """Each new decision gets a name of its own, kept where its log-probability is."""
    new = window.log_prob[window.seats :]
    names = number * new.size + np.arange(new.size)
    new[:] = names.reshape(new.shape)
    inputs = window.inputs[window.seats :].reshape(new.size, -1)
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
    trainer = Trainer(tiny(games=8, steps=200, scatter=0))
    trainer.collect()
    window = trainer.window
    judged = judge(window, 1.0)
    for game in range(8):
        end = int(np.flatnonzero(window.done[:, game])[0])
        for seat in (0, 1):
            row = int(np.flatnonzero(window.seat[: end + 1, game] == seat)[-1])
            assert judged.advantage[row, game] + window.value[row, game] == pytest.approx(
                window.reward[end, game, seat], abs=1e-6
            )
            assert abs(window.reward[end, game, seat, OUTCOME]) > 0.1

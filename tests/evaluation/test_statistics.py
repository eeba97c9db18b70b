"""The interval of a score holds as often as it says."""

import numpy as np
import pytest
from numpy.typing import NDArray

from hemlock_env.evaluation import interval
from hemlock_env.evaluation.statistics import bootstrap, effective_size, wilson

Groups = NDArray[np.float64]


def coverage(groups: Groups, true: float) -> float:
    """Of simulated matches, one a row, the share whose interval holds the true score."""
    bounds = np.array([interval(row) for row in groups])
    return float(((bounds[:, 0] <= true) & (true <= bounds[:, 1])).mean())


def test_wilsons_interval_is_the_published_one() -> None:
    # 81 of 263, as in Newcombe 1998, Statistics in Medicine 17:857, table I.
    assert wilson(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)


def test_all_wins_leave_room_below_one() -> None:
    assert interval(np.ones(100)) == pytest.approx((0.9630, 1.0), abs=5e-5)


def test_all_losses_leave_room_above_zero() -> None:
    assert interval(np.zeros(100)) == pytest.approx((0.0, 0.0370), abs=5e-5)


def test_the_far_bound_of_all_wins_or_losses_is_exact() -> None:
    for groups in range(1, 500):
        assert interval(np.ones(groups))[1] == 1
        assert interval(np.zeros(groups))[0] == 0


def test_one_loss_gives_a_lower_bound_below_that_of_none() -> None:
    for groups in (1, 2, 10, 100, 5_000):
        lost = np.ones(groups)
        lost[0] = 0.5
        assert interval(lost)[0] < interval(np.ones(groups))[0]


def test_one_group_is_worth_one_game() -> None:
    assert effective_size(np.array([0.5])) == pytest.approx(1.25)
    assert interval(np.array([1.0])) == pytest.approx(wilson(1.0, 1.0))


def test_the_interval_holds_the_score_and_stays_within_zero_and_one() -> None:
    random = np.random.default_rng(1)
    for _ in range(300):
        groups = random.integers(0, 5, random.integers(1, 30)) / 4
        low, high = interval(groups)
        assert 0 <= low <= groups.mean() <= high <= 1


@pytest.mark.parametrize("pairs", [30, 100, 500])
def test_independent_games_of_a_pair_are_covered(pairs: int) -> None:
    won = np.random.default_rng(pairs).random((2_000, pairs, 2)) < 0.7
    assert 0.93 < coverage(won.mean(axis=2), 0.7) < 0.98


def test_pairs_that_share_their_luck_are_covered() -> None:
    random = np.random.default_rng(2)
    alike = np.repeat(random.random((2_000, 100, 1)) < 0.7, 2, axis=2)
    apart = random.random((2_000, 100, 2)) < 0.7
    won = np.where(random.random((2_000, 100, 1)) < 0.5, alike, apart)
    assert 0.93 < coverage(won.mean(axis=2), 0.7) < 0.98


def test_pairs_whose_luck_cancels_are_covered() -> None:
    luck = np.random.default_rng(3).random((2_000, 100))
    pairs = np.stack([luck < 0.7, 1 - luck < 0.7], axis=2).mean(axis=2)
    assert 0.93 < coverage(pairs, 0.7) < 0.98


def test_high_scores_are_covered() -> None:
    won = np.random.default_rng(4).random((2_000, 500, 2)) < 0.97
    assert 0.93 < coverage(won.mean(axis=2), 0.97) < 0.98


def test_games_that_share_luck_are_worth_fewer() -> None:
    random = np.random.default_rng(5)
    shared = np.repeat(random.random(400) < 0.6, 2).reshape(400, 2).mean(axis=1)
    single = (random.random((400, 2)) < 0.6).mean(axis=1)
    assert effective_size(shared) == pytest.approx(400, rel=0.05)
    assert effective_size(single) == pytest.approx(800, rel=0.15)


def test_the_bootstrap_is_as_wide_as_theory_says() -> None:
    losses = np.random.default_rng(1).normal(3, 2, 400)
    low, high = bootstrap(losses, np.mean, seed=5, times=2_000)
    assert high - low == pytest.approx(2 * 1.96 * losses.std() / 20, rel=0.1)
    assert (low, high) == bootstrap(losses, np.mean, seed=5, times=2_000)

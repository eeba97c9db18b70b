"""Ratings find the strengths that made the scores, and say how sure they are."""

import numpy as np
import pytest
from numpy.typing import NDArray

from hemlock_env.evaluation.ladder.ratings import PairScores, fit, linked, smoothed
from hemlock_env.evaluation.ladder.standings import middle
from hemlock_env.evaluation.statistics import bayesian_bootstrap, interval_of, percentile_interval

ELO = np.array([0.0, 300.0, 700.0, 720.0])


def resample(pairings: list[PairScores], *how: int, **more: int) -> NDArray[np.float64]:
    """Mean scores of the pairings by the bootstrap."""
    return bayesian_bootstrap([pair.groups for pair in pairings], *how, **more)


def expected(a: float, b: float, num_players: int) -> float:
    """A's share against a table of B, by the model."""
    return 1 / (1 + (num_players - 1) * 10 ** ((b - a) / 400))


def simulated(num_players: int, groups: int, seed: int, elo: np.ndarray = ELO) -> list[PairScores]:
    """Everybody against everybody."""
    rng = np.random.default_rng(seed)
    pairings = []
    for a in range(len(elo)):
        for b in range(len(elo)):
            if a < b or (num_players > 2 and a != b):
                share = expected(elo[a], elo[b], num_players)
                games = rng.random((groups, num_players)) < share
                pairings.append(PairScores(a, b, games.mean(axis=1)))
    return pairings


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_ratings_are_those_that_made_the_scores(num_players: int) -> None:
    pairings = simulated(num_players, 20_000, 1)
    ratings = fit(pairings, smoothed(pairings, num_players), 4, 0, num_players)
    assert ratings[0] == 0
    assert ratings == pytest.approx(ELO, abs=12)


def test_two_bots_differ_by_the_logarithm_of_their_odds() -> None:
    pairings = [PairScores(0, 1, np.full(9_999, 0.75))]
    ratings = fit(pairings, np.array([0.75]), 2, 1, 2)
    assert ratings == pytest.approx([400 * np.log10(3), 0])


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_intervals_hold_the_truth_about_as_often_as_they_say(num_players: int) -> None:
    held = np.zeros(4)
    tries = 200
    for seed in range(tries):
        pairings = simulated(num_players, 60, seed)
        drawn = fit(pairings, resample(pairings, num_players, seed, 300), 4, 0, num_players)
        low, high = percentile_interval(drawn)
        held += (low <= ELO) & (high >= ELO)
    assert np.all(held[1:] >= 0.88 * tries) and np.all(held[1:] <= 0.995 * tries)


def test_a_bot_that_won_everything_has_a_finite_rating_and_a_wide_interval() -> None:
    pairings = [PairScores(0, 1, np.zeros(50))]
    ratings = fit(pairings, smoothed(pairings, 2), 2, 0, 2)
    low, high = percentile_interval(fit(pairings, resample(pairings, 2), 2, 0, 2)[:, 1])
    for seed in range(40):  # and so has one that lost everything, whatever is drawn
        lost = [PairScores(0, 1, np.ones(10)), PairScores(0, 2, np.ones(500))]
        assert np.isfinite(fit(lost, resample(lost, 2, seed), 3, 0, 2)).all()
    assert np.isfinite(ratings[1]) and low < ratings[1] < high
    assert high - low > 400  # nobody knows how far above


def test_groups_that_all_went_alike_still_leave_doubt() -> None:
    """Half a made-up pair, half of it won: the 97.5 % quantile of Beta(1/4, 50 1/4) is 0.0338."""
    pairing = PairScores(0, 1, np.zeros(50))
    low, high = interval_of(0.0, resample([pairing], 2, times=20_000)[:, 0])
    assert low == 0
    assert high == pytest.approx(0.0338, abs=0.002)


def test_the_same_seed_draws_the_same() -> None:
    pairings = simulated(2, 30, 1)
    assert np.array_equal(resample(pairings, 2, 5), resample(pairings, 2, 5))
    assert not np.array_equal(resample(pairings, 2, 5), resample(pairings, 2, 6))


def test_the_anchor_is_in_the_middle() -> None:
    assert middle(np.array([0.0, 300.0, 700.0, 720.0, -5.0])) == 1
    assert middle(np.array([0.0, 300.0, 700.0, 720.0])) == 1  # of two the weaker
    assert middle(np.array([3.0, 0.0])) == 1


@pytest.mark.parametrize("num_players", [2, 3])
def test_from_the_middle_intervals_hold_the_truth_as_often(num_players: int) -> None:
    """Though which bot is in the middle is seen only in the scores."""
    held, tries = 0, 200
    for seed in range(tries):
        pairings = simulated(num_players, 60, seed)
        anchor = middle(fit(pairings, smoothed(pairings, num_players), 4, 0, num_players))
        drawn = fit(pairings, resample(pairings, num_players, seed, 300), 4, 0, num_players)
        low, high = percentile_interval(drawn - drawn[:, [anchor]])
        true = ELO - ELO[anchor]
        others = np.arange(4) != anchor
        held += int(((low <= true) & (high >= true))[others].sum())
    assert 0.9 * 3 * tries <= held <= 0.99 * 3 * tries


def test_who_is_linked_to_the_anchor() -> None:
    assert linked([(3, 2), (1, 2)], 5, 1) == {1, 2, 3}

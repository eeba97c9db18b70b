"""Skill, first seat, deal and rest are told apart."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from hemlock_env.cli.luck import luck
from hemlock_env.evaluation import play_match
from hemlock_env.evaluation.luck import measure_luck, parts

DEALS = 20_000
GAMES = 40


def test_a_constant_lead_is_skill() -> None:
    assert parts(np.full((10, 2), 5.0)).tolist() == [1, 0, 0, 0]


def test_a_lead_of_whoever_sits_first_is_the_seat() -> None:
    assert parts(np.tile([3.0, -3.0], (10, 1))).tolist() == [0, 1, 0, 0]


def test_a_lead_that_changes_sides_with_the_seat_is_the_deal() -> None:
    given = np.array([4.0, -4.0, 1.0, -1.0])
    assert parts(np.stack([given, -given], axis=1)).tolist() == pytest.approx([0, 0, 1, 0])


def test_games_without_any_margin_have_no_parts() -> None:
    assert parts(np.zeros((10, 2))).tolist() == [0, 0, 0, 0]


def test_the_parts_of_made_up_games_are_found_again() -> None:
    rng = np.random.default_rng(1)
    deal, rest = 2.0 * rng.normal(size=DEALS), 3.0 * rng.normal(size=(DEALS, 2))
    margins = 1.5 + np.array([1.0, -1.0]) * (0.5 + deal[:, None]) + rest
    whole = 1.5**2 + 0.5**2 + 2.0**2 + 3.0**2
    expected = np.array([1.5**2, 0.5**2, 2.0**2, 3.0**2]) / whole
    assert parts(margins) == pytest.approx(expected, abs=0.01)


def test_a_match_is_the_same_as_ever() -> None:
    found = measure_luck("greedy", "random", GAMES, 3)
    match = play_match("greedy", "random", GAMES, 3, {"first_player": 0})
    assert (found.games, found.score) == (match.games, match.score)
    assert found.score_interval == match.interval
    assert found.mean == pytest.approx(match.margin)
    assert found.first == pytest.approx((match.seats[0] + 1 - match.seats[1]) / 2)
    assert found.draws == match.draws / match.games
    assert found.skill + found.seat + found.deal + found.rest == pytest.approx(1)
    assert found.skill > 0.8


def test_a_bot_has_no_skill_against_itself() -> None:
    found = measure_luck("random", "random", 400, 3)
    assert found.skill < 0.02
    low, high = found.deal_interval
    assert low <= found.deal <= high


def test_the_same_seed_measures_the_same() -> None:
    assert measure_luck("random", "random", GAMES, 3) == measure_luck("random", "random", GAMES, 3)


@pytest.mark.parametrize(("words", "says"), [
    ("random --players 3", "num_players=3"),
    ("random --games 18", "games=18: must be at least 20"),
    ("gredy", "did you mean 'greedy'"),
])  # fmt: skip
def test_what_cannot_be_is_refused(words: str, says: str) -> None:
    result = CliRunner().invoke(luck, words.split())
    assert result.exit_code == 2
    assert says in result.stderr


def test_the_first_player_is_not_for_choice() -> None:
    with pytest.raises(ValueError, match="first_player=1"):
        measure_luck("random", "random", GAMES, options={"first_player": 1})


def test_the_command_prints_what_was_measured() -> None:
    words = ["random", "--games", str(GAMES), "--seed", "3"]
    found = measure_luck("random", "random", GAMES, 3)
    printed = CliRunner().invoke(luck, [*words, "--json"]).stdout
    assert json.loads(printed) == found.as_dict()
    text = CliRunner().invoke(luck, words).stdout
    assert text.startswith("random against random, seed 3\n")
    assert f"{found.deal:.1%}" in text

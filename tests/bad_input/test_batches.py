"""What a batch can not be given: refused, and the batch is what it was."""

import numpy as np
import pytest

from hemlock_env import Batch
from tests.support.card_sets import harbour_dict, write_set


@pytest.mark.parametrize("games", [0, -1, None, 1.0, "2", True, [2]])
def test_a_batch_has_at_least_one_game(games):
    with pytest.raises(ValueError, match="games"):
        Batch(games)


@pytest.mark.parametrize("reward", ["", "win", None, 1, ["outcome"]])
def test_a_batch_names_the_reward_that_can_not_be(reward):
    with pytest.raises(ValueError, match="reward"):
        Batch(2, reward=reward)


BAD_BATCH_ACTIONS = [
    *(None, 0, [], [0], [0, 0, 0], [[0, 0]], "ab", ["a", "b"], [None, None], [0.0, 1.0]),
    *([True, False], [-1, -1], [152, 0], [10**9, 0], [2**62, 0], [2**70, 0], {0: 0, 1: 0}),
    *(np.array([0, 2**63], np.uint64), np.array([np.nan, 0]), [[0], [0, 1]]),
]


@pytest.mark.parametrize("actions", BAD_BATCH_ACTIONS, ids=repr)
def test_a_batch_refuses_what_are_no_legal_actions_and_changes_nothing(actions):
    batch = Batch(2, seed=1)
    before = batch.games.tobytes(), batch.observation.tobytes(), batch.mask.tobytes()
    with pytest.raises(ValueError, match="action"):
        batch.step(actions)
    assert (batch.games.tobytes(), batch.observation.tobytes(), batch.mask.tobytes()) == before


def test_a_batch_names_the_first_game_with_an_illegal_action():
    batch = Batch(3, seed=1)
    actions = batch.legal[:, 0].copy()
    actions[1] = 151
    before = batch.games.tobytes()
    with pytest.raises(ValueError, match="game 1: action 151"):
        batch.step(actions)
    assert batch.games.tobytes() == before


BAD_SEEDS = [[1], [1, 2, 3], [-1, 0], [0, 2**63], [0.0, 1.0], "ab", 5, [None, 1], [True, False]]


@pytest.mark.parametrize("seeds", BAD_SEEDS, ids=repr)
def test_a_batch_refuses_seeds_that_are_none(seeds):
    batch = Batch(2, seed=1)
    before = batch.games.tobytes()
    with pytest.raises(ValueError, match="seeds"):
        batch.reset(seeds=seeds)
    assert batch.games.tobytes() == before


@pytest.mark.parametrize("decisions", [-1, 1.5, [1, -1], "2", 10**6, None, [1, 2, 3]])
def test_a_batch_refuses_numbers_of_random_decisions_that_can_not_be(decisions):
    batch = Batch(2, seed=1)
    before = batch.games.tobytes()
    with pytest.raises(ValueError, match="decisions"):
        batch.play_random(decisions)
    assert batch.games.tobytes() == before


def test_a_batch_refuses_stored_games_that_do_not_fit():
    batch = Batch(2, seed=1)
    before = batch.games.tobytes()
    for stored in (Batch(3).games, Batch(2, num_players=3).games, np.zeros(2), None, [1, 2]):
        with pytest.raises(ValueError, match="games"):
            batch.restore(stored)
    assert batch.games.tobytes() == before


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"agendas": True}, "agendas"),
        ({"items_as_loot": True}, "items_as_loot"),
        ({"loot": "hand"}, "loot"),
        ({"sides": "advanced"}, "sides"),
        ({"first_player": 1}, "first_player"),
        ({"num_players": 3}, "num_players"),
    ],
    ids=str,
)
def test_a_batch_names_the_option_in_which_stored_games_differ(options, named):
    batch = Batch(2, seed=1)
    before = batch.games.tobytes()
    with pytest.raises(ValueError, match=f"games: {named} is another"):
        batch.restore(Batch(2, **options).games)
    assert batch.games.tobytes() == before


def test_a_batch_takes_no_games_of_other_cards(tmp_path):
    batch = Batch(2, seed=1)
    others = Batch(2, card_set=write_set(tmp_path / "harbour.toml", harbour_dict()))
    with pytest.raises(ValueError, match="games: card_set is another"):
        batch.restore(others.games)


def test_what_is_written_into_the_shown_arrays_makes_nothing_legal():
    batch, same = Batch(2, seed=1, autoreset=True), Batch(2, seed=1, autoreset=True)
    illegal = np.flatnonzero(batch.mask[0] == 0)[:2].astype(np.int16)
    before = batch.games.tobytes()
    batch.mask[:], batch.legal[:], batch.legal_count[:] = 1, illegal[0], 40
    with pytest.raises(ValueError, match="game 0: action"):
        batch.step(illegal)
    assert batch.games.tobytes() == before
    for played in (batch, same):
        played.play_random(3)
        played.step(played.sample())
    assert batch.games.tobytes() == same.games.tobytes()
    for name in ("mask", "legal", "legal_count"):
        np.testing.assert_array_equal(getattr(batch, name), getattr(same, name))

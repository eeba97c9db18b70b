"""Actions and names of actions that can not be: refused, and the game is what it was."""

from random import Random

import numpy as np
import pytest

from hemlock_env import Game
from tests.support.play import VARIANTS, name_of, played, sample, state_bytes

BAD_ACTIONS = (
    *(None, 1.0, 0.5, float("nan"), True, False, "", "loot", "loot:", "loot:nothing", "LOOT"),
    *(b"loot", [], [0], (0,), {}, {0}, -1, -(10**30), 10**30, 200, 1j),
    *(np.float32(1), np.float64(0), np.bool_(True), np.array([0, 1]), np.array(0.0)),
)


@pytest.mark.parametrize("action", BAD_ACTIONS, ids=repr)
def test_what_is_no_action_is_refused_and_changes_nothing(action):
    for game in sample(every=60):
        before = state_bytes(game)
        with pytest.raises(ValueError, match="action"):
            game.step(action)
        assert state_bytes(game) == before


@pytest.mark.parametrize("action", [np.int8(0), np.int16(0), np.int64(0), np.uint8(0), 0])
def test_whole_numbers_of_any_make_are_actions(action):
    game = Game(seed=1)
    action = type(action)(game.legal_actions()[0])
    game.step(action)
    assert game.decisions == 1


def test_an_illegal_action_is_named_with_the_legal_ones():
    game = Game(seed=1)
    legal = [game.action_name(action) for action in game.legal_actions()]
    with pytest.raises(ValueError, match="take:ghoul") as error:
        game.step("take:ghoul")
    assert all(name in str(error.value) for name in legal)
    assert f"seat {game.seat}" in str(error.value) and "use_loot" in str(error.value)


def test_no_action_is_legal_when_the_game_is_over():
    game = played(Game(seed=1), 1000)
    before = state_bytes(game)
    for action in range(152):
        with pytest.raises(ValueError, match="over"):
            game.step(action)
    assert state_bytes(game) == before


@pytest.mark.parametrize("index", [-1, 152, None, 1.5, "x", True, 10**30])
def test_there_is_no_name_for_what_is_no_index(index):
    with pytest.raises(ValueError, match=r"action|name"):
        Game(seed=1).action_name(index)


@pytest.mark.parametrize("name", ["", "loot", "loot:x", None, 3, b"loot:crypt_lantern", ["a"]])
def test_there_is_no_index_for_what_is_no_name(name):
    with pytest.raises(ValueError, match="action"):
        Game(seed=1).action_index(name)


def test_an_illegal_action_leaves_the_record_as_it_was():
    game = played(Game(seed=2), 20)
    before = game.record()
    illegal = next(a for a in range(152) if a not in game.legal_actions())
    with pytest.raises(ValueError, match="illegal"):
        game.step(illegal)
    assert game.record() == before


@pytest.mark.parametrize("options", VARIANTS, ids=name_of)
def test_a_game_is_unharmed_by_all_that_was_refused(options):
    """The game goes on as one that never saw anything bad."""
    game, other = Game(**options, seed=7), Game(**options, seed=7)
    rng = Random(7)
    while not game.over:
        for bad in (None, 1.5, -1, 999, "x", [1]):
            with pytest.raises(ValueError):
                game.step(bad)
        with pytest.raises(ValueError):
            game.observe(9)
        action = rng.choice(game.legal_actions())
        game.step(action)
        other.step(action)
    assert game.record() == other.record()

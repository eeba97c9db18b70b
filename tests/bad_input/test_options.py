"""Options, seeds and seats that can not be: a ValueError that names them."""

import re
from functools import partial

import gymnasium
import pytest

from hemlock_env import Batch, Game, hemlock_v0
from hemlock_env.envs.sb3 import HemlockVecEnv

BAD_OPTIONS = [
    ({"num_players": 1}, "num_players"),
    ({"num_players": 5}, "num_players"),
    ({"num_players": None}, "num_players"),
    ({"num_players": 2.0}, "num_players"),
    ({"num_players": "2"}, "num_players"),
    ({"num_players": True}, "num_players"),
    ({"num_players": 10**30}, "num_players"),
    ({"num_players": 4, "loot": "hand"}, "loot"),
    ({"loot": "rows"}, "loot"),
    ({"loot": None}, "loot"),
    ({"loot": ["row"]}, "loot"),
    ({"sides": "both"}, "sides"),
    ({"sides": None}, "sides"),
    ({"sides": 1}, "sides"),
    ({"sides": ["basic"] * 3}, "sides"),
    ({"sides": ["basic"] * 5}, "sides"),
    ({"sides": ["basic", "basic", "basic", "Basic"]}, "sides"),
    ({"sides": ["basic", "basic", "basic", None]}, "sides"),
    ({"sides": [["basic"], "basic", "basic", "basic"]}, "sides"),
    ({"items_as_loot": 1}, "items_as_loot"),
    ({"items_as_loot": None}, "items_as_loot"),
    ({"items_as_loot": "yes"}, "items_as_loot"),
    ({"agendas": 0}, "agendas"),
    ({"agendas": "all"}, "agendas"),
    ({"first_player": 2}, "first_player"),
    ({"first_player": -1}, "first_player"),
    ({"first_player": 0.0}, "first_player"),
    ({"first_player": False}, "first_player"),
    ({"card_set": "vault"}, "vault"),
    ({"card_set": "no/such/file.toml"}, "no/such/file.toml"),
    ({"card_set": ""}, "card set"),
    ({"card_set": None}, "card set"),
    ({"card_set": 3}, "card set"),
]
BY_OPTION = pytest.mark.parametrize(("options", "word"), BAD_OPTIONS, ids=str)


@BY_OPTION
def test_a_game_names_the_option_that_can_not_be(options, word):
    with pytest.raises(ValueError, match=word):
        Game(seed=1, **options)


@BY_OPTION
def test_a_batch_names_the_option_that_can_not_be(options, word):
    with pytest.raises(ValueError, match=word):
        Batch(2, **options)


def test_a_game_names_an_unknown_option():
    with pytest.raises(ValueError, match="player_count"):
        Game(player_count=2)


def test_a_batch_names_an_unknown_option():
    with pytest.raises(ValueError, match="player_count"):
        Batch(2, player_count=2)


ID = "hemlock/Hemlock-v0"
OF_ALL = ("num_players", "sides", "loot", "items_as_loot", "agendas", "first_player", "card_set")
OF_A_LEARNER = (*OF_ALL, "opponent", "seat", "observation", "reward", "illegal_action")
MAKERS = {
    "Game": (Game, (*OF_ALL, "seed")),
    "Batch": (partial(Batch, 2), (*OF_ALL, "seed", "autoreset", "reward")),
    "aec": (hemlock_v0.env, (*OF_ALL, "observation", "reward", "render_mode")),
    "raw": (hemlock_v0.raw_env, (*OF_ALL, "observation", "reward", "render_mode")),
    "make": (partial(gymnasium.make, ID), (*OF_A_LEARNER, "render_mode")),
    "make_vec": (partial(gymnasium.make_vec, ID), (*OF_A_LEARNER, "autoreset_mode")),
    "sync": (
        partial(gymnasium.make_vec, ID, vectorization_mode="sync"),
        (*OF_A_LEARNER, "render_mode"),
    ),
    "VecEnv": (partial(HemlockVecEnv, 2), (*OF_A_LEARNER, "margin_share", "seed")),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_an_unknown_keyword_is_an_error_of_both_kinds_that_lists_what_there_is(maker):
    make, options = MAKERS[maker]
    with pytest.raises(TypeError, match=r"got an unexpected keyword argument 'opponnent'") as error:
        make(opponnent="greedy")
    assert isinstance(error.value, ValueError)
    listed = re.findall(r"\w+", str(error.value).partition("the options are ")[2])
    assert set(options) <= set(listed)
    if "opponent" in options:
        assert "(did you mean 'opponent'?)" in str(error.value)


def test_a_vectorised_environment_says_why_it_cuts_no_game_short():
    with pytest.raises(ValueError, match=r"max_episode_steps=9: .* every game has an end"):
        gymnasium.make_vec(ID, max_episode_steps=9)
    envs = gymnasium.make_vec(ID, num_envs=2, vectorization_mode="sync", max_episode_steps=9)
    envs.reset(seed=1)


@pytest.mark.parametrize("seed", [-1, 2**63, 1.0, "1", True, [1], float("nan"), 10**30])
def test_a_seed_is_a_whole_number_below_two_to_the_63(seed):
    with pytest.raises(ValueError, match="seed"):
        Game(seed=seed)
    with pytest.raises(ValueError, match="seed"):
        Batch(2, seed=seed)
    with pytest.raises(ValueError, match="seed"):
        Game(seed=1).redeal(0, seed)


@pytest.mark.parametrize("seat", [-1, 2, None, 0.0, "0", True, [0], 10**30])
def test_a_seat_is_one_at_the_table(seat):
    game = Game(seed=1)
    with pytest.raises(ValueError, match="seat"):
        game.observe(seat)
    with pytest.raises(ValueError, match="seat"):
        game.redeal(seat, 1)
    if seat is not None:  # whoever decides
        with pytest.raises(ValueError, match="seat"):
            game.action_mask(seat)

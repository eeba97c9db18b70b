"""The AEC environment: turns, rewards, spaces, infos, options."""

import copy
import hashlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

from hemlock_env import Game, hemlock_v0
from hemlock_env.cards import load_card_set
from hemlock_env.engine.fields import FIELDS
from hemlock_env.envs.formats import key_of
from hemlock_env.game.rewards import margin, rewards
from tests.envs.games import VARIANTS, name, positions


def first_legal(observation):
    return int(np.flatnonzero(observation["action_mask"])[0])


def play(env, rng):
    """Play on to the end; what `last` paid each agent, how often each was seen over, the infos."""
    paid, dead_visits, infos = dict.fromkeys(env.agents, 0.0), dict.fromkeys(env.agents, 0), {}
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        paid[agent] += reward
        assert truncation is False
        if termination:
            dead_visits[agent] += 1
            infos[agent] = info
        legal = np.flatnonzero(observation["action_mask"])
        env.step(None if termination else int(rng.choice(legal)))
    return paid, dead_visits, infos


def at(game, **options):
    """A raw environment in the middle of a game."""
    env = hemlock_v0.raw_env(
        **{key: game.options[key] for key in game.options if key != "first_player"}, **options
    )
    env.reset(seed=0)
    env.game = game.copy()
    env._await_decision()
    return env


# ---- rewards and infos ----


@pytest.mark.pitfall("S02")
@pytest.mark.parametrize("reward", ["outcome", "margin"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_what_last_pays_adds_up_to_the_result(num_players, reward):
    rng = np.random.default_rng(2)
    env = hemlock_v0.raw_env(num_players, reward=reward)
    for seed in range(100):
        env.reset(seed=seed)
        paid, dead_visits, infos = play(env, rng)
        game = env.game
        assert list(paid.values()) == rewards(reward, game.scores(), game.winners())
        assert abs(sum(paid.values())) < 1e-9
        assert all(type(each) is float for each in paid.values())
        assert set(dead_visits.values()) == {1}
        assert env.agents == []
        for seat, info in enumerate(infos.values()):
            assert not info.pop("action_mask").any()
            assert info == {
                "scores": game.scores(),
                "winners": game.winners(),
                "margin": margin(game.scores(), seat),
                "decisions": game.decisions,
                "illegal_action": False,
            }


@pytest.mark.rule("R10.6")
def test_the_winner_is_paid_one_and_the_loser_minus_one():
    env = hemlock_v0.env()
    env.reset(seed=4)
    paid, _, infos = play(env, np.random.default_rng(4))
    (winner,) = infos["player_0"]["winners"]
    assert paid == {f"player_{winner}": 1.0, f"player_{1 - winner}": -1.0}


@pytest.mark.rule("R10.6")
def test_a_draw_of_all_pays_nothing():
    rng = np.random.default_rng(5)
    env = hemlock_v0.env()
    for seed in range(10_000):
        env.reset(seed=seed)
        paid, _, infos = play(env, rng)
        if infos["player_0"]["winners"] == [0, 1]:
            assert paid == {"player_0": 0.0, "player_1": 0.0}
            return
    raise AssertionError("no draw in 10,000 games")


def test_nothing_is_paid_before_the_end():
    env = hemlock_v0.raw_env()
    env.reset(seed=1)
    for _ in env.agent_iter():
        observation, reward, termination, _, _ = env.last()
        assert termination or (reward == 0.0 and env.rewards == {"player_0": 0.0, "player_1": 0.0})
        env.step(None if termination else first_legal(observation))


@pytest.mark.pitfall("S02")
def test_an_agent_whose_game_is_over_takes_only_none():
    env = hemlock_v0.env()
    env.reset(seed=1)
    while not any(env.terminations.values()):
        env.step(first_legal(env.last()[0]))
    with pytest.raises(ValueError, match="only valid action is None"):
        env.step(0)
    env.step(None)
    env.step(None)
    assert env.agents == []


# ---- masks and observations ----


@pytest.mark.parametrize("options", VARIANTS, ids=name)
def test_only_the_deciding_agent_has_legal_actions(options):
    rng = np.random.default_rng(6)
    env = hemlock_v0.raw_env(**options)
    env.reset(seed=6)
    while not env.over:
        for seat, agent in enumerate(env.agents):
            observation = env.observe(agent)
            decides = seat == env.game.seat
            assert decides == (agent == env.agent_selection)
            assert (observation["action_mask"].sum() >= 2) == decides
            assert np.array_equal(observation["action_mask"], env.game.action_mask(seat))
            assert np.array_equal(observation["action_mask"], env.infos[agent]["action_mask"])
            assert np.array_equal(observation["observation"], env.game.observe(seat))
            assert env.observation_space(agent).contains(observation)
        env.step(int(rng.choice(env.game.legal_actions())))
    for agent in env.agents:
        observation = env.observe(agent)
        assert not observation["action_mask"].any()
        assert env.observation_space(agent).contains(observation)


@pytest.mark.pitfall("S05")
def test_the_mask_is_what_step_accepts():
    for game in positions()[::4]:
        env = at(game)
        mask = env.last()[0]["action_mask"]
        for action in range(len(mask)):
            if mask[action]:
                copy.deepcopy(env).step(np.int32(action))
            else:
                with pytest.raises(ValueError, match="illegal"):
                    env.step(np.int32(action))


@pytest.mark.pitfall("S11")
def test_what_is_handed_out_stays_as_it_was():
    env = hemlock_v0.raw_env()
    env.reset(seed=7)
    kept = []
    for agent in env.agent_iter(110):
        observation, _, _, _, info = env.last()
        other = env.observe(env.possible_agents[1 - env.possible_agents.index(agent)])
        kept += [*observation.values(), *other.values(), info["action_mask"]]
        env.step(first_legal(observation))
    digests = [hashlib.sha256(array).hexdigest() for array in kept]
    play(env, np.random.default_rng(7))
    assert digests == [hashlib.sha256(array).hexdigest() for array in kept]
    assert len({array.__array_interface__["data"][0] for array in kept}) == len(kept)
    assert all(array.base is None or array.base.size == array.size for array in kept)


@pytest.mark.pitfall("S11")
def test_writing_into_what_is_handed_out_changes_nothing():
    env, twin = hemlock_v0.raw_env(), hemlock_v0.raw_env()
    env.reset(seed=8)
    twin.reset(seed=8)
    for _ in env.agent_iter(100):
        observation, _, _, _, info = env.last()
        again = twin.last()[0]
        assert all(np.array_equal(observation[key], again[key]) for key in again)
        action = first_legal(observation)
        for array in (*observation.values(), info["action_mask"]):
            array[:] = 1
        env.step(action)
        twin.step(action)


def test_spaces_are_the_same_objects_at_every_call():
    env = hemlock_v0.env(3)
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_every_form_of_observation_shows_the_same_facts(num_players):
    plain, scaled, named = (
        hemlock_v0.raw_env(num_players, observation=form) for form in ("int8", "float", "dict")
    )
    for env in (plain, scaled, named):
        env.reset(seed=21)
    layout, rng = plain.game.spec.layout, np.random.default_rng(21)
    for _ in range(60):
        for agent in plain.agents:
            tensor, small, arrays = (
                env.observe(agent)["observation"] for env in (plain, scaled, named)
            )
            assert small.dtype == np.float32 and np.array_equal(small, layout.scaled(tensor))
            for field in FIELDS:
                array = arrays[key_of(field)]
                part = layout.part(tensor, field.name)
                assert array.dtype == np.int8 and np.array_equal(array.ravel(), part.ravel())
            assert sum(array.size for array in arrays.values()) == layout.features
            assert arrays["seat_space_owner"].shape == (num_players, 4, 3, 3)
            assert arrays["space_empty"].shape == (4, 3, 3)
            assert arrays["seat_minions"].shape == (num_players, 4, 10)
            assert arrays["loot_in_row"].shape == (10,) and arrays["nights_to_come"].shape == (8,)
            for env in (plain, scaled, named):
                assert env.observation_space(agent).contains(env.observe(agent))
        action = int(rng.choice(plain.game.legal_actions()))
        for env in (plain, scaled, named):
            env.step(action)


@pytest.mark.pitfall("S11")
def test_the_arrays_of_a_dict_are_fresh():
    env = hemlock_v0.raw_env(observation="dict")
    env.reset(seed=22)
    for array in env.observe("player_0")["observation"].values():
        array[:] = 99
    again = env.observe("player_0")
    assert env.observation_space("player_0").contains(again)


def test_options_for_one_game_come_with_its_reset():
    env = hemlock_v0.env()
    env.reset(seed=1, options={"agendas": True, "unknown": 1})
    assert env.unwrapped.game.options["agendas"]
    env.reset()
    assert not env.unwrapped.game.options["agendas"]
    with pytest.raises(ValueError, match="num_players"):
        env.reset(options={"num_players": 3})


def test_the_state_is_what_all_agents_know():
    env = hemlock_v0.env(3)
    env.reset(seed=1)
    known = [env.observe(agent)["observation"] for agent in env.agents]
    assert np.array_equal(env.state(), np.concatenate(known))


# ---- actions ----


def test_actions_are_numbers_of_any_kind_or_names():
    env = hemlock_v0.env()
    env.reset(seed=9)
    action = first_legal(env.last()[0])
    for same in (
        action,
        np.int64(action),
        np.uint8(action),
        env.unwrapped.game.action_name(action),
    ):
        env.reset(seed=9)
        env.step(same)
        assert env.unwrapped.game.decisions == 1


# ---- seeds, copies, positions ----


def trace(env, steps=60):
    """What one sees of a game in which everyone takes the first legal action."""
    seen = []
    for _ in env.agent_iter(steps):
        observation = env.last()[0]
        seen.append(observation["observation"].tobytes())
        env.step(first_legal(observation))
    return seen


def test_a_seed_is_the_game_of_that_seed():
    env = hemlock_v0.raw_env(3, sides="random", agendas=True)
    env.reset(seed=11)
    assert env.game.record() == Game(3, sides="random", agendas=True, seed=11).record()


def test_resets_without_a_seed_go_on_with_the_own_stream():
    one, two = hemlock_v0.env(), hemlock_v0.env()
    one.reset(seed=12)
    two.reset(seed=12)
    first = trace(one)
    one.reset()
    second = trace(one)
    two.reset()
    assert trace(two) == second != first
    one.reset()
    assert trace(one) not in (first, second)


def test_environments_that_were_never_seeded_differ():
    one, two = hemlock_v0.raw_env(), hemlock_v0.raw_env()
    one.reset()
    two.reset()
    assert one.game.record()["seed"] != two.game.record()["seed"]


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "one", True])
def test_a_seed_that_can_not_be_is_refused_and_the_game_goes_on(seed):
    env = hemlock_v0.raw_env()
    env.reset(seed=1)
    game = env.game
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=seed)
    assert env.game is game


@pytest.mark.pitfall("S13")
def test_global_random_state_is_neither_read_nor_changed():
    import random

    def played(disturb):
        env = hemlock_v0.env()
        env.reset(seed=13)
        seen = []
        for _ in env.agent_iter(100):
            observation = env.last()[0]
            seen.append(observation["observation"].tobytes())
            env.step(first_legal(observation))
            if disturb:
                random.random()
                np.random.rand()
                other = hemlock_v0.env(3)
                other.reset(seed=1)
                other.step(first_legal(other.last()[0]))
        return seen

    quiet, before, numpy_before = played(False), random.getstate(), np.random.get_state()
    assert played(False) == quiet
    hemlock_v0.env().reset()
    assert random.getstate() == before
    assert all(map(np.array_equal, np.random.get_state(), numpy_before))
    assert played(True) == quiet


@pytest.mark.pitfall("S12")
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_copy_in_the_middle_of_a_game_goes_on_from_there(duplicate, wrapped):
    for number, game in enumerate(positions()):
        env = at(game)
        if wrapped:
            outer = hemlock_v0.env(game.num_players)
            outer.reset(seed=0)
            outer.env.env = env
            env = outer
        twin = duplicate(env)
        chance, twins_chance = np.random.default_rng(number), np.random.default_rng(number)
        before = env.unwrapped.game.to_position()
        paid = play(twin, chance)[0]
        assert env.unwrapped.game.to_position() == before
        assert play(env, twins_chance)[0] == paid
        assert twin.unwrapped.game.to_position() == env.unwrapped.game.to_position()
        assert twin.agents == env.agents == []


@pytest.mark.pitfall("S12")
def test_a_copy_draws_the_same_games():
    env = hemlock_v0.env()
    env.reset(seed=14)
    twin = pickle.loads(pickle.dumps(env))
    env.reset()
    twin.reset()
    assert trace(env) == trace(twin)


def test_a_game_can_begin_at_a_position():
    game = positions()[40]
    env = hemlock_v0.raw_env(game.num_players)
    env.reset(seed=1, options={"position": game.to_position(), "unknown": 1})
    assert env.game.to_position() == game.to_position()
    assert env.agent_selection == f"player_{game.seat}"
    play(env, np.random.default_rng(1))
    assert env.agents == []


def test_a_hand_written_position_takes_the_seed():
    position = next(game for game in positions() if game.num_players == 2).to_position()
    assert position["decision"]["kind"] == "use_loot"
    del position["rng"], position["pending"]
    env, twin = hemlock_v0.env(), hemlock_v0.env()
    env.reset(seed=15, options={"position": position})
    twin.reset(seed=15, options={"position": position})
    assert trace(env) == trace(twin)


def test_a_position_that_does_not_fit_is_refused_and_the_game_goes_on():
    env = hemlock_v0.raw_env(2)
    env.reset(seed=1)
    game = env.game
    with pytest.raises(ValueError, match="num_players"):
        env.reset(options={"position": Game(3, seed=1).to_position()})
    with pytest.raises(ValueError, match="format"):
        env.reset(options={"position": {}})
    assert env.game is game


def test_a_position_of_a_finished_game_is_refused():
    env = hemlock_v0.raw_env(2)
    env.reset(seed=1)
    play(env, np.random.default_rng(1))
    with pytest.raises(ValueError, match="over"):
        env.reset(options={"position": env.game.to_position()})


# ---- options ----


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"num_players": 5}, "num_players"),
        ({"num_players": 4, "loot": "hand"}, "loot"),
        ({"sides": "upper"}, "sides"),
        ({"items_as_loot": 1}, "items_as_loot"),
        ({"agendas": "yes"}, "agendas"),
        ({"first_player": 2}, "first_player"),
        ({"card_set": "no_such_set"}, "no_such_set"),
        ({"reward": "score"}, "reward"),
        ({"render_mode": "video"}, "render_mode"),
        ({"observation": "int16"}, "observation"),
    ],
)
@pytest.mark.parametrize("make", [hemlock_v0.env, hemlock_v0.raw_env])
def test_an_option_that_can_not_be_is_named(make, wrong, named):
    with pytest.raises(ValueError, match=named):
        make(**wrong)


def test_an_unknown_option_is_refused():
    with pytest.raises(ValueError, match="colour"):
        hemlock_v0.env(colour="red")


def test_a_loaded_card_set_will_do():
    env = hemlock_v0.raw_env(card_set=load_card_set("vault_of_darkness"), first_player=1)
    env.reset(seed=1)
    assert env.agent_selection == "player_1"


# ---- order, rendering, imports ----


def test_calls_before_reset_are_refused():
    env = hemlock_v0.env()
    for call in (lambda: env.step(0), lambda: env.observe("player_0"), env.render, env.state):
        with pytest.raises(AssertionError, match="reset"):
            call()
    with pytest.raises(AttributeError, match="reset"):
        env.last()


def test_rendering_shows_what_the_deciding_agent_knows_and_everything_when_over():
    env = hemlock_v0.env(render_mode="ansi", agendas=True)
    env.reset(seed=16)
    text = env.render()
    assert f"as seat {env.unwrapped.game.seat} knows it" in text
    play(env, np.random.default_rng(16))
    assert "everything is shown" in env.render()


def test_human_rendering_prints_every_step(capsys):
    env = hemlock_v0.env(render_mode="human")
    env.reset(seed=17)
    assert env.render() is None
    env.step(first_legal(env.last()[0]))
    assert capsys.readouterr().out.count("Hemloch: Vault of Darkness") == 3


def test_rendering_without_a_mode_warns():
    env = hemlock_v0.env()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
    env.close()
    env.close()


@pytest.mark.pitfall("S15")
def test_importing_it_loads_no_trainer_and_no_window():
    heavy = "{'torch', 'stable_baselines3', 'pygame', 'matplotlib', 'PIL'}"
    code = f"import sys, hemlock_env.hemlock_v0; print(sorted({heavy} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"

"""Illegal actions: `raw_env` raises and changes nothing, `env` ends the game."""

import copy
import logging

import numpy as np
import pytest

from hemlock_env import hemlock_v0
from hemlock_env.envs.gym_env import HemlockGymEnv
from tests.envs.games import KINDS, VARIANTS, kind_of, positions
from tests.envs.test_aec import at, first_legal

NOT_ACTIONS = [None, 1.0, float("nan"), -1, 152, 10**30, "no_such:name", "", True, [3], b"x"]


def ends(env, action):
    """Make an illegal action in `env()` and play the end of the game; what each agent was paid."""
    offender = env.agent_selection
    agents = env.agents.copy()
    env.step(action)
    assert env.terminations == dict.fromkeys(agents, True)
    assert env.truncations == dict.fromkeys(agents, False)
    paid, illegal = {}, {}
    for agent in env.agent_iter():
        observation, paid[agent], termination, truncation, info = env.last()
        assert termination is True and truncation is False
        assert not observation["action_mask"].any()
        assert env.observation_space(agent).contains(observation)
        illegal[agent] = info["illegal_action"]
        assert info["winners"] == [] and len(info["scores"]) == len(agents)
        env.step(None)
    assert illegal == {agent: agent == offender for agent in agents}
    return offender, paid


def wrapped(game, **options):
    """`env()` in the middle of a game."""
    outer = hemlock_v0.env(game.num_players)
    outer.reset(seed=0)
    outer.env.env = at(game, **options)
    return outer


def an_illegal(game):
    return int(np.flatnonzero(game.action_mask() == 0)[7])


def test_positions_cover_every_decision():
    assert {kind_of(game) for game in positions()} == set(KINDS)


@pytest.mark.pitfall("S04")
@pytest.mark.parametrize("reward", ["outcome", "margin"])
def test_in_every_phase_it_costs_the_offender_one_and_the_others_nothing(reward):
    for game in positions():
        env = wrapped(game, reward=reward)
        offender, paid = ends(env, an_illegal(game))
        assert offender == f"player_{game.seat}"
        assert paid == {agent: -1.0 if agent == offender else 0.0 for agent in paid}
        assert all(type(each) is float for each in paid.values())


@pytest.mark.pitfall("S04")
@pytest.mark.parametrize("action", NOT_ACTIONS)
def test_what_is_no_action_is_illegal(action):
    env = wrapped(positions()[0])
    offender, paid = ends(env, action)
    assert paid[offender] == -1.0


@pytest.mark.pitfall("S04")
def test_in_every_phase_the_raw_environment_raises_and_changes_nothing():
    for game in positions():
        env = at(game)
        before = copy.deepcopy(env.__dict__)
        for action in (an_illegal(game), None, 0.5):
            with pytest.raises(ValueError, match=r"action|illegal"):
                env.step(action)
        assert env.game.to_position() == game.to_position()
        for key in ("agents", "_selected", "rewards", "terminations", "truncations"):
            assert env.__dict__[key] == before[key]
        env.step(env.game.legal_actions()[0])


@pytest.mark.parametrize("action", NOT_ACTIONS)
def test_the_raw_environment_refuses_what_is_no_action(action):
    env = hemlock_v0.raw_env()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="action"):
        env.step(action)
    assert env.game.decisions == 0


def test_the_log_says_who_did_what_and_what_was_legal(caplog):
    env = hemlock_v0.env(first_player=1)
    env.reset(seed=2)
    with caplog.at_level(logging.WARNING, "hemlock_env.envs.aec"):
        env.step("take:ghoul")
    (message,) = [record.getMessage() for record in caplog.records]
    assert "player_1" in message and "take:ghoul" in message and "legal: loot:" in message


def test_the_next_reset_begins_a_new_game():
    env = hemlock_v0.env()
    env.reset(seed=3)
    env.step(None)
    env.step(None)  # one agent is gone, the other not yet
    env.reset()
    assert env.agents == env.possible_agents
    assert env.rewards == {"player_0": 0.0, "player_1": 0.0}
    env.step(first_legal(env.last()[0]))
    assert not any(env.terminations.values())


def test_rendering_shows_where_it_ended():
    env = hemlock_v0.env(render_mode="ansi")
    env.reset(seed=4)
    env.step(-1)
    assert "everything is shown" in env.render()


def test_steps_after_the_end_are_ignored():
    env = hemlock_v0.env()
    env.reset(seed=5)
    ends(env, -1)
    env.step(None)
    assert env.agents == []


@pytest.mark.pitfall("S04")
def test_at_a_thousand_positions_an_illegal_action_changes_nothing():
    checked = 0
    for seed, options in enumerate(VARIANTS):
        raw, chance = hemlock_v0.raw_env(**options), np.random.default_rng(seed)
        learner = HemlockGymEnv(seat=0, illegal_action="raise", **options)
        raw.reset(seed=seed)
        learner.reset(seed=seed)
        for _ in range(40):
            for env, game in ((raw, raw.game), (learner, learner.game)):
                wrong = int(chance.choice(np.flatnonzero(game.action_mask() == 0)))
                state = game.state.tobytes()
                for action in (wrong, -1, 152, None):
                    for refuse in (game.step, env.step):
                        with pytest.raises(ValueError, match=r"action|illegal"):
                            refuse(action)
                assert game.state.tobytes() == state and not env.over
                checked += 1
                env.step(int(chance.choice(game.legal_actions())))
            if raw.over or learner.over:
                break
    assert checked >= 1000

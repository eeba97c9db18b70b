"""R13.6: nothing that an agent gets depends on what is hidden from it."""

import numpy as np
import pytest

from hemlock_env.envs.gym_env import HemlockGymEnv
from tests.envs.games import positions
from tests.envs.test_aec import at

pytestmark = pytest.mark.rule("R13.6")


def seen(env, seat):
    """All that an agent gets, as bytes."""
    agent = f"player_{seat}"
    observation, info = env.observe(agent), env.infos[agent]
    arrays = (*observation.values(), *info.values())
    return [array.tobytes() for array in arrays], sorted(info), env.agent_selection


@pytest.mark.pitfall("S16")
def test_every_agent_gets_the_same_after_a_redeal():
    for number, game in enumerate(positions()):
        for seat in range(game.num_players):
            redealt = game.redeal(seat, number)
            assert seen(at(game), seat) == seen(at(redealt), seat)
            assert repr(game) == repr(redealt)


@pytest.mark.pitfall("S16")
def test_the_deciding_agent_sees_the_same_table_after_a_redeal():
    for number, game in enumerate(positions()):
        env, redealt = (
            at(each, render_mode="ansi") for each in (game, game.redeal(game.seat, number))
        )
        assert env.render() == redealt.render()


def test_a_redeal_changes_something_to_be_hidden():
    changed = [
        not np.array_equal(game.state["hand"], game.redeal(game.seat, 1).state["hand"])
        for game in positions()
    ]
    assert any(changed)


@pytest.mark.pitfall("S16")
@pytest.mark.rule("R13.6")
def test_the_learner_gets_the_same_after_a_redeal():
    for number, game in enumerate(positions()):
        seen = []
        for each in (game, game.redeal(game.seat, number)):
            env = HemlockGymEnv(game.num_players, seat=game.seat, render_mode="ansi")
            shown, info = env.reset(seed=1, options={"position": each.to_position()})
            mask = info.pop("action_mask")
            seen.append([shown.tobytes(), mask.tobytes(), info, env.render(), repr(env.game)])
        assert seen[0] == seen[1]

"""Every integer type of NumPy is as good as any other, wherever numbers are taken."""

import gymnasium
import numpy as np
import pytest

from hemlock_env import Batch, Game, hemlock_v0
from hemlock_env.agents import Bot
from hemlock_env.envs.sb3 import HemlockVecEnv
from hemlock_env.evaluation import play_match

TYPES = pytest.mark.parametrize(
    "dtype",
    [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64],
    ids=lambda dtype: dtype.__name__,
)


@TYPES
def test_a_batch_takes_it_for_actions_seeds_and_numbers_of_decisions(dtype):
    batch, same = Batch(8), Batch(8)
    batch.reset(np.arange(8).astype(dtype))
    same.reset(list(range(8)))
    for _ in range(300):
        actions = same.legal[:, 0]  # those of finished games are ignored, whatever they are
        fits = np.iinfo(dtype).max >= actions.max()
        batch.step(actions.astype(dtype) if fits else actions)
        same.step(actions)
    for decisions in (2, np.arange(8)):
        batch.reset(np.arange(8).astype(dtype))
        batch.play_random(np.asarray(decisions).astype(dtype))
        same.reset(list(range(8)))
        same.play_random(decisions)
    assert batch.games.tobytes() == same.games.tobytes()
    with pytest.raises(ValueError, match="game 0: action 127 is illegal"):
        batch.step(np.full(8, 127).astype(dtype))


@TYPES
def test_a_number_that_is_no_action_is_refused_in_it(dtype):
    for number in (np.iinfo(dtype).min, np.iinfo(dtype).max):
        batch = Batch(2, seed=1)
        if number in batch.legal:
            continue
        with pytest.raises(ValueError, match=f"game 0: action {number} is illegal"):
            batch.step(np.full(2, number, dtype))
        with pytest.raises(ValueError, match=r"illegal|must be"):
            Game(seed=1).step(dtype(number))


@TYPES
def test_environments_take_it(dtype):
    def lowest(mask):
        action = np.asarray(mask.argmax(axis=-1))
        return action.astype(dtype) if action.max() <= np.iinfo(dtype).max else action

    options = {"opponent": "random", "illegal_action": "raise"}
    envs = gymnasium.make_vec("hemlock/Hemlock-v0", num_envs=4, **options)
    alone = gymnasium.make("hemlock/Hemlock-v0", **options)
    venv, aec, game = HemlockVecEnv(4, **options), hemlock_v0.raw_env(), Game(num_players=dtype(2))
    venv.reset()
    aec.reset(seed=1)
    info, infos = alone.reset(seed=1)[1], envs.reset(seed=[dtype(each) for each in range(4)])[1]
    for _ in range(30):
        infos = envs.step(lowest(infos["action_mask"]))[4]
        info = alone.step(lowest(info["action_mask"])[()])[4]
        venv.step(lowest(venv.action_masks()))
        aec.step(lowest(aec.observe(aec.agent_selection)["action_mask"])[()])
        game.step(lowest(game.action_mask())[()])
    assert game.decisions == 30


@TYPES
def test_a_bot_may_answer_in_it(dtype):
    class Lowest(Bot):
        spec = "lowest"

        def choose(self, decisions):
            lowest = decisions.legal[:, 0]
            return lowest.astype(dtype) if lowest.max() <= np.iinfo(dtype).max else lowest

    class Wide(Lowest):
        def choose(self, decisions):
            return decisions.legal[:, 0].astype(np.int64)

    ours, theirs = (play_match(bot, "random", 8) for bot in (Lowest(), Wide()))
    assert ours.illegal == 0 and ours.digest == theirs.digest

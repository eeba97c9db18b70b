"""The single environment, the vectorised one and a plain loop over `Game` play the same games."""

import numpy as np
import pytest

from hemlock_env import Game, make_bot
from hemlock_env.agents import Decisions
from hemlock_env.envs.gym_env import HemlockGymEnv
from hemlock_env.envs.seating import Seating
from hemlock_env.envs.vector import HemlockVectorEnv

ONE = np.zeros(1, np.intp)


def middle(game):
    """A callable opponent."""
    legal = game.legal_actions()
    return legal[len(legal) // 2]


def of_learner(game):
    """What the learner does, a different thing at each of its decisions."""
    legal = game.legal_actions()
    return legal[game.decisions * 7 % len(legal)]


def plain_games(count, seed, num_players, seat, opponents, **options):
    """So many games, one after the other, as the environments promise to play them."""
    seating = Seating(1, num_players, seat)
    seating.seed(ONE, seed)
    for number in range(count):
        if number:
            seating.follow(ONE)
        seating.sit(ONE)
        learner = int(seating.learners[0])
        game = Game(num_players, seed=int(seating.seeds[0]), **options)
        while not game.over:
            if game.seat == learner:
                game.step(of_learner(game))
                continue
            bot = opponents[(game.seat - learner) % num_players - 1]
            keys = seating.keys(ONE, game.arrays.seats, game.arrays.states["decisions"])
            own = Decisions.of(game, keys)
            game.step(int(bot.choose(own)[0]) if hasattr(bot, "choose") else bot(game))
        yield game, learner


@pytest.mark.parametrize("seat", ["random", "alternate", 1])
@pytest.mark.parametrize(
    ("num_players", "opponents", "options"),
    [
        (2, ["random"], {}),
        (2, ["greedy"], {"loot": "hand", "sides": "random"}),
        (3, ["random", "greedy"], {"items_as_loot": True}),
        (3, ["planner:budget=20", "random"], {"agendas": True}),
        (4, ["random", "random", "random"], {"sides": "advanced", "first_player": 2}),
    ],
)
def test_all_three_play_the_same_games(num_players, opponents, options, seat):
    games = plain_games(3, 77, num_players, seat, [make_bot(name) for name in opponents], **options)
    given = {"num_players": num_players, "opponent": opponents, "seat": seat, **options}
    single = HemlockGymEnv(**given)
    vector = HemlockVectorEnv(1, autoreset_mode="SAME_STEP", **given)
    single.reset(seed=77)
    vector.reset(seed=77)
    for game, learner in games:
        over = False
        while not over:
            action = of_learner(single.game)
            shown, reward, over, _, info = single.step(action)
            shown_by_vector, rewards, _, _, infos = vector.step([action])
            if not over:
                assert np.array_equal(shown, shown_by_vector[0])
                assert np.array_equal(info["action_mask"], infos["action_mask"][0])
        assert single.game.record() == game.record()
        assert single.game.state.tobytes() == game.state.tobytes()
        assert np.array_equal(shown, game.observe(learner)) and single.seat == learner
        assert np.array_equal(shown, infos["final_obs"][0]) and reward == rewards[0]
        assert infos["final_info"]["scores"][0].tolist() == game.scores()
        single.reset()


def test_a_callable_opponent_plays_as_it_would_in_a_plain_loop():
    (game, _), single = (
        next(plain_games(1, 5, 2, 0, [middle])),
        HemlockGymEnv(seat=0, opponent=middle),
    )
    single.reset(seed=5)
    while not single.over:
        single.step(of_learner(single.game))
    assert single.game.record() == game.record()


def test_a_game_that_was_kept_stays_as_it_ended_and_the_next_one_is_another():
    env = HemlockGymEnv()
    assert env.game is None
    env.reset(seed=6)
    kept, state = env.game, env.game.state.tobytes()
    assert env.game is kept
    env.reset()
    assert env.game is not kept and kept.state.tobytes() == state
    env.step(of_learner(env.game))
    assert kept.decisions < env.game.decisions


def test_a_game_that_began_at_a_position_has_no_record_and_the_next_one_has():
    env = HemlockGymEnv()
    env.reset(seed=7)
    env.reset(options={"position": env.game.to_position()})
    with pytest.raises(ValueError, match="no record"):
        env.game.record()
    env.reset()
    env.step(of_learner(env.game))
    assert env.game.record()["events"][0]["setup"]
    with_options = {"agendas": True}
    env.reset(options=with_options)
    assert env.game.record()["options"]["agendas"] is True

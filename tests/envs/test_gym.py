"""The Gymnasium environment: registration, checkers, who is paid what, masks, options, copies."""

import builtins
import copy
import hashlib
import pickle
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as check_for_sb3

import hemlock_env
from hemlock_env import Game, make_bot
from hemlock_env.envs.gym_env import HemlockGymEnv
from hemlock_env.envs.registration import register
from hemlock_env.game.rewards import rewards
from tests.envs.games import VARIANTS, Failing, any_legal, name, positions

ID = "hemlock/Hemlock-v0"


def first(game):
    """A rival that takes its first legal action."""
    return game.legal_actions()[0]


def drawn(info, rng):
    return int(rng.choice(np.flatnonzero(info["action_mask"])))


def play(env, rng):
    """On from where the environment is to the end of its game; rewards and the last info."""
    paid, over = [], False
    while not over:
        mask = env.action_masks()
        _, reward, over, truncated, info = env.step(int(rng.choice(np.flatnonzero(mask))))
        assert truncated is False and type(reward) is float and type(over) is bool
        paid.append(reward)
    return paid, info


# ---- registration ----


@pytest.mark.parametrize("spec", [ID, f"hemlock_env:{ID}"])
def test_gymnasium_makes_it(spec):
    env = gymnasium.make(spec, num_players=3, opponent="greedy")
    _, info = env.reset(seed=1)
    assert isinstance(env.unwrapped, HemlockGymEnv)
    assert np.array_equal(env.get_wrapper_attr("action_masks")(), info["action_mask"] == 1)


def test_registering_twice_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        register()
        gymnasium.register_envs(hemlock_env)


def test_the_module_form_works_where_nothing_is_imported_yet():
    code = (
        f"import gymnasium as g; e = g.make('hemlock_env:{ID}'); e.reset(seed=1); print(e.spec.id)"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == [ID]


# ---- checkers ----


@pytest.mark.pitfall("S03")
@pytest.mark.parametrize("options", VARIANTS, ids=name)
def test_check_env_passes_for_every_variant(options, capsys):
    check_env(gymnasium.make(ID, **options).unwrapped)


@pytest.mark.parametrize("observation", ["int8", "float", "dict"])
def test_check_env_passes_for_every_form_of_observation(observation, capsys):
    check_env(gymnasium.make(ID, observation=observation).unwrapped)


@pytest.mark.pitfall("S03")
@pytest.mark.parametrize("options", VARIANTS, ids=name)
def test_the_checker_of_stable_baselines_passes_for_every_variant(options):
    check_for_sb3(gymnasium.make(ID, **options).unwrapped, warn=True)


def test_the_checker_of_stable_baselines_passes_for_scaled_observations():
    check_for_sb3(gymnasium.make(ID, observation="float").unwrapped, warn=True)


# ---- rewards ----


@pytest.mark.pitfall("S01")
@pytest.mark.parametrize("reward", ["outcome", "margin"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_the_learner_gets_the_result_of_its_seat_at_the_end_and_nothing_before(num_players, reward):
    rng = np.random.default_rng(3)
    for seat in range(num_players):
        env = HemlockGymEnv(num_players, seat=seat, reward=reward)
        for seed in range(10):
            env.reset(seed=seed)
            paid, info = play(env, rng)
            scores, winners = env.game.scores(), env.game.winners()
            assert paid[-1] == rewards(reward, scores, winners)[seat]
            assert not any(paid[:-1])
            assert info["scores"] == scores and info["winners"] == winners
            assert info["decisions"] == env.game.decisions and not info["illegal_action"]
            assert info["seat"] == env.seat == seat


# ---- seats, rivals, seeds ----


def test_random_seats_come_all_about_equally_often():
    env = HemlockGymEnv(4)
    seats = [env.reset(seed=seed)[1]["seat"] for seed in range(400)]
    assert min(np.bincount(seats, minlength=4)) > 60


def test_alternating_seats_follow_each_other():
    env = HemlockGymEnv(3, seat="alternate")
    assert env.reset(seed=5)[1]["seat"] == 0
    assert [env.reset()[1]["seat"] for _ in range(5)] == [1, 2, 0, 1, 2]


def test_a_seat_for_one_game():
    env = HemlockGymEnv(3, seat=0)
    assert env.reset(seed=1, options={"seat": 2})[1]["seat"] == 2
    assert env.reset()[1]["seat"] == 0


def test_the_learner_decides_at_every_step_and_the_rivals_in_between():
    rng = np.random.default_rng(4)
    env = HemlockGymEnv(3, seat=1, opponent=[first, "greedy"])
    _, info = env.reset(seed=4)
    for _ in range(50):
        assert env.game.seat == 1
        assert np.array_equal(info["action_mask"], env.game.action_mask(1))
        _, _, over, _, info = env.step(drawn(info, rng))
        assert not over


def test_a_seed_is_the_game_of_that_seed_and_its_rivals_keep_to_their_bots():
    env = HemlockGymEnv(2, seat=0, opponent=first)
    env.reset(seed=6)
    play(env, np.random.default_rng(6))
    record = env.game.record()
    game = Game(seed=6)
    for event in record["events"]:
        if "action" in event and not event.get("forced"):
            if event["seat"] == 1:
                assert event["action"] == game.action_name(first(game))
            game.step(event["action"])
    assert game.record() == record


@pytest.mark.parametrize(
    "opponent", ["greedy", make_bot("greedy"), type(make_bot("greedy")), first, ["greedy"]]
)
def test_whatever_plays_can_be_the_opponent(opponent):
    env = HemlockGymEnv(2, opponent=opponent)
    env.reset(seed=7)
    paid, _ = play(env, np.random.default_rng(7))
    assert paid[-1] in (-1.0, 0.0, 1.0)


def test_one_opponent_for_each_place_clockwise_from_the_learner():
    asked = []
    rivals = [
        lambda game, place=place: asked.append((place, game.seat)) or first(game)
        for place in range(3)
    ]
    env = HemlockGymEnv(4, seat=2, opponent=rivals)
    env.reset(seed=8)
    play(env, np.random.default_rng(8))
    assert set(asked) == {(0, 3), (1, 0), (2, 1)}


def test_an_opponent_that_chooses_what_is_illegal_is_named():
    def stubborn(game):
        return 151

    env = HemlockGymEnv(2, opponent=stubborn)
    with pytest.raises(ValueError, match="stubborn chose action 151, which is illegal"):
        for seed in range(5):
            env.reset(seed=seed)
            play(env, np.random.default_rng(seed))


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_after_a_rival_failed_the_learner_does_not_answer_for_it(error):
    rival, rng = Failing(), np.random.default_rng(4)
    env = HemlockGymEnv(opponent=rival)
    _, info = env.reset(seed=4)
    rival.error = error
    with pytest.raises(error):
        for _ in range(10):
            info = env.step(drawn(info, rng))[4]
    rival.error = None
    assert env.game.seat != env.seat and env.action_masks().all()
    made = env.game.decisions
    with pytest.raises(ResetNeeded):
        env.step(env.game.legal_actions()[0])
    assert env.game.decisions == made
    env.reset()
    play(env, rng)
    assert env.over


def test_resets_without_a_seed_go_on_from_the_seed_before():
    one, two = HemlockGymEnv(), HemlockGymEnv()
    for env in (one, two):
        env.reset(seed=9)
    seeds = []
    for _ in range(3):
        shown = [env.reset()[0] for env in (one, two)]
        assert np.array_equal(*shown)
        seeds.append(one.game.record()["seed"])
    assert len(set(seeds)) == 3
    never = HemlockGymEnv(), HemlockGymEnv()
    drawn_seeds = [(env.reset(), env.game.record()["seed"])[1] for env in never]
    assert drawn_seeds[0] != drawn_seeds[1]


# ---- illegal actions ----


@pytest.mark.pitfall("S04")
@pytest.mark.parametrize("action", [None, -1, 152, 1.5, "no_such:name", True])
def test_what_is_no_action_ends_the_game_at_a_reward_of_minus_one(action):
    env = HemlockGymEnv()
    env.reset(seed=10)
    position = env.game.to_position()
    _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated, info["illegal_action"]) == (-1.0, True, False, True)
    assert info["winners"] == [] and env.game.to_position() == position
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(0)


@pytest.mark.pitfall("S04")
def test_in_every_phase_an_illegal_action_ends_or_raises_as_asked():
    for game in positions():
        for mode in ("terminate", "raise"):
            env = HemlockGymEnv(game.num_players, seat=game.seat, illegal_action=mode)
            env.reset(seed=1, options={"position": game.to_position()})
            wrong = int(np.flatnonzero(env.action_masks() == 0)[5])
            if mode == "raise":
                with pytest.raises(ValueError, match="illegal"):
                    env.step(wrong)
                assert not env.over
            else:
                assert env.step(wrong)[1:4] == (-1.0, True, False)
            assert env.game.to_position() == game.to_position()


def test_steps_before_the_first_reset_are_refused():
    env = HemlockGymEnv()
    assert env.action_masks().all()
    for call in (lambda: env.step(0), env.render):
        with pytest.raises(ResetNeeded):
            call()


# ---- options, positions, rendering ----


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"num_players": 5}, "num_players"),
        ({"seat": 2}, "seat"),
        ({"seat": "first"}, "seat"),
        ({"opponent": "gredy"}, "greedy"),
        ({"opponent": ["greedy", "random"]}, "opponent"),
        ({"opponent": 3}, "opponent"),
        ({"observation": "int16"}, "observation"),
        ({"illegal_action": "ignore"}, "illegal_action"),
        ({"reward": "score"}, "reward"),
        ({"render_mode": "video"}, "render_mode"),
        ({"colour": "red"}, "colour"),
    ],
)
@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_an_option_that_can_not_be_is_named(make, wrong, named):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Gymnasium's own advice on unknown render modes
        with pytest.raises(ValueError, match=named):
            make(ID, **wrong)


def test_options_for_one_game_come_with_its_reset():
    env = HemlockGymEnv()
    env.reset(seed=1, options={"agendas": True, "sides": "advanced", "unknown": 1})
    assert env.game.options["agendas"] and env.game.options["sides"] == ["advanced"] * 4
    env.reset()
    assert not env.game.options["agendas"] and env.game.options["sides"] == ["basic"] * 4


def test_a_game_can_begin_at_a_position():
    for game in positions()[::16]:
        env = HemlockGymEnv(game.num_players, seat=game.seat)
        _, info = env.reset(seed=1, options={"position": game.to_position()})
        assert env.game.to_position() == game.to_position()
        assert np.array_equal(info["action_mask"], game.action_mask())


@pytest.mark.parametrize(
    "asked",
    [
        {"position": {}},
        {"position": Game(3, seed=1).to_position()},
        {"num_players": 3},
        {"sides": "upper"},
        {"seat": 7},
        {"position": Game(seed=1).to_position(), "agendas": True},
    ],
)
@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_what_a_reset_can_not_do_is_refused_and_the_game_goes_on(make, asked):
    env, twin = make(ID).unwrapped, make(ID).unwrapped
    env.reset(seed=1)
    twin.reset(seed=1)
    with pytest.raises(ValueError, match=r"\w+"):
        env.reset(options=asked)
    rng, again = np.random.default_rng(1), np.random.default_rng(1)
    for _ in range(20):
        actions = [_some(each, chance) for each, chance in ((env, rng), (twin, again))]
        one, two = env.step(actions[0]), twin.step(actions[1])
        assert np.array_equal(one[0], two[0])


def _some(env, rng):
    masks = np.atleast_2d(env.action_masks())
    actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
    return actions if env.action_masks().ndim == 2 else int(actions[0])


def test_rendering_shows_what_the_learner_knows_and_everything_when_over(capsys):
    env = HemlockGymEnv(seat=1, render_mode="ansi", agendas=True)
    env.reset(seed=16)
    assert "as seat 1 knows it" in env.render()
    play(env, np.random.default_rng(16))
    assert "everything is shown" in env.render()
    human = HemlockGymEnv(render_mode="human")
    _, info = human.reset(seed=1)
    human.step(drawn(info, np.random.default_rng(1)))
    assert human.render() is None
    assert capsys.readouterr().out.count("Hemloch: Vault of Darkness") == 3


# ---- copies ----


@pytest.mark.pitfall("S12")
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("observation", ["int8", "float", "dict"])
def test_a_copy_in_the_middle_of_a_game_goes_on_from_there(duplicate, observation):
    for number, game in enumerate(positions()[::8]):
        env = HemlockGymEnv(
            game.num_players, seat=game.seat, opponent="greedy", observation=observation
        )
        env.reset(seed=number, options={"position": game.to_position()})
        twin = duplicate(env)
        before = env.game.to_position()
        paid = play(twin, np.random.default_rng(number))[0]
        assert env.game.to_position() == before
        assert play(env, np.random.default_rng(number))[0] == paid
        assert twin.game.to_position() == env.game.to_position()
        twin.reset()
        env.reset()
        assert twin.game.to_position() == env.game.to_position()


# ---- who is paid ----


def last_moves(by_learner):
    """A game of two, by seed, and the first actions that end it with a last decision of seat 0 (the
    learner) or of seat 1.
    """
    for seed in range(1000):
        game, actions = Game(seed=seed), []
        while not game.over:
            decider = game.seat
            actions.append((decider, game.legal_actions()[-1]))
            game.step(actions[-1][1])
        if (decider == 0) == by_learner and len(game.winners()) == 1:
            return seed, game.winners()[0], actions
    raise AssertionError("no such game")


@pytest.mark.pitfall("S01")
@pytest.mark.parametrize("by_learner", [True, False])
def test_the_last_step_of_the_learner_pays_its_result_whoever_ends_the_game(by_learner):
    seed, winner, actions = last_moves(by_learner)
    rivals = iter([action for seat, action in actions if seat == 1])
    env = HemlockGymEnv(seat=0, opponent=lambda game: next(rivals))
    env.reset(seed=seed)
    own = [action for seat, action in actions if seat == 0]
    for action in own[:-1]:
        assert env.step(action)[1:3] == (0.0, False)
    _, reward, terminated, truncated, _ = env.step(own[-1])
    assert (reward, terminated, truncated) == (1.0 if winner == 0 else -1.0, True, False)


@pytest.mark.pitfall("S01")
def test_a_rival_that_ends_the_game_and_wins_costs_the_learner_one():
    found = 0
    for seed in range(40):
        env, rng = HemlockGymEnv(seat=0, opponent="greedy"), np.random.default_rng(seed)
        env.reset(seed=seed)
        over = False
        while not over:
            _, reward, over, _, info = env.step(any_legal(env.action_masks(), rng))
        found += info["winners"] == [1]
        assert reward == {(0,): 1.0, (1,): -1.0, (0, 1): 0.0}[tuple(info["winners"])]
    assert found > 20


# ---- checkers act blindly ----


@pytest.mark.pitfall("S03")
def test_both_checkers_pass_whatever_actions_they_sample(capsys):
    for seed in range(50):
        env = gymnasium.make(ID).unwrapped
        env.action_space.seed(seed)
        check_env(env, skip_render_check=seed > 0)
        env.action_space.seed(seed)
        check_for_sb3(env, warn=True)
        env.reset(seed=seed)
        assert env.step(env.action_space.sample())[3] is False


# ---- what is handed out stays ----


@pytest.mark.pitfall("S11")
@pytest.mark.parametrize("observation", ["int8", "float", "dict"])
def test_300_steps_of_what_the_gymnasium_environment_showed_stay_as_they_were(observation):
    env, rng = HemlockGymEnv(observation=observation), np.random.default_rng(11)
    kept, (shown, info) = [], env.reset(seed=11)
    for _ in range(300):
        kept += [*(shown.values() if observation == "dict" else [shown]), info["action_mask"]]
        shown, _, over, _, info = env.step(any_legal(env.action_masks(), rng))
        if over:
            shown, info = env.reset()
    hashes = [hashlib.sha256(array).digest() for array in kept]
    for _ in range(100):
        over = env.step(any_legal(env.action_masks(), rng))[2]
        if over:
            env.reset()
    assert hashes == [hashlib.sha256(array).digest() for array in kept]
    places = {array.__array_interface__["data"][0] for array in kept}
    assert len(places) == len(kept)


@pytest.mark.pitfall("S11")
def test_garbage_in_what_was_handed_out_changes_nothing():
    env, twin, rng = HemlockGymEnv(), HemlockGymEnv(), np.random.default_rng(11)
    (shown, info), (expected, _) = env.reset(seed=11), twin.reset(seed=11)
    over = False
    while not over:
        assert np.array_equal(shown, expected)
        shown[:], info["action_mask"][:] = 77, 1
        env.action_masks()[:] = True
        action = any_legal(env.action_masks(), rng)
        shown, _, over, _, info = env.step(action)
        expected = twin.step(action)[0]


# ---- no display ----


@pytest.mark.pitfall("S15")
def test_pictures_need_no_display(monkeypatch):
    for variable in ("DISPLAY", "SDL_VIDEODRIVER", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    env = HemlockGymEnv(render_mode="rgb_array")
    env.reset(seed=15)
    before = env.render()
    assert before.dtype == np.uint8 and before.ndim == 3 and before.shape[2] == 3
    assert len(np.unique(before.reshape(-1, 3), axis=0)) > 10
    env.step(any_legal(env.action_masks(), np.random.default_rng(15)))
    assert env.render().shape == before.shape and not np.array_equal(env.render(), before)


@pytest.mark.pitfall("S15")
def test_a_missing_extra_is_named_in_one_sentence(monkeypatch):
    real = builtins.__import__

    def without_pillow(name, *given, **more):
        if name.partition(".")[0] == "PIL":
            raise ImportError("No module named 'PIL'")
        return real(name, *given, **more)

    monkeypatch.setattr(builtins, "__import__", without_pillow)
    env = HemlockGymEnv(render_mode="rgb_array")
    env.reset(seed=15)
    with pytest.raises(ImportError, match="render") as error:
        env.render()
    assert "\n" not in str(error.value)

"""The vectorised environment plays the games of single ones, in all autoreset modes."""

import copy
import itertools
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

from hemlock_env import Game
from hemlock_env.envs.vector import HemlockVectorEnv
from hemlock_env.game.rewards import rewards
from tests.envs.games import VARIANTS, Failing, any_legal, name, positions

ID = "hemlock/Hemlock-v0"
MODES = list(AutoresetMode)


def drawn(masks, rng):
    """A random legal action for each row."""
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def same_results(ours, theirs):
    """Of two steps of our own vectors."""
    for part in range(4):
        assert np.array_equal(ours[part], theirs[part])
    assert set(ours[4]) == set(theirs[4])
    assert all(np.array_equal(ours[4][key], theirs[4][key]) for key in ours[4])


def pair(count, mode=AutoresetMode.NEXT_STEP, **options):
    """Ours, and Gymnasium's vector of single environments."""
    ours = gymnasium.make_vec(ID, num_envs=count, autoreset_mode=mode, **options)
    theirs = gymnasium.make_vec(
        ID, count, "sync", vector_kwargs={"autoreset_mode": mode}, **options
    )
    assert isinstance(ours, HemlockVectorEnv) and isinstance(theirs, SyncVectorEnv)
    return ours, theirs


def same(ours, theirs, where=""):
    """Equal to the last bit, type for type; winners are a list in one and a row in the other."""
    if isinstance(ours, dict):
        assert set(ours) == set(theirs), where
        for key in ours:
            if key == "winners":
                for row, flags in zip(theirs[key], ours[key], strict=True):
                    seats = [] if row is None else row
                    assert np.flatnonzero(flags).tolist() == seats
            elif key == "scores":
                for row, scores in zip(theirs[key], ours[key], strict=True):
                    assert scores.tolist() == (row or [0] * len(scores))
            else:
                same(ours[key], theirs[key], f"{where} {key}")
    elif ours.dtype == object:
        for one, other in zip(ours, theirs, strict=True):
            assert (one is None) == (other is None), where
            if one is not None:
                same(one, other, where)
    else:
        assert ours.dtype == theirs.dtype, where
        assert np.array_equal(ours, theirs), where


def play_both(ours, theirs, steps, seed=7, illegal_every=0):
    """So many steps of both, compared; how many games ended."""
    rng, ends = np.random.default_rng(seed), 0
    for one, other in zip(ours.reset(seed=seed), theirs.reset(seed=seed), strict=True):
        same(one, other, "reset")
    info = {"action_mask": ours.action_masks()}
    for step in range(steps):
        actions = drawn(info["action_mask"], rng)
        if illegal_every and step % illegal_every == illegal_every - 1:
            row = step % ours.num_envs
            actions[row] = int(np.argmin(info["action_mask"][row]))
        results = ours.step(actions), theirs.step(actions)
        for one, other in zip(*results, strict=True):
            same(one, other, f"step {step}")
        info, ended = results[0][4], results[0][2]
        ends += int(ended.sum())
        if ours.autoreset_mode is AutoresetMode.DISABLED and ended.any():
            asked = {"reset_mask": ended.copy()}
            again = ours.reset(options=asked), theirs.reset(options={**asked})
            same(again[0][0], again[1][0], "reset_mask")
            info = again[0][1]
    return ends


@pytest.mark.parametrize("mode", MODES)
def test_it_plays_the_games_of_single_environments_in_every_mode(mode):
    ours, theirs = pair(6, mode)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert play_both(ours, theirs, 200, illegal_every=40) > 12


@pytest.mark.parametrize("options", VARIANTS, ids=name)
def test_it_plays_the_games_of_single_environments_in_every_variant(options):
    assert play_both(*pair(3, **options), 90) >= 3


@pytest.mark.parametrize(
    "options",
    [
        {"opponent": "greedy", "seat": "alternate", "reward": "margin"},
        {"num_players": 4, "opponent": ["greedy", "random", "planner:budget=20"], "seat": 2},
        {"num_players": 3, "observation": "dict", "first_player": 1},
        {"observation": "float", "sides": "random"},
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_it_plays_the_games_of_single_environments_with_other_rivals_and_forms(mode, options):
    assert play_both(*pair(4, mode, **options), 80) >= 4


def test_illegal_actions_that_raise_change_nothing():
    venv = HemlockVectorEnv(4, illegal_action="raise")
    _, info = venv.reset(seed=1)
    before = venv.slots.games.states.copy()
    actions = drawn(info["action_mask"], np.random.default_rng(1))
    actions[2] = 151
    with pytest.raises(ValueError, match="env 2: action 151 is illegal; legal"):
        venv.step(actions)
    assert np.array_equal(venv.slots.games.states, before)


# ---- the modes, each by its own rule ----


def to_the_first_end(venv, seed=2):
    """Step until a game ends; the slot and what that step returned."""
    rng = np.random.default_rng(seed)
    _, info = venv.reset(seed=seed)
    while True:
        result = venv.step(drawn(info["action_mask"], rng))
        info = result[4]
        if result[2].any():
            return int(np.flatnonzero(result[2])[0]), result, rng


@pytest.mark.pitfall("S10")
def test_the_mode_is_declared_as_the_member():
    for mode in MODES:
        for given in (mode, mode.name, mode.value, mode.name.lower()):
            venv = gymnasium.make_vec(ID, num_envs=2, autoreset_mode=given)
            assert venv.metadata["autoreset_mode"] is mode
    assert gymnasium.make_vec(ID).metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    with pytest.raises(ValueError, match="autoreset_mode"):
        gymnasium.make_vec(ID, autoreset_mode="sometimes")


@pytest.mark.pitfall("S10")
def test_next_step_shows_the_end_and_then_ignores_an_action():
    venv = HemlockVectorEnv(2)
    slot, (shown, rewards, _, _, info), rng = to_the_first_end(venv)
    assert abs(rewards[slot]) == 1.0 and info["_scores"][slot]
    state = venv.slots.games.states[slot]
    assert np.array_equal(shown[slot], venv.slots.games.observe(slot, int(info["seat"][slot])))
    assert info["action_mask"][slot].all() and state["decider"] == -1
    actions = drawn(info["action_mask"], rng)
    actions[slot] = 10**6
    shown, rewards, terminations, _, info = venv.step(actions)
    assert rewards[slot] == 0.0 and not terminations[slot]
    assert 2 <= info["action_mask"][slot].sum() < info["action_mask"].shape[1]
    assert np.array_equal(shown[slot], venv.slots.games.observations[slot])


@pytest.mark.pitfall("S10")
def test_same_step_shows_the_next_game_and_keeps_the_end_beside_it():
    venv = HemlockVectorEnv(2, autoreset_mode="SAME_STEP")
    slot, (shown, rewards, _, _, info), _ = to_the_first_end(venv)
    assert abs(rewards[slot]) == 1.0
    assert info["_final_obs"].tolist() == [slot == 0, slot == 1] == info["_final_info"].tolist()
    final = info["final_info"]
    assert final["_scores"][slot] and final["decisions"][slot] > 90
    assert not np.array_equal(info["final_obs"][slot], shown[slot])
    assert 2 <= info["action_mask"][slot].sum() < info["action_mask"].shape[1]


def test_disabled_waits_for_a_reset_of_the_slots_that_are_over():
    venv = HemlockVectorEnv(3, autoreset_mode="DISABLED")
    slot, (shown, _, ended, _, info), rng = to_the_first_end(venv)
    with pytest.raises(ResetNeeded, match=rf"\[{slot}\] are over"):
        venv.step(drawn(info["action_mask"], rng))
    after, info = venv.reset(options={"reset_mask": ended})
    others = ~ended
    assert np.array_equal(after[others], shown[others])
    assert not np.array_equal(after[slot], shown[slot])
    venv.step(drawn(info["action_mask"], rng))


@pytest.mark.parametrize(
    "mask", [[True, False], np.array([1, 0]), np.zeros(2, bool), np.ones(3, bool)]
)
def test_a_reset_mask_that_can_not_be_is_refused(mask):
    venv = HemlockVectorEnv(2, autoreset_mode="DISABLED")
    venv.reset(seed=1)
    with pytest.raises(ValueError, match="reset_mask"):
        venv.reset(options={"reset_mask": mask})


@pytest.mark.pitfall("S06")
@pytest.mark.parametrize("mode", MODES)
def test_no_policy_is_handed_a_row_without_an_action(mode):
    venv, rng, ends = HemlockVectorEnv(40, autoreset_mode=mode), np.random.default_rng(6), 0
    assert venv.action_masks().all()
    _, info = venv.reset(seed=6)
    while ends < 200:
        masks = venv.action_masks()
        assert masks.any(axis=1).all() and np.array_equal(masks, info["action_mask"] == 1)
        _, _, ended, _, info = venv.step(drawn(masks, rng))
        ends += int(ended.sum())
        if mode is AutoresetMode.DISABLED and ended.any():
            _, info = venv.reset(options={"reset_mask": ended})


# ---- seeds, options, copies ----


def test_slot_i_has_the_seed_plus_i_and_seeds_may_be_listed():
    one, two = HemlockVectorEnv(3), HemlockVectorEnv(3)
    assert np.array_equal(one.reset(seed=20)[0], two.reset(seed=[20, 21, 22])[0])
    kept = one.reset(seed=[None, 5, None])[0]
    assert np.array_equal(kept[1], HemlockVectorEnv(1).reset(seed=5)[0][0])
    assert np.array_equal(kept[[0, 2]], two.reset()[0][[0, 2]])
    for wrong in ([1, 2], -1, 2**63, "one", [1, 2, -3]):
        with pytest.raises(ValueError, match="seed"):
            one.reset(seed=wrong)


def test_vectors_that_were_never_seeded_differ():
    one, two = HemlockVectorEnv(3), HemlockVectorEnv(3)
    assert not np.array_equal(one.reset()[0], two.reset()[0])
    assert len(set(one.slots.seating.seeds.tolist())) == 3


def test_positions_and_options_of_a_reset_hold_for_its_games_alone():
    game = next(game for game in positions() if game.num_players == 2 and not game.over)
    asked = {"position": game.to_position()}
    for options in (asked, {"agendas": True, "sides": "random", "seat": 1}):
        ours, theirs = pair(3, AutoresetMode.SAME_STEP, opponent=["greedy"])
        rng = np.random.default_rng(3)
        start = ours.reset(seed=3, options=options), theirs.reset(seed=3, options=options)
        same(start[0][0], start[1][0])
        info, ends = start[0][1], 0
        while ends < 7:
            actions = drawn(info["action_mask"], rng)
            results = ours.step(actions), theirs.step(actions)
            for one, other in zip(*results, strict=True):
                same(one, other)
            info = results[0][4]
            ends += int(results[0][2].sum())


@pytest.mark.pitfall("S11")
def test_what_is_handed_out_is_fresh():
    venv, rng = HemlockVectorEnv(4), np.random.default_rng(5)
    twin, again = HemlockVectorEnv(4), np.random.default_rng(5)
    handed, (shown, info) = [], venv.reset(seed=5)
    twin.reset(seed=5)
    for _ in range(150):
        actions = drawn(venv.action_masks(), rng)
        assert np.array_equal(actions, drawn(twin.action_masks(), again))
        results, expected = venv.step(actions), twin.step(actions)
        assert all(np.array_equal(results[part], expected[part]) for part in range(4))
        shown, info = results[0], results[4]
        handed.append((shown, info["action_mask"]))
        for array in (shown, info["action_mask"], results[1], results[2], results[3]):
            array[:] = 1  # garbage: it is ours
    for one, two in itertools.pairwise(handed):
        assert not any(np.shares_memory(a, b) for a in one for b in two)


@pytest.mark.pitfall("S12")
@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda venv: pickle.loads(pickle.dumps(venv))]
)
def test_a_copy_goes_on_from_there(duplicate):
    venv, rng = HemlockVectorEnv(5, opponent="greedy"), np.random.default_rng(9)
    _, info = venv.reset(seed=9)
    for _ in range(30):
        info = venv.step(drawn(info["action_mask"], rng))[4]
    twin = duplicate(venv)
    for _ in range(100):
        actions = drawn(info["action_mask"], rng)
        results = venv.step(actions), twin.step(actions)
        same_results(*results)
        info = results[0][4]


def test_actions_that_are_none_are_refused():
    venv = HemlockVectorEnv(2)
    with pytest.raises(ResetNeeded):
        venv.step(np.zeros(2, int))
    venv.reset(seed=1)
    for wrong in (np.zeros(3, int), np.zeros(2), [0], None):
        with pytest.raises(ValueError, match="actions"):
            venv.step(wrong)
    for wrong in (0, True, 1.5):
        with pytest.raises(ValueError, match="num_envs"):
            HemlockVectorEnv(wrong)


@pytest.mark.parametrize("mode", MODES)
def test_after_a_rival_failed_the_learners_do_not_answer_for_it(mode):
    rival, rng = Failing(), np.random.default_rng(6)
    venv = HemlockVectorEnv(4, opponent=rival, autoreset_mode=mode)
    _, info = venv.reset(seed=6)
    rival.error = KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        for _ in range(10):
            info = venv.step(drawn(info["action_mask"], rng))[4]
    rival.error = None
    games = venv.slots.games
    assert (games.seats != venv.slots.learners).any()
    before = games.states.copy()
    with pytest.raises(ResetNeeded, match="an opponent failed"):
        venv.step(games.legals[:, 0])
    assert np.array_equal(games.states, before)
    shown, info = venv.reset()
    assert venv.observation_space.contains(shown)
    assert not venv.step(drawn(info["action_mask"], rng))[2].any()


@pytest.mark.pitfall("S14")
def test_gymnasium_makes_it_in_processes_too():
    venv = gymnasium.make_vec(
        f"hemlock_env:{ID}", 2, "async", vector_kwargs={"context": "spawn"}, opponent="greedy"
    )
    assert isinstance(venv, AsyncVectorEnv)
    ours = HemlockVectorEnv(2, opponent="greedy")
    shown, info = venv.reset(seed=4)
    assert np.array_equal(shown, ours.reset(seed=4)[0])
    rng = np.random.default_rng(4)
    for _ in range(500):
        actions = drawn(info["action_mask"], rng)
        steps = venv.step(actions), ours.step(actions)
        for one, other in zip(*(step[:4] for step in steps), strict=True):
            assert np.array_equal(one, other)
        info = steps[0][4]
    venv.close()


def test_a_game_that_ends_before_the_learner_decides_is_no_start():
    game = Game(seed=3)
    states = []
    while not game.over:
        states.append(game.copy())
        game.step(game.legal_actions()[0])
    last = states[-1]
    for make in (gymnasium.make, gymnasium.make_vec):
        env = make(ID, seat=1 - last.seat, opponent="random").unwrapped
        env.reset(seed=1)
        masks = env.action_masks()
        with pytest.raises(ValueError, match="before the learner"):
            env.reset(options={"position": last.to_position()})
        assert np.array_equal(env.action_masks(), masks)


@pytest.mark.pitfall("S01")
def test_over_200_random_games_the_return_is_the_result_of_the_seat():
    venv, rng, ends = (
        HemlockVectorEnv(50, 3, autoreset_mode="SAME_STEP"),
        np.random.default_rng(1),
        0,
    )
    _, info = venv.reset(seed=1)
    returns, seats = np.zeros(50), set()
    while ends < 200:
        actions = np.array([any_legal(mask, rng) for mask in info["action_mask"]])
        _, paid, over, _, info = venv.step(actions)
        returns += paid
        for slot in np.flatnonzero(over):
            final = info["final_info"]
            winners = np.flatnonzero(final["winners"][slot]).tolist()
            seat = int(final["seat"][slot])
            result = rewards("outcome", final["scores"][slot].tolist(), winners)
            assert returns[slot] == result[seat]
            seats.add(seat)
        returns[over] = 0.0
        ends += int(over.sum())
    assert seats == {0, 1, 2}

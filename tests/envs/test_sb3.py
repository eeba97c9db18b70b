"""The native VecEnv, and the Gymnasium environment in Stable-Baselines3's own."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecMonitor

from hemlock_env.cards import load_card_set
from hemlock_env.envs.opponents import PolicyPool
from hemlock_env.envs.sb3 import HemlockVecEnv
from hemlock_env.envs.vector import HemlockVectorEnv
from hemlock_env.game.options import Options
from hemlock_env.network.checkpoint import describe, weight_shapes
from hemlock_env.network.policy import Policy
from hemlock_env.network.sampling import sample_legal
from tests.envs.games import Failing
from tests.envs.test_interrupts import interrupt
from tests.support.interrupts import Interrupted, interrupt_me

ID = "hemlock/Hemlock-v0"


def drawn(masks, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def random_policy(seed, options=None):
    """A network that was never trained."""
    rng = np.random.default_rng(seed)
    about = describe(load_card_set("vault_of_darkness"), options or Options(), (16,))
    shapes = weight_shapes(about["network"])
    weights = {name: rng.normal(0.0, 0.3, shape).astype("f4") for name, shape in shapes.items()}
    weights["input_scale"][:] = 1.0
    return Policy(weights, {**about, "decisions": 0, "minutes": 0.0})


# Monitored: the games recorded, by one monitor around all environments or by one for each.
PROCESSES = [pytest.param("processes", marks=pytest.mark.slow)]
MONITORED = ["native, monitored", "in turn", *PROCESSES]
KINDS = ["native", "in turn, monitored", *MONITORED,
         pytest.param("processes, monitored", marks=pytest.mark.slow)]  # fmt: skip


@pytest.fixture(scope="module")
def workers():
    """Two environments in processes, which take seconds to start: all tests share them."""
    how = {"start_method": "spawn"}
    venv = make_vec_env(f"hemlock_env:{ID}", 2, 5, vec_env_cls=SubprocVecEnv, vec_env_kwargs=how)
    yield venv
    venv.close()


@pytest.fixture
def venv(request):
    """A VecEnv of two or three, to be reset. `make_vec_env` puts a monitor around each."""
    kind, _, monitored = request.param.partition(", ")
    if kind == "native":
        made = HemlockVecEnv(3, seed=5)
    elif kind == "processes":
        made = request.getfixturevalue("workers")
    elif monitored:
        made = DummyVecEnv([partial(gymnasium.make, f"hemlock_env:{ID}")] * 3)
    else:
        made = make_vec_env(f"hemlock_env:{ID}", 3, seed=5)
    with warnings.catch_warnings(action="ignore"):  # two monitors around the processes
        return VecMonitor(made) if monitored else made


@pytest.mark.pitfall("S09", "S14")
@pytest.mark.parametrize("venv", KINDS, indirect=True)
def test_masks_survive_every_vectorisation(venv):
    assert is_masking_supported(venv)
    rng, ends = np.random.default_rng(1), 0
    venv.reset()
    native = isinstance(venv.unwrapped, HemlockVecEnv)
    for _ in range(2000 if native else 200):
        masks = get_action_masks(venv)
        assert masks.shape == (venv.num_envs, 152) and masks.dtype == np.bool_
        assert masks.any(axis=1).all()
        for slot in range(venv.num_envs):
            (own,) = venv.env_method("action_masks", indices=slot)
            assert np.array_equal(own, masks[slot])
        _, _, dones, infos = venv.step(drawn(masks, rng))
        assert not any(info.get("illegal_action") for info in infos)
        ends += int(dones.sum())
    assert ends >= 3


@pytest.mark.parametrize("venv", MONITORED, indirect=True)
def test_maskable_ppo_learns_loads_and_is_evaluated_with_masks(venv, tmp_path):
    native = isinstance(venv.unwrapped, HemlockVecEnv)
    model = MaskablePPO("MlpPolicy", venv, n_steps=128, batch_size=64, n_epochs=1, seed=1)
    model.learn(2000 if native else 400)
    assert all(torch.isfinite(weight).all() for weight in model.policy.parameters())
    assert model.ep_info_buffer and all(abs(e["r"]) <= 1.0 for e in model.ep_info_buffer)
    model.save(tmp_path / "model")
    loaded = MaskablePPO.load(tmp_path / "model")
    single = Monitor(gymnasium.make(ID, opponent="random"))
    returns, lengths = evaluate_policy(loaded, single, 3, return_episode_rewards=True)
    assert set(returns) <= {-1.0, 0.0, 1.0} and min(lengths) > 30
    ours = HemlockVecEnv(2, seed=3)
    returns, lengths = evaluate_policy(loaded, ours, 3, return_episode_rewards=True, warn=False)
    assert set(returns) <= {-1.0, 0.0, 1.0} and min(lengths) > 30


def test_a_dict_of_planes_can_be_learned_from():
    env = gymnasium.make(ID, observation="dict")
    model = MaskablePPO("MultiInputPolicy", env, n_steps=64, batch_size=32, n_epochs=1, seed=1)
    model.learn(64)
    assert model.num_timesteps == 64


def test_it_plays_the_games_of_the_vectorised_gymnasium_environment():
    native = HemlockVecEnv(5, opponent="greedy", num_players=3, seat="alternate", seed=8)
    vector = HemlockVectorEnv(
        5, opponent="greedy", num_players=3, seat="alternate", autoreset_mode="SAME_STEP"
    )
    rng, ends = np.random.default_rng(8), 0
    assert np.array_equal(native.reset(), vector.reset(seed=8)[0])
    for _ in range(150):
        actions = drawn(native.action_masks(), rng)
        shown, rewards, dones, infos = native.step(actions)
        expected = vector.step(actions)
        assert np.array_equal(shown, expected[0]) and np.array_equal(dones, expected[2])
        assert np.array_equal(rewards, expected[1].astype(np.float32))
        assert rewards.dtype == np.float32
        for slot in np.flatnonzero(dones):
            final = expected[4]
            assert np.array_equal(infos[slot]["terminal_observation"], final["final_obs"][slot])
            assert infos[slot]["scores"] == final["final_info"]["scores"][slot].tolist()
            won = np.flatnonzero(final["final_info"]["winners"][slot]).tolist()
            assert infos[slot]["winners"] == won and won
        assert all(info["TimeLimit.truncated"] is False for info in infos)
        ends += int(dones.sum())
    assert ends >= 5 and native.games == ends


def test_it_counts_the_decisions_of_all_seats():
    venv, rng = HemlockVecEnv(1, opponent="greedy", seed=2), np.random.default_rng(2)
    venv.reset()
    first, played = int(venv.slots.games.states["decisions"][0]), []
    while len(played) < 2:
        _, _, dones, infos = venv.step(drawn(venv.action_masks(), rng))
        if dones[0]:
            played.append(infos[0]["decisions"])
    begun = int(venv.slots.games.states["decisions"][0])
    assert venv.decisions == sum(played) - first + begun


def test_an_illegal_action_costs_one_and_ends_the_game():
    venv = HemlockVecEnv(2, seed=1, margin_share=0.5)
    venv.reset()
    actions = drawn(venv.action_masks(), np.random.default_rng(1))
    actions[1] = 151
    _, rewards, dones, infos = venv.step(actions)
    assert rewards.tolist() == [0.0, -1.0] and dones.tolist() == [False, True]
    assert infos[1]["illegal_action"] is True
    strict = HemlockVecEnv(2, seed=1, illegal_action="raise")
    strict.reset()
    with pytest.raises(ValueError, match="env 1: action 151 is illegal"):
        strict.step(actions)


def test_a_share_of_the_reward_can_be_the_margin():
    plain, mixed = HemlockVecEnv(8, seed=3), HemlockVecEnv(8, seed=3, margin_share=0.25)
    rng, ends = np.random.default_rng(3), 0
    plain.reset()
    mixed.reset()
    while ends < 8:
        actions = drawn(plain.action_masks(), rng)
        outcome = plain.step(actions)[1]
        rewards, dones, infos = mixed.step(actions)[1:]
        for slot in np.flatnonzero(dones):
            scores, seat = infos[slot]["scores"], infos[slot]["seat"]
            ahead = np.tanh((scores[seat] - scores[1 - seat]) / 20.0)
            assert rewards[slot] == pytest.approx(0.75 * outcome[slot] + 0.25 * ahead)
        ends += int(dones.sum())


def test_what_the_library_asks_of_slots():
    venv = HemlockVecEnv(4, num_players=3, seat="random", seed=4)
    venv.reset()
    assert venv.get_attr("render_mode") == [None] * 4
    assert venv.get_attr("num_players", [1, 2]) == [3, 3]
    assert venv.get_attr("seat") == venv.slots.learners.tolist()
    masks = venv.get_attr("action_masks", 2)[0]()
    assert np.array_equal(masks, venv.action_masks()[2])
    assert venv.has_attr("action_masks") and not venv.has_attr("colour")
    assert venv.env_is_wrapped(Monitor) == [False] * 4
    venv.set_attr("colour", "red", indices=[1])
    assert venv.get_attr("colour") == [None, "red", None, None]
    with pytest.raises(AttributeError, match="size"):
        venv.get_attr("size")
    with pytest.raises(AttributeError, match="seat"):
        venv.set_attr("seat", 1)
    with pytest.raises(AttributeError, match="jump"):
        venv.env_method("jump")


def test_seeds_and_options_hold_for_the_next_reset():
    venv = HemlockVecEnv(3, seed=1)
    first = venv.reset()
    assert not np.array_equal(venv.reset(), first)
    assert venv.seed(1) == [1, 2, 3]
    assert np.array_equal(venv.reset(), first)
    venv.seed(1)
    venv.set_options({"agendas": True})
    assert not np.array_equal(venv.reset(), first)
    assert venv.slots.games.states["agendas"].tolist() == [1, 1, 1]
    assert venv.seed([3, None, 1])[::2] == [3, 1]
    assert np.array_equal(venv.reset()[2], first[0])
    with pytest.raises(ValueError, match="seed: must be a list of 3, not of 2"):
        venv.seed([1, 2])
    state = np.random.get_state()
    assert venv.seed(None) != venv.seed(None)
    assert all(map(np.array_equal, np.random.get_state(), state))


def test_a_step_before_the_first_reset_is_refused():
    venv = HemlockVecEnv(2, seed=1)
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        venv.step(np.zeros(2, int))
    assert venv.games == 0


@pytest.mark.parametrize("with_pool", [False, True])
def test_options_that_can_not_be_are_forgotten_and_the_games_go_on(with_pool):
    pool = PolicyPool(random_policy(1), 2)
    pool.replace_newest(random_policy(2), keep=True)
    venv, other = (HemlockVecEnv(3, opponent=pool if with_pool else "random", seed=4) for _ in "ab")
    shown, rng = venv.reset(), np.random.default_rng(4)
    other.reset()
    dealt = pool.of_slot.tolist()
    venv.set_options([{"first_player": 1}, {}, {"seat": 9}])
    with pytest.raises(ValueError, match="seat"):
        venv.reset()
    assert pool.of_slot.tolist() == dealt
    assert np.array_equal(venv._observations(), shown)
    if not with_pool:  # with it the two share their rivals
        for _ in range(100):
            actions = drawn(venv.action_masks(), rng)
            ours, theirs = venv.step(actions), other.step(actions)
            assert all(map(np.array_equal, ours[:3], theirs[:3]))
        assert venv.games >= 3
    assert not np.array_equal(venv.reset(), shown)  # without those options


def test_after_a_rival_failed_nothing_is_played_before_a_reset():
    rival, rng = Failing(), np.random.default_rng(5)
    venv = HemlockVecEnv(4, opponent=rival, seed=5)
    venv.reset()
    rival.error = KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        for _ in range(10):
            venv.step(drawn(venv.action_masks(), rng))
    rival.error = None
    before = venv.slots.games.states.copy()
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        venv.step(venv.slots.games.legals[:, 0])
    assert np.array_equal(venv.slots.games.states, before)
    venv.reset()
    _, rewards, _, _ = venv.step(drawn(venv.action_masks(), rng))
    assert not rewards.any()


# ---- the pool ----


def test_rivals_of_a_game_are_one_policy_of_the_pool_and_choose_by_its_probabilities():
    pool = PolicyPool(random_policy(1), 2, newest_share=0.5, size=2)
    for seed in (2, 3, 4):
        pool.replace_newest(random_policy(seed), keep=True)
    assert len(pool.older) == 2  # the oldest has gone
    venv, rng = HemlockVecEnv(64, opponent=pool, seed=6), np.random.default_rng(6)
    venv.reset()
    dealt = pool.of_slot.tolist()
    assert min(dealt.count(policy) for policy in (None, *pool.older)) > 5
    for _ in range(100):
        venv.step(drawn(venv.action_masks(), rng))
    assert venv.games > 40


def test_games_against_an_older_policy_keep_it_to_their_end():
    pool = PolicyPool(random_policy(1), 2, newest_share=0.3, size=2)
    for seed in (2, 3):
        pool.replace_newest(random_policy(seed), keep=True)
    venv, rng = HemlockVecEnv(24, opponent=pool, seed=6), np.random.default_rng(6)
    venv.reset()
    before = pool.of_slot.copy()
    assert set(before) == {None, *pool.older}
    pool.replace_newest(random_policy(4), keep=True)
    assert set(before) - {None, *pool.older}  # one that the pool has dropped plays on
    asked, real = set(), Policy.logits_and_values

    def seen(policy, observation):
        asked.add(policy)
        return real(policy, observation)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Policy, "logits_and_values", seen)
        for _ in range(10):
            assert not venv.step(drawn(venv.action_masks(), rng))[2].any()
    assert asked == {pool.newest, *set(before) - {None}}
    going = np.ones(24, bool)
    while going.any():
        going &= ~venv.step(drawn(venv.action_masks(), rng))[2]
        assert (pool.of_slot[going] == before[going]).all()
    assert set(pool.of_slot) <= {None, *pool.older}


def test_a_seed_fixes_the_rivals_that_are_dealt_too():
    pool = PolicyPool(random_policy(1), 2)
    for seed in (2, 3, 4):
        pool.replace_newest(random_policy(seed), keep=True)
    venv, dealt = HemlockVecEnv(32, opponent=pool, seed=6), []
    for seed in (6, 7, 6):
        venv.seed(seed)
        venv.reset()
        dealt.append(pool.of_slot.tolist())
    assert dealt[0] == dealt[2] != dealt[1]


def test_one_forward_pass_for_each_policy(monkeypatch):
    pool = PolicyPool(random_policy(1), 2)
    pool.replace_newest(random_policy(2), keep=True)
    venv = HemlockVecEnv(64, opponent=pool, seed=7)
    passes, real = [], Policy.logits_and_values

    def counted(policy, observation):
        passes.append((id(policy), len(observation)))
        return real(policy, observation)

    monkeypatch.setattr(Policy, "logits_and_values", counted)
    asked = []
    monkeypatch.setattr(
        pool, "choose", lambda *given, own=pool.choose: asked.append(1) or own(*given)
    )
    venv.reset()
    assert len(passes) <= 2 * len(asked) and max(rows for _, rows in passes) > 10


def test_a_pool_for_other_games_is_refused():
    with pytest.raises(ValueError, match="agendas"):
        HemlockVecEnv(2, opponent=PolicyPool(random_policy(1), 2), agendas=True)


def test_draws_follow_the_softmax_of_the_legal_logits():
    rng = np.random.default_rng(8)
    count = 20_000
    logits = np.zeros((count, 152), np.float32)
    logits[:, 7], logits[:, 3] = np.log(3.0), 50.0  # 3 is not legal
    legal = np.full((count, 40), -1, np.int16)
    legal[:, :2] = 5, 7
    keys = rng.integers(0, 2**64, count, dtype=np.uint64)
    chosen = sample_legal(logits, legal, np.full(count, 2, np.int16), keys)
    assert set(chosen.tolist()) == {5, 7}
    assert (chosen == 7).mean() == pytest.approx(0.75, abs=0.02)
    top = sample_legal(
        logits[:1], legal[:1], np.array([2], np.int16), np.array([2**64 - 1], np.uint64)
    )
    assert top.tolist() == [7]


@pytest.mark.pitfall("S06")
def test_where_nothing_is_legal_nothing_is_drawn():
    logits, legal = np.zeros((2, 152), np.float32), np.full((2, 40), -1, np.int16)
    legal[0, :2] = 5, 7
    with pytest.raises(ValueError, match="no legal action"):
        sample_legal(logits, legal, np.array([2, 0], np.int16), np.ones(2, np.uint64))


@pytest.mark.pitfall("S07")
@pytest.mark.slow
def test_twenty_thousand_steps_of_training_stay_finite():
    venv = HemlockVecEnv(64, seed=9)
    model = MaskablePPO("MlpPolicy", venv, n_steps=64, batch_size=512, n_epochs=2, seed=1)
    with torch.autograd.set_detect_anomaly(True):
        model.learn(20_000)
    assert all(torch.isfinite(weight).all() for weight in model.policy.parameters())


@pytest.mark.pitfall("S07")
def test_large_and_few_logits_make_no_trouble():
    """Probabilities of masked actions, with the library's own distribution."""
    from sb3_contrib.common.maskable.distributions import MaskableCategorical

    for scale in (1.0, 1e2, 1e4):
        for legal in (1, 2, 152):
            logits = scale * torch.randn(64, 152, generator=torch.Generator().manual_seed(legal))
            masks = np.zeros((64, 152), bool)
            masks[:, :legal] = True
            made = MaskableCategorical(logits=logits, masks=masks)
            assert torch.isfinite(made.entropy()).all() and (made.sample() < legal).all()
            if legal == 1:
                assert (made.probs[:, 0] == 1.0).all() and (made.entropy() == 0.0).all()


@pytest.mark.pitfall("S10")
def test_every_stored_step_is_a_decision_of_the_learner():
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import VecMonitor

    from hemlock_env.envs.sb3 import HemlockVecEnv

    class Ends(BaseCallback):
        """Lengths of the episodes by slot, and decisions of all seats in the games that ended."""

        def __init__(self):
            super().__init__()
            self.lengths, self.decisions = [[] for _ in range(8)], 0

        def _on_step(self):
            for slot in np.flatnonzero(self.locals["dones"]):
                info = self.locals["infos"][slot]
                self.lengths[slot].append(info["episode"]["l"])
                self.decisions += info["decisions"]
            return True

    rival, steps, ends = Failing(), 150, Ends()
    venv = VecMonitor(HemlockVecEnv(8, opponent=rival, seed=10))
    model = MaskablePPO("MlpPolicy", venv, n_steps=steps, seed=10, device="cpu")
    _, callback = model._setup_learn(8 * steps, callback=ends)
    model.collect_rollouts(venv, callback, model.rollout_buffer, steps)

    stored = model.rollout_buffer
    assert stored.full and stored.rewards.shape == (steps, 8)
    for slot in range(8):
        starts = np.flatnonzero(stored.episode_starts[:, slot])
        lengths = np.diff([*starts, steps]).tolist()
        *whole, last = lengths
        if model._last_episode_starts[slot]:
            whole, last = lengths, 0
        assert ends.lengths[slot] == whole and len(whole) >= 1
        assert venv.episode_lengths[slot] == last
        # Paid are the last steps of whole games, and no others.
        paid = np.flatnonzero(stored.rewards[:, slot])
        assert set(paid) <= {*(starts[1:] - 1), steps - 1}
    # The games count every seat's decisions: those that aren't the rival's are what was stored.
    going = venv.unwrapped.slots.games.states["decisions"].sum()
    assert stored.rewards.size == ends.decisions + going - rival.asked
    chosen = np.take_along_axis(stored.action_masks, stored.actions.astype(int), axis=2)
    assert chosen.all()


def sb3_loop() -> tuple[Callable[[], Any], Callable[[], Any]]:
    venv, rng = HemlockVecEnv(8, opponent="greedy", seed=1), np.random.default_rng(1)
    venv.reset()

    def step() -> None:
        slots = venv.slots
        if slots.sound.all() and not slots.over.any():
            venv.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in venv.action_masks()]))
        else:
            venv.reset()

    def check() -> None:
        slots = venv.slots
        if not slots.sound.all() or slots.over.any():
            with pytest.raises(RuntimeError, match=r"reset\(\)"):
                venv.step(slots.masks().argmax(1))
        for row in np.flatnonzero(slots.sound & ~slots.over):
            assert slots.games.seats[row] == slots.learners[row]

    return step, check


@pytest.mark.parametrize("times", [25, pytest.param(400, marks=pytest.mark.slow)])
def test_an_interrupt_leaves_it_before_a_step_or_after_it(times: int) -> None:
    interrupt(sb3_loop, times)


def test_a_game_that_ended_and_whose_next_never_began_asks_for_a_reset() -> None:
    venv = HemlockVecEnv(4, seed=1)
    venv.reset()
    begin, venv.slots.begin = venv.slots.begin, interrupt_me
    with pytest.raises(Interrupted):
        while True:
            venv.step(venv.action_masks().argmax(1))
    venv.slots.begin = begin
    with pytest.raises(RuntimeError, match=r"reset\(\)"):
        venv.step(venv.action_masks().argmax(1))
    venv.reset()
    venv.step(venv.action_masks().argmax(1))

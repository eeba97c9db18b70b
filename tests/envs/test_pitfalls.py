"""Faults that others reported of such environments, each for every face that could have it.

The ids are those of the list of pitfalls. Where else they are tested: S02, S05, S11, S12 for
PettingZoo in `test_aec.py`, S04 in `test_illegal_actions.py`, S06, S10 in `test_vector.py`, S07,
S09 in `tests/training/test_sb3_vec_env.py`, S12 for Gymnasium in `test_gym.py`, S16 in
`test_secrets.py`, S17 in `tests/properties/test_batch.py` and `tests/rules/test_r10_scoring.py`,
more of S18 and S19 in `tests/training/test_policy.py`, S20 in `tests/test_readme.py`.
"""

import builtins
import gc
import hashlib
import os
import pickle
import random
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import gymnasium
import numpy as np
import pytest
import safetensors.numpy
import torch
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as check_for_sb3

from hemlock_env import Batch, Game, hemlock_v0, list_bots, make_bot
from hemlock_env.agents import Decisions
from hemlock_env.cards import load_card_set
from hemlock_env.envs.gym_env import HemlockGymEnv
from hemlock_env.envs.vector import HemlockVectorEnv
from hemlock_env.evaluation.match import play_match
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.hashes import observation_hash, rules_hash
from hemlock_env.game.options import Options
from hemlock_env.game.rewards import rewards
from hemlock_env.game.spec import spec_for
from hemlock_env.network.policy import describe, save_policy, weight_shapes
from tests.envs.games import VARIANTS, Failing, positions

ID = "hemlock/Hemlock-v0"
CARDS = load_card_set("vault_of_darkness")
GOLDEN = Path(__file__).parents[1] / "training" / "data"

# Version 0 of the environments, as hashes: observations of 2, 3 and 4 players, rules, actions.
OBSERVATIONS = ["c59f7a6c337c26b1", "185310bcae15dcf6", "2b6d63ac7a5c6245"]
RULES = "d03865d62653b4d8"
ACTIONS = "a329c551b0b48ab0"


def drawn(mask, rng):
    return int(rng.choice(np.flatnonzero(mask)))


def untrained(folder, seed=1):
    """A checkpoint of a network that was never trained."""
    rng = np.random.default_rng(seed)
    about = describe(CARDS, Options(), (16,))
    shapes = weight_shapes(about["network"])
    weights = {name: rng.normal(0.0, 0.3, shape).astype("f4") for name, shape in shapes.items()}
    weights["input_scale"] = spec_for(CARDS, 2).layout.scale
    save_policy(folder, weights, {**about, "decisions": 0, "minutes": 0.0}, {})
    return f"ckpt:{folder}"


# ---- S01: who is paid ----


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


@pytest.mark.parametrize("by_learner", [True, False])
def test_s01_the_last_step_of_the_learner_pays_its_result_whoever_ends_the_game(by_learner):
    seed, winner, actions = last_moves(by_learner)
    rivals = iter([action for seat, action in actions if seat == 1])
    env = HemlockGymEnv(seat=0, opponent=lambda game: next(rivals))
    env.reset(seed=seed)
    own = [action for seat, action in actions if seat == 0]
    for action in own[:-1]:
        assert env.step(action)[1:3] == (0.0, False)
    _, reward, terminated, truncated, _ = env.step(own[-1])
    assert (reward, terminated, truncated) == (1.0 if winner == 0 else -1.0, True, False)


def test_s01_a_rival_that_ends_the_game_and_wins_costs_the_learner_one():
    found = 0
    for seed in range(40):
        env, rng = HemlockGymEnv(seat=0, opponent="greedy"), np.random.default_rng(seed)
        env.reset(seed=seed)
        over = False
        while not over:
            _, reward, over, _, info = env.step(drawn(env.action_masks(), rng))
        found += info["winners"] == [1]
        assert reward == {(0,): 1.0, (1,): -1.0, (0, 1): 0.0}[tuple(info["winners"])]
    assert found > 20


def test_s01_over_200_random_games_the_return_is_the_result_of_the_seat():
    venv, rng, ends = (
        HemlockVectorEnv(50, 3, autoreset_mode="SAME_STEP"),
        np.random.default_rng(1),
        0,
    )
    _, info = venv.reset(seed=1)
    returns, seats = np.zeros(50), set()
    while ends < 200:
        actions = np.array([drawn(mask, rng) for mask in info["action_mask"]])
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


# ---- S03: checkers act blindly ----


def test_s03_both_checkers_pass_whatever_actions_they_sample(capsys):
    for seed in range(50):
        env = gymnasium.make(ID).unwrapped
        env.action_space.seed(seed)
        check_env(env, skip_render_check=seed > 0)
        env.action_space.seed(seed)
        check_for_sb3(env, warn=True)
        env.reset(seed=seed)
        assert env.step(env.action_space.sample())[3] is False


# ---- S04: illegal actions ----


def test_s04_at_a_thousand_positions_an_illegal_action_changes_nothing():
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


# ---- S05: masks ----

# Never legal with the default cards: where a district has no space on either side.
UNREACHABLE = {"space:spires:2,0", "space:spires:2,2", "space:alley_maze:1,1"}


def test_s05_every_action_is_legal_at_some_time():
    seen = np.zeros(152, bool)
    for number, options in enumerate(VARIANTS):
        batch = Batch(256, seed=number, autoreset=True, **options)
        for _ in range(150):
            batch.step(batch.sample())
            seen |= batch.mask.any(axis=0)
    names = spec_for(CARDS, 2).actions.names
    assert {names[index] for index in np.flatnonzero(~seen)} == UNREACHABLE
    blank = {
        f"space:{district.id}:{row},{column}"
        for district in CARDS.districts
        for row in range(3)
        for column in range(3)
        if district.basic.spaces[row][column] == district.advanced.spaces[row][column] == "."
    }
    assert blank == UNREACHABLE


def test_s05_all_faces_show_the_same_mask():
    rng = np.random.default_rng(5)
    for options in VARIANTS[::5]:
        single = HemlockGymEnv(seat=0, **options)
        vector = HemlockVectorEnv(1, seat=0, **options)
        _, info = single.reset(seed=5)
        _, infos = vector.reset(seed=5)
        aec = hemlock_v0.raw_env(**options)
        for _ in range(40):
            aec.reset(options={"position": single.game.to_position()})
            shown = [
                single.game.action_mask(),
                info["action_mask"],
                single.action_masks(),
                infos["action_mask"][0],
                vector.action_masks()[0],
                aec.last()[0]["action_mask"],
                aec.last()[4]["action_mask"],
            ]
            assert all(np.array_equal(mask, shown[0]) for mask in shown)
            assert [mask.dtype for mask in shown] == [
                np.int8,
                np.int8,
                bool,
                np.int8,
                bool,
                np.int8,
                np.int8,
            ]
            action = drawn(shown[0], rng)
            _, _, over, _, info = single.step(action)
            infos = vector.step([action])[4]
            if over:
                break


# ---- S06, S08: no action without a mask ----


def test_s06_a_bot_is_never_asked_where_nothing_is_legal(tmp_path):
    game = Game(seed=6)
    while not game.over:
        game.step(game.legal_actions()[0])
    for spec in [*list_bots(), untrained(tmp_path / "checkpoint")]:
        with pytest.raises(ValueError, match="over"):
            make_bot(spec).act(game)


def test_s08_an_untrained_checkpoint_makes_no_illegal_action(tmp_path):
    spec = untrained(tmp_path / "checkpoint")
    for each in (spec, f"{spec}:temperature=1"):
        assert play_match(each, "random", 200).illegal == 0
    env = HemlockGymEnv(opponent=spec)
    for seed in range(5):
        env.reset(seed=seed)
        over = False
        while not over:
            over, info = env.step(drawn(env.action_masks(), np.random.default_rng(seed)))[2::2]
        assert not info["illegal_action"]


# ---- S10: no filler reaches a learner ----


def test_s10_every_stored_step_is_a_decision_of_the_learner():
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


# ---- S11: what is handed out stays ----


@pytest.mark.parametrize("observation", ["int8", "float", "dict"])
def test_s11_300_steps_of_what_the_gymnasium_environment_showed_stay_as_they_were(observation):
    env, rng = HemlockGymEnv(observation=observation), np.random.default_rng(11)
    kept, (shown, info) = [], env.reset(seed=11)
    for _ in range(300):
        kept += [*(shown.values() if observation == "dict" else [shown]), info["action_mask"]]
        shown, _, over, _, info = env.step(drawn(env.action_masks(), rng))
        if over:
            shown, info = env.reset()
    hashes = [hashlib.sha256(array).digest() for array in kept]
    for _ in range(100):
        over = env.step(drawn(env.action_masks(), rng))[2]
        if over:
            env.reset()
    assert hashes == [hashlib.sha256(array).digest() for array in kept]
    places = {array.__array_interface__["data"][0] for array in kept}
    assert len(places) == len(kept)


def test_s11_garbage_in_what_was_handed_out_changes_nothing():
    env, twin, rng = HemlockGymEnv(), HemlockGymEnv(), np.random.default_rng(11)
    (shown, info), (expected, _) = env.reset(seed=11), twin.reset(seed=11)
    over = False
    while not over:
        assert np.array_equal(shown, expected)
        shown[:], info["action_mask"][:] = 77, 1
        env.action_masks()[:] = True
        action = drawn(env.action_masks(), rng)
        shown, _, over, _, info = env.step(action)
        expected = twin.step(action)[0]


# ---- S13: global random state ----


def test_s13_global_random_state_is_neither_read_nor_changed():
    def played(disturb):
        env = HemlockGymEnv(3, opponent=["random", "greedy"])
        venv = HemlockVectorEnv(3)
        rng, seen = np.random.default_rng(13), []
        _, info = env.reset(seed=13)
        _, infos = venv.reset(seed=13)
        for _ in range(150):
            shown, reward, over, _, info = env.step(drawn(info["action_mask"], rng))
            actions = [drawn(mask, rng) for mask in infos["action_mask"]]
            stepped = venv.step(actions)
            infos = stepped[4]
            seen += [shown.tobytes(), reward, stepped[0].tobytes()]
            if over:
                _, info = env.reset()
            if disturb:
                random.random()
                np.random.rand()
                torch.rand(1)
                other = HemlockGymEnv()
                other.reset()
                other.step(0)
        return seen

    states = random.getstate(), np.random.get_state(), torch.get_rng_state()
    quiet = played(False)
    assert random.getstate() == states[0]
    assert all(map(np.array_equal, np.random.get_state(), states[1]))
    assert torch.equal(torch.get_rng_state(), states[2])
    assert played(True) == quiet


# ---- S14: worker processes ----

WORKERS = """
import multiprocessing, sys
import gymnasium, numpy as np
from gymnasium.vector import AsyncVectorEnv
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv

def drawn(masks, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])

def main(start):
    rng = np.random.default_rng(1)
    venv = gymnasium.make_vec("hemlock_env:hemlock/Hemlock-v0", 4, "async",
                              vector_kwargs={"context": start})
    assert isinstance(venv, AsyncVectorEnv)
    _, info = venv.reset(seed=1)
    for _ in range(500):
        info = venv.step(drawn(info["action_mask"], rng))[4]
    venv.close()
    venv = make_vec_env("hemlock_env:hemlock/Hemlock-v0", 4, vec_env_cls=SubprocVecEnv,
                        vec_env_kwargs={"start_method": start})
    venv.reset()
    for _ in range(500):
        venv.step(drawn(venv.env_method("action_masks"), rng))
    venv.close()
    assert multiprocessing.active_children() == []
    print("played")

if __name__ == "__main__":
    main(sys.argv[1])
"""


@pytest.mark.slow
@pytest.mark.parametrize("start", ["spawn", "forkserver"])
def test_s14_worker_processes_know_the_environment(start, tmp_path):
    script = tmp_path / "workers.py"
    script.write_text(WORKERS)
    ran = subprocess.run(
        [sys.executable, script, start],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert ran.stdout.split() == ["played"], ran.stderr
    assert "Warning" not in ran.stderr and "overriding" not in ran.stderr


# ---- S15: no display ----


def test_s15_pictures_need_no_display(monkeypatch):
    for variable in ("DISPLAY", "SDL_VIDEODRIVER", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    env = HemlockGymEnv(render_mode="rgb_array")
    env.reset(seed=15)
    before = env.render()
    assert before.dtype == np.uint8 and before.ndim == 3 and before.shape[2] == 3
    assert len(np.unique(before.reshape(-1, 3), axis=0)) > 10
    env.step(drawn(env.action_masks(), np.random.default_rng(15)))
    assert env.render().shape == before.shape and not np.array_equal(env.render(), before)


def test_s15_a_missing_extra_is_named_in_one_sentence(monkeypatch):
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


# ---- S16: secrets ----


@pytest.mark.rule("R13.6")
def test_s16_the_learner_gets_the_same_after_a_redeal():
    for number, game in enumerate(positions()):
        seen = []
        for each in (game, game.redeal(game.seat, number)):
            env = HemlockGymEnv(game.num_players, seat=game.seat, render_mode="ansi")
            shown, info = env.reset(seed=1, options={"position": each.to_position()})
            mask = info.pop("action_mask")
            seen.append([shown.tobytes(), mask.tobytes(), info, env.render(), repr(env.game)])
        assert seen[0] == seen[1]


# ---- S18, S19: checkpoints ----


class Marker:
    """Unpickling it would make a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_s18_a_file_that_would_run_code_is_refused(tmp_path):
    marker = tmp_path / "marker"
    evil = pickle.dumps(Marker(marker))
    archive = tmp_path / "model.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("data", evil)
    folder = tmp_path / "checkpoint"
    untrained(folder)
    (folder / "policy.safetensors").write_bytes(evil)
    for path in (archive, folder):
        with pytest.raises(ValueError, match=r"meta\.json|sha256"):
            make_bot(f"ckpt:{path}")
    assert not marker.exists()


def test_s18_a_checkpoint_of_version_0_plays_what_it_always_played():
    """`tests/training/data/make_golden.py` made it, and says when to make it again."""
    stored = safetensors.numpy.load_file(GOLDEN / "situations.safetensors")
    bot, table, options = make_bot(f"ckpt:{GOLDEN / 'checkpoint'}"), spec_for(CARDS, 2), Options()
    bot.check(table, options)
    games = GameArrays(table, len(stored["actions"]))
    games.observations[:], games.legals[:] = stored["observations"], stored["legal"]
    games.counts[:] = (stored["legal"] >= 0).sum(axis=1)
    rows = np.arange(len(games.counts))
    chosen = bot.choose(Decisions(games, options, rows, rows.astype(np.uint64)))
    assert len(chosen) == 20 and chosen.tolist() == stored["actions"].tolist()
    assert len(set(chosen.tolist())) > 10 and (chosen != stored["legal"][:, 0]).any()
    logits, values = bot.policy.logits_and_values(stored["observations"])
    assert np.allclose(logits, stored["logits"], atol=1e-3)
    assert np.allclose(values, stored["values"], atol=1e-3)


def test_s19_rules_observation_and_actions_are_those_of_version_0():
    """A change of one of these is a new version of the environments, see `hemlock_v0`."""
    layouts = [spec_for(CARDS, players).layout for players in (2, 3, 4)]
    assert [observation_hash(layout) for layout in layouts] == OBSERVATIONS
    assert rules_hash(CARDS) == RULES
    names = "\n".join(spec_for(CARDS, 2).actions.names)
    assert hashlib.sha256(names.encode()).hexdigest()[:16] == ACTIONS


# ---- memory ----


def play_games(count):
    venv = HemlockVectorEnv(256)
    venv.reset(seed=1)
    rng, ends = np.random.default_rng(1), 0
    while ends < count:
        counts, legal = venv.slots.games.counts, venv.slots.games.legals
        places = (rng.random(256) * np.maximum(counts, 1)).astype(np.intp)
        ends += int(venv.step(legal[np.arange(256), places].astype(int))[2].sum())
    venv.close()


def make_and_close(times):
    for number in range(times):
        for env in (
            gymnasium.make(ID, opponent="greedy"),
            gymnasium.make_vec(ID, num_envs=4),
            hemlock_v0.env(),
        ):
            env.reset(seed=number)
            env.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("use", "times"), [(play_games, 20_000), (make_and_close, 300)], ids=["games", "cycles"]
)
def test_memory_stays_where_it_was(use, times):
    use(max(times // 10, 30))  # caches fill
    gc.collect()
    tracemalloc.start()
    try:
        use(max(times // 10, 30))
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        use(times)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 100_000, f"{grown} bytes more after {times}"  # a leaked game is 1,700 or more

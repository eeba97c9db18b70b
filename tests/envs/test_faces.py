"""What holds for all faces of the environment alike."""

import gc
import os
import random
import subprocess
import sys
import tracemalloc

import gymnasium
import numpy as np
import pytest
import torch

from hemlock_env import Batch, hemlock_v0
from hemlock_env.cards import load_card_set
from hemlock_env.envs.gym_env import HemlockGymEnv
from hemlock_env.envs.vector import HemlockVectorEnv
from hemlock_env.game.spec import spec_for
from tests.envs.games import VARIANTS, any_legal

ID = "hemlock/Hemlock-v0"
CARDS = load_card_set("vault_of_darkness")


# ---- masks ----


UNREACHABLE = {"space:spires:2,0", "space:spires:2,2", "space:alley_maze:1,1"}


@pytest.mark.pitfall("S05")
def test_every_action_is_legal_at_some_time():
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


@pytest.mark.pitfall("S05")
def test_all_faces_show_the_same_mask():
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
            action = any_legal(shown[0], rng)
            _, _, over, _, info = single.step(action)
            infos = vector.step([action])[4]
            if over:
                break


# ---- global random state ----


@pytest.mark.pitfall("S13")
def test_global_random_state_is_neither_read_nor_changed():
    def played(disturb):
        env = HemlockGymEnv(3, opponent=["random", "greedy"])
        venv = HemlockVectorEnv(3)
        rng, seen = np.random.default_rng(13), []
        _, info = env.reset(seed=13)
        _, infos = venv.reset(seed=13)
        for _ in range(150):
            shown, reward, over, _, info = env.step(any_legal(info["action_mask"], rng))
            actions = [any_legal(mask, rng) for mask in infos["action_mask"]]
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


# ---- worker processes ----


WORKERS = """
import multiprocessing, sys
import gymnasium, numpy as np

def drawn(masks, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])

def play_for_gymnasium(start, rng):
    venv = gymnasium.make_vec("hemlock_env:hemlock/Hemlock-v0", 2, "async",
                              vector_kwargs={"context": start})
    assert isinstance(venv, gymnasium.vector.AsyncVectorEnv)
    _, info = venv.reset(seed=1)
    for _ in range(500):
        info = venv.step(drawn(info["action_mask"], rng))[4]
    venv.close()

def play_for_stable_baselines(start, rng):
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import SubprocVecEnv
    venv = make_vec_env("hemlock_env:hemlock/Hemlock-v0", 2, vec_env_cls=SubprocVecEnv,
                        vec_env_kwargs={"start_method": start})
    venv.reset()
    for _ in range(500):
        venv.step(drawn(venv.env_method("action_masks"), rng))
    venv.close()

if __name__ == "__main__":
    play_for_gymnasium("forkserver", np.random.default_rng(1))
    play_for_stable_baselines("forkserver", np.random.default_rng(1))
    assert multiprocessing.active_children() == []
    print("played")
"""


@pytest.mark.slow
@pytest.mark.pitfall("S14")
def test_worker_processes_know_the_environment(tmp_path):
    """Those of a fork server; spawned ones are in test_vector.py and test_sb3.py."""
    script = tmp_path / "workers.py"
    script.write_text(WORKERS)
    ran = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert ran.stdout.split() == ["played"], ran.stderr
    assert "Warning" not in ran.stderr and "overriding" not in ran.stderr


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
    ("use", "times", "most"),
    [(play_games, 5_000, 25_000), (make_and_close, 300, 100_000)],
    ids=["games", "cycles"],
)
def test_memory_stays_where_it_was(use, times, most):
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
    assert grown < most, f"{grown} bytes more after {times}"  # a leaked game is 1,700 or more

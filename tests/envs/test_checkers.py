"""PettingZoo's checkers, for every variant."""

import itertools
import subprocess
import sys
from types import SimpleNamespace

import gymnasium
import pettingzoo
import pytest
from pettingzoo.utils import turn_based_aec_to_parallel

from hemlock_env import hemlock_v0
from hemlock_env.envs import registration
from tests.envs.checkers import (
    ADVICE,
    api_test,
    parallel_api_test,
    performance_benchmark,
    render_test,
    seed_test,
    state_test,
)
from tests.envs.games import VARIANTS, name

pytestmark = ADVICE
CYCLES = 300  # for each agent: a whole game


@pytest.mark.parametrize("options", VARIANTS, ids=name)
def test_api_test_passes_for_every_variant(options):
    api_test(hemlock_v0.env(**options), num_cycles=CYCLES)


@pytest.mark.parametrize("options", VARIANTS, ids=name)
def test_seed_test_passes_for_every_variant(options):
    seed_test(lambda: hemlock_v0.env(**options), num_cycles=CYCLES)


@pytest.mark.parametrize("reward", ["outcome", "margin"])
def test_api_test_passes_for_the_raw_environment(reward):
    api_test(hemlock_v0.raw_env(sides="random", first_player=1, reward=reward), num_cycles=CYCLES)


@pytest.mark.parametrize("observation", ["float", "dict"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_api_and_seed_test_pass_for_every_form_of_observation(num_players, observation):
    options = {"num_players": num_players, "observation": observation}
    api_test(hemlock_v0.env(**options), num_cycles=CYCLES)
    seed_test(lambda: hemlock_v0.env(**options), num_cycles=CYCLES)


def test_performance_benchmark_runs(capsys, monkeypatch):
    """Recorded, not judged: tests measure no time, and its five seconds pass in 500 cycles."""
    clock = SimpleNamespace(time=itertools.count(step=0.01).__next__)
    monkeypatch.setattr(sys.modules[performance_benchmark.__module__], "time", clock)
    performance_benchmark(hemlock_v0.env())
    assert "turns per second" in capsys.readouterr().out


def test_render_test_passes(capsys):
    render_test(hemlock_v0.env)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_state_test_passes(num_players):
    parallel = turn_based_aec_to_parallel(hemlock_v0.env(num_players))
    state_test(hemlock_v0.env(num_players), parallel)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_as_a_parallel_environment_it_passes_the_parallel_test(num_players):
    parallel_api_test(turn_based_aec_to_parallel(hemlock_v0.env(num_players)), num_cycles=CYCLES)


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo before 1.27 has no make")
def test_pettingzoo_makes_it():
    env = pettingzoo.make("aec", "hemlock/Hemlock-v0", num_players=3)
    assert str(env) == "hemlock_v0" and env.max_num_agents == 3


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo before 1.27 has no make")
def test_importing_the_package_is_enough_for_pettingzoo():
    code = (
        "import hemlock_env, pettingzoo; "
        "e = pettingzoo.make('aec', 'hemlock/Hemlock-v0'); e.reset(seed=1); print(e.agents)"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "['player_0', 'player_1']"


def test_without_a_registry_it_is_registered_with_gymnasium_alone(monkeypatch):
    """PettingZoo 1.25 has none."""
    monkeypatch.delattr(pettingzoo, "register", raising=False)
    monkeypatch.delitem(gymnasium.registry, registration.ID)
    registration.register()
    assert registration.ID in gymnasium.registry

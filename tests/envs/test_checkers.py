"""PettingZoo's checkers, for every variant."""

import pettingzoo
import pytest
from pettingzoo.utils import turn_based_aec_to_parallel

from hemlock_env import hemlock_v0
from tests.envs.checkers import (
    ADVICE,
    api_test,
    parallel_api_test,
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

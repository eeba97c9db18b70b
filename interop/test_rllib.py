"""RLlib: what its module gets, and PPO on two nodes of which one is lost."""

import itertools
import math

import numpy as np
import pytest
import ray
import torch
from ray.cluster_utils import Cluster
from ray.rllib.core.columns import Columns

from interop.rllib_ppo import BARRED, POLICY, MaskedModule, make_env, settings, train

NODE = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": 200 * 2**20}


def test_whoever_decides_gets_its_mask_and_the_others_ones():
    env = make_env({"num_players": 2})
    seen, _ = env.reset(seed=3)
    (agent,) = seen
    other = next(name for name in env.possible_agents if name != agent)
    assert np.array_equal(
        seen[agent]["action_mask"], env.env.infos[agent]["action_mask"].astype(np.float32)
    )
    assert env.observation_spaces[agent].contains(seen[agent])
    assert env.env.observe(other)["action_mask"].all()


def test_the_end_pays_every_agent():
    rng = np.random.default_rng(4)
    env = make_env({"num_players": 4})
    seen, _ = env.reset(seed=4)
    over, paid = {"__all__": False}, dict.fromkeys(env.possible_agents, 0.0)
    while not over["__all__"]:
        (agent,) = seen
        legal = np.flatnonzero(seen[agent]["action_mask"])
        seen, rewards, over, cut, _ = env.step({agent: rng.choice(legal)})
        paid = {name: paid[name] + rewards.get(name, 0.0) for name in paid}
    assert set(seen) == set(env.possible_agents)
    assert all(view["action_mask"].all() for view in seen.values())
    assert not any(cut.values())
    assert sum(paid.values()) == pytest.approx(0)
    assert max(paid.values()) > 0


def test_an_illegal_action_has_no_probability():
    env = make_env({"num_players": 2})
    seen, _ = env.reset(seed=5)
    ((agent, view),) = seen.items()
    module = MaskedModule(
        observation_space=env.observation_spaces[agent],
        action_space=env.action_spaces[agent],
        model_config={"width": 8},
    )
    tensors = {name: torch.as_tensor(part)[None] for name, part in view.items()}
    logits = module.forward_train({Columns.OBS: tensors})[Columns.ACTION_DIST_INPUTS][0]
    legal = view["action_mask"] == 1
    assert (logits[~legal] == BARRED).all()
    assert (logits[legal] > BARRED).all()
    assert (torch.softmax(logits, -1)[~legal] == 0).all()


@pytest.fixture
def two_nodes():
    cluster = Cluster(initialize_head=True, head_node_args=NODE)
    second = cluster.add_node(**NODE)
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster, second
    ray.shutdown()
    cluster.shutdown()


def places(algorithm):
    """The nodes of the runners that answer."""
    return algorithm.env_runner_group.foreach_env_runner(
        lambda runner: ray.get_runtime_context().get_node_id(), local_env_runner=False
    )


def weights_of(algorithm):
    state = algorithm.get_module(POLICY).get_state()
    return np.concatenate([part.ravel() for _, part in sorted(state.items())])


def test_ppo_trains_on_two_nodes_and_goes_on_when_one_is_lost(two_nodes):
    cluster, second = two_nodes
    config = settings(runners=2, decisions=512, epochs=1, minibatch=128, width=16)
    weights, games = [], 0
    for algorithm, results in train(config, iterations=4):
        learned = results["learners"][POLICY]
        assert math.isfinite(learned["total_loss"])
        assert learned["num_module_steps_trained"] > 0
        weights.append(weights_of(algorithm))
        assert np.isfinite(weights[-1]).all()
        games += results["env_runners"].get("num_episodes", 0)
        healthy = algorithm.env_runner_group.num_healthy_remote_workers()
        if algorithm.iteration == 2:
            assert healthy == 2
            assert len(set(places(algorithm))) == 2
            assert games >= 1
            cluster.remove_node(second)
        elif algorithm.iteration > 2:
            assert healthy == 1
            assert len(places(algorithm)) == 1
    assert len(weights) == 4
    for before, after in itertools.pairwise(weights):
        assert not np.array_equal(before, after)

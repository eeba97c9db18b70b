"""Several processes: one set of weights, resumed to the bit, and an end with a word."""

import threading
from pathlib import Path

import numpy as np
import pytest
import torch

from hemlock_env.learning import checkpoint
from hemlock_env.learning.config import Settings
from hemlock_env.learning.ppo import PPOTrainer
from hemlock_env.learning.team import Link, TeamError
from tests.training.tiny import tiny

SETTINGS: Settings = tiny(processes=2, pool_share=0.5, pool_freq=1024)


def started() -> PPOTrainer:
    trainer = PPOTrainer(SETTINGS)
    trainer.start()
    return trainer


def test_a_resumed_team_goes_on_exactly_and_a_lost_process_is_told(tmp_path: Path) -> None:
    straight, again = started(), started()
    try:
        for _ in range(2):
            straight.update()
        checkpoint.begin(tmp_path / "run", SETTINGS)
        checkpoint.save(tmp_path / "run", straight.policy(), straight.state_dict())
        again.load_state_dict(checkpoint.load(tmp_path / "run", SETTINGS, again.encoder))
        rows = [straight.update() for _ in range(2)], [again.update() for _ in range(2)]
        timed = ("minutes", "sps", "learned_sps")
        for one, other in zip(*rows, strict=True):
            assert {k: v for k, v in one.items() if k not in timed} == {
                k: v for k, v in other.items() if k not in timed
            }
        arrays, others = straight.state_dict(), again.state_dict()
        assert "1.games" in arrays
        del arrays["seconds"], others["seconds"]
        assert arrays.keys() == others.keys()
        for name in arrays:
            np.testing.assert_array_equal(arrays[name], others[name], err_msg=name)
        assert arrays["0.games"].tobytes() != arrays["1.games"].tobytes()
        again.team.processes[0].kill()
        again.team.processes[0].join()
        with pytest.raises(TeamError, match="--resume goes on"):
            again.update()
    finally:
        straight.close()
        again.close()


def test_gradients_become_their_mean_in_every_process() -> None:
    shared = np.zeros(2 * 2 * 5, np.float32)
    meeting = threading.Barrier(2)
    links = [Link(rank, 2, shared, meeting) for rank in (0, 1)]
    weights = [[torch.zeros(2, 2), torch.zeros(1)] for _ in links]
    for round_number in range(5):
        for rank, own in enumerate(weights):
            for weight in own:
                weight.grad = torch.full(weight.shape, float(rank + round_number))
        threads = [
            threading.Thread(target=link.average, args=(own,))
            for link, own in zip(links, weights, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for own in weights:
            for weight in own:
                assert weight.grad is not None
                assert (weight.grad == round_number + 0.5).all()

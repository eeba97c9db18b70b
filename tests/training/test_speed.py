"""`training.speed` and `make bench-peers` set beside each other what can be compared."""

from collections import Counter

import pytest

from hemlock_env.learning.maskable_ppo import MaskablePPOTrainer
from hemlock_env.learning.ppo import PPOTrainer
from tests.benchmarks import peers
from training import speed


def test_both_trainers_have_every_size_in_the_same_precision_and_one_process():
    rows = speed.rows_of(processes=2)
    equal = Counter(
        (row.size, row.precision, row.processes) for row in rows if row.precision == "float32"
    )
    assert equal == {(size, "float32", 1): 2 for size in speed.SIZES}
    assert {row.make for row in rows} == {PPOTrainer, MaskablePPOTrainer}
    assert [row.processes for row in rows if row.precision == "auto"] == [1, 2]


@pytest.mark.slow
def test_only_what_enters_a_gradient_counts():
    size = 8, 16, 64
    for name, make in (("PPO", PPOTrainer), ("MaskablePPO", MaskablePPOTrainer)):
        trainer = speed.Row(name, make, "float32", size).trainer()
        before = speed.learned(trainer)
        assert speed.pace(trainer, 1) > 0.0
        assert speed.learned(trainer) - before == 8 * 16, name
        trainer.close()


@pytest.mark.parametrize("options", [["--rounds", "0"], ["--processes", "0"]])
def test_what_cannot_be_measured_is_refused(options, capsys):
    assert speed.main(options) == 2
    assert "must be 1 or more" in capsys.readouterr().err


def test_this_projects_rows_count_decisions():
    play = peers.ours_gym()
    assert 80 < play() < 250  # a game of two
    assert peers.ours_game()() == 5000
    assert {row.needs for row in peers.ROWS if row.project == "hemlock-env"} == {""}


def test_a_project_that_is_not_installed_is_left_out():
    there = peers.Row("this", "a step", peers.ours_game, "numpy")
    assert peers.installed(there)
    assert not peers.installed(there._replace(needs="no-such-package"))

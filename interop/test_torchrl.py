"""TorchRL: the wrapper's facts are the game's, and PPO trains with masks."""

import math

import torch

from interop.torchrl_ppo import GROUP, make_env, train


def test_one_seat_decides_by_a_legal_action_and_all_are_paid_at_the_end():
    torch.manual_seed(1)
    env = make_env(num_players=3, seed=1)
    game = env.rollout(10_000)

    seats = game[GROUP]
    acted = seats["mask"]
    assert (acted.sum(-1) == 1).all()
    taken = seats["action_mask"].gather(-1, seats["action"].unsqueeze(-1)).squeeze(-1)
    assert taken[acted].all()
    assert (seats["action_mask"][acted].sum(-1) >= 2).all()

    rewards = game["next", GROUP, "reward"].squeeze(-1)
    assert game["next", "done"].nonzero()[:, 0].tolist() == [len(game) - 1]
    assert not rewards[:-1].any()
    assert rewards[-1].sum().abs() < 1e-6
    assert rewards[-1].max() > 0


def test_ppo_learns_from_games_of_itself():
    weights, losses, games = [], [], 0
    for actor, batch, loss in train(updates=2, decisions=384, epochs=2, minibatch=128, width=16):
        weights.append(torch.cat([part.detach().flatten() for part in actor.parameters()]))
        losses.append(loss)
        games += int(batch["next", "done"].sum())

    assert len(losses) == 2
    assert all(map(math.isfinite, losses))
    assert games >= 2
    assert torch.isfinite(weights[1]).all()
    assert not torch.equal(weights[0], weights[1])


def test_the_same_seed_trains_the_same():
    runs = [
        [loss for _, _, loss in train(updates=1, decisions=128, minibatch=64, width=16, seed=5)]
        for _ in range(2)
    ]
    assert runs[0] == runs[1]

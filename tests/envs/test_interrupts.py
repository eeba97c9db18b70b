"""Ctrl-C at any moment of a stepping loop: afterwards all stands before a step or after it."""

import random
import signal
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from hemlock_env import Batch, Game, hemlock_v0, replay
from hemlock_env.envs.gym_env import HemlockGymEnv
from hemlock_env.envs.vector import HemlockVectorEnv
from tests.support.interrupts import Interrupted, interrupt_me

TIMES = 25
MANY = 400


def played(game: Game) -> None:
    """A game is what its record tells."""
    *_, last = replay(game.record())
    assert last.to_position() == game.to_position()


def game_loop() -> tuple[Callable[[], Any], Callable[[], Any]]:
    game, rng = Game(seed=1), random.Random(1)
    held = [game]

    def step() -> None:
        if held[0].over:
            held[0] = Game(seed=rng.randrange(1000))
        held[0].step(rng.choice(held[0].legal_actions()))

    return step, lambda: played(held[0])


def aec_loop() -> tuple[Callable[[], Any], Callable[[], Any]]:
    env, rng = hemlock_v0.raw_env(loot="hand"), random.Random(1)
    env.reset(seed=1)

    def step() -> None:
        if env.terminations[env.agent_selection]:
            env.reset(seed=rng.randrange(1000))
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))

    def check() -> None:
        played(env.game)
        seat = env.game.seat
        assert env.agent_selection == env.possible_agents[seat or 0]
        assert set(env.terminations.values()) == {env.game.over}
        assert env._cumulative_rewards == env.rewards
        assert sum(env.rewards.values()) == 0
        for at, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            assert (seen["observation"] == env.game.observe(at)).all()
            mask = env.game.action_mask() if at == seat else np.zeros_like(seen["action_mask"])
            assert (seen["action_mask"] == mask).all()
            assert (env.infos[agent]["action_mask"] == mask).all()

    return step, check


def gym_loop() -> tuple[Callable[[], Any], Callable[[], Any]]:
    env, rng = HemlockGymEnv(), random.Random(1)
    env.reset(seed=1)

    def step() -> None:
        if env.over:
            env.reset(seed=rng.randrange(1000))
        env.step(int(rng.choice(np.flatnonzero(env.action_masks()))))

    def check() -> None:
        assert env.game is not None
        played(env.game)
        if env.over:  # or the rival was still to answer
            with pytest.raises(ResetNeeded, match=r"reset\(\)"):
                env.step(0)
        else:
            assert env.game.seat == env.seat
            assert (env.action_masks() == env.game.action_mask()).all()

    return step, check


def vector_loop() -> tuple[Callable[[], Any], Callable[[], Any]]:
    venv, rng = HemlockVectorEnv(8), np.random.default_rng(1)
    venv.reset(seed=1)

    def step() -> None:
        masks = venv.slots.masks()
        try:
            venv.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
        except ResetNeeded:
            venv.reset(seed=int(rng.integers(1000)))

    def check() -> None:
        slots = venv.slots
        if not slots.sound.all():
            with pytest.raises(ResetNeeded, match=r"reset\(\)"):
                venv.step(slots.masks().argmax(1))
        for row in np.flatnonzero(slots.sound & ~slots.over):
            assert slots.games.seats[row] == slots.learners[row]

    return step, check


def batch_loop() -> tuple[Callable[[], Any], Callable[[], Any]]:
    batch = Batch(16, seed=1, autoreset=True)

    def step() -> None:
        batch.step(batch.sample())

    def check() -> None:
        again = Batch(16)
        again.restore(batch.games.copy())
        for name in ("seat", "observation", "mask", "legal", "legal_count"):
            assert (getattr(batch, name) == getattr(again, name)).all(), name

    return step, check


LOOPS = {
    "Game": game_loop,
    "AEC": aec_loop,
    "Gymnasium": gym_loop,
    "vector": vector_loop,
    "Batch": batch_loop,
}


def interrupt(make: Callable[[], Any], times: int) -> None:
    """So many interrupts, each at another moment of a few steps."""
    step, check = make()
    for _ in range(3):
        step()
    begun = time.perf_counter()
    for _ in range(20):
        step()
    each = (time.perf_counter() - begun) / 20
    rng = random.Random(5)
    for _ in range(times):
        before = signal.signal(signal.SIGALRM, interrupt_me)
        with pytest.raises(Interrupted):
            signal.setitimer(signal.ITIMER_REAL, rng.uniform(0.2, 6) * each)
            while True:
                step()
        signal.signal(signal.SIGALRM, before)
        check()
        step()
        check()


@pytest.mark.parametrize("name", LOOPS)
def test_an_interrupt_leaves_a_loop_before_a_step_or_after_it(name: str) -> None:
    interrupt(LOOPS[name], TIMES)


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOPS)
def test_many_interrupts_do_too(name: str) -> None:
    interrupt(LOOPS[name], MANY)

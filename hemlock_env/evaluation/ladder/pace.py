"""How long a bot will take, from a few of its decisions."""

from __future__ import annotations

import time

import numpy as np

from hemlock_env.agents.base import Bot, Decisions
from hemlock_env.agents.registry import make_bot
from hemlock_env.engine import kernel
from hemlock_env.evaluation.ladder.plan import Plan
from hemlock_env.game.arrays import GameArrays, prepare
from hemlock_env.game.keys import mix_keys
from hemlock_env.game.spec import spec_for

SPOTS = (10, 40, 70)  # decisions into a random game at which a bot is asked
DECISIONS = 55  # that a seat has to make in a game, about
ROWS = 64  # games in which it is asked at once, as it is in a match
SLOW = 0.02  # seconds for one: such a bot gains nothing from being asked for many


def seconds_a_game(plan: Plan, spec: str) -> float:
    """About how long a bot takes for all decisions of one seat in a game."""
    bot, random = make_bot(spec), make_bot("random")
    prepare()
    bot.prepare()
    bot.check(spec_for(plan.card_set, plan.num_players), plan.checked_options)
    games = GameArrays(spec_for(plan.card_set, plan.num_players), ROWS)
    plan.checked_options.write(games.states)
    games.seeds[:] = np.arange(ROWS)
    games.run(kernel.START)
    took = []
    for decision in range(max(SPOTS) + 1):
        rows = np.flatnonzero(games.counts)
        if not len(rows):
            break
        asked = Decisions(games, plan.checked_options, rows, mix_keys(np.arange(len(rows)), 0))
        if decision in SPOTS:
            took.append(_seconds_a_decision(bot, asked, plan, games))
        games.actions[rows] = random.choose(asked)
        games.run(kernel.STEP)
    return DECISIONS * float(np.mean(took))


def _seconds_a_decision(bot: Bot, all_asked: Decisions, plan: Plan, games: GameArrays) -> float:
    rows = np.flatnonzero(games.counts)[:1]
    one = Decisions(games, plan.checked_options, rows, all_asked.keys[:1])
    took = _seconds(bot, one)
    return took if took > SLOW else _seconds(bot, all_asked) / len(all_asked)


def _seconds(bot: Bot, asked: Decisions) -> float:
    begun = time.perf_counter()
    bot.choose(asked)
    return time.perf_counter() - begun

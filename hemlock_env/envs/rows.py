"""Some games of many, played on until someone has to be asked: what the environments run on.

`kernel.run` moves all games by one decision; here each listed game goes on for as long as those
decide who play at random.
"""

# Compiled: bodies are tested uncompiled instead of being checked.
# mypy: no-check-untyped-defs, allow-untyped-calls, allow-untyped-defs, allow-incomplete-defs

from __future__ import annotations

import numpy as np

from hemlock_env._jit import entry, part
from hemlock_env.engine.chance import below, mix
from hemlock_env.engine.constants import NOTHING
from hemlock_env.engine.flow import run_to_choice
from hemlock_env.engine.kernel import answer_choice, show_game, write_scores
from hemlock_env.engine.setup import set_up
from hemlock_env.engine.types import (
    AllTables,
    Int8Rows,
    Int8s,
    Int16Rows,
    Int16s,
    Int64s,
    Seed,
    State,
    States,
    UInt64Rows,
    UInt64s,
)

BEGIN = -2  # in `actions`: a new game from `seeds`; NOTHING leaves the game where it is


@part
def random_choice(state: State, stream: Seed, count: int):
    """Which of `count` legal actions `RandomBot` chooses with the key of this decision."""
    return below(mix(stream, state.decisions) ^ stream, count)


@entry
def play_rows(
    rows: Int64s,
    waiting: Int64s,
    states: States,
    all_tables: AllTables,
    actions: Int16s,
    seeds: UInt64s,
    learners: Int8s,
    random_seats: Int8Rows,
    streams: UInt64Rows,
    log: Int16Rows,
    legals: Int16Rows,
    counts: Int16s,
    seats: Int8s,
    masks: Int8Rows,
    observations: Int8Rows,
    scores: Int16Rows,
    winners: Int8Rows,
):
    """Each listed game on by its action, legal or BEGIN or NOTHING, and then by random answers, as
    `RandomBot` gives them, while a random seat decides.

    Shows it to whoever has to decide then, or to the learner if it is over. Returns how many wait
    for an opponent; these then stand in `waiting`, which may be the array of `rows`.
    """
    tables = all_tables[0]
    tensor = observations.reshape(-1)
    n_waiting = 0
    for i in range(rows.shape[0]):
        game = rows[i]
        state = states[game]
        action = np.int64(actions[game])
        while True:
            if action == BEGIN:
                set_up(state, tables, seeds[game])
            elif action != NOTHING:
                answer_choice(state, tables, action, log, game)
            counts[game] = run_to_choice(state, tables, legals[game])
            if counts[game] == 0 or random_seats[game, state.decider] == 0:
                break
            stream = streams[game, state.decider]
            action = np.int64(legals[game, random_choice(state, stream, counts[game])])
        seats[game] = state.decider
        viewer = np.int64(state.decider)
        if counts[game] == 0:
            viewer = np.int64(learners[game])
            write_scores(state, tables, game, scores, winners)
        elif viewer != learners[game]:
            waiting[n_waiting] = game
            n_waiting += 1
        show_game(state, tables, viewer, game, legals, counts, masks, observations, tensor)
    return n_waiting

"""Some games of many, played on until someone has to be asked: what the vectorised environments
run on.

`kernel.run` moves all games by one decision; here each listed game goes on for as long as those
decide who play at random.
"""

# Compiled, like the engine: the types follow from the parameters' names.
# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numba
import numpy as np

from hemlock_env.engine.chance import below, mix
from hemlock_env.engine.constants import LEGAL_MAX, NOBODY, NOTHING
from hemlock_env.engine.decisions import answer, list_legal
from hemlock_env.engine.flow import run_to_choice
from hemlock_env.engine.kernel import ENTRY_TYPES
from hemlock_env.engine.scoring import is_winner, score
from hemlock_env.engine.setup import set_up
from hemlock_env.engine.state import entry_point
from hemlock_env.engine.view import look

BEGIN = -2  # in `actions`: a new game from `seeds`; NOTHING leaves the game where it is

entry = entry_point(
    {
        **ENTRY_TYPES,
        "rows": numba.int64[::1],
        "learners": numba.int8[::1],
        "random_seats": numba.int8[:, ::1],
        "rival_streams": numba.uint64[:, ::1],
    }
)


@entry
def play_rows(
    rows,
    states,
    all_tables,
    actions,
    seeds,
    learners,
    random_seats,
    rival_streams,
    legals,
    counts,
    seats,
    masks,
    observations,
    scores,
    winners,
):
    """Each listed game on by its action, legal or BEGIN or NOTHING, and then by random answers, as
    `RandomBot` gives them, while a random seat decides.

    Shows it to whoever has to decide then, or to the learner if it is over.
    """
    tables = all_tables[0]
    features = observations.shape[1]
    tensor = observations.reshape(-1)
    for place in range(rows.shape[0]):
        game = rows[place]
        state = states[game]
        action = np.int64(actions[game])
        if action == NOTHING:
            counts[game] = list_legal(state, tables, legals[game])
        going = action != NOTHING
        while going or (counts[game] > 0 and random_seats[game, state.decider] == 1):
            if action == BEGIN:
                set_up(state, tables, seeds[game])
            else:
                if not going:
                    stream = rival_streams[game, state.decider]
                    key = mix(stream, state.decisions) ^ stream
                    action = np.int64(legals[game, below(key, counts[game])])
                state.decisions += 1
                answer(state, tables, action)
            counts[game] = run_to_choice(state, tables, legals[game])
            going = False
            action = NOTHING
        seats[game] = state.decider
        seen_from = np.int64(state.decider)
        if state.decider == NOBODY:
            seen_from = np.int64(learners[game])
            for seat in range(state.num_players):
                scores[game, seat] = score(state, tables, seat)
                winners[game, seat] = is_winner(state, tables, seat)
        masks[game, :] = 0
        for at in range(LEGAL_MAX):
            if at < counts[game]:
                masks[game, legals[game, at]] = 1
            else:
                legals[game, at] = NOTHING
        observations[game, :] = 0
        look(state, tables, seen_from, tensor, game * features)

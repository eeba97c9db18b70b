"""A new set of endgames: games between bots, a position from each, solved exactly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env._check import whole
from hemlock_env.agents.registry import make_bot
from hemlock_env.engine import kernel
from hemlock_env.engine.constants import WEEK_NIGHTS, Step
from hemlock_env.engine.events import EVENT_MAKE_ENDGAMES
from hemlock_env.evaluation.endgames.positions import POSITIONS, pack, position_of
from hemlock_env.evaluation.playing import BotGames, Progress, Rows
from hemlock_env.game.arrays import GameArrays, prepare
from hemlock_env.game.game import Game
from hemlock_env.game.keys import Keys, mix_keys, seeds_from
from hemlock_env.game.options import Options, check_seed
from hemlock_env.game.spec import GameSpec, find_spec
from hemlock_env.search.alpha_beta import new_workspace
from hemlock_env.search.solver import solve_row

POSITIONS_MAX = 100_000

# Whose turn a position stands in: the four uses of loot, the two special actions, the claims. The
# positions of a set go round this list, so that its first ones are as mixed as all of them.
STAGES = (
    "loot 4", "special 1", "claims", "loot 3", "special 2",
    "loot 4", "special 1", "loot 2", "special 2", "loot 1",
)  # fmt: skip
MAKERS = ("random", "greedy", "planner")  # who plays the games that positions are taken from
NODES = 50_000_000  # a position that needs more is left out
GAMES = 200  # played together


def make_endgames(
    positions: int = POSITIONS,
    seed: int = 0,
    progress: Progress | None = None,
) -> bytes:
    """A new set as the bytes of its file; the same arguments make the same set.

    Each position is from a game of its own between bots drawn from `MAKERS`; all are different, and
    in each some legal action is worth more than another.

    Raises:
        ValueError: an argument can't be.
    """
    count = whole(positions, 1, POSITIONS_MAX, "positions")
    start = np.uint64(check_seed(seed))
    spec, options = find_spec(num_players=2)
    prepare()
    wanted = [STAGES[number % len(STAGES)] for number in range(count)]
    solved: dict[str, list[dict[str, Any]]] = {stage: [] for stage in STAGES}
    seen: set[str] = set()
    first, size = 0, min(GAMES, 2 * count)
    while any(len(solved[stage]) < wanted.count(stage) for stage in solved):
        games = _Games(spec, options, start, np.arange(first, first + size, dtype=np.uint64))
        for game, stage in games.play():
            if len(solved[stage]) < wanted.count(stage):
                row = _solve(game, stage, seen)
                solved[stage] += [row] if row else []
                if progress is not None:
                    progress(sum(map(len, solved.values())), count)
        first += size
    return pack(spec.card_set, options, seed, [solved[stage].pop(0) for stage in wanted])


def stages_of(states: NDArray[Any]) -> list[str]:
    """The stage of the last night that each game stands in, "" before it and when over."""
    names = {int(Step.LOOT_USED): "loot", int(Step.SPECIAL_DONE): "special"}
    stages = []
    for state in states:
        last = (state["week"], state["night"]) == (2, WEEK_NIGHTS)
        if last and state["step"] == Step.CLAIM:
            stages.append("claims")
        else:
            name = names.get(int(state["step"])) if last else None
            stages.append(f"{name} {state['turn'] + 1}" if name else "")
    return stages


class _Games:
    """Games of mixed bots; from each one position of the stage that it is for."""

    def __init__(self, spec: GameSpec, options: Options, seed: np.uint64, numbers: Keys) -> None:
        streams = mix_keys(mix_keys(seed, EVENT_MAKE_ENDGAMES), numbers)
        by_seat = mix_keys(streams[:, None], np.arange(2))  # (games, seats)
        self.played = BotGames(
            spec,
            options,
            [make_bot(name) for name in MAKERS],
            seating=(mix_keys(by_seat, 3) % np.uint64(len(MAKERS))).astype(np.intp),
            seeds=seeds_from(mix_keys(streams, 4)),
            streams=by_seat,
        )
        self.draws = mix_keys(streams, 2)
        self.wanted = [STAGES[number % len(STAGES)] for number in numbers.tolist()]
        self.taken = GameArrays(spec, len(numbers))
        self.met = np.zeros(len(numbers), np.int64)  # decisions in the wanted stage so far

    def play(self) -> Iterator[tuple[Game, str]]:
        """The positions taken, each with its stage."""
        for rows, _ in self.played.play():
            self._take(rows)
        self.taken.run(kernel.SHOW)
        for row in np.flatnonzero(self.met).tolist():
            position = self.taken.take(slice(row, row + 1))
            yield Game.from_arrays(position, self.played.options), self.wanted[row]

    def _take(self, rows: Rows) -> None:
        """Reservoir sampling, one of the decisions in the wanted stage: the n-th replaces the one
        taken so far with probability 1/n.
        """
        states = self.played.games.states[rows]
        draws = mix_keys(self.draws[rows], states["decisions"])
        for row, stage, draw in zip(rows, stages_of(states), draws.tolist(), strict=True):
            if stage == self.wanted[row]:
                self.met[row] += 1
                if draw % int(self.met[row]) == 0:
                    self.taken.states[row] = self.played.games.states[row]


def _solve(game: Game, stage: str, seen: set[str]) -> dict[str, Any] | None:
    """One position with its values, or None where there is nothing to be missed, it is there
    already, or it takes too long.
    """
    values, _ = solve_row(game.arrays, 0, NODES, new_workspace())
    if values is None or len(set(values.tolist())) == 1:
        return None
    position = position_of(game)
    text = json.dumps(position, sort_keys=True)
    if text in seen:
        return None
    seen.add(text)
    names = map(game.action_name, game.legal_actions())
    by_name = dict(zip(names, values.tolist(), strict=True))
    return {"stage": stage, "position": position, "values": by_name}

"""GameArrays: a number of games as arrays, and the calls into the kernel; `Game` holds one, `Batch`
many.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env.engine import kernel
from hemlock_env.engine.constants import LEGAL_MAX, NOBODY
from hemlock_env.engine.state import new_states
from hemlock_env.game.spec import GameSpec, for_kernel

# The arrays of `kernel.run` behind states and tables, in its order.
_arrays_of_run = attrgetter(
    *("actions", "moves", "seeds", "streams", "log", "legals", "counts", "seats", "masks"),
    *("observations", "rewards", "done", "scores", "winners"),
)


def own_arrays(values: dict[str, Any]) -> dict[str, Any]:
    """Attributes of an object, each array among them copied."""
    return {
        name: _copied(value) if isinstance(value, np.ndarray) else value
        for name, value in values.items()
    }


def _copied(array: NDArray[Any]) -> NDArray[Any]:
    """`array.copy()` would leave chance bytes in the gaps between a record's fields."""
    copied = np.zeros(array.shape, array.dtype)
    copied[...] = array
    return copied if type(array) is np.ndarray else copied.view(type(array))


class GameArrays:
    """`count` games at one kind of table, with what each shows to the seat that decides.

    `log` holds the players' answers of each game since its deal, `states["decisions"]` of them,
    where they are kept; else it has no columns.
    """

    def __init__(self, spec: GameSpec, count: int, log: bool = False) -> None:
        num_players = spec.num_players
        self.spec = spec
        self.count = count
        self.states = for_kernel(new_states(count))
        self.states["num_players"] = num_players
        self.states["cards"] = int(spec.card_set.hash[:7], 16)
        self.legals = np.full((count, LEGAL_MAX), NOBODY, np.int16)
        self.counts = np.zeros(count, np.int16)
        self.seats = np.full(count, NOBODY, np.int8)
        self.masks = np.zeros((count, len(spec.actions)), np.int8)
        self.observations = np.zeros((count, spec.layout.features), np.int8)
        self.rewards = np.zeros((count, num_players), np.float32)
        self.done = np.zeros(count, np.bool_)
        self.scores = np.zeros((count, num_players), np.int16)
        self.winners = np.zeros((count, num_players), np.int8)
        self.actions = np.zeros(count, np.int16)
        self.moves = np.zeros(count, np.int16)
        self.seeds = np.zeros(count, np.uint64)
        self.streams = np.zeros(count, np.uint64)
        self.keep_log(log)

    def _make_run_arguments(self) -> None:
        """What every call of the kernel takes, put together once."""
        self._for_run = self.states, self.spec.tables, *_arrays_of_run(self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_for_run"}

    def __copy__(self) -> GameArrays:
        copied = GameArrays.__new__(GameArrays)
        copied.__setstate__(own_arrays(self.__getstate__()))
        return copied

    def __setstate__(self, values: dict[str, Any]) -> None:
        vars(self).update(values)
        self._make_run_arguments()

    def keep_log(self, log: bool) -> None:
        """Keep a log from the next deal on, or none: of games whose beginning isn't known."""
        self.log = np.zeros((self.count, self.spec.most_decisions if log else 0), np.int16)
        self._make_run_arguments()

    def run(self, mode: int, autoreset: bool = False, reward: int = kernel.OUTCOME) -> int:
        """One call of the kernel over all games; returns its -1, or the first game whose action is
        illegal.
        """
        wrong: int = kernel.run(mode, autoreset, reward, *self._for_run)
        return wrong

    def observe(self, game: int, seat: int) -> NDArray[np.int8]:
        """What `seat` knows of one game: a fresh int8 (features,)."""
        shown = self
        if seat != self.seats[game]:
            shown, game = self.take(slice(game, game + 1)), 0
            shown.seats[0] = seat
            shown.run(kernel.SHOW_TO)
        observation: NDArray[np.int8] = shown.observations[game].copy()
        return observation

    def legal_names(self, game: int) -> list[str]:
        """The names of the legal actions of one game, in the order of their numbers."""
        legal = self.legals[game, : self.counts[game]].tolist()
        return [self.spec.actions.names[action] for action in legal]

    def scores_of(self, game: int) -> list[int]:
        """R10: influence by seat of one game as it stands."""
        seats = range(self.spec.num_players)
        return [int(kernel.score_of(self.states, self.spec.tables, game, seat)) for seat in seats]

    def winners_of(self, game: int) -> list[int]:
        """R10.6: the winning seats of one game; empty before the end."""
        seats = range(self.spec.num_players)
        return [seat for seat in seats if kernel.wins(self.states, self.spec.tables, game, seat)]

    def take(self, games: Any, log: bool = False) -> GameArrays:
        """A copy of some of the games (a slice or an index array), with their log if asked for."""
        states = self.states[games]
        log = log and self.log.shape[1] > 0
        taken = GameArrays(self.spec, len(states), log)
        taken.states[:] = states
        for name in ("legals", "counts", "seats", "masks", "observations"):
            getattr(taken, name)[:] = getattr(self, name)[games]
        if log:
            taken.log[:] = self.log[games]
        return taken

    def redeal(self, seats: NDArray[np.int8], seeds: NDArray[np.uint64]) -> None:
        """R13: draw again, in place, what is hidden from each game's seat."""
        kernel.redeal_games(self.states, self.spec.tables, seats, seeds, self.legals, self.counts)
        self.run(kernel.SHOW)


def prepare() -> None:
    """Compile the rules now (or load them from the cache) instead of at the first game."""
    ensure = getattr(kernel.run, "ensure", None)
    if ensure is not None:
        ensure()

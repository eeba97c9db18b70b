"""Batch: many games at once, for trainers and searches."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hemlock_env._check import whole
from hemlock_env.cards import CardSet
from hemlock_env.engine import kernel
from hemlock_env.game.arrays import GameArrays, prepare
from hemlock_env.game.options import (
    DEFAULT_CARD_SET,
    OPTIONS,
    SEED_LIMIT,
    check_seed,
    refuse_unknown,
)
from hemlock_env.game.rewards import reward_number
from hemlock_env.game.spec import GameSpec, find_spec

# What games of one batch have in common, and the field of STATE that says so.
_KIND = {name: option.state for name, option in OPTIONS.items()} | {"card_set": "cards"}


class Batch:
    """An array of games under the same options; nothing here makes a Python object per game.

    All arrays are views that the next `step`, `reset` or `play_random` overwrites. What somebody
    else writes into `mask`, `legal` or `legal_count` makes nothing legal.

    Args:
        games: how many, at least 1.
        seed: where the games' seeds come from; the games of two seeds share nothing.
        autoreset: a game that ends is followed at once by a new one in its place.
        reward: "outcome" (winners share +1, losers -1) or "margin" (see `game.rewards`).
        card_set: as for `Game`.
        options: the others of `Game`: num_players, sides, loot, items_as_loot, agendas,
            first_player.
    """

    def __init__(
        self,
        games: int,
        *,
        seed: int = 0,
        autoreset: bool = False,
        reward: str = "outcome",
        card_set: CardSet | str | os.PathLike[str] = DEFAULT_CARD_SET,
        **options: Any,
    ) -> None:
        refuse_unknown(options, Batch)
        count = whole(games, 1, None, "games")
        self.spec, self.options = find_spec(card_set, **options)
        self.card_set = self.spec.card_set
        self.autoreset = autoreset
        self._reward = reward_number(reward)
        self._arrays = GameArrays(self.spec, count)
        self.options.write(self._arrays.states)
        kernel.slot_seeds(np.uint64(check_seed(seed)), self._arrays.seeds, self._arrays.streams)
        # Those that everybody may write to; the kernel asks its own which actions are legal.
        self._shown = {"legals": self._arrays.legals.copy(), "counts": self._arrays.counts.copy()}
        prepare()
        self._run(kernel.START)

    def __len__(self) -> int:
        return self._arrays.count

    @property
    def table(self) -> GameSpec:
        """The old name of `spec`."""
        warnings.warn("table is now spec", DeprecationWarning, stacklevel=2)
        return self.spec

    @property
    def num_players(self) -> int:
        """Seats at each table."""
        return self.spec.num_players

    @property
    def seat(self) -> NDArray[np.int8]:
        """Who decides, int8 (games,); -1 when over."""
        return self._arrays.seats

    @property
    def observation(self) -> NDArray[np.int8]:
        """What the deciding seat knows, int8 (games, features); of a finished game what seat 0
        knows.
        """
        return self._arrays.observations

    @property
    def mask(self) -> NDArray[np.int8]:
        """1 where an action is legal, int8 (games, actions); a finished game has none."""
        return self._arrays.masks

    @property
    def legal(self) -> NDArray[np.int16]:
        """Legal action indices ascending, filled up with -1, int16 (games, 40)."""
        return self._show()["legals"]

    @property
    def legal_count(self) -> NDArray[np.int16]:
        """How many actions are legal, int16 (games,); 0 when over, never 1."""
        return self._show()["counts"]

    @property
    def rewards(self) -> NDArray[np.float32]:
        """Of the game that just ended, else 0; float32 (games, players); each row sums to 0 within
        1e-6.
        """
        return self._arrays.rewards

    @property
    def done(self) -> NDArray[np.bool_]:
        """Did the last step end a game? bool (games,)."""
        return self._arrays.done

    @property
    def scores(self) -> NDArray[np.int16]:
        """Influence by seat of the game that last ended, int16 (games, players)."""
        return self._arrays.scores

    @property
    def winners(self) -> NDArray[np.int8]:
        """1 for each winner of the game that last ended, int8 (games, players)."""
        return self._arrays.winners

    @property
    def games(self) -> np.ndarray[Any, Any]:
        """The games themselves, a structured array (games,); `restore` takes a stored one back."""
        states: np.ndarray[Any, Any] = self._arrays.states
        return states

    def step(self, actions: ArrayLike, *, autoreset: bool | None = None) -> None:
        """One action for each game; what is given for a finished game is ignored.

        Raises:
            ValueError: an action isn't a whole number or is illegal; no game has changed.
        """
        arrays = self._arrays
        given = _array("actions", actions)
        if given.shape != arrays.counts.shape:
            raise ValueError(f"actions: must be {arrays.count} whole numbers, not {given.shape}")
        if given.dtype.kind not in "iu":
            raise ValueError(f"actions: must be whole numbers, not {given.dtype}")
        if given.dtype != np.int16:  # what 16 bits can't hold is out of range anyway
            given = np.clip(given.astype(np.int64), -1, len(self.spec.actions))
        arrays.actions[:] = given
        wrong = self._run(kernel.STEP, autoreset)
        if wrong >= 0:
            legal = arrays.legals[wrong, : arrays.counts[wrong]].tolist()
            action = np.asarray(actions)[wrong]
            raise ValueError(f"game {wrong}: action {action} is illegal; legal: {legal}")

    def sample(self) -> NDArray[np.int16]:
        """A uniformly random legal action for each game (-1 for a finished one), fresh int16
        (games,).

        Each game has a policy stream of its own, apart from its chance.
        """
        actions = np.empty(self._arrays.count, np.int16)
        kernel.draw_actions(self._arrays.legals, self._arrays.counts, self._arrays.streams, actions)
        return actions

    def play_random(self, decisions: ArrayLike, *, autoreset: bool | None = None) -> None:
        """So many uniformly random decisions in each game (one number, or one for each game)."""
        given = _array("decisions", decisions)
        whole_numbers = given.dtype.kind in "iu"
        if not whole_numbers or given.min(initial=0) < 0 or given.max(initial=0) > 10_000:
            raise ValueError("decisions: must be whole numbers from 0 to 10000")
        if given.shape not in ((), (len(self),)):
            raise ValueError(f"decisions: must be one number or {len(self)}, not {given.shape}")
        self._arrays.moves[:] = given
        self._run(kernel.RANDOM, autoreset)

    def reset(self, seeds: ArrayLike | None = None) -> None:
        """New games: from one seed each, or from those that follow the running games' seeds."""
        if seeds is None:
            kernel.following_seeds(self._arrays.states, self._arrays.seeds)
        else:
            given = _array("seeds", seeds)
            if given.shape != (len(self),) or given.dtype.kind not in "iu":
                raise ValueError(f"seeds: must be {len(self)} whole numbers")
            if any(not 0 <= int(seed) < SEED_LIMIT for seed in (given.min(), given.max())):
                raise ValueError("seeds: must be from 0 to 2^63 - 1")
            self._arrays.seeds[:] = given
        self.options.write(self._arrays.states)
        self._run(kernel.START)

    def restore(self, games: np.ndarray[Any, Any]) -> None:
        """Put stored `games` back, one for each slot.

        Raises:
            ValueError: they are no games that a batch of these options and cards gave.
        """
        if not isinstance(games, np.ndarray) or games.dtype != self.games.dtype:
            raise ValueError("games: must be an array that `games` gave")
        if games.shape != self.games.shape:
            raise ValueError(f"games: must be a stored `games` array of {len(self)}")
        for name, field in _KIND.items():
            if (games[field] != self.games[field]).any():
                raise ValueError(f"games: {name} is another than that of this batch")
        self._arrays.states[:] = games
        self._run(kernel.SHOW)

    def _run(self, mode: int, autoreset: bool | None = None) -> int:
        again = self.autoreset if autoreset is None else autoreset
        self._behind = True  # Ctrl-C may come between the two
        wrong = self._arrays.run(mode, again, self._reward)
        self._show()
        return wrong

    def _show(self) -> dict[str, NDArray[np.int16]]:
        """The arrays of `_shown` as they are after the last call of the kernel."""
        if self._behind:
            for name, array in self._shown.items():
                np.copyto(array, getattr(self._arrays, name))
            self._behind = False
        return self._shown


def _array(name: str, given: ArrayLike) -> NDArray[Any]:
    """An array from what a person gave; a ragged list is a ValueError that names the argument."""
    try:
        return np.asarray(given)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None

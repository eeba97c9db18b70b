"""Game: one game, for people, notebooks, tests and single environments (docs/api.md)."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env.cards import CardSet
from hemlock_env.engine import kernel
from hemlock_env.engine.constants import NOBODY, Decision
from hemlock_env.game.arrays import GameArrays, prepare
from hemlock_env.game.options import (
    DEFAULT_CARD_SET,
    Options,
    check_seat,
    check_seed,
    refuse_unknown,
    seed_or_drawn,
)
from hemlock_env.game.position import write_position
from hemlock_env.game.position_reader import read_position
from hemlock_env.game.record import write_record
from hemlock_env.game.spec import GameSpec, find_spec, spec_for


class Game:
    """One game between two decisions.

    Args:
        num_players: 2 to 4 houses.
        sides: "basic", "advanced" or "random" for all districts, or a list of four such words
            (R2.3).
        loot: "row", or "hand" for hidden loot with 2 or 3 players (R11.1).
        items_as_loot: an item may be used in place of a loot card (R11.2).
        agendas: each player is dealt a secret agenda card (R11.3).
        first_player: the seat that begins with supremacy; None draws it (R2.5).
        card_set: the id of a shipped card set, or the path of a TOML file.
        seed: 0 to 2^63 - 1, fixes all chance; None draws one.

    Raises:
        ValueError: an option can't be; the message names it.
    """

    def __init__(
        self,
        num_players: int = 2,
        *,
        sides: str | list[str] = "basic",
        loot: str = "row",
        items_as_loot: bool = False,
        agendas: bool = False,
        first_player: int | None = None,
        card_set: CardSet | str | os.PathLike[str] = DEFAULT_CARD_SET,
        seed: int | None = None,
        **unknown: Any,
    ) -> None:
        refuse_unknown(unknown, Game)
        given = num_players, sides, loot, items_as_loot, agendas, first_player
        spec, options = find_spec(card_set, *given)
        seed = seed_or_drawn(seed)
        self._set(GameArrays(spec, 1, log=True), options)
        prepare()
        options.write(self._arrays.states)
        self._arrays.seeds[0] = seed
        self._arrays.run(kernel.START)

    def _set(self, arrays: GameArrays, options: Options) -> None:
        self._arrays = arrays
        self._options = options

    @classmethod
    def from_arrays(cls, arrays: GameArrays, options: Options) -> Game:
        """A game over arrays of one, already at its decision; with a log it has a record."""
        game = cls.__new__(cls)
        game._set(arrays, options)
        return game

    def __repr__(self) -> str:
        """What all players know."""
        if self.over:
            return f"<Game of {self.num_players}, over: {self.scores()}, winners {self.winners()}>"
        state = self._arrays.states[0]
        asked = Decision(int(state["decision"])).name.lower()
        return (
            f"<Game of {self.num_players}, week {state['week']} night {state['night']}: "
            f"seat {self.seat} decides {asked}>"
        )

    @property
    def spec(self) -> GameSpec:
        """Card set, tensor layout and action table, shared by all games of their kind."""
        return self._arrays.spec

    @property
    def table(self) -> GameSpec:
        """The old name of `spec`."""
        warnings.warn("table is now spec", DeprecationWarning, stacklevel=2)
        return self.spec

    @property
    def card_set(self) -> CardSet:
        """The cards."""
        return self.spec.card_set

    @property
    def num_players(self) -> int:
        """Seats at the table."""
        return self.spec.num_players

    @property
    def options(self) -> dict[str, Any]:
        """The options as asked for, a fresh dict with the names that `Game` takes."""
        return self._options.as_dict()

    @property
    def checked_options(self) -> Options:
        """The same as `Batch` and bots hold them."""
        return self._options

    @property
    def state(self) -> Any:
        """The record of the rules engine (`engine.state.STATE`), hidden parts included; not to be
        changed.
        """
        return self._arrays.states[0]

    @property
    def arrays(self) -> GameArrays:
        """The game as arrays of one, for bots and searches."""
        return self._arrays

    @property
    def over(self) -> bool:
        """Has the game ended?"""
        return int(self._arrays.seats[0]) == NOBODY

    @property
    def seat(self) -> int | None:
        """Who decides now; None when over."""
        seat = int(self._arrays.seats[0])
        return None if seat == NOBODY else seat

    @property
    def decisions(self) -> int:
        """Decisions made by players so far."""
        return int(self._arrays.states[0]["decisions"])

    def legal_actions(self) -> list[int]:
        """Legal action indices, ascending; at least two, or none when over."""
        legal: list[int] = self._arrays.legals[0, : self._arrays.counts[0]].tolist()
        return legal

    def action_mask(self, seat: int | None = None) -> NDArray[np.int8]:
        """1 where an action is legal, a fresh int8 (actions,); zeros for a seat that does not
        decide.
        """
        if seat is not None and check_seat(seat, self.num_players) != self.seat:
            return np.zeros_like(self._arrays.masks[0])
        mask: NDArray[np.int8] = self._arrays.masks[0].copy()
        return mask

    def step(self, action: int | str) -> None:
        """Apply an action, by index or name, and go on to the next decision.

        Raises:
            ValueError: the action doesn't exist or is illegal now; the game is unchanged.
        """
        arrays = self._arrays
        arrays.actions[0] = self.check_action(action)
        arrays.run(kernel.STEP)

    def check_action(self, action: int | str) -> int:
        """The index of an action, by index or name, that is legal now.

        Raises:
            ValueError: it doesn't exist or is illegal; the message says what is legal.
        """
        arrays = self._arrays
        index = arrays.spec.actions.check(action)
        if arrays.masks[0, index] == 0:
            raise ValueError(self._refusal(index))
        return index

    def _refusal(self, index: int) -> str:
        """Why an action is illegal."""
        name = self.spec.actions.name(index)
        if self.over:
            return f"{name} ({index}) is illegal: the game is over"
        legal = ", ".join(self._arrays.legal_names(0))
        asked = Decision(int(self.state["decision"])).name.lower()
        return f"{name} ({index}) is illegal: seat {self.seat} decides {asked}; legal: {legal}"

    def action_name(self, index: int) -> str:
        """The name of an action index (docs/formats.md)."""
        return self.spec.actions.name(index)

    def action_index(self, name: str) -> int:
        """The index of an action name."""
        return self.spec.actions.index(name)

    def observe(self, seat: int) -> NDArray[np.int8]:
        """What a seat knows, a fresh int8 (features,); `docs/observation.md` says what is where."""
        return self._arrays.observe(0, check_seat(seat, self.num_players))

    def scores(self) -> list[int]:
        """R10: influence by seat as it stands, face-up items and secret agendas counted."""
        return self._arrays.scores_of(0)

    def winners(self) -> list[int]:
        """R10.6: the winning seats; empty before the end."""
        return self._arrays.winners_of(0)

    def copy(self) -> Game:
        """Independent of the original, chance to come included."""
        return Game.from_arrays(self._arrays.take(slice(0, 1), log=True), self._options)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        state = self._arrays.states.view(np.ndarray).tobytes()
        return _unpickle, (self.card_set, self._options, state, self._played())

    def redeal(self, seat: int, seed: int) -> Game:
        """A copy in which all that is hidden from `seat`, chance to come included, is drawn again
        (R13).
        """
        check_seat(seat, self.num_players)
        copy = Game.from_arrays(self._arrays.take(slice(0, 1)), self._options)
        if not self.over:
            copy._arrays.redeal(np.array([seat], np.int8), np.array([check_seed(seed)], np.uint64))
        return copy

    def to_position(self) -> dict[str, Any]:
        """The whole game as plain JSON, `hemlock-position/1`, hidden parts included."""
        return write_position(self._arrays)

    @classmethod
    def from_position(
        cls,
        position: dict[str, Any],
        *,
        seed: int | None = None,
        card_set: CardSet | str | os.PathLike[str] | None = None,
    ) -> Game:
        """A game from `hemlock-position/1`; `seed` is for one that has no `rng`.

        Raises:
            ValueError: the position breaks the rules; the message names the field.
        """
        return cls.from_arrays(*read_position(position, seed=seed, card_set=card_set))

    def to_svg(
        self, seat: int | None = None, *, theme: str = "light", probabilities: Any = None
    ) -> str:
        """The table as `seat` knows it (R13) as an SVG document; None shows everything.

        `theme` is "light" or "dark"; `probabilities` of actions by index, from a policy, are drawn
        behind the legal actions.

        Raises:
            ValueError: there is no such seat or theme, or a legal action has no probability.
        """
        from hemlock_env.render.svg import to_svg

        return to_svg(self, seat, theme=theme, probabilities=probabilities)

    def _repr_html_(self) -> str:
        """A notebook shows the whole table by itself."""
        return self.to_svg()

    def record(self) -> dict[str, Any]:
        """The game from its beginning, `hemlock-record/1`.

        Raises:
            ValueError: the game came from a position or a redeal, so its beginning isn't known.
        """
        actions = self._played()
        if actions is None:
            raise ValueError("this game came from a position or a redeal: it has no record")
        return write_record(self.spec, self._options, int(self.state["seed"]), actions)

    def _played(self) -> list[int] | None:
        """The actions since the deal; None if they aren't known. The kernel writes them in the same
        call as the state, so that no interrupt can come between the two.
        """
        log = self._arrays.log
        return log[0, : self.decisions].tolist() if log.shape[1] else None


def _unpickle(card_set: CardSet, options: Options, state: bytes, actions: list[int] | None) -> Game:
    """A pickled game, in the middle of play."""
    arrays = GameArrays(spec_for(card_set, options.num_players), 1, log=actions is not None)
    arrays.states.view(np.uint8)[:] = np.frombuffer(state, np.uint8)
    if actions:
        arrays.log[0, : len(actions)] = actions
    arrays.run(kernel.SHOW)
    return Game.from_arrays(arrays, options)

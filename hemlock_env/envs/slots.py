"""Slots: many games side by side, in each a learner and its opponents, played to the learner's next
decision. The Gymnasium environments, single and vectorised, and that of Stable-Baselines3 are
thin shells around it.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env._check import one_of
from hemlock_env._jit import ensure
from hemlock_env.agents.base import Actions
from hemlock_env.cards import CardSet
from hemlock_env.engine import kernel
from hemlock_env.engine.constants import NOTHING
from hemlock_env.envs.episode import (
    ILLEGAL_ACTIONS,
    ILLEGAL_REWARD,
    IllegalActionError,
    new_game,
)
from hemlock_env.envs.opponents import Opponent, Opponents, Rows, make_opponents
from hemlock_env.envs.rows import BEGIN, play_rows
from hemlock_env.envs.seating import Seating
from hemlock_env.game.arrays import GameArrays, own_arrays, prepare
from hemlock_env.game.options import DEFAULT_CARD_SET, OPTION_NAMES, Options
from hemlock_env.game.rewards import margins, reward_number, reward_rows
from hemlock_env.game.spec import find_spec

NOT_SOUND = "no game has begun, or an opponent failed in one or Ctrl-C came in a step"
# The arrays of `play_rows`, in its order.
_arrays_of_rows = attrgetter(
    *("games.states", "spec.tables", "games.actions", "seating.seeds", "seating.learners"),
    *("_random_seats", "seating.streams", "games.log", "games.legals", "games.counts"),
    *("games.seats", "games.masks", "games.observations", "games.scores", "games.winners"),
)


class Slots:
    """`count` games under the same options; a slot's next game begins when it is asked for.

    `games` shows each game to the learner: at its decision, or at the end (`over`). A copy shares
    the opponents and nothing else.
    """

    def __init__(
        self,
        count: int,
        num_players: int = 2,
        /,
        *,
        seat: int | str = "random",
        opponent: Opponent | Sequence[Opponent] | Opponents = "random",
        reward: str = "outcome",
        illegal_action: str = "terminate",
        card_set: CardSet | str | os.PathLike[str] = DEFAULT_CARD_SET,
        **options: Any,
    ) -> None:
        """No game has begun. See `HemlockGymEnv` for all but `count`.

        Raises:
            ValueError: one of them can't be; the message names it.
        """
        self.spec, self.options = find_spec(card_set, num_players, **options)
        self.card_set = self.spec.card_set
        players = self.options.num_players
        self.illegal_action = one_of(illegal_action, ILLEGAL_ACTIONS, "illegal_action")
        self._reward = reward_number(reward)
        self.seating = Seating(count, players, seat)
        self.opponents = make_opponents(opponent, players)
        self.opponents.check(self.spec, self.options)
        self.games = GameArrays(self.spec, count)
        self.over = np.ones(count, np.bool_)
        # Began, and nobody failed in it: only then is it the learner's turn, or over.
        self.sound = np.zeros(count, np.bool_)
        self.illegal = np.zeros(count, np.bool_)  # ended by the learner's illegal action
        self._random_seats = np.zeros((count, players), np.int8)
        # Games may have been asked for, with options of their own: which of `_kinds` each has.
        self._kinds = [self.options]
        self._kind = np.zeros(count, np.intp)
        self._waiting = np.zeros(count, np.int64)  # games in which an opponent is to be asked
        self.options.write(self.games.states)
        prepare()
        ensure(play_rows)
        self.opponents.prepare()

    def __copy__(self) -> Slots:
        copied, kinds = Slots.__new__(Slots), self._kinds.copy()
        own = {"games": copy.copy(self.games), "seating": copy.copy(self.seating), "_kinds": kinds}
        copied.__setstate__(own_arrays(self.__getstate__()) | own)
        return copied

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_for_rows"}

    def __setstate__(self, values: dict[str, Any]) -> None:
        vars(self).update(values)
        self._for_rows = _arrays_of_rows(self)

    def __len__(self) -> int:
        return self.games.count

    @property
    def learners(self) -> NDArray[np.int8]:
        """The learner's seat in each game, int8 (slots,)."""
        return self.seating.learners

    def options_of(self, slot: int) -> Options:
        """Of the game at hand, which may have been asked for with its own."""
        return self._kinds[int(self._kind[slot])]

    # ---- beginning ----

    def begin(self, rows: Rows, seat: int | str | None = None) -> None:
        """New games where `seating` has the seeds of; to the learner's first decision."""
        self._sit(rows, seat)
        self._back_to_own_options(rows)
        self._play(rows, np.full(len(rows), BEGIN, np.int16))

    def begin_as_asked(self, rows: Rows, asked: Mapping[str, Any]) -> None:
        """The same with options or a position from `reset(options=…)`.

        Raises:
            ValueError: they can't be. A game may have changed by then: a caller whose games are to
                go on begins in a copy.
        """
        if not any(asked.get(name) is not None for name in ("position", *OPTION_NAMES)):
            self.begin(rows, asked.get("seat"))
            return
        seeds = self.seating.seeds[rows].tolist()
        games = [new_game(self.card_set, self.options, seed, asked) for seed in seeds]
        options = games[0].checked_options
        self.opponents.check(self.spec, options)
        self._sit(rows, asked.get("seat"))
        self.games.states[rows] = [game.state for game in games]
        if options not in self._kinds:
            self._kinds.append(options)
        self._kind[rows] = self._kinds.index(options)
        self._play(rows, np.full(len(rows), NOTHING, np.int16))
        if self.over[rows].any():
            raise ValueError("position: the game ends before the learner has anything to decide")

    def _sit(self, rows: Rows, seat: int | str | None) -> None:
        self._for_rows = _arrays_of_rows(self)  # the log may be another
        self.seating.sit(rows, seat)
        players = self.options.num_players
        clockwise = (np.arange(players) - self.learners[rows][:, None].astype(np.intp)) % players
        self._random_seats[rows] = np.concatenate([[0], self.opponents.random])[clockwise]
        self.illegal[rows] = False

    def _back_to_own_options(self, rows: Rows) -> None:
        """A game that was begun otherwise has left its options in the record."""
        other = rows[self._kind[rows] != 0]
        if len(other):
            states = self.games.states[other]
            self.options.write(states)
            self.games.states[other] = states
            self._kind[other] = 0

    # ---- playing ----

    def legal(self, rows: Rows, actions: NDArray[Any]) -> NDArray[np.bool_]:
        """Which of the learners' actions, one for each row, are legal; any whole numbers."""
        known = (actions >= 0) & (actions < len(self.spec.actions))
        masked: NDArray[np.bool_] = self.games.masks[rows, np.where(known, actions, 0)] == 1
        return known & masked

    def step(self, rows: Rows, actions: NDArray[Any], fresh: Rows | None = None) -> None:
        """The learners' actions, and on to their next decisions; an illegal one ends its game.

        Args:
            rows: which games.
            actions: any whole number for each.
            fresh: slots whose next games begin at the same time.

        Raises:
            IllegalActionError: with `illegal_action="raise"`; nothing has changed.
        """
        legal = self.legal(rows, actions)
        if self.illegal_action == "raise" and not legal.all():
            wrong = int(np.argmin(legal))
            game = rows[wrong]
            may = self.games.legals[game, : self.games.counts[game]].tolist()
            raise IllegalActionError(
                f"env {game}: action {actions[wrong]} is illegal; legal: {may}"
            )
        self.play(rows[legal], actions[legal].astype(np.int16), fresh)
        self.forfeit(rows[~legal])

    def play(self, rows: Rows, actions: Actions | int, fresh: Rows | None = None) -> None:
        """The same for legal actions, int16."""
        if fresh is not None and len(fresh):
            self.seating.follow(fresh)
            self._sit(fresh, None)
            self._back_to_own_options(fresh)
            rows = np.concatenate([rows, fresh])
            actions = np.append(actions, np.full(len(fresh), BEGIN)).astype(np.int16)
        self._play(rows, actions)

    def forfeit(self, rows: Rows) -> None:
        """End games by their learners' illegal actions; they stand as they did."""
        self.over[rows] = True
        self.illegal[rows] = True

    def _play(self, rows: Rows, actions: Actions | int) -> None:
        """Answers of the rows, and of opponents as long as one decides.

        If one fails, or Ctrl-C comes while it thinks, the games aren't sound: it is still its turn.
        """
        games = self.games
        self.over[rows], self.sound[rows] = True, False
        games.actions[rows] = actions
        waiting = self._play_on(rows)
        while len(waiting):
            games.actions[waiting] = self._ask(waiting)
            waiting = self._play_on(waiting)
        self.over[rows], self.sound[rows] = games.counts[rows] == 0, True

    def _play_on(self, rows: Rows) -> Rows:
        """By `games.actions`, and by random opponents; in which of them another is to be asked."""
        n_waiting = play_rows(rows, self._waiting, *self._for_rows)
        return self._waiting[:n_waiting]

    def _ask(self, rows: Rows) -> Actions:
        """What the opponents who decide in these games choose."""
        actions = np.empty(len(rows), np.int16)
        for kind in np.unique(self._kind[rows]):
            of_kind = self._kind[rows] == kind
            asked = rows[of_kind]
            seats = self.games.seats[asked]
            deciders = (seats.astype(np.intp) - self.learners[asked]) % self.options.num_players - 1
            keys = self.seating.keys(asked, seats, self.games.states["decisions"][asked])
            actions[of_kind] = self.opponents.choose(
                self.games, self._kinds[kind], asked, deciders, keys
            )
        return actions

    # ---- what came of it ----

    def rewards(self, rows: Rows) -> NDArray[np.float64]:
        """What finished games pay their learners."""
        by_seat = reward_rows(self._reward, self.scores(rows), self.games.winners[rows])
        paid = by_seat[np.arange(len(rows)), self.learners[rows]]
        paid[self.illegal[rows]] = ILLEGAL_REWARD
        return paid

    def scores(self, rows: Rows) -> NDArray[np.int64]:
        """Influence by seat of finished games, int64 (n, players)."""
        scores = self.games.scores[rows].astype(np.int64)
        for place in np.flatnonzero(self.illegal[rows]):
            for seat in range(self.options.num_players):
                scores[place, seat] = kernel.score_of(
                    self.games.states, self.spec.tables, rows[place], seat
                )
        return scores

    def facts_of_the_end(self, rows: Rows) -> dict[str, NDArray[Any]]:
        """What `info` tells of finished games, by name, a row for each."""
        winners = self.games.winners[rows].astype(np.bool_)
        winners[self.illegal[rows]] = False
        scores = self.scores(rows)
        return {
            "scores": scores,
            "winners": winners,
            "margin": margins(scores)[np.arange(len(rows)), self.learners[rows]],
            "decisions": self.games.states["decisions"][rows].astype(np.int64),
            "illegal_action": self.illegal[rows].copy(),
        }

    def masks(self) -> NDArray[np.int8]:
        """The learners' legal actions, a fresh int8 (slots, actions); all ones where over."""
        masks: NDArray[np.int8] = self.games.masks.copy()
        masks[self.over] = 1
        return masks

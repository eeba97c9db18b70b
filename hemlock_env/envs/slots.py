"""Slots: many games side by side, in each a learner and its opponents, played to the learner's next
decision. The vectorised environments are thin shells around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env._jit import ensure
from hemlock_env.agents.base import Actions
from hemlock_env.cards import CardSet
from hemlock_env.engine import kernel
from hemlock_env.engine.constants import NOTHING
from hemlock_env.engine.kernel import MARGIN, MARGIN_SCALE
from hemlock_env.envs.episode import ILLEGAL_REWARD, new_game
from hemlock_env.envs.opponents import Opponents, Rows
from hemlock_env.envs.rows import BEGIN, play_rows
from hemlock_env.envs.seating import Seating
from hemlock_env.game.arrays import GameArrays, prepare
from hemlock_env.game.options import OPTION_NAMES, Options, check_options
from hemlock_env.game.rewards import reward_number
from hemlock_env.game.spec import spec_for

NOT_SOUND = "no game has begun, or an opponent failed in one"


class Slots:
    """`count` games under the same options; a slot's next game begins when it is asked for.

    `games` shows each game to the learner: at its decision, or at the end (`over`).
    """

    def __init__(
        self,
        count: int,
        card_set: CardSet,
        options: Options,
        seat: int | str,
        opponents: Opponents,
        reward: str = "outcome",
    ) -> None:
        """No game has begun."""
        self.card_set = card_set
        self.options = options
        self.spec = spec_for(card_set, options.num_players)
        self.opponents = opponents
        opponents.check(self.spec, options)
        self.games = GameArrays(self.spec, count)
        self.seating = Seating(count, options.num_players, seat)
        self.over = np.ones(count, np.bool_)
        # Began, and nobody failed in it: only then is it the learner's turn, or over.
        self.sound = np.zeros(count, np.bool_)
        self.illegal = np.zeros(count, np.bool_)  # ended by the learner's illegal action
        self._reward = reward_number(reward)
        self._random_seats = np.zeros((count, options.num_players), np.int8)
        # Games may have been asked for, with options of their own: which of `_kinds` each has.
        self._asked = np.zeros(count, np.bool_)
        self._waiting = np.zeros(count, np.int64)  # games in which an opponent is to be asked
        self._kinds = [options]
        self._kind = np.zeros(count, np.intp)
        options.write(self.games.states)
        prepare()
        ensure(play_rows)
        opponents.prepare()

    def __len__(self) -> int:
        return self.games.count

    @property
    def learners(self) -> NDArray[np.int8]:
        """The learner's seat in each game, int8 (slots,)."""
        return self.seating.learners

    # ---- beginning ----

    def begin(self, rows: Rows, seat: int | str | None = None) -> None:
        """New games where `seating` has the seeds of; to the learner's first decision."""
        self._sit(rows, seat)
        self._back_to_own_options(rows)
        self._play(rows, np.full(len(rows), BEGIN, np.int16))

    def begin_as_asked(self, rows: Rows, asked: Mapping[str, Any]) -> None:
        """The same with options or a position from `reset(options=…)`.

        Raises:
            ValueError: they can't be; all games are as they were, but `seating` is the caller's.
                If it is an opponent that fails, they may not be `sound`.
        """
        if not any(asked.get(name) is not None for name in ("position", *OPTION_NAMES)):
            self.begin(rows, asked.get("seat"))
            return
        seeds = self.seating.seeds[rows].tolist()
        games = [new_game(self.card_set, self.options, seed, asked) for seed in seeds]
        options = check_options(self.card_set, **games[0].options)
        self.opponents.check(self.spec, options)
        before = self.keep(rows)
        self._sit(rows, asked.get("seat"))
        self.games.states[rows] = [game.state for game in games]
        if options not in self._kinds:
            self._kinds.append(options)
        self._kind[rows] = self._kinds.index(options)
        self._asked[rows] = True
        self._play(rows, np.full(len(rows), NOTHING, np.int16))
        if self.over[rows].any():
            self.put_back(rows, before)
            raise ValueError("position: the game ends before the learner has anything to decide")

    def keep(self, rows: Rows) -> list[NDArray[Any]]:
        """Some games as they stand, for `put_back`; `seating` is the caller's."""
        return [array[rows] for array in self._arrays_by_slot()]

    def put_back(self, rows: Rows, kept: list[NDArray[Any]]) -> None:
        """The games as they were kept."""
        for array, old in zip(self._arrays_by_slot(), kept, strict=True):
            array[rows] = old

    def _arrays_by_slot(self) -> list[NDArray[Any]]:
        """All that is known of the games, but for the seating."""
        names = ("states", "legals", "counts", "seats", "masks", "observations")
        of_games = [getattr(self.games, name) for name in (*names, "scores", "winners")]
        of_slots = [self.over, self.sound, self.illegal]
        return [*of_games, *of_slots, self._kind, self._asked, self._random_seats]

    def _sit(self, rows: Rows, seat: int | str | None) -> None:
        self.seating.sit(rows, seat)
        places = (np.arange(self.options.num_players) - self.learners[rows][:, None]).astype(int)
        places %= self.options.num_players
        of_place = np.concatenate([np.zeros(1, np.int8), self.opponents.random])
        self._random_seats[rows] = of_place[places]
        self.illegal[rows] = False

    def _back_to_own_options(self, rows: Rows) -> None:
        """A game that was begun otherwise has left its options in the record."""
        other = rows[self._asked[rows]]
        if len(other):
            states = self.games.states[other]
            self.options.write(states)
            self.games.states[other] = states
            self._kind[other] = 0
            self._asked[other] = False

    # ---- playing ----

    def legal(self, rows: Rows, actions: NDArray[Any]) -> NDArray[np.bool_]:
        """Which of the learners' actions, one for each row, are legal; any whole numbers."""
        known = (actions >= 0) & (actions < len(self.spec.actions))
        masked: NDArray[np.bool_] = self.games.masks[rows, np.where(known, actions, 0)] == 1
        return known & masked

    def play(self, rows: Rows, actions: Actions, fresh: Rows | None = None) -> None:
        """The learners' legal actions, and on to their next decisions.

        Args:
            rows: which games.
            actions: one for each.
            fresh: slots whose next games, seeded in `seating`, begin at the same time.
        """
        if fresh is not None and len(fresh):
            self._sit(fresh, None)
            self._back_to_own_options(fresh)
            rows = np.concatenate([rows, fresh])
            actions = np.concatenate([actions, np.full(len(fresh), BEGIN, np.int16)])
        self._play(rows, actions)

    def forfeit(self, rows: Rows) -> None:
        """End games by their learners' illegal actions; they stand as they did."""
        self.over[rows] = True
        self.illegal[rows] = True

    def _play(self, rows: Rows, actions: Actions) -> None:
        """Answers of the rows, and of opponents as long as one decides.

        If one fails, or Ctrl-C comes while it thinks, the games aren't sound: it is still its turn.
        """
        games = self.games
        self.over[rows], self.sound[rows] = True, False
        waiting = rows
        while len(waiting):
            games.actions[waiting] = actions
            n_waiting = play_rows(
                waiting,
                self._waiting,
                games.states,
                self.spec.tables,
                games.actions,
                self.seating.seeds,
                self.learners,
                self._random_seats,
                self.seating.streams,
                games.log,
                games.legals,
                games.counts,
                games.seats,
                games.masks,
                games.observations,
                games.scores,
                games.winners,
            )
            waiting = self._waiting[:n_waiting]
            actions = self._ask(waiting)
        self.over[rows], self.sound[rows] = games.counts[rows] == 0, True

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
        players, place = self.options.num_players, np.arange(len(rows))
        if self._reward == MARGIN:
            paid = self.margins(rows) / MARGIN_SCALE
        else:
            winners = self.games.winners[rows]
            won = winners.sum(axis=1)
            losers = players - won
            win, lose = 1.0 / np.maximum(won, 1), -1.0 / np.maximum(losers, 1)
            paid = np.where(winners[place, self.learners[rows]] == 1, win, lose)
            paid[losers == 0] = 0.0
        paid[self.illegal[rows]] = ILLEGAL_REWARD
        return paid

    def margins(self, rows: Rows) -> NDArray[np.float64]:
        """The learners' influence less the mean of the opponents'."""
        scores = self.scores(rows)
        own = scores[np.arange(len(rows)), self.learners[rows]]
        margins: NDArray[np.float64] = own - (scores.sum(axis=1) - own) / (
            self.options.num_players - 1
        )
        return margins

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
        return {
            "scores": self.scores(rows),
            "winners": winners,
            "margin": self.margins(rows),
            "decisions": self.games.states["decisions"][rows].astype(np.int64),
            "illegal_action": self.illegal[rows].copy(),
        }

    def masks(self) -> NDArray[np.int8]:
        """The learners' legal actions, a fresh int8 (slots, actions); all ones where over."""
        masks: NDArray[np.int8] = self.games.masks.copy()
        masks[self.over] = 1
        return masks

"""The Gymnasium environment `hemlock/Hemlock-v0`: one learner in a seat, against bots."""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from hemlock_env.cards import CardSet
from hemlock_env.envs.episode import (
    ILLEGAL_REWARD,
    RENDER_FPS,
    RENDER_MODES,
    Frame,
    IllegalActionError,
    check_render_mode,
    facts_of_the_end,
    new_game,
    show,
)
from hemlock_env.envs.formats import ObservationFormat
from hemlock_env.envs.opponents import BotOpponents, Opponent
from hemlock_env.envs.seating import Seating
from hemlock_env.game.game import Game
from hemlock_env.game.options import (
    DEFAULT_CARD_SET,
    SEED_LIMIT,
    check_options,
    check_seed,
    find_card_set,
    refuse_unknown,
)
from hemlock_env.game.rewards import reward_number, rewards
from hemlock_env.game.spec import spec_for

ILLEGAL_ACTIONS = ("terminate", "raise")
_ROW = np.zeros(1, np.intp)


class HemlockGymEnv(gymnasium.Env[Any, Any]):
    """One learner in a seat of the game; bots in the others decide within `reset` and `step`.

    Every observation is one of a decision of the learner, and `step` pays what its own action and
    all that followed brought, which is 0 before the end. The game at hand is `.game`.

    Args:
        num_players: 2 to 4.
        seat: the learner's: a seat, "random" (drawn for each game) or "alternate" (0, 1, … game
            after game; a seed begins again at 0).
        opponent: a bot's spec such as "greedy" or "ckpt:runs/quickstart", a bot, or a callable that
            takes a Game and returns an action; or a list with one for each opponent, clockwise from
            the learner.
        observation: "int8" (the tensor), "float" (scaled for networks) or "dict" (named arrays).
        illegal_action: "terminate": it ends the game with a reward of -1; "raise": an error, and
            nothing changes.
        reward: "outcome" (winners share +1, losers share -1) or "margin" (own influence less the
            mean of the opponents', divided by 20).
        render_mode: "ansi": `render` returns a text; "rgb_array": a picture, uint8 (height, width,
            3), which needs the extra `render`; "human": the text is printed, after every step too;
            None: no rendering.
        card_set: an id, a path or a loaded card set.
        options: the others of `hemlock_env.Game`: sides, loot, items_as_loot, agendas,
            first_player.

    Raises:
        ValueError: an option can't be; the message names it.
    """

    metadata = {  # noqa: RUF012 (an instance variable in Gymnasium)
        "render_modes": RENDER_MODES,
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        num_players: int = 2,
        *,
        seat: int | str = "random",
        opponent: Opponent | Sequence[Opponent] = "random",
        observation: str = "int8",
        illegal_action: str = "terminate",
        reward: str = "outcome",
        render_mode: str | None = None,
        card_set: CardSet | str | os.PathLike[str] = DEFAULT_CARD_SET,
        **options: Any,
    ) -> None:
        """See the class."""
        refuse_unknown(options)
        self.render_mode = check_render_mode(render_mode)
        self.card_set = find_card_set(card_set)
        self.options = check_options(self.card_set, num_players, **options)
        num_players = self.options.num_players
        reward_number(reward)
        self.reward = reward
        self.illegal_action = check_illegal_action(illegal_action)
        spec = spec_for(self.card_set, num_players)
        self.opponents = BotOpponents(opponent, num_players)
        self.opponents.check(spec, self.options)
        self.opponents.prepare()
        self.format = ObservationFormat(observation, spec.layout)
        self.observation_space = self.format.make_space()
        self.action_space = spaces.Discrete(len(spec.actions))
        self.game: Game | None = None
        self.over = True
        self._seating = Seating(1, num_players, seat)

    @property
    def seat(self) -> int:
        """Where the learner sits in the game at hand."""
        return int(self._seating.learners[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin a new game and play to the learner's first decision.

        Args:
            seed: 0 to 2^63 - 1: the game is `Game(seed=seed)`, and it fixes all later games too.
                None goes on to the next game.
            options: `{"position": position}` begins at a `hemlock-position/1` for this number of
                players and these cards; or options of `Game` and `seat`, for this game alone.
                Other keys are ignored.

        Raises:
            ValueError: they can't be; the game at hand goes on unharmed.
        """
        seating, asked = copy.copy(self._seating), options or {}
        if seed is not None:
            seed = check_seed(seed)
            seating.seed(_ROW, seed)
        elif seating.number[0] < 0:
            seating.seed(_ROW, self._draw_seed())
        else:
            seating.follow(_ROW)
        seating.sit(_ROW, asked.get("seat"))
        game = new_game(self.card_set, self.options, int(seating.seeds[0]), asked)
        self.opponents.check(game.spec, check_options(self.card_set, **game.options))
        self._let_opponents_play(game, seating)
        if game.over:
            raise ValueError("position: the game ends before the learner has anything to decide")
        super().reset(seed=seed)
        self.game, self._seating, self.over = game, seating, False
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def _draw_seed(self) -> int:
        """Where the games of an environment begin that was never given a seed."""
        return int(self.np_random.integers(SEED_LIMIT, dtype=np.uint64))

    def _let_opponents_play(self, game: Game, seating: Seating) -> None:
        """Up to the learner's next decision, or to the end."""
        learner, players = int(seating.learners[0]), game.num_players
        options = check_options(self.card_set, **game.options)
        while not game.over and game.seat != learner:
            seats = game.arrays.seats
            keys = seating.keys(_ROW, seats, game.arrays.states["decisions"])
            deciders = (seats.astype(np.intp) - learner) % players - 1
            game.step(int(self.opponents.choose(game.arrays, options, _ROW, deciders, keys)[0]))

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The learner's action, an index or a name, and then the opponents' up to its next decision.

        Returns:
            observation; reward, a float; terminated; truncated, always False; info.

        Raises:
            ResetNeeded: the game is over, or an opponent failed in it before.
            IllegalActionError: with `illegal_action="raise"`, a ValueError; nothing has changed.
        """
        if self.game is None or self.over:
            raise ResetNeeded("the game is over: call reset() before step()")
        # Over until the learner is to decide: if an opponent fails, or Ctrl-C comes while it thinks, it
        # is still its turn, and the learner's next action would be the opponent's.
        self.over, illegal = True, False
        try:
            self.game.step(action)
        except ValueError as error:
            if self.illegal_action == "raise":
                self.over = False
                raise IllegalActionError(str(error)) from None
            illegal = True
        if not illegal:
            self._let_opponents_play(self.game, self._seating)
        self.over = illegal or self.game.over
        info = self._info()
        if self.over:
            info |= facts_of_the_end(self.game, self.seat, illegal)
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._pay(illegal), self.over, False, info

    def _pay(self, illegal: bool) -> float:
        assert self.game is not None
        if illegal:
            return ILLEGAL_REWARD
        if not self.over:
            return 0.0
        return rewards(self.reward, self.game.scores(), self.game.winners())[self.seat]

    def _observation(self) -> Any:
        assert self.game is not None
        return self.format.show(self.game.observe(self.seat))

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks().astype(np.int8), "seat": self.seat}

    def action_masks(self) -> NDArray[np.bool_]:
        """True where an action is legal, a fresh bool (actions,).

        Before the first reset and when the game is over all are True: there is nothing to decide,
        and no policy should be handed a row without an action.
        """
        if self.game is None or self.over:
            return np.ones(int(self.action_space.n), np.bool_)  # type: ignore[attr-defined]
        return self.game.action_mask().astype(np.bool_)

    def render(self) -> Frame:
        """The table as the learner knows it, everything when over; "human" prints it."""
        if self.game is None:
            raise ResetNeeded("there is no game yet: call reset() before render()")
        return show(self.game, None if self.over else self.seat, self.render_mode)

    def close(self) -> None:
        """Nothing to release."""


def check_illegal_action(illegal_action: Any) -> str:
    """What an illegal action does, from a person."""
    if not isinstance(illegal_action, str) or illegal_action not in ILLEGAL_ACTIONS:
        raise ValueError(
            f"illegal_action={illegal_action!r}: must be one of {', '.join(ILLEGAL_ACTIONS)}"
        )
    return illegal_action

"""The Gymnasium environment `hemlock/Hemlock-v0`: one learner in a seat, against bots."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from hemlock_env.cards import CardSet
from hemlock_env.envs.episode import (
    RENDER_FPS,
    RENDER_MODES,
    Frame,
    IllegalActionError,
    check_render_mode,
    facts_of_the_end,
    show,
)
from hemlock_env.envs.formats import ObservationFormat
from hemlock_env.envs.slots import Slots
from hemlock_env.game.game import Game
from hemlock_env.game.options import SEED_LIMIT, Options, check_seed, refuse_unknown

_ROW = np.zeros(1, np.intp)


class HemlockGymEnv(gymnasium.Env[Any, Any]):
    """One learner in a seat of the game; bots in the others decide within `reset` and `step`.

    Every observation is one of a decision of the learner, and `step` pays what its own action and
    all that followed brought, which is 0 before the end. The game at hand is `.game`.

    Args:
        num_players: 2 to 4.
        seat: the learner's: a seat, "random" (drawn for each game, the default) or "alternate"
            (0, 1, … game after game; a seed begins again at 0).
        opponent: a bot's spec such as "greedy" or "ckpt:runs/quickstart", a bot, or a callable that
            takes a Game and returns an action; or a list with one for each opponent, clockwise from
            the learner. By default "random".
        observation: "int8" (the tensor), "float" (scaled for networks) or "dict" (named arrays).
        illegal_action: "terminate" (the default): it ends the game with a reward of -1; "raise": an
            error, and nothing changes.
        reward: "outcome" (the default: winners share +1, losers share -1) or "margin" (own
            influence less the mean of the opponents', divided by 20).
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
        observation: str = "int8",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """See the class."""
        refuse_unknown(options, HemlockGymEnv, Slots)
        self.render_mode = check_render_mode(render_mode)
        self._slots = Slots(1, num_players, **options)
        self._game: Game | None = None
        spec = self._slots.spec
        self.format = ObservationFormat(observation, spec.layout)
        self.observation_space = self.format.make_space()
        self.action_space = spaces.Discrete(len(spec.actions))

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_game": None}  # made anew over the copied arrays

    @property
    def game(self) -> Game | None:
        """The game at hand; None before the first reset. A reset leaves it as it is and makes
        another.
        """
        slots = self._slots
        if self._game is None and slots.seating.number[0] >= 0:
            self._game = Game.from_arrays(slots.games, slots.options_of(0))
        return self._game

    @property
    def card_set(self) -> CardSet:
        """The cards."""
        return self._slots.card_set

    @property
    def options(self) -> Options:
        """The options of its games, where a reset doesn't ask for others."""
        return self._slots.options

    @property
    def over(self) -> bool:
        """Is there nothing for the learner to decide? True before the first reset too, and after an
        opponent failed, whose turn it then still is.
        """
        return bool(self._slots.over[0])

    @property
    def seat(self) -> int:
        """Where the learner sits in the game at hand."""
        return int(self._slots.learners[0])

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
        asked = options or {}
        # A game of its own: one that is refused, or that somebody keeps, stays as it is.
        slots = copy.copy(self._slots)
        slots.games.keep_log(asked.get("position") is None)
        if seed is not None:
            seed = check_seed(seed)
            slots.seating.seed(_ROW, seed)
        elif slots.seating.number[0] < 0:
            # Where the games of an environment begin that was never given a seed.
            slots.seating.seed(_ROW, self.np_random.integers(SEED_LIMIT, dtype=np.uint64))
        else:
            slots.seating.follow(_ROW)
        slots.begin_as_asked(_ROW, asked)
        super().reset(seed=seed)
        self._game, self._slots = None, slots
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The learner's action, an index or a name, and then the opponents' up to its next one.

        Returns:
            observation; reward, a float; terminated; truncated, always False; info.

        Raises:
            ResetNeeded: the game is over, or an opponent failed in it before.
            IllegalActionError: with `illegal_action="raise"`, a ValueError; nothing has changed.
        """
        game, slots = self.game, self._slots
        if game is None or slots.over[0]:
            raise ResetNeeded("the game is over: call reset() before step()")
        try:
            index = game.check_action(action)
        except ValueError as error:
            if slots.illegal_action == "raise":
                raise IllegalActionError(str(error)) from None
            slots.forfeit(_ROW)
        else:
            slots.play(_ROW, index)
        reward, over, info = 0.0, self.over, self._info()
        if over:
            reward = float(slots.rewards(_ROW)[0])
            info |= facts_of_the_end(game, self.seat, bool(slots.illegal[0]))
        if self.render_mode == "human":
            self.render()
        return self._observation(), reward, over, False, info

    def _observation(self) -> Any:
        return self.format.show(self._slots.games.observations[0])

    def _info(self) -> dict[str, Any]:
        slots = self._slots
        mask = np.ones_like(slots.games.masks[0]) if slots.over[0] else slots.games.masks[0].copy()
        return {"action_mask": mask, "seat": int(slots.learners[0])}

    def action_masks(self) -> NDArray[np.bool_]:
        """True where an action is legal, a fresh bool (actions,).

        Before the first reset and when the game is over all are True: there is nothing to decide,
        and no policy should be handed a row without an action.
        """
        mask: NDArray[np.bool_] = self._info()["action_mask"] == 1
        return mask

    def render(self) -> Frame:
        """The table as the learner knows it, everything when over; "human" prints it."""
        if self.game is None:
            raise ResetNeeded("there is no game yet: call reset() before render()")
        return show(self.game, None if self.over else self.seat, self.render_mode)

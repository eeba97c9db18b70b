"""The PettingZoo AEC environment (see `hemlock_env.hemlock_v0` for its facts)."""

from __future__ import annotations

import logging
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper, OrderEnforcingWrapper

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
from hemlock_env.game.game import Game
from hemlock_env.game.options import SEED_LIMIT, check_seed, refuse_unknown
from hemlock_env.game.rewards import reward_number, rewards
from hemlock_env.game.spec import GameSpec, find_spec

Observation = dict[str, Any]

_log = logging.getLogger(__name__)


class HemlockEnv(AECEnv):  # type: ignore[misc]
    """One game as a PettingZoo AEC environment; an illegal action raises and changes nothing.

    The game at hand is `.game`, a `hemlock_env.Game`. A copy or a pickle in the middle of a game
    goes on from there.

    Args:
        num_players: 2 to 4; the agents are `player_0` … by seat.
        reward: "outcome" (winners share +1, losers share -1) or "margin" (own influence less the
            mean of the opponents', divided by 20).
        observation: "int8" (the tensor), "float" (scaled for networks) or "dict" (named arrays).
        render_mode: "ansi": `render` returns a text; "rgb_array": a picture, uint8 (height, width,
            3), which needs the extra `render`; "human": the text is printed, after every step too;
            None: no rendering.
        options: the others of `hemlock_env.Game`: sides, loot, items_as_loot, agendas,
            first_player (None draws it in every game), card_set (an id, a path or a loaded one).

    Raises:
        ValueError: an option can't be; the message names it.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "hemlock_v0",
        "render_modes": RENDER_MODES,
        "is_parallelizable": False,
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        num_players: int = 2,
        *,
        reward: str = "outcome",
        observation: str = "int8",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """See the class."""
        refuse_unknown(options, HemlockEnv)
        super().__init__()
        self.render_mode = check_render_mode(render_mode)
        reward_number(reward)
        self.reward = reward
        spec, self.options = find_spec(num_players=num_players, **options)
        self.card_set = spec.card_set
        self._rng: np.random.Generator | None = None  # where seeds come from if none is given
        self._make_spaces(spec, observation)
        self._offender: str | None = None  # whose illegal action ended the game
        self._behind = False  # may the game have gone on, and what is told of the agents not?
        self._fresh = False  # has it just begun?

    def _make_spaces(self, spec: GameSpec, observation: str) -> None:
        self._format = ObservationFormat(observation, spec.layout)
        self._actions = len(spec.actions)
        self.possible_agents = [f"player_{seat}" for seat in range(spec.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces, self.action_spaces = {}, {}
        for agent in self.possible_agents:
            mask = spaces.Box(0, 1, (self._actions,), np.int8)
            shown = {"observation": self._format.make_space(), "action_mask": mask}
            self.observation_spaces[agent] = spaces.Dict(shown)
            self.action_spaces[agent] = spaces.Discrete(self._actions)
        every_high = np.tile(spec.layout.high, spec.num_players)
        self.state_space = spaces.Box(np.zeros_like(every_high), every_high, dtype=np.int8)

    def observation_space(self, agent: str) -> spaces.Dict:
        """The agent's observations; the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The agent's actions; the same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game.

        Args:
            seed: 0 to 2^63 - 1, fixes the game (it is `Game(seed=seed)`) and the games of the
                resets without a seed that follow; None goes on with the environment's own stream.
            options: `{"position": position}` begins at a `hemlock-position/1` for this number of
                players and these cards; the position's variants hold for that game. Or options of
                `Game`, for that game alone. Other keys are ignored.

        Raises:
            ValueError: the seed or the position can't be; the game at hand goes on unharmed.
        """
        game = self._new_game(seed, options)
        self._behind = self._fresh = True
        self.game, self._offender = game, None
        self._settle()

    def _new_game(self, seed: int | None, asked: dict[str, Any] | None) -> Game:
        """A game from a seed, given or drawn, and the stream for the next ones."""
        stream = self._rng
        if seed is not None:
            seed = check_seed(seed)
            stream = np.random.default_rng(seed)
        else:
            stream = stream or np.random.default_rng()
            seed = int(stream.integers(SEED_LIMIT, dtype=np.uint64))
        game = new_game(self.card_set, self.options, seed, asked)
        self._rng = stream
        return game

    def step(self, action: int | str | None) -> None:
        """Apply the selected agent's action, an index or a name; None once its game is over.

        Raises:
            IllegalActionError: a ValueError that says what is legal; nothing has changed.
            ValueError: not None after the end.
        """
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._behind = True
        try:
            self.game.step(action)  # type: ignore[arg-type]  # None is refused like any illegal action
        except ValueError as error:
            self._behind = False
            raise IllegalActionError(str(error)) from None
        self._settle()

    # Ctrl-C may come at any moment, also when the game has gone on and the agents haven't: then the
    # next look at whose turn it is brings them to where the game stands.

    @property
    def agent_selection(self) -> str:
        """Whoever acts."""
        if self._behind:
            self._settle()
        return self._selected

    @agent_selection.setter
    def agent_selection(self, agent: str) -> None:
        self._selected = agent

    def _settle(self) -> None:
        """Bring all that is told of the agents to where the game stands."""
        if self._fresh:
            self._begin()
        if self._offender is not None:
            forfeited = [ILLEGAL_REWARD * (a == self._offender) for a in self.possible_agents]
            self._end(forfeited)
        elif self.game.over:
            self._end(rewards(self.reward, self.game.scores(), self.game.winners()))
        else:
            self._await_decision()
        self._behind = self._fresh = False
        if self.render_mode == "human":
            self.render()

    def _begin(self) -> None:
        """All agents, before the first decision."""
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {
            agent: {"action_mask": self._no_actions()} for agent in self.agents
        }
        self._skip_agent_selection = None
        self._selected = self.agents[0]

    def _await_decision(self) -> None:
        """Select whoever decides. No reward comes before the end, so there is none to clear."""
        arrays = self.game.arrays
        self.infos[self._selected] = {"action_mask": self._no_actions()}
        self._selected = self.possible_agents[arrays.seats[0]]
        self.infos[self._selected] = {"action_mask": arrays.masks[0].copy()}

    def _end(self, by_seat: list[float]) -> None:
        """Pay every agent, tell how the game stands, and end it for all."""
        self.rewards = dict(zip(self.agents, by_seat, strict=True))
        self._cumulative_rewards = self.rewards.copy()  # there was none before
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos = {
            agent: {
                "action_mask": self._no_actions(),
                **facts_of_the_end(self.game, seat, agent == self._offender),
            }
            for agent, seat in self._seats.items()
        }
        self._selected = self.agents[0]

    def forfeit(self) -> None:
        """End the game for all: -1 for the selected agent, who acted illegally, 0 for others."""
        offender, self._behind = self.agent_selection, True
        self._offender = offender
        self._settle()

    @property
    def over(self) -> bool:
        """Has the game ended, by the rules or by an illegal action?"""
        if self._behind:
            self._settle()
        return not self.agents or self.terminations[self.agents[0]]

    def observe(self, agent: str) -> Observation:
        """What the agent knows, and its legal actions (none unless it decides), as fresh arrays."""
        if agent == self.agent_selection and not self.over:
            arrays = self.game.arrays
            tensor, mask = arrays.observations[0], arrays.masks[0].copy()
        else:
            tensor, mask = self.game.observe(self._seats[agent]), self._no_actions()
        return {"observation": self._format.show(tensor), "action_mask": mask}

    def _no_actions(self) -> NDArray[np.int8]:
        """The mask of an agent that doesn't decide, a fresh array."""
        return np.zeros(self._actions, np.int8)

    def state(self) -> NDArray[np.int8]:
        """The observations of all agents by seat, end to end: int8, for critics."""
        seats = range(self.game.num_players)
        return np.concatenate([self.game.observe(seat) for seat in seats])

    def render(self) -> Frame:
        """The table as the deciding seat knows it, everything when over; "human" prints it."""
        return show(self.game, None if self.over else self.game.seat, self.render_mode)

    def close(self) -> None:
        """Nothing to release."""


class IllegalActionEnds(BaseWrapper):  # type: ignore[misc]
    """An illegal action ends the game: -1 for whoever made it, 0 for the others.

    So the sum is not 0 here. `terminations` are all True and `truncations` all False;
    `infos[agent]["illegal_action"]` is True for the offender alone. Illegal is whatever
    `HemlockEnv.step` refuses: None, a float and a number out of range too.
    """

    def step(self, action: Any) -> None:
        """Like `HemlockEnv.step`, but for illegal actions."""
        try:
            self.env.step(action)
        except IllegalActionError as error:
            _log.warning("%s loses by an illegal action: %s", self.agent_selection, error)
            self.env.forfeit()

    def __str__(self) -> str:
        """The name of the environment."""
        return str(self.env)


def env(num_players: int = 2, **options: Any) -> OrderEnforcingWrapper:
    """The environment for users: illegal actions end the game, calls out of order are refused.

    Args:
        num_players: 2 to 4.
        options: the others of `HemlockEnv`.
    """
    return OrderEnforcingWrapper(IllegalActionEnds(HemlockEnv(num_players, **options)))


raw_env = HemlockEnv

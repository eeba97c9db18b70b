"""The vectorised Gymnasium environment: many learners' games in one call of the kernel."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from hemlock_env._check import whole
from hemlock_env.envs.episode import RENDER_FPS
from hemlock_env.envs.formats import ObservationFormat
from hemlock_env.envs.opponents import Rows
from hemlock_env.envs.seating import Seating, slot_seeds
from hemlock_env.envs.slots import NOT_SOUND, Slots
from hemlock_env.game.options import SEED_LIMIT, refuse_unknown


class HemlockVectorEnv(VectorEnv[Any, Any, NDArray[Any]]):
    """`num_envs` environments `hemlock/Hemlock-v0`, bit for bit, played together.

    Args:
        num_envs: how many.
        autoreset_mode: NEXT_STEP (a finished game's next step begins a new one and ignores the
            action), SAME_STEP (the step that ends a game begins the next; `final_obs` and
            `final_info` have what ended) or DISABLED (`reset(options={"reset_mask": mask})`); a
            member of `AutoresetMode` or its name.
        render_mode: None; a vectorised environment isn't rendered.
        max_episode_steps: None; every game has an end.
        options: those of `HemlockGymEnv`, like all the others: seat, opponent, illegal_action,
            reward, card_set and the options of the game.

    Raises:
        ValueError: an option can't be; the message names it.
    """

    def __init__(
        self,
        num_envs: int = 1,
        num_players: int = 2,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        observation: str = "int8",
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        **options: Any,
    ) -> None:
        """See the class."""
        refuse_unknown(options, HemlockVectorEnv, Slots)
        self.num_envs = whole(num_envs, 1, None, "num_envs")
        if render_mode is not None:
            raise ValueError(f"render_mode={render_mode!r}: must be None; render a single one")
        if max_episode_steps is not None:
            raise ValueError(
                f"max_episode_steps={max_episode_steps!r}: must be None: every game has an end; "
                "vectorization_mode='sync' cuts games short"
            )
        self.autoreset_mode = _mode(autoreset_mode)
        self.metadata = {
            "render_modes": [],
            "render_fps": RENDER_FPS,
            "autoreset_mode": self.autoreset_mode,
        }
        self.slots = Slots(self.num_envs, num_players, **options)
        spec = self.slots.spec
        self.format = ObservationFormat(observation, spec.layout)
        self.single_observation_space = self.format.make_space()
        self.single_action_space = spaces.Discrete(len(spec.actions))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._every = np.arange(self.num_envs)

    # ---- reset ----

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """New games in all environments, or in those of a mask.

        Args:
            seed: environment i is reset with `seed + i`; or a list with a seed or None for each.
            options: as for `HemlockGymEnv.reset`, and `reset_mask`, bool (num_envs,): reset only
                these, the others stay where they are.

        Raises:
            ValueError: they can't be; all games go on unharmed.
        """
        asked = dict(options or {})
        rows = self._rows(asked.pop("reset_mask", None))
        seeds = slot_seeds(seed, self.num_envs)
        # What was asked for may be refused: then the games at hand go on.
        slots = copy.copy(self.slots) if asked else self.slots
        self._seed(slots.seating, rows, seeds)
        slots.begin_as_asked(rows, asked)
        self.slots = slots
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
        return self._observations(), self._infos()

    def _rows(self, mask: Any) -> Rows:
        """The environments of a reset mask."""
        if mask is None:
            return self._every
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise ValueError("reset_mask: must be a NumPy array of bool")
        if mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(f"reset_mask: must have shape ({self.num_envs},) and a True in it")
        return np.flatnonzero(mask)

    def _seed(self, seating: Seating, rows: Rows, seeds: list[int | None]) -> None:
        """Seeds for the next games of some environments: given, drawn, or those that follow."""
        given = np.array([seeds[row] is not None for row in rows], np.bool_)
        drawn = ~given & (seating.number[rows] < 0)
        seating.seed(rows[given], np.array([seeds[row] for row in rows[given]], np.uint64))
        if drawn.any():
            fresh = self.np_random.integers(SEED_LIMIT, size=int(drawn.sum()), dtype=np.uint64)
            seating.seed(rows[drawn], fresh)
        seating.follow(rows[~given & ~drawn])

    # ---- step ----

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """The learners' actions and then the opponents' up to the learners' next decisions.

        Args:
            actions: whole numbers (num_envs,); with NEXT_STEP that of a finished game is ignored.

        Returns:
            observations; rewards, float64 (num_envs,); terminations, bool; truncations, all False;
            infos. All fresh arrays.

        Raises:
            ResetNeeded: before the first reset; after an opponent failed; or, with DISABLED, where
                a game is over.
            IllegalActionError: with `illegal_action="raise"`, a ValueError; nothing has changed.
        """
        slots = self.slots
        actions = self._checked(actions)
        fresh, rows = np.flatnonzero(slots.over), np.flatnonzero(~slots.over)
        self._check_begun(fresh)
        slots.step(rows, actions[rows], fresh)
        return self._results(rows[slots.over[rows]])

    def _checked(self, actions: Any) -> NDArray[Any]:
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions: must be {self.num_envs} whole numbers, not {given.dtype} {given.shape}"
            )
        return given

    def _check_begun(self, over: Rows) -> None:
        if not self.slots.sound.all():
            raise ResetNeeded(f"{NOT_SOUND}: call reset() before step()")
        if len(over) and self.autoreset_mode is AutoresetMode.DISABLED:
            raise ResetNeeded(
                f"the games of {over.tolist()} are over: "
                "call reset(options={'reset_mask': mask}) before step()"
            )

    def _results(
        self, ended: Rows
    ) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """What a step returns, after which the games of `ended` are over."""
        rewards = np.zeros(self.num_envs, np.float64)
        rewards[ended] = self.slots.rewards(ended)
        terminations, truncations = self._mark(ended), np.zeros(self.num_envs, np.bool_)
        if len(ended) and self.autoreset_mode is AutoresetMode.SAME_STEP:
            final = self._final(ended)
            self.slots.seating.follow(ended)
            self.slots.begin(ended)
            infos = {**self._infos(), **final}
        else:
            infos = self._infos(ended)
        return self._observations(), rewards, terminations, truncations, infos

    def _mark(self, rows: Rows) -> NDArray[np.bool_]:
        """True for some environments, a fresh bool (num_envs,)."""
        mark = np.zeros(self.num_envs, np.bool_)
        mark[rows] = True
        return mark

    def _final(self, ended: Rows) -> dict[str, Any]:
        """SAME_STEP: what the games that ended showed last, in Gymnasium's form."""
        shown = np.full(self.num_envs, None, object)
        for row in ended:
            shown[row] = self.format.show(self.slots.games.observations[row])
        mark, infos = self._mark(ended), self._infos(ended)
        for name in ("action_mask", "seat"):
            infos[name][~mark] = 0
            infos[f"_{name}"] = mark.copy()
        return {
            "final_obs": shown,
            "_final_obs": mark.copy(),
            "final_info": infos,
            "_final_info": mark,
        }

    def _observations(self) -> Any:
        return self.format.show(self.slots.games.observations)

    def _infos(self, ended: Rows | None = None) -> dict[str, Any]:
        """Of all environments; the facts of the end only where one has just come."""
        infos: dict[str, Any] = {
            "action_mask": self.slots.masks(),
            "seat": self.slots.learners.astype(np.int64),
        }
        infos |= {f"_{name}": np.ones(self.num_envs, np.bool_) for name in tuple(infos)}
        if ended is not None and len(ended):
            for name, facts in self.slots.facts_of_the_end(ended).items():
                infos[name] = np.zeros((self.num_envs, *facts.shape[1:]), facts.dtype)
                infos[name][ended] = facts
                infos[f"_{name}"] = self._mark(ended)
        return infos

    def action_masks(self) -> NDArray[np.bool_]:
        """True where an action is legal, a fresh bool (num_envs, actions); all True where no game
        runs.
        """
        return self.slots.masks().astype(np.bool_)

    def close_extras(self, **kwargs: Any) -> None:
        """Nothing to release."""


def _mode(mode: Any) -> AutoresetMode:
    """A mode from a person: a member or its name."""
    if isinstance(mode, AutoresetMode):
        return mode
    if isinstance(mode, str):
        for member in AutoresetMode:
            if mode.lower() in (member.name.lower(), member.value.lower()):
                return member
    names = ", ".join(member.name for member in AutoresetMode)
    raise ValueError(f"autoreset_mode={mode!r}: must be one of {names}")

"""A native `VecEnv` of Stable-Baselines3: many games in one call of the kernel, masks included.

    venv = HemlockVecEnv(256, opponent="greedy")
    MaskablePPO("MlpPolicy", venv).learn(100_000)

Each slot is one environment `hemlock/Hemlock-v0`. For self-play the opponents are a `PolicyPool`.
"""

from __future__ import annotations

import copy
import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from hemlock_env._check import number, whole
from hemlock_env.envs.formats import ObservationFormat
from hemlock_env.envs.opponents import PolicyPool, Rows
from hemlock_env.envs.seating import slot_seeds
from hemlock_env.envs.slots import NOT_SOUND, Slots
from hemlock_env.game.options import SEED_LIMIT, refuse_unknown
from hemlock_env.network.encoder import FeatureEncoder

MARGIN_SCALE = 20.0  # points ahead that count as tanh(1) = 0.76 of the most that a margin can


class FeatureFormat:
    """Observations as the inputs of an `insight_mlp`, in place of an `ObservationFormat`."""

    def __init__(self, inputs: FeatureEncoder) -> None:
        self.inputs = inputs

    def make_space(self) -> spaces.Box:
        """int8 (inputs,), without closer bounds."""
        return spaces.Box(-128, 127, (len(self.inputs),), np.int8)

    def show(self, tensor: NDArray[np.int8]) -> NDArray[np.int8]:
        """A tensor (features,), or several, (n, features)."""
        return self.inputs.of(np.atleast_2d(tensor)).reshape(*tensor.shape[:-1], len(self.inputs))


class HemlockVecEnv(VecEnv):
    """`num_envs` games, each with one learner; a finished one is followed at once by the next.

    Args:
        num_envs: how many.
        observation: as for `HemlockGymEnv`; or `FeatureEncoder`: what an `insight_mlp` sees, int8.
        margin_share: 0 to 1: so much of the reward is the margin of the score, tanh(difference /
            20) averaged over the opponents; the rest is `reward`.
        seed: of the games, as for the method `seed`.
        options: those of `HemlockGymEnv`: seat, opponent (a `PolicyPool` too), illegal_action,
            reward, card_set and the options of the game.

    Raises:
        ValueError: an option can't be; the message names it.
    """

    def __init__(
        self,
        num_envs: int,
        num_players: int = 2,
        *,
        observation: str | FeatureEncoder = "int8",
        margin_share: float = 0.0,
        margin_scale: float = MARGIN_SCALE,
        seed: int | Sequence[int] | None = None,
        **options: Any,
    ) -> None:
        """See the class."""
        refuse_unknown(options, HemlockVecEnv, Slots)
        num_envs = whole(num_envs, 1, None, "num_envs")
        self.margin_share = number(margin_share, 0.0, 1.0, "margin_share")
        self.margin_scale = margin_scale
        self.slots = Slots(num_envs, num_players, **options)
        opponents = self.slots.opponents
        self.pool = opponents if isinstance(opponents, PolicyPool) else None
        self.format: ObservationFormat | FeatureFormat
        if isinstance(observation, FeatureEncoder):
            self.format = FeatureFormat(observation)
        else:
            self.format = ObservationFormat(observation, self.slots.spec.layout)
        self.decisions = 0  # of all seats
        self.games = 0  # finished
        self._attributes: dict[str, list[Any]] = {"render_mode": [None] * num_envs}
        self._waiting: NDArray[Any] | None = None
        actions = spaces.Discrete(len(self.slots.spec.actions))
        super().__init__(num_envs, self.format.make_space(), actions)
        self.seed(seed)

    # ---- playing ----

    def seed(self, seed: int | Sequence[int] | None = None) -> Sequence[int | None]:
        """The next `reset` begins slot i with `seed + i`, or the i-th of a list; None is drawn.

        Raises:
            ValueError: one can't be, or the list is of another length.
        """
        given = slot_seeds(seed, self.num_envs)
        seeds = [secrets.randbelow(SEED_LIMIT) if each is None else each for each in given]
        self._seeds: list[int | None] = [*seeds]
        # Which policy of a pool plays in which game.
        self._rng = np.random.default_rng(seeds)
        return self._seeds

    def reset(self) -> Any:
        """New games in all slots; `seed` and `set_options` hold for this once.

        Raises:
            ValueError: the options can't be; they are forgotten, and all games go on unharmed.
        """
        every, asked = np.arange(self.num_envs), self._options
        given = [seed for seed in self._seeds if seed is not None]
        self._reset_options()
        slots = copy.copy(self.slots) if any(asked) else self.slots
        if len(given) == self.num_envs:
            slots.seating.seed(every, np.array(given, np.uint64))
        else:
            slots.seating.follow(every)
        dealt = self.pool.of_slot.copy() if self.pool else np.full(0, None)
        try:
            self._deal(every)
            if any(asked):
                for slot in every:
                    slots.begin_as_asked(every[slot : slot + 1], asked[slot])
            else:
                slots.begin(every)
        except BaseException:
            if self.pool:
                self.pool.of_slot = dealt
            raise
        self.slots = slots
        self._reset_seeds()
        self.reset_infos = [{} for _ in every]
        return self._observations()

    def _deal(self, rows: Rows) -> None:
        if self.pool is not None:
            self.pool.deal(rows, self.num_envs, self._rng)

    def step_async(self, actions: NDArray[Any]) -> None:
        """What the learners do."""
        self._waiting = np.asarray(actions).reshape(self.num_envs)

    def step_wait(
        self,
    ) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """To the learners' next decisions.

        Returns:
            observations; rewards, float32 (num_envs,); dones, bool; an info for each slot, with
            `terminal_observation` and the facts of the end where a game ended.

        Raises:
            RuntimeError: before the first `reset`, or after an opponent failed or Ctrl-C came.
            IllegalActionError: with `illegal_action="raise"`, a ValueError; nothing has changed.
        """
        if self._waiting is None:
            raise RuntimeError("step_wait() needs step_async() before it")
        # After Ctrl-C an ended game may stand where its next one should have begun.
        if not (self.slots.sound & ~self.slots.over).all():
            raise RuntimeError(f"{NOT_SOUND}: call reset() before step()")
        slots, actions, self._waiting = self.slots, self._waiting, None
        every = np.arange(self.num_envs)
        before = slots.games.states["decisions"].sum(dtype=np.int64)
        slots.step(every, actions)
        self.decisions += int(slots.games.states["decisions"].sum(dtype=np.int64) - before)
        ended = np.flatnonzero(slots.over)
        rewards = np.zeros(self.num_envs, np.float32)
        rewards[ended] = self._rewards(ended)
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in every]
        self._tell_the_end(ended, infos)
        dones = slots.over.copy()
        self.games += len(ended)
        if len(ended):
            slots.seating.follow(ended)
            self._deal(ended)
            slots.begin(ended)
            self.decisions += int(slots.games.states["decisions"][ended].sum())
        return self._observations(), rewards, dones, infos

    def _rewards(self, ended: Rows) -> NDArray[np.float64]:
        paid = self.slots.rewards(ended)
        if self.margin_share:
            scores = self.slots.scores(ended)
            own = scores[np.arange(len(ended)), self.slots.learners[ended]]
            ahead = np.tanh((own[:, None] - scores) / self.margin_scale)  # 0 of oneself
            margin = ahead.sum(axis=1) / (self.slots.options.num_players - 1)
            mixed = (1.0 - self.margin_share) * paid + self.margin_share * margin
            paid = np.where(self.slots.illegal[ended], paid, mixed)
        return paid

    def _tell_the_end(self, ended: Rows, infos: list[dict[str, Any]]) -> None:
        shown = self.slots.games.observations
        facts = self.slots.facts_of_the_end(ended)
        for place, slot in enumerate(ended):
            infos[slot]["terminal_observation"] = self.format.show(shown[slot])
            infos[slot]["seat"] = int(self.slots.learners[slot])
            infos[slot] |= {name: each[place].tolist() for name, each in facts.items()}
            infos[slot]["winners"] = np.flatnonzero(facts["winners"][place]).tolist()  # seats

    def _observations(self) -> Any:
        return self.format.show(self.slots.games.observations)

    def action_masks(self) -> NDArray[np.bool_]:
        """True where an action is legal, bool (num_envs, actions); all True before `reset`."""
        return self.slots.masks().astype(np.bool_)

    def close(self) -> None:
        """Nothing to release."""

    # ---- what the library asks of single environments ----

    def has_attr(self, attr_name: str) -> bool:
        """Has every slot an attribute or a method of this name?"""
        return attr_name in self._attributes or attr_name in self._of_slots()

    def _of_slots(self) -> dict[str, Callable[[int], Any]]:
        """What can be asked of a slot, by name."""
        return {
            "action_masks": lambda slot: lambda: self.action_masks()[slot],
            "seat": lambda slot: int(self.slots.learners[slot]),
            "num_players": lambda slot: self.slots.options.num_players,
        }

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of some slots: `seat`, `num_players`, `action_masks`, or one set before."""
        slots = self._slots(indices)
        if attr_name in self._attributes:
            return [self._attributes[attr_name][slot] for slot in slots]
        if attr_name not in self._of_slots():
            raise AttributeError(f"the environments have no attribute {attr_name!r}")
        return [self._of_slots()[attr_name](slot) for slot in slots]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Keep a value for some slots under a new name; the game's own can't be set."""
        if attr_name in self._of_slots():
            raise AttributeError(f"{attr_name!r} can't be set")
        stored = self._attributes.setdefault(attr_name, [None] * self.num_envs)
        for slot in self._slots(indices):
            stored[slot] = value

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """`action_masks` of some slots: a fresh bool (actions,) each."""
        if method_name != "action_masks":
            raise AttributeError(f"the environments have no method {method_name!r}")
        masks = self.action_masks()
        return [masks[slot] for slot in self._slots(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """There are no wrappers around the slots."""
        return [False for _ in self._slots(indices)]

    def _slots(self, indices: Any) -> Iterable[int]:
        return [int(slot) for slot in self._get_indices(indices)]

"""mcts with a trained policy in its tree: `mcts:iterations=400:prior=ckpt:PATH`."""

from __future__ import annotations

from typing import Any

import numpy as np

from hemlock_env._jit import ensure
from hemlock_env.agents.base import Bot
from hemlock_env.agents.mcts import DEFAULTS, MctsBot
from hemlock_env.agents.searching import check_between
from hemlock_env.engine.constants import LEGAL_MAX
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.options import Options
from hemlock_env.game.spec import GameSpec
from hemlock_env.network.evaluator import CHILDREN, search_guided
from hemlock_env.network.forward import Network, new_activations
from hemlock_env.network.policy import load_policy
from hemlock_env.search import playouts
from hemlock_env.search.tree import Tree, new_tree

C = 1.0
GUIDED_MAX = 500_000  # of iterations: each keeps a dozen nodes and more, of 64 bytes
CHECKPOINT = "ckpt:"


class GuidedMctsBot(MctsBot):
    """Looks first where the policy would play, and takes its word for how a game will end."""

    def __init__(
        self,
        prior: str,
        iterations: int = DEFAULTS["iterations"],
        c: float = C,
        seed: int = 0,
    ) -> None:
        """Tree search by a policy; there are no playouts.

        Args:
            prior: the policy, "ckpt:PATH".
            iterations: positions that the policy is asked about, for each decision.
            c: how much the search explores.
            seed: see `Bot`.

        Raises:
            ValueError: an option can't be, or there is no sound checkpoint.
        """
        Bot.__init__(self, seed)
        check_between(self.name, "iterations", iterations, 1, GUIDED_MAX)
        check_between(self.name, "c", c, 0, 100)
        if not prior.startswith(CHECKPOINT):
            raise ValueError(f"{self.name}: prior={prior!r} must be written prior=ckpt:PATH")
        self.policy = load_policy(prior.removeprefix(CHECKPOINT))
        options = "" if iterations == DEFAULTS["iterations"] else f":iterations={iterations}"
        options += "" if c == C else f":c={c:g}"
        self.spec = f"{self.name}{options}:prior={prior}"
        self.iterations = iterations
        self.c = c
        self._network: Network | None = None
        self._playouts = playouts.new_playouts(greedy=False, nights=0)

    def fingerprint(self) -> str:
        """Spec and weights: a path may come to hold a newer policy."""
        return f"{self.spec} {self.policy.digest()}"

    def check(self, spec: GameSpec, options: Options) -> None:
        """Was the policy trained for these cards and options?"""
        self.policy.check_fits(spec.card_set, options)
        self._network = self.policy.packed()

    def prepare(self) -> None:
        """Compile the search, or load it from the cache."""
        Bot.prepare(self)
        ensure(search_guided)

    def _tree(self, games: GameArrays) -> Tree:
        nodes = CHILDREN * self.iterations + LEGAL_MAX
        return new_tree(nodes, self.iterations + 3, len(games.spec.actions))

    def _run(self, roots: playouts.Roots, i: int, key: np.uint64, *room: Any) -> None:
        if self._network is None:
            self._network = self.policy.packed()
        tree, playing, *results = room
        network, activations = self._network, new_activations(self._network)
        search_guided(
            roots, i, key, self.redeals, self.c, self.iterations, tree, playing,
            network, activations, *results,
        )  # fmt: skip

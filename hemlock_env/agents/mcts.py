"""mcts: information-set Monte Carlo tree search; cheat-mcts: the same with the cards face up;
`mcts:prior=ckpt:PATH`: with a trained policy in the tree.

Every iteration draws anew all that is hidden from the deciding seat and all chance to come (R13),
so no choice can profit from the true deck. Trees and playouts run inside the compiled engine.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hemlock_env._jit import ensure
from hemlock_env.agents.base import Actions, Between, Decisions, checked_spec
from hemlock_env.agents.rollout import Nights, PlayoutBot, Rollouts, roots_of
from hemlock_env.engine.constants import LEGAL_MAX
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.game import Game
from hemlock_env.game.options import Options
from hemlock_env.game.spec import GameSpec
from hemlock_env.network.evaluator import CHILDREN, search_guided
from hemlock_env.network.forward import Network, new_activations
from hemlock_env.search.playouts import Room, Roots
from hemlock_env.search.tree import Tree, new_tree, search

CHECKPOINT = "ckpt:"  # begins the spec of a policy


class Searched(NamedTuple):
    """What a search found out about a legal action."""

    visits: int
    """iterations that began with it"""
    share: float
    """what whoever decides got in them on average, 0 to 1"""


class MctsBot(PlayoutBot):
    """So many iterations for each decision."""

    name = "mcts"
    redeals = True

    def __init__(
        self,
        iterations: Annotated[int, Between(1, 10_000_000)] = 1_000,
        rollouts: Rollouts = "random",
        nights: Nights = 1,
        c: Annotated[float, Between(0, 100)] = 0.2,
        seed: int = 0,
    ) -> None:
        """Tree search.

        Args:
            iterations: playouts in all, for each decision.
            rollouts: how all seats play beyond the tree, "random" or "greedy".
            nights: 1 stops playouts at the end of the night, 2 of the next, ..., where the game is
                valued as planner does; 0 plays to the end of the game.
            c: how much the search explores.
            seed: see `Bot`.

        Raises:
            ValueError: an option can't be.
        """
        given: dict[str, Any] = {
            "iterations": iterations,
            "rollouts": rollouts,
            "nights": nights,
            "c": c,
        }
        self.spec = checked_spec(self.name, MctsBot, **given)
        super().__init__(rollouts == "greedy", nights, seed)
        self.iterations = iterations
        self.c = c

    def prepare(self) -> None:
        """Compile the search, or load it from the cache."""
        super().prepare()
        ensure(search)

    def choose(self, decisions: Decisions) -> Actions:
        """The actions visited most; ties: the one that did better, then the lowest."""
        self.prepare()
        games = self._games(decisions)
        tree, room = self._tree(games), self._room(games)
        best = []
        for i, key in enumerate(decisions.keys):
            visits, means = self._search(games, i, key, tree, room)
            best.append(int(np.lexsort((-means, -visits))[0]))
        return games.legals[np.arange(len(best)), best]

    def values(self, game: Game, key: int = 0) -> dict[str, Searched]:
        """What one search finds out about each legal action."""
        self.prepare()
        decisions = Decisions.of(game, np.array([key], np.uint64))
        games = self._games(decisions)
        tree, room = self._tree(games), self._room(games)
        visits, means = self._search(games, 0, decisions.keys[0], tree, room)
        names = map(game.action_name, game.legal_actions())
        return dict(zip(names, map(Searched, visits.tolist(), means.tolist()), strict=True))

    def _games(self, decisions: Decisions) -> GameArrays:
        """Where the search begins."""
        return decisions.imagine()

    def _tree(self, games: GameArrays) -> Tree:
        """Room for all nodes, and for a path through them."""
        return new_tree(self.iterations + 1, self.iterations + 2, len(games.spec.actions))

    def _search(
        self, games: GameArrays, i: int, key: np.uint64, tree: Tree, room: Room
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """One game at a time, so that Ctrl-C is heard in between."""
        visits, means = np.empty(LEGAL_MAX, np.int64), np.empty(LEGAL_MAX)
        self._run(roots_of(games), i, key, tree, room, visits, means)
        count = games.counts[i]
        return visits[:count], means[:count]

    def _run(self, roots: Roots, i: int, key: np.uint64, *room: Any) -> None:
        """The compiled search: fills in the last two, visits and means."""
        search(roots, i, key, self.redeals, self.c, *room)


class CheatMctsBot(MctsBot):
    """Searches the true game, its true deck and hands: a yardstick, not a fair player."""

    name = "cheat-mcts"
    redeals = False

    def _games(self, decisions: Decisions) -> GameArrays:
        return decisions.true_state()


class GuidedMctsBot(MctsBot):
    """Looks first where the policy would play, and takes its word for how a game will end."""

    def __init__(
        self,
        prior: Annotated[str, "ckpt:PATH"],
        # Each keeps a dozen nodes and more, of 64 bytes.
        iterations: Annotated[int, Between(1, 500_000)] = 1_000,
        c: Annotated[float, Between(0, 100)] = 1.0,
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
        given: dict[str, Any] = {"iterations": iterations, "c": c, "prior": prior}
        self.spec = checked_spec(self.name, GuidedMctsBot, brief=True, **given)
        PlayoutBot.__init__(self, greedy=False, nights=0, seed=seed)
        if not prior.startswith(CHECKPOINT):
            raise ValueError(f"{self.name}: prior={prior!r} must be written prior=ckpt:PATH")
        from hemlock_env.network.policy import load_policy  # only here: it loads safetensors

        self.policy = load_policy(prior.removeprefix(CHECKPOINT))
        self.iterations = iterations
        self.c = c
        self._network: Network | None = None

    def fingerprint(self) -> str:
        """Spec and weights: a path may come to hold a newer policy."""
        return f"{self.spec} {self.policy.digest()}"

    def check(self, spec: GameSpec, options: Options) -> None:
        """Was the policy trained for these cards and options?"""
        self.policy.check_fits(spec.card_set, options)
        self._network = self.policy.packed()

    def prepare(self) -> None:
        """Compile the search, or load it from the cache."""
        PlayoutBot.prepare(self)
        ensure(search_guided)

    def _tree(self, games: GameArrays) -> Tree:
        nodes = CHILDREN * self.iterations + LEGAL_MAX
        return new_tree(nodes, self.iterations + 3, len(games.spec.actions))

    def _run(self, roots: Roots, i: int, key: np.uint64, *room: Any) -> None:
        if self._network is None:
            self._network = self.policy.packed()
        tree, playing, *results = room
        network, activations = self._network, new_activations(self._network)
        search_guided(
            roots, i, key, self.redeals, self.c, self.iterations, tree, playing,
            network, activations, *results,
        )  # fmt: skip

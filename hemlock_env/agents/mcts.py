"""mcts: information-set Monte Carlo tree search; cheat-mcts: the same with the cards face up;
`mcts:prior=ckpt:PATH`: with a trained policy in the tree.

Every iteration draws anew all that is hidden from the deciding seat and all chance to come (R13),
so no choice can profit from the true deck. Trees, playouts and the network run inside the compiled
engine. A tree is kept for the same seat's next decision in the game.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hemlock_env._jit import ensure, new_records
from hemlock_env.agents.base import Actions, Between, Decisions, checked_spec
from hemlock_env.agents.network_bot import PolicyBot
from hemlock_env.agents.rollout import Nights, PlayoutBot, Rollouts, roots_of
from hemlock_env.engine.constants import LEGAL_MAX, WEEK_NIGHTS
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.game import Game
from hemlock_env.game.keys import Keys
from hemlock_env.network.evaluator import new_flight, read_roots, search_together
from hemlock_env.network.forward import Network, new_rows
from hemlock_env.search import tree as trees
from hemlock_env.search.alpha_beta import new_workspace
from hemlock_env.search.exact import may_solve
from hemlock_env.search.mcts import Plan, search
from hemlock_env.search.slices import in_slices
from hemlock_env.search.solver import solve_row

CHECKPOINT = "ckpt:"  # begins the spec of a policy

TOGETHER = 64  # games that are searched side by side, fewer where their trees are large
NODES_TOGETHER = 1 << 22
KEPT_NODES = 1 << 13  # of a tree for the next decision at most
LEAF_SHARE = 20  # a leaf may be solved for a 20th of what the root may cost

Exact = Annotated[int, Between(0, 1_000_000_000)]
Visits = NDArray[np.int64]
Means = NDArray[np.float64]


class Searched(NamedTuple):
    """What a search found out about a legal action."""

    visits: int
    """iterations that began with it"""
    share: float
    """what whoever decides got in them on average, 0 to 1"""


class Kept(NamedTuple):
    """What a bot leaves in a decision's memory."""

    nodes: Any
    """what its tree knows of the game after its action"""
    history: NDArray[np.int16]
    """the game up to there"""


class TreeBot(PlayoutBot):
    """What grows trees: so many iterations for each decision, then the action visited most."""

    redeals = True
    together = 1
    """games that are searched side by side"""
    nodes_each: float = 1.25
    """room for so many nodes an iteration"""

    iterations: int
    exact: int

    @abstractmethod
    def _grow(self, games: GameArrays, keys: Keys, tree: trees.Tree) -> tuple[Visits, Means]:
        """All iterations of all games, in the trees of their numbers; visits and mean return of
        each legal action, (n, LEGAL_MAX).
        """

    def prepare(self) -> None:
        """Compile the search, or load it from the cache."""
        super().prepare()
        for function in (may_solve, trees.keep_subtree, trees.take_up):
            ensure(function)

    def choose(self, decisions: Decisions) -> Actions:
        """The actions visited most; ties: the one that did better, then the lowest. Where all can
        be solved, one that is perfect.
        """
        self.prepare()
        games = self._games(decisions)
        chosen, open_rows = self._solve(games)
        together = min(self.together, max(1, NODES_TOGETHER // self._nodes()))
        for first in range(0, len(open_rows), together):
            rows = open_rows[first : first + together]
            tree, visits, means = self._search(games.take(rows), decisions, rows)
            best = np.lexsort((-means, -visits))[:, 0]
            chosen[rows] = games.legals[rows, best]
            self._keep(tree, decisions, rows, chosen)
        return chosen

    def values(self, game: Game, key: int = 0) -> dict[str, Searched]:
        """What one search finds out about each legal action."""
        self.prepare()
        decisions = Decisions.of(game, np.array([key], np.uint64))
        _, visits, means = self._search(self._games(decisions), decisions, np.zeros(1, np.intp))
        names = map(game.action_name, game.legal_actions())
        found = zip(visits[0].tolist(), means[0].tolist(), strict=True)
        return {name: Searched(*each) for name, each in zip(names, found, strict=False)}

    def _games(self, decisions: Decisions) -> GameArrays:
        """Where the search begins."""
        return decisions.imagine()

    def _nodes(self) -> int:
        """Room for so many nodes in a tree that begins with its root alone."""
        return int(self.nodes_each * self.iterations) + 2 * LEGAL_MAX

    def _solve(self, games: GameArrays) -> tuple[Actions, NDArray[np.intp]]:
        """The best action of each game that can be solved, and the rows of the others."""
        chosen = np.empty(games.count, np.int16)
        solved = np.zeros(games.count, np.bool_)
        states = games.states
        last = (states["week"] == 2) & (states["night"] == WEEK_NIGHTS)
        for row in np.flatnonzero(last).tolist() if self.exact else ():
            if may_solve(states[row], self.exact):
                numbers, _ = solve_row(games, row, self.exact, new_workspace())
                if numbers is not None:
                    chosen[row] = games.legals[row, numbers.argmax()]
                    solved[row] = True
        return chosen, np.flatnonzero(~solved)

    def _search(
        self, games: GameArrays, decisions: Decisions, rows: NDArray[np.intp]
    ) -> tuple[trees.Tree, Visits, Means]:
        """Trees, visits and means of some of the decisions, whose games are these."""
        kept = [self._kept(decisions, row) for row in rows.tolist()]
        most = min(KEPT_NODES, self._nodes()) if any(len(nodes) for nodes, _ in kept) else 0
        tree = trees.new_tree(len(rows), self._nodes() + most, len(games.spec.actions))
        for t, (row, (nodes, since)) in enumerate(zip(rows.tolist(), kept, strict=True)):
            seat = decisions.seat[row]
            trees.take_up(nodes, since, games.states, t, seat, tree, t, self._nodes())
        visits, means = self._grow(games, decisions.keys[rows], tree)
        return tree, visits, means

    def _kept(self, decisions: Decisions, row: int) -> tuple[Any, NDArray[np.int16]]:
        """What was kept of the game, and the answers since then."""
        kept = None if decisions.memory is None else decisions.memory[row]
        history = None if kept is None else decisions.history(row)
        if isinstance(kept, Kept) and history is not None:
            before = len(kept.history)
            if len(history) >= before and (history[:before] == kept.history).all():
                return kept.nodes, history[before:]
        return NOTHING_KEPT

    def _keep(
        self, tree: trees.Tree, decisions: Decisions, rows: NDArray[np.intp], chosen: Actions
    ) -> None:
        """Leave what the trees know in the memory of their decisions."""
        if decisions.memory is None:
            return
        for t, row in enumerate(rows.tolist()):
            history = decisions.history(row)
            if history is not None:
                nodes = new_records(trees.NODE, min(KEPT_NODES, self._nodes()))
                size = trees.keep_subtree(tree, t, chosen[row], nodes)
                history = np.append(history, chosen[row])
                decisions.memory[row] = Kept(nodes[:size].copy(), history)


NOTHING_KEPT = new_records(trees.NODE, 0), np.zeros(0, np.int16)


class MctsBot(TreeBot):
    """Values positions by playouts."""

    name = "mcts"

    def __init__(
        self,
        iterations: Annotated[int, Between(1, 10_000_000)] = 1_000,
        rollouts: Rollouts = "random",
        nights: Nights = 1,
        c: Annotated[float, Between(0, 100)] = 0.2,
        exact: Exact = 0,
        seed: int = 0,
    ) -> None:
        """Tree search.

        Args:
            iterations: playouts in all, for each decision.
            rollouts: how all seats play beyond the tree, "random" or "greedy".
            nights: 1 stops playouts at the end of the night, 2 of the next, ..., where the game is
                valued as planner does; 0 plays to the end of the game.
            c: how much the search explores.
            exact: positions that solving a decision may look at; 0 solves none (docs/bots.md).
            seed: see `Bot`.

        Raises:
            ValueError: an option can't be.
        """
        given: dict[str, Any] = {
            "iterations": iterations,
            "rollouts": rollouts,
            "nights": nights,
            "c": c,
            "exact": exact,
        }
        self.spec = checked_spec(self.name, MctsBot, **given)
        super().__init__(rollouts == "greedy", nights, seed)
        self.iterations, self.c, self.exact = iterations, c, exact

    def prepare(self) -> None:
        """Compile the search, or load it from the cache."""
        super().prepare()
        ensure(search)

    def _grow(self, games: GameArrays, keys: Keys, tree: trees.Tree) -> tuple[Visits, Means]:
        plan = Plan(int(self.redeals), self.c, 1, self.exact // LEAF_SHARE)
        roots, room, work = roots_of(games), self._room(games), new_workspace()
        path = np.empty(trees.path_length(games.spec.most_decisions), np.int32)
        visits, means = np.zeros((1, LEGAL_MAX), np.int64), np.zeros((1, LEGAL_MAX))

        def run(first: int, end: int) -> None:
            search(roots, 0, keys[0], first, end, plan, tree, room, work, path, visits[0], means[0])

        in_slices(run, self.iterations)
        return visits, means


class CheatMctsBot(MctsBot):
    """Searches the true game, its true deck and hands: a yardstick, not a fair player."""

    name = "cheat-mcts"
    redeals = False

    def _games(self, decisions: Decisions) -> GameArrays:
        return decisions.true_state()


class GuidedMctsBot(PolicyBot, TreeBot):
    """Looks first where the policy would play, and takes its word for how a game will end."""

    name = "mcts"
    together = TOGETHER
    nodes_each = trees.CHILDREN

    def __init__(
        self,
        prior: Annotated[str, "ckpt:PATH"],
        # Each keeps a dozen nodes, of 48 bytes.
        iterations: Annotated[int, Between(1, 500_000)] = 1_000,
        c: Annotated[float, Between(0, 100)] = 1.0,
        leaves: Annotated[int, Between(1, 256)] = 1,
        exact: Exact = 20_000,
        seed: int = 0,
    ) -> None:
        """Tree search by a policy; there are no playouts.

        Args:
            prior: the policy, "ckpt:PATH".
            iterations: positions that the policy is asked about, for each decision.
            c: how much the search explores.
            leaves: so many of a tree go through the network together.
            exact: positions that solving a decision may look at; 0 solves none (docs/bots.md).
            seed: see `Bot`.

        Raises:
            ValueError: an option can't be, or there is no sound checkpoint.
        """
        given: dict[str, Any] = {
            "iterations": iterations,
            "c": c,
            "leaves": leaves,
            "exact": exact,
            "prior": prior,
        }
        self.spec = checked_spec(self.name, GuidedMctsBot, brief=True, **given)
        super().__init__(greedy=False, nights=0, seed=seed)
        if not prior.startswith(CHECKPOINT):
            raise ValueError(f"{self.name}: prior={prior!r} must be written prior=ckpt:PATH")
        from hemlock_env.network.policy import load_policy  # only here: it loads safetensors

        self.policy = load_policy(prior.removeprefix(CHECKPOINT))
        self.iterations, self.c, self.leaves, self.exact = iterations, c, leaves, exact
        self._network: Network | None = None

    def prepare(self) -> None:
        """Compile the search, or load it from the cache."""
        super().prepare()
        ensure(search_together)
        ensure(read_roots)

    def _grow(self, games: GameArrays, keys: Keys, tree: trees.Tree) -> tuple[Visits, Means]:
        network = self._network = self._network or self.policy.packed()
        plan = Plan(int(self.redeals), self.c, self.leaves, self.exact // LEAF_SHARE)
        roots, room, work = roots_of(games), self._room(games), new_workspace()
        rows = new_rows(network, games.count * self.leaves, games.count)
        flight = new_flight(games.count * self.leaves, trees.path_length(games.spec.most_decisions))

        def run(first: int, end: int) -> None:
            search_together(roots, keys, first, end, plan, tree, room, network, rows, flight, work)

        def run_flights(first: int, end: int) -> None:
            begin, stop = 1 + first * self.leaves, 1 + end * self.leaves
            run(begin, min(stop, self.iterations + 1))

        run(0, 1)  # opens the roots
        in_slices(run_flights, -(-self.iterations // self.leaves), 1)
        visits = np.zeros((games.count, LEGAL_MAX), np.int64)
        means = np.zeros((games.count, LEGAL_MAX))
        read_roots(tree, roots, visits, means)
        return visits, means

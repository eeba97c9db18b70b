"""mcts: information-set Monte Carlo tree search; cheat-mcts: the same with the cards face up.

Every iteration draws anew all that is hidden from the deciding seat and all chance to come (R13),
so no choice can profit from the true deck. The tree (`search`) and the playouts (`playouts`) run
inside the compiled engine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hemlock_env._jit import ensure
from hemlock_env.agents.base import Actions, Bot, Decisions
from hemlock_env.agents.searching import (
    NIGHTS_MAX,
    check_between,
    check_rollouts,
    room_for,
    roots_of,
    spec_of,
)
from hemlock_env.engine.constants import LEGAL_MAX
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.game import Game
from hemlock_env.search import playouts
from hemlock_env.search.tree import Tree, new_tree, search

DEFAULTS: dict[str, Any] = {"iterations": 1_000, "rollouts": "random", "nights": 1, "c": 0.2}
ITERATIONS_MAX = 10_000_000


class Searched(NamedTuple):
    """What a search found out about a legal action."""

    visits: int
    """iterations that began with it"""
    share: float
    """what whoever decides got in them on average, 0 to 1"""


class MctsBot(Bot):
    """So many iterations for each decision."""

    name = "mcts"
    redeals = True

    def __init__(
        self,
        iterations: int = DEFAULTS["iterations"],
        rollouts: str = DEFAULTS["rollouts"],
        nights: int = DEFAULTS["nights"],
        c: float = DEFAULTS["c"],
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
        super().__init__(seed)
        options = {"iterations": iterations, "rollouts": rollouts, "nights": nights, "c": c}
        check_between(self.name, "iterations", iterations, 1, ITERATIONS_MAX)
        check_rollouts(self.name, rollouts)
        check_between(self.name, "nights", nights, 0, NIGHTS_MAX)
        check_between(self.name, "c", c, 0, 100)
        self.spec = spec_of(self.name, options, DEFAULTS)
        self.iterations = iterations
        self.c = c
        self._playouts = playouts.new_playouts(rollouts == "greedy", nights)

    @property
    def simulated(self) -> int:
        """Decisions made in the tree and in playouts so far."""
        return int(self._playouts["decisions"][0])

    def prepare(self) -> None:
        """Compile the search, or load it from the cache."""
        super().prepare()
        ensure(search)

    def choose(self, decisions: Decisions) -> Actions:
        """The actions visited most; ties: the one that did better, then the lowest."""
        self.prepare()
        games = self._games(decisions)
        tree, room = self._tree(games), room_for(games, self._playouts)
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
        tree, room = self._tree(games), room_for(games, self._playouts)
        visits, means = self._search(games, 0, decisions.keys[0], tree, room)
        names = map(game.action_name, game.legal_actions())
        found = map(Searched, visits.tolist(), means.tolist())
        return dict(zip(names, found, strict=True))

    def _games(self, decisions: Decisions) -> GameArrays:
        """Where the search begins."""
        return decisions.imagine()

    def _tree(self, games: GameArrays) -> Tree:
        """Room for all nodes, and for a path through them."""
        return new_tree(self.iterations + 1, self.iterations + 2, len(games.spec.actions))

    def _search(
        self, games: GameArrays, i: int, key: np.uint64, tree: Tree, room: playouts.Room
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """One game at a time, so that Ctrl-C is heard in between."""
        visits, means = np.empty(LEGAL_MAX, np.int64), np.empty(LEGAL_MAX)
        self._run(roots_of(games), i, key, tree, room, visits, means)
        count = games.counts[i]
        return visits[:count], means[:count]

    def _run(self, roots: playouts.Roots, i: int, key: np.uint64, *room: Any) -> None:
        """The compiled search: fills in the last two, visits and means."""
        search(roots, i, key, self.redeals, self.c, *room)


class CheatMctsBot(MctsBot):
    """Searches the true game, its true deck and hands: a yardstick, not a fair player."""

    name = "cheat-mcts"
    redeals = False

    def _games(self, decisions: Decisions) -> GameArrays:
        return decisions.true_state()

"""Tree search by a policy, written a second time: Python objects, one position at a time, the
policy asked by NumPy.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hemlock_env import Game
from hemlock_env.engine.chance import SEED_BITS, mix
from hemlock_env.engine.events import EVENT_DEAL_AGAIN
from hemlock_env.network.evaluator import MARGIN_SHARE
from hemlock_env.network.policy import Policy
from hemlock_env.search.playouts import MARGIN_SCALE


class Node:
    """An action of a seat, or what was revealed."""

    def __init__(self, prior: float = 0.0) -> None:
        self.prior, self.visits, self.total = prior, 0, 0.0
        self.children: dict[tuple[int, int], Node] | None = None  # by action and seat
        self.reveals: dict[Any, Node] = {}


def revealed(game: Game, seat: int) -> Any:
    """What a seat has seen revealed."""
    known = game.state
    loot = [int(a) | int(b) for a, b in zip(known["row"], known["used"], strict=True)]
    nights = known["nights"][: known["n_nights"]].tolist()
    return loot, known["loot_hand"][seat].tolist(), nights, int(known["week"]), int(known["night"])


def frozen(value: Any) -> Any:
    """Lists as tuples, to be a key."""
    return tuple(map(frozen, value)) if isinstance(value, (list, tuple)) else value


def select(node: Node, game: Game, c: float) -> tuple[int, Node]:
    """The action with the highest PUCT, and its node."""
    assert node.children is not None
    assert game.seat is not None
    legal = [int(action) for action in game.legal_actions()]
    known = [node.children[a, game.seat] for a in legal if (a, game.seat) in node.children]
    visits = sum(child.visits for child in known)
    mean = sum(child.total for child in known) / visits if visits else 0.5
    for action in legal:
        node.children.setdefault((action, game.seat), Node(1 / len(legal)))

    def puct(action: int) -> float:
        child = node.children[action, game.seat]
        value = child.total / child.visits if child.visits else mean
        return value + c * math.sqrt(node.visits) * child.prior / (1 + child.visits)

    best = max(legal, key=puct)
    return best, node.children[best, game.seat]


def own_win(outcome: float, seats: int) -> float:
    """The share of the win that an outcome, a certain win 1 and a certain loss -1/(n - 1), is."""
    own = (outcome + 1) / 2 if seats == 2 else (outcome * (seats - 1) + 1) / seats
    return min(1.0, max(0.0, own))


def returns_of(game: Game, policy: Policy) -> tuple[list[float], np.ndarray | None]:
    """The return of each seat, and the policy's logits where the game goes on."""
    seats = range(game.num_players)
    if game.over:
        scores, winners = game.scores(), game.winners()
        assert scores is not None
        ahead = [scores[s] - max(scores[r] for r in seats if r != s) for s in seats]
        margins = [max(-1.0, min(1.0, points / MARGIN_SCALE)) for points in ahead]
        wins = [(s in winners) / len(winners) for s in seats]
        logits = None
    else:
        all_logits, values = policy.logits_and_values(game.arrays.observations)
        logits = all_logits[0]
        outcome, margin = (list(np.atleast_1d(values[0])) * 2)[:2]
        rivals = game.num_players - 1
        own = own_win(float(outcome), game.num_players)
        wins = [own if s == game.seat else (1 - own) / rivals for s in seats]
        margins = [float(margin) if s == game.seat else -float(margin) / rivals for s in seats]
    pairs = zip(wins, margins, strict=True)
    return [(1 - MARGIN_SHARE) * w + MARGIN_SHARE * (1 + m) / 2 for w, m in pairs], logits


def search(
    game: Game, policy: Policy, key: int, iterations: int, leaves: int, c: float
) -> dict[int, int]:
    """Visits of each action after so many iterations."""
    root, seat = Node(), game.seat
    assert seat is not None
    iteration = 0
    while iteration <= iterations:  # the first only opens the root
        together = min(leaves if iteration else 1, iterations + 1 - iteration)
        flight = []
        for number in range(iteration, iteration + together):
            deal = int(mix(np.uint64(key), EVENT_DEAL_AGAIN + number)) & int(SEED_BITS)
            now = game.redeal(seat, deal)
            node, path = root, [(root, -1)]
            root.visits += 1
            while not now.over and node.children is not None:
                mover, night = now.seat, (now.state["week"], now.state["night"])
                action, node = select(node, now, c)
                path.append((node, mover))
                node.visits += 1
                now.step(action)
                if not now.over and (now.state["week"], now.state["night"]) != night:
                    node = node.reveals.setdefault(frozen(revealed(now, seat)), Node())
                    path.append((node, -1))
                    node.visits += 1
            flight.append((path, now))
        for path, now in flight:
            returns, logits = returns_of(now, policy)
            leaf = path[-1][0]
            if logits is not None and leaf.children is None:
                legal = now.legal_actions()
                shares = np.exp(logits[legal] - logits[legal].max())
                leaf.children = {
                    (int(action), now.seat): Node(float(share))
                    for action, share in zip(legal, shares / shares.sum(), strict=True)
                }
            for node, mover in path:
                if mover >= 0:
                    node.total += returns[mover]
        iteration += together
    assert root.children is not None
    return {action: child.visits for (action, _), child in root.children.items()}

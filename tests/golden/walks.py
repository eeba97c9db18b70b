"""Walk counts: how many ways there are to go on for a few decisions, and where they lead.

`python -m tests.golden.walks` plays every walk with the engine and with the oracle, stops if they
differ, and writes `walks.json` anew. The test compares the engine's numbers with that file.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from hemlock_env import Game
from tests.support.card_sets import default_dict
from tests.support.oracle import Oracle
from tests.support.play import canonical, names_of, rules_facts, stops

FILE = Path(__file__).parent / "walks.json"
Walk = dict[str, Any]
Path_ = tuple[str, ...]

# Where walks begin: name, options, seed, the place (None: the first decision), decisions to go on.
START: dict[str, Any] = {}
LAST_SPECIAL = {"night": 4, "phase": "special", "kind": "special_action"}
WALKS: list[tuple[str, dict[str, Any], int, dict[str, Any], int]] = [
    ("the first decisions", {}, 1, START, 5),
    ("advanced districts", {"sides": "advanced"}, 2, START, 5),
    ("four players", {"num_players": 4, "agendas": True}, 3, START, 5),
    ("hidden loot", {"num_players": 3, "loot": "hand"}, 4, START, 6),
    ("a special action", {"sides": "random"}, 5, {"night": 2, "phase": "special"}, 3),
    ("items as loot", {"items_as_loot": True}, 6, {"night": 4, "kind": "use_loot", "turn": 3}, 4),
    ("the claims", {}, 7, {**LAST_SPECIAL, "week": 1, "turn": 1}, 3),
    ("the claims of three", {"num_players": 3}, 8, {**LAST_SPECIAL, "week": 1, "turn": 2}, 4),
    ("the end", {"agendas": True}, 9, {**LAST_SPECIAL, "week": 2, "turn": 1}, 4),
]


def is_at(position: dict[str, Any], place: dict[str, Any]) -> bool:
    """Does a position stand at a place, with nothing half done?"""
    facts = position | {"kind": position["decision"]["kind"]}
    whole = facts["kind"] in ("use_loot", "special_action")
    return whole and all(facts[key] == value for key, value in place.items())


def beginning(options: dict[str, Any], seed: int, place: dict[str, Any]) -> list[str]:
    """The actions that lead from the seed to the first decision at a place."""
    game, rng = Game(**options, seed=seed), Random(seed)
    actions = []
    while not is_at(game.to_position(), place):
        actions.append(rng.choice(names_of(game)))
        game.step(actions[-1])
    return actions


def game_at(walk: Walk) -> Game:
    """The game where a walk begins."""
    game = Game(**walk["options"], seed=walk["seed"])
    for action in walk["actions"]:
        game.step(action)
    return game


# ---- the engine's way ----


def leaves(game: Game, depth: int) -> Iterator[dict[str, Any]]:
    """The positions after so many decisions, in the order of their actions; or at the end."""
    if depth == 0 or game.over:
        yield game.to_position()
        return
    for action in game.legal_actions():
        after = game.copy()
        after.step(action)
        yield from leaves(after, depth - 1)


def walked(walk: Walk) -> Walk:
    """The numbers of a walk by the engine: below each first action, and a digest of all leaves."""
    game, below, digest = game_at(walk), {}, hashlib.sha256()
    for action in game.legal_actions():
        after, count = game.copy(), 0
        after.step(action)
        for position in leaves(after, walk["depth"] - 1):
            digest.update(canonical(rules_facts(position)).encode())
            count += 1
        below[game.action_name(action)] = count
    return {"below": below, "count": sum(below.values()), "digest": digest.hexdigest()[:16]}


# ---- the oracle's way ----


def loot_by_night(game: Game) -> dict[tuple[int, int], Any]:
    """Every night's loot; what the players do doesn't change it (FORMATS, Chance)."""
    *_, end = stops(game.copy(), Random(0))
    reveals = [event for event in end.record()["events"] if "night" in event]
    nights = [(week, night) for week in (1, 2) for night in (1, 2, 3, 4)]
    loot = [event.get("loot") or event["loot_hands"] for event in reveals]
    return dict(zip(nights, loot, strict=True))


def walked_by_oracle(walk: Walk) -> Walk:
    """The same by the slow rules, which have no copy: every leaf is played from the beginning."""
    data, game = default_dict(), game_at(walk)
    start, loot = game.to_position(), loot_by_night(game)

    def after(path: Path_) -> Oracle:
        oracle = Oracle.from_position(data, start, lambda week, night: loot[week, night])
        for action in path:
            oracle.step(action)
        return oracle

    def below(path: Path_, depth: int) -> Iterator[Oracle]:
        oracle = after(path)
        if depth == 0 or oracle.over:
            yield oracle
            return
        for action in oracle.legal():
            yield from below((*path, action), depth - 1)

    counts, digest = {}, hashlib.sha256()
    for action in after(()).legal():
        count = 0
        for oracle in below((action,), walk["depth"] - 1):
            digest.update(canonical(oracle.position()).encode())
            count += 1
        counts[action] = count
    return {"below": counts, "count": sum(counts.values()), "digest": digest.hexdigest()[:16]}


def regenerate() -> None:
    """Write the file anew, each walk by both."""
    walks = []
    for name, options, seed, place, depth in WALKS:
        actions = beginning(options, seed, place) if place else []
        walk = {"name": name, "options": options, "seed": seed, "actions": actions, "depth": depth}
        numbers = walked(walk)
        assert numbers == walked_by_oracle(walk), name
        walks.append(walk | numbers)
        print(f"{numbers['count']:8} {name}")
    FILE.write_text(json.dumps(walks, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    regenerate()

"""An observation says all that a seat knows, and nothing else: it differs exactly if that differs.

Compared are games in the middle of play, all that can follow them in two decisions, redeals, and
positions that differ from them in one place.
"""

import json
from contextlib import suppress
from random import Random

import pytest

from hemlock_env import Game
from tests.support.play import (
    VARIANTS,
    Position,
    canonical,
    name_of,
    sample,
    stops,
    tweaked,
    visible,
)

TWEAKS_OF_EACH = 6


def near(game: Game, rng: Random) -> list[Game]:
    """Legal positions that differ in one place."""
    found = []
    for _ in range(TWEAKS_OF_EACH):
        position = tweaked(game.to_position(), rng)
        with suppress(ValueError):
            found.append(Game.from_position(position, card_set=game.card_set))
    return found


def following(game: Game, rng: Random, depth: int = 2) -> list[Game]:
    """What can come in two decisions: several orders of the same actions meet."""
    if depth == 0 or game.over:
        return [game]
    found = [game]
    legal = game.legal_actions()
    for action in rng.sample(legal, min(4, len(legal))):
        after = game.copy()
        after.step(action)
        found += following(after, rng, depth - 1)
    return found


def family() -> list[Game]:
    """Many games, each with some that are nearly the same."""
    rng = Random("family")
    found = []
    for number, game in enumerate(sample(every=3)):
        found.append(game)
        found += near(game, rng)
        found += [game.redeal(seat, number) for seat in range(game.num_players)]
        if number % 10 == 0:
            found += following(game, rng)
    return found


@pytest.fixture(scope="module")
def seen() -> list[tuple[str, bytes, str]]:
    """For each game that isn't over and each seat: the kind of table, observation, facts."""
    found = []
    for game in family():
        if game.over:
            continue
        position = game.to_position()
        table = f"{game.card_set.hash} {game.num_players}"
        for seat in range(game.num_players):
            facts = canonical(visible(position, seat))
            found.append((table, game.observe(seat).tobytes(), facts))
    return found


def different(first: str, second: str) -> Position:
    """The facts that differ."""
    one, other = json.loads(first), json.loads(second)
    return {key: (one[key], other[key]) for key in one if one[key] != other[key]}


def test_equal_facts_give_equal_observations(seen):
    """R13.6: an observation is made of what the seat knows, nothing hidden is in it."""
    observation: dict[tuple[str, str], bytes] = {}
    for table, observed, facts in seen:
        assert observation.setdefault((table, facts), observed) == observed, facts
    assert len(observation) < len(seen)


def test_different_facts_give_different_observations(seen):
    """Decisions that differ in what the seat may do, or in what follows, look different."""
    known: dict[tuple[str, bytes], str] = {}
    for table, observed, facts in seen:
        first = known.setdefault((table, observed), facts)
        assert first == facts, different(first, facts)
    assert len(known) > 1000


HIDDEN_LOOT_OF_THREE = [
    options
    for options in VARIANTS
    if (options["num_players"], options["loot"], options["items_as_loot"]) == (3, "hand", True)
]


@pytest.mark.parametrize("options", HIDDEN_LOOT_OF_THREE, ids=name_of)
def test_it_can_be_seen_which_rival_has_more_loot_cards_left(options):
    """R11.1, R11.2, R13.1: an item was used in place of a loot card, and all saw by whom.

    Both rivals have an item face down: one used it last night, the other tonight, but who?
    """
    games = stops(Game(**options, seed=1), Random(1))
    position = next(game for game in games if game.state["night"] == 2).to_position()
    players, first = position["players"], position["supremacy"]
    second, third = (first + 1) % 3, (first + 2) % 3
    for rival in (second, third):
        players[rival]["spent"] |= {"scepter": players[rival]["spent"].get("scepter", 0) + 1}
        position["supply"]["items"]["scepter"] -= 1
    hands = [player["loot_hand"] for player in players]
    position |= {"turn": 3, "loot_used": [hands[first].pop(), hands[third].pop()]}
    position["decision"] = {"seat": first, "kind": "use_loot"}
    one = Game.from_position(json.loads(json.dumps(position)))
    hands[third].append(hands[second].pop())
    other = Game.from_position(position)
    assert (one.observe(first) != other.observe(first)).any()

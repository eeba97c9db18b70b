"""The engine beside the slow rules of `tests.support.oracle`, decision by decision.

Each part below is a number of whole games. At every decision the seat, the kind of the question,
the legal actions in their order and every field of the position must be the same; at the end the
scores, the winners and all events of the record too.
"""

from collections import Counter
from functools import cache
from random import Random

import pytest

from hemlock_env import CardSet, Game
from tests.support.card_sets import CardDict, default_dict, harbour_dict
from tests.support.oracle import BRANCHES
from tests.support.play import (
    VARIANTS,
    Options,
    Policy,
    fond_of,
    name_of,
    odd_sets,
    oracle_beside,
    rules_facts,
    uniform,
    variants,
)
from tests.support.random_sets import as_card_set, bare_set, crowd_set, props_set, rush_set

DECISIONS_WANTED = 100_000
HITS_WANTED = 20  # of every branch that the oracle counts

ODD_PARTS, ODD_SETS = 10, 30  # parts, and card sets in each
GAMES_OF_A_VARIANT = 14

DEFAULT = default_dict()
POLICIES: tuple[Policy, ...] = (
    uniform,
    uniform,
    fond_of("item:", "loot:", "take:"),
    fond_of("play:", "take:leader", "district:spires"),
    fond_of("loot:servants_bell", "loot:crypt_lantern", "play:leader", "take:servant"),
    fond_of("loot:smugglers_key", "item:scepter", "own:", "take:"),
)
SIDES = ("basic", "advanced", "random", ["random", "basic", "random", "advanced"])


class Tally:
    """What has been compared."""

    def __init__(self) -> None:
        self.decisions = 0
        self.hits: Counter[str] = Counter()

    def add(self, data: CardDict, cards: CardSet, options: Options, seed: int) -> None:
        """One game from its first decision to its last event."""
        rng = Random(seed)
        policy = POLICIES[seed % len(POLICIES)]
        game = Game(**options, card_set=cards, seed=seed)
        oracle = oracle_beside(game, data)
        while not game.over:
            position = oracle.position()
            assert rules_facts(game.to_position()) == position, (data["id"], options, seed)
            assert (game.seat, game.winners()) == (oracle.seat, [])
            action = policy(oracle.legal(), rng)
            game.step(action)
            oracle.step(action)
            self.decisions += 1
        assert rules_facts(game.to_position()) == oracle.position(), (data["id"], options, seed)
        assert oracle.over and game.legal_actions() == oracle.legal() == []
        assert (game.scores(), game.winners()) == (oracle.scores(), oracle.winners())
        assert game.record()["events"] == oracle.events
        self.hits += oracle.hits


@cache
def of_a_variant(number: int) -> Tally:
    """The default cards in one combination of options."""
    tally, cards = Tally(), as_card_set(DEFAULT)
    for game in range(GAMES_OF_A_VARIANT):
        options = {**VARIANTS[number], "sides": SIDES[game % len(SIDES)]}
        tally.add(DEFAULT, cards, options, 1000 * number + game)
    return tally


@cache
def of_odd_sets(part: int) -> Tally:
    """Card sets of other shape, half of them with tiny supplies; one game each."""
    tally = Tally()
    sets = odd_sets(ODD_PARTS * ODD_SETS)[part * ODD_SETS : (part + 1) * ODD_SETS]
    for number, (data, cards) in enumerate(sets):
        seed = part * ODD_SETS + number
        tally.add(data, cards, VARIANTS[7 * seed % len(VARIANTS)], seed)
    return tally


SPECIAL_SETS = {  # and how many games
    "harbour": (harbour_dict, 30),  # other names and numbers altogether
    "props": (props_set, 20),  # items that play a minion
    "rush": (rush_set, 30),  # the stock of markers runs out
    "bare": (bare_set, 120),  # nothing to gain, so the ends are tied
    "crowd": (crowd_set, 30),  # many of one kind in one place
}


@cache
def of_a_special_set(name: str) -> Tally:
    """A card set made for what hardly ever happens."""
    tally, (make, games) = Tally(), SPECIAL_SETS[name]
    data = make()
    cards = as_card_set(data)
    for number in range(games):
        options = variants("basic" if number % 2 else "random")[7 * number % len(VARIANTS)]
        if options["agendas"] and len(data["agenda"]) < options["num_players"]:
            options["agendas"] = False
        tally.add(data, cards, options, number)
    return tally


@pytest.mark.parametrize("number", range(len(VARIANTS)), ids=[name_of(each) for each in VARIANTS])
def test_the_engine_plays_the_default_cards_as_the_oracle_does(number):
    assert of_a_variant(number).decisions > 0


@pytest.mark.parametrize("part", range(ODD_PARTS))
def test_the_engine_plays_odd_card_sets_as_the_oracle_does(part):
    assert of_odd_sets(part).decisions > 0


@pytest.mark.parametrize("name", SPECIAL_SETS)
def test_the_engine_plays_card_sets_made_for_rare_events_as_the_oracle_does(name):
    assert of_a_special_set(name).decisions > 0


@pytest.fixture(scope="module")
def all_parts():
    """All of the above together; what has not been played yet is played now."""
    total = Tally()
    parts = [of_a_variant(number) for number in range(len(VARIANTS))]
    parts += [of_odd_sets(part) for part in range(ODD_PARTS)]
    parts += [of_a_special_set(name) for name in SPECIAL_SETS]
    for part in parts:
        total.decisions += part.decisions
        total.hits += part.hits
    return total


def test_a_hundred_thousand_decisions_were_compared(all_parts):
    assert all_parts.decisions >= DECISIONS_WANTED


def test_every_branch_of_the_rules_was_reached(all_parts):
    rare = {key: all_parts.hits[key] for key in BRANCHES if all_parts.hits[key] < HITS_WANTED}
    assert not rare, f"reached fewer than {HITS_WANTED} times: {rare}"


def test_the_oracle_counts_nothing_that_it_does_not_declare(all_parts):
    assert set(all_parts.hits) <= set(BRANCHES)

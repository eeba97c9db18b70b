"""Every property at a glance: a few whole games, quick enough to run uncompiled.

The other files of this folder look at each property closely; `tests.support.mutants` runs this one.
"""

from functools import cache
from random import Random

import numpy as np
import pytest

from hemlock_env import Batch, Game
from tests.properties.test_batch import assert_same, games_of, margin, outcome
from tests.properties.test_copies import WAYS, seen
from tests.properties.test_seats import assert_renamed, read, renamed
from tests.support.card_sets import default_dict
from tests.support.play import (
    canonical,
    fond_of,
    odd_sets,
    oracle_beside,
    problems,
    rules_facts,
    state_bytes,
    stops,
    uniform,
    visible,
)
from tests.support.random_sets import as_card_set, rush_set

EACH = 26  # decisions from one look to the next

INSIGHT_MLP = fond_of("item:", "loot:servants_bell", "loot:crypt_lantern", "take:leader")
GAMES = {
    "two": (default_dict(), {"num_players": 2}, uniform),
    "three": (
        default_dict(),
        {
            "num_players": 3,
            "sides": "random",
            "loot": "hand",
            "items_as_loot": True,
            "agendas": True,
        },
        INSIGHT_MLP,
    ),
    "four": (default_dict(), {"num_players": 4, "sides": "advanced", "agendas": True}, uniform),
    "odd": (odd_sets(1)[0][0], {"num_players": 3, "sides": "random", "agendas": True}, uniform),
    "rush": (rush_set(), {"num_players": 2, "agendas": True}, fond_of("space:")),
}
BY_NAME = pytest.mark.parametrize("name", GAMES)


@cache
def looked_at(name: str) -> tuple[Game, ...]:
    """One game beside the oracle; copies of it now and then, the last one over."""
    data, options, policy = GAMES[name]
    game, rng, kept = Game(**options, card_set=as_card_set(data), seed=11), Random(11), []
    oracle = oracle_beside(game, data)
    while not game.over:
        assert rules_facts(game.to_position()) == oracle.position()
        assert problems(game.to_position(), game.card_set) == []
        if game.decisions % EACH == 0:
            kept.append(game.copy())
        action = policy(oracle.legal(), rng)
        game.step(action)
        oracle.step(action)
    assert rules_facts(game.to_position()) == oracle.position()
    assert (game.scores(), game.winners()) == (oracle.scores(), oracle.winners())
    assert game.record()["events"] == oracle.events
    return (*kept, game)


def looks(name: str) -> list[tuple[Game, int]]:
    """Each of them with each of its seats."""
    return [(game, seat) for game in looked_at(name) for seat in range(game.num_players)]


@BY_NAME
def test_the_engine_plays_as_the_oracle_does(name):
    assert looked_at(name)[-1].over


@BY_NAME
def test_every_observation_is_within_its_bounds(name):
    for game, seat in looks(name):
        seen_now = game.observe(seat)
        assert (seen_now >= 0).all() and (seen_now <= game.spec.layout.high).all()


@BY_NAME
def test_a_redeal_shows_the_seat_nothing_new(name):
    for game, seat in looks(name):
        again = game.redeal(seat, 1)
        assert again.observe(seat).tobytes() == game.observe(seat).tobytes()
        assert again.action_mask(seat).tobytes() == game.action_mask(seat).tobytes()
        assert repr(again) == repr(game)
        assert visible(again.to_position(), seat) == visible(game.to_position(), seat)


@BY_NAME
def test_a_redeal_fits_the_rules(name):
    for game, seat in looks(name):
        position = game.redeal(seat, 2).to_position()
        assert problems(position, game.card_set) == []
        read(position, game)


@BY_NAME
def test_a_redeal_depends_neither_on_the_true_deal_nor_on_its_seed(name):
    for game, seat in looks(name):
        position = game.to_position() | {"rng": {"seed": 5}}
        again = state_bytes(game.redeal(seat, 3))
        assert state_bytes(game.redeal(seat, 4).redeal(seat, 3)) == again
        elsewhere = read(position, game).redeal(seat, 3).to_position()
        assert game.over or canonical(elsewhere) == canonical(game.redeal(seat, 3).to_position())


def test_in_a_redealt_game_whoever_decides_still_has_a_choice():
    """R13.6, R7.10: a rival discards one of two open minions; two of a kind are no choice."""
    games = stops(Game(3, seed=4), Random(4), fond_of("loot:carnival", "play:"))
    game = next(game for game in games if game.decisions == 21)
    decision = game.to_position()["decision"]
    assert (decision["kind"], len(decision["legal"]), decision["seat"]) == ("discard_hand", 2, 2)
    again = [game.redeal(1, seed).legal_actions() for seed in range(40)]
    assert {len(legal) for legal in again} == {2} and len({tuple(legal) for legal in again}) > 1


@BY_NAME
def test_redeals_differ_in_all_that_is_hidden(name):
    game = looked_at(name)[1]
    players = game.num_players
    positions = [game.redeal(0, seed).to_position() for seed in range(40)]
    assert len({position["rng"]["seed"] for position in positions}) == 40
    assert game.to_position()["rng"]["seed"] not in {p["rng"]["seed"] for p in positions}
    assert len({canonical(position["night_deck"]) for position in positions}) > 20
    options = positions[0]["options"]
    for rival in range(1, players):
        held = {
            key: {canonical(p["players"][rival][key]) for p in positions}
            for key in positions[0]["players"][0]
        }
        assert len(held["agenda"]) == (len(game.card_set.agendas) - 1 if options["agendas"] else 1)
        assert (len(held["loot_hand"]) > 1) == (options["loot"] == "hand")
        assert (len(held["hand"]) > 1) == (players > 2)


@BY_NAME
def test_equal_facts_are_equal_observations(name):
    observation, facts = {}, {}
    for game, seat in looks(name)[: -len(GAMES[name][1])]:
        for each in (game, game.redeal(seat, 6)):
            if not each.over:
                known = canonical(visible(each.to_position(), seat))
                observed = each.observe(seat).tobytes()
                assert observation.setdefault(known, observed) == observed
                assert facts.setdefault(observed, known) == known


@BY_NAME
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_every_copy_is_the_same_game_and_independent(name, way):
    for game in looked_at(name)[1::4]:
        again = way(game)
        assert seen(again) == seen(game)
        assert canonical(again.to_position()) == canonical(game.to_position())
        assert again.state["seed"] == game.state["seed"]  # all chance to come
        if not game.over:
            before = state_bytes(game)
            again.step(again.legal_actions()[-1])
            assert state_bytes(game) == before


@BY_NAME
def test_the_seats_can_be_renamed(name):
    for game in looked_at(name):
        other = read(renamed(game.to_position(), 1), game)
        assert_renamed(game, other, 1)
        if not game.over:
            after = game.copy()
            for each in (after, other):
                each.step(game.legal_actions()[0])
            if options_of(after)["loot"] == "row":
                assert_renamed(after, other, 1)


def options_of(game: Game) -> dict:
    """As the position has them."""
    return game.to_position()["options"]


@BY_NAME
def test_what_is_illegal_is_refused_and_changes_nothing(name):
    for game in looked_at(name)[::3]:
        before = state_bytes(game)
        for action in range(len(game.spec.actions)):
            if action not in game.legal_actions():
                with pytest.raises(ValueError, match="illegal"):
                    game.step(action)
        assert state_bytes(game) == before


def test_a_copy_writes_a_record_of_its_own():
    game = Game(seed=1)
    again = game.copy()
    again.step(again.legal_actions()[0])
    assert len(game.record()["events"]) < len(again.record()["events"])
    game.step(game.legal_actions()[1])
    assert game.record()["events"] != again.record()["events"]


def test_every_night_has_loot_of_its_own():
    """FORMATS, Chance: each chance event draws from its own stream."""
    events = looked_at("two")[-1].record()["events"]
    rows = [canonical(event["loot"]) for event in events if "loot" in event]
    assert len(set(rows)) >= 7


@BY_NAME
def test_a_seed_fixes_all_chance_and_another_seed_another(name):
    data, options, _ = GAMES[name]
    cards = as_card_set(data)
    games = [Game(**options, card_set=cards, seed=seed) for seed in (12, 12, 13, 14, 15)]
    states = [state_bytes(game) for game in games]
    assert states[0] == states[1]
    setups = [game.record()["events"][0]["setup"] for game in games]
    rows = [game.record()["events"][1] for game in games]
    for key in ("hands", "night_deck", "sides", "first_player"):
        drawn = {canonical(setup[key]) for setup in setups}
        assert len(drawn) > 1 or (key == "sides" and options.get("sides") != "random"), key
    assert len({canonical(row) for row in rows}) == 4


@pytest.mark.parametrize("reward", ["outcome", "margin"])
def test_a_batch_plays_and_pays_as_its_games_do(reward):
    options = {"num_players": 3, "agendas": True}
    batch = Batch(1, seed=1, reward=reward, autoreset=True, **options)
    games, ends = games_of(batch, **options), 0
    while ends < 1:
        actions = batch.sample()
        batch.step(actions)
        for slot, game in enumerate(games):
            game.step(int(actions[slot]))
            assert batch.done[slot] == game.over
            if game.over:
                ends += 1
                wanted = outcome(game) if reward == "outcome" else margin(game)
                assert batch.rewards[slot].tolist() == pytest.approx(wanted, abs=1e-6)
                assert batch.scores[slot].tolist() == game.scores()
                assert np.flatnonzero(batch.winners[slot]).tolist() == game.winners()
                seed = int(batch.games["seed"][slot])
                assert seed != game.record()["seed"]
                games[slot] = Game(**options, seed=seed)
        assert_same(batch, 0, games[0])

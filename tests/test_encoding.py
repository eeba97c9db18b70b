"""The tensor as a whole: sizes, bounds, names, words, and the fields worked out from others."""

import random

import numpy as np
import pytest

from hemlock_env import Game
from hemlock_env.engine.fields import FIELDS

PLAYERS = (2, 3, 4)


def played_games(players, count=6, **options):
    """Games at random decisions of random play."""
    chance = random.Random(players)
    for seed in range(count):
        game = Game(players, seed=seed, **options)
        for _ in range(chance.randrange(40 * players)):
            if not game.over:
                game.step(chance.choice(game.legal_actions()))
                yield game


@pytest.mark.parametrize("players", PLAYERS)
def test_entries_stay_within_their_declared_bounds(players):
    for game in played_games(players, sides="random", agendas=True, items_as_loot=True):
        tensor = game.observe(0)
        assert (tensor >= 0).all() and (tensor <= game.spec.layout.high).all()


@pytest.mark.parametrize("players", PLAYERS)
def test_every_entry_belongs_to_exactly_one_field(players):
    layout = Game(players, seed=1).spec.layout
    numbers = np.arange(layout.features)
    parts = [layout.part(numbers, field.name).ravel() for field in FIELDS]
    assert sorted(np.concatenate(parts).tolist()) == numbers.tolist()


@pytest.mark.parametrize("players", PLAYERS)
def test_names_are_different_and_as_many_as_entries(players):
    layout = Game(players, seed=1).spec.layout
    assert len(set(layout.names())) == layout.features


def test_words_tell_what_is_not_zero():
    game = Game(seed=1, first_player=0)
    words = game.spec.layout.words(game.observe(0))
    assert "decision: use_loot" in words
    assert "supremacy: self" in words
    assert "stock: self 12, rival_1 12" in words


def test_scaled_is_the_tensor_over_its_scale():
    game = Game(seed=1)
    layout = game.spec.layout
    scaled = layout.part(layout.scaled(game.observe(0)), "stock")
    assert scaled.dtype == np.float32 and scaled.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("players", PLAYERS)
def test_influence_is_the_score_without_agendas(players):
    for game in played_games(players):
        shown = game.spec.layout.part(game.observe(1), "influence")
        scores = game.scores()
        assert shown.tolist() == scores[1:] + scores[:1]


def total(position, district, seat):
    """R6, from the position's own words."""
    lairs = {"ghoul": "boneyard", "alchemist": "spires", "shadow": "alley_maze"}
    lairs["courtesan"] = "courtyard"
    amount = 0
    for kind, count in position["districts"][district]["minions"][seat].items():
        value = 3 if kind.startswith("leader") else 1
        amount += count * (2 if kind == "masque" or lairs.get(kind) == district else value)
    return amount


@pytest.mark.parametrize("players", PLAYERS)
def test_totals_and_claims_are_those_of_the_board(players):
    for game in played_games(players):
        position, layout, tensor = game.to_position(), game.spec.layout, game.observe(0)
        seats = range(players)
        for column, district in enumerate(position["districts"]):
            totals = [total(position, district, seat) for seat in seats]
            highest = max(totals)
            claims = [int(amount == highest > 0) for amount in totals]
            assert layout.part(tensor, "total")[:, column].tolist() == totals
            assert layout.part(tensor, "claims")[:, column].tolist() == claims


def test_marker_influence_counts_neighbours():
    """R10.1: three in a row are 6, one alone is 1."""
    position = Game(seed=1).to_position()
    position["districts"]["spires"]["spaces"] = ["000", "...", "   "]
    position["districts"]["boneyard"]["spaces"] = ["0..", ". .", "..."]
    position["players"][0]["markers"] = 8
    game = Game.from_position(position)
    assert game.spec.layout.part(game.observe(0), "marker_influence").tolist() == [7, 0]

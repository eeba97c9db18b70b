"""The log of actions that the kernel writes: it has room for every game, and no interrupt comes
between it and the game.
"""

import copy
import signal
from random import Random

import numpy as np
import pytest

from hemlock_env import Batch, Game, replay
from tests.support.card_sets import default_dict
from tests.support.play import VARIANTS, name_of, odd_sets
from tests.support.random_sets import as_card_set


def longest(card_set, options):
    """Decisions in the longest of some random games, and the room in a log."""
    batch = Batch(200, seed=1, card_set=card_set, **options)
    for _ in range(20):
        batch.play_random(100)
    assert (batch.seat == -1).all()
    return int(batch.games["decisions"].max()), batch.spec.most_decisions


@pytest.mark.parametrize("options", VARIANTS, ids=name_of)
def test_a_log_has_room_for_every_game(options):
    for _, card_set in odd_sets(6):
        made, room = longest(card_set, {**options, "agendas": False})
        assert 20 < made <= room


def test_a_log_has_room_for_the_longest_words_everywhere():
    """Cards that ask as often as a set may: the bound holds."""
    data = default_dict()
    for loot in data["loot"]:
        loot["ability"] = [{"op": "play_minion", "where": "any"}, *[{"op": "rivals_discard"}] * 5]
    for district in data["district"]:
        for side in ("basic", "advanced"):
            district[side]["scheme"] = [{"op": "rivals_discard"}] * 6
    card_set = as_card_set(data)
    made, room = longest(card_set, {"num_players": 4})
    assert made <= room < 9_400


def test_a_game_that_was_interrupted_has_its_whole_record():
    """Ctrl-C at random moments of a loop over `step`."""
    chance, whole = Random(7), 0

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for seed in range(150):
            game = Game(seed=seed)
            try:
                signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.00002, 0.001))
                while not game.over:
                    game.step(game.legal_actions()[0])
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                whole += 1
            assert list(replay(game.record()))[-1].to_position() == game.to_position()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert whole > 50


@pytest.mark.parametrize("way", [Game.copy, copy.copy, copy.deepcopy])
def test_a_copy_has_a_log_of_its_own(way):
    game, chance = Game(seed=8), Random(8)
    for _ in range(20):
        game.step(chance.choice(game.legal_actions()))
    again = way(game)
    record = game.record()
    again.step(again.legal_actions()[-1])
    assert game.record() == record != again.record()
    game.step(game.legal_actions()[0])
    assert again.record()["events"][: len(record["events"])] == record["events"]


def test_a_redeal_and_a_position_have_no_log():
    game = Game(seed=9)
    for other in (game.redeal(0, 1), Game.from_position(game.to_position())):
        other.step(other.legal_actions()[0])
        with pytest.raises(ValueError, match="no record"):
            other.record()


def test_many_games_keep_no_log():
    assert Batch(3).games.dtype == Game(seed=1).arrays.states.dtype
    assert Batch(3)._arrays.log.shape == (3, 0)
    assert np.array_equal(Game(seed=1).copy().arrays.log, Game(seed=1).arrays.log)

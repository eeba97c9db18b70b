"""A copy, a pickle, a position and a replayed record are the same game, and go on by themselves."""

import copy
import json
import pickle
from functools import cache
from random import Random

import pytest

from hemlock_env import Game, replay
from tests.support.play import (
    VARIANTS,
    canonical,
    name_of,
    odd_sets,
    played,
    sample,
    state_bytes,
    stops,
    tweaked,
)


def through_position(game: Game) -> Game:
    """By way of a JSON text."""
    text = json.dumps(game.to_position())
    return Game.from_position(json.loads(text), card_set=game.card_set)


def through_record(game: Game) -> Game:
    """By way of a JSON text, replayed from the seed."""
    record = json.loads(json.dumps(game.record()))
    return list(replay(record, card_set=game.card_set))[-1]


WAYS = {
    "Game.copy": Game.copy,
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda game: pickle.loads(pickle.dumps(game)),
    "position": through_position,
    "record": through_record,
}
WITH_RECORD = [name for name in WAYS if name != "position"]
ANY_WAY = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def seen(game: Game) -> tuple:
    """All that can be asked of a game."""
    seats = range(game.num_players)
    return (
        repr(game),
        game.seat,
        game.legal_actions(),
        [game.observe(seat).tobytes() for seat in seats],
        [game.action_mask(seat).tobytes() for seat in seats],
        game.scores(),
        game.winners(),
        game.decisions,
    )


def course(game: Game, seed: int) -> list:
    """The legal actions and what seat 0 sees at every stop, and the end."""
    stopped = [
        (stop.legal_actions(), stop.observe(0).tobytes()) for stop in stops(game, Random(seed))
    ]
    assert game.over
    return [*stopped, canonical(game.to_position())]


@cache
def courses() -> list[list]:
    """Of the originals."""
    return [course(game, number) for number, game in enumerate(sample(every=4))]


@pytest.mark.pitfall("S12")
@ANY_WAY
def test_it_is_the_same_game_with_the_same_hidden_parts(way):
    for game in sample(every=2):
        again = way(game)
        assert again is not game and seen(again) == seen(game)
        assert canonical(again.to_position()) == canonical(game.to_position())


@pytest.mark.pitfall("S12")
@ANY_WAY
def test_both_go_on_alike_chance_included(way):
    """Step by step to the end, each with the same choices."""
    for number, game in enumerate(sample(every=4)):
        assert course(way(game), number) == courses()[number]


@pytest.mark.pitfall("S12")
@ANY_WAY
def test_playing_on_in_it_leaves_the_original_unchanged(way):
    for number, game in enumerate(sample(every=4)):
        before, facts = state_bytes(game), seen(game)
        played(way(game), 1000, number)
        assert (state_bytes(game), seen(game)) == (before, facts)


@ANY_WAY
def test_playing_on_in_the_original_leaves_it_unchanged(way):
    for number, game in enumerate(sample(every=8)):
        again = way(game)
        before, facts = state_bytes(again), seen(again)
        played(game, 1000, number)
        assert (state_bytes(again), seen(again)) == (before, facts)


@pytest.mark.parametrize("name", WITH_RECORD)
def test_a_copy_keeps_the_record_and_writes_its_own_on(name):
    for number, game in enumerate(sample(every=16)):
        record = game.record()
        again = WAYS[name](game)
        played(again, 5, number)
        assert game.record() == record
        events = again.record()["events"]
        assert events[: len(record["events"])] == record["events"]
        assert game.over or len(events) > len(record["events"])


def test_a_game_from_a_position_or_a_redeal_has_no_record():
    game = played(Game(seed=1), 10)
    for other in (through_position(game), game.redeal(0, 1), game.redeal(1, 1).copy()):
        with pytest.raises(ValueError, match="record"):
            other.record()


@pytest.mark.pitfall("S11")
def test_what_is_given_back_is_ours_to_change():
    """Nothing that a game returns is a view of it."""
    for game in sample(every=20):
        facts, position = seen(game), canonical(game.to_position())
        kept = [game.observe(0), game.action_mask(), game.action_mask(0), game.observe(0)]
        for array in kept:
            array[:] = 77
        game.legal_actions().clear()
        game.options.clear()
        scores, winners = game.scores(), game.winners()
        scores.clear()
        winners.clear()
        for part in (game.to_position(), game.record()):
            part.clear()
        assert (seen(game), canonical(game.to_position())) == (facts, position)


@pytest.mark.pitfall("S11")
def test_observations_and_masks_that_were_kept_stay_as_they_were():
    game = Game(seed=2)
    kept = []
    for stop in stops(game, Random(2)):
        for array in (stop.observe(0), stop.observe(1), stop.action_mask()):
            kept.append((array, array.tobytes()))
    assert all(array.tobytes() == received for array, received in kept)


# ---- records ----


@pytest.mark.parametrize("options", VARIANTS, ids=name_of)
def test_a_record_replays_position_by_position(options):
    game = Game(**options, seed=3)
    positions = [canonical(stop.to_position()) for stop in stops(game, Random(3))]
    record = json.loads(json.dumps(game.record()))
    assert [canonical(each.to_position()) for each in replay(record)] == positions


@pytest.mark.parametrize("options", VARIANTS, ids=name_of)
def test_a_record_says_how_the_game_ended(options):
    game = played(Game(**options, seed=4), 1000)
    record = game.record()
    assert (record["scores"], record["winners"]) == (game.scores(), game.winners())
    unfinished = played(Game(**options, seed=4), 9).record()
    assert (unfinished["scores"], unfinished["winners"]) == (None, None)


def test_a_record_of_odd_cards_replays_with_their_file():
    for number, (_, cards) in enumerate(odd_sets(20)):
        game = played(Game(**VARIANTS[number], card_set=cards, seed=number), 1000, number)
        assert state_bytes(through_record(game)) == state_bytes(game)


def test_a_record_lists_the_choices_of_the_players_and_the_forced_ones():
    """R14.1"""
    for game in sample(every=8):
        events = game.record()["events"]
        chosen = [event for event in events if "action" in event and "forced" not in event]
        assert len(chosen) == game.decisions
        assert all(event["forced"] is True for event in events if "forced" in event)


# ---- positions written by hand ----


def test_zeros_and_another_order_of_keys_and_cards_are_read_alike():
    for game in sample(every=5):
        position = game.to_position()
        for counts in (position["supply"]["minions"], position["discard"]):
            counts |= {kind: counts.get(kind, 0) for kind in reversed(game.card_set.minions)}
        for cards in (position["loot_row"], position["loot_used"]):
            cards.reverse()
        backwards = dict(reversed(position.items()))
        again = Game.from_position(backwards, card_set=game.card_set)
        assert canonical(again.to_position()) == canonical(game.to_position())


def test_what_may_be_left_out_of_a_position_is_filled_in():
    """FORMATS: `pending` where nothing is half done, the list of legal actions, `loot_used` …"""
    for game in sample(every=2):
        position = game.to_position()
        kind = position["decision"] and position["decision"]["kind"]
        if kind in ("use_loot", "special_action", None):
            for key in ("pending", "rng", "scores", "winners", "card_set_hash"):
                del position[key]
            if position["decision"]:
                del position["decision"]["legal"]
            again = Game.from_position(position, seed=5, card_set=game.card_set)
            assert again.legal_actions() == game.legal_actions()
            assert again.scores() == game.scores() and again.winners() == game.winners()
            assert again.observe(0).tobytes() == game.observe(0).tobytes()


def test_a_position_without_rng_is_seeded_by_the_caller():
    position = played(Game(seed=6), 30).to_position()
    del position["rng"]
    ends = [
        canonical(played(Game.from_position(position, seed=seed), 1000).to_position())
        for seed in (1, 1, 2)
    ]
    assert ends[0] == ends[1] != ends[2]
    drawn = [Game.from_position(position).to_position()["rng"] for _ in range(3)]
    assert drawn[0] != drawn[1] != drawn[2]


def test_with_rng_in_the_position_the_seed_of_the_caller_is_not_used():
    position = played(Game(seed=7), 30).to_position()
    assert Game.from_position(position, seed=1).to_position() == position


def test_reading_leaves_the_position_unchanged():
    rng = Random(8)
    for game in sample(every=10):
        position = tweaked(game.to_position(), rng)
        before = canonical(position)
        try:
            Game.from_position(position, card_set=game.card_set)
        except ValueError:
            pass
        assert canonical(position) == before

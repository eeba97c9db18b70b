"""Positions and records changed at random: refused, or as good as any other."""

from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hemlock_env import Game
from tests.support.changes import LONG_RECORD, changed_at_random, replayed
from tests.support.play import canonical, problems, sample, stops, tweaked

FUZZ = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=400,
    suppress_health_check=list(HealthCheck),
)


def assert_playable(game: Game) -> None:
    """A game that was read passes its checks and can be played to the end."""
    for _ in stops(game, Random(0)):
        if game.over or game.decisions % 8 == 0:
            assert problems(game.to_position(), game.card_set) == []


@FUZZ
@given(data=st.data())
def test_a_position_changed_at_random_is_refused_or_can_be_played(data):
    games = sample(every=9)
    game = data.draw(st.sampled_from(games))
    position = changed_at_random(game.to_position(), data)
    try:
        read = Game.from_position(position, card_set=game.card_set)
    except ValueError as error:
        assert str(error)
        return
    assert_playable(read)


def test_a_position_that_differs_in_one_place_is_refused_or_can_be_played():
    """Cards moved, markers turned, what is half done changed: often another legal position."""
    rng, read = Random(6), 0
    for game in sample(every=2):
        position = tweaked(game.to_position(), rng)
        try:
            other = Game.from_position(position, card_set=game.card_set)
        except ValueError as error:
            assert str(error)
            continue
        read += 1
        assert canonical(
            Game.from_position(other.to_position(), card_set=game.card_set).to_position()
        ) == (canonical(other.to_position()))
        assert_playable(other)
    assert 150 < read < 450


@FUZZ
@given(data=st.data())
def test_a_record_changed_at_random_is_refused_unless_it_says_the_same(data):
    """What is accepted differs from the record in nothing that was played."""
    record = changed_at_random(LONG_RECORD, data)
    try:
        games = replayed(record)
    except ValueError as error:
        assert str(error)
        return
    assert games[-1].record()["events"] == record["events"]
    assert games[-1].over == (record["scores"] is not None)

"""What holds at every decision of every game: nothing is lost, the mask is right, games end."""

from random import Random

import numpy as np
import pytest

from hemlock_env import Batch, Game
from tests.support.oracle import DECISIONS
from tests.support.play import (
    VARIANTS,
    fond_of,
    name_of,
    odd_sets,
    phase_and_kind,
    problems,
    sample,
    state_bytes,
    stops,
    uniform,
)

# No random game of the default cards comes near these; a game that does can't end.
MOST_DECISIONS = {2: 300, 3: 450, 4: 600}

# Influence spaces that neither side of the district has (R12.1); every other action comes up.
UNREACHABLE = {"space:spires:2,0", "space:spires:2,2", "space:alley_maze:1,1"}

BY_VARIANT = pytest.mark.parametrize("options", VARIANTS, ids=name_of)


@BY_VARIANT
def test_cards_and_markers_are_conserved_after_every_action(options):
    for seed in range(3):
        for game in stops(Game(**options, seed=seed), Random(seed)):
            assert problems(game.to_position(), game.card_set) == []


@BY_VARIANT
def test_odd_cards_are_conserved_after_every_action(options):
    number = VARIANTS.index(options)
    for _, cards in odd_sets(40)[2 * number : 2 * number + 2]:
        for game in stops(Game(**options, card_set=cards, seed=number), Random(number)):
            assert problems(game.to_position(), cards) == []


def test_the_sample_has_every_kind_of_decision():
    """What the tests that use it rely on."""
    found = {phase_and_kind(game.to_position()) for game in sample()}
    assert {kind for _, kind in found} == {*DECISIONS, "over"}
    assert {phase for phase, _ in found} == {"loot", "special", "claim", "discard_down", "over"}
    assert len(sample()) >= 900


def test_every_legal_action_can_be_taken():
    for game in sample():
        for action in game.legal_actions():
            after = game.copy()
            after.step(action)
            assert after.decisions == game.decisions + 1


@pytest.mark.pitfall("S05")
def test_every_illegal_action_is_refused_and_changes_nothing():
    for game in sample():
        before, legal = state_bytes(game), set(game.legal_actions())
        for action in range(len(game.spec.actions)):
            if action not in legal:
                with pytest.raises(ValueError, match="is illegal"):
                    game.step(action)
        assert state_bytes(game) == before
        assert set(game.legal_actions()) == legal


def test_the_mask_is_the_list_of_legal_actions():
    for game in sample():
        assert np.flatnonzero(game.action_mask()).tolist() == game.legal_actions()
        assert game.legal_actions() == sorted(set(game.legal_actions()))


def test_only_whoever_decides_has_a_mask():
    for game in sample():
        for seat in range(game.num_players):
            mask = game.action_mask(seat)
            assert mask.dtype == np.int8
            assert mask.any() == (seat == game.seat)
            assert seat != game.seat or (mask == game.action_mask()).all()


def test_whoever_decides_has_a_choice():
    """R14.1"""
    for game in sample():
        assert len(game.legal_actions()) == 0 if game.over else len(game.legal_actions()) >= 2


def test_nobody_decides_when_the_game_is_over():
    for game in (game for game in sample() if game.over):
        assert game.seat is None
        assert not game.action_mask().any()
        assert game.winners()


def test_every_observation_is_within_its_bounds():
    for game in sample(every=2):
        for seat in range(game.num_players):
            seen = game.observe(seat)
            assert (seen >= 0).all() and (seen <= game.spec.layout.high).all()


@pytest.mark.pitfall("S06")
@pytest.mark.parametrize("options", VARIANTS, ids=name_of)
def test_two_thousand_games_end_in_time_and_never_without_a_choice(options):
    """No row without a legal action is ever handed out."""
    batch = Batch(100, seed=1, **options)
    for _ in range(MOST_DECISIONS[options["num_players"]]):
        running = batch.seat >= 0
        assert (batch.legal_count[running] >= 2).all()
        assert batch.mask[running].any(axis=1).all() and not batch.mask[~running].any()
        if not running.any():
            break
        batch.step(np.maximum(batch.sample(), 0))
    assert (batch.seat == -1).all()


def test_every_action_comes_up_but_those_on_no_space():
    game = Game(seed=0)
    missing = {game.action_name(action) for action in range(len(game.spec.actions))}
    likes = (uniform, fond_of("loot:crypt_lantern", "loot:servants_bell", "take:leader"))
    for number, options in enumerate(VARIANTS):
        for seed in range(4):
            game = Game(**options, seed=4 * number + seed)
            for stop in stops(game, Random(seed), likes[seed % 2]):
                missing -= {stop.action_name(action) for action in stop.legal_actions()}
    assert missing == UNREACHABLE

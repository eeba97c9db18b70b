"""What cards say in English."""

import pytest

from hemlock_env.cards import load_card_set
from hemlock_env.cards.card_set import Condition, Word
from hemlock_env.cards.vocabulary import AGENDA_TESTS, EFFECT_WORDS, Op, Where
from hemlock_env.cards.vocabulary import Test as AgendaTest
from hemlock_env.cards.wording import (
    card_words,
    condition_words,
    effect_words,
    name_words,
)

CARDS = load_card_set("vault_of_darkness")
TRINKET, ALCHEMIST = 2, 2


def test_every_word_that_is_no_bookkeeping_may_stand_on_a_card():
    inner = {Op.END, Op.PLACE_LOOT_MINION, Op.TRIGGER_SCHEME}
    assert set(EFFECT_WORDS) == set(Op) - inner


def test_every_agenda_test_may_stand_on_a_card():
    assert set(AGENDA_TESTS) == set(AgendaTest)


@pytest.mark.parametrize("op", EFFECT_WORDS)
def test_a_phrase_shows_its_argument_if_it_has_one(op):
    argument, phrase = EFFECT_WORDS[op]
    assert ("{}" in phrase) == (argument is not None)


def test_an_effect_is_told_in_sentences():
    effect = (Word(Op.PLACE_MARKER, Where.HERE), Word(Op.GAIN_ITEM, TRINKET))
    assert effect_words(CARDS, effect) == "Place a marker here. Gain a trinket."


def test_any_district_is_told_apart_from_here():
    effect = (Word(Op.DISCARD_RIVAL, Where.ANY),)
    assert effect_words(CARDS, effect) == "Discard a rival's minion in any district."


def test_a_minion_is_told_with_its_article():
    assert effect_words(CARDS, (Word(Op.GAIN_MINION, ALCHEMIST),)) == "Gain an alchemist."


def test_an_empty_effect_is_told_too():
    assert effect_words(CARDS, ()) == "Nothing."


def test_a_loot_card_is_told_in_one_line():
    assert card_words(CARDS, CARDS.loot[0]) == "courtesan: place a marker here"


def test_a_condition_is_told_with_its_points():
    condition = Condition(AgendaTest.HAND, 5, points=2)
    assert condition_words(CARDS, condition) == "2 points: 5 or more minions in hand"


def test_a_condition_names_its_district():
    condition = Condition(AgendaTest.MOST_MARKERS, 2, points=1)
    assert condition_words(CARDS, condition) == "1 point: strictly the most markers in alley maze"


def test_an_id_is_told_as_words():
    assert name_words("leader_alley_maze") == "leader alley maze"

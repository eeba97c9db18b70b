"""R12: the default card set, one test a card, and a test that no card is without one."""

import pytest

from hemlock_env.cards import load_card_set
from hemlock_env.cards.card_set import Condition, Side, Word
from hemlock_env.cards.tables import NOWHERE
from hemlock_env.cards.vocabulary import Op, Where
from hemlock_env.cards.vocabulary import Test as AgendaTest

CARDS = load_card_set("vault_of_darkness")
SCEPTER, POTION, TRINKET = range(3)
SPIRES, BONEYARD, ALLEY_MAZE, COURTYARD = range(4)
COURTESAN, GHOUL, ALCHEMIST, SHADOW, MASQUE, SERVANT = range(6)


def by_id(cards, name):
    """The card of that id."""
    return next(card for card in cards if card.id == name)


# ---- R1: components ----


def test_the_minion_kinds_have_the_order_of_the_rules():
    """R1.1"""
    assert CARDS.minions == (
        "courtesan",
        "ghoul",
        "alchemist",
        "shadow",
        "masque",
        "servant",
        "leader_spires",
        "leader_boneyard",
        "leader_alley_maze",
        "leader_courtyard",
    )


def test_the_districts_have_the_order_of_the_rules():
    """R1.2"""
    names = [district.id for district in CARDS.districts]
    assert names == ["spires", "boneyard", "alley_maze", "courtyard"]


def test_the_items_have_the_order_of_the_rules():
    """R1.3"""
    assert [item.id for item in CARDS.items] == ["scepter", "potion", "trinket"]


def test_each_player_brings_twenty_five_minions():
    """R1.5"""
    assert CARDS.minion_copies == (4, 4, 4, 4, 2, 3, 1, 1, 1, 1)


def test_each_player_brings_three_of_each_item():
    """R1.5"""
    assert CARDS.item_copies == (3, 3, 3)


def test_generic_minions_are_at_home_in_four_districts():
    """R6.1"""
    assert CARDS.lairs[:4] == (COURTYARD, BONEYARD, SPIRES, ALLEY_MAZE)


def test_masque_and_servant_have_no_lair():
    """R6.2, R6.3"""
    assert CARDS.lairs[4:6] == (NOWHERE, NOWHERE)


def test_each_leader_is_at_home_in_the_district_of_its_name():
    """R6.4"""
    assert CARDS.lairs[6:] == (SPIRES, BONEYARD, ALLEY_MAZE, COURTYARD)


# ---- R12.1: districts ----


def test_spires_basic_gives_a_trinket_for_a_courtesan():
    """R12.1, R10.9"""
    side = CARDS.districts[SPIRES].basic
    scheme = (Word(Op.GAIN_ITEM, TRINKET),)
    assert side == Side((COURTESAN,), scheme, ("###", "###", "..."), source="text")


def test_boneyard_basic_gives_a_potion_for_an_alchemist():
    """R12.1"""
    side = CARDS.districts[BONEYARD].basic
    scheme = (Word(Op.GAIN_ITEM, POTION),)
    assert side == Side((ALCHEMIST,), scheme, ("###", "#.#", "###"), source="reconstructed")


def test_alley_maze_basic_gives_a_scepter_for_a_ghoul():
    """R12.1"""
    side = CARDS.districts[ALLEY_MAZE].basic
    scheme = (Word(Op.GAIN_ITEM, SCEPTER),)
    assert side == Side((GHOUL,), scheme, ("###", "#.#", "###"), source="reconstructed")


def test_courtyard_basic_gives_a_generic_minion_for_a_shadow():
    """R12.1"""
    side = CARDS.districts[COURTYARD].basic
    scheme = (Word(Op.GAIN_GENERIC),)
    assert side == Side((SHADOW,), scheme, ("###", "###", "..."), source="reconstructed")


def test_spires_advanced_places_a_marker_anywhere_for_a_ghoul_or_a_shadow():
    """R12.1"""
    side = CARDS.districts[SPIRES].advanced
    scheme = (Word(Op.PLACE_MARKER, Where.ANY),)
    assert side == Side((GHOUL, SHADOW), scheme, ("#.#", "###", ".#."), source="reconstructed")


def test_boneyard_advanced_discards_a_rival_there_for_a_courtesan():
    """R12.1"""
    side = CARDS.districts[BONEYARD].advanced
    scheme = (Word(Op.DISCARD_RIVAL, Where.HERE),)
    assert side == Side((COURTESAN,), scheme, ("##.", ".##", "#.#"), source="reconstructed")


def test_alley_maze_advanced_returns_a_minion_for_an_alchemist():
    """R12.1"""
    side = CARDS.districts[ALLEY_MAZE].advanced
    scheme = (Word(Op.RETURN_MINION),)
    assert side == Side((ALCHEMIST,), scheme, ("###", "#..", "##."), source="reconstructed")


def test_courtyard_advanced_gives_a_masque_for_a_ghoul_or_an_alchemist():
    """R12.1"""
    side = CARDS.districts[COURTYARD].advanced
    scheme = (Word(Op.GAIN_MINION, MASQUE),)
    assert side == Side((GHOUL, ALCHEMIST), scheme, ("###", "#.#", "###"), source="reconstructed")


# ---- R12.2: night cards ----


def night(name):
    """District and value of a night card."""
    card = by_id(CARDS.nights, name)
    return card.district, card.value


def test_spires_1_is_worth_one_marker_in_the_spires():
    """R12.2"""
    assert night("spires_1") == (SPIRES, 1)


def test_spires_2_is_worth_two_markers_in_the_spires():
    """R12.2"""
    assert night("spires_2") == (SPIRES, 2)


def test_boneyard_1_is_worth_one_marker_in_the_boneyard():
    """R12.2"""
    assert night("boneyard_1") == (BONEYARD, 1)


def test_boneyard_2_is_worth_two_markers_in_the_boneyard():
    """R12.2, R10.8"""
    assert night("boneyard_2") == (BONEYARD, 2)


def test_alley_maze_1_is_worth_one_marker_in_the_alley_maze():
    """R12.2"""
    assert night("alley_maze_1") == (ALLEY_MAZE, 1)


def test_alley_maze_2_is_worth_two_markers_in_the_alley_maze():
    """R12.2"""
    assert night("alley_maze_2") == (ALLEY_MAZE, 2)


def test_courtyard_1_is_worth_one_marker_in_the_courtyard():
    """R12.2"""
    assert night("courtyard_1") == (COURTYARD, 1)


def test_courtyard_2_is_worth_two_markers_in_the_courtyard():
    """R12.2"""
    assert night("courtyard_2") == (COURTYARD, 2)


# ---- R12.3: loot ----


def loot(name):
    """Minion and ability of a loot card."""
    card = by_id(CARDS.loot, name)
    return card.minion, *card.ability


def test_taxers_hold_brings_a_courtesan_and_places_a_marker_there():
    """R12.3, R10.9"""
    assert loot("taxers_hold") == (COURTESAN, Word(Op.PLACE_MARKER, Where.HERE))


def test_regents_baton_brings_a_courtesan_and_gives_a_scepter():
    """R12.3"""
    assert loot("regents_baton") == (COURTESAN, Word(Op.GAIN_ITEM, SCEPTER))


def test_gravediggers_spade_brings_a_ghoul_and_discards_a_rival_there():
    """R12.3"""
    assert loot("gravediggers_spade") == (GHOUL, Word(Op.DISCARD_RIVAL, Where.HERE))


def test_crypt_lantern_brings_a_ghoul_and_gives_a_leader():
    """R12.3"""
    assert loot("crypt_lantern") == (GHOUL, Word(Op.GAIN_LEADER))


def test_philosophers_still_brings_an_alchemist_and_gives_a_potion():
    """R12.3"""
    assert loot("philosophers_still") == (ALCHEMIST, Word(Op.GAIN_ITEM, POTION))


def test_binding_philtre_brings_an_alchemist_and_gives_a_generic_minion():
    """R12.3"""
    assert loot("binding_philtre") == (ALCHEMIST, Word(Op.GAIN_GENERIC))


def test_cutpurses_glove_brings_a_shadow_and_gives_a_trinket():
    """R12.3"""
    assert loot("cutpurses_glove") == (SHADOW, Word(Op.GAIN_ITEM, TRINKET))


def test_smugglers_key_brings_a_shadow_and_moves_a_minion():
    """R12.3"""
    assert loot("smugglers_key") == (SHADOW, Word(Op.MOVE_MINION))


def test_carnival_visage_brings_a_masque_and_rivals_discard():
    """R12.3"""
    assert loot("carnival_visage") == (MASQUE, Word(Op.RIVALS_DISCARD))


def test_servants_bell_brings_a_servant_and_plays_a_minion_anywhere():
    """R12.3"""
    assert loot("servants_bell") == (SERVANT, Word(Op.PLAY_MINION, Where.ANY))


# ---- R12.4: items ----


def test_scepter_places_a_leader():
    """R12.4"""
    assert CARDS.items[SCEPTER].effect == (Word(Op.PLACE_LEADER),)


def test_potion_discards_a_rival_anywhere():
    """R12.4"""
    assert CARDS.items[POTION].effect == (Word(Op.DISCARD_RIVAL, Where.ANY),)


def test_trinket_places_a_marker_anywhere_and_gives_a_support_marker():
    """R12.4"""
    effect = (Word(Op.PLACE_MARKER, Where.ANY), Word(Op.GAIN_SUPPORT))
    assert CARDS.items[TRINKET].effect == effect


# ---- R12.5: agendas ----


def agenda(name):
    """The two conditions of an agenda card."""
    return by_id(CARDS.agendas, name).conditions


def test_patron_of_the_spires_wants_the_spires_and_three_items():
    """R12.5"""
    assert agenda("patron_of_the_spires") == (
        Condition(AgendaTest.MOST_MARKERS, SPIRES, points=2),
        Condition(AgendaTest.ITEMS, 3, points=2),
    )


def test_warden_of_the_boneyard_wants_the_boneyard_and_a_group_of_four():
    """R12.5"""
    assert agenda("warden_of_the_boneyard") == (
        Condition(AgendaTest.MOST_MARKERS, BONEYARD, points=2),
        Condition(AgendaTest.GROUP, 4, points=2),
    )


def test_voice_of_the_alleys_wants_the_alley_maze_and_a_hand_of_five():
    """R12.5"""
    assert agenda("voice_of_the_alleys") == (
        Condition(AgendaTest.MOST_MARKERS, ALLEY_MAZE, points=2),
        Condition(AgendaTest.HAND, 5, points=2),
    )


def test_host_of_the_courtyard_wants_the_courtyard_and_two_markers_everywhere():
    """R12.5"""
    assert agenda("host_of_the_courtyard") == (
        Condition(AgendaTest.MOST_MARKERS, COURTYARD, points=2),
        Condition(AgendaTest.MARKERS_EVERYWHERE, 2, points=2),
    )


# ---- No card without a test ----


SIDES = [f"{card.id}_{side}" for card in CARDS.districts for side in ("basic", "advanced")]
OTHERS = [card.id for card in (*CARDS.nights, *CARDS.loot, *CARDS.items, *CARDS.agendas)]


@pytest.mark.parametrize("card", SIDES + OTHERS)
def test_every_card_has_a_test_of_its_own(card):
    own = [name for name in globals() if name.startswith(f"test_{card}_")]
    assert len(own) == 1


def test_the_set_has_thirty_three_cards_to_test():
    """R1.2 to R1.4, R1.7: 8 sides, 8 nights, 10 loot cards, 3 items, 4 agendas."""
    assert len(SIDES + OTHERS) == 33

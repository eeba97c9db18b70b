"""CardSet to TABLES: the numbers that the rules run on."""

import numpy as np
import pytest

from hemlock_env.cards import load_tables
from hemlock_env.cards.tables import (
    FIRST_ITEM_SOURCE,
    FIRST_SCHEME_SOURCE,
    NOWHERE,
    PROGRAM_ROWS,
    TABLES,
)
from hemlock_env.cards.vocabulary import Op, Where
from hemlock_env.cards.vocabulary import Test as AgendaTest
from tests.support.card_sets import default_dict, harbour_dict, write_set

DEFAULT = load_tables("vault_of_darkness")
END = (Op.END, 0)


@pytest.fixture(scope="module")
def harbour(tmp_path_factory):
    """The tables of a set with other names, shapes and effects."""
    return load_tables(write_set(tmp_path_factory.mktemp("sets") / "harbour.toml", harbour_dict()))


def program(tables, source):
    """The rows of an effect."""
    return [tuple(row) for row in tables.program[0, source].tolist()]


def filled(*rows):
    """Rows, and END up to the full length."""
    return [*rows, *[END] * (PROGRAM_ROWS - len(rows))]


def test_tables_are_one_record():
    assert DEFAULT.shape == (1,)
    assert DEFAULT.dtype == TABLES
    assert isinstance(DEFAULT, np.recarray)


def test_tables_are_frozen():
    with pytest.raises(ValueError, match="read-only"):
        DEFAULT.lair[0, 0] = 1


def test_equal_sets_share_their_tables(tmp_path):
    path = write_set(tmp_path / "mine.toml", default_dict())
    assert load_tables(path) is load_tables("vault_of_darkness")


def test_counts_are_the_numbers_of_cards():
    assert (DEFAULT.n_loot[0], DEFAULT.n_agendas[0]) == (10, 4)


def test_copies_are_for_each_player():
    """R1.5"""
    assert DEFAULT.minion_copies[0].tolist() == [4, 4, 4, 4, 2, 3, 1, 1, 1, 1]
    assert DEFAULT.item_copies[0].tolist() == [3, 3, 3]


def test_lairs_are_districts_or_nowhere():
    """R6.1 to R6.4"""
    assert DEFAULT.lair[0].tolist() == [3, 1, 0, 2, NOWHERE, NOWHERE, 0, 1, 2, 3]


def test_symbols_mark_the_kinds_that_trigger():
    """R12.1: ghoul and shadow at the advanced spires."""
    assert DEFAULT.symbols[0, 0, 1].tolist() == [0, 1, 0, 1, 0, 0, 0, 0, 0, 0]


def test_spaces_are_cells_row_by_row():
    """R12.1: the advanced alley maze."""
    assert DEFAULT.spaces[0, 2, 1].tolist() == [1, 1, 1, 1, 0, 0, 1, 1, 0]


def test_a_missing_row_has_no_spaces():
    """R12.1: the basic courtyard."""
    assert DEFAULT.spaces[0, 3, 0].tolist() == [1, 1, 1, 1, 1, 1, 0, 0, 0]


def test_night_cards_keep_the_order_of_the_file():
    """R12.2"""
    assert DEFAULT.night_district[0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert DEFAULT.night_value[0].tolist() == [1, 2, 1, 2, 1, 2, 1, 2]


def test_loot_minions_keep_the_order_of_the_file():
    """R12.3; what is beyond the last card is empty."""
    assert DEFAULT.loot_minion[0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 5, *[0] * 6]


def test_a_loot_card_places_its_minion_first_and_triggers_last():
    """R5.3: taxers_hold."""
    assert program(DEFAULT, 0) == filled(
        (Op.PLACE_LOOT_MINION, 0), (Op.PLACE_MARKER, Where.HERE), (Op.TRIGGER_SCHEME, 0)
    )


def test_gain_item_carries_the_number_of_the_item():
    """R7.2: philosophers_still gives a potion."""
    assert program(DEFAULT, 4)[1] == (Op.GAIN_ITEM, 1)


def test_an_item_is_its_words_alone():
    """R12.4: the trinket."""
    trinket = program(DEFAULT, FIRST_ITEM_SOURCE + 2)
    assert trinket == filled((Op.PLACE_MARKER, Where.ANY), (Op.GAIN_SUPPORT, 0))


def test_schemes_alternate_basic_and_advanced():
    """R12.1: the spires."""
    assert program(DEFAULT, FIRST_SCHEME_SOURCE) == filled((Op.GAIN_ITEM, 2))
    assert program(DEFAULT, FIRST_SCHEME_SOURCE + 1) == filled((Op.PLACE_MARKER, Where.ANY))


def test_gain_minion_carries_the_number_of_the_kind():
    """R7.3: the advanced courtyard gives a masque."""
    assert program(DEFAULT, FIRST_SCHEME_SOURCE + 7) == filled((Op.GAIN_MINION, 4))


def test_sources_without_a_card_do_nothing():
    assert program(DEFAULT, 10) == filled()


def test_agendas_are_tests_with_argument_and_points():
    """R12.5: warden_of_the_boneyard."""
    warden = DEFAULT.agenda[0, 1].tolist()
    assert warden == [[AgendaTest.MOST_MARKERS, 1, 2], [AgendaTest.GROUP, 4, 2]]


def test_the_longest_ability_fits(harbour):
    """FORMATS: six words, and END still follows."""
    words = [(Op.PLACE_MARKER, Where.HERE)] * 6
    rows = [(Op.PLACE_LOOT_MINION, 0), *words, (Op.TRIGGER_SCHEME, 0), END]
    assert program(harbour, 0) == rows


def test_an_empty_ability_only_places_and_triggers(harbour):
    rows = filled((Op.PLACE_LOOT_MINION, 0), (Op.TRIGGER_SCHEME, 0))
    assert program(harbour, 6) == rows


def test_other_lairs_and_copies_are_taken_over(harbour):
    """R6.1, R6.4: generic kinds may share a lair, leaders may be at home anywhere."""
    assert harbour.lair[0].tolist() == [0, 0, 2, 1, NOWHERE, NOWHERE, 3, 0, 2, 1]
    assert harbour.minion_copies[0].tolist() == [3, 4, 5, 2, 1, 4, 1, 1, 2, 0]
    assert harbour.item_copies[0].tolist() == [2, 4, 3]


def test_other_grids_are_filled_up(harbour):
    """The mill is `.#.` over `##`."""
    assert harbour.spaces[0, 1, 0].tolist() == [0, 1, 0, 1, 1, 0, 0, 0, 0]


def test_a_district_may_have_no_space_at_all(harbour):
    assert harbour.spaces[0, 2, 0].sum() == 0


def test_a_scheme_may_have_no_symbols(harbour):
    """The mill's scheme is for servants only (R6.3)."""
    assert harbour.symbols[0, 1, 0].sum() == 0


def test_a_district_may_be_without_a_night_card(harbour):
    assert harbour.night_district[0].tolist() == [0, 1, 2, 0, 1, 2, 0, 0]
    assert harbour.night_value[0].tolist() == [0, 1, 2, 3, 4, 5, 6, 7]

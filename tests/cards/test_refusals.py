"""FORMATS, Card set: what a file may not say. Each message names file, card and key."""

import pytest

from hemlock_env.cards import CardSetError, load_card_set
from tests.support.card_sets import default_dict, harbour_dict, write_set


@pytest.fixture
def cards():
    """The default set, to be spoilt."""
    return default_dict()


@pytest.fixture
def refusal(tmp_path):
    """What is said about a spoilt set, after the name of its file."""

    def message(cards):
        path = write_set(tmp_path / "mine.toml", cards)
        with pytest.raises(CardSetError) as error:
            load_card_set(path)
        file, _, said = str(error.value).partition(": ")
        assert file == str(path)
        return said

    return message


# ---- Keys ----


def test_an_unknown_key_of_the_file_is_refused(cards, refusal):
    cards["lair"] = {}
    assert refusal(cards).startswith('lair: is an unknown key; did you mean "lairs"? allowed: id,')


def test_an_unknown_key_of_a_card_is_refused_with_all_that_it_may_have(cards, refusal):
    cards["loot"][3]["colour"] = "red"
    said = "is an unknown key; allowed: id, minion, ability, text, source"
    assert refusal(cards) == f"loot[3] crypt_lantern: colour: {said}"


def test_an_unknown_key_of_a_side_is_refused(cards, refusal):
    cards["district"][0]["basic"]["symbol"] = "ghoul"
    said = 'district[0] spires: basic.symbol: is an unknown key; did you mean "symbols"?'
    assert refusal(cards).startswith(said)


def test_an_unknown_key_of_a_word_is_refused(cards, refusal):
    cards["loot"][3]["ability"] = [{"op": "gain_leader", "where": "any"}]
    said = "loot[3] crypt_lantern: ability[0].where: is an unknown key; allowed: op"
    assert refusal(cards) == said


def test_an_unknown_key_of_a_condition_is_refused(cards, refusal):
    cards["agenda"][0]["conditions"][0]["at_least"] = 2
    said = "agenda[0] patron_of_the_spires: conditions[0].at_least: is an unknown key; "
    assert refusal(cards).startswith(said)


@pytest.mark.parametrize("key", ["id", "name", "copies", "lairs", "district", "night", "loot"])
def test_a_missing_key_of_the_file_is_refused(cards, refusal, key):
    del cards[key]
    assert refusal(cards).startswith(f"{key}: is missing")


def test_a_missing_key_of_a_card_is_refused(cards, refusal):
    del cards["night"][2]["value"]
    assert refusal(cards) == "night[2] boneyard_1: value: is missing"


def test_a_card_without_an_id_is_refused_by_its_number(cards, refusal):
    del cards["loot"][3]["id"]
    assert refusal(cards) == "loot[3]: id: is missing"


def test_a_missing_argument_is_refused(cards, refusal):
    cards["loot"][0]["ability"] = [{"op": "place_marker"}]
    assert refusal(cards) == "loot[0] taxers_hold: ability[0].where: is missing"


# ---- Kinds of value ----


@pytest.mark.parametrize("value", [0, -1, True, 1.0, "1", 1_000_001])
def test_a_revision_that_is_no_count_is_refused(cards, refusal, value):
    cards["revision"] = value
    assert refusal(cards).startswith("revision: must be a whole number, 1 to 1000000, not ")


@pytest.mark.parametrize("value", [3, True, ["Mine"], {"a": 1}, 1.5])
def test_a_name_that_is_no_text_is_refused(cards, refusal, value):
    cards["name"] = value
    assert refusal(cards).startswith("name: must be a text in quotes, not ")


def test_a_section_that_is_no_table_is_refused(cards, refusal):
    cards["copies"] = 4
    assert refusal(cards) == "copies: must be a table, not 4"


def test_cards_that_are_no_list_are_refused(cards, refusal):
    cards["loot"] = cards["loot"][0]
    assert refusal(cards) == "loot: must be a list, not a table"


def test_a_card_that_is_no_table_is_refused(cards, refusal):
    cards["loot"][3] = "crypt_lantern"
    assert refusal(cards) == 'loot[3]: must be a table, not "crypt_lantern"'


def test_an_effect_that_is_no_list_is_refused(cards, refusal):
    cards["loot"][3]["ability"] = {"op": "gain_leader"}
    assert refusal(cards) == "loot[3] crypt_lantern: ability: must be a list, not a table"


def test_a_word_that_is_no_table_is_refused(cards, refusal):
    cards["loot"][3]["ability"] = ["gain_leader"]
    said = 'loot[3] crypt_lantern: ability[0]: must be a table, not "gain_leader"'
    assert refusal(cards) == said


def test_symbols_that_are_no_list_are_refused(cards, refusal):
    cards["district"][0]["basic"]["symbols"] = "courtesan"
    said = 'district[0] spires: basic.symbols: must be a list, not "courtesan"'
    assert refusal(cards) == said


def test_a_text_that_is_no_text_is_refused(cards, refusal):
    cards["item"][0]["text"] = 3
    assert refusal(cards) == "item[0] scepter: text: must be a text in quotes, not 3"


def test_an_unknown_source_is_refused(cards, refusal):
    cards["item"][0]["source"] = "printed"
    said = 'item[0] scepter: source: "printed" is no source; allowed: text, reconstructed'
    assert refusal(cards) == said


# ---- Ids ----


@pytest.mark.parametrize(
    "name", ["", "Crypt", "1st", "_crypt", "crypt lantern", "crypt-l", "crÿpt"]
)
def test_an_id_of_other_characters_is_refused(cards, refusal, name):
    cards["loot"][3]["id"] = name
    assert "is no id; allowed: lower-case letters, digits and underscores" in refusal(cards)


def test_an_id_that_is_no_text_is_refused(cards, refusal):
    cards["id"] = 7
    assert refusal(cards).startswith("id: 7 is no id; allowed:")


def test_the_id_of_the_set_is_checked_like_any_other(cards, refusal):
    cards["id"] = "My set"
    assert refusal(cards).startswith('id: "My set" is no id; allowed:')


def test_a_minion_kind_with_a_bad_id_is_refused(cards, refusal):
    cards["copies"]["Ghoul"] = cards["copies"].pop("ghoul")
    assert refusal(cards).startswith("[copies]: Ghoul: is no id; allowed:")


@pytest.mark.parametrize("key", ["district", "night", "loot", "item", "agenda"])
def test_two_cards_with_one_id_are_refused(cards, refusal, key):
    name = cards[key][0]["id"]
    cards[key][2]["id"] = name
    assert refusal(cards) == (
        f'{key}[2] {name}: id: an earlier card is called "{name}" too; ids must differ'
    )


# ---- Numbers of cards ----


def test_three_districts_are_refused(cards, refusal):
    cards["district"].pop()
    assert refusal(cards) == "district: must have 4 entries, not 3"


def test_five_districts_are_refused(cards, refusal):
    cards["district"].append({**cards["district"][0], "id": "harbour"})
    assert refusal(cards) == "district: must have 4 entries, not 5"


def test_seven_nights_are_refused(cards, refusal):
    cards["night"].pop()
    assert refusal(cards) == "night: must have 8 entries, not 7"


def test_nine_nights_are_refused(cards, refusal):
    cards["night"].append({**cards["night"][0], "id": "ninth"})
    assert refusal(cards) == "night: must have 8 entries, not 9"


def test_two_items_are_refused(cards, refusal):
    cards["item"].pop()
    assert refusal(cards) == "item: must have 3 entries, not 2"


def test_four_items_are_refused(cards, refusal):
    cards["item"].append({"id": "crown", "effect": []})
    assert refusal(cards) == "item: must have 3 entries, not 4"


def test_four_loot_cards_are_refused(cards, refusal):
    """R4.2: two players need five."""
    del cards["loot"][4:]
    assert refusal(cards) == "loot: must have 5 to 16 entries, not 4"


def test_seventeen_loot_cards_are_refused(cards, refusal):
    cards["loot"] = [{**cards["loot"][0], "id": f"chest_{n}"} for n in range(17)]
    assert refusal(cards) == "loot: must have 5 to 16 entries, not 17"


def test_nine_agendas_are_refused(cards, refusal):
    cards["agenda"] = [{**cards["agenda"][0], "id": f"plan_{n}"} for n in range(9)]
    assert refusal(cards) == "agenda: must have 0 to 8 entries, not 9"


# ---- [copies] ----


def test_nine_minion_kinds_are_refused(cards, refusal):
    del cards["copies"]["masque"]
    said = "[copies]: must have 10 minion kinds beside the items, not 9 (courtesan, ghoul,"
    assert refusal(cards).startswith(said)


def test_eleven_minion_kinds_are_refused(cards, refusal):
    cards["copies"]["wraith"] = 1
    said = "[copies]: must have 10 minion kinds beside the items, not 11 (courtesan, ghoul,"
    assert refusal(cards).startswith(said)


def test_an_item_without_copies_is_refused_with_a_hint(cards, refusal):
    cards["copies"]["sceptre"] = cards["copies"].pop("scepter")
    assert refusal(cards) == '[copies]: scepter: is missing; is "sceptre" meant?'


@pytest.mark.parametrize("copies", [-1, 128, True, "3", 3.0])
def test_copies_that_are_no_count_are_refused(cards, refusal, copies):
    cards["copies"]["masque"] = copies
    assert refusal(cards).startswith("[copies]: masque: must be a whole number, 0 to 127, not ")


def test_a_generic_kind_without_copies_is_refused(cards, refusal):
    """R2.2 deals one of each to every player."""
    cards["copies"]["ghoul"] = 0
    assert refusal(cards) == "[copies]: ghoul: must be a whole number, 1 to 127, not 0"


def test_copies_of_items_below_zero_are_refused(cards, refusal):
    cards["copies"]["potion"] = -1
    assert refusal(cards) == "[copies]: potion: must be a whole number, 0 to 127, not -1"


# ---- [lairs] ----


def test_a_generic_kind_without_a_lair_is_refused(cards, refusal):
    """R6.1"""
    del cards["lairs"]["ghoul"]
    assert refusal(cards) == "[lairs]: ghoul: is missing"


def test_a_lair_in_no_district_is_refused(cards, refusal):
    cards["lairs"]["ghoul"] = "bone_yard"
    said = '[lairs]: ghoul: "bone_yard" is no district; did you mean "boneyard"? allowed: spires,'
    assert refusal(cards).startswith(said)


@pytest.mark.parametrize("minion", ["masque", "servant"])
def test_a_lair_for_a_kind_that_has_none_is_refused(cards, refusal, minion):
    """R6.2, R6.3"""
    cards["lairs"][minion] = "spires"
    said = f"[lairs]: {minion}: has no lair (R6.2, R6.3); allowed: courtesan, ghoul,"
    assert refusal(cards).startswith(said)


def test_the_roles_decide_who_has_no_lair_whatever_the_names(refusal):
    """R6.2"""
    cards = harbour_dict()
    cards["lairs"]["mime"] = "quay"
    assert refusal(cards).startswith("[lairs]: mime: has no lair")


def test_a_lair_of_an_unknown_kind_is_refused(cards, refusal):
    cards["lairs"]["goul"] = "spires"
    said = '[lairs]: goul: is an unknown key; did you mean "ghoul"? allowed: courtesan,'
    assert refusal(cards).startswith(said)


def test_two_leaders_in_one_lair_are_refused(cards, refusal):
    """R6.4"""
    cards["lairs"]["leader_boneyard"] = "spires"
    assert refusal(cards) == (
        '[lairs]: leader_boneyard: "spires" is the lair of leader_spires; '
        "the leaders need four different districts"
    )


def test_a_leader_in_the_lair_that_another_has_unsaid_is_refused(cards, refusal):
    """R6.4"""
    cards["lairs"]["leader_spires"] = "boneyard"
    del cards["lairs"]["leader_boneyard"]
    said = '[lairs]: leader_boneyard: "boneyard" is the lair of leader_spires;'
    assert refusal(cards).startswith(said)


# ---- Districts ----


def test_a_district_with_one_side_is_refused(cards, refusal):
    del cards["district"][1]["advanced"]
    assert refusal(cards) == "district[1] boneyard: advanced: is missing"


def test_an_unknown_symbol_is_refused_with_a_hint(cards, refusal):
    cards["district"][0]["advanced"]["symbols"] = ["ghoul", "shaddow"]
    said = (
        "district[0] spires: advanced.symbols[1]: "
        '"shaddow" is no minion kind; did you mean "shadow"? allowed: courtesan,'
    )
    assert refusal(cards).startswith(said)


def test_a_symbol_twice_is_refused(cards, refusal):
    cards["district"][0]["advanced"]["symbols"] = ["ghoul", "ghoul"]
    said = 'district[0] spires: advanced.symbols[1]: "ghoul" is there already'
    assert refusal(cards) == said


@pytest.mark.parametrize("row", ["", "####", "#x#", "# #", "###\n"])
def test_a_row_that_is_no_row_is_refused(cards, refusal, row):
    cards["district"][0]["basic"]["spaces"][1] = row
    said = refusal(cards)
    assert said.startswith("district[0] spires: basic.spaces[1]: ")
    assert said.endswith('is no row; allowed: 1 to 3 of "#" and "."')


def test_a_row_that_is_no_text_is_refused(cards, refusal):
    cards["district"][0]["basic"]["spaces"][1] = 111
    said = "district[0] spires: basic.spaces[1]: must be a text in quotes, not 111"
    assert refusal(cards) == said


@pytest.mark.parametrize("rows", [0, 4])
def test_a_grid_without_rows_or_with_four_is_refused(cards, refusal, rows):
    cards["district"][0]["basic"]["spaces"] = ["###"] * rows
    said = f"district[0] spires: basic.spaces: must have 1 to 3 entries, not {rows}"
    assert refusal(cards) == said


def test_a_scheme_that_plays_a_minion_is_refused(cards, refusal):
    """R7.6"""
    cards["district"][0]["basic"]["scheme"].append({"op": "play_minion", "where": "any"})
    said = "district[0] spires: basic.scheme[1].op: play_minion can't stand in a scheme (R7.6)"
    assert refusal(cards) == said


# ---- Nights ----


def test_a_night_in_no_district_is_refused(cards, refusal):
    cards["night"][0]["district"] = "spire"
    said = 'night[0] spires_1: district: "spire" is no district; did you mean "spires"? allowed:'
    assert refusal(cards).startswith(said)


@pytest.mark.parametrize("value", [-1, 13, True, "2", 1.0])
def test_a_night_of_another_value_is_refused(cards, refusal, value):
    cards["night"][0]["value"] = value
    said = "night[0] spires_1: value: must be a whole number, 0 to 12, not "
    assert refusal(cards).startswith(said)


# ---- Loot ----


def test_a_leader_as_a_loots_minion_is_refused(cards, refusal):
    cards["loot"][3]["minion"] = "leader_spires"
    assert refusal(cards) == (
        "loot[3] crypt_lantern: minion: loot can't bring a leader; "
        "allowed: courtesan, ghoul, alchemist, shadow, masque, servant"
    )


def test_an_unknown_minion_is_refused_with_a_hint(cards, refusal):
    cards["loot"][3]["minion"] = "gool"
    said = 'loot[3] crypt_lantern: minion: "gool" is no minion kind; did you mean "ghoul"? allowed:'
    assert refusal(cards).startswith(said)


# ---- Effects ----


def test_a_misspelt_op_is_refused_with_a_hint(cards, refusal):
    cards["loot"][3]["ability"] = [{"op": "gain_leadr"}]
    assert refusal(cards) == (
        'loot[3] crypt_lantern: ability[0].op: "gain_leadr" is no effect word; '
        'did you mean "gain_leader"? allowed: place_marker, gain_item, gain_minion, '
        "gain_generic, gain_leader, play_minion, discard_rival, move_minion, return_minion, "
        "rivals_discard, place_leader, gain_support"
    )


@pytest.mark.parametrize("op", ["end", "place_loot_minion", "trigger_scheme", "PLACE_LEADER", 13])
def test_an_op_that_is_not_for_cards_is_refused(cards, refusal, op):
    cards["item"][0]["effect"] = [{"op": op}]
    assert "item[0] scepter: effect[0].op: " in refusal(cards)


def test_a_misspelt_place_is_refused(cards, refusal):
    cards["loot"][0]["ability"][0]["where"] = "there"
    said = 'loot[0] taxers_hold: ability[0].where: "there" is no place; did you mean "here"?'
    assert refusal(cards) == f"{said} allowed: here, any"


def test_an_unknown_item_is_refused(cards, refusal):
    cards["loot"][1]["ability"][0]["item"] = "sceptre"
    assert refusal(cards) == (
        'loot[1] regents_baton: ability[0].item: "sceptre" is no item; '
        'did you mean "scepter"? allowed: scepter, potion, trinket'
    )


def test_an_unknown_minion_to_gain_is_refused(cards, refusal):
    cards["district"][3]["advanced"]["scheme"][0]["minion"] = "mask"
    said = 'district[3] courtyard: advanced.scheme[0].minion: "mask" is no minion kind;'
    assert refusal(cards).startswith(said)


@pytest.mark.parametrize("op", ["place_marker", "play_minion", "discard_rival"])
def test_here_in_an_item_is_refused(cards, refusal, op):
    """R7: an item has no *here*."""
    cards["item"][2]["effect"] = [{"op": "gain_support"}, {"op": op, "where": "here"}]
    said = 'item[2] trinket: effect[1].where: an item has no "here"; allowed: any'
    assert refusal(cards) == said


def test_seven_words_are_refused(cards, refusal):
    cards["item"][0]["effect"] = [{"op": "gain_support"}] * 7
    assert refusal(cards) == "item[0] scepter: effect: must have 0 to 6 entries, not 7"


# ---- Agendas ----


@pytest.mark.parametrize("count", [0, 1, 3])
def test_an_agenda_without_exactly_two_conditions_is_refused(cards, refusal, count):
    """R1.7"""
    condition = {"test": "items", "at_least": 3, "points": 2}
    cards["agenda"][0]["conditions"] = [condition] * count
    said = f"agenda[0] patron_of_the_spires: conditions: must have 2 entries, not {count}"
    assert refusal(cards) == said


def test_a_misspelt_test_is_refused_with_a_hint(cards, refusal):
    cards["agenda"][0]["conditions"][1]["test"] = "item"
    assert refusal(cards) == (
        'agenda[0] patron_of_the_spires: conditions[1].test: "item" is no agenda test; '
        'did you mean "items"? allowed: most_markers, items, group, hand, markers_everywhere'
    )


def test_a_condition_in_no_district_is_refused(cards, refusal):
    cards["agenda"][0]["conditions"][0]["district"] = "spire"
    said = 'agenda[0] patron_of_the_spires: conditions[0].district: "spire" is no district;'
    assert refusal(cards).startswith(said)


@pytest.mark.parametrize("number", [0, 128, True, "3"])
def test_a_condition_on_another_number_is_refused(cards, refusal, number):
    cards["agenda"][0]["conditions"][1]["at_least"] = number
    said = "conditions[1].at_least: must be a whole number, 1 to 127, not "
    assert said in refusal(cards)


@pytest.mark.parametrize("points", [-1, 21, False, 2.0])
def test_other_points_are_refused(cards, refusal, points):
    cards["agenda"][0]["conditions"][1]["points"] = points
    assert "conditions[1].points: must be a whole number, 0 to 20, not " in refusal(cards)

"""How a card set is found, and what is said when it isn't."""

import codecs
from pathlib import Path

import pytest

from hemlock_env.cards import CardSet, CardSetError, load_card_set, load_tables
from hemlock_env.cards.load import shipped_ids
from tests.support.card_sets import default_dict, write_set


def test_a_shipped_set_is_found_by_its_id():
    assert load_card_set("vault_of_darkness").id == "vault_of_darkness"


def test_a_shipped_set_is_read_once():
    assert load_card_set("vault_of_darkness") is load_card_set("vault_of_darkness")


@pytest.mark.parametrize("name", shipped_ids())
def test_a_shipped_set_has_the_id_of_its_file(name):
    assert load_card_set(name).id == name


def test_a_file_is_found_by_its_path_as_text(tmp_path):
    path = write_set(tmp_path / "mine.toml", default_dict())
    assert load_card_set(str(path)) == load_card_set("vault_of_darkness")


def test_a_file_is_found_by_a_path_object_whatever_its_name(tmp_path):
    path = write_set(tmp_path / "cards", default_dict())
    assert load_card_set(path) == load_card_set("vault_of_darkness")


def test_a_name_that_ends_in_toml_is_a_path(tmp_path, monkeypatch):
    write_set(tmp_path / "mine.toml", {**default_dict(), "id": "mine"})
    monkeypatch.chdir(tmp_path)
    assert load_card_set("mine.toml").id == "mine"


def test_a_file_is_read_again_at_each_load(tmp_path):
    path = write_set(tmp_path / "mine.toml", {**default_dict(), "name": "Before"})
    load_card_set(path)
    write_set(path, {**default_dict(), "name": "After"})
    assert load_card_set(path).name == "After"


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path):
    path = write_set(tmp_path / "mine.toml", default_dict())
    path.write_bytes(codecs.BOM_UTF8 + path.read_bytes().replace(b"\n", b"\r\n"))
    assert load_card_set(path) == load_card_set("vault_of_darkness")


def test_a_set_remembers_its_file_for_messages(tmp_path):
    path = write_set(tmp_path / "mine.toml", default_dict())
    assert load_card_set(path).file == str(path)


def test_tables_come_by_id_by_path_and_by_set(tmp_path):
    path = write_set(tmp_path / "mine.toml", default_dict())
    tables = load_tables("vault_of_darkness")
    assert load_tables(path) is tables
    assert load_tables(load_card_set(path)) is tables


def test_a_set_that_is_loaded_is_handed_back(tmp_path):
    cards = load_card_set(write_set(tmp_path / "mine.toml", default_dict()))
    assert load_card_set(cards) is cards


def test_an_unknown_id_is_refused_with_a_hint():
    hint = 'vault_of_darknes: no such card set; did you mean "vault_of_darkness"?'
    with pytest.raises(CardSetError, match=hint):
        load_card_set("vault_of_darknes")


def test_a_missing_file_is_refused_with_the_shipped_ids(tmp_path):
    said = "mine.toml: can't be read: No such file .*; sets that need no path: .*vault_of_darkness"
    with pytest.raises(CardSetError, match=said):
        load_card_set(tmp_path / "mine.toml")


def test_a_folder_is_refused_by_name(tmp_path):
    with pytest.raises(CardSetError, match="cards: can't be read"):
        load_card_set(tmp_path / "cards")


def test_a_path_that_no_system_takes_is_refused():
    with pytest.raises(CardSetError, match="can't be read"):
        load_card_set("mi\0ne.toml")


@pytest.mark.parametrize("nothing", [None, 3, b"vault_of_darkness", ["vault_of_darkness"]])
def test_what_is_neither_id_nor_path_is_refused(nothing):
    with pytest.raises(CardSetError, match="a card set is named by an id or a path"):
        load_card_set(nothing)


def test_broken_toml_is_refused_with_its_line(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('id = "mine"\nname = Mine\n', encoding="utf-8")
    with pytest.raises(CardSetError, match=r"mine.toml: is no valid TOML: .*line 2"):
        load_card_set(path)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_bytes(b'id = "\xff"')
    with pytest.raises(CardSetError, match=r"mine.toml: is not UTF-8 text"):
        load_card_set(path)


def test_a_card_set_error_is_a_value_error():
    assert issubclass(CardSetError, ValueError)


def test_a_card_set_can_be_a_key():
    cards: dict[CardSet, Path] = {load_card_set("vault_of_darkness"): Path()}
    assert load_card_set("vault_of_darkness") in cards


def test_a_file_that_is_nested_without_end_is_refused(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("id = " + "[" * 100_000, encoding="utf-8")
    with pytest.raises(CardSetError, match=r"mine.toml: is no valid TOML: nested too deep"):
        load_card_set(path)

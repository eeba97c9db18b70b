"""Files and folders are written whole or not at all."""

import json

import pytest

from hemlock_env._files import (
    parse_json,
    read_csv,
    read_json,
    read_text,
    read_toml,
    replacing,
    write_folder,
    write_json,
    write_text,
)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path):
    write_text(tmp_path / "a.txt", "old")
    write_text(tmp_path / "a.txt", "new")
    assert (tmp_path / "a.txt").read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


def test_what_fails_leaves_the_old_file(tmp_path):
    write_text(tmp_path / "a.txt", "old")
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "a.txt") as fresh:
        fresh.write_text("half")
        raise KeyboardInterrupt
    assert (tmp_path / "a.txt").read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_a_folder_is_replaced_with_all_its_files(tmp_path):
    write_folder(tmp_path / "run", {"a": b"1", "b": b"2"})
    write_folder(tmp_path / "run", {"a": b"3"})
    assert names(tmp_path) == ["run"]
    assert names(tmp_path / "run") == ["a"]
    assert (tmp_path / "run" / "a").read_bytes() == b"3"


def test_a_json_object_is_read_back(tmp_path):
    write_json(tmp_path / "a.json", {"week": 1}, indent=None)
    assert (tmp_path / "a.json").read_text() == '{"week":1}\n'
    assert read_json(tmp_path / "a.json") == {"week": 1}


@pytest.mark.parametrize("text", ["[1]", "{", "[" * 100_000, '{"a": NaN}', '{"a": -Infinity}'])
def test_anything_else_names_the_file(tmp_path, text):
    write_text(tmp_path / "a.json", text)
    with pytest.raises(ValueError, match=r"a.json: isn't a record"):
        read_json(tmp_path / "a.json", "a record")


@pytest.mark.parametrize("text", ["[" * 101, '{"a":' * 101, "[" * 101 + "]" * 101])
def test_deep_json_is_refused_alike_by_every_python(text):
    with pytest.raises(ValueError, match=r"^a: isn't a JSON object: nested too deep$"):
        parse_json(text, "a")


def test_brackets_side_by_side_and_in_strings_are_not_deep():
    value = {"a": ["[{" * 200, '\\"[' * 200, *[[[]]] * 200], "[" * 200: {}}
    assert parse_json(json.dumps(value), "a") == value
    value = {"a": 1}
    for _ in range(99):
        value = {"a": value}
    assert parse_json(json.dumps(value), "a") == value


def test_a_missing_file_is_named_too(tmp_path):
    with pytest.raises(ValueError, match=r"a.json: can't be read: No such file"):
        read_json(tmp_path / "a.json")


@pytest.mark.parametrize("mark", ["", "\N{BYTE ORDER MARK}"])
def test_a_byte_order_mark_does_no_harm(tmp_path, mark):
    for name, text in (("a.json", '{"week": 1}'), ("a.toml", "week = 1"), ("a.csv", "week\n1\n")):
        write_text(tmp_path / name, mark + text)
    assert read_text(tmp_path / "a.toml") == "week = 1"
    assert read_json(tmp_path / "a.json") == read_toml(tmp_path / "a.toml") == {"week": 1}
    assert read_csv(tmp_path / "a.csv") == [{"week": "1"}]


@pytest.mark.parametrize("reader", [read_text, read_json, read_toml, read_csv])
def test_what_is_no_text_or_not_there_names_the_file(tmp_path, reader):
    (tmp_path / "a").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="a: is not UTF-8 text"):
        reader(tmp_path / "a")
    with pytest.raises(ValueError, match="b: can't be read: No such file"):
        reader(tmp_path / "b")


@pytest.mark.parametrize("text", ["a =", "a = " + "[" * 100_000, "a = " + "9" * 5_000])
def test_what_is_no_toml_names_the_file(tmp_path, text):
    write_text(tmp_path / "a.toml", text)
    with pytest.raises(ValueError, match=r"a.toml: is no valid TOML: ") as error:
        read_toml(tmp_path / "a.toml")
    assert type(error.value) is ValueError


def test_a_line_of_csv_that_was_cut_short_is_left_out(tmp_path):
    (tmp_path / "a.csv").write_bytes(b'a,b\r\n1,"x\n,y"\r\n2,')
    assert read_csv(tmp_path / "a.csv") == [{"a": "1", "b": "x\n,y"}]
    write_text(tmp_path / "a.csv", "a\n" + "1" * 200_000 + "\n")
    with pytest.raises(ValueError, match=r"a.csv: isn't CSV"):
        read_csv(tmp_path / "a.csv")

"""Files and folders are written whole or not at all."""

import pytest

from hemlock_env._files import read_json, replacing, write_folder, write_json, write_text


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


@pytest.mark.parametrize("text", ["[1]", "{", "[" * 100_000])
def test_anything_else_names_the_file(tmp_path, text):
    write_text(tmp_path / "a.json", text)
    with pytest.raises(ValueError, match=r"a.json: isn't a record"):
        read_json(tmp_path / "a.json", "a record")


def test_a_missing_file_is_named_too(tmp_path):
    with pytest.raises(ValueError, match=r"a.json: can't be read: No such file"):
        read_json(tmp_path / "a.json")

"""docs/cards.md says what is so."""

import re
import tomllib
from pathlib import Path

import pytest

from hemlock_env.cards import CardSetError, load_card_set
from hemlock_env.cards.load import CARDS, OPS, TESTS
from tests.support.card_sets import default_dict, write_set

PAGE = (Path(__file__).parents[2] / "docs" / "cards.md").read_text(encoding="utf-8")


def blocks(language):
    """The fenced blocks of the page in that language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def refusal(tmp_path, monkeypatch):
    """What is said about a set that stands in my_cards.toml."""
    monkeypatch.chdir(tmp_path)

    def message(cards):
        write_set(tmp_path / "my_cards.toml", cards)
        with pytest.raises(CardSetError) as error:
            load_card_set("my_cards.toml")
        return str(error.value)

    return message


@pytest.mark.parametrize("word", [*OPS, *TESTS])
def test_every_word_has_a_row_in_a_table(word):
    assert f"\n| `{word}` | " in PAGE


@pytest.mark.parametrize("section", CARDS)
def test_every_kind_of_card_has_a_section(section):
    assert f"\n### `[[{section}]]`" in PAGE


def test_the_example_card_can_be_added(tmp_path):
    cards = default_dict()
    cards["loot"] += tomllib.loads(blocks("toml")[0])["loot"]
    loaded = load_card_set(write_set(tmp_path / "mine.toml", cards))
    assert loaded.loot[10].id == "bone_flute"


def test_the_example_code_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(blocks("python")[0], {})
    assert "taxers_hold - courtesan: place a marker here" in capsys.readouterr().out


def test_the_first_example_of_a_mistake_is_what_is_said(refusal):
    cards = default_dict()
    cards["loot"][1]["ability"][0]["item"] = "sceptre"
    assert refusal(cards) == blocks("text")[0].splitlines()[0]


def test_the_second_example_of_a_mistake_is_what_is_said(refusal):
    cards = default_dict()
    cards["lairs"]["leader_boneyard"] = "spires"
    assert refusal(cards) == blocks("text")[0].splitlines()[1]


def test_the_third_example_of_a_mistake_is_what_is_said(refusal):
    cards = default_dict()
    del cards["loot"][4:]
    assert refusal(cards) == blocks("text")[0].splitlines()[2]

"""What all tests share: the options of the markers, and card sets with a few cards changed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.card_sets import CardDict, default_dict, write_set
from tests.support.interrupts import hear_signals

# The one key of each word of an effect that takes one (R7).
WORD_KEYS = {
    "place_marker": "where",
    "play_minion": "where",
    "discard_rival": "where",
    "gain_item": "item",
    "gain_minion": "minion",
}


def pytest_configure() -> None:
    """The tests send themselves these signals. What a script starts in its background is deaf to
    Ctrl-C, and under `nohup` to SIGHUP; what the tests start would be deaf too.
    """
    hear_signals()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rule", metavar="CLAUSE", help="only the tests of one clause, such as R9.3")
    parser.addoption("--pitfall", metavar="ID", help="only the tests of one pitfall, such as S09")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`pytest --rule R9.3` runs the tests marked `rule("R9.3")`, `--pitfall` likewise."""
    for mark in ("rule", "pitfall"):
        wanted = config.getoption(f"--{mark}")
        if wanted is not None:
            others = [item for item in items if wanted not in _cited(item, mark)]
            config.hook.pytest_deselected(items=others)
            items[:] = [item for item in items if item not in others]


def _cited(item: pytest.Item, mark: str) -> set[str]:
    return {cited for marker in item.iter_markers(mark) for cited in marker.args}


def effect(*words: str) -> list[CardDict]:
    """An effect as RULES.md writes it: `effect("gain_item trinket", "gain_support")`."""
    return [_word(*word.split()) for word in words]


def _word(op: str, value: str | None = None) -> CardDict:
    return {"op": op} if value is None else {"op": op, WORD_KEYS[op]: value}


@pytest.fixture
def changed_cards(tmp_path: Path) -> Callable[..., Path]:
    """Writes the default card set with some cards changed and gives the path of the file.

    `abilities` of loot cards, `effects` of items and `schemes` are tuples of words such as
    `"gain_item trinket"`; `schemes`, `symbols` and `spaces` are those of a district's basic side.
    """

    def write(
        *,
        abilities: dict[str, tuple[str, ...]] | None = None,
        effects: dict[str, tuple[str, ...]] | None = None,
        schemes: dict[str, tuple[str, ...]] | None = None,
        symbols: dict[str, list[str]] | None = None,
        spaces: dict[str, list[str]] | None = None,
    ) -> Path:
        data: dict[str, Any] = {**default_dict(), "id": "changed_cards"}
        for loot, words in (abilities or {}).items():
            _card(data["loot"], loot)["ability"] = effect(*words)
        for item, words in (effects or {}).items():
            _card(data["item"], item)["effect"] = effect(*words)
        for district, words in (schemes or {}).items():
            _card(data["district"], district)["basic"]["scheme"] = effect(*words)
        for district, kinds in (symbols or {}).items():
            _card(data["district"], district)["basic"]["symbols"] = kinds
        for district, rows in (spaces or {}).items():
            _card(data["district"], district)["basic"]["spaces"] = rows
        return write_set(tmp_path / "changed_cards.toml", data)

    return write


def _card(cards: list[CardDict], name: str) -> CardDict:
    return next(card for card in cards if card["id"] == name)

"""TOML tables that know where they stand, so that every mistake is named by file, card and key."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from hemlock_env import _files
from hemlock_env._check import nearest
from hemlock_env.cards.card_set import CardSetError

SOURCES = ("text", "reconstructed")
ID = re.compile("[a-z][a-z0-9_]*")
ID_RULE = "allowed: lower-case letters, digits and underscores, a letter first"


def parse_toml(toml: str, file: str) -> dict[str, object]:
    """Plain TOML; its own errors name line and column."""
    try:
        return _files.parse_toml(toml, file)
    except ValueError as error:
        raise CardSetError(str(error)) from None


@dataclass(frozen=True)
class TomlTable:
    """A table of the file, with its place for messages."""

    place: str  # `mine.toml: loot[3] crypt_lantern`
    prefix: str  # of its keys: `ability[0].` for a table within a card
    entries: dict[str, object]

    def wrong(self, key: str, complaint: str) -> CardSetError:
        """The error that names file, card and key."""
        return CardSetError(f"{self.place}: {self.prefix}{key[:80]}: {complaint}")

    def check_keys(self, allowed: Sequence[str]) -> None:
        """Refuses a key that means nothing here."""
        for key in self.entries:
            if key not in allowed:
                raise self.wrong(key, f"is an unknown key; {choices(key, allowed)}")

    def value(self, key: str) -> object:
        """What stands under a key that has to be there."""
        if key not in self.entries:
            near = nearest(key, self.entries)
            raise self.wrong(key, f'is missing; is "{near}" meant?' if near else "is missing")
        return self.entries[key]

    def string(self, key: str) -> str:
        """A text."""
        value = self.value(key)
        if not isinstance(value, str):
            raise self.wrong(key, f"must be a text in quotes, not {shown(value)}")
        return value

    def whole(self, key: str, low: int, high: int) -> int:
        """A whole number within limits; true and false are none."""
        value = self.value(key)
        if type(value) is not int or not low <= value <= high:
            raise self.wrong(key, f"must be a whole number, {low} to {high}, not {shown(value)}")
        return value

    def id(self, key: str) -> str:
        """A name for actions and records."""
        value = self.value(key)
        if not isinstance(value, str) or not ID.fullmatch(value):
            raise self.wrong(key, f"{shown(value)} is no id; {ID_RULE}")
        return value

    def one_of(self, key: str, allowed: Sequence[str], what: str) -> int:
        """The number of a name among those allowed."""
        value = self.value(key)
        if not isinstance(value, str) or value not in allowed:
            raise self.wrong(key, f"{shown(value)} is no {what}; {choices(value, allowed)}")
        return allowed.index(value)

    def printed(self) -> dict[str, str]:
        """The card's text as printed, and where it comes from, as far as the file says so."""
        printed = {"text": self.string("text")} if "text" in self.entries else {}
        if "source" in self.entries:
            printed["source"] = SOURCES[self.one_of("source", SOURCES, "source")]
        return printed

    def table(self, key: str) -> "TomlTable":
        """The table under a key."""
        return TomlTable(self.place, f"{self.prefix}{key}.", self.table_entries(key))

    def section(self, key: str) -> "TomlTable":
        """A table of the file itself, as [copies]."""
        return TomlTable(f"{self.place}: [{key}]", "", self.table_entries(key))

    def table_entries(self, key: str) -> dict[str, object]:
        """What the table under a key holds."""
        value = self.value(key)
        if not isinstance(value, dict):
            raise self.wrong(key, f"must be a table, not {shown(value)}")
        return value

    def listed(self, key: str, low: int, high: int) -> "TomlTable":
        """The list under a key, as a table with the keys `key[0]`, `key[1]`, ..."""
        value = self.value(key)
        if not isinstance(value, list):
            raise self.wrong(key, f"must be a list, not {shown(value)}")
        if not low <= len(value) <= high:
            limits = f"{low} to {high}" if low < high else f"{low}"
            raise self.wrong(key, f"must have {limits} entries, not {len(value)}")
        numbered = {f"{key}[{number}]": entry for number, entry in enumerate(value)}
        return TomlTable(self.place, self.prefix, numbered)

    def cards(
        self, key: str, fewest: int, most: int, card_keys: Sequence[str]
    ) -> list["TomlTable"]:
        """The cards [[key]], each with these keys alone; no two have the same id."""
        if fewest == 0 and key not in self.entries:
            return []
        listed = self.listed(key, fewest, most)
        cards = [listed.card(entry) for entry in listed.entries]
        for card in cards:
            card.check_keys(card_keys)
        check_different(cards)
        return cards

    def card(self, key: str) -> "TomlTable":
        """The card under a key; messages give its number and, if it has one, its id."""
        entries = self.table_entries(key)
        return TomlTable(
            f"{self.place}: {key} {str(entries.get('id', ''))[:80]}".rstrip(), "", entries
        )


def check_different(cards: list[TomlTable]) -> None:
    """Refuses an id that a card before it has."""
    seen: set[str] = set()
    for card in cards:
        name = card.id("id")
        if name in seen:
            raise card.wrong("id", f"an earlier card is called {shown(name)} too; ids must differ")
        seen.add(name)


def choices(word: object, allowed: Sequence[str]) -> str:
    """What a word may have been meant for, and all that may stand there."""
    near = nearest(str(word), allowed)
    guess = f'did you mean "{near}"? ' if near else ""
    return f"{guess}allowed: {', '.join(allowed)[:1000]}"


def shown(value: object) -> str:
    """A value as the file has it, in short."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) < 200 else f"{text[:200]}…"

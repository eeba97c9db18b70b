"""Actions and events of a game in words for people; `forced` alone tells more than all know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hemlock_env.cards.card_set import CardSet
from hemlock_env.cards.wording import name_words, with_article
from hemlock_env.engine.constants import WEEK_NIGHTS


def action_words(cards: CardSet, name: str, seat: int, seats: int) -> str:
    """What `seat` does by an action, from the action's name: "take a ghoul"."""
    kind, _, rest = name.partition(":")
    if kind == "seat":
        return f"pick seat {(seat + int(rest)) % seats}"
    if kind == "space":
        district, _, cell = rest.partition(":")
        row, column = (int(number) + 1 for number in cell.split(","))
        return f"marker in {name_words(district)}, row {row}, column {column}"
    first, _, second = rest.partition(":")
    if kind == "play":
        return f"place {with_article(first)} in {name_words(second)}"
    if kind == "own":
        return f"pick the own {name_words(second)} in {name_words(first)}"
    if kind == "rival":
        return f"discard the rival's {name_words(second)} in {name_words(first)}"
    return {
        "loot": f"use {name_words(rest)}",
        "item": f"use {with_article(rest)}",
        "district": f"to {name_words(rest)}",
        "take": f"take {with_article(rest)}",
        "discard": f"discard {with_article(rest)} from hand",
    }[kind]


def event_words(cards: CardSet, event: Mapping[str, Any], seats: int, night: int) -> str:
    """An event of a record (docs/formats.md); `night` counts the reveals before it.

    That a choice was `forced` tells of the seat's hand: leave the key out for who may not know it.
    """
    if "setup" in event:
        return f"The table is set. Seat {event['setup']['first_player']} has supremacy."
    if "night" in event:
        week, place = divmod(night, WEEK_NIGHTS)
        card = next(card for card in cards.nights if card.id == event["night"])
        shown = f"{name_words(cards.districts[card.district].id)} ({card.value})"
        loot = "loot is dealt to the hands"
        if "loot" in event:
            loot = f"loot: {listing(event['loot'])}"
        return f"Week {week + 1}, night {place + 1}: {shown}; {loot}."
    said = action_words(cards, event["action"], event["seat"], seats)
    forced = " (the only choice)" if event.get("forced") else ""
    return f"Seat {event['seat']}: {said}{forced}"


def listing(names: Iterable[str]) -> str:
    """Ids as words, with commas."""
    return ", ".join(map(name_words, names))

"""Actions and events of a game in words for people; `forced` alone tells more than all know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hemlock_env.cards.card_set import CardSet
from hemlock_env.cards.wording import name_words, with_article
from hemlock_env.engine.constants import WEEK_NIGHTS


def action_words(name: str, seat: int, seats: int) -> str:
    """What `seat` does by an action, from the action's name: "take a ghoul"."""
    kind, _, rest = name.partition(":")
    if kind == "seat":
        return f"pick seat {(seat + int(rest)) % seats}"
    first, _, second = rest.partition(":")
    if kind == "space":
        row, column = (int(number) + 1 for number in second.split(","))
        return f"marker in {name_words(first)}, row {row}, column {column}"
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


def event_words(cards: CardSet, events: Iterable[Mapping[str, Any]], seats: int) -> Iterator[str]:
    """The events of a record (docs/formats.md), from its first on, a line for each.

    That a choice was `forced` tells of the seat's hand: leave the key out for who may not know it.
    """
    nights = 0
    for event in events:
        if "setup" in event:
            yield f"The table is set. Seat {event['setup']['first_player']} has supremacy."
        elif "night" in event:
            yield night_words(cards, event, nights)
            nights += 1
        else:
            action = action_words(event["action"], event["seat"], seats)
            forced = " (the only choice)" if event.get("forced") else ""
            yield f"Seat {event['seat']}: {action}{forced}"


def night_words(cards: CardSet, event: Mapping[str, Any], nights: int) -> str:
    """R4: the reveal that begins a night, after so many `nights`."""
    week, night = divmod(nights, WEEK_NIGHTS)
    card = next(card for card in cards.nights if card.id == event["night"])
    shown = f"{name_words(cards.districts[card.district].id)} ({card.value})"
    loot = "loot is dealt to the hands"
    if "loot" in event:
        loot = f"loot: {', '.join(map(name_words, event['loot']))}"
    return f"Week {week + 1}, night {night + 1}: {shown}; {loot}."


def is_choice(event: Mapping[str, Any]) -> bool:
    """Did a player choose, rather than the engine or chance?"""
    return "action" in event and not event.get("forced", False)

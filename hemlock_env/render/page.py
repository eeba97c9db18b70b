"""A page to replay a game: one HTML file that needs nothing else.

What is drawn is stored once: a table is a list of places, a place a part and its corner, a part a
list of elements. Most of them stay the same from one decision to the next and from one seat's view
to another's.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, TypeVar

from hemlock_env.cards import CardSet
from hemlock_env.game.game import Game
from hemlock_env.game.replay import replay
from hemlock_env.render.build import Probabilities, build_scene
from hemlock_env.render.draw import draw_scene
from hemlock_env.render.shapes import Group, Picture
from hemlock_env.render.svg import css_paint, css_variables, number, shape_svg
from hemlock_env.render.words import event_words, is_choice

T = TypeVar("T")

# What a policy thinks of a decision: the expected reward of the deciding seat, and probabilities.
Opinion = Callable[[Game], tuple[float, Probabilities]]


def replay_page(
    record: dict[str, Any],
    *,
    card_set: CardSet | str | os.PathLike[str] | None = None,
    opinion: Opinion | None = None,
) -> str:
    """A record as one HTML page.

    Args:
        record: `hemlock-record/1`, of a game that is over or not.
        card_set: a path where the record's id alone doesn't find the file.
        opinion: of a policy, for the curve of values and the probabilities of the legal actions.

    Raises:
        RecordError: the record can't be replayed.
    """
    film = Film()
    views: list[list[Any]] = [[] for _ in range(record["options"]["num_players"] + 1)]
    values: list[list[float]] = []
    for step, game in enumerate(replay(record, card_set=card_set)):
        likely = None
        if opinion is not None and not game.over:
            value, likely = opinion(game)
            values.append([step, game.seat or 0, round(value, 3)])
        for frames, seat in zip(views, (None, *range(game.num_players)), strict=True):
            frames.append(film.frame(draw_scene(build_scene(game, seat, likely))))
    return fill(
        "page.html",
        {
            "title": game.card_set.name,
            "seats": game.num_players,
            "agents": record.get("agents"),
            "moves": moves(record, game.card_set),
            "elements": list(film.elements),
            "parts": list(film.parts),
            "places": list(film.places),
            "views": views,
            "values": values if opinion is not None else None,
            "scores": record["scores"],
            "winners": record["winners"],
        },
    )


@dataclass
class Film:
    """Elements, parts and places, each once and known by its number."""

    elements: dict[str, int] = field(default_factory=dict)
    parts: dict[tuple[int, ...], int] = field(default_factory=dict)
    places: dict[tuple[int, str, str], int] = field(default_factory=dict)

    def frame(self, picture: Picture) -> list[Any]:
        """The height of a picture, then its places."""
        return [number(picture.height), *map(self.place, picture.groups)]

    def place(self, group: Group) -> int:
        """A part at its corner."""
        elements = (shape_svg(shape, css_paint) for shape in group.shapes)
        part = tuple(numbered(self.elements, element) for element in elements)
        corner = (number(group.x), number(group.y))
        return numbered(self.places, (numbered(self.parts, part), *corner))


def numbered(known: dict[T, int], thing: T) -> int:
    """The number of a thing, the next one if it is new."""
    return known.setdefault(thing, len(known))


def moves(record: dict[str, Any], cards: CardSet) -> list[dict[str, Any]]:
    """The events in words; `step` is the decision after which they have happened."""
    events = record["events"]
    lines = event_words(cards, events, record["options"]["num_players"])
    steps = itertools.accumulate(int(is_choice(event)) for event in events)
    return [
        {"step": step, "kind": kind_of(event), "words": words}
        for step, event, words in zip(steps, events, lines, strict=True)
    ]


def kind_of(event: dict[str, Any]) -> str:
    """How the page shows an event: as the choice of a seat, as forced, as a night or the setup."""
    if event.get("forced"):
        return "forced"
    return "night" if "night" in event else "seat" if "seat" in event else "setup"


def fill(page: str, data: dict[str, Any], package: str = __package__) -> str:
    """A page of `package` with what all pages share, the colours and its data in it."""
    # Within a script nothing may look like its end, whatever a card or an agent is called.
    written = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    parts = {
        "/*SHARED STYLE*/": _file("shared.css"),
        "/*SHARED SCRIPT*/": _file("shared.js"),
        "/*LIGHT*/": css_variables("light"),
        "/*DARK*/": css_variables("dark"),
        '"DATA"': written,
    }
    text = _file(page, package)
    for mark, part in parts.items():
        text = text.replace(mark, part)
    return text


def _file(name: str, package: str = __package__) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8").rstrip()

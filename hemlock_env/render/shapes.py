"""Shapes: what a picture is made of, and the colours; `svg` and `raster` draw them.

Colours are named by role. Those of the seats are of the palette of Okabe and Ito, which people who
are colour-blind can tell apart; a seat has a form and a number as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

LIGHT = {
    "page": "#f3f1eb",
    "panel": "#ffffff",
    "card": "#f7f5f0",
    "space": "#e9e6dd",
    "line": "#c3beb2",
    "ink": "#1c1c1a",
    "muted": "#5b5952",
    "back": "#636a79",
    "accent": "#d55e00",
    "likely": "#f3c9a8",
    "seat0": "#0072b2",
    "seat1": "#e69f00",
    "seat2": "#009e73",
    "seat3": "#cc79a7",
    "on0": "#ffffff",
    "on1": "#000000",
    "on2": "#000000",
    "on3": "#000000",
}
DARK = {
    **LIGHT,
    "page": "#141518",
    "panel": "#212328",
    "card": "#2b2e35",
    "space": "#363a43",
    "line": "#4d525d",
    "ink": "#eeedea",
    "muted": "#b0b2b8",
    "back": "#8b92a2",
    "accent": "#ff8a3d",
    "likely": "#6b4324",
}
assert set(DARK) == set(LIGHT)
THEMES = {"light": LIGHT, "dark": DARK}


@dataclass(frozen=True)
class Box:
    """A rectangle; `action` is the legal action that it stands for."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    line: str = ""
    thick: float = 1.0
    radius: float = 0.0
    action: int | None = None


@dataclass(frozen=True)
class Disc:
    """A filled circle."""

    x: float
    y: float
    radius: float
    fill: str


@dataclass(frozen=True)
class Polygon:
    """A filled polygon."""

    points: tuple[tuple[float, float], ...]
    fill: str


@dataclass(frozen=True)
class Label:
    """A line of text; `y` is its base line, `anchor` which part of it stands at `x`."""

    x: float
    y: float
    text: str
    size: float
    fill: str = "ink"
    bold: bool = False
    anchor: str = "start"  # or middle, end


Shape = Box | Disc | Polygon | Label


@dataclass(frozen=True)
class Group:
    """A part of the table, with shapes about its own corner."""

    name: str
    x: float
    y: float
    width: float
    height: float
    shapes: tuple[Shape, ...]


@dataclass(frozen=True)
class Picture:
    """A whole table."""

    width: float
    height: float
    groups: tuple[Group, ...]


# ---- how wide a text is ----

NARROW, WIDE = frozenset("fijlrtI.,:;'|!()[]/ "), frozenset("mwMW%@")
# In parts of the font size, a little more than Arial has, so that a wider font fits too.
WIDTHS = {"narrow": 0.32, "wide": 0.9, "capital": 0.75, "other": 0.6}
BOLD = 1.07
SMALLEST = 0.75  # a text that doesn't fit is written smaller, but not less than this; then cut


@lru_cache(maxsize=8192)
def text_width(text: str, size: float, bold: bool = False) -> float:
    """How wide a text is at most, in any common font without serifs."""
    parts = sum(WIDTHS[_breadth(letter)] for letter in text)
    return parts * size * (BOLD if bold else 1.0)


def _breadth(letter: str) -> str:
    if letter in NARROW:
        return "narrow"
    if letter in WIDE:
        return "wide"
    return "other" if letter.islower() or letter.isdigit() else "capital"


def wrapped(text: str, size: float, width: float, bold: bool = False) -> list[str]:
    """A text in lines of at most `width`; a word alone may be longer."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size, bold) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def fitted(text: str, size: float, width: float, bold: bool = False) -> tuple[str, float]:
    """A text and the size at which it fits; cut with an ellipsis if it would be too small."""
    needed = text_width(text, size, bold)
    if needed <= width:
        return text, size
    if needed * SMALLEST <= width:
        return text, size * width / needed
    size *= SMALLEST
    while len(text) > 1 and text_width(f"{text}…", size, bold) > width:
        text = text[:-1]
    return f"{text.rstrip()}…", size


# ---- what is drawn again and again ----


def token(x: float, y: float, radius: float, seat: int) -> list[Shape]:
    """The sign of a seat about (x, y): its form, its colour, its number."""
    fill, ink = f"seat{seat}", f"on{seat}"
    size = radius * 1.25
    number = Label(x, y + size * 0.36, str(seat), size, ink, True, "middle")
    if seat == 0:
        return [Disc(x, y, radius, fill), number]
    if seat == 1:
        half = radius * 0.9
        return [Box(x - half, y - half, 2 * half, 2 * half, fill), number]
    corners, turn = (4, 0.0) if seat == 2 else (6, math.pi / 6)
    reach = radius * (1.18 if seat == 2 else 1.06)
    return [Polygon(_regular(x, y, reach, corners, turn), fill), number]


def _regular(
    x: float, y: float, reach: float, corners: int, turn: float
) -> tuple[tuple[float, float], ...]:
    angles = (turn + 2 * math.pi * corner / corners for corner in range(corners))
    return tuple((x + reach * math.cos(angle), y + reach * math.sin(angle)) for angle in angles)


def crown(x: float, y: float, size: float) -> Polygon:
    """The supremacy card, with its lower left corner at (x, y)."""
    points = ((0, 0), (0, 0.75), (0.27, 0.4), (0.5, 0.9), (0.73, 0.4), (1, 0.75), (1, 0))
    return Polygon(tuple((x + size * a, y - size * b) for a, b in points), "accent")


def back(x: float, y: float, width: float, height: float) -> list[Shape]:
    """A card face down."""
    middle, centre, reach = x + width / 2, y + height / 2, min(width, height) * 0.28
    return [
        Box(x, y, width, height, "back", "line", radius=3),
        Polygon(_regular(middle, centre, reach, 4, 0.0), "card"),
    ]

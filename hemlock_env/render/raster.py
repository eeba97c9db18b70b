"""A scene as pixels, drawn by Pillow (the extra `render`), which brings its own font."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env.render.build import Probabilities, build_scene
from hemlock_env.render.draw import draw_scene
from hemlock_env.render.shapes import Box, Disc, Label, Picture, Polygon
from hemlock_env.render.sight import Shown
from hemlock_env.render.svg import check_theme

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

# Height and width by the number of players: the same for every position, as a video wants it.
SIZES = {2: (860, 1200), 3: (1000, 1200), 4: (1000, 1200)}
FINER = 2  # drawn larger and made smaller, for smooth edges
ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def to_array(
    game: Shown,
    seat: int | None = None,
    *,
    theme: str = "light",
    probabilities: Probabilities | None = None,
    size: tuple[int, int] | None = None,
) -> NDArray[np.uint8]:
    """The table as `seat` knows it (R13) as pixels, uint8 (height, width, 3).

    Args:
        game: at any decision, or over.
        seat: whose view; None shows everything.
        theme: "light" or "dark".
        probabilities: of actions by index, from a policy.
        size: height and width; None takes `SIZES`. A table that is higher is drawn smaller.

    Raises:
        ValueError: there is no such seat, theme or size, or a legal action has no probability.
        ImportError: Pillow isn't there; the message names the extra.
    """
    colours = check_theme(theme)
    height, width = check_size(SIZES[game.arrays.spec.num_players] if size is None else size)
    picture = draw_scene(build_scene(game, seat, probabilities))
    return _painted(picture, colours, height, width)


def check_size(size: Any) -> tuple[int, int]:
    """Two whole numbers that make a picture."""
    try:
        height, width = (int(number) for number in size)
    except (TypeError, ValueError):
        height = width = 0
    if not (50 <= height <= 10_000 and 50 <= width <= 10_000):
        raise ValueError(f"size={size!r}: must be height and width, each from 50 to 10000")
    return height, width


def _pillow() -> tuple[Any, Any, Any]:
    """Pillow's parts, or one sentence that says how to get them."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise ImportError(
            "pictures in pixels need Pillow: pip install 'hemlock-env[render]'"
        ) from None
    return Image, ImageDraw, ImageFont


def _painted(picture: Picture, colours: Any, height: int, width: int) -> NDArray[np.uint8]:
    """Into the middle of a picture of the given size."""
    image_module, draw_module, _ = _pillow()
    scale = FINER * min(width / picture.width, height / picture.height)
    image = image_module.new("RGB", (FINER * width, FINER * height), colours["page"])
    left = (FINER * width - picture.width * scale) / 2
    pencil = Pencil(draw_module.Draw(image), colours, scale)
    for group in picture.groups:
        pencil.x, pencil.y = left + group.x * scale, group.y * scale
        for shape in group.shapes:
            pencil.draw(shape)
    return np.array(image.reduce(FINER))


class Pencil:
    """Draws shapes at a scale, about (x, y)."""

    def __init__(self, image: ImageDraw, colours: Any, scale: float) -> None:
        self.image, self.colours, self.scale = image, colours, scale
        self.x = self.y = 0.0

    def at(self, x: float, y: float) -> tuple[float, float]:
        """A point of the group in pixels."""
        return self.x + x * self.scale, self.y + y * self.scale

    def draw(self, shape: Any) -> None:
        """One shape."""
        match shape:
            case Box():
                self.box(shape)
            case Disc():
                self.image.circle(
                    self.at(shape.x, shape.y), shape.radius * self.scale, self.colours[shape.fill]
                )
            case Polygon():
                points = [self.at(x, y) for x, y in shape.points]
                self.image.polygon(points, self.colours[shape.fill])
            case Label():
                self.label(shape)

    def box(self, box: Box) -> None:
        """A rectangle with round corners."""
        corners = [self.at(box.x, box.y), self.at(box.x + box.width, box.y + box.height)]
        if corners[1][0] - corners[0][0] < 1:
            return
        radius = min(box.radius, box.width / 2) * self.scale
        line = self.colours[box.line] if box.line else None
        thick = max(1, round(box.thick * self.scale)) if box.line else 0
        self.image.rounded_rectangle(corners, radius, self.colours[box.fill], line, thick)

    def label(self, label: Label) -> None:
        """A text; bold by drawing it twice, as the font has one weight."""
        font = font_of(round(label.size * self.scale, 1))
        x, y = self.at(label.x, label.y)
        for aside in (0.0, 0.045 * label.size * self.scale) if label.bold else (0.0,):
            self.image.text(
                (x + aside, y), label.text, self.colours[label.fill], font, ANCHORS[label.anchor]
            )


@lru_cache(maxsize=64)
def font_of(size: float) -> Any:
    """The font that Pillow brings, so that every machine draws the same."""
    return _pillow()[2].load_default(size)

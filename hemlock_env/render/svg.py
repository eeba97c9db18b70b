"""A picture as SVG."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape

from hemlock_env.game.game import Game
from hemlock_env.render.build import Layout, Probabilities, layout_of
from hemlock_env.render.draw import picture_of
from hemlock_env.render.shapes import LIGHT, THEMES, Box, Disc, Label, Picture, Polygon, Shape

FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
Paint = Callable[[str], str]


def to_svg(
    game: Game,
    seat: int | None = None,
    *,
    theme: str = "light",
    probabilities: Probabilities | None = None,
) -> str:
    """The table as `seat` knows it (R13) as an SVG document; None shows everything.

    Args:
        game: at any decision, or over.
        seat: whose view.
        theme: "light" or "dark".
        probabilities: of actions by index, from a policy; drawn behind the legal ones.

    Raises:
        ValueError: there is no such seat or theme, or a legal action has no probability.
    """
    colours = check_theme(theme)
    layout = layout_of(game, seat, probabilities)
    return svg_of(picture_of(layout), colours.__getitem__, alt_text(layout))


def check_theme(theme: str) -> Mapping[str, str]:
    """The colours of a theme; ValueError says which there are."""
    if not isinstance(theme, str) or theme not in THEMES:
        raise ValueError(f"theme={theme!r}: must be one of {', '.join(THEMES)}")
    return THEMES[theme]


def alt_text(layout: Layout) -> str:
    """For whoever can't see the picture."""
    if layout.over:
        return f"{layout.title}. {layout.course} {layout.result}"
    return f"{layout.title}. {layout.course} Seat {layout.decider} decides: {layout.question}."


def svg_of(picture: Picture, paint: Paint, alt: str) -> str:
    """A picture as a document; `paint` gives the colour of a role."""
    groups = "".join(
        f'<g id="{group.name}" transform="translate({number(group.x)} {number(group.y)})">'
        f"{''.join(shape_svg(shape, paint) for shape in group.shapes)}</g>"
        for group in picture.groups
    )
    wide, high = number(picture.width), number(picture.height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" '
        f'height="{high}" style="max-width:100%;height:auto" font-family="{FONT}" role="img" '
        f'aria-label="{escape(alt)}"><rect width="{wide}" height="{high}" '
        f'fill="{paint("page")}"/>{groups}</svg>'
    )


def css_paint(role: str) -> str:
    """Colours from the variables of a page."""
    return f"var(--{role})"


def css_variables(theme: str) -> str:
    """The variables that `css_paint` speaks of."""
    return "".join(f"--{role}:{colour};" for role, colour in THEMES[theme].items())


assert all(set(colours) == set(LIGHT) for colours in THEMES.values())


def number(value: float) -> str:
    """A coordinate, to a tenth."""
    return f"{value:.1f}".removesuffix(".0")


def shape_svg(shape: Shape, paint: Paint) -> str:
    """One shape as an element."""
    match shape:
        case Box():
            return box_svg(shape, paint)
        case Disc():
            at = f'cx="{number(shape.x)}" cy="{number(shape.y)}" r="{number(shape.radius)}"'
            return f"<circle {at}{_colours(shape.fill, shape.line, 1, paint)}/>"
        case Polygon():
            points = " ".join(f"{number(x)},{number(y)}" for x, y in shape.points)
            return f'<polygon points="{points}"{_colours(shape.fill, shape.line, 1, paint)}/>'
        case Label():
            anchor = "" if shape.anchor == "start" else f' text-anchor="{shape.anchor}"'
            bold = ' font-weight="bold"' if shape.bold else ""
            return (
                f'<text x="{number(shape.x)}" y="{number(shape.y)}" '
                f'font-size="{number(shape.size)}" fill="{paint(shape.fill)}"{bold}{anchor}>'
                f"{escape(shape.text, quote=False)}</text>"
            )


def box_svg(box: Box, paint: Paint) -> str:
    """A rectangle; `data-action` names the action that it stands for."""
    radius = f' rx="{number(box.radius)}"' if box.radius else ""
    action = "" if box.action is None else f' data-action="{box.action}"'
    return (
        f'<rect x="{number(box.x)}" y="{number(box.y)}" width="{number(box.width)}" '
        f'height="{number(box.height)}"{radius}'
        f"{_colours(box.fill, box.line, box.thick, paint)}{action}/>"
    )


def _colours(fill: str, line: str, thick: float, paint: Paint) -> str:
    stroke = f' stroke="{paint(line)}" stroke-width="{number(thick)}"' if line else ""
    return f' fill="{paint(fill)}"{stroke}'

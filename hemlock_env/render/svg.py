"""A scene as SVG."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape

from hemlock_env._check import one_of
from hemlock_env.render.build import Probabilities, build_scene
from hemlock_env.render.draw import draw_scene
from hemlock_env.render.scene import Scene
from hemlock_env.render.shapes import THEMES, Box, Disc, Label, Polygon, Shape
from hemlock_env.render.sight import Shown

FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
Paint = Callable[[str], str]


def to_svg(
    game: Shown,
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
    return scene_svg(build_scene(game, seat, probabilities), colours.__getitem__)


def check_theme(theme: str) -> Mapping[str, str]:
    """The colours of a theme; ValueError says which there are."""
    return THEMES[one_of(theme, THEMES, "theme")]


def scene_svg(scene: Scene, paint: Paint, *, choices: bool = True) -> str:
    """A scene as a document; `paint` gives the colour of a role, `choices` lists legal actions."""
    picture = draw_scene(scene, choices=choices)
    groups = "".join(
        f'<g id="{group.name}" transform="translate({number(group.x)} {number(group.y)})">'
        f"{''.join(shape_svg(shape, paint) for shape in group.shapes)}</g>"
        for group in picture.groups
    )
    width, height = number(picture.width), number(picture.height)
    alt = escape(f"{scene.title}. {scene.summary}")  # for whoever can't see the picture
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" style="max-width:100%;height:auto" font-family="{FONT}" role="img" '
        f'aria-label="{alt}"><rect width="{width}" height="{height}" fill="{paint("page")}"/>'
        f"{groups}</svg>"
    )


def css_paint(role: str) -> str:
    """Colours from the variables of a page."""
    return f"var(--{role})"


def css_variables(theme: str) -> str:
    """The variables that `css_paint` speaks of."""
    return "".join(f"--{role}:{colour};" for role, colour in THEMES[theme].items())


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
            return f'<circle {at} fill="{paint(shape.fill)}"/>'
        case Polygon():
            points = " ".join(f"{number(x)},{number(y)}" for x, y in shape.points)
            return f'<polygon points="{points}" fill="{paint(shape.fill)}"/>'
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
    stroke = f' stroke="{paint(box.line)}" stroke-width="{number(box.thick)}"' if box.line else ""
    return (
        f'<rect x="{number(box.x)}" y="{number(box.y)}" width="{number(box.width)}" '
        f'height="{number(box.height)}"{radius} fill="{paint(box.fill)}"{stroke}{action}/>'
    )

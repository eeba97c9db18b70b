"""A scene as shapes: where each part of the table stands, and how large."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from hemlock_env.cards.vocabulary import GRID
from hemlock_env.engine.constants import MARKERS
from hemlock_env.render.scene import (
    EMPTY_SPACE,
    NO_SPACE,
    Choice,
    DistrictCard,
    LootCard,
    Pile,
    Player,
    Scene,
    SideOfDistrict,
    listed,
)
from hemlock_env.render.shapes import (
    Box,
    Disc,
    Group,
    Label,
    Picture,
    Shape,
    back,
    crown,
    fitted,
    text_width,
    token,
    wrapped,
)

WIDTH = 1200.0
MARGIN, GAP, PAD = 14.0, 10.0, 10.0
CELL, CELL_GAP = 33.0, 4.0
CHIP, CHIP_GAP = 20.0, 5.0
LOOT_COLUMNS, CHOICE_COLUMNS = 5, 4
BACK_WIDTH = 14.0
LEGEND = "crown: supremacy; a bold total would claim its district now"
LINE = 1.35  # of the font size, from one line to the next


class Pen:
    """Writes shapes from top to bottom within a width."""

    def __init__(self, x: float, y: float, width: float) -> None:
        self.left, self.x, self.y, self.width = x, x, y, width
        self.shapes: list[Shape] = []

    def text(self, text: str, size: float, fill: str = "ink", bold: bool = False) -> None:
        """Lines of text, wrapped."""
        for line in wrapped(text, size, self.width, bold):
            self.y += size * LINE
            shown, fitting = fitted(line, size, self.width, bold)
            self.shapes.append(Label(self.left, self.y - size * 0.3, shown, fitting, fill, bold))

    def at_right(
        self, y: float, text: str, size: float, fill: str = "muted", bold: bool = False
    ) -> None:
        """A text that ends at the right edge."""
        self.shapes.append(Label(self.left + self.width, y, text, size, fill, bold, "end"))

    def row(self, width: float) -> float:
        """Room for something of a width in the running row of chips; the x where it stands."""
        if self.x > self.left and self.x + width > self.left + self.width:
            self.new_row()
        x = self.x
        self.x += width + CHIP_GAP
        return x

    def new_row(self) -> None:
        """The next row of chips."""
        self.x = self.left
        self.y += CHIP + CHIP_GAP

    def end_row(self) -> None:
        """Below the running row, if there is one."""
        if self.x > self.left:
            self.new_row()

    def word(self, text: str, size: float = 12, fill: str = "muted", bold: bool = False) -> None:
        """A word within a row of chips."""
        x = self.row(text_width(text, size, bold))
        self.shapes.append(Label(x, self.y + CHIP * 0.7, text, size, fill, bold))

    def chip(self, text: str, value: int = 0, fill: str = "card", ink: str = "ink") -> None:
        """A small card: a word and, where it matters, what it counts."""
        size, badge = 12.0, 18.0 if value else 0.0
        text, size = fitted(text, size, self.width - 14 - badge)
        width = text_width(text, size) + 12 + badge
        x = self.row(width)
        self.shapes.append(Box(x, self.y, width, CHIP, fill, "line", radius=4))
        self.shapes.append(Label(x + 6, self.y + CHIP * 0.7, text, size, ink))
        if value:
            middle = x + width - 11
            self.shapes.append(Disc(middle, self.y + CHIP / 2, 7.5, "space"))
            label = Label(middle, self.y + CHIP * 0.7, str(value), 11, "ink", True, "middle")
            self.shapes.append(label)

    def backs(self, count: int) -> None:
        """Cards face down."""
        for _ in range(count):
            self.shapes += back(self.row(BACK_WIDTH), self.y, BACK_WIDTH, CHIP)

    def chips(self, piles: Iterable[Pile], fill: str = "card", ink: str = "ink") -> None:
        """A chip for each pile."""
        for pile in piles:
            self.chip(pile.words, pile.value, fill, ink)


class Part(NamedTuple):
    """A part of the table: what draws it within a width, and the frame around it."""

    name: str
    draw: Callable[[float], Pen]
    framed: bool = False
    strong: bool = False  # the line of the frame: here someone decides
    action: int | None = None


def draw_scene(scene: Scene, *, choices: bool = True) -> Picture:
    """The shapes of a scene; without `choices` the legal actions aren't listed at its end."""
    groups: list[Group] = []
    y = MARGIN
    for row in rows_of(scene, choices):
        width = (WIDTH - 2 * MARGIN - GAP * (len(row) - 1)) / len(row)
        pens = [part.draw(width) for part in row]
        height = max(pen.y for pen in pens) + (PAD if row[0].framed else 0)
        for column, (part, pen) in enumerate(zip(row, pens, strict=True)):
            shapes = pen.shapes
            if part.framed:
                frame = panel(0, 0, width, height, "panel", 8, part.action, strong=part.strong)
                shapes = [frame, *shapes]
            x = MARGIN + column * (width + GAP)
            groups.append(Group(part.name, x, y, width, height, tuple(shapes)))
        y += height + GAP
    return Picture(WIDTH, y - GAP + MARGIN, tuple(groups))


def rows_of(scene: Scene, choices: bool) -> list[list[Part]]:
    """The parts of the table from top to bottom, those side by side together."""
    return [
        [Part("header", partial(header, scene))],
        [Part("nights", partial(nights, scene))],
        [
            Part(
                f"district{number}",
                partial(district, scene, card),
                framed=True,
                action=_action_of(scene, f"district:{card.id}"),
            )
            for number, card in enumerate(scene.districts)
        ],
        [
            Part(f"player{shown.seat}", partial(player, shown), framed=True, strong=shown.decides)
            for shown in scene.players
        ],
        [Part("loot", partial(loot, scene))],
        [Part("supply", partial(supply, scene))],
        [Part("decision", partial(decision, scene, choices), True, bool(scene.choices))],
    ]


def panel(
    x: float, y: float, width: float, height: float, fill: str, radius: float,
    action: int | None, *, strong: bool = False,
) -> Box:  # fmt: skip
    """A box with a strong line where it may be chosen, or is `strong` for another reason."""
    line, thick = ("accent", 2.0) if strong or action is not None else ("line", 1.0)
    return Box(x, y, width, height, fill, line, thick, radius, action)


def _action_of(scene: Scene, name: str) -> int | None:
    return next((choice.index for choice in scene.choices if choice.name == name), None)


# ---- The course of the game ----


def header(scene: Scene, width: float) -> Pen:
    """Title, where the game stands, for whom this is."""
    pen = Pen(0, 0, width)
    pen.text(scene.title, 19, bold=True)
    pen.text(scene.status, 14)
    pen.at_right(20, scene.seen, 13)
    pen.at_right(pen.y - 4, LEGEND, 11)
    return pen


def nights(scene: Scene, width: float) -> Pen:
    """R4.1: the night cards, open and to come."""
    pen = Pen(0, 0, width)
    if scene.nights:
        pen.word("Night cards", bold=True)
        pen.chips(scene.nights, "panel")
    if scene.to_come:
        pen.word("Still to come" + f" {scene.order}" * (len(scene.to_come) > 1))
        pen.chips(scene.to_come, "page")
    pen.end_row()
    pen.y = max(0.0, pen.y - CHIP_GAP)
    return pen


# ---- The board ----


def district(scene: Scene, card: DistrictCard, width: float) -> Pen:
    """R1.2: name, spaces, what the card says, everyone's side."""
    pen = Pen(PAD, PAD - 4, width - 2 * PAD)
    pen.text(card.name.capitalize(), 16, bold=True)
    pen.at_right(pen.y - 5, card.side, 12)
    top = pen.y + 4
    pen.shapes += spaces(scene, card, PAD, top)
    grid = GRID * (CELL + CELL_GAP)
    beside = Pen(PAD + grid + 8, top - 3, width - 2 * PAD - grid - 8)
    if card.lair:
        beside.text(f"Lair of the {card.lair}", 12, "muted")
        beside.y += 4
    beside.text(f"Scheme for {card.symbols}:", 12, "muted")
    beside.text(card.scheme, 12.5)
    pen.shapes += beside.shapes
    pen.y = max(top + grid, beside.y) + 6
    for side in card.sides:
        side_of(pen, side)
    pen.y -= CHIP_GAP
    return pen


def spaces(scene: Scene, card: DistrictCard, x: float, y: float) -> list[Shape]:
    """The grid of a district: spaces, markers, and which spaces may be chosen."""
    shapes: list[Shape] = []
    for cell, content in enumerate(card.spaces):
        if content == NO_SPACE:
            continue
        row, column = divmod(cell, GRID)
        left, top = x + column * (CELL + CELL_GAP), y + row * (CELL + CELL_GAP)
        action = _action_of(scene, f"space:{card.id}:{row},{column}")
        shapes.append(panel(left, top, CELL, CELL, "space", 4, action))
        if content != EMPTY_SPACE:
            shapes += token(left + CELL / 2, top + CELL / 2, CELL * 0.36, int(content))
    return shapes


def side_of(pen: Pen, side: SideOfDistrict) -> None:
    """A seat's minions: what they count together, and each."""
    label = 50.0
    pen.shapes += token(pen.left + 8, pen.y + CHIP / 2, 8, side.seat)
    fill = "accent" if side.claims else "ink"
    total = Label(pen.left + 21, pen.y + CHIP * 0.75, str(side.total), 15, fill, side.claims)
    pen.shapes.append(total)
    row = Pen(pen.left + label, pen.y, pen.width - label)
    row.chips(side.minions)
    pen.shapes += row.shapes
    pen.y = row.y + CHIP + CHIP_GAP


# ---- The players ----


def player(shown: Player, width: float) -> Pen:
    """What is known of a seat."""
    pen = Pen(PAD, 0, width - 2 * PAD)
    pen.shapes += token(PAD + 11, 21, 11, shown.seat)
    name = f"Seat {shown.seat}{' (you)' if shown.you else ''}"
    pen.shapes.append(Label(PAD + 28, 26, name, 15, "ink", True))
    if shown.supremacy:
        pen.shapes.append(crown(PAD + 34 + text_width(name, 15, True), 26, 14))
    secret = " + agenda" if shown.secret else ""
    pen.at_right(26, f"influence {shown.influence}{secret}", 14, "ink", True)
    pen.y = 38
    stock(pen, shown)
    hand(pen, shown)
    items(pen, shown)
    if shown.loot_cards is not None:
        pen.word("loot in hand" if shown.loot_cards else "no loot in hand")
        pen.backs(shown.loot_cards)
        pen.end_row()
    if shown.agenda:
        title, *conditions = shown.agenda
        pen.text(f"Agenda: {title}: {'; '.join(conditions)}", 12)
        pen.y += CHIP_GAP
    pen.y -= CHIP_GAP
    return pen


def stock(pen: Pen, shown: Player) -> None:
    """R1.6: markers in stock and support markers."""
    x = pen.row(MARKERS * 9)
    for marker in range(MARKERS):
        fill = f"seat{shown.seat}" if marker < shown.stock else "space"
        pen.shapes.append(Disc(x + 4 + 9 * marker, pen.y + CHIP / 2, 3.5, fill))
    pen.word(shown.markers)
    pen.end_row()


def hand(pen: Pen, shown: Player) -> None:
    """R13: minions that may be named, the others as backs."""
    pen.word(f"hand {shown.hand_size}")
    pen.chips(shown.hand)
    pen.backs(shown.unknown)
    pen.end_row()


def items(pen: Pen, shown: Player) -> None:
    """Items face up, and face down."""
    pen.word("items" if shown.items or shown.spent else "no items")
    pen.chips(shown.items)
    if shown.spent:
        pen.word("face down")
        pen.chips(shown.spent, "back", "page")
    pen.end_row()


# ---- Loot and supply ----


def loot(scene: Scene, width: float) -> Pen:
    """R4.2, R11.1: loot that can be used, and what was used this night."""
    pen = Pen(0, 0, width)
    groups = len(scene.loot)
    if not groups:
        return pen
    group_width = (width - GAP * (groups - 1)) / groups
    columns = LOOT_COLUMNS if groups == 1 else 1
    for number, group in enumerate(scene.loot):
        part = Pen(number * (group_width + GAP), 0, group_width)
        part.text(group.label, 12, "muted", True)
        loot_cards(part, group.cards, columns)
        pen.shapes += part.shapes
        pen.y = max(pen.y, part.y)
    if scene.used:
        pen.text(f"Used this night: {', '.join(scene.used)}", 12, "muted")
    return pen


def loot_cards(pen: Pen, cards: Sequence[LootCard], columns: int) -> None:
    """The cards of a group, in rows as high as their highest card."""
    width = (pen.width - GAP * (columns - 1)) / columns
    for start in range(0, len(cards), columns):
        pen.y += 4
        row = cards[start : start + columns]
        drawn = [loot_card(card, width) for card in row]
        height = max(card.y for card in drawn) + 6
        for column, (card, inside) in enumerate(zip(row, drawn, strict=True)):
            x = pen.left + column * (width + GAP)
            pen.shapes.append(panel(x, pen.y, width, height, "panel", 6, card.action))
            pen.shapes += [moved(shape, x, pen.y) for shape in inside.shapes]
        pen.y += height + 4


def loot_card(card: LootCard, width: float) -> Pen:
    """R1.4: name, minion, ability."""
    pen = Pen(8, 3, width - 16)
    pen.text(card.name, 13, bold=True)
    pen.text(card.words, 12)
    return pen


def moved(shape: Shape, x: float, y: float) -> Shape:
    """The same text elsewhere."""
    assert isinstance(shape, Label)
    return replace(shape, x=shape.x + x, y=shape.y + y)


def supply(scene: Scene, width: float) -> Pen:
    """R2.1, R6.5: supply, discards, and what the other hands hold together."""
    pen = Pen(0, 0, width)
    pen.text(f"Supply: {listed(scene.supply, 'no minions')}", 12)
    discard = f". Discarded this week: {listed(scene.discard)}" if scene.discard else ""
    pen.text(f"Items in the supply: {listed(scene.item_supply, 'none')}{discard}", 12)
    if scene.others is not None:
        pen.text(f"In all other hands together: {listed(scene.others, 'no minions')}", 12)
    return pen


# ---- The open question, or the result ----


def decision(scene: Scene, with_choices: bool, width: float) -> Pen:
    """What is under way, who decides what among which actions; or the result."""
    pen = Pen(PAD, 4, width - 2 * PAD)
    if scene.over:
        result(pen, scene)
        return pen
    for effect in scene.effects:
        pen.text(f"Under way: {effect}", 12, "muted")
    pen.text(scene.asked, 14, bold=True)
    if scene.choices and with_choices:
        pen.y += 4
        choice_boxes(pen, scene.choices)
    return pen


def result(pen: Pen, scene: Scene) -> None:
    """R10: where everyone's influence comes from."""
    pen.text(scene.result, 15, bold=True)
    for influence in scene.influence:
        pen.y += 4
        pen.shapes += token(pen.left + 9, pen.y + 10, 9, influence.seat)
        words = f"{influence.total} = {influence.sources}"
        pen.shapes.append(Label(pen.left + 26, pen.y + 15, words, 14))
        pen.y += CHIP


def choice_boxes(pen: Pen, choices: Sequence[Choice]) -> None:
    """The legal actions in columns, filled as far as a policy would take them."""
    width = (pen.width - GAP * (CHOICE_COLUMNS - 1)) / CHOICE_COLUMNS
    rows = -(-len(choices) // CHOICE_COLUMNS)
    for number, choice in enumerate(choices):
        column, row = divmod(number, rows)
        x, y = pen.left + column * (width + GAP), pen.y + row * (CHIP + 3)
        pen.shapes.append(Box(x, y, width, CHIP, "card", "line", 1.0, 4, choice.index))
        room = width - 12
        if choice.probability is not None:
            pen.shapes.append(Box(x, y, width * choice.probability, CHIP, "likely", radius=4))
            likely = f"{choice.probability:.0%}"
            right = x + width - 6
            pen.shapes.append(Label(right, y + CHIP * 0.7, likely, 12, "ink", True, "end"))
            room -= text_width(likely, 12, True) + 4
        text, size = fitted(choice.words, 12, room)
        pen.shapes.append(Label(x + 6, y + CHIP * 0.7, text, size))
    pen.y += rows * (CHIP + 3)

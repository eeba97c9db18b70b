"""A layout as shapes: where each part of the table stands, and how large."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from hemlock_env.cards.vocabulary import GRID
from hemlock_env.render.build import (
    EMPTY_SPACE,
    NO_SPACE,
    Choice,
    DistrictCard,
    Layout,
    LootCard,
    LootGroup,
    NightCard,
    Pile,
    Player,
    SideOfDistrict,
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
            said, fits = fitted(line, size, self.width, bold)
            self.shapes.append(Label(self.left, self.y - size * 0.3, said, fits, fill, bold))

    def row(self, wide: float) -> float:
        """Room for something `wide` in the running row of chips; the x where it stands."""
        if self.x > self.left and self.x + wide > self.left + self.width:
            self.new_row()
        x = self.x
        self.x += wide + CHIP_GAP
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
        wide = text_width(text, size) + 12 + badge
        x = self.row(wide)
        self.shapes.append(Box(x, self.y, wide, CHIP, fill, "line", radius=4))
        self.shapes.append(Label(x + 6, self.y + CHIP * 0.7, text, size, ink))
        if value:
            middle = x + wide - 11
            self.shapes.append(Disc(middle, self.y + CHIP / 2, 7.5, "space"))
            label = Label(middle, self.y + CHIP * 0.7, str(value), 11, "ink", True, "middle")
            self.shapes.append(label)

    def backs(self, count: int) -> None:
        """Cards face down."""
        for _ in range(count):
            self.shapes += back(self.row(BACK_WIDTH), self.y, BACK_WIDTH, CHIP)


def picture_of(layout: Layout, *, choices: bool = True) -> Picture:
    """The shapes of a layout; without `choices` the legal actions aren't listed at its end."""
    inner = WIDTH - 2 * MARGIN
    rows: list[list[tuple[str, Callable[[float], Pen], bool]]] = [
        [("header", lambda width: header(layout, width), False)],
        [("nights", lambda width: nights(layout, width), False)],
        [
            (f"district{place}", _district(layout, place), True)
            for place in range(len(layout.districts))
        ],
        [(f"player{each.seat}", _player(each), True) for each in layout.players],
        [("loot", lambda width: loot(layout, width), False)],
        [("supply", lambda width: supply(layout, width), False)],
        [("decision", lambda width: decision(layout, width, choices), True)],
    ]
    groups: list[Group] = []
    y = MARGIN
    for row in rows:
        width = (inner - GAP * (len(row) - 1)) / len(row)
        pens = [draw(width) for _, draw, _ in row]
        height = max(pen.y for pen in pens) + (PAD if row[0][2] else 0)
        for place, ((name, _, framed), pen) in enumerate(zip(row, pens, strict=True)):
            frame = [_frame(layout, name, width, height)] if framed else []
            x = MARGIN + place * (width + GAP)
            groups.append(Group(name, x, y, width, height, (*frame, *pen.shapes)))
        y += height + GAP
    return Picture(WIDTH, y - GAP + MARGIN, tuple(groups))


def _district(layout: Layout, place: int) -> Callable[[float], Pen]:
    return lambda width: district(layout, layout.districts[place], width)


def _player(each: Player) -> Callable[[float], Pen]:
    return lambda width: player(each, width)


def _frame(layout: Layout, name: str, width: float, height: float) -> Box:
    """The panel behind a part: with a strong line where someone decides or a district is asked."""
    decides = any(f"player{each.seat}" == name and each.decides for each in layout.players)
    action = None
    if name.startswith("district"):
        card = layout.districts[int(name.removeprefix("district"))]
        action = _action_of(layout, f"district:{card.id}")
    strong = decides or action is not None or (name == "decision" and bool(layout.choices))
    line, thick = ("accent", 2.0) if strong else ("line", 1.0)
    return Box(0, 0, width, height, "panel", line, thick, 8, action)


def _action_of(layout: Layout, name: str) -> int | None:
    return next((choice.index for choice in layout.choices if choice.name == name), None)


# ---- The course of the game ----


def header(layout: Layout, width: float) -> Pen:
    """Title, where the game stands, for whom this is."""
    pen = Pen(0, 0, width)
    pen.text(layout.title, 19, bold=True)
    pen.text(f"{layout.course} {layout.result or layout.supremacy}", 14)
    pen.shapes.append(Label(width, 20, layout.seen, 13, "muted", False, "end"))
    pen.shapes.append(Label(width, pen.y - 4, LEGEND, 11, "muted", False, "end"))
    return pen


def nights(layout: Layout, width: float) -> Pen:
    """R4.1: the night cards, open and to come."""
    pen = Pen(0, 0, width)
    if layout.nights:
        pen.word("Night cards", bold=True)
        _night_chips(pen, layout.nights, "panel")
    if layout.to_come:
        order = " in this order" if layout.in_order else " in any order"
        pen.word("Still to come" + order * (len(layout.to_come) > 1))
        _night_chips(pen, layout.to_come, "page")
    pen.end_row()
    pen.y = max(0.0, pen.y - CHIP_GAP)
    return pen


def _night_chips(pen: Pen, cards: Iterable[NightCard], fill: str) -> None:
    for card in cards:
        pen.chip(card.district, card.value, fill)


# ---- The board ----


def district(layout: Layout, card: DistrictCard, width: float) -> Pen:
    """R1.2: name, spaces, what the card says, everyone's side."""
    pen = Pen(PAD, PAD - 4, width - 2 * PAD)
    pen.text(card.name.capitalize(), 16, bold=True)
    pen.shapes.append(Label(width - PAD, pen.y - 5, card.side, 12, "muted", False, "end"))
    top = pen.y + 4
    pen.shapes += spaces(layout, card, PAD, top)
    grid = GRID * (CELL + CELL_GAP)
    beside = Pen(PAD + grid + 8, top - 3, width - 2 * PAD - grid - 8)
    if card.lair:
        beside.text(f"Lair of the {' and the '.join(card.lair)}", 12, "muted")
        beside.y += 4
    beside.text(f"Scheme for {', '.join(card.symbols) or 'servants alone'}:", 12, "muted")
    beside.text(", then ".join(card.scheme) or "nothing", 12.5)
    pen.shapes += beside.shapes
    pen.y = max(top + grid, beside.y) + 6
    for side in card.sides:
        side_of(pen, side, width)
    pen.y -= CHIP_GAP
    return pen


def spaces(layout: Layout, card: DistrictCard, x: float, y: float) -> list[Shape]:
    """The grid of a district: spaces, markers, and which spaces may be chosen."""
    shapes: list[Shape] = []
    for place, holds in enumerate(card.spaces):
        if holds == NO_SPACE:
            continue
        row, column = divmod(place, GRID)
        left, top = x + column * (CELL + CELL_GAP), y + row * (CELL + CELL_GAP)
        action = _action_of(layout, f"space:{card.id}:{row},{column}")
        line, thick = ("line", 1.0) if action is None else ("accent", 2.0)
        shapes.append(Box(left, top, CELL, CELL, "space", line, thick, 4, action))
        if holds != EMPTY_SPACE:
            shapes += token(left + CELL / 2, top + CELL / 2, CELL * 0.36, int(holds))
    return shapes


def side_of(pen: Pen, side: SideOfDistrict, width: float) -> None:
    """A seat's minions: what they count together, and each."""
    label = 50.0
    pen.shapes += token(pen.left + 8, pen.y + CHIP / 2, 8, side.seat)
    fill = "accent" if side.claims else "ink"
    total = Label(pen.left + 21, pen.y + CHIP * 0.75, str(side.total), 15, fill, side.claims)
    pen.shapes.append(total)
    row = Pen(pen.left + label, pen.y, pen.width - label)
    for pile in side.minions:
        row.chip(counted(pile), pile.value)
    pen.shapes += row.shapes
    pen.y = row.y + CHIP + CHIP_GAP


def counted(pile: Pile) -> str:
    """So many of a kind."""
    return f"{pile.count} {pile.name}" if pile.count > 1 else pile.name


# ---- The players ----


def player(each: Player, width: float) -> Pen:
    """What is known of a seat."""
    pen = Pen(PAD, 0, width - 2 * PAD)
    pen.shapes += token(PAD + 11, 21, 11, each.seat)
    name = f"Seat {each.seat}{' (you)' if each.you else ''}"
    pen.shapes.append(Label(PAD + 28, 26, name, 15, "ink", True))
    if each.supremacy:
        pen.shapes.append(crown(PAD + 34 + text_width(name, 15, True), 26, 14))
    influence = f"influence {each.influence}{' + agenda' if each.secret else ''}"
    pen.shapes.append(Label(width - PAD, 26, influence, 14, "ink", True, "end"))
    pen.y = 38
    stock(pen, each)
    hand(pen, each)
    items(pen, each)
    if each.loot_cards is not None:
        pen.word("loot in hand" if each.loot_cards else "no loot in hand")
        pen.backs(each.loot_cards)
        pen.end_row()
    if each.agenda:
        title, *conditions = each.agenda
        pen.text(f"Agenda: {title}: {'; '.join(conditions)}", 12)
        pen.y += CHIP_GAP
    pen.y -= CHIP_GAP
    return pen


def stock(pen: Pen, each: Player) -> None:
    """R1.6: markers in stock and support markers."""
    x = pen.row(12 * 9)
    for place in range(12):
        fill = f"seat{each.seat}" if place < each.stock else "space"
        pen.shapes.append(Disc(x + 4 + 9 * place, pen.y + CHIP / 2, 3.5, fill))
    pen.word(f"{each.stock} in stock, {each.support} support")
    pen.end_row()


def hand(pen: Pen, each: Player) -> None:
    """R13: minions that may be named, the others as backs."""
    pen.word(f"hand {each.hand_size}")
    for pile in each.hand:
        pen.chip(counted(pile))
    pen.backs(each.unknown)
    pen.end_row()


def items(pen: Pen, each: Player) -> None:
    """Items face up, and face down."""
    pen.word("items" if each.items or each.spent else "no items")
    for pile in each.items:
        pen.chip(counted(pile))
    if each.spent:
        pen.word("face down")
        for pile in each.spent:
            pen.chip(counted(pile), fill="back", ink="page")
    pen.end_row()


# ---- Loot and supply ----


def loot(layout: Layout, width: float) -> Pen:
    """R4.2, R11.1: loot that can be used, and what was used this night."""
    pen = Pen(0, 0, width)
    columns = len(layout.loot)
    if columns:
        wide = (width - GAP * (columns - 1)) / columns
        across = LOOT_COLUMNS if columns == 1 else 1
        pens = [Pen(place * (wide + GAP), 0, wide) for place in range(columns)]
        for part, group in zip(pens, layout.loot, strict=True):
            label = group.label if group.cards else f"{group.label}: none"
            part.text(label, 12, "muted", True)
            loot_cards(part, group, across)
            pen.shapes += part.shapes
        pen.y = max(part.y for part in pens)
    if layout.used and layout.loot:
        pen.text(f"Used this night: {', '.join(layout.used)}", 12, "muted")
    return pen


def loot_cards(pen: Pen, group: LootGroup, across: int) -> None:
    """The cards of a group, in rows as high as their highest card."""
    wide = (pen.width - GAP * (across - 1)) / across
    for start in range(0, len(group.cards), across):
        pen.y += 4
        cards = [loot_card(card, wide) for card in group.cards[start : start + across]]
        height = max(card.y for card in cards) + 6
        for place, card in enumerate(cards):
            x = pen.left + place * (wide + GAP)
            action = group.cards[start + place].action
            line, thick = ("line", 1.0) if action is None else ("accent", 2.0)
            frame = Box(0, 0, wide, height, "panel", line, thick, 6, action)
            pen.shapes += [moved(shape, x, pen.y) for shape in (frame, *card.shapes)]
        pen.y += height + 4


def loot_card(card: LootCard, width: float) -> Pen:
    """R1.4: name, minion, ability."""
    pen = Pen(8, 3, width - 16)
    pen.text(card.name, 13, bold=True)
    pen.text(f"{card.minion}: {', then '.join(card.ability) or 'nothing'}", 12)
    return pen


def moved(shape: Shape, x: float, y: float) -> Shape:
    """The same shape elsewhere; of a card, so a box or a label."""
    assert isinstance(shape, Box | Label)
    values = {**vars(shape), "x": shape.x + x, "y": shape.y + y}
    return type(shape)(**values)


def supply(layout: Layout, width: float) -> Pen:
    """R2.1, R6.5: supply, discards, and what the other hands hold together."""
    pen = Pen(0, 0, width)
    pen.text(f"Supply: {listed(layout.supply, 'no minions')}", 12)
    discard = f". Discarded this week: {listed(layout.discard, '')}" if layout.discard else ""
    pen.text(f"Items in the supply: {listed(layout.item_supply, 'none')}{discard}", 12)
    if layout.others is not None:
        others = listed(layout.others, "no minions")
        pen.text(f"In all other hands together: {others}", 12)
    return pen


def listed(piles: Sequence[Pile], none: str) -> str:
    """Piles in a line."""
    return ", ".join(map(counted, piles)) or none


# ---- The open question, or the result ----


def decision(layout: Layout, width: float, with_choices: bool) -> Pen:
    """What is under way, who decides what among which actions; or the result."""
    pen = Pen(PAD, 4, width - 2 * PAD)
    if layout.over:
        result(pen, layout)
        return pen
    for name, steps in layout.effects:
        pen.text(f"Under way: {name}: {', then '.join(steps)}", 12, "muted")
    pen.text(f"Seat {layout.decider} decides: {layout.question}.", 14, bold=True)
    if with_choices and layout.choices:
        pen.y += 4
        choices(pen, layout.choices)
    return pen


def result(pen: Pen, layout: Layout) -> None:
    """R10: where everyone's influence comes from."""
    pen.text(layout.result, 15, bold=True)
    for each in layout.influence:
        pen.y += 4
        pen.shapes += token(pen.left + 9, pen.y + 10, 9, each.seat)
        parts = ", ".join(f"{part.name} {part.count}" for part in each.parts)
        said = Label(pen.left + 26, pen.y + 15, f"{each.total} = {parts}", 14)
        pen.shapes.append(said)
        pen.y += CHIP


def choices(pen: Pen, offered: Sequence[Choice]) -> None:
    """The legal actions in columns, filled as far as a policy would take them."""
    wide = (pen.width - GAP * (CHOICE_COLUMNS - 1)) / CHOICE_COLUMNS
    rows = -(-len(offered) // CHOICE_COLUMNS)
    for place, choice in enumerate(offered):
        column, row = divmod(place, rows)
        x, y = pen.left + column * (wide + GAP), pen.y + row * (CHIP + 3)
        pen.shapes.append(Box(x, y, wide, CHIP, "card", "line", 1.0, 4, choice.index))
        room = wide - 12
        if choice.probability is not None:
            pen.shapes.append(Box(x, y, wide * choice.probability, CHIP, "likely", radius=4))
            said = f"{choice.probability:.0%}"
            pen.shapes.append(Label(x + wide - 6, y + CHIP * 0.7, said, 12, "ink", True, "end"))
            room -= text_width(said, 12, True) + 4
        text, size = fitted(choice.words, 12, room)
        pen.shapes.append(Label(x + 6, y + CHIP * 0.7, text, size))
    pen.y += rows * (CHIP + 3)

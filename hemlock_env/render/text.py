"""A game as text for a person: the table as one seat knows it (R13), or everything.

Spaces are drawn as in a position: `.` empty, a digit the seat that owns the marker.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable, Iterator

from hemlock_env.cards.vocabulary import GRID
from hemlock_env.game.game import Game
from hemlock_env.render.build import (
    Choice,
    DistrictCard,
    Layout,
    LootGroup,
    NightCard,
    Pile,
    Player,
    Probabilities,
    SideOfDistrict,
    layout_of,
)

WIDTH = 96  # columns, unless a name of the card set needs more
INDENT = "      "  # of a line that goes on
KEEP = "\N{NO-BREAK SPACE}"  # within an entry of a list, until all lines are broken


def render(game: Game, seat: int | None = None, probabilities: Probabilities | None = None) -> str:
    """The table as `seat` knows it; None, and a game that is over, shows everything.

    `probabilities` of actions by index, from a policy, stand beside the legal ones.
    """
    layout = layout_of(game, seat, probabilities)
    course = () if layout.over else (night_lines,)
    loot = () if layout.over else (loot_lines,)
    parts = (
        header_lines,
        *course,
        district_lines,
        player_lines,
        *loot,
        supply_lines,
        last_lines,
    )
    return "\n\n".join("\n".join(part(layout)) for part in parts).replace(KEEP, " ")


def header_lines(layout: Layout) -> Iterator[str]:
    """Where the game stands, and for whom this is written."""
    title, seen = layout.title, layout.seen
    yield f"{title}{seen:>{max(WIDTH - len(title), len(seen) + 2)}}"
    yield "=" * WIDTH
    yield f"{layout.course} {layout.result if layout.over else layout.supremacy}"


def night_lines(layout: Layout) -> Iterator[str]:
    """R4.1: the night cards."""
    if layout.nights:
        yield from listed("Night cards (markers)", night_words(layout.nights))
    if layout.to_come:
        order = "in this order" if layout.in_order else "in any order"
        label = "Still to come" if len(layout.to_come) == 1 else f"Still to come, {order}"
        yield from listed(label, night_words(layout.to_come))


def night_words(nights: Iterable[NightCard]) -> str:
    """Night cards with their values."""
    said = (f"{card.district} ({card.value})" for card in nights)
    return ", ".join(card.replace(" ", KEEP) for card in said)


# ---- The board ----


def district_lines(layout: Layout) -> Iterator[str]:
    """R1.2: every district with its spaces and minions."""
    for number, district in enumerate(layout.districts):
        if number > 0:
            yield ""
        yield from district_head(district)
        grid = [" ".join(row) for row in district.rows]
        sides = [line for side in district.sides for line in side_lines(side)]
        for row, line in itertools.zip_longest(grid, sides, fillvalue=""):
            yield f"{INDENT}{row:<{2 * GRID - 1}}{INDENT}{line}".rstrip()


def district_head(district: DistrictCard) -> list[str]:
    """Name, side, lair and scheme."""
    lair = f", lair of the {' and the '.join(district.lair)}" if district.lair else ""
    symbols = ", ".join(district.symbols) or "servants alone"
    return listed(
        f"{district.name.upper()} ({district.side}{lair}). Scheme for {symbols}",
        ", then ".join(district.scheme) or "nothing",
    )


def side_lines(side: SideOfDistrict) -> list[str]:
    """A seat's minions in a district, with what they count (R6)."""
    label = f"seat {side.seat}: {side.total:>2}"
    if not side.minions:
        return [label]
    words = f"{label} = {counted(side.minions)}"
    return textwrap.wrap(words, WIDTH - 20, subsequent_indent=" " * (len(label) + 3))


# ---- The players ----


def player_lines(layout: Layout) -> Iterator[str]:
    """What is known of every player."""
    for player in layout.players:
        yield player_head(player)
        yield from listed(f"   hand {player.hand_size}", hand_words(player))
        yield from listed("   items", item_words(player))
        if player.agenda:
            name, *conditions = player.agenda
            yield from listed("   agenda", f"{name} ({'; '.join(conditions)})")
    if layout.others is not None:
        others = counted(layout.others) or "no minions"
        yield from listed("in all other hands together", others)


def player_head(player: Player) -> str:
    """Seat, stock, support markers and influence."""
    secret = " and the agenda" if player.secret else ""
    mine = " (you)" if player.you else ""
    loot = "" if player.loot_cards is None else f"; {player.loot_cards} loot cards in hand"
    return (
        f"seat {player.seat}{mine}: influence {player.influence}{secret}; "
        f"markers: {player.stock} in stock, {player.support} support{loot}"
    )


def hand_words(player: Player) -> str:
    """R13.3, R13.4: a hand as far as it is known."""
    unknown = f"{player.unknown}{KEEP}unknown" if player.unknown else ""
    return ", ".join(filter(None, [counted(player.hand), unknown])) or "no minions"


def item_words(player: Player) -> str:
    """Items face up and face down."""
    up, down = counted(player.items) or "none", counted(player.spent)
    return f"{up}; face down: {down}" if down else up


# ---- Loot and supply ----


def loot_lines(layout: Layout) -> Iterator[str]:
    """R4.2, R11.1: the loot that can be used, and what was used this night."""
    for group in layout.loot:
        yield from loot_cards(group)
    if layout.used:
        yield from listed("Used this night", ", ".join(layout.used))


def loot_cards(group: LootGroup) -> Iterator[str]:
    """Loot cards, one a line."""
    if not group.cards:
        yield f"{group.label}: none"
        return
    yield f"{group.label}:"
    width = max(len(card.id) for card in group.cards)
    for card in group.cards:
        label = f"   {card.name:<{width}}  "
        ability = ", then ".join(card.ability) or "nothing"
        yield from textwrap.wrap(
            f"{label}{card.minion}: {ability}", WIDTH, subsequent_indent=" " * len(label)
        )


def supply_lines(layout: Layout) -> Iterator[str]:
    """R2.1, R6.5: supply and discards."""
    yield from listed("Supply", counted(layout.supply) or "no minions")
    yield from listed("   items", counted(layout.item_supply) or "none")
    if layout.discard:
        yield from listed("Discarded this week", counted(layout.discard))


# ---- The open question, or the result ----


def last_lines(layout: Layout) -> Iterator[str]:
    """What the reader looks for first stands last, where a terminal shows it."""
    return result_lines(layout) if layout.over else decision_lines(layout)


def decision_lines(layout: Layout) -> Iterator[str]:
    """Who decides what, and for whoever decides the legal actions."""
    for name, steps in layout.effects:
        yield from listed(f"Under way: {name}", ", then ".join(steps))
    yield f"Seat {layout.decider} decides: {layout.question}."
    if layout.choices:
        yield from choice_lines(layout.choices)


def choice_lines(choices: tuple[Choice, ...]) -> Iterator[str]:
    """The legal actions by number and name, in columns."""
    said = [f"{choice.index:>6} {choice.name}{choice_notes(choice)}" for choice in choices]
    width = max(map(len, said)) + 1
    columns = max(1, WIDTH // width)
    rows = -(-len(said) // columns)
    for row in range(rows):
        yield "".join(f"{each:<{width}}" for each in said[row::rows]).rstrip()


def choice_notes(choice: Choice) -> str:
    """The seat that `seat:1` means; what a policy thinks of it."""
    seat = "" if choice.seat is None else f" (seat {choice.seat})"
    likely = "" if choice.probability is None else f" {choice.probability:.0%}"
    return seat + likely


def result_lines(layout: Layout) -> Iterator[str]:
    """R10: where everyone's influence comes from."""
    yield "Influence:"
    for each in layout.influence:
        said = ", ".join(f"{part.name} {part.count}" for part in each.parts)
        yield f"   seat {each.seat}: {each.total:>3} = {said}"


# ---- Words ----


def counted(piles: Iterable[Pile]) -> str:
    """How many of each: "2 ghoul, masque"."""
    return ", ".join(
        (f"{pile.count} {pile.name}" if pile.count > 1 else pile.name).replace(" ", KEEP)
        for pile in piles
    )


def listed(label: str, words: str) -> list[str]:
    """`label: words`, wrapped under the label."""
    return textwrap.wrap(f"{label}: {words}", WIDTH, subsequent_indent=INDENT)

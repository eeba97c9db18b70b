"""A game as text for a person: the table as one seat knows it (R13), or everything.

Spaces are drawn as in a position: `.` empty, a digit the seat that owns the marker.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence

from hemlock_env.cards.vocabulary import GRID
from hemlock_env.render.build import Probabilities, build_scene
from hemlock_env.render.scene import (
    KEEP,
    Choice,
    DistrictCard,
    LootGroup,
    Pile,
    Player,
    Scene,
    SideOfDistrict,
    listed,
)
from hemlock_env.render.sight import Shown

WIDTH = 96  # columns, unless a name of the card set needs more
INDENT = "      "  # of a line that goes on


def render(game: Shown, seat: int | None = None, probabilities: Probabilities | None = None) -> str:
    """The table as `seat` knows it; None, and a game that is over, shows everything.

    `probabilities` of actions by index, from a policy, stand beside the legal ones.
    """
    scene = build_scene(game, seat, probabilities)
    return "\n\n".join("\n".join(part(scene)) for part in parts_of(scene)).replace(KEEP, " ")


def parts_of(scene: Scene) -> Sequence[Callable[[Scene], Iterable[str]]]:
    """What is written, from top to bottom: what the reader looks for first stands last, where a
    terminal shows it.
    """
    if scene.over:
        return header_lines, district_lines, player_lines, supply_lines, result_lines
    return (
        header_lines,
        night_lines,
        district_lines,
        player_lines,
        loot_lines,
        supply_lines,
        decision_lines,
    )


def header_lines(scene: Scene) -> Iterator[str]:
    """Where the game stands, and for whom this is written."""
    title, seen = scene.title, scene.seen
    yield f"{title}{seen:>{max(WIDTH - len(title), len(seen) + 2)}}"
    yield "=" * WIDTH
    yield scene.status


def night_lines(scene: Scene) -> Iterator[str]:
    """R4.1: the night cards."""
    if scene.nights:
        yield from labelled("Night cards (markers)", night_words(scene.nights))
    if scene.to_come:
        order = f", {scene.order}" if len(scene.to_come) > 1 else ""
        yield from labelled(f"Still to come{order}", night_words(scene.to_come))


def night_words(nights: Iterable[Pile]) -> str:
    """Night cards with their values."""
    return ", ".join(f"{card.name} ({card.value})".replace(" ", KEEP) for card in nights)


# ---- The board ----


def district_lines(scene: Scene) -> Iterator[str]:
    """R1.2: every district with its spaces and minions."""
    for number, district in enumerate(scene.districts):
        if number > 0:
            yield ""
        yield from district_head(district)
        grid = [" ".join(row) for row in district.rows]
        sides = [line for side in district.sides for line in side_lines(side)]
        for row, line in itertools.zip_longest(grid, sides, fillvalue=""):
            yield f"{INDENT}{row:<{2 * GRID - 1}}{INDENT}{line}".rstrip()


def district_head(district: DistrictCard) -> list[str]:
    """Name, side, lair and scheme."""
    lair = f", lair of the {district.lair}" if district.lair else ""
    head = f"{district.name.upper()} ({district.side}{lair})"
    return labelled(f"{head}. Scheme for {district.symbols}", district.scheme)


def side_lines(side: SideOfDistrict) -> list[str]:
    """A seat's minions in a district, with what they count (R6)."""
    label = f"seat {side.seat}: {side.total:>2}"
    if not side.minions:
        return [label]
    words = f"{label} = {listed(side.minions)}"
    return textwrap.wrap(words, WIDTH - 20, subsequent_indent=" " * (len(label) + 3))


# ---- The players ----


def player_lines(scene: Scene) -> Iterator[str]:
    """What is known of every player."""
    for player in scene.players:
        yield player_head(player)
        yield from labelled(f"   hand {player.hand_size}", hand_words(player))
        yield from labelled("   items", item_words(player))
        if player.agenda:
            name, *conditions = player.agenda
            yield from labelled("   agenda", f"{name} ({'; '.join(conditions)})")
    if scene.others is not None:
        yield from labelled("in all other hands together", listed(scene.others, "no minions"))


def player_head(player: Player) -> str:
    """Seat, stock, support markers and influence."""
    secret = " and the agenda" if player.secret else ""
    you = " (you)" if player.you else ""
    loot = "" if player.loot_cards is None else f"; {player.loot_cards} loot cards in hand"
    return (
        f"seat {player.seat}{you}: influence {player.influence}{secret}; "
        f"markers: {player.markers}{loot}"
    )


def hand_words(player: Player) -> str:
    """R13.3, R13.4: a hand as far as it is known."""
    unknown = f"{player.unknown}{KEEP}unknown" if player.unknown else ""
    return ", ".join(filter(None, [listed(player.hand), unknown])) or "no minions"


def item_words(player: Player) -> str:
    """Items face up and face down."""
    down = f"; face down: {listed(player.spent)}" if player.spent else ""
    return f"{listed(player.items, 'none')}{down}"


# ---- Loot and supply ----


def loot_lines(scene: Scene) -> Iterator[str]:
    """R4.2, R11.1: the loot that can be used, and what was used this night."""
    for group in scene.loot:
        yield from loot_cards(group)
    if scene.used:
        yield from labelled("Used this night", ", ".join(scene.used))


def loot_cards(group: LootGroup) -> Iterator[str]:
    """Loot cards, one a line."""
    yield group.label if not group.cards else f"{group.label}:"
    width = max((len(card.name) for card in group.cards), default=0)
    for card in group.cards:
        label = f"   {card.name:<{width}}  "
        indent = " " * len(label)
        yield from textwrap.wrap(f"{label}{card.words}", WIDTH, subsequent_indent=indent)


def supply_lines(scene: Scene) -> Iterator[str]:
    """R2.1, R6.5: supply and discards."""
    yield from labelled("Supply", listed(scene.supply, "no minions"))
    yield from labelled("   items", listed(scene.item_supply, "none"))
    if scene.discard:
        yield from labelled("Discarded this week", listed(scene.discard))


# ---- The open question, or the result ----


def decision_lines(scene: Scene) -> Iterator[str]:
    """Who decides what, and for whoever decides the legal actions in columns."""
    for effect in scene.effects:
        yield from labelled("Under way", effect)
    yield scene.asked
    entries = [f"{choice.index:>6} {choice.name}{choice_notes(choice)}" for choice in scene.choices]
    width = max(map(len, entries), default=0) + 1
    columns = max(1, WIDTH // width)
    rows = -(-len(entries) // columns)
    for row in range(rows):
        yield "".join(f"{entry:<{width}}" for entry in entries[row::rows]).rstrip()


def choice_notes(choice: Choice) -> str:
    """The seat that `seat:1` means; what a policy thinks of it."""
    seat = "" if choice.seat is None else f" (seat {choice.seat})"
    likely = "" if choice.probability is None else f" {choice.probability:.0%}"
    return seat + likely


def result_lines(scene: Scene) -> Iterator[str]:
    """R10: where everyone's influence comes from."""
    yield "Influence:"
    for influence in scene.influence:
        yield f"   seat {influence.seat}: {influence.total:>3} = {influence.sources}"


def labelled(label: str, words: str) -> list[str]:
    """`label: words`, wrapped under the label."""
    return textwrap.wrap(f"{label}: {words}", WIDTH, subsequent_indent=INDENT)

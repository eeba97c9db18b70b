"""A game as text for a person: the table as one seat knows it (R13), or everything.

All that is shown comes from the seat's own observation, its legal actions and the score as far as
it can know it, so the text can't tell more than the seat may know. Spaces are drawn as in FORMATS:
`.` empty, a digit the seat that owns the marker.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hemlock_env.cards.compile import minion_value
from hemlock_env.cards.schema import Effect, Side
from hemlock_env.cards.vocabulary import (
    DISTRICTS,
    GENERICS,
    GRID,
)
from hemlock_env.cards.wording import (
    card_words,
    condition_words,
    name_words,
    with_article,
    word_phrase,
)
from hemlock_env.engine.constants import (
    KEPT_MINIONS,
    NOTHING,
    STACK_MAX,
    WEEK_NIGHTS,
    Decision,
    Phase,
)
from hemlock_env.engine.fields import SUPPORT_BASE
from hemlock_env.game import Game

WIDTH = 96  # columns, unless a name of the card set needs more
INDENT = "      "  # of a line that goes on
KEEP = "\N{NO-BREAK SPACE}"  # within an entry of a list, until all lines are broken

PHASE_WORDS = {
    Phase.LOOT: "using loot",
    Phase.SPECIAL: "special actions",
    Phase.CLAIM: "week's end, the claims",
    Phase.DISCARD_DOWN: "week's end, discarding down",
    Phase.OVER: "over",
}
TURNS = {Phase.LOOT: 2, Phase.SPECIAL: 1}  # for each player, each night (R5.1, R8.1)

# What the seat that decides is asked; {} is what `asked_about` says.
QUESTIONS = {
    Decision.USE_LOOT: "use a loot card{}",
    Decision.PLACE_MINION: "choose the district for {}",
    Decision.PLACE_MARKER: "choose the space for a marker{}",
    Decision.GAIN_MINION: "choose the minion to gain",
    Decision.PLAY_MINION: "choose a minion from hand and its district",
    Decision.PICK_RIVAL: "choose the rival who loses a minion",
    Decision.DISCARD_RIVAL: "choose the minion of {} to discard",
    Decision.PICK_OWN: "choose an own minion",
    Decision.MOVE_TO: "choose the district for {}",
    Decision.DISCARD_HAND: "choose a minion of the own hand to discard",
    Decision.PLACE_LEADER: "choose the leader to place",
    Decision.SPECIAL_ACTION: "take a special action: use an item, take a minion or place one",
    Decision.DISCARD_DOWN: "choose a minion in {} to put back",
}


def render(game: Game, seat: int | None = None) -> str:
    """The table as `seat` knows it; None, and a game that is over, shows everything."""
    sight = Sight(game, None if game.over else seat)
    course = () if game.over else (night_lines,)
    loot = () if game.over else (loot_lines,)
    parts = (
        header_lines,
        *course,
        district_lines,
        player_lines,
        *loot,
        supply_lines,
        last_lines,
    )
    return "\n\n".join("\n".join(part(sight)) for part in parts).replace(KEEP, " ")


class Sight:
    """What may be shown: the observation of one seat, or those of all."""

    def __init__(self, game: Game, seat: int | None) -> None:
        """All that may be shown, if `seat` is None."""
        self.game = game
        self.cards = game.card_set
        self.seat = seat
        self.first = 0 if seat is None else seat  # the seat whose observation shows what is public
        self.seats = range(game.num_players)
        watching = self.seats if seat is None else [seat]
        self.tensors = {each: game.observe(each) for each in watching}
        self._parts: dict[str, NDArray[np.int8]] = {}

    def part(self, name: str) -> NDArray[np.int8]:
        """A field of the observation."""
        if name not in self._parts:
            layout = self.game.table.layout
            self._parts[name] = layout.part(self.tensors[self.first], name)
        return self._parts[name]

    def of(self, name: str, seat: int) -> NDArray[np.int8]:
        """A field of what everyone sees of a seat."""
        block: NDArray[np.int8] = self.part(name)[(seat - self.first) % len(self.seats)]
        return block

    def own(self, name: str, seat: int) -> NDArray[np.int8] | None:
        """A field that only the seat itself sees; None if it may not be shown."""
        tensor = self.tensors.get(seat)
        return None if tensor is None else self.game.table.layout.part(tensor, name)

    def one(self, name: str) -> int | None:
        """Which entry of a field is 1."""
        return first_one(self.part(name))

    def holder(self, name: str) -> int | None:
        """The seat that has a mark such as `supremacy`."""
        return next((seat for seat in self.seats if self.of(name, seat)), None)

    def minion(self, kind: int) -> str:
        """The name of a minion kind."""
        return name_words(self.cards.minions[kind])

    def district(self, district: int) -> str:
        """The name of a district."""
        return name_words(self.cards.districts[district].id)

    def side(self, district: int) -> Side:
        """The side of a district card that lies up."""
        card = self.cards.districts[district]
        return card.advanced if self.part("side")[district] else card.basic

    @property
    def phase(self) -> Phase:
        """The part of the night."""
        return Phase(first_one(self.part("phase")) or 0)

    @property
    def decision(self) -> Decision:
        """The open question."""
        place = self.one("decision")
        return Decision.NONE if place is None else Decision(place + 1)

    def scores(self) -> list[int]:
        """R10 as far as it may be known: without the agendas of rivals."""
        game = self.game
        if self.seat is not None:
            game = game.copy()
            rivals = [rival for rival in self.seats if rival != self.seat]
            game.arrays.states["agenda"][0, rivals] = NOTHING
        return game.scores()


def first_one(field: NDArray[np.int8]) -> int | None:
    """Where a field has its 1."""
    return int(field.argmax()) if field.any() else None


# ---- The course of the game ----


def header_lines(sight: Sight) -> Iterator[str]:
    """Where the game stands, and for whom this is written."""
    title = sight.cards.name
    seen = "everything is shown" if sight.seat is None else f"as seat {sight.seat} knows it"
    yield f"{title}{seen:>{max(WIDTH - len(title), len(seen) + 2)}}"
    yield "=" * WIDTH
    if sight.phase == Phase.OVER:
        yield f"The game is over. {result_words(sight.game)}"
        return
    week, night = sight.part("second_week") + 1, (sight.one("night") or 0) + 1
    course = f"Week {week} of 2, night {night} of {WEEK_NIGHTS}: {PHASE_WORDS[sight.phase]}"
    if sight.phase in TURNS:
        turns = TURNS[sight.phase] * len(sight.seats)
        course += f", turn {(sight.one('turn') or 0) + 1} of {turns}"
        course += f" (seat {sight.holder('active')})"
    yield f"{course}. Seat {sight.holder('supremacy')} has supremacy."


def result_words(game: Game) -> str:
    """R10.6: who has won."""
    winners = game.winners()
    if len(winners) == 1:
        return f"Seat {winners[0]} has won."
    return f"A draw between the seats {', '.join(map(str, winners))}."


def night_lines(sight: Sight) -> Iterator[str]:
    """R4.1: the night cards."""
    places = [first_one(place) for place in sight.part("nights")]
    revealed = [card for card in places if card is not None]
    to_come = np.flatnonzero(sight.part("nights_to_come")).tolist()
    order = "in any order"
    if sight.seat is None:
        state = sight.game.state
        to_come, order = (
            state["night_deck"][: state["n_deck"]].tolist(),
            "in this order",
        )
    if revealed:
        yield from listed("Night cards (markers)", night_words(sight, revealed))
    if to_come:
        label = "Still to come" if len(to_come) == 1 else f"Still to come, {order}"
        yield from listed(label, night_words(sight, to_come))


def night_words(sight: Sight, nights: Iterable[int]) -> str:
    """Night cards with their values."""
    cards = (sight.cards.nights[night] for night in nights)
    said = (f"{sight.district(card.district)} ({card.value})" for card in cards)
    return ", ".join(card.replace(" ", KEEP) for card in said)


# ---- The board ----


def district_lines(sight: Sight) -> Iterator[str]:
    """R1.2: every district with its spaces and minions."""
    for district in range(DISTRICTS):
        if district > 0:
            yield ""
        yield from district_head(sight, district)
        grid = grid_lines(sight, district)
        sides = [line for seat in sight.seats for line in side_lines(sight, district, seat)]
        for row, side in itertools.zip_longest(grid, sides, fillvalue=""):
            yield f"{INDENT}{row:<{2 * GRID - 1}}{INDENT}{side}".rstrip()


def district_head(sight: Sight, district: int) -> Iterator[str]:
    """Name, side, lair and scheme."""
    up = "advanced" if sight.part("side")[district] else "basic"
    side = sight.side(district)
    home = [sight.minion(kind) for kind in range(GENERICS) if sight.cards.lairs[kind] == district]
    lair = f", lair of the {' and the '.join(home)}" if home else ""
    symbols = ", ".join(sight.minion(kind) for kind in side.symbols) or "servants alone"
    yield from listed(
        f"{sight.district(district).upper()} ({up}{lair}). Scheme for {symbols}",
        ", then ".join(phrases(sight, side.scheme)) or "nothing",
    )


def grid_lines(sight: Sight, district: int) -> list[str]:
    """The spaces of a district and who owns the markers."""
    cells = np.where(sight.part("space_empty")[district], ".", " ")
    for seat in sight.seats:
        cells[sight.of("space_owner", seat)[district] == 1] = str(seat)
    rows = [" ".join(row) for row in cells.reshape(GRID, GRID)]
    return rows if rows[-1].strip() else rows[:-1]


def side_lines(sight: Sight, district: int, seat: int) -> list[str]:
    """A seat's minions in a district, with what they count (R6)."""
    minions = sight.of("minions", seat)[district]
    total = sum(
        int(count) * minion_value(kind, sight.cards.lairs[kind], district)
        for kind, count in enumerate(minions)
    )
    label = f"seat {seat}: {total:>2}"
    if not minions.any():
        return [label]
    words = f"{label} = {counted(sight.cards.minions, minions)}"
    return textwrap.wrap(words, WIDTH - 20, subsequent_indent=" " * (len(label) + 3))


# ---- The players ----


def player_lines(sight: Sight) -> Iterator[str]:
    """What is known of every player."""
    scores = sight.scores()
    for seat in sight.seats:
        yield player_head(sight, seat, scores[seat])
        yield from listed(f"   hand {sight.of('hand_size', seat)}", hand_words(sight, seat))
        yield from listed("   items", item_words(sight, seat))
        held = sight.own("held", seat)
        if held is not None and held.any():
            yield from listed("   agenda", agenda_words(sight, first_one(held) or 0))
    if len(sight.seats) > 2 and sight.seat is not None:
        others = counted(sight.cards.minions, sight.part("others_hands")) or "no minions"
        yield from listed("in all other hands together", others)


def player_head(sight: Sight, seat: int, score: int) -> str:
    """Seat, stock, support markers and influence."""
    hidden = sight.part("options")[2] and sight.own("held", seat) is None
    secret = " and the agenda" if hidden else ""
    mine = " (you)" if seat == sight.seat else ""
    cards = sight.of("loot_cards", seat)
    loot = f"; {cards} loot cards in hand" if sight.part("options")[0] else ""
    return (
        f"seat {seat}{mine}: influence {score}{secret}; "
        f"markers: {sight.of('stock', seat)} in stock, {support_markers(sight, seat)} support{loot}"
    )


def support_markers(sight: Sight, seat: int) -> int:
    """R7.12, R9.4: a seat's support markers."""
    hundreds = int(sight.of("support_hundreds", seat))
    return SUPPORT_BASE * hundreds + int(sight.of("support", seat))


def hand_words(sight: Sight, seat: int) -> str:
    """R13.3, R13.4: a hand as far as it is known."""
    size = int(sight.of("hand_size", seat))
    hand = sight.own("hand", seat)
    if hand is None:
        hand = sight.part("others_hands") if len(sight.seats) == 2 else sight.of("known", seat)
    unknown = size - int(hand.sum())
    said = [
        counted(sight.cards.minions, hand),
        f"{unknown}{KEEP}unknown" if unknown else "",
    ]
    return ", ".join(filter(None, said)) or "no minions"


def item_words(sight: Sight, seat: int) -> str:
    """Items face up and face down."""
    items = [item.id for item in sight.cards.items]
    up, down = (counted(items, sight.of(name, seat)) for name in ("items", "spent"))
    return f"{up or 'none'}; face down: {down}" if down else up or "none"


def agenda_words(sight: Sight, agenda: int) -> str:
    """R12.5: an agenda card."""
    card = sight.cards.agendas[agenda]
    conditions = (condition_words(sight.cards, condition) for condition in card.conditions)
    return f"{name_words(card.id)} ({'; '.join(conditions)})"


# ---- Loot and supply ----


def loot_lines(sight: Sight) -> Iterator[str]:
    """R4.2, R11.1: the loot that can be used, and what was used this night."""
    if not sight.part("options")[0]:
        yield from loot_cards(sight, "Loot row", sight.part("in_row"))
    else:
        for seat in sight.seats:
            held = sight.own("in_hand", seat)
            if held is not None:
                yield from loot_cards(sight, f"Loot in the hand of seat {seat}", held)
    used = np.flatnonzero(sight.part("used")).tolist()
    if used:
        names = ", ".join(name_words(sight.cards.loot[loot].id) for loot in used)
        yield from listed("Used this night", names)


def loot_cards(sight: Sight, label: str, shown: NDArray[np.int8]) -> Iterator[str]:
    """Loot cards, one a line."""
    cards = [sight.cards.loot[loot] for loot in np.flatnonzero(shown)]
    if not cards:
        yield f"{label}: none"
        return
    yield f"{label}:"
    width = max(len(card.id) for card in cards)
    for card in cards:
        label = f"   {name_words(card.id):<{width}}  "
        yield from textwrap.wrap(
            label + card_words(sight.cards, card),
            WIDTH,
            subsequent_indent=" " * len(label),
        )


def supply_lines(sight: Sight) -> Iterator[str]:
    """R2.1, R6.5: supply and discards."""
    minions = counted(sight.cards.minions, sight.part("supply")) or "no minions"
    items = counted([item.id for item in sight.cards.items], sight.part("item_supply"))
    yield from listed("Supply", minions)
    yield from listed("   items", items or "none")
    discard = counted(sight.cards.minions, sight.part("discard"))
    if discard:
        yield from listed("Discarded this week", discard)


# ---- The open question, or the result ----


def last_lines(sight: Sight) -> Iterator[str]:
    """What the reader looks for first stands last, where a terminal shows it."""
    return result_lines(sight) if sight.game.over else decision_lines(sight)


def decision_lines(sight: Sight) -> Iterator[str]:
    """Who decides what, and for whoever decides the legal actions."""
    for depth in range(STACK_MAX):
        yield from effect_lines(sight, depth)
    decider = sight.holder("decider")
    yield f"Seat {decider} decides: {QUESTIONS[sight.decision].format(asked_about(sight))}."
    if sight.seat in (None, decider):
        yield from action_lines(sight, decider or 0)


def result_lines(sight: Sight) -> Iterator[str]:
    """R10: where everyone's influence comes from."""
    unfulfilled = sight.game.copy()
    unfulfilled.arrays.states["agenda"] = NOTHING
    held = [int(sight.of("items", seat).sum()) for seat in sight.seats]
    yield "Influence:"
    for seat, (score, without) in enumerate(
        zip(sight.game.scores(), unfulfilled.scores(), strict=True)
    ):
        most = held[seat] > max(held[:seat] + held[seat + 1 :])
        parts = {
            "items": held[seat] + most,
            "minions in hand": int(sight.of("hand_size", seat)),
            "support markers": support_markers(sight, seat),
        }
        placed = {"markers": without - sum(parts.values())}
        agenda = {"agenda": score - without} if sight.part("options")[2] else {}
        said = (f"{name} {part}" for name, part in {**placed, **parts, **agenda}.items())
        yield f"   seat {seat}: {score:>3} = {', '.join(said)}"


def asked_about(sight: Sight) -> str:
    """What the open question speaks of."""
    if sight.decision == Decision.USE_LOOT:
        return " or a face-up item" if sight.part("options")[1] else ""
    if sight.decision == Decision.PLACE_MINION:
        return f"the {sight.minion(sight.one('gained') or 0)}"
    if sight.decision == Decision.DISCARD_RIVAL:
        rival = sight.holder("rival_picked")
        return "a rival" if rival is None else f"seat {rival}"
    if sight.decision == Decision.MOVE_TO:
        kind, origin = sight.one("moving") or 0, sight.one("moving_from") or 0
        return f"the {sight.minion(kind)} from {sight.district(origin)}"
    if sight.decision == Decision.DISCARD_DOWN:
        crowded = sight.district(sight.one("crowded") or 0)
        return f"{crowded} ({KEPT_MINIONS} may stay, servants not counted)"
    return claim_words(sight)


def claim_words(sight: Sight) -> str:
    """R9: whose markers are placed at the week's end."""
    claiming = sight.one("claiming")
    if claiming is None:
        return ""
    night = sight.cards.nights[first_one(sight.part("nights")[0]) or 0]
    if claiming == 1:
        return f": the leader in {sight.district(night.district)}"
    left = int(sight.part("markers_left"))
    return f": the claim of {sight.district(night.district)} ({left} still to place)"


def effect_lines(sight: Sight, depth: int) -> Iterator[str]:
    """An effect in progress: its card, the word that is resolved, what still waits."""
    row = first_one(sight.part("effect_row")[depth])
    if row is None:
        return
    name, steps = effect_steps(sight, depth)
    yield from listed(f"Under way: {name}", ", then ".join(steps[row:] or ["the scheme"]))


def effect_steps(sight: Sight, depth: int) -> tuple[str, list[str]]:
    """The name of an effect's card and its words from the first row on."""
    scheme = first_one(sight.part("effect_scheme")[depth])
    if scheme is not None:
        return f"scheme of {sight.district(scheme)}", phrases(sight, sight.side(scheme).scheme)
    item = first_one(sight.part("effect_item")[depth])
    if item is not None:
        card = sight.cards.items[item]
        return name_words(card.id), phrases(sight, card.effect)
    loot = sight.cards.loot[first_one(sight.part("effect_loot")[:, depth]) or 0]
    minion = with_article(sight.cards.minions[loot.minion])
    steps = [f"place {minion}", *phrases(sight, loot.ability)]
    if sight.part("effect_row")[depth][0]:
        steps.append("the scheme if triggered")
    elif sight.part("scheme_waits"):
        steps.append("the scheme")
    here = first_one(sight.part("effect_here")[depth])
    place = "" if here is None else f" in {sight.district(here)}"
    return name_words(loot.id) + place, steps


def phrases(sight: Sight, effect: Effect) -> list[str]:
    """The words of an effect as phrases."""
    return [word_phrase(sight.cards, word) for word in effect]


def action_lines(sight: Sight, decider: int) -> Iterator[str]:
    """The legal actions by number and name, in columns."""
    said = [
        f"{index:>6} {sight.game.action_name(index)}{seat_meant(sight, index, decider)}"
        for index in sight.game.legal_actions()
    ]
    width = max(map(len, said)) + 1
    columns = max(1, WIDTH // width)
    rows = -(-len(said) // columns)
    for row in range(rows):
        yield "".join(f"{each:<{width}}" for each in said[row::rows]).rstrip()


def seat_meant(sight: Sight, index: int, decider: int) -> str:
    """`seat:1` counts clockwise from whoever decides: which seat is it?"""
    kind, _, offset = sight.game.action_name(index).partition(":")
    return f" (seat {(decider + int(offset)) % len(sight.seats)})" if kind == "seat" else ""


# ---- Words ----


def counted(names: Sequence[str], counts: NDArray[np.int8]) -> str:
    """How many of each: "2 ghoul, masque"."""
    return ", ".join(
        (f"{count} {name_words(name)}" if count > 1 else name_words(name)).replace(" ", KEEP)
        for name, count in zip(names, counts.tolist(), strict=True)
        if count
    )


def listed(label: str, words: str) -> list[str]:
    """`label: words`, wrapped under the label."""
    return textwrap.wrap(f"{label}: {words}", WIDTH, subsequent_indent=INDENT)

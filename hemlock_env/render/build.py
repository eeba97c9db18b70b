"""Layout: what is shown where, in words of the card set.

Text, SVG, pixels and the pages all come from one `Layout`, which comes from a `Sight`: what it
holds, its reader may know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env.cards.card_set import Effect
from hemlock_env.cards.compile import minion_value
from hemlock_env.cards.vocabulary import CELLS, DISTRICTS, GENERICS, GRID
from hemlock_env.cards.wording import condition_words, name_words, with_article, word_phrase
from hemlock_env.engine.constants import (
    KEPT_MINIONS,
    NOTHING,
    STACK_MAX,
    WEEK_NIGHTS,
    Decision,
    Phase,
)
from hemlock_env.game.game import Game
from hemlock_env.render.sight import Sight, first_one
from hemlock_env.render.words import action_words

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

EMPTY_SPACE, NO_SPACE = ".", " "  # a marker is the digit of its seat (docs/formats.md)

Probabilities = Mapping[int, float] | Sequence[float] | NDArray[Any]


@dataclass(frozen=True)
class Pile:
    """So many of a kind; `value` is what one of them counts where it stands (R6)."""

    name: str
    count: int
    value: int = 0


@dataclass(frozen=True)
class NightCard:
    """R1.4: a night card."""

    district: str
    value: int


@dataclass(frozen=True)
class SideOfDistrict:
    """A seat's side of a district."""

    seat: int
    total: int
    claims: bool
    minions: tuple[Pile, ...]


@dataclass(frozen=True)
class DistrictCard:
    """R1.2: a district with all that stands on it."""

    id: str
    name: str
    side: str
    lair: tuple[str, ...]
    symbols: tuple[str, ...]
    scheme: tuple[str, ...]
    spaces: str  # row by row: EMPTY_SPACE, NO_SPACE or a seat
    sides: tuple[SideOfDistrict, ...]

    @property
    def rows(self) -> list[str]:
        """The spaces, without a last row that has none."""
        rows = [self.spaces[at : at + GRID] for at in range(0, CELLS, GRID)]
        return rows if rows[-1].strip() else rows[:-1]


@dataclass(frozen=True)
class Player:
    """What may be known of a seat."""

    seat: int
    you: bool
    influence: int
    secret: bool  # an agenda that isn't shown counts too
    supremacy: bool
    active: bool
    decides: bool
    stock: int
    support: int
    loot_cards: int | None  # in hand; None with a loot row
    hand: tuple[Pile, ...]  # as far as it is known
    hand_size: int
    items: tuple[Pile, ...]
    spent: tuple[Pile, ...]
    agenda: tuple[str, ...]  # name, conditions; empty if there is none to show

    @property
    def unknown(self) -> int:
        """Minions in hand that the reader can't name: backs."""
        return self.hand_size - sum(pile.count for pile in self.hand)


@dataclass(frozen=True)
class LootCard:
    """R1.4: a loot card; `action` uses it, if the reader may."""

    id: str
    name: str
    minion: str
    ability: tuple[str, ...]
    action: int | None


@dataclass(frozen=True)
class LootGroup:
    """Loot cards that lie together."""

    label: str
    cards: tuple[LootCard, ...]


@dataclass(frozen=True)
class Choice:
    """A legal action, and how likely a policy takes it, if one was asked."""

    index: int
    name: str
    words: str
    seat: int | None = None  # whom an action such as `seat:1` means
    probability: float | None = None


@dataclass(frozen=True)
class Influence:
    """R10: where a seat's influence comes from."""

    seat: int
    total: int
    parts: tuple[Pile, ...]


@dataclass(frozen=True)
class Layout:
    """All that is shown, in the order of the table."""

    title: str
    seat: int | None  # whose view; None shows everything
    seats: int
    over: bool
    course: str
    supremacy: str
    result: str  # who has won; empty before the end
    nights: tuple[NightCard, ...]
    to_come: tuple[NightCard, ...]
    in_order: bool  # is the order of those to come shown?
    districts: tuple[DistrictCard, ...]
    players: tuple[Player, ...]
    others: tuple[Pile, ...] | None  # in all other hands together, where that says more
    loot: tuple[LootGroup, ...]
    used: tuple[str, ...]
    supply: tuple[Pile, ...]
    item_supply: tuple[Pile, ...]
    discard: tuple[Pile, ...]
    effects: tuple[tuple[str, tuple[str, ...]], ...]  # under way: name, what is still to do
    decider: int | None
    question: str
    choices: tuple[Choice, ...]
    influence: tuple[Influence, ...]  # of a game that is over

    @property
    def seen(self) -> str:
        """For whom it is."""
        return "everything is shown" if self.seat is None else f"as seat {self.seat} knows it"


def layout_of(
    game: Game, seat: int | None = None, probabilities: Probabilities | None = None
) -> Layout:
    """The table as `seat` knows it; None, and a game that is over, shows everything.

    Args:
        game: at any decision, or over.
        seat: whose view.
        probabilities: of actions by index, from a policy; shown beside the legal ones.

    Raises:
        ValueError: there is no such seat, or a legal action has no probability.
    """
    sight = Sight(game, seat)
    decider = sight.holder("decider")
    mine = sight.seat in (None, decider) and not game.over
    choices = choices_of(sight, decider or 0, probabilities) if mine else ()
    scores = sight.scores()
    return Layout(
        title=sight.cards.name,
        seat=sight.seat,
        seats=len(sight.seats),
        over=game.over,
        course=course_words(sight),
        supremacy=f"Seat {sight.holder('supremacy')} has supremacy.",
        result=result_words(game) if game.over else "",
        nights=night_cards(sight, revealed_nights(sight)),
        to_come=night_cards(sight, nights_to_come(sight)),
        in_order=sight.seat is None,
        districts=tuple(district_card(sight, district) for district in range(DISTRICTS)),
        players=tuple(player(sight, each, scores[each]) for each in sight.seats),
        others=others_of(sight),
        loot=tuple(loot_groups(sight, {choice.name: choice.index for choice in choices})),
        used=tuple(
            name_words(sight.cards.loot[loot].id) for loot in np.flatnonzero(sight.part("used"))
        ),
        supply=piles(sight.cards.minions, sight.part("supply")),
        item_supply=piles(item_names(sight), sight.part("item_supply")),
        discard=piles(sight.cards.minions, sight.part("discard")),
        effects=tuple(effects_of(sight)),
        decider=decider,
        question="" if game.over else QUESTIONS[sight.decision].format(asked_about(sight)),
        choices=choices,
        influence=influences(sight) if game.over else (),
    )


def piles(names: Sequence[str], counts: NDArray[np.int8]) -> tuple[Pile, ...]:
    """How many of each, those that there are."""
    return tuple(
        Pile(name_words(name), count)
        for name, count in zip(names, counts.tolist(), strict=True)
        if count
    )


def item_names(sight: Sight) -> list[str]:
    """The ids of the items."""
    return [item.id for item in sight.cards.items]


# ---- The course of the game ----


def course_words(sight: Sight) -> str:
    """Where the game stands."""
    if sight.phase == Phase.OVER:
        return "The game is over."
    week, night = sight.part("second_week") + 1, (sight.one("night") or 0) + 1
    course = f"Week {week} of 2, night {night} of {WEEK_NIGHTS}: {PHASE_WORDS[sight.phase]}"
    if sight.phase in TURNS:
        turns = TURNS[sight.phase] * len(sight.seats)
        course += f", turn {(sight.one('turn') or 0) + 1} of {turns}"
        course += f" (seat {sight.holder('active')})"
    return f"{course}."


def result_words(game: Game) -> str:
    """R10.6: who has won."""
    winners = game.winners()
    if len(winners) == 1:
        return f"Seat {winners[0]} has won."
    return f"A draw between the seats {', '.join(map(str, winners))}."


def revealed_nights(sight: Sight) -> list[int]:
    """R4.1: the night cards that lie open."""
    places = [first_one(place) for place in sight.part("nights")]
    return [card for card in places if card is not None]


def nights_to_come(sight: Sight) -> list[int]:
    """The night deck; its order only where everything is shown."""
    state = sight.game.state
    if sight.seat is None:
        deck: list[int] = state["night_deck"][: state["n_deck"]].tolist()
        return deck
    return [int(card) for card in np.flatnonzero(sight.part("nights_to_come"))]


def night_cards(sight: Sight, nights: Sequence[int]) -> tuple[NightCard, ...]:
    """Night cards with their values."""
    cards = (sight.cards.nights[night] for night in nights)
    return tuple(NightCard(sight.district(card.district), card.value) for card in cards)


# ---- The board ----


def district_card(sight: Sight, district: int) -> DistrictCard:
    """R1.2: a district."""
    side = sight.side(district)
    cells = np.where(sight.part("space_empty")[district], EMPTY_SPACE, NO_SPACE)
    for seat in sight.seats:
        cells[sight.of("space_owner", seat)[district] == 1] = str(seat)
    lairs = sight.cards.lairs
    return DistrictCard(
        id=sight.cards.districts[district].id,
        name=sight.district(district),
        side="advanced" if sight.part("side")[district] else "basic",
        lair=tuple(sight.minion(kind) for kind in range(GENERICS) if lairs[kind] == district),
        symbols=tuple(sight.minion(kind) for kind in side.symbols),
        scheme=phrases(sight, side.scheme),
        spaces="".join(cells.tolist()),
        sides=tuple(side_of_district(sight, district, seat) for seat in sight.seats),
    )


def side_of_district(sight: Sight, district: int, seat: int) -> SideOfDistrict:
    """A seat's minions in a district, with what they count (R6)."""
    minions = tuple(
        Pile(sight.minion(kind), count, minion_value(kind, sight.cards.lairs[kind], district))
        for kind, count in enumerate(sight.of("minions", seat)[district].tolist())
        if count
    )
    total = sum(pile.count * pile.value for pile in minions)
    return SideOfDistrict(seat, total, bool(sight.of("claims", seat)[district]), minions)


# ---- The players ----


def player(sight: Sight, seat: int, influence: int) -> Player:
    """What may be known of a seat."""
    held = sight.own("held", seat)
    hidden_loot = bool(sight.part("options")[0])
    return Player(
        seat=seat,
        you=seat == sight.seat,
        influence=influence,
        secret=bool(sight.part("options")[2]) and held is None,
        supremacy=bool(sight.of("supremacy", seat)),
        active=bool(sight.of("active", seat)),
        decides=bool(sight.of("decider", seat)),
        stock=int(sight.of("stock", seat)),
        support=sight.support(seat),
        loot_cards=int(sight.of("loot_cards", seat)) if hidden_loot else None,
        hand=piles(sight.cards.minions, known_hand(sight, seat)),
        hand_size=int(sight.of("hand_size", seat)),
        items=piles(item_names(sight), sight.of("items", seat)),
        spent=piles(item_names(sight), sight.of("spent", seat)),
        agenda=() if held is None or not held.any() else agenda_words(sight, int(held.argmax())),
    )


def known_hand(sight: Sight, seat: int) -> NDArray[np.int8]:
    """R13.3, R13.4: a hand as far as it is known."""
    hand = sight.own("hand", seat)
    if hand is not None:
        return hand
    return sight.part("others_hands") if len(sight.seats) == 2 else sight.of("known", seat)


def others_of(sight: Sight) -> tuple[Pile, ...] | None:
    """R13.3: with two players, and where everything is shown, it would say nothing new."""
    if len(sight.seats) == 2 or sight.seat is None:
        return None
    return piles(sight.cards.minions, sight.part("others_hands"))


def agenda_words(sight: Sight, agenda: int) -> tuple[str, ...]:
    """R12.5: an agenda card: its name, its conditions."""
    card = sight.cards.agendas[agenda]
    conditions = (condition_words(sight.cards, condition) for condition in card.conditions)
    return (name_words(card.id), *conditions)


# ---- Loot ----


def loot_groups(sight: Sight, actions: Mapping[str, int]) -> list[LootGroup]:
    """R4.2, R11.1: the loot row, or the loot hands that may be shown."""
    if sight.phase == Phase.OVER:
        return []
    if not sight.part("options")[0]:
        return [loot_group(sight, "Loot row", sight.part("in_row"), actions)]
    groups = []
    for seat in sight.seats:
        held = sight.own("in_hand", seat)
        if held is not None:
            usable = actions if sight.holder("decider") == seat else {}
            groups.append(loot_group(sight, f"Loot in the hand of seat {seat}", held, usable))
    return groups


def loot_group(
    sight: Sight, label: str, shown: NDArray[np.int8], actions: Mapping[str, int]
) -> LootGroup:
    """Cards by a mask over the card set's loot."""
    cards = (sight.cards.loot[loot] for loot in np.flatnonzero(shown))
    return LootGroup(
        label,
        tuple(
            LootCard(
                card.id,
                name_words(card.id),
                sight.minion(card.minion),
                phrases(sight, card.ability),
                actions.get(f"loot:{card.id}"),
            )
            for card in cards
        ),
    )


# ---- The open question, or the result ----


def choices_of(
    sight: Sight, decider: int, probabilities: Probabilities | None
) -> tuple[Choice, ...]:
    """The legal actions."""
    choices = []
    for index in sight.game.legal_actions():
        name = sight.game.action_name(index)
        kind, _, offset = name.partition(":")
        choices.append(
            Choice(
                index,
                name,
                action_words(sight.cards, name, decider, len(sight.seats)),
                (decider + int(offset)) % len(sight.seats) if kind == "seat" else None,
                None if probabilities is None else _probability(probabilities, index),
            )
        )
    return tuple(choices)


def _probability(probabilities: Probabilities, index: int) -> float:
    try:
        value = float(probabilities[index])
    except (LookupError, TypeError, ValueError):
        value = float("nan")
    if not 0 <= value <= 1:
        raise ValueError(f"probabilities: legal action {index} needs a number from 0 to 1")
    return value


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


def effects_of(sight: Sight) -> list[tuple[str, tuple[str, ...]]]:
    """The effects in progress: the card, the word that is resolved, what still waits."""
    effects = []
    for depth in range(STACK_MAX):
        row = first_one(sight.part("effect_row")[depth])
        if row is not None:
            name, steps = effect_steps(sight, depth)
            effects.append((name, tuple(steps[row:]) or ("the scheme",)))
    return effects


def effect_steps(sight: Sight, depth: int) -> tuple[str, list[str]]:
    """The name of an effect's card and its words from the first row on."""
    scheme = first_one(sight.part("effect_scheme")[depth])
    if scheme is not None:
        words = phrases(sight, sight.side(scheme).scheme)
        return f"scheme of {sight.district(scheme)}", [*words]
    item = first_one(sight.part("effect_item")[depth])
    if item is not None:
        card = sight.cards.items[item]
        return name_words(card.id), [*phrases(sight, card.effect)]
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


def phrases(sight: Sight, effect: Effect) -> tuple[str, ...]:
    """The words of an effect as phrases."""
    return tuple(word_phrase(sight.cards, word) for word in effect)


def influences(sight: Sight) -> tuple[Influence, ...]:
    """R10: where everyone's influence comes from."""
    unfulfilled = sight.game.copy()
    unfulfilled.arrays.states["agenda"] = NOTHING
    held = [int(sight.of("items", seat).sum()) for seat in sight.seats]
    told = []
    for seat, (score, without) in enumerate(
        zip(sight.game.scores(), unfulfilled.scores(), strict=True)
    ):
        most = held[seat] > max(held[:seat] + held[seat + 1 :])
        parts = {
            "items": held[seat] + most,
            "minions in hand": int(sight.of("hand_size", seat)),
            "support markers": sight.support(seat),
        }
        placed = {"markers": without - sum(parts.values())}
        agenda = {"agenda": score - without} if sight.part("options")[2] else {}
        named = {**placed, **parts, **agenda}.items()
        told.append(Influence(seat, score, tuple(Pile(name, part) for name, part in named)))
    return tuple(told)

"""A scene made of a game: what its reader may know, put into words of the card set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env.cards.card_set import Effect
from hemlock_env.cards.compile import minion_value
from hemlock_env.cards.vocabulary import DISTRICTS, GENERICS
from hemlock_env.cards.wording import (
    card_words,
    condition_words,
    name_words,
    with_article,
    word_phrase,
)
from hemlock_env.engine.constants import KEPT_MINIONS, STACK_MAX, WEEK_NIGHTS, Decision, Phase
from hemlock_env.render import scene
from hemlock_env.render.sight import Shown, Sight, first_one
from hemlock_env.render.words import action_words

PHASE_WORDS = {
    Phase.LOOT: "using loot",
    Phase.SPECIAL: "special actions",
    Phase.CLAIM: "week's end, the claims",
    Phase.DISCARD_DOWN: "week's end, discarding down",
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

Probabilities = Mapping[int, float] | Sequence[float] | NDArray[Any]


def build_scene(
    game: Shown, seat: int | None = None, probabilities: Probabilities | None = None
) -> scene.Scene:
    """The table as `seat` knows it; None, and a game that is over, shows everything.

    Args:
        game: at any decision, or over.
        seat: whose view.
        probabilities: of actions by index, from a policy; shown beside the legal ones.

    Raises:
        ValueError: there is no such seat, or a legal action has no probability.
    """
    sight = Sight(game.arrays, seat)
    cards, decider = sight.cards, sight.holder("decider")
    may_choose = sight.seat in (None, decider) and not sight.over
    choices = choices_of(sight, decider or 0, probabilities) if may_choose else ()
    used = np.flatnonzero(sight.part("used"))
    return scene.Scene(
        title=cards.name,
        seat=sight.seat,
        over=sight.over,
        course=course_words(sight),
        supremacy=f"Seat {sight.holder('supremacy')} has supremacy.",
        result=result_words(sight.winners()) if sight.over else "",
        nights=night_cards(sight, revealed_nights(sight)),
        to_come=night_cards(sight, nights_to_come(sight)),
        order="in this order" if sight.seat is None else "in any order",
        districts=tuple(district_card(sight, district) for district in range(DISTRICTS)),
        players=tuple(player(sight, seat, score) for seat, score in enumerate(sight.scores())),
        others=others_of(sight),
        loot=tuple(loot_groups(sight, {choice.name: choice.index for choice in choices})),
        used=tuple(name_words(cards.loot[loot].id) for loot in used),
        supply=piles(cards.minions, sight.part("supply")),
        item_supply=piles(item_names(sight), sight.part("item_supply")),
        discard=piles(cards.minions, sight.part("discard")),
        effects=tuple(effects_of(sight)),
        decider=decider,
        question="" if sight.over else QUESTIONS[sight.decision].format(asked_about(sight)),
        choices=choices,
        influence=influences(sight) if sight.over else (),
    )


def piles(names: Sequence[str], counts: NDArray[np.int8]) -> tuple[scene.Pile, ...]:
    """How many of each, those that there are."""
    return tuple(
        scene.Pile(name_words(name), count)
        for name, count in zip(names, counts.tolist(), strict=True)
        if count
    )


def item_names(sight: Sight) -> list[str]:
    """The ids of the items."""
    return [item.id for item in sight.cards.items]


# ---- The course of the game ----


def course_words(sight: Sight) -> str:
    """Week, night, part of the night and turn, or that the game is over."""
    if sight.phase == Phase.OVER:
        return "The game is over."
    week, night = sight.part("second_week") + 1, (sight.one("night") or 0) + 1
    course = f"Week {week} of 2, night {night} of {WEEK_NIGHTS}: {PHASE_WORDS[sight.phase]}"
    if sight.phase in TURNS:
        turns = TURNS[sight.phase] * len(sight.seats)
        course += f", turn {(sight.one('turn') or 0) + 1} of {turns}"
        course += f" (seat {sight.holder('active')})"
    return f"{course}."


def result_words(winners: Sequence[int]) -> str:
    """R10.6: who has won."""
    if len(winners) == 1:
        return f"Seat {winners[0]} has won."
    return f"A draw between the seats {', '.join(map(str, winners))}."


def revealed_nights(sight: Sight) -> list[int]:
    """R4.1: the night cards that lie open."""
    cards = map(first_one, sight.part("nights"))
    return [card for card in cards if card is not None]


def nights_to_come(sight: Sight) -> list[int]:
    """The night deck; its order only where everything is shown."""
    if sight.seat is None:
        deck: list[int] = sight.state["night_deck"][: sight.state["n_deck"]].tolist()
        return deck
    return [int(card) for card in np.flatnonzero(sight.part("nights_to_come"))]


def night_cards(sight: Sight, nights: Sequence[int]) -> tuple[scene.Pile, ...]:
    """Night cards with their values."""
    cards = (sight.cards.nights[night] for night in nights)
    return tuple(scene.Pile(sight.district(card.district), 1, card.value) for card in cards)


# ---- The board ----


def district_card(sight: Sight, district: int) -> scene.DistrictCard:
    """R1.2: a district."""
    side = sight.side(district)
    cells = np.where(sight.part("space_empty")[district], scene.EMPTY_SPACE, scene.NO_SPACE)
    for seat in sight.seats:
        cells[sight.of("space_owner", seat)[district] == 1] = str(seat)
    lairs = sight.cards.lairs
    at_home = [sight.minion(kind) for kind in range(GENERICS) if lairs[kind] == district]
    return scene.DistrictCard(
        id=sight.cards.districts[district].id,
        name=sight.district(district),
        side="advanced" if sight.part("side")[district] else "basic",
        lair=" and the ".join(at_home),
        symbols=", ".join(map(sight.minion, side.symbols)) or "servants alone",
        scheme=", then ".join(phrases(sight, side.scheme)) or "nothing",
        spaces="".join(cells.tolist()),
        sides=tuple(side_of_district(sight, district, seat) for seat in sight.seats),
    )


def side_of_district(sight: Sight, district: int, seat: int) -> scene.SideOfDistrict:
    """A seat's minions in a district, with what they count (R6)."""
    minions = tuple(
        scene.Pile(sight.minion(kind), count, minion_value(kind, sight.cards.lairs[kind], district))
        for kind, count in enumerate(sight.of("minions", seat)[district].tolist())
        if count
    )
    total = sum(pile.count * pile.value for pile in minions)
    return scene.SideOfDistrict(seat, total, bool(sight.of("claims", seat)[district]), minions)


# ---- The players ----


def player(sight: Sight, seat: int, influence: int) -> scene.Player:
    """What may be known of a seat."""
    agenda = sight.own("held", seat)
    hidden_loot = bool(sight.part("options")[0])
    return scene.Player(
        seat=seat,
        you=seat == sight.seat,
        influence=influence,
        secret=bool(sight.part("options")[2]) and agenda is None,
        supremacy=bool(sight.of("supremacy", seat)),
        decides=bool(sight.of("decider", seat)),
        stock=int(sight.of("stock", seat)),
        support=sight.support(seat),
        loot_cards=int(sight.of("loot_cards", seat)) if hidden_loot else None,
        hand=piles(sight.cards.minions, known_hand(sight, seat)),
        hand_size=int(sight.of("hand_size", seat)),
        items=piles(item_names(sight), sight.of("items", seat)),
        spent=piles(item_names(sight), sight.of("spent", seat)),
        agenda=() if agenda is None else agenda_words(sight, first_one(agenda)),
    )


def known_hand(sight: Sight, seat: int) -> NDArray[np.int8]:
    """R13.3, R13.4: a hand as far as it is known."""
    hand = sight.own("hand", seat)
    if hand is not None:
        return hand
    return sight.part("others_hands") if len(sight.seats) == 2 else sight.of("known", seat)


def others_of(sight: Sight) -> tuple[scene.Pile, ...] | None:
    """R13.3: what all other hands hold together; None where that says nothing new, with two players
    and where everything is shown.
    """
    if len(sight.seats) == 2 or sight.seat is None:
        return None
    return piles(sight.cards.minions, sight.part("others_hands"))


def agenda_words(sight: Sight, agenda: int | None) -> tuple[str, ...]:
    """R12.5: an agenda card: its name, its conditions; nothing where no agenda was dealt."""
    if agenda is None:
        return ()
    card = sight.cards.agendas[agenda]
    conditions = (condition_words(sight.cards, condition) for condition in card.conditions)
    return (name_words(card.id), *conditions)


# ---- Loot ----


def loot_groups(sight: Sight, actions: Mapping[str, int]) -> list[scene.LootGroup]:
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
    sight: Sight, name: str, mask: NDArray[np.int8], actions: Mapping[str, int]
) -> scene.LootGroup:
    """Cards by a mask over the card set's loot."""
    cards = []
    for index in np.flatnonzero(mask):
        loot = sight.cards.loot[index]
        words, action = card_words(sight.cards, loot), actions.get(f"loot:{loot.id}")
        cards.append(scene.LootCard(name_words(loot.id), words, action))
    return scene.LootGroup(name, tuple(cards))


# ---- The open question, or the result ----


def choices_of(
    sight: Sight, decider: int, probabilities: Probabilities | None
) -> tuple[scene.Choice, ...]:
    """The legal actions."""
    choices, seats = [], len(sight.seats)
    for index, name in sight.legal_actions().items():
        kind, _, offset = name.partition(":")
        seat = (decider + int(offset)) % seats if kind == "seat" else None
        likely = None if probabilities is None else _probability(probabilities, index)
        words = action_words(name, decider, seats)
        choices.append(scene.Choice(index, name, words, seat, likely))
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


def effects_of(sight: Sight) -> list[str]:
    """The effects in progress: the card, the word that is resolved, what still waits."""
    effects = []
    for depth in range(STACK_MAX):
        row = first_one(sight.part("effect_row")[depth])
        if row is not None:
            name, steps = effect_steps(sight, depth)
            effects.append(f"{name}: {', then '.join(steps[row:] or ['the scheme'])}")
    return effects


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
    district = first_one(sight.part("effect_here")[depth])
    where = "" if district is None else f" in {sight.district(district)}"
    return name_words(loot.id) + where, steps


def phrases(sight: Sight, effect: Effect) -> list[str]:
    """The words of an effect as phrases."""
    return [word_phrase(sight.cards, word) for word in effect]


def influences(sight: Sight) -> tuple[scene.Influence, ...]:
    """R10: where everyone's influence comes from."""
    items = [int(sight.of("items", seat).sum()) for seat in sight.seats]
    totals, without_agendas = sight.scores(), sight.scores_without_agendas(sight.seats)
    influences = []
    for seat, (total, without) in enumerate(zip(totals, without_agendas, strict=True)):
        has_most_items = items[seat] > max(items[:seat] + items[seat + 1 :])
        sources = {
            "items": items[seat] + has_most_items,
            "minions in hand": int(sight.of("hand_size", seat)),
            "support markers": sight.support(seat),
        }
        sources = {"markers": without - sum(sources.values()), **sources}
        if sight.part("options")[2]:
            sources["agenda"] = total - without
        words = ", ".join(f"{source} {influence}" for source, influence in sources.items())
        influences.append(scene.Influence(seat, total, words))
    return tuple(influences)

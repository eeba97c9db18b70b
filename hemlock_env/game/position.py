"""`hemlock-position/1`: a whole game between two decisions as plain JSON, written and read back
(docs/formats.md).
"""

from __future__ import annotations

import json
import os
import re
from typing import Any

import numpy as np

from hemlock_env._check import Checks
from hemlock_env.cards import CardSet, load_card_set
from hemlock_env.cards.tables import FIRST_ITEM_SOURCE, FIRST_SCHEME_SOURCE, NOWHERE, PROGRAM_ROWS
from hemlock_env.cards.vocabulary import CELLS, DISTRICTS, FIRST_LEADER, GRID, NIGHTS, Op
from hemlock_env.engine import kernel
from hemlock_env.engine.constants import (
    EMPTY,
    LOOT_HAND,
    MARKERS,
    NO_SPACE,
    NOBODY,
    NOTHING,
    OWNED,
    STACK_MAX,
    WEEK_NIGHTS,
    Decision,
    Phase,
    Step,
)
from hemlock_env.engine.fields import SUPPORT_BASE
from hemlock_env.game.arrays import GameArrays, prepare
from hemlock_env.game.game import Game, draw_seed
from hemlock_env.game.options import (
    SEED_LIMIT,
    SIDES,
    Options,
    check_options,
    check_seed,
    find_card_set,
)
from hemlock_env.game.spec import GameSpec, spec_for

FORMAT = "hemlock-position/1"
PHASES = tuple(phase.name.lower() for phase in Phase)
DECISIONS = tuple(decision.name.lower() for decision in Decision)
SIDE_WORDS = SIDES[:2]
OPTION_KEYS = ("num_players", "sides", "loot", "items_as_loot", "agendas")
WHOLE_DECISIONS = ("use_loot", "special_action")  # nothing is half done there
SUPPORT_MAX = 10 * SUPPORT_BASE - 1

REQUIRED = (
    "format card_set options week night phase turn supremacy supply players districts nights "
    "night_deck loot_row decision"
).split()
OPTIONAL = "card_set_hash discard loot_used scores winners pending rng".split()
PLAYER_REQUIRED = ("hand", "items", "markers", "support")
PLAYER_OPTIONAL = ("known", "spent", "agenda", "loot_hand")

# Where the rules stand at a question of each phase, with nothing half done and with an effect in
# progress.
STEPS = {
    "loot": (Step.USE_LOOT, Step.LOOT_USED),
    "special": (Step.SPECIAL, Step.SPECIAL_DONE),
    "claim": (Step.CLAIM, None),
    "discard_down": (Step.DISCARD_DOWN, None),
    "over": (Step.OVER, None),
}


class PositionError(ValueError):
    """A position that breaks the rules or the format; the message begins with the field."""


FIELD = Checks(PositionError, "{name}: {value!r} {fault}", plain=True)


# ---- writing -------------------------------------------------------------------------------------


class Names:
    """The ids of one card set, by number."""

    def __init__(self, card_set: CardSet) -> None:
        self.minions = card_set.minions
        self.items = tuple(item.id for item in card_set.items)
        self.districts = tuple(district.id for district in card_set.districts)
        self.nights = tuple(night.id for night in card_set.nights)
        self.loot = tuple(loot.id for loot in card_set.loot)
        self.agendas = tuple(agenda.id for agenda in card_set.agendas)

    def source(self, source: int) -> str:
        """What an effect stands on, such as `loot:servants_bell`."""
        if source >= FIRST_SCHEME_SOURCE:
            return f"scheme:{self.districts[(source - FIRST_SCHEME_SOURCE) // 2]}"
        if source >= FIRST_ITEM_SOURCE:
            return f"item:{self.items[source - FIRST_ITEM_SOURCE]}"
        return f"loot:{self.loot[source]}"


def write_position(game: Game) -> dict[str, Any]:
    """The position of a game, hidden parts included."""
    state, names, seats = game.state, Names(game.card_set), range(game.num_players)
    phase = phase_of(int(state["step"]))
    over = phase == "over"
    return {
        "format": FORMAT,
        "card_set": game.card_set.id,
        "card_set_hash": game.card_set.hash,
        "options": {
            "num_players": game.num_players,
            "sides": [SIDE_WORDS[side] for side in state["side"]],
            "loot": "hand" if state["hidden_loot"] else "row",
            "items_as_loot": bool(state["items_as_loot"]),
            "agendas": bool(state["agendas"]),
        },
        "week": int(state["week"]),
        "night": int(state["night"]),
        "phase": phase,
        "turn": int(state["turn"]),
        "supremacy": int(state["supremacy"]),
        "supply": {
            "minions": _counts(names.minions, state["supply"]),
            "items": _counts(names.items, state["item_supply"]),
        },
        "discard": _counts(names.minions, state["discard"]),
        "players": [_write_player(state, names, seat) for seat in seats],
        "districts": {
            district: {
                "minions": [
                    _counts(names.minions, state["minions"][number, seat]) for seat in seats
                ],
                "spaces": write_spaces(state["spaces"][number]),
            }
            for number, district in enumerate(names.districts)
        },
        "nights": [names.nights[card] for card in state["nights"][: state["n_nights"]]],
        "night_deck": [names.nights[card] for card in state["night_deck"][: state["n_deck"]]],
        "loot_row": _flagged(names.loot, state["row"]),
        "loot_used": _flagged(names.loot, state["used"]),
        "decision": None if over else _write_decision(game),
        "scores": game.scores() if over else None,
        "winners": game.winners() if over else None,
        "pending": _write_pending(state, names),
        "rng": {"seed": int(state["seed"])},
    }


def phase_of(step: int) -> str:
    """The phase that a position names, at a question."""
    return next(phase for phase, steps in STEPS.items() if step in steps)


def _counts(ids: tuple[str, ...], counts: Any) -> dict[str, int]:
    """Counts by id, zeros left out."""
    return {name: int(count) for name, count in zip(ids, counts, strict=True) if count}


def _flagged(ids: tuple[str, ...], flags: Any) -> list[str]:
    """The ids whose flag is set, in the card set's order."""
    return [name for name, flag in zip(ids, flags, strict=False) if flag]


def write_spaces(cells: Any) -> list[str]:
    """Three rows of three: `.` empty, a digit for the owner's seat, a blank for no space."""
    signs = {NO_SPACE: " ", EMPTY: "."}
    line = "".join(signs.get(int(cell), str(int(cell) - OWNED)) for cell in cells)
    return [line[start : start + GRID] for start in range(0, CELLS, GRID)]


def _write_player(state: Any, names: Names, seat: int) -> dict[str, Any]:
    agenda = int(state["agenda"][seat])
    return {
        "hand": _counts(names.minions, state["hand"][seat]),
        "known": _counts(names.minions, state["known"][seat]),
        "items": _counts(names.items, state["items"][seat]),
        "spent": _counts(names.items, state["spent"][seat]),
        "markers": int(state["stock"][seat]),
        "support": int(state["support"][seat]),
        "agenda": None if agenda == NOTHING else names.agendas[agenda],
        "loot_hand": _flagged(names.loot, state["loot_hand"][seat]),
    }


def _write_decision(game: Game) -> dict[str, Any]:
    return {
        "seat": game.seat,
        "kind": DECISIONS[int(game.state["decision"])],
        "legal": [game.action_name(action) for action in game.legal_actions()],
    }


def _write_pending(state: Any, names: Names) -> dict[str, Any]:
    """Effects in progress, the claim in progress, and how many decisions there were."""
    return {
        "effects": [
            {
                "source": names.source(int(frame["source"])),
                "row": int(frame["row"]),
                "here": _name_or_null(names.districts, frame["here"]),
                "triggers": bool(frame["triggers"]),
                "rival": None if frame["rival"] == NOBODY else int(frame["rival"]),
                "from": _name_or_null(names.districts, frame["district"]),
                "minion": _name_or_null(names.minions, frame["minion"]),
                "progress": int(frame["progress"]),
            }
            for frame in state["frames"][: state["depth"]]
        ],
        "claim": {"at": int(state["claim_at"]), "left": int(state["markers_left"])},
        "decisions": int(state["decisions"]),
    }


def _name_or_null(ids: tuple[str, ...], number: Any) -> str | None:
    return None if number < 0 else ids[int(number)]


def same_json(given: Any, right: Any) -> bool:
    """Equal to the last sign: in JSON 1, 1.0 and true are three things, in Python one."""
    try:
        return json.dumps(given, sort_keys=True) == json.dumps(right, sort_keys=True)
    except (TypeError, ValueError):
        return False


# ---- reading: small checks that name the field ---------------------------------------------------


def _word(value: Any, words: tuple[str, ...], field: str) -> int:
    """The number of an id."""
    return words.index(FIELD.one_of(value, words, field))


def _table(value: Any, required: Any, optional: Any, field: str) -> dict[str, Any]:
    """A JSON object with all the required keys and none but these."""
    if not isinstance(value, dict):
        raise PositionError(f"{field}: must be an object, not {value!r}")
    at = "" if field == "position" else f"{field}."
    for key in value:
        if key not in required and key not in optional:
            known = ", ".join([*required, *optional])
            raise PositionError(f"{at}{key}: unknown key; known are {known}")
    for key in required:
        if key not in value:
            raise PositionError(f"{at}{key}: is missing")
    return value


def _list(value: Any, length: int | None, field: str) -> list[Any]:
    if not isinstance(value, list) or (length is not None and len(value) != length):
        wanted = "a list" if length is None else f"a list of {length}"
        raise PositionError(f"{field}: must be {wanted}, not {value!r}")
    return value


def _read_counts(value: Any, ids: tuple[str, ...], field: str) -> list[int]:
    """`{id: count}` as a count for every id; zeros and any order are accepted."""
    table = _table(value, (), ids, field)
    return [FIELD.whole(table.get(name, 0), 0, 127, f"{field}.{name}") for name in ids]


def _read_cards(value: Any, ids: tuple[str, ...], field: str) -> list[int]:
    """A list of different ids, as numbers in the order given."""
    cards = [_word(name, ids, field) for name in _list(value, None, field)]
    if len(set(cards)) < len(cards):
        raise PositionError(f"{field}: a card stands in it twice: {value!r}")
    return cards


# ---- reading -------------------------------------------------------------------------------------


def read_position(
    position: Any,
    *,
    seed: int | None = None,
    card_set: CardSet | str | os.PathLike[str] | None = None,
) -> Game:
    """A game from a position; PositionError names the field that can't be."""
    _table(position, REQUIRED, OPTIONAL, "position")
    if position["format"] != FORMAT:
        raise PositionError(f"format: {position['format']!r} must be {FORMAT!r}")
    cards = _find_cards(position, card_set)
    options = _read_options(position["options"], cards)
    arrays = GameArrays(spec_for(cards, options.num_players), 1)
    prepare()
    options.write(arrays.states)
    kernel.set_up_game(arrays.states, arrays.spec.tables, 0, np.uint64(0))
    Reader(position, arrays, options).read(_read_seed(position, seed))
    arrays.run(kernel.SHOW)
    return Game.from_arrays(arrays, options)


def _find_cards(position: dict[str, Any], card_set: Any) -> CardSet:
    """The card set that the position names, from the package or from where the caller says."""
    name = position["card_set"]
    if not isinstance(name, str) or not re.fullmatch("[a-z][a-z0-9_]*", name):
        raise PositionError(f"card_set: {name!r} must be the id of a card set")
    try:
        cards = find_card_set(card_set) if card_set is not None else load_card_set(name)
    except ValueError as error:
        raise PositionError(f"card_set: {error}") from None
    if cards.id != name:
        raise PositionError(f"card_set: the position is for {name!r}, the file holds {cards.id!r}")
    wanted = position.get("card_set_hash", cards.hash)
    if wanted != cards.hash:
        raise PositionError(
            f"card_set_hash: the position is for {wanted!r}, the card set here is {cards.hash!r}"
        )
    return cards


def _read_options(value: Any, cards: CardSet) -> Options:
    given = _table(value, OPTION_KEYS, (), "options")
    for side in _list(given["sides"], DISTRICTS, "options.sides"):
        _word(side, SIDE_WORDS, "options.sides")
    try:
        return check_options(cards, **given)
    except ValueError as error:
        raise PositionError(f"options: {error}") from None


def _read_seed(position: dict[str, Any], seed: int | None) -> int:
    """The seed of all chance to come."""
    if "rng" in position:
        rng = _table(position["rng"], ("seed",), (), "rng")
        return FIELD.whole(rng["seed"], 0, SEED_LIMIT - 1, "rng.seed")
    return draw_seed() if seed is None else check_seed(seed)


class Reader:
    """Fills a game's record from a position, field by field, and holds it against the rules."""

    def __init__(self, position: dict[str, Any], arrays: GameArrays, options: Options) -> None:
        self.position = position
        self.arrays = arrays
        self.options = options
        self.spec: GameSpec = arrays.spec
        self.names = Names(self.spec.card_set)
        self.state = arrays.states[0]
        self.n = options.num_players

    def read(self, seed: int) -> None:
        """Everything, in an order in which each part may rely on the parts before it."""
        self.state["seed"] = seed
        self.read_course()
        self.read_supply()
        for seat, player in enumerate(_list(self.position["players"], self.n, "players")):
            self.read_player(seat, player)
        self.read_districts()
        self.read_nights()
        self.read_loot()
        self.read_agendas()
        self.check_conservation()
        self.check_returned()
        self.read_pending()
        self.check_decision()
        self.check_result()

    def read_course(self) -> None:
        """R3: week, night, phase, turn, supremacy."""
        state, position = self.state, self.position
        state["week"] = FIELD.whole(position["week"], 1, 2, "week")
        state["night"] = FIELD.whole(position["night"], 1, WEEK_NIGHTS, "night")
        self.phase = PHASES[_word(position["phase"], PHASES, "phase")]
        turns = {"loot": 2 * self.n, "special": self.n}.get(self.phase, 1)
        state["turn"] = FIELD.whole(position["turn"], 0, turns - 1, "turn")
        state["supremacy"] = FIELD.whole(position["supremacy"], 0, self.n - 1, "supremacy")
        if self.phase not in ("loot", "special") and state["night"] != WEEK_NIGHTS:
            raise PositionError(f"night: {state['night']} must be 4 in phase {self.phase!r} (R3.2)")
        wanted = {"discard_down": 1, "over": 2}.get(self.phase, state["week"])
        if state["week"] != wanted:
            raise PositionError(f"week: must be {wanted} in phase {self.phase!r} (R9.6, R3.2)")

    def read_supply(self) -> None:
        """R2.1, R6.5."""
        supply = _table(self.position["supply"], ("minions", "items"), (), "supply")
        minions, items = self.names.minions, self.names.items
        self.state["supply"] = _read_counts(supply["minions"], minions, "supply.minions")
        self.state["item_supply"] = _read_counts(supply["items"], items, "supply.items")
        self.state["discard"] = _read_counts(self.position.get("discard", {}), minions, "discard")

    def read_player(self, seat: int, value: Any) -> None:
        """What a seat holds, agendas and loot hands apart."""
        field = f"players[{seat}]"
        player = _table(value, PLAYER_REQUIRED, PLAYER_OPTIONAL, field)
        minions, items, state = self.names.minions, self.names.items, self.state
        state["hand"][seat] = _read_counts(player["hand"], minions, f"{field}.hand")
        state["known"][seat] = _read_counts(player.get("known", {}), minions, f"{field}.known")
        state["items"][seat] = _read_counts(player["items"], items, f"{field}.items")
        state["spent"][seat] = _read_counts(player.get("spent", {}), items, f"{field}.spent")
        state["stock"][seat] = FIELD.whole(player["markers"], 0, MARKERS, f"{field}.markers")
        state["support"][seat] = FIELD.whole(player["support"], 0, SUPPORT_MAX, f"{field}.support")
        for kind, name in enumerate(minions):
            if state["known"][seat, kind] > state["hand"][seat, kind]:
                raise PositionError(f"{field}.known.{name}: is more than the hand holds (R13.4)")

    def read_districts(self) -> None:
        """R1.2: minions by seat, and the spaces as the side has them."""
        districts = _table(self.position["districts"], self.names.districts, (), "districts")
        for number, name in enumerate(self.names.districts):
            field = f"districts.{name}"
            district = _table(districts[name], ("minions", "spaces"), (), field)
            sides = _list(district["minions"], self.n, f"{field}.minions")
            for seat, counts in enumerate(sides):
                where = f"{field}.minions[{seat}]"
                self.state["minions"][number, seat] = _read_counts(
                    counts, self.names.minions, where
                )
                self.check_leaders(number, seat, where)
            self.read_spaces(number, district["spaces"], f"{field}.spaces")

    def check_leaders(self, district: int, seat: int, field: str) -> None:
        """R6.4: only at home, and one on a side."""
        leaders = self.state["minions"][district, seat, FIRST_LEADER:]
        homes = self.spec.card_set.lairs[FIRST_LEADER:]
        for leader, name in enumerate(self.names.minions[FIRST_LEADER:]):
            if leaders[leader] > (homes[leader] == district):
                raise PositionError(
                    f"{field}.{name}: a leader stands only in its lair, and alone (R6.4)"
                )

    def read_spaces(self, district: int, value: Any, field: str) -> None:
        """R12.1: three rows of three; `.`, a seat's digit, or a blank where no space is."""
        rows = _list(value, GRID, field)
        if any(not isinstance(row, str) or len(row) != GRID for row in rows):
            raise PositionError(f"{field}: must be three rows of three characters, not {rows!r}")
        signs = {" ": NO_SPACE, ".": EMPTY, **{str(seat): OWNED + seat for seat in range(self.n)}}
        for cell, sign in enumerate("".join(rows)):
            place = f"{field}[{cell // GRID}][{cell % GRID}]"
            if sign not in signs:
                raise PositionError(f"{place}: {sign!r} must be a blank, '.' or a seat")
            is_space = self.state["spaces"][district, cell] != NO_SPACE
            if is_space != (sign != " "):
                what = "a space" if is_space else "no space"
                raise PositionError(f"{place}: {sign!r}, but this side has {what} there (R12.1)")
            self.state["spaces"][district, cell] = signs[sign]

    def read_nights(self) -> None:
        """R2.4, R4.1, R9.5."""
        state, position = self.state, self.position
        nights = _read_cards(position["nights"], self.names.nights, "nights")
        deck = _read_cards(position["night_deck"], self.names.nights, "night_deck")
        if set(nights) & set(deck):
            raise PositionError("night_deck: holds a card that is among `nights`")
        to_come = NIGHTS - (int(state["week"]) - 1) * WEEK_NIGHTS - int(state["night"])
        if len(deck) != to_come:
            raise PositionError(f"night_deck: must hold {to_come} cards at this night (R4.1)")
        few, many = {"claim": (1, WEEK_NIGHTS)}.get(self.phase, (int(state["night"]),) * 2)
        if self.phase in ("discard_down", "over"):
            few = many = 0
        if not few <= len(nights) <= many:
            raise PositionError(f"nights: must hold {few} to {many} cards here (R4.1, R9.5)")
        state["nights"] = nights + [0] * (WEEK_NIGHTS - len(nights))
        state["n_nights"] = len(nights)
        state["night_deck"] = deck + [0] * (NIGHTS - len(deck))
        state["n_deck"] = len(deck)

    def read_loot(self) -> None:
        """R4.2, R5.2, R11.1: each card in one place, and the right number of them."""
        position, loot = self.position, self.names.loot
        row = _read_cards(position["loot_row"], loot, "loot_row")
        used = _read_cards(position.get("loot_used", []), loot, "loot_used")
        hands = []
        for seat, player in enumerate(position["players"]):
            field = f"players[{seat}].loot_hand"
            hands.append(_read_cards(player.get("loot_hand", []), loot, field))
            self.state["loot_hand"][seat][hands[seat]] = 1
        places = [*row, *used, *(card for hand in hands for card in hand)]
        for card in set(places):
            if places.count(card) > 1:
                raise PositionError(f"loot_used: {loot[card]} is also in loot_row or a loot_hand")
        self.state["row"][row] = 1
        self.state["used"][used] = 1
        self.uses = self.uses_by_seat()
        if self.options.loot == "hand":
            self.check_loot_hands(row, hands)
        else:
            self.check_loot_row(row, hands)
        self.check_loot_used(used)

    def uses_by_seat(self) -> list[int]:
        """Turns of the loot phase that each seat has begun, the running one included (R5.1)."""
        begun = [0] * self.n
        if self.phase != "loot":
            return [2] * self.n
        turns = int(self.state["turn"]) + self.is_in_use()
        for turn in range(turns):
            begun[(int(self.state["supremacy"]) + turn) % self.n] += 1
        return begun

    def is_in_use(self) -> bool:
        """Is a loot card or an item of the loot phase being resolved?"""
        decision = self.position["decision"]
        return isinstance(decision, dict) and decision.get("kind") != "use_loot"

    def check_loot_row(self, row: list[int], hands: list[list[int]]) -> None:
        """R4.2, R5.2; with R11.2 an item may have been used instead."""
        if any(hands):
            raise PositionError("players: a loot_hand without the option loot='hand' (R11.1)")
        cards = 2 * self.n + 1
        few, many = cards - sum(self.uses), cards
        if not self.options.items_as_loot:
            many = few
        if self.phase != "loot":
            few = many = 0
        if not few <= len(row) <= many:
            raise PositionError(
                f"loot_row: {len(row)} cards, but {few} to {many} can be left (R5.2)"
            )
        used = self.position.get("loot_used")
        if self.phase == "loot" and used is not None and len(row) + len(used) != cards:
            raise PositionError(f"loot_used: with the loot_row it must make {cards} cards (R4.2)")

    def check_loot_hands(self, row: list[int], hands: list[list[int]]) -> None:
        """R11.1: three cards each, less those used; the third goes back."""
        if row:
            raise PositionError("loot_row: must be empty with the option loot='hand' (R11.1)")
        for seat, hand in enumerate(hands):
            few = max(LOOT_HAND - self.uses[seat], 0)
            many = LOOT_HAND if self.options.items_as_loot else few
            if self.phase != "loot":
                few = many = 0
            if not few <= len(hand) <= many:
                raise PositionError(
                    f"players[{seat}].loot_hand: {len(hand)} cards, but {few} to {many} are "
                    "right (R11.1)"
                )
        used = self.position.get("loot_used")
        dealt = LOOT_HAND * self.n - sum(len(hand) for hand in hands)
        if self.phase == "loot" and used is not None and len(used) != dealt:
            raise PositionError(f"loot_used: {dealt} cards have left the hands (R11.1)")

    def check_loot_used(self, used: list[int]) -> None:
        """R5.1: no more than the uses so far; after them exactly so many, unless items stood in or
        it's left out.
        """
        most = sum(self.uses)
        exact = used and self.phase != "loot" and not self.options.items_as_loot
        if len(used) > most or (exact and len(used) != most):
            raise PositionError(f"loot_used: {len(used)} cards, but {most} were used (R5.1)")

    def read_agendas(self) -> None:
        """R11.3: with the option a card for each seat, no card twice; without it none."""
        held: list[int] = []
        for seat, player in enumerate(self.position["players"]):
            field = f"players[{seat}].agenda"
            agenda = player.get("agenda")
            if not self.options.agendas:
                if agenda is not None:
                    raise PositionError(f"{field}: {agenda!r} without the option agendas (R11.3)")
                continue
            held.append(_word(agenda, self.names.agendas, field))
            if held.count(held[-1]) > 1:
                raise PositionError(f"{field}: {agenda} is held twice (R11.3)")
            self.state["agenda"][seat] = held[-1]

    def check_conservation(self) -> None:
        """R1.5, R1.6: every card and marker is somewhere, once."""
        state, cards = self.state, self.spec.card_set
        for kind, name in enumerate(self.names.minions):
            count = (
                state["supply"][kind]
                + state["discard"][kind]
                + state["hand"][:, kind].sum()
                + state["minions"][:, :, kind].sum()
            )
            self.check_total(f"supply.minions.{name}", name, count, cards.minion_copies[kind])
        for item, name in enumerate(self.names.items):
            count = (
                state["item_supply"][item]
                + state["items"][:, item].sum()
                + state["spent"][:, item].sum()
            )
            self.check_total(f"supply.items.{name}", name, count, cards.item_copies[item])
        for seat in range(self.n):
            placed = int((state["spaces"] == OWNED + seat).sum())
            if placed + state["stock"][seat] != MARKERS:
                raise PositionError(
                    f"players[{seat}].markers: {state['stock'][seat]} in stock and {placed} placed "
                    f"make {placed + state['stock'][seat]}, not {MARKERS} (R1.6)"
                )

    def check_total(self, field: str, name: str, count: int, copies: int) -> None:
        """R1.5."""
        if count != copies * self.n:
            raise PositionError(
                f"{field}: {count} {name} in all places, but {copies * self.n} exist (R1.5)"
            )

    def check_returned(self) -> None:
        """R9.5, R9.7: what has gone back to the supply by now."""
        if self.phase not in ("discard_down", "over"):
            return
        if self.state["spent"].any():
            raise PositionError("players: `spent` items have gone back to the supply by now (R9.5)")
        if self.state["minions"][:, :, FIRST_LEADER:].any():
            raise PositionError("districts: leaders have gone back to the supply by now (R9.5)")
        if self.phase == "over" and self.state["discard"].any():
            raise PositionError("discard: has gone back to the supply by now (R9.7)")

    # ---- what is half done ----

    def read_pending(self) -> None:
        """Effects and the claim in progress; left out where nothing is half done."""
        state = self.state
        whole, busy = STEPS[self.phase]
        if "pending" not in self.position:
            decision = self.position["decision"]
            kind = decision.get("kind") if isinstance(decision, dict) else None
            if self.phase != "over" and kind not in WHOLE_DECISIONS:
                raise PositionError(f"pending: is missing, and {kind!r} needs it")
            pending: dict[str, Any] = {}
        else:
            pending = _table(
                self.position["pending"], (), ("effects", "claim", "decisions"), "pending"
            )
        if self.phase in ("loot", "special"):
            state["active"] = (state["supremacy"] + state["turn"]) % self.n
        effects = _list(pending.get("effects", []), None, "pending.effects")
        if len(effects) > (STACK_MAX if busy is not None else 0):
            raise PositionError(f"pending.effects: too many for phase {self.phase!r} (R7.6)")
        for depth, effect in enumerate(effects):
            self.read_effect(depth, effect, f"pending.effects[{depth}]")
        state["depth"] = len(effects)
        state["step"] = busy if effects else whole
        state["decisions"] = FIELD.whole(pending.get("decisions", 0), 0, 10**6, "pending.decisions")
        self.read_claim(pending.get("claim", {"at": 0, "left": 0}))

    def read_effect(self, depth: int, value: Any, field: str) -> None:
        """One effect in progress: first a loot card or an item, above it a scheme (R7.6)."""
        keys = ("source", "row", "here", "triggers", "rival", "from", "minion", "progress")
        effect = _table(value, keys, (), field)
        frame = self.state["frames"][depth]
        source = frame["source"] = self.read_source(depth, effect["source"], f"{field}.source")
        row = frame["row"] = FIELD.whole(effect["row"], 0, PROGRAM_ROWS - 1, f"{field}.row")
        program = self.spec.tables["program"][0][source]
        if Op.END in program[:row, 0] or (depth == 1 and program[row, 0] == Op.END):
            raise PositionError(f"{field}.row: {row} is past the end of the effect")
        frame["here"] = self.name_or_null(effect["here"], self.names.districts, f"{field}.here")
        frame["triggers"] = FIELD.flag(effect["triggers"], f"{field}.triggers")
        rival = effect["rival"]
        frame["rival"] = (
            NOBODY if rival is None else FIELD.whole(rival, 0, self.n - 1, f"{field}.rival")
        )
        frame["district"] = self.name_or_null(effect["from"], self.names.districts, f"{field}.from")
        frame["minion"] = self.name_or_null(effect["minion"], self.names.minions, f"{field}.minion")
        frame["progress"] = FIELD.whole(effect["progress"], 0, self.n - 1, f"{field}.progress")
        self.check_effect(frame, program[row, 0], field)

    def read_source(self, depth: int, value: Any, field: str) -> int:
        """The number of an effect's source."""
        word, _, name = value.partition(":") if isinstance(value, str) else ("", "", "")
        if depth == 1 and word == "scheme":
            district = _word(name, self.names.districts, field)
            return FIRST_SCHEME_SOURCE + 2 * district + int(self.state["side"][district])
        if depth == 0 and word == "item":
            return FIRST_ITEM_SOURCE + _word(name, self.names.items, field)
        if depth == 0 and word == "loot" and self.phase == "loot":
            loot = _word(name, self.names.loot, field)
            if self.state["used"][loot] != 1:
                raise PositionError(
                    f"{field}: {name} is being used, so loot_used must hold it (R5.2)"
                )
            return loot
        raise PositionError(f"{field}: {value!r} can't be in progress there (R7.6)")

    def name_or_null(self, value: Any, ids: tuple[str, ...], field: str) -> int:
        """A number, or -1 for null."""
        return NOWHERE if value is None else _word(value, ids, field)

    def check_effect(self, frame: Any, op: int, field: str) -> None:
        """Choices already made belong to the word in progress; a trigger has a place."""
        is_loot = frame["source"] < FIRST_ITEM_SOURCE
        if frame["triggers"] and (not is_loot or frame["here"] == NOWHERE):
            raise PositionError(f"{field}.triggers: only a placed loot minion triggers (R5.3)")
        if frame["source"] < FIRST_SCHEME_SOURCE and not is_loot and frame["here"] != NOWHERE:
            raise PositionError(f"{field}.here: an item has no here (R7)")
        if frame["source"] >= FIRST_SCHEME_SOURCE:
            if frame["here"] != (frame["source"] - FIRST_SCHEME_SOURCE) // 2:
                raise PositionError(f"{field}.here: must be the scheme's own district (R7)")
        if op == Op.PLACE_LOOT_MINION and frame["here"] != NOWHERE:
            raise PositionError(f"{field}.here: the minion isn't placed yet (R5.3)")
        if frame["rival"] != NOBODY and op != Op.DISCARD_RIVAL:
            raise PositionError(f"{field}.rival: no rival is picked in this word (R7.7)")
        if frame["rival"] == self.state["active"]:
            raise PositionError(f"{field}.rival: must be another seat than the acting one (R7.7)")
        moving = frame["minion"] != NOTHING
        if moving != (frame["district"] != NOWHERE) or (moving and op != Op.MOVE_MINION):
            raise PositionError(f"{field}.minion: no minion is moved in this word (R7.8)")
        if moving and not self.is_movable(frame):
            raise PositionError(
                f"{field}.minion: no such own minion, leaders apart, is there (R7.8)"
            )
        if frame["progress"] and op != Op.RIVALS_DISCARD:
            raise PositionError(f"{field}.progress: no rivals discard in this word (R7.10)")

    def is_movable(self, frame: Any) -> bool:
        """R7.8: an own minion that stands where it is said to, never a leader."""
        own = self.state["minions"][frame["district"], self.state["active"]]
        return bool(frame["minion"] < FIRST_LEADER and own[frame["minion"]] > 0)

    def read_claim(self, value: Any) -> None:
        """R9.2, R9.3: how far the first night card is resolved."""
        claim = _table(value, ("at", "left"), (), "pending.claim")
        in_claim = self.phase == "claim"
        at = FIELD.whole(claim["at"], int(in_claim), 2 * self.n * in_claim, "pending.claim.at")
        left = FIELD.whole(claim["left"], int(in_claim), MARKERS * in_claim, "pending.claim.left")
        state = self.state
        if in_claim:
            state["claim_at"] = at - 1
            due = kernel.due(self.arrays.states, self.spec.tables, 0)
            if left > due:
                raise PositionError(f"pending.claim.left: {left}, but {due} are due (R9.2, R9.3)")
        state["claim_at"] = at
        state["markers_left"] = left

    # ---- what the position asks and says ----

    def check_decision(self) -> None:
        """The question must be what the rest asks, with two or more answers (R14.1)."""
        arrays, decision = self.arrays, self.position["decision"]
        if self.phase == "over":
            if decision is not None:
                raise PositionError("decision: must be null when the game is over")
            return
        if decision is None:
            raise PositionError("decision: is null, but the game isn't over")
        _table(decision, ("seat", "kind"), ("legal",), "decision")
        seat = FIELD.whole(decision["seat"], 0, self.n - 1, "decision.seat")
        kind = _word(decision["kind"], DECISIONS[1:], "decision.kind") + 1
        before = arrays.states[0].copy()
        kernel.ask_next(arrays.states, self.spec.tables, 0, arrays.legals, arrays.counts)
        self.compare_question(before, seat, kind)
        names = [self.spec.actions.name(action) for action in arrays.legals[0, : arrays.counts[0]]]
        if len(names) < 2:
            raise PositionError(f"decision: has fewer than two legal actions: {names} (R14.1)")
        if "legal" in decision and not same_json(decision["legal"], names):
            raise PositionError(f"decision.legal: must be {names}")

    def compare_question(self, before: Any, seat: int, kind: int) -> None:
        """Asking must have changed nothing but the question."""
        state = self.arrays.states[0]
        asked = (int(state["decider"]), int(state["decision"]))
        if asked != (seat, kind):
            told = f"seat {asked[0]} {DECISIONS[asked[1]]}" if asked[1] else "nothing"
            raise PositionError(
                f"decision: seat {seat} {DECISIONS[kind]}, but the rest of the position (turn, "
                f"pending, …) asks {told}"
            )
        moving = ("step", "decision", "decider", "active", "frames")
        for name in state.dtype.names:
            if name not in moving and not np.array_equal(before[name], state[name]):
                raise PositionError(f"pending: doesn't stand at the question; {name} would change")
        if before["depth"] and not np.array_equal(before["frames"]["row"], state["frames"]["row"]):
            raise PositionError("pending.effects: a row is given that asks nothing")

    def check_result(self) -> None:
        """R10: scores and winners, if given, fit."""
        for name in ("scores", "winners"):
            given = self.position.get(name)
            if given is None:
                continue
            if self.phase != "over":
                raise PositionError(f"{name}: must be null before the end")
            self.arrays.seats[0] = NOBODY
            game = Game.from_arrays(self.arrays, self.options)
            right = game.scores() if name == "scores" else game.winners()
            if not same_json(given, right):
                raise PositionError(f"{name}: {given!r}, but the position makes {right} (R10)")

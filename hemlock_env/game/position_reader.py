"""Reads `hemlock-position/1` back: JSON into the arrays of a game, each value with its field in the
message if it can't be; the rest is held against the rules (`engine.checks`).
"""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from hemlock_env._check import Checks, same_json, shown
from hemlock_env.cards import CardSet, load_card_set
from hemlock_env.cards.tables import FIRST_ITEM_SOURCE, FIRST_SCHEME_SOURCE, PROGRAM_ROWS
from hemlock_env.cards.vocabulary import DISTRICTS, GRID, NIGHTS
from hemlock_env.engine import kernel
from hemlock_env.engine.checks import Fault, faults
from hemlock_env.engine.constants import (
    EMPTY,
    MARKERS,
    NO_SPACE,
    NOBODY,
    NOTHING,
    OWNED,
    STACK_MAX,
    WEEK_NIGHTS,
    Decision,
    Step,
)
from hemlock_env.engine.fields import SUPPORT_BASE
from hemlock_env.game.arrays import GameArrays, prepare
from hemlock_env.game.ids import Ids
from hemlock_env.game.options import (
    PLAYED_FORM,
    SEED_LIMIT,
    Options,
    check_options,
    seed_or_drawn,
)
from hemlock_env.game.position import DECISIONS, FORMAT, PHASES, SIDE_WORDS
from hemlock_env.game.spec import spec_for

WHOLE_DECISIONS = ("none", "use_loot", "special_action")  # nothing is half done there
SUPPORT_MAX = 10 * SUPPORT_BASE - 1

# The types and keys of a position, as `Checks.document` takes them.
COUNTS = {str: int}
EFFECT = {
    "source": str,
    "row": int,
    "here": (str, None),
    "triggers": bool,
    "rival": (int, None),
    "from": (str, None),
    "minion": (str, None),
    "progress": int,
}
PLAYER = {
    "hand": COUNTS,
    "known?": COUNTS,
    "items": COUNTS,
    "spent?": COUNTS,
    "markers": int,
    "support": int,
    "agenda?": (str, None),
    "loot_hand?": [str],
}
FORM = {
    "format": str,
    "card_set": str,
    "card_set_hash?": str,
    "options": PLAYED_FORM,
    "week": int,
    "night": int,
    "phase": str,
    "turn": int,
    "supremacy": int,
    "supply": {"minions": COUNTS, "items": COUNTS},
    "discard?": COUNTS,
    "players": [PLAYER],
    "districts": {str: {"minions": [COUNTS], "spaces": [str]}},
    "nights": [str],
    "night_deck": [str],
    "loot_row": [str],
    "loot_used?": [str],
    "decision": ({"seat": int, "kind": str, "legal?": [str]}, None),
    "scores?": ([int], None),
    "winners?": ([int], None),
    "pending?": {
        "effects?": [EFFECT],
        "claim?": {"at": int, "left": int},
        "loot_used?": [str],
        "decisions?": int,
    },
    "rng?": {"seed": int},
}

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


# ---- small checks that name the field ------------------------------------------------------------

FIELD = Checks(PositionError, "{name}: {value} {fault}", plain=True)


def _word(value: Any, words: tuple[str, ...], field: str) -> int:
    """The number of an id."""
    return words.index(FIELD.one_of(value, words, field))


def _word_or_null(value: Any, words: tuple[str, ...], field: str) -> int:
    """The number of an id, or -1 for null."""
    return NOTHING if value is None else _word(value, words, field)


def _list(value: list[Any], length: int, field: str) -> list[Any]:
    if len(value) != length:
        FIELD.refuse(value, field, f"must be a list of {length}")
    return value


def _counts(counts: dict[str, Any], ids: tuple[str, ...], field: str) -> list[int]:
    """`{id: count}` as a count for every id; zeros and any order are accepted."""
    FIELD.keys(counts, (), ids, field)
    return [FIELD.whole(counts.get(name, 0), 0, 127, f"{field}.{name}") for name in ids]


def _cards(value: list[Any], ids: tuple[str, ...], most: int, field: str) -> list[int]:
    """A list of different ids, as numbers in the order given."""
    cards = [_word(name, ids, f"{field}[{place}]") for place, name in enumerate(value)]
    if len(set(cards)) < len(cards):
        FIELD.refuse(value, field, "must be different cards")
    if len(cards) > most:
        raise PositionError(f"{field}: {len(cards)} cards, but there can be {most} at most")
    return cards


# ---- what stands at the head ---------------------------------------------------------------------


def read_position(
    position: Any,
    *,
    seed: int | None = None,
    card_set: CardSet | str | os.PathLike[str] | None = None,
) -> tuple[GameArrays, Options]:
    """A game's arrays and options from a position; PositionError names the field that can't be."""
    FIELD.document(position, FORM, FORMAT)
    cards = _find_cards(position, card_set)
    options = _read_options(position["options"], cards)
    arrays = GameArrays(spec_for(cards, options.num_players), 1)
    prepare()
    options.write(arrays.states)
    kernel.set_up_game(arrays.states, arrays.spec.tables, 0, np.uint64(0))
    Reader(position, arrays).read(_read_seed(position, seed))
    arrays.run(kernel.SHOW)
    return arrays, options


def _find_cards(position: dict[str, Any], card_set: Any) -> CardSet:
    """The card set that the position names, from the package or from where the caller says."""
    name = position["card_set"]
    if not re.fullmatch("[a-z][a-z0-9_]*", name):
        FIELD.refuse(name, "card_set", "must be the id of a card set")
    try:
        cards = load_card_set(name if card_set is None else card_set)
    except ValueError as error:
        raise PositionError(f"card_set: {error}") from None
    if cards.id != name:
        raise PositionError(
            f"card_set: the position is for {shown(name)}, the file holds {cards.id!r}"
        )
    wanted = position.get("card_set_hash", cards.hash)
    if wanted != cards.hash:
        raise PositionError(
            f"card_set_hash: the position is for {shown(wanted)}, here it is {cards.hash!r}"
        )
    return cards


def _read_options(given: dict[str, Any], cards: CardSet) -> Options:
    for place, side in enumerate(_list(given["sides"], DISTRICTS, "options.sides")):
        _word(side, SIDE_WORDS, f"options.sides[{place}]")
    try:
        return check_options(cards, **given)
    except ValueError as error:
        raise PositionError(f"options.{error}") from None


def _read_seed(position: dict[str, Any], seed: int | None) -> int:
    """The seed of all chance to come."""
    if "rng" in position:
        return FIELD.whole(position["rng"]["seed"], 0, SEED_LIMIT - 1, "rng.seed")
    return seed_or_drawn(seed)


class Reader:
    """Fills a game's record from a position, field by field, and holds it against the rules."""

    def __init__(self, position: dict[str, Any], arrays: GameArrays) -> None:
        self.position = position
        self.arrays = arrays
        self.spec = arrays.spec
        self.ids = self.spec.ids
        self.state = arrays.states[0]
        self.n = self.spec.num_players

    def read(self, seed: int) -> None:
        """Everything; only a position that has all its fields is held against the rules."""
        self.state["seed"] = seed
        self.read_course()
        self.read_supply()
        for seat, player in enumerate(_list(self.position["players"], self.n, "players")):
            self.read_player(seat, player)
        self.read_districts()
        self.read_nights_and_loot()
        self.read_decision()
        self.read_pending()
        for fault in faults(self.state, self.spec.tables[0], "loot_used" in self.position):
            raise PositionError(f"{field_of(fault, self.ids)}: {fault.why}")
        self.check_claim()
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

    def read_supply(self) -> None:
        """R2.1, R6.5."""
        supply = self.position["supply"]
        minions, items = self.ids.minions, self.ids.items
        self.state["supply"] = _counts(supply["minions"], minions, "supply.minions")
        self.state["item_supply"] = _counts(supply["items"], items, "supply.items")
        self.state["discard"] = _counts(self.position.get("discard", {}), minions, "discard")

    def read_player(self, seat: int, player: dict[str, Any]) -> None:
        """What a seat holds."""
        field, ids, state = f"players[{seat}]", self.ids, self.state
        state["hand"][seat] = _counts(player["hand"], ids.minions, f"{field}.hand")
        state["known"][seat] = _counts(player.get("known", {}), ids.minions, f"{field}.known")
        state["items"][seat] = _counts(player["items"], ids.items, f"{field}.items")
        state["spent"][seat] = _counts(player.get("spent", {}), ids.items, f"{field}.spent")
        state["stock"][seat] = FIELD.whole(player["markers"], 0, MARKERS, f"{field}.markers")
        state["support"][seat] = FIELD.whole(player["support"], 0, SUPPORT_MAX, f"{field}.support")
        state["agenda"][seat] = _word_or_null(player.get("agenda"), ids.agendas, f"{field}.agenda")
        loot = _cards(player.get("loot_hand", []), ids.loot, len(ids.loot), f"{field}.loot_hand")
        state["loot_hand"][seat][loot] = 1

    def read_districts(self) -> None:
        """R1.2: minions by seat, and the spaces as the side has them."""
        ids = self.ids
        districts = self.position["districts"]
        FIELD.keys(districts, ids.districts, ids.districts, "districts")
        for number, name in enumerate(ids.districts):
            field = f"districts.{name}"
            sides = _list(districts[name]["minions"], self.n, f"{field}.minions")
            for seat, counts in enumerate(sides):
                read = _counts(counts, ids.minions, f"{field}.minions[{seat}]")
                self.state["minions"][number, seat] = read
            self.read_spaces(number, districts[name]["spaces"], f"{field}.spaces")

    def read_spaces(self, district: int, value: list[Any], field: str) -> None:
        """R12.1: three rows of three; `.`, a seat's digit, or a blank where no space is."""
        rows = _list(value, GRID, field)
        if any(len(row) != GRID for row in rows):
            FIELD.refuse(rows, field, "must be three rows of three characters")
        signs = {" ": NO_SPACE, ".": EMPTY, **{str(seat): OWNED + seat for seat in range(self.n)}}
        for cell, sign in enumerate("".join(rows)):
            at = f"{field}[{cell // GRID}][{cell % GRID}]"
            if sign not in signs:
                raise PositionError(f"{at}: {sign!r} must be a blank, '.' or a seat")
            is_space = self.state["spaces"][district, cell] != NO_SPACE
            if is_space != (sign != " "):
                what = "a space" if is_space else "no space"
                raise PositionError(f"{at}: {sign!r}, but this side has {what} there (R12.1)")
            self.state["spaces"][district, cell] = signs[sign]

    def read_nights_and_loot(self) -> None:
        """R4: what has been revealed, and the night cards to come."""
        state, position, loot = self.state, self.position, self.ids.loot
        for name, count, most in (
            ("nights", "n_nights", WEEK_NIGHTS),
            ("night_deck", "n_deck", NIGHTS),
        ):
            cards = _cards(position[name], self.ids.nights, most, name)
            state[name] = cards + [0] * (most - len(cards))
            state[count] = len(cards)
        state["row"][_cards(position["loot_row"], loot, len(loot), "loot_row")] = 1
        used = position if "loot_used" in position else position.get("pending", {})
        field = "loot_used" if used is position else "pending.loot_used"
        state["used"][_cards(used.get("loot_used", []), loot, len(loot), field)] = 1

    def read_decision(self) -> None:
        """Who decides what; null when over."""
        decision, over = self.position["decision"], self.phase == "over"
        self.seat, self.kind = NOBODY, DECISIONS[Decision.NONE]
        if (decision is None) != over:
            raise PositionError("decision: must be null when the game is over, and only then")
        if not over:
            self.seat = FIELD.whole(decision["seat"], 0, self.n - 1, "decision.seat")
            self.kind = FIELD.one_of(decision["kind"], DECISIONS[1:], "decision.kind")

    # ---- what is half done ----

    def read_pending(self) -> None:
        """Effects and the claim in progress; left out where nothing is half done."""
        state, pending = self.state, self.pending()
        whole, busy = STEPS[self.phase]
        if self.phase in ("loot", "special"):
            state["active"] = (state["supremacy"] + state["turn"]) % self.n
        effects = pending.get("effects", [])
        if len(effects) > (STACK_MAX if busy is not None else 0):
            raise PositionError(f"pending.effects: too many for phase {self.phase!r} (R7.6)")
        for depth, effect in enumerate(effects):
            self.read_effect(depth, effect, f"pending.effects[{depth}]")
        if busy is not None and bool(effects) != (self.kind not in WHOLE_DECISIONS):
            what = "an effect is" if effects else "no effect is"
            raise PositionError(f"decision: {self.kind!r}, but {what} in progress (R14.1)")
        state["depth"] = len(effects)
        state["step"] = busy if effects else whole
        decisions = pending.get("decisions", 0)
        state["decisions"] = FIELD.whole(decisions, 0, 10**6, "pending.decisions")
        self.read_claim(pending.get("claim", {"at": 0, "left": 0}))

    def pending(self) -> dict[str, Any]:
        """The object itself; an empty one where it may be left out."""
        if "pending" not in self.position and self.kind not in WHOLE_DECISIONS:
            raise PositionError(f"pending: is missing, and {self.kind!r} needs it")
        pending: dict[str, Any] = self.position.get("pending", {})
        return pending

    def read_effect(self, depth: int, effect: dict[str, Any], field: str) -> None:
        """One effect in progress."""
        frame, ids, rival = self.state["frames"][depth], self.ids, effect["rival"]
        frame["source"] = self.read_source(effect["source"], f"{field}.source")
        frame["row"] = FIELD.whole(effect["row"], 0, PROGRAM_ROWS - 1, f"{field}.row")
        frame["here"] = _word_or_null(effect["here"], ids.districts, f"{field}.here")
        frame["triggers"] = FIELD.flag(effect["triggers"], f"{field}.triggers")
        frame["rival"] = NOBODY
        if rival is not None:
            frame["rival"] = FIELD.whole(rival, 0, self.n - 1, f"{field}.rival")
        frame["district"] = _word_or_null(effect["from"], ids.districts, f"{field}.from")
        frame["minion"] = _word_or_null(effect["minion"], ids.minions, f"{field}.minion")
        frame["progress"] = FIELD.whole(effect["progress"], 0, self.n - 1, f"{field}.progress")

    def read_source(self, value: str, field: str) -> int:
        """The number of an effect's source."""
        kind, _, name = value.partition(":")
        if kind == "scheme":
            district = _word(name, self.ids.districts, field)
            return FIRST_SCHEME_SOURCE + 2 * district + int(self.state["side"][district])
        if kind == "item":
            return FIRST_ITEM_SOURCE + _word(name, self.ids.items, field)
        if kind == "loot":
            return _word(name, self.ids.loot, field)
        FIELD.refuse(value, field, "must be a loot:, an item: or a scheme: with its id")

    def read_claim(self, claim: dict[str, Any]) -> None:
        """R9.2, R9.3: how far the first night card is resolved."""
        at = FIELD.whole(claim["at"], 0, 2 * self.n, "pending.claim.at")
        left = FIELD.whole(claim["left"], 0, MARKERS, "pending.claim.left")
        self.state["claim_at"], self.state["markers_left"] = at, left

    def check_claim(self) -> None:
        """R9.2, R9.3: no more markers are left than the seat that places them was due."""
        state, some = self.state, int(self.phase == "claim")
        FIELD.whole(int(state["claim_at"]), some, 2 * self.n * some, "pending.claim.at")
        left = FIELD.whole(int(state["markers_left"]), some, MARKERS * some, "pending.claim.left")
        if not some:
            return
        state["claim_at"] -= 1  # as it was when this seat began
        due = kernel.due(self.arrays.states, self.spec.tables, 0)
        state["claim_at"] += 1
        if left > due:
            raise PositionError(f"pending.claim.left: {left}, but {due} are due (R9.2, R9.3)")

    # ---- what the position asks and says ----

    def check_decision(self) -> None:
        """The question must be what the rest asks, with two or more answers (R14.1)."""
        arrays, decision = self.arrays, self.position["decision"]
        if decision is None:
            return
        before = arrays.states[0].copy()
        kernel.ask_next(arrays.states, self.spec.tables, 0, arrays.legals, arrays.counts)
        self.compare_question(before)
        names = arrays.legal_names(0)
        if len(names) < 2:
            raise PositionError(f"decision: has fewer than two legal actions: {names} (R14.1)")
        if "legal" in decision and not same_json(decision["legal"], names):
            raise PositionError(f"decision.legal: must be {names}")

    def compare_question(self, before: Any) -> None:
        """Asking must have changed nothing but the question."""
        state = self.arrays.states[0]
        seat, kind = int(state["decider"]), DECISIONS[state["decision"]]
        if (seat, kind) != (self.seat, self.kind):
            asks = "nothing" if seat == NOBODY else f"seat {seat} {kind}"
            raise PositionError(
                f"decision: seat {self.seat} {self.kind}, but the rest of the position (turn, "
                f"pending, …) asks {asks}"
            )
        moving = ("step", "decision", "decider", "active", "frames")
        for name in state.dtype.names:
            if name not in moving and not np.array_equal(before[name], state[name]):
                raise PositionError(f"pending: doesn't stand at the question; {name} would change")
        if before["depth"] and not np.array_equal(before["frames"]["row"], state["frames"]["row"]):
            raise PositionError("pending.effects: a row is given that asks nothing")

    def check_result(self) -> None:
        """R10: scores and winners, if given, fit."""
        results = {"scores": self.arrays.scores_of, "winners": self.arrays.winners_of}
        for name, result in results.items():
            right = result(0) if self.phase == "over" else None
            if name in self.position and not same_json(self.position[name], right):
                why = f"must be {right} (R10)" if right else "must be null before the end"
                FIELD.refuse(self.position[name], name, why)


def field_of(fault: Fault, ids: Ids) -> str:
    """The field of a position that a fault of the state is in."""
    match fault.at:
        case ("known", seat, kind):
            return f"players[{seat}].known.{ids.minions[kind]}"
        case ("stock", seat):
            return f"players[{seat}].markers"
        case ("agenda" | "loot_hand" as name, seat):
            return f"players[{seat}].{name}"
        case ("loot_hand" | "spent",):
            return "players"
        case ("minions", district, seat, kind):
            return f"districts.{ids.districts[district]}.minions[{seat}].{ids.minions[kind]}"
        case ("minions",):
            return "districts"
        case ("supply", kind):
            return f"supply.minions.{ids.minions[kind]}"
        case ("item_supply", item):
            return f"supply.items.{ids.items[item]}"
        case ("frames", depth, name):
            return f"pending.effects[{depth}].{name}"
        case ("row" | "used" as name,):
            return f"loot_{name}"
        case (name,):
            return str(name)
    raise AssertionError(fault)

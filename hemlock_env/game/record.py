"""`hemlock-record/1` (docs/formats.md): a game from the deal on, written and replayed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from hemlock_env._version import __version__
from hemlock_env.cards import CardSet
from hemlock_env.engine import kernel
from hemlock_env.engine.constants import Decision
from hemlock_env.game.arrays import GameArrays, prepare
from hemlock_env.game.game import Game
from hemlock_env.game.options import SIDES, Options, check_options, check_seed, find_card_set
from hemlock_env.game.position import Names, _counts, _flagged, same_json
from hemlock_env.game.spec import spec_for

FORMAT = "hemlock-record/1"
OPTION_KEYS = ("num_players", "sides", "loot", "items_as_loot", "agendas")
REQUIRED = ("format package card_set options seed first_player events scores winners").split()
OPTIONAL = ("agents", "card_set_hash")


class RecordError(ValueError):
    """A record that can't be replayed; the message says at which event or field it departs."""


class Teller:
    """Plays one game question by question and tells every event, forced choices and reveals
    included.
    """

    def __init__(self, card_set: CardSet, options: Options, seed: int) -> None:
        self.arrays = GameArrays(spec_for(card_set, options.num_players), 1)
        self.names = Names(card_set)
        self.night = (0, 0)
        self.forced = False
        prepare()
        options.write(self.arrays.states)
        kernel.set_up_game(self.arrays.states, self.arrays.spec.tables, 0, np.uint64(seed))

    @property
    def state(self) -> Any:
        """The game's record."""
        return self.arrays.states[0]

    def setup(self) -> dict[str, Any]:
        """R2: what the seed fixed before the first night."""
        state, names, seats = self.state, self.names, range(self.arrays.spec.num_players)
        agendas = [names.agendas[int(state["agenda"][seat])] for seat in seats if state["agendas"]]
        return {
            "setup": {
                "sides": [SIDES[side] for side in state["side"]],
                "first_player": int(state["supremacy"]),
                "hands": [_counts(names.minions, state["hand"][seat]) for seat in seats],
                "agendas": agendas or None,
                "night_deck": [names.nights[card] for card in state["night_deck"]],
            }
        }

    def ask(self) -> Iterator[dict[str, Any]]:
        """On to a question of two or more answers, or the end; the nights and forced choices on the
        way.
        """
        arrays = self.arrays
        while True:
            kernel.ask_next(arrays.states, arrays.spec.tables, 0, arrays.legals, arrays.counts)
            night = (int(self.state["week"]), int(self.state["night"]))
            if night != self.night:
                self.night = night
                yield self.reveal()
            if arrays.counts[0] != 1:
                return
            action = int(arrays.legals[0, 0])
            yield {**self.choice(action), "forced": True}
            kernel.answer_once(arrays.states, arrays.spec.tables, 0, action)

    def reveal(self) -> dict[str, Any]:
        """R4: the night card and the loot."""
        state, names = self.state, self.names
        card = names.nights[int(state["nights"][state["n_nights"] - 1])]
        if not state["hidden_loot"]:
            return {"night": card, "loot": _flagged(names.loot, state["row"])}
        seats = range(self.arrays.spec.num_players)
        return {
            "night": card,
            "loot_hands": [_flagged(names.loot, state["loot_hand"][seat]) for seat in seats],
        }

    def choice(self, action: int) -> dict[str, Any]:
        """An action of whoever decides."""
        return {
            "seat": int(self.state["decider"]),
            "action": self.arrays.spec.actions.name(action),
        }

    def answer(self, action: int) -> dict[str, Any]:
        """A player's action."""
        event = self.choice(action)
        self.state["decisions"] += 1
        kernel.answer_once(self.arrays.states, self.arrays.spec.tables, 0, action)
        return event


def write_record(game: Game, seed: int, actions: list[int]) -> dict[str, Any]:
    """The record of a game that was played from `seed` by `actions`."""
    teller = Teller(game.card_set, game._options, seed)
    events = [teller.setup(), *teller.ask()]
    for action in actions:
        events += [teller.answer(action), *teller.ask()]
    options = {key: value for key, value in game.options.items() if key in OPTION_KEYS}
    return {
        "format": FORMAT,
        "package": __version__,
        "card_set": game.card_set.id,
        "card_set_hash": game.card_set.hash,
        "options": options,
        "seed": seed,
        "first_player": game.options["first_player"],
        "events": events,
        "scores": game.scores() if game.over else None,
        "winners": game.winners() if game.over else None,
    }


def replay(
    record: dict[str, Any], *, card_set: CardSet | str | os.PathLike[str] | None = None
) -> Iterator[Game]:
    """The games of a record, position by position: at its first decision, then after each player's
    choice.

    Every event is checked as it comes up. `card_set` is a path where the id alone doesn't find the
    file.

    Raises:
        RecordError: at once for a wrong header, and at the event where the record departs from the
            rules.
    """
    _check_header(record)
    try:
        cards = find_card_set(record["card_set"] if card_set is None else card_set)
        options = check_options(cards, **record["options"], first_player=record["first_player"])
        seed = check_seed(record["seed"])
    except (TypeError, ValueError) as error:
        raise RecordError(f"the record can't be replayed: {error}") from None
    if cards.id != record["card_set"] or record.get("card_set_hash", cards.hash) != cards.hash:
        raise RecordError(
            f"card_set: the record is for {record['card_set']!r} "
            f"({record.get('card_set_hash', 'no hash')}), here is {cards.id!r} ({cards.hash})"
        )
    return _replay(record, cards, options, seed)


def _check_header(record: Any) -> None:
    if not isinstance(record, dict):
        raise RecordError(f"a record is a JSON object, not {type(record).__name__}")
    for key in record:
        if key not in REQUIRED and key not in OPTIONAL:
            raise RecordError(f"{key}: unknown key in a record")
    for key in REQUIRED:
        if key not in record:
            raise RecordError(f"{key}: is missing from the record")
    if record["format"] != FORMAT:
        raise RecordError(f"format: {record['format']!r} must be {FORMAT!r}")
    if not isinstance(record["card_set"], str) or not record["card_set"].isidentifier():
        raise RecordError(f"card_set: {record['card_set']!r} must be the id of a card set")
    if not isinstance(record["options"], dict) or set(record["options"]) != set(OPTION_KEYS):
        raise RecordError(f"options: must be an object with {', '.join(OPTION_KEYS)}")
    if not isinstance(record["events"], list):
        raise RecordError("events: must be a list")


def _replay(record: dict[str, Any], cards: CardSet, options: Options, seed: int) -> Iterator[Game]:
    """Play the game again beside the record."""
    events = record["events"]
    teller = Teller(cards, options, seed)
    game = Game(**options.as_dict(), card_set=cards, seed=seed)
    place = _compare(events, 0, [teller.setup(), *teller.ask()])
    yield game.copy()
    while place < len(events) and not game.over:
        action = _action_of(events, place, game)
        told = [teller.answer(action), *teller.ask()]
        game.step(action)
        place = _compare(events, place, told)
        yield game.copy()
    _check_end(record, game, place)


def _compare(events: list[Any], place: int, told: list[dict[str, Any]]) -> int:
    """Hold the next events against what the rules tell; returns the place after them."""
    for event in told:
        if place >= len(events):
            raise RecordError(f"event {place}: is missing; the rules give {event}")
        if not same_json(events[place], event):
            raise RecordError(
                f"event {place}: the record departs: {events[place]!r}; the rules give {event}"
            )
        place += 1
    return place


def _action_of(events: list[Any], place: int, game: Game) -> int:
    """The action index of the player's event at `place`; it must be legal."""
    event = events[place]
    name = event.get("action") if isinstance(event, dict) else None
    legal = [game.action_name(action) for action in game.legal_actions()]
    if name not in legal:
        asked = Decision(int(game.state["decision"])).name.lower()
        raise RecordError(
            f"event {place}: the record departs: {event!r}; seat {game.seat} decides {asked} "
            f"among {', '.join(legal)}"
        )
    return game.action_index(name)


def _check_end(record: dict[str, Any], game: Game, place: int) -> None:
    """R10; events after the end, or an end that isn't there."""
    if place < len(record["events"]):
        raise RecordError(f"event {place}: the game is over, but the record goes on")
    for name, right in (("scores", game.scores()), ("winners", game.winners())):
        wanted = right if game.over else None
        if not same_json(record[name], wanted):
            raise RecordError(
                f"{name}: the record says {record[name]!r} after event {place - 1}, "
                f"the rules give {wanted!r}"
            )

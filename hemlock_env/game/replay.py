"""`hemlock-record/1` played again, every event held against the rules."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from hemlock_env._check import Checks, same_json, shown
from hemlock_env.cards import CardSet
from hemlock_env.engine.constants import Decision
from hemlock_env.game.game import Game
from hemlock_env.game.options import PLAYED_FORM, Options, check_seed
from hemlock_env.game.record import FORMAT, Recorder
from hemlock_env.game.spec import GameSpec, find_spec

# The types and keys of a record, as `Checks.document` takes them; events are compared one by one.
FORM = {
    "format": str,
    "package": str,
    "card_set": str,
    "card_set_hash?": str,
    "options": PLAYED_FORM,
    "seed": int,
    "first_player": (int, None),
    "agents?": [str],
    "events": [{str: object}],
    "scores": ([int], None),
    "winners": ([int], None),
}


class RecordError(ValueError):
    """A record that can't be replayed; the message says at which event or field it departs."""


FIELD = Checks(RecordError, "{name}: {value} {fault}", plain=True)


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
    FIELD.document(record, FORM, FORMAT)
    if not record["card_set"].isidentifier():
        FIELD.refuse(record["card_set"], "card_set", "must be the id of a card set")
    try:
        found = record["card_set"] if card_set is None else card_set
        spec, options = find_spec(found, **record["options"], first_player=record["first_player"])
        seed = check_seed(record["seed"])
    except ValueError as error:
        raise RecordError(str(error)) from None
    cards = spec.card_set
    if cards.id != record["card_set"] or record.get("card_set_hash", cards.hash) != cards.hash:
        raise RecordError(
            f"card_set: the record is for {shown(record['card_set'])} "
            f"({shown(record.get('card_set_hash'))}), here is {cards.id!r} ({cards.hash})"
        )
    return _replay(record, spec, options, seed)


def _replay(record: dict[str, Any], spec: GameSpec, options: Options, seed: int) -> Iterator[Game]:
    """Play the game again beside the record."""
    events = record["events"]
    recorder = Recorder(spec, options, seed)
    game = Game(**options.as_dict(), card_set=spec.card_set, seed=seed)
    count = _compare(events, 0, [recorder.setup(), *recorder.ask()])
    yield game.copy()
    while count < len(events) and not game.over:
        action = _action_of(events[count], count, game)
        expected = [recorder.answer(action), *recorder.ask()]
        game.step(action)
        count = _compare(events, count, expected)
        yield game.copy()
    _check_end(record, game, count)


def _compare(events: list[Any], count: int, expected: list[dict[str, Any]]) -> int:
    """Hold the events after the first `count` against what the rules give; how many are compared
    then.
    """
    for event in expected:
        if count >= len(events):
            raise RecordError(f"event {count}: is missing; the rules give {event}")
        if not same_json(events[count], event):
            raise RecordError(
                f"event {count}: the record departs: {shown(events[count])}; the rules give {event}"
            )
        count += 1
    return count


def _action_of(event: dict[str, Any], number: int, game: Game) -> int:
    """The action index of a player's event; it must be legal."""
    name = event.get("action")
    legal = game.arrays.legal_names(0)
    if name not in legal:
        asked = Decision(int(game.state["decision"])).name.lower()
        raise RecordError(
            f"event {number}: the record departs: {shown(event)}; seat {game.seat} decides {asked} "
            f"among {', '.join(legal)}"
        )
    return game.action_index(name)


def _check_end(record: dict[str, Any], game: Game, count: int) -> None:
    """R10; events after the end, or an end that isn't there."""
    if count < len(record["events"]):
        raise RecordError(f"event {count}: the game is over, but the record goes on")
    for name, right in (("scores", game.scores()), ("winners", game.winners())):
        wanted = right if game.over else None
        if not same_json(record[name], wanted):
            raise RecordError(
                f"{name}: the record says {shown(record[name])} after event {count - 1}, "
                f"the rules give {wanted!r}"
            )

"""Records cut, edited, or of something else: refused at the first event that is wrong."""

import copy
from typing import Any

import pytest

from hemlock_env import Game
from tests.support.changes import LONG_RECORD, RECORD, replayed
from tests.support.play import canonical, played


def first_difference(one: list[Any], other: list[Any]) -> int:
    """Where two lists of events part, `1` and `true` told apart."""
    texts = [[canonical(event) for event in events] for events in (one, other)]
    pairs = zip(*texts, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def test_the_records_that_these_changes_start_from_are_replayed():
    assert replayed(LONG_RECORD)[-1].scores() == LONG_RECORD["scores"]
    assert replayed(RECORD)[-1].scores() == RECORD["scores"]


@pytest.mark.parametrize("place", range(len(RECORD["events"])))
def test_a_record_cut_short_is_refused(place):
    """It says how the game ended, so the end has to be there."""
    with pytest.raises(ValueError, match=f"event {place - 1}|event {place}: is missing"):
        replayed({**RECORD, "events": RECORD["events"][:place]})


def test_a_record_cut_at_a_decision_is_that_of_an_unfinished_game_and_only_there():
    """What the rules do by themselves after an action belongs to the record."""
    complete = {len(played(Game(seed=6), decisions).record()["events"]) for decisions in range(300)}
    for place in range(len(RECORD["events"])):
        record = {**RECORD, "events": RECORD["events"][:place], "scores": None, "winners": None}
        if place in complete:
            assert replayed(record)[-1].record()["events"] == record["events"]
        else:
            with pytest.raises(ValueError, match=f"event {place}: is missing"):
                replayed(record)


@pytest.mark.parametrize("place", range(len(RECORD["events"])))
def test_a_record_with_an_event_missing_is_refused_there(place):
    events = RECORD["events"][:place] + RECORD["events"][place + 1 :]
    refused_from(events, first_difference(events, RECORD["events"]))


@pytest.mark.parametrize("place", range(len(RECORD["events"])))
def test_a_record_with_an_event_twice_is_refused_there(place):
    events = RECORD["events"][: place + 1] + RECORD["events"][place:]
    refused_from(events, first_difference(events, RECORD["events"]))


def test_a_record_that_goes_on_after_the_end_is_refused_there():
    events = [*RECORD["events"], RECORD["events"][-1]]
    with pytest.raises(ValueError, match=f"^event {len(events) - 1}:"):
        replayed({**RECORD, "events": events})


def refused_from(events: list[Any], place: int) -> None:
    """At that event, or later if what stands there could have been chosen."""
    with pytest.raises(ValueError) as error:
        replayed({**RECORD, "events": events})
    message = str(error.value)
    assert message.startswith(("event ", "scores", "winners"))
    if message.startswith("event "):
        assert int(message.split()[1].rstrip(":")) >= place


WRONG_EVENTS = (
    *(None, 1, "x", [], {}, True, {"seat": 0}, {"action": "take:ghoul"}, {"night": "spires_1"}),
    *({"seat": 0, "action": "take:goblin"}, {"seat": 0, "action": None}, {"seat": 0, "action": 3}),
    {"seat": 0, "action": ["take:ghoul"]},
)


@pytest.mark.parametrize("event", WRONG_EVENTS, ids=repr)
def test_a_record_with_a_wrong_event_is_refused_there(event):
    for place in range(0, len(RECORD["events"]), 3):
        events = copy.deepcopy(RECORD["events"])
        events[place] = event
        said = rf"^event {place}:|^events\[{place}\]: .* must be an object"
        with pytest.raises(ValueError, match=said):
            replayed({**RECORD, "events": events})


CHOSEN = next(n for n, event in enumerate(RECORD["events"]) if event.get("seat") == 1)
FORCED = next(n for n, event in enumerate(RECORD["events"]) if "forced" in event)
EDITS = [
    ("another seat", CHOSEN, {"seat": 0}),
    ("a seat as true", CHOSEN, {"seat": True}),
    ("half a seat", CHOSEN, {"seat": 1.0}),
    ("no seat", CHOSEN, {"seat": None}),
    ("a choice called forced", CHOSEN, {"forced": True}),
    ("a choice called not forced", CHOSEN, {"forced": False}),
    ("an unknown key", CHOSEN, {"luck": 1}),
    ("a forced one called a choice", FORCED, {"forced": False}),
    ("forced by a number", FORCED, {"forced": 1}),
    ("another night card", 1, {"night": "spires_9"}),
    ("another loot row", 1, {"loot": ["crypt_lantern"]}),
    ("a loot row in another order", 1, {"loot": RECORD["events"][1]["loot"][::-1]}),
    ("hands with a loot row", 1, {"loot_hands": []}),
]


@pytest.mark.parametrize(
    ("place", "change"), [each[1:] for each in EDITS], ids=[each[0] for each in EDITS]
)
def test_an_edited_event_is_refused_there(place, change):
    events = copy.deepcopy(RECORD["events"])
    events[place] |= change
    with pytest.raises(ValueError, match=f"^event {place}:"):
        replayed({**RECORD, "events": events})


SETUP_EDITS = [
    ("sides", ["advanced", *["basic"] * 3]),
    ("first_player", 1 - RECORD["events"][0]["setup"]["first_player"]),
    ("first_player", bool(RECORD["events"][0]["setup"]["first_player"])),
    ("first_player", float(RECORD["events"][0]["setup"]["first_player"])),
    ("hands", RECORD["events"][0]["setup"]["hands"][::-1]),
    (
        "hands",
        [{kind: float(n) for kind, n in h.items()} for h in RECORD["events"][0]["setup"]["hands"]],
    ),
    ("agendas", []),
    ("night_deck", RECORD["events"][0]["setup"]["night_deck"][::-1]),
    ("luck", 1),
]


@pytest.mark.parametrize(("key", "value"), SETUP_EDITS, ids=str)
def test_an_edited_setup_is_refused_at_the_first_event(key, value):
    events = copy.deepcopy(RECORD["events"])
    events[0]["setup"][key] = value
    with pytest.raises(ValueError, match=r"^event 0:"):
        replayed({**RECORD, "events": events})


def test_an_action_exchanged_for_another_legal_one_makes_another_record_or_a_wrong_one():
    """Wrong where the actions that follow don't fit, or other events, or the scores."""
    games, accepted = replayed(RECORD), 0
    chosen = [n for n, e in enumerate(RECORD["events"]) if "action" in e and "forced" not in e]
    for place, game in list(zip(chosen, games, strict=False))[::3]:
        events = copy.deepcopy(RECORD["events"])
        legal = [game.action_name(action) for action in game.legal_actions()]
        events[place]["action"] = next(name for name in legal if name != events[place]["action"])
        try:
            other = replayed({**RECORD, "events": events})
        except ValueError:
            refused_from(events, place)
            continue
        accepted += 1
        assert other[-1].record()["events"] == events
    assert accepted < len(chosen) // 6


HEADER = [
    *[(key, ..., key) for key in RECORD if key not in ("card_set_hash",)],
    *[(key, None, key) for key in ("format", "card_set", "options", "events")],
    ("format", "hemlock-record/2", "format"),
    ("format", 1, "format"),
    ("card_set", "harbour", "harbour"),
    ("card_set", "../../etc/passwd", "card_set"),
    ("card_set", 3, "card_set"),
    ("card_set_hash", "0123456789abcdef", "0123456789abcdef"),
    ("seed", RECORD["seed"] + 1, "event 0"),
    ("seed", None, "seed"),
    ("seed", -1, "seed"),
    ("seed", 6.0, "seed"),
    ("seed", "6", "seed"),
    ("first_player", 2, "first_player"),
    ("first_player", "0", "first_player"),
    ("first_player", 0.0, "first_player"),
    ("options", {}, "options"),
    ("options", {**RECORD["options"], "luck": 1}, "options"),
    ("options", {**RECORD["options"], "num_players": 3}, "event 0"),
    ("options", {**RECORD["options"], "num_players": "2"}, "num_players"),
    ("options", {**RECORD["options"], "num_players": 4, "loot": "hand"}, "loot"),
    ("options", {**RECORD["options"], "sides": ["advanced"] * 4}, "event 0"),
    ("options", [1], "options"),
    ("events", {}, "events"),
    ("events", "x", "events"),
    ("events", [], "event 0"),
    ("scores", None, "scores"),
    ("scores", [0, 0], "scores"),
    ("scores", "x", "scores"),
    ("scores", [float(score) for score in RECORD["scores"]], "scores"),
    ("winners", [], "winners"),
    ("winners", None, "winners"),
    ("winners", [bool(seat) for seat in RECORD["winners"]], "winners"),
    ("luck", 1, "luck"),
]


@pytest.mark.parametrize(("key", "value", "word"), HEADER, ids=str)
def test_a_record_with_a_wrong_header_or_end_is_refused(key, value, word):
    record = copy.deepcopy(RECORD)
    if value is ...:
        del record[key]
    else:
        record[key] = value
    text = canonical(record)
    with pytest.raises(ValueError, match=word):
        replayed(record)
    assert canonical(record) == text


@pytest.mark.parametrize(
    "record", [None, 1, "x", [], {}, [RECORD], b"{}"], ids=lambda r: repr(r)[:9]
)
def test_what_is_no_record_is_refused(record):
    with pytest.raises(ValueError, match=r"record|format: is missing"):
        replayed(record)

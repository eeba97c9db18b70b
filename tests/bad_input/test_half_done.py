"""Positions in the middle of an effect, of a claim, and at the end, with one thing wrong."""

from typing import Any

import pytest

from hemlock_env import Game
from tests.support.changes import SPECIAL, Change, assert_refused, position_at, put
from tests.support.play import canonical


def last_effect(**change: Any) -> Change:
    """Changes the effect in progress."""
    return lambda position: position["pending"]["effects"][-1].update(change)


def with_leader(position: dict[str, Any]) -> None:
    """The minion to be moved is a leader, which stands there."""
    supply, seat = position["supply"]["minions"], position["decision"]["seat"]
    place = next(name for name in position["districts"] if supply.get(f"leader_{name}"))
    side = position["districts"][place]["minions"][seat]
    if not side.get(f"leader_{place}"):
        shift(f"leader_{place}", supply, side)
    position["pending"]["effects"][-1] |= {"from": place, "minion": f"leader_{place}"}


def leader_on_the_board(position: dict[str, Any]) -> None:
    """In its lair, but the claims are over."""
    supply = position["supply"]["minions"]
    place = next(name for name in position["districts"] if supply.get(f"leader_{name}"))
    shift(f"leader_{place}", supply, position["districts"][place]["minions"][0])


def discard_any(position: dict[str, Any]) -> None:
    """A minion of the supply is discarded."""
    supply = position["supply"]["minions"]
    shift(next(iter(supply)), supply, position["discard"])


def shift(kind: str, giver: dict[str, int], taker: dict[str, int]) -> None:
    """One of a kind changes its place."""
    giver[kind] -= 1
    taker[kind] = taker.get(kind, 0) + 1


def with_absent_minion(position: dict[str, Any]) -> None:
    """The minion to be moved isn't where it is said to stand."""
    seat = position["decision"]["seat"]
    effect = position["pending"]["effects"][-1]
    for place, district in position["districts"].items():
        for kind in ("courtesan", "ghoul", "alchemist", "shadow", "masque", "servant"):
            if not district["minions"][seat].get(kind):
                effect |= {"from": place, "minion": kind}


def of_own_seat(position: dict[str, Any]) -> None:
    """The rival picked is the acting player, who has enough to lose."""
    seat, districts = position["decision"]["seat"], position["districts"]
    position["pending"]["effects"][-1]["rival"] = seat
    position["decision"].pop("legal")
    for district in districts.values():
        for kind in ("courtesan", "ghoul"):
            shift(kind, position["supply"]["minions"], district["minions"][seat])


def elsewhere(position: dict[str, Any]) -> None:
    """A scheme in progress in another district than its own."""
    effect = position["pending"]["effects"][-1]
    effect["here"] = next(name for name in position["districts"] if name != effect["here"])
    position["decision"].pop("legal")


ADVANCED = {"sides": "advanced"}
HIDDEN = {"loot": "hand", "agendas": True}
BUSY: list[tuple[str, tuple[str, dict[str, Any]], Change, str]] = [
    ("without pending", ("place_minion", {}), put(..., "pending"), "pending"),
    ("null as pending", ("place_minion", {}), put(None, "pending"), "pending"),
    ("no effect", ("place_minion", {}), put([], "pending", "effects"), "decision"),
    ("an effect that is none", ("place_minion", {}), put([1], "pending", "effects"), "pending"),
    ("null as effects", ("place_minion", {}), put(None, "pending", "effects"), "pending.effects"),
    (
        "three effects",
        ("place_minion", {}),
        lambda p: p["pending"]["effects"].extend(p["pending"]["effects"] * 2),
        "pending.effects",
    ),
    (
        "an effect without a row",
        ("place_minion", {}),
        put(..., "pending", "effects", 0, "row"),
        "row",
    ),
    ("an unknown key", ("place_minion", {}), last_effect(luck=1), "luck"),
    ("a row below none", ("place_minion", {}), last_effect(row=-1), "row"),
    ("a row past the end", ("place_minion", {}), last_effect(row=8), "row"),
    ("a row far past the end", ("place_minion", {}), last_effect(row=10**30), "row"),
    ("half a row", ("place_minion", {}), last_effect(row=0.0), "row"),
    ("the next row", ("place_minion", {}), last_effect(row=1), "pending"),
    ("no source", ("place_minion", {}), last_effect(source=None), "source"),
    ("an unknown source", ("place_minion", {}), last_effect(source="loot:sack"), "source"),
    ("a source of no kind", ("place_minion", {}), last_effect(source="sack"), "source"),
    ("a scheme below", ("place_minion", {}), last_effect(source="scheme:spires"), "source"),
    ("placed already", ("place_minion", {}), last_effect(here="spires"), "here"),
    ("placed nowhere", ("place_minion", {}), last_effect(here="harbour"), "here"),
    ("triggered before it is placed", ("place_minion", {}), last_effect(triggers=True), "triggers"),
    ("a number as trigger", ("place_minion", {}), last_effect(triggers=0), "triggers"),
    ("a rival too early", ("place_minion", {}), last_effect(rival=0), "rival"),
    ("a move too early", ("place_minion", {}), last_effect(minion="ghoul"), "minion"),
    ("progress too early", ("place_minion", {}), last_effect(progress=1), "progress"),
    (
        "a source that isn't in use",
        ("place_minion", {}),
        lambda p: p["loot_row"].append(p["loot_used"].pop()),
        "loot",
    ),
    (
        "another district decides",
        ("place_marker", {}),
        put("spire", "decision", "kind"),
        "decision",
    ),
    ("the minion isn't there", ("move_to", {}), with_absent_minion, "minion"),
    ("the minion is a leader", ("move_to", {}), with_leader, "minion"),
    ("no minion is moved", ("move_to", {}), last_effect(minion=None), "minion"),
    ("moved from nowhere", ("move_to", {}), last_effect(**{"from": None}), "minion"),
    ("an unknown minion is moved", ("move_to", {}), last_effect(minion="goblin"), "minion"),
    ("the rival is the own seat", ("discard_rival", {"num_players": 3}), of_own_seat, "rival"),
    ("a rival that isn't there", ("discard_rival", {}), last_effect(rival=2), "rival"),
    ("half a rival", ("discard_rival", {}), last_effect(rival=1.0), "rival"),
    ("a rival is picked", ("pick_rival", {"num_players": 3}), last_effect(rival=0), "decision"),
    ("progress too far", ("discard_hand", {}), last_effect(progress=2), "progress"),
    ("all rivals are done", ("discard_hand", {}), last_effect(progress=1), "pending"),
    ("a scheme elsewhere", ("discard_rival", ADVANCED), elsewhere, "here"),
    (
        "a loot card above another",
        ("discard_rival", ADVANCED),
        lambda p: p["pending"]["effects"][-1].update(source=p["pending"]["effects"][0]["source"]),
        "source",
    ),
    (
        "no loot card below the scheme",
        ("discard_rival", ADVANCED),
        lambda p: p["pending"]["effects"].pop(0),
        "source",
    ),
    ("no claim", ("claim", {}), put(..., "pending", "claim"), "pending.claim"),
    ("a claim of none", ("claim", {}), put(0, "pending", "claim", "left"), "pending.claim.left"),
    ("a claim too large", ("claim", {}), put(9, "pending", "claim", "left"), "pending.claim.left"),
    ("before the claims", ("claim", {}), put(0, "pending", "claim", "at"), "pending.claim.at"),
    ("after the claims", ("claim", {}), put(5, "pending", "claim", "at"), "pending.claim.at"),
    ("an unknown key of the claim", ("claim", {}), put(1, "pending", "claim", "luck"), "luck"),
    ("an effect in a claim", ("claim", {}), put([{}], "pending", "effects"), "pending.effects"),
    ("no night card to claim", ("claim", {}), put([], "nights"), "nights"),
    ("another night", ("claim", {}), put(3, "night"), "night"),
    ("discarding down in week 2", ("discard_down", {}), put(2, "week"), "week"),
    (
        "face-down items after the claims",
        ("discard_down", {}),
        lambda p: shift("potion", p["supply"]["items"], p["players"][0]["spent"]),
        "spent",
    ),
    (
        "leaders after the claims",
        ("discard_down", {}),
        leader_on_the_board,
        "leader",
    ),
    ("a decision when over", ("over", {}), put(SPECIAL["decision"], "decision"), "decision"),
    ("other scores", ("over", {}), put([1, 2], "scores"), "scores"),
    ("a text as scores", ("over", {}), put("31", "scores"), "scores"),
    ("scores of three", ("over", {}), lambda p: p["scores"].append(0), "scores"),
    ("no winner", ("over", {}), put([], "winners"), "winners"),
    ("a number as winner", ("over", {}), put(0, "winners"), "winners"),
    ("over in the first week", ("over", {}), put(1, "week"), "week"),
    (
        "discards when over",
        ("over", {}),
        discard_any,
        "discard",
    ),
    ("four with hidden loot", ("use_loot", HIDDEN), put(4, "options", "num_players"), "loot"),
    (
        "a loot card in two hands",
        ("use_loot", HIDDEN),
        lambda p: p["players"][0]["loot_hand"].__setitem__(0, p["players"][1]["loot_hand"][0]),
        "loot",
    ),
    (
        "a loot card too many in hand",
        ("use_loot", HIDDEN),
        lambda p: p["players"][0]["loot_hand"].append(p["players"][1]["loot_hand"].pop()),
        "loot_hand",
    ),
    (
        "a loot card too few in hand",
        ("use_loot", HIDDEN),
        lambda p: p["players"][0]["loot_hand"].pop(),
        "loot_hand",
    ),
    (
        "a row with hidden loot",
        ("use_loot", HIDDEN),
        put(["servants_bell"], "loot_row"),
        "loot_row",
    ),
    ("no agenda", ("use_loot", HIDDEN), put(None, "players", 0, "agenda"), "agenda"),
    ("an agenda left out", ("use_loot", HIDDEN), put(..., "players", 0, "agenda"), "agenda"),
    ("an unknown agenda", ("use_loot", HIDDEN), put("miser", "players", 0, "agenda"), "agenda"),
    (
        "an agenda twice",
        ("use_loot", HIDDEN),
        lambda p: p["players"][0].update(agenda=p["players"][1]["agenda"]),
        "agenda",
    ),
    (
        "a card too many in the row",
        ("use_loot", {}),
        lambda p: p["loot_row"].append("servants_bell"),
        "loot",
    ),
    ("a card too few in the row", ("use_loot", {}), lambda p: p["loot_row"].pop(), "loot_row"),
]


def busy_position(kind: str, options: dict[str, Any]) -> dict[str, Any]:
    """The first decision of a kind; `claim` stands for a marker in a claim."""
    phase = "claim" if kind == "claim" else "loot" if options == ADVANCED else ""
    kind = "place_marker" if kind == "claim" else kind
    seed = 4
    while True:
        position = position_at(kind, seed=seed, phase=phase, **options)
        if options != ADVANCED or position["pending"]["effects"][-1]["source"].startswith("scheme"):
            return position
        seed += 1


@pytest.mark.parametrize(
    ("start", "change", "word"), [each[1:] for each in BUSY], ids=[each[0] for each in BUSY]
)
def test_a_position_of_something_half_done_with_one_thing_wrong_is_refused(start, change, word):
    position = busy_position(*start)
    assert canonical(Game.from_position(position).to_position()) == canonical(position)
    before = canonical(position)
    change(position)
    assert canonical(position) != before
    assert_refused(position, word)

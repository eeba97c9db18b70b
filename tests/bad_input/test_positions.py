"""Positions with one thing wrong: the message holds the word that stands beside each change."""

import copy

import pytest

from hemlock_env import Game
from tests.support.changes import SPECIAL, Change, add, assert_refused, mark, put
from tests.support.play import canonical, odd_sets

KEYS = (
    *("format", "card_set", "card_set_hash", "options", "week", "night", "phase", "turn"),
    *("supremacy", "supply", "discard", "players", "districts", "nights", "night_deck"),
    *("loot_row", "loot_used", "decision", "pending", "rng"),
)
NEEDED = tuple(
    key for key in KEYS if key not in ("card_set_hash", "discard", "loot_used", "pending", "rng")
)
NO_LISTS = tuple(
    key for key in KEYS if key not in ("card_set_hash", "night", "turn", "supremacy", "loot_used")
)

# Of a game of two with basic districts, at the first special action.
AT_SPECIAL: list[tuple[str, Change, str]] = [
    *[(f"without {key}", put(..., key), key) for key in NEEDED],
    *[(f"null as {key}", put(None, key), key) for key in KEYS],
    *[(f"a number as {key}", put(7, key), key) for key in KEYS],
    *[(f"a list as {key}", put([[]], key), key) for key in NO_LISTS],
    *[(f"{key} a half", put(1.0, key), key) for key in ("week", "night", "turn", "supremacy")],
    *[(f"{key} true", put(True, key), key) for key in ("week", "night", "turn", "supremacy")],
    *[(f"{key} below", put(-1, key), key) for key in ("week", "night", "turn", "supremacy")],
    *[(f"{key} huge", put(10**30, key), key) for key in ("week", "night", "turn", "supremacy")],
    ("an unknown key", put(1, "luck"), "luck"),
    ("an unknown key of the supply", put({}, "supply", "markers"), "markers"),
    ("an unknown key of a player", put(1, "players", 0, "luck"), "luck"),
    ("an unknown key of a district", put(1, "districts", "spires", "luck"), "luck"),
    ("an unknown key of the decision", put(1, "decision", "luck"), "luck"),
    ("an unknown key of the options", put(1, "options", "luck"), "luck"),
    ("an unknown key of pending", put(1, "pending", "luck"), "luck"),
    ("another format", put("hemlock-position/2", "format"), "format"),
    ("an unknown card set", put("harbour", "card_set"), "card_set"),
    ("a path as card set", put("../x.toml", "card_set"), "card_set"),
    ("other cards", put("0123456789abcdef", "card_set_hash"), "card_set_hash"),
    ("an unknown option", put(..., "options", "agendas"), "agendas"),
    ("four players, two of them", put(4, "options", "num_players"), "players"),
    ("five players", put(5, "options", "num_players"), "num_players"),
    ("random sides", put(["random"] * 4, "options", "sides"), "sides"),
    ("three sides", put(["basic"] * 3, "options", "sides"), "sides"),
    ("an unknown side", put(["basic", "basic", "basic", "left"], "options", "sides"), "sides"),
    ("another side", put(["advanced", *["basic"] * 3], "options", "sides"), "spaces"),
    ("an unknown loot option", put("table", "options", "loot"), "loot"),
    ("a number as flag", put(1, "options", "items_as_loot"), "items_as_loot"),
    ("a third week", put(3, "week"), "week"),
    ("a fifth night", put(5, "night"), "night"),
    ("an unknown phase", put("dawn", "phase"), "phase"),
    ("another phase", put("claim", "phase"), "night"),
    ("a turn too many", put(2, "turn"), "turn"),
    ("another turn", put(1, "turn"), "decision"),
    ("a seat that isn't there", put(2, "supremacy"), "supremacy"),
    ("another seat with supremacy", lambda p: p.update(supremacy=1 - p["supremacy"]), "decision"),
    ("a ghoul too many", add(1, "supply", "minions", "ghoul"), "ghoul"),
    ("a ghoul too few", add(-1, "supply", "minions", "ghoul"), "ghoul"),
    ("a discarded ghoul too many", add(1, "discard", "ghoul"), "ghoul"),
    ("a ghoul too many in hand", add(1, "players", 1, "hand", "ghoul"), "ghoul"),
    (
        "a ghoul too many on the board",
        add(1, "districts", "spires", "minions", 0, "ghoul"),
        "ghoul",
    ),
    ("an unknown minion", add(1, "supply", "minions", "goblin"), "goblin"),
    ("an unknown minion in hand", add(1, "players", 0, "hand", "goblin"), "goblin"),
    ("minions below none", put(-1, "supply", "minions", "ghoul"), "ghoul"),
    ("half a minion", put(0.5, "supply", "minions", "ghoul"), "ghoul"),
    ("minions true", put(True, "supply", "minions", "ghoul"), "ghoul"),
    ("minions a text", put("3", "supply", "minions", "ghoul"), "ghoul"),
    ("minions beyond count", put(10**30, "supply", "minions", "ghoul"), "ghoul"),
    ("a potion too many", add(1, "supply", "items", "potion"), "potion"),
    ("a potion too many in hand", add(1, "players", 0, "items", "potion"), "potion"),
    ("an unknown item", add(1, "supply", "items", "sword"), "sword"),
    (
        "a leader away from its lair",
        add(1, "districts", "spires", "minions", 0, "leader_courtyard"),
        "leader_courtyard",
    ),
    (
        "two leaders on a side",
        put(2, "districts", "spires", "minions", 0, "leader_spires"),
        "leader_spires",
    ),
    ("more known than held", add(9, "players", 0, "known", "ghoul"), "known"),
    ("a marker on no space", mark("0", "boneyard", 1, 1), "boneyard"),
    ("a marker of no one", mark("2", "spires", 0, 0), "spires"),
    ("a sign that is none", mark("x", "spires", 0, 0), "spires"),
    ("a space where none is", mark(".", "spires", 2, 0), "spires"),
    ("no space where one is", mark(" ", "spires", 0, 0), "spires"),
    ("a marker too many", mark("0", "courtyard", 0, 0), "markers"),
    ("a stock too large", add(1, "players", 0, "markers"), "markers"),
    ("a stock below none", put(-1, "players", 0, "markers"), "markers"),
    ("a stock of thirteen", put(13, "players", 0, "markers"), "markers"),
    ("half a stock", put(11.0, "players", 0, "markers"), "markers"),
    ("support below none", put(-1, "players", 0, "support"), "support"),
    ("support beyond count", put(10**6, "players", 0, "support"), "support"),
    ("two rows", put(["...", "..."], "districts", "spires", "spaces"), "spaces"),
    ("four rows", put(["..."] * 4, "districts", "spires", "spaces"), "spaces"),
    ("a short row", put(["..", "...", "   "], "districts", "spires", "spaces"), "spaces"),
    ("a number as row", put([1, "...", "   "], "districts", "spires", "spaces"), "spaces"),
    ("a side too few", put([{}], "districts", "spires", "minions"), "minions"),
    ("a side too many", put([{}] * 3, "districts", "spires", "minions"), "minions"),
    ("a district too few", put(..., "districts", "courtyard"), "courtyard"),
    ("an unknown district", put({}, "districts", "harbour"), "harbour"),
    ("a player too few", lambda p: p["players"].pop(), "players"),
    ("a player too many", lambda p: p["players"].append(p["players"][0]), "players"),
    ("a player without a hand", put(..., "players", 0, "hand"), "hand"),
    ("a list as hand", put([], "players", 1, "hand"), "hand"),
    ("a number as player", put(3, "players", 1), "players"),
    ("an agenda without the option", put("voice_of_the_alleys", "players", 0, "agenda"), "agenda"),
    (
        "a loot hand without the option",
        put(["crypt_lantern"], "players", 0, "loot_hand"),
        "loot_hand",
    ),
    ("null as loot hand", put(None, "players", 0, "loot_hand"), "loot_hand"),
    (
        "a night card twice",
        lambda p: p["night_deck"].__setitem__(0, p["night_deck"][1]),
        "night_deck",
    ),
    (
        "a revealed card in the deck",
        lambda p: p["night_deck"].__setitem__(0, p["nights"][0]),
        "night_deck",
    ),
    ("an unknown night card", put(["spires_3"], "nights"), "nights"),
    ("a night card too few", lambda p: p["night_deck"].pop(), "night_deck"),
    ("a night card too many", lambda p: p["nights"].append(p["night_deck"].pop()), "night"),
    ("no night card", put([], "nights"), "nights"),
    (
        "loot left after the loot phase",
        lambda p: p["loot_row"].append(p["loot_used"].pop()),
        "loot",
    ),
    ("a loot card twice", lambda p: p["loot_used"].append(p["loot_used"][0]), "loot_used"),
    ("a loot card too few", lambda p: p["loot_used"].pop(), "loot_used"),
    ("an unknown loot card", put(["sack"], "loot_used"), "loot_used"),
    ("a number as loot", put([3], "loot_row"), "loot_row"),
    (
        "another seat decides",
        lambda p: p["decision"].update(seat=1 - p["decision"]["seat"]),
        "decision",
    ),
    ("another decision", put("use_loot", "decision", "kind"), "decision"),
    ("a decision in an effect", put("place_marker", "decision", "kind"), "decision"),
    ("an unknown decision", put("dance", "decision", "kind"), "decision.kind"),
    ("a seat too high decides", put(2, "decision", "seat"), "decision.seat"),
    ("no one decides", put(None, "decision", "seat"), "decision.seat"),
    ("a legal action missing", lambda p: p["decision"]["legal"].pop(), "decision.legal"),
    (
        "legal actions in another order",
        lambda p: p["decision"]["legal"].reverse(),
        "decision.legal",
    ),
    (
        "an illegal action listed",
        lambda p: p["decision"]["legal"].append("seat:1"),
        "decision.legal",
    ),
    ("a text as legal actions", put("take:ghoul", "decision", "legal"), "decision.legal"),
    ("scores before the end", put([1, 2], "scores"), "scores"),
    ("winners before the end", put([0], "winners"), "winners"),
    ("a seed below 0", put({"seed": -1}, "rng"), "rng"),
    ("a seed too large", put({"seed": 2**63}, "rng"), "rng"),
    ("a seed of another kind", put({"state": 1}, "rng"), "rng"),
    ("effects where none is", put([{}], "pending", "effects"), "pending"),
    ("a claim where none is", put({"at": 1, "left": 1}, "pending", "claim"), "pending.claim"),
    ("no claim", put(None, "pending", "claim"), "pending.claim"),
    ("decisions below none", put(-1, "pending", "decisions"), "pending.decisions"),
]


@pytest.mark.parametrize(
    ("change", "word"), [each[1:] for each in AT_SPECIAL], ids=[each[0] for each in AT_SPECIAL]
)
def test_a_position_with_one_thing_wrong_is_refused(change, word):
    position = copy.deepcopy(SPECIAL)
    change(position)
    assert canonical(position) != canonical(SPECIAL)
    assert_refused(position, word)


@pytest.mark.parametrize("position", [None, 1, "x", [], {}, True, [SPECIAL]], ids=repr)
def test_what_is_no_position_is_refused(position):
    with pytest.raises(ValueError, match=r"position|is missing"):
        Game.from_position(position)


def test_the_position_that_these_changes_start_from_is_read():
    assert canonical(Game.from_position(SPECIAL).to_position()) == canonical(SPECIAL)


def test_a_position_of_other_cards_is_refused():
    (_, one), (_, other) = odd_sets(2)
    position = Game(card_set=one, seed=1).to_position()
    with pytest.raises(ValueError, match="card_set"):
        Game.from_position(position, card_set=other)
    with pytest.raises(ValueError, match="card_set"):
        Game.from_position(position)
    with pytest.raises(ValueError, match="card_set"):
        Game.from_position(position, card_set="no/such/file.toml")


@pytest.mark.parametrize("seed", [-1, 2**63, 1.0, "1", True])
def test_a_position_without_rng_wants_a_seed_that_can_be(seed):
    position = copy.deepcopy(SPECIAL)
    del position["rng"]
    with pytest.raises(ValueError, match="seed"):
        Game.from_position(position, seed=seed)

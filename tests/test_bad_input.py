"""Bad input: a clear ValueError each time, and the game, batch or file is what it was.

Nothing here may raise anything but ValueError, save for a misspelt keyword of `Game`, which Python
itself refuses as a TypeError that names it.
"""

import copy
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hemlock_env import Batch, Game, replay
from tests.support.play import (
    VARIANTS,
    canonical,
    name_of,
    odd_sets,
    phase_and_kind,
    played,
    problems,
    sample,
    state_bytes,
    stops,
    tweaked,
)

FUZZ = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=400,
    suppress_health_check=list(HealthCheck),
)


# ---- options ----

BAD_OPTIONS = [
    ({"num_players": 1}, "num_players"),
    ({"num_players": 5}, "num_players"),
    ({"num_players": None}, "num_players"),
    ({"num_players": 2.0}, "num_players"),
    ({"num_players": "2"}, "num_players"),
    ({"num_players": True}, "num_players"),
    ({"num_players": 10**30}, "num_players"),
    ({"num_players": 4, "loot": "hand"}, "loot"),
    ({"loot": "rows"}, "loot"),
    ({"loot": None}, "loot"),
    ({"loot": ["row"]}, "loot"),
    ({"sides": "both"}, "sides"),
    ({"sides": None}, "sides"),
    ({"sides": 1}, "sides"),
    ({"sides": ["basic"] * 3}, "sides"),
    ({"sides": ["basic"] * 5}, "sides"),
    ({"sides": ["basic", "basic", "basic", "Basic"]}, "sides"),
    ({"sides": ["basic", "basic", "basic", None]}, "sides"),
    ({"sides": [["basic"], "basic", "basic", "basic"]}, "sides"),
    ({"items_as_loot": 1}, "items_as_loot"),
    ({"items_as_loot": None}, "items_as_loot"),
    ({"items_as_loot": "yes"}, "items_as_loot"),
    ({"agendas": 0}, "agendas"),
    ({"agendas": "all"}, "agendas"),
    ({"first_player": 2}, "first_player"),
    ({"first_player": -1}, "first_player"),
    ({"first_player": 0.0}, "first_player"),
    ({"first_player": False}, "first_player"),
    ({"card_set": "vault"}, "vault"),
    ({"card_set": "no/such/file.toml"}, "no/such/file.toml"),
    ({"card_set": ""}, "card set"),
    ({"card_set": None}, "card set"),
    ({"card_set": 3}, "card set"),
]
BY_OPTION = pytest.mark.parametrize(("options", "word"), BAD_OPTIONS, ids=str)


@BY_OPTION
def test_a_game_names_the_option_that_can_not_be(options, word):
    with pytest.raises(ValueError, match=word):
        Game(seed=1, **options)


@BY_OPTION
def test_a_batch_names_the_option_that_can_not_be(options, word):
    with pytest.raises(ValueError, match=word):
        Batch(2, **options)


def test_a_game_names_an_unknown_option():
    with pytest.raises(ValueError, match="player_count"):
        Game(player_count=2)


def test_a_batch_names_an_unknown_option():
    with pytest.raises(ValueError, match="player_count"):
        Batch(2, player_count=2)


@pytest.mark.parametrize("seed", [-1, 2**63, 1.0, "1", True, [1], float("nan"), 10**30])
def test_a_seed_is_a_whole_number_below_two_to_the_63(seed):
    with pytest.raises(ValueError, match="seed"):
        Game(seed=seed)
    with pytest.raises(ValueError, match="seed"):
        Batch(2, seed=seed)
    with pytest.raises(ValueError, match="seed"):
        Game(seed=1).redeal(0, seed)


@pytest.mark.parametrize("seat", [-1, 2, None, 0.0, "0", True, [0], 10**30])
def test_a_seat_is_one_at_the_table(seat):
    game = Game(seed=1)
    with pytest.raises(ValueError, match="seat"):
        game.observe(seat)
    with pytest.raises(ValueError, match="seat"):
        game.redeal(seat, 1)
    if seat is not None:  # whoever decides
        with pytest.raises(ValueError, match="seat"):
            game.action_mask(seat)


# ---- actions ----

BAD_ACTIONS = (
    *(None, 1.0, 0.5, float("nan"), True, False, "", "loot", "loot:", "loot:nothing", "LOOT"),
    *(b"loot", [], [0], (0,), {}, {0}, -1, -(10**30), 10**30, 200, 1j),
    *(np.float32(1), np.float64(0), np.bool_(True), np.array([0, 1]), np.array(0.0)),
)


@pytest.mark.parametrize("action", BAD_ACTIONS, ids=repr)
def test_what_is_no_action_is_refused_and_changes_nothing(action):
    for game in sample(every=60):
        before = state_bytes(game)
        with pytest.raises(ValueError, match="action"):
            game.step(action)
        assert state_bytes(game) == before


@pytest.mark.parametrize("action", [np.int8(0), np.int16(0), np.int64(0), np.uint8(0), 0])
def test_whole_numbers_of_any_make_are_actions(action):
    game = Game(seed=1)
    action = type(action)(game.legal_actions()[0])
    game.step(action)
    assert game.decisions == 1


def test_an_illegal_action_is_named_with_the_legal_ones():
    game = Game(seed=1)
    legal = [game.action_name(action) for action in game.legal_actions()]
    with pytest.raises(ValueError, match="take:ghoul") as error:
        game.step("take:ghoul")
    assert all(name in str(error.value) for name in legal)
    assert f"seat {game.seat}" in str(error.value) and "use_loot" in str(error.value)


def test_no_action_is_legal_when_the_game_is_over():
    game = played(Game(seed=1), 1000)
    before = state_bytes(game)
    for action in range(152):
        with pytest.raises(ValueError, match="over"):
            game.step(action)
    assert state_bytes(game) == before


@pytest.mark.parametrize("index", [-1, 152, None, 1.5, "x", True, 10**30])
def test_there_is_no_name_for_what_is_no_index(index):
    with pytest.raises(ValueError, match=r"action|name"):
        Game(seed=1).action_name(index)


@pytest.mark.parametrize("name", ["", "loot", "loot:x", None, 3, b"loot:crypt_lantern", ["a"]])
def test_there_is_no_index_for_what_is_no_name(name):
    with pytest.raises(ValueError, match="action"):
        Game(seed=1).action_index(name)


def test_an_illegal_action_leaves_the_record_as_it_was():
    game = played(Game(seed=2), 20)
    before = game.record()
    illegal = next(a for a in range(152) if a not in game.legal_actions())
    with pytest.raises(ValueError, match="illegal"):
        game.step(illegal)
    assert game.record() == before


# ---- batches ----


@pytest.mark.parametrize("games", [0, -1, None, 1.0, "2", True, [2]])
def test_a_batch_has_at_least_one_game(games):
    with pytest.raises(ValueError, match="games"):
        Batch(games)


@pytest.mark.parametrize("reward", ["", "win", None, 1, ["outcome"]])
def test_a_batch_names_the_reward_that_can_not_be(reward):
    with pytest.raises(ValueError, match="reward"):
        Batch(2, reward=reward)


BAD_BATCH_ACTIONS = [
    *(None, 0, [], [0], [0, 0, 0], [[0, 0]], "ab", ["a", "b"], [None, None], [0.0, 1.0]),
    *([True, False], [-1, -1], [152, 0], [10**9, 0], [2**62, 0], [2**70, 0], {0: 0, 1: 0}),
    *(np.array([0, 2**63], np.uint64), np.array([np.nan, 0]), [[0], [0, 1]]),
]


@pytest.mark.parametrize("actions", BAD_BATCH_ACTIONS, ids=repr)
def test_a_batch_refuses_what_are_no_legal_actions_and_changes_nothing(actions):
    batch = Batch(2, seed=1)
    before = batch.games.tobytes(), batch.observation.tobytes(), batch.mask.tobytes()
    with pytest.raises(ValueError, match="action"):
        batch.step(actions)
    assert (batch.games.tobytes(), batch.observation.tobytes(), batch.mask.tobytes()) == before


def test_a_batch_names_the_first_game_with_an_illegal_action():
    batch = Batch(3, seed=1)
    actions = batch.legal[:, 0].copy()
    actions[1] = 151
    before = batch.games.tobytes()
    with pytest.raises(ValueError, match="game 1: action 151"):
        batch.step(actions)
    assert batch.games.tobytes() == before


BAD_SEEDS = [[1], [1, 2, 3], [-1, 0], [0, 2**63], [0.0, 1.0], "ab", 5, [None, 1], [True, False]]


@pytest.mark.parametrize("seeds", BAD_SEEDS, ids=repr)
def test_a_batch_refuses_seeds_that_are_none(seeds):
    batch = Batch(2, seed=1)
    before = batch.games.tobytes()
    with pytest.raises(ValueError, match="seeds"):
        batch.reset(seeds=seeds)
    assert batch.games.tobytes() == before


@pytest.mark.parametrize("decisions", [-1, 1.5, [1, -1], "2", 10**6, None, [1, 2, 3]])
def test_a_batch_refuses_numbers_of_random_decisions_that_can_not_be(decisions):
    batch = Batch(2, seed=1)
    before = batch.games.tobytes()
    with pytest.raises(ValueError, match="decisions"):
        batch.play_random(decisions)
    assert batch.games.tobytes() == before


def test_a_batch_refuses_stored_games_that_do_not_fit():
    batch = Batch(2, seed=1)
    before = batch.games.tobytes()
    for stored in (Batch(3).games, Batch(2, num_players=3).games, np.zeros(2), None, [1, 2]):
        with pytest.raises(ValueError, match="games"):
            batch.restore(stored)
    assert batch.games.tobytes() == before


# ---- positions: one thing wrong, and the word that the message must hold ----

Change = Callable[[dict[str, Any]], Any]


def put(value: Any, *path: Any) -> Change:
    """Puts a value in a place, or takes away what is there (`...`)."""

    def change(position: dict[str, Any]) -> None:
        *way, last = path
        at: Any = position
        for step in way:
            at = at[step]
        if value is ...:
            del at[last]
        else:
            at[last] = value

    return change


def add(number: int, *path: Any) -> Change:
    """Adds to a count."""

    def change(position: dict[str, Any]) -> None:
        *way, last = path
        at: Any = position
        for step in way:
            at = at[step]
        at[last] = at.get(last, 0) + number

    return change


def mark(sign: str, district: str, row: int, column: int) -> Change:
    """Writes a sign on a space."""

    def change(position: dict[str, Any]) -> None:
        rows = position["districts"][district]["spaces"]
        rows[row] = rows[row][:column] + sign + rows[row][column + 1 :]

    return change


# Of a game of two with basic districts, at the first special action.
AT_SPECIAL: list[tuple[str, Change, str]] = [
    *[
        (f"without {key}", put(..., key), key)
        for key in (
            "format",
            "card_set",
            "options",
            "week",
            "night",
            "phase",
            "turn",
            "supremacy",
            "supply",
            "players",
            "districts",
            "nights",
            "night_deck",
            "loot_row",
            "decision",
        )
    ],
    *[
        (f"null as {key}", put(None, key), key)
        for key in (
            "format",
            "card_set",
            "card_set_hash",
            "options",
            "week",
            "night",
            "phase",
            "turn",
            "supremacy",
            "supply",
            "discard",
            "players",
            "districts",
            "nights",
            "night_deck",
            "loot_row",
            "loot_used",
            "decision",
            "pending",
            "rng",
        )
    ],
    *[
        (f"a number as {key}", put(7, key), key)
        for key in (
            "format",
            "card_set",
            "card_set_hash",
            "options",
            "week",
            "night",
            "phase",
            "turn",
            "supremacy",
            "supply",
            "discard",
            "players",
            "districts",
            "nights",
            "night_deck",
            "loot_row",
            "loot_used",
            "decision",
            "pending",
            "rng",
        )
    ],
    *[
        (f"a list as {key}", put([[]], key), key)
        for key in (
            "format",
            "card_set",
            "options",
            "week",
            "phase",
            "supply",
            "discard",
            "players",
            "districts",
            "nights",
            "night_deck",
            "loot_row",
            "decision",
            "pending",
            "rng",
        )
    ],
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


def special_position() -> dict[str, Any]:
    """A game of two at its first special action."""
    return position_at("special_action", seed=3)


def position_at(kind: str, *, seed: int, phase: str = "", **options: Any) -> dict[str, Any]:
    """The first decision of a kind that comes up from this seed on."""
    while True:
        for game in stops(Game(**options, seed=seed), Random(seed)):
            position = game.to_position()
            found_phase, found_kind = phase_and_kind(position)
            if found_kind == kind and phase in ("", found_phase):
                return position
        seed += 1


SPECIAL = special_position()


def assert_refused(position: Any, word: str) -> None:
    """With the word in the message, and the position is what it was."""
    text = json.dumps(position)
    with pytest.raises(ValueError) as error:
        Game.from_position(position)
    assert word in str(error.value)
    assert type(error.value).__module__ == "hemlock_env.game.position"
    assert json.dumps(position) == text


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


# ---- positions in the middle of an effect, of a claim, at the end ----


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


# ---- positions changed at random ----

ODD_VALUES = st.sampled_from(
    [
        *(None, True, False, -1, 0, 1, 2, 3, 4, 12, 13, 127, 128, 10**9, 10**30, 0.0, 1.0, 1.5),
        *(
            "",
            ".",
            "ghoul",
            "spires",
            "leader_spires",
            "loot",
            "special",
            "claim",
            "over",
            "use_loot",
        ),
        *([], {}, [[]], [0], ["ghoul"], {"ghoul": 1}, {"": 0}, ["...", "...", "..."]),
    ]
)


def paths(value: Any, *way: Any) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    children = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in children:
        yield (*way, key)
        if isinstance(child, dict | list):
            yield from paths(child, *way, key)


def changed_at_random(value: Any, data: st.DataObject) -> Any:
    """With one to three places given another value, taken away, or exchanged with another place."""
    value = copy.deepcopy(value)
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from(list(paths(value))))
        at = value
        for step in way:
            at = at[step]
        what = data.draw(st.sampled_from(("put", "put", "remove", "exchange", "repeat")))
        if what == "put":
            at[last] = copy.deepcopy(data.draw(ODD_VALUES))
        elif what == "remove":
            del at[last]
        elif what == "exchange":
            other = data.draw(st.sampled_from(list(at if isinstance(at, dict) else range(len(at)))))
            at[last], at[other] = at[other], at[last]
        elif isinstance(at, list):
            at.append(copy.deepcopy(at[last]))
        if not value:
            break
    return value


def assert_playable(game: Game) -> None:
    """A game that was read passes its checks and can be played to the end."""
    for _ in stops(game, Random(0)):
        if game.over or game.decisions % 8 == 0:
            assert problems(game.to_position(), game.card_set) == []


@FUZZ
@given(data=st.data())
def test_a_position_changed_at_random_is_refused_or_can_be_played(data):
    games = sample(every=9)
    game = data.draw(st.sampled_from(games))
    position = changed_at_random(game.to_position(), data)
    try:
        read = Game.from_position(position, card_set=game.card_set)
    except ValueError as error:
        assert str(error)
        return
    assert_playable(read)


def test_a_position_that_differs_in_one_place_is_refused_or_can_be_played():
    """Cards moved, markers turned, what is half done changed: often another legal position."""
    rng, read = Random(6), 0
    for game in sample(every=2):
        position = tweaked(game.to_position(), rng)
        try:
            other = Game.from_position(position, card_set=game.card_set)
        except ValueError as error:
            assert str(error)
            continue
        read += 1
        assert canonical(
            Game.from_position(other.to_position(), card_set=game.card_set).to_position()
        ) == (canonical(other.to_position()))
        assert_playable(other)
    assert 150 < read < 450


# ---- records ----

RECORD = played(Game(3, loot="hand", agendas=True, sides="random", seed=5), 1000).record()
SHORT = played(Game(seed=6), 1000).record()


def replayed(record: Any) -> list[Game]:
    """To the last event."""
    return list(replay(record))


def first_difference(one: list[Any], other: list[Any]) -> int:
    """Where two lists of events part, `1` and `true` told apart."""
    texts = [[canonical(event) for event in events] for events in (one, other)]
    pairs = zip(*texts, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def test_the_records_that_these_changes_start_from_are_replayed():
    assert replayed(RECORD)[-1].scores() == RECORD["scores"]
    assert replayed(SHORT)[-1].scores() == SHORT["scores"]


@pytest.mark.parametrize("place", range(len(SHORT["events"])))
def test_a_record_cut_short_is_refused(place):
    """It says how the game ended, so the end has to be there."""
    with pytest.raises(ValueError, match=f"event {place - 1}|event {place}: is missing"):
        replayed({**SHORT, "events": SHORT["events"][:place]})


def test_a_record_cut_at_a_decision_is_that_of_an_unfinished_game_and_only_there():
    """What the rules do by themselves after an action belongs to the record."""
    complete = {len(played(Game(seed=6), decisions).record()["events"]) for decisions in range(300)}
    for place in range(len(SHORT["events"])):
        record = {**SHORT, "events": SHORT["events"][:place], "scores": None, "winners": None}
        if place in complete:
            assert replayed(record)[-1].record()["events"] == record["events"]
        else:
            with pytest.raises(ValueError, match=f"event {place}: is missing"):
                replayed(record)


@pytest.mark.parametrize("place", range(len(SHORT["events"])))
def test_a_record_with_an_event_missing_is_refused_there(place):
    events = SHORT["events"][:place] + SHORT["events"][place + 1 :]
    refused_from(events, first_difference(events, SHORT["events"]))


@pytest.mark.parametrize("place", range(len(SHORT["events"])))
def test_a_record_with_an_event_twice_is_refused_there(place):
    events = SHORT["events"][: place + 1] + SHORT["events"][place:]
    refused_from(events, first_difference(events, SHORT["events"]))


def test_a_record_that_goes_on_after_the_end_is_refused_there():
    events = [*SHORT["events"], SHORT["events"][-1]]
    with pytest.raises(ValueError, match=f"^event {len(events) - 1}:"):
        replayed({**SHORT, "events": events})


def refused_from(events: list[Any], place: int) -> None:
    """At that event, or later if what stands there could have been chosen."""
    with pytest.raises(ValueError) as error:
        replayed({**SHORT, "events": events})
    message = str(error.value)
    assert message.startswith(("event ", "scores", "winners"))
    if message.startswith("event "):
        assert int(message.split()[1].rstrip(":")) >= place


def other_event(event: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """An event with something changed."""
    return {**event, **change}


WRONG_EVENTS = (
    *(None, 1, "x", [], {}, True, {"seat": 0}, {"action": "take:ghoul"}, {"night": "spires_1"}),
    *({"seat": 0, "action": "take:goblin"}, {"seat": 0, "action": None}, {"seat": 0, "action": 3}),
    {"seat": 0, "action": ["take:ghoul"]},
)


@pytest.mark.parametrize("event", WRONG_EVENTS, ids=repr)
def test_a_record_with_a_wrong_event_is_refused_there(event):
    for place in range(0, len(SHORT["events"]), 3):
        events = copy.deepcopy(SHORT["events"])
        events[place] = event
        with pytest.raises(ValueError, match=f"^event {place}:"):
            replayed({**SHORT, "events": events})


CHOSEN = next(n for n, event in enumerate(SHORT["events"]) if event.get("seat") == 1)
FORCED = next(n for n, event in enumerate(SHORT["events"]) if "forced" in event)
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
    ("a loot row in another order", 1, {"loot": SHORT["events"][1]["loot"][::-1]}),
    ("hands with a loot row", 1, {"loot_hands": []}),
]


@pytest.mark.parametrize(
    ("place", "change"), [each[1:] for each in EDITS], ids=[each[0] for each in EDITS]
)
def test_an_edited_event_is_refused_there(place, change):
    events = copy.deepcopy(SHORT["events"])
    events[place] |= change
    with pytest.raises(ValueError, match=f"^event {place}:"):
        replayed({**SHORT, "events": events})


SETUP_EDITS = [
    ("sides", ["advanced", *["basic"] * 3]),
    ("first_player", 1 - SHORT["events"][0]["setup"]["first_player"]),
    ("first_player", bool(SHORT["events"][0]["setup"]["first_player"])),
    ("first_player", float(SHORT["events"][0]["setup"]["first_player"])),
    ("hands", SHORT["events"][0]["setup"]["hands"][::-1]),
    (
        "hands",
        [{kind: float(n) for kind, n in h.items()} for h in SHORT["events"][0]["setup"]["hands"]],
    ),
    ("agendas", []),
    ("night_deck", SHORT["events"][0]["setup"]["night_deck"][::-1]),
    ("luck", 1),
]


@pytest.mark.parametrize(("key", "value"), SETUP_EDITS, ids=str)
def test_an_edited_setup_is_refused_at_the_first_event(key, value):
    events = copy.deepcopy(SHORT["events"])
    events[0]["setup"][key] = value
    with pytest.raises(ValueError, match=r"^event 0:"):
        replayed({**SHORT, "events": events})


def test_an_action_exchanged_for_another_legal_one_makes_another_record_or_a_wrong_one():
    """Wrong where the actions that follow don't fit, or other events, or the scores."""
    games, accepted = replayed(SHORT), 0
    chosen = [n for n, e in enumerate(SHORT["events"]) if "action" in e and "forced" not in e]
    for place, game in list(zip(chosen, games, strict=False))[::3]:
        events = copy.deepcopy(SHORT["events"])
        legal = [game.action_name(action) for action in game.legal_actions()]
        events[place]["action"] = next(name for name in legal if name != events[place]["action"])
        try:
            other = replayed({**SHORT, "events": events})
        except ValueError:
            refused_from(events, place)
            continue
        accepted += 1
        assert other[-1].record()["events"] == events
    assert accepted < len(chosen) // 6


HEADER = [
    *[(key, ..., key) for key in SHORT if key not in ("card_set_hash",)],
    *[(key, None, key) for key in ("format", "card_set", "options", "events")],
    ("format", "hemlock-record/2", "format"),
    ("format", 1, "format"),
    ("card_set", "harbour", "harbour"),
    ("card_set", "../../etc/passwd", "card_set"),
    ("card_set", 3, "card_set"),
    ("card_set_hash", "0123456789abcdef", "0123456789abcdef"),
    ("seed", SHORT["seed"] + 1, "event 0"),
    ("seed", None, "seed"),
    ("seed", -1, "seed"),
    ("seed", 6.0, "seed"),
    ("seed", "6", "seed"),
    ("first_player", 2, "first_player"),
    ("first_player", "0", "first_player"),
    ("first_player", 0.0, "first_player"),
    ("options", {}, "options"),
    ("options", {**SHORT["options"], "luck": 1}, "options"),
    ("options", {**SHORT["options"], "num_players": 3}, "event 0"),
    ("options", {**SHORT["options"], "num_players": "2"}, "num_players"),
    ("options", {**SHORT["options"], "num_players": 4, "loot": "hand"}, "loot"),
    ("options", {**SHORT["options"], "sides": ["advanced"] * 4}, "event 0"),
    ("options", [1], "options"),
    ("events", {}, "events"),
    ("events", "x", "events"),
    ("events", [], "event 0"),
    ("scores", None, "scores"),
    ("scores", [0, 0], "scores"),
    ("scores", "x", "scores"),
    ("scores", [float(score) for score in SHORT["scores"]], "scores"),
    ("winners", [], "winners"),
    ("winners", None, "winners"),
    ("winners", [bool(seat) for seat in SHORT["winners"]], "winners"),
    ("luck", 1, "luck"),
]


@pytest.mark.parametrize(("key", "value", "word"), HEADER, ids=str)
def test_a_record_with_a_wrong_header_or_end_is_refused(key, value, word):
    record = copy.deepcopy(SHORT)
    if value is ...:
        del record[key]
    else:
        record[key] = value
    text = canonical(record)
    with pytest.raises(ValueError, match=word):
        replayed(record)
    assert canonical(record) == text


@pytest.mark.parametrize(
    "record", [None, 1, "x", [], {}, [SHORT], b"{}"], ids=lambda r: repr(r)[:9]
)
def test_what_is_no_record_is_refused(record):
    with pytest.raises(ValueError, match="record"):
        replayed(record)


@FUZZ
@given(data=st.data())
def test_a_record_changed_at_random_is_refused_unless_it_says_the_same(data):
    """What is accepted differs from the record in nothing that was played."""
    record = changed_at_random(RECORD, data)
    try:
        games = replayed(record)
    except ValueError as error:
        assert str(error)
        return
    assert games[-1].record()["events"] == record["events"]
    assert games[-1].over == (record["scores"] is not None)


@pytest.mark.parametrize("options", VARIANTS, ids=name_of)
def test_a_game_is_unharmed_by_all_that_was_refused(options):
    """The game goes on as one that never saw anything bad."""
    game, other = Game(**options, seed=7), Game(**options, seed=7)
    rng = Random(7)
    while not game.over:
        for bad in (None, 1.5, -1, 999, "x", [1]):
            with pytest.raises(ValueError):
                game.step(bad)
        with pytest.raises(ValueError):
            game.observe(9)
        action = rng.choice(game.legal_actions())
        game.step(action)
        other.step(action)
    assert game.record() == other.record()

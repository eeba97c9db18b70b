"""Form before rules: a value of another type is refused for itself, wherever it stands; and what is
accepted is written as what is accepted.
"""

import copy
import gzip
import json
from random import Random
from typing import Any

import pytest

from hemlock_env import Game
from hemlock_env.evaluation.endgames import load_endgames
from hemlock_env.evaluation.ladder.run import Ladder
from hemlock_env.network.policy import load_policy
from tests.support.changes import LONG_RECORD, SPECIAL, paths, reached, replayed
from tests.support.mutations import checkpoint_files, endgames_of, ladder_files
from tests.support.play import played, sample, tweaked

OTHERS = (None, True, 0.5, "goblin", 3, [], [[]], {}, {"goblin": {}})
NULLS = (
    "agenda",
    "here",
    "rival",
    "from",
    "minion",
    "decision",
    "first_player",
    "scores",
    "winners",
)


def way_to(*way: Any) -> str:
    """A place as messages name it: `players[0].hand`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in way)[1:]


def is_other(old: Any, new: Any, key: Any) -> bool:
    """Of another type than may stand there."""
    if new is None or old is None:
        return key not in NULLS and not isinstance(key, int)
    return type(old) is not type(new) and not (type(old) is float and type(new) is int)


def wrong_types(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """A document with one value of another type, and where that is."""
    found = []
    for *way, last in paths(document):
        old = reached(document, way)[last]
        for new in OTHERS:
            if way[:1] != ["events"] and is_other(old, new, last):
                changed = copy.deepcopy(document)
                reached(changed, way)[last] = copy.deepcopy(new)
                found.append((way_to(*way, last), changed))
    return found


@pytest.mark.parametrize("kind", ["place_marker", "discard_rival", "use_loot", ""])
def test_a_value_of_another_type_in_a_position_is_named(kind):
    games = [game for game in sample(every=3) if ask(game) == kind]
    position = max((game.to_position() for game in games), key=lambda each: len(str(each)))
    wrong = wrong_types(position)
    assert len(wrong) > 500
    for place, changed in wrong:
        with pytest.raises(ValueError) as error:
            Game.from_position(changed, card_set=games[0].card_set)
        assert str(error.value).startswith(f"{place}: "), place


def ask(game: Game) -> str:
    decision = game.to_position()["decision"]
    return decision["kind"] if decision else ""


def test_a_value_of_another_type_in_a_record_is_named():
    wrong = wrong_types(LONG_RECORD)
    assert len(wrong) > 100
    for place, changed in wrong:
        with pytest.raises(ValueError) as error:
            replayed(changed)
        assert str(error.value).startswith(f"{place}: "), place


def test_a_value_of_another_type_beside_the_games_is_named(tmp_path, monkeypatch):
    """meta.json of a checkpoint, a set of endgames, the head of a ladder's folder."""
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    schedule, _, head = ladder_files()
    weights, meta = checkpoint_files()
    (tmp_path / "policy.safetensors").write_bytes(weights)
    readers = [
        (meta, "meta.json", lambda: load_policy(tmp_path)),
        (endgames_of(), "set.json.gz", lambda: load_endgames(tmp_path / "set.json.gz")),
        (head, "ladder.json", lambda: Ladder(schedule, tmp_path, read_only=True)),
    ]
    for document, name, read in readers:
        wrong = wrong_types(document)
        assert len(wrong) > 60
        for place, changed in wrong:
            text = json.dumps(changed).encode()
            (tmp_path / name).write_bytes(gzip.compress(text, 1) if "gz" in name else text)
            with pytest.raises(ValueError) as error:
                read()
            inner = place.partition(".position.")[2] or place
            said = (f"{inner}: ", "isn't a set of endgames", "holds games with options")
            assert any(words in str(error.value) for words in said), place


def test_form_comes_before_rules():
    """A decision without its kind is refused for it, whatever else can't be."""
    position = {**copy.deepcopy(SPECIAL), "loot_row": ["crypt_lantern"], "night": 9}
    for decision, said in ((7, "^decision: 7"), ({"seat": 0}, "^decision.kind: is missing")):
        with pytest.raises(ValueError, match=said):
            Game.from_position({**position, "decision": decision})


def test_the_end_has_scores_and_winners():
    over = played(Game(seed=6), 1_000).to_position()
    for name in ("scores", "winners"):
        with pytest.raises(ValueError, match=f"^{name}: None must be "):
            Game.from_position({**over, name: None})
        with pytest.raises(ValueError, match=f"^{name}: .* must be null before the end"):
            Game.from_position({**SPECIAL, name: over[name]})
    assert Game.from_position({k: v for k, v in over.items() if k not in ("scores", "winners")})


@pytest.mark.parametrize("card_set", ["nothing", "no/such.toml", 3])
def test_a_card_set_that_cant_be_is_named(card_set):
    with pytest.raises(ValueError, match=r"^card_set: "):
        Game(card_set=card_set)


def test_a_message_stays_short_and_deep_values_can_be_told():
    deep: Any = []
    for _ in range(2_000):
        deep = [deep]
    for value in (deep, "x" * 10**6, [0] * 10**6, {"x": deep}):
        for document in ({**SPECIAL, "night": value}, {**SPECIAL, "x" * 10**6: value}):
            with pytest.raises(ValueError) as error:
                Game.from_position(document)
            assert len(str(error.value)) < 1_000
        with pytest.raises(ValueError) as error:
            replayed({**LONG_RECORD, "events": [{"setup": value}]})
        assert len(str(error.value)) < 2_000


# ---- written as it can be read ----


OPTIONAL = ("loot_used", "discard", "rng", "card_set_hash", "scores", "winners", "pending")


def assert_same(game: Game, other: Game) -> None:
    """Bit by bit, and in what is written."""
    assert game.arrays.states.tobytes() == other.arrays.states.tobytes()
    assert game.legal_actions() == other.legal_actions()
    assert game.to_position() == other.to_position()


def assert_written_as_it_is(game: Game) -> None:
    assert_same(game, Game.from_position(game.to_position(), card_set=game.card_set))


def test_what_is_accepted_is_written_as_what_is_accepted():
    """Whole positions, ones with something left out, ones that differ in one place; and every
    position of the games that go on from them.
    """
    rng, accepted, left_out = Random(8), 0, 0
    for game in sample(every=12):
        whole = game.to_position()
        partial = {key: whole[key] for key in whole if key not in rng.sample(OPTIONAL, 3)}
        for position in (whole, {**whole}, partial, tweaked(whole, rng)):
            if position is not partial and position is not whole:
                position.pop("loot_used", None)
            try:
                read = Game.from_position(position, seed=1, card_set=game.card_set)
            except ValueError:
                assert position is not whole
                continue
            accepted += 1
            left_out += "loot_used" not in read.to_position()
            for _ in range(6):
                assert_written_as_it_is(read)
                if read.over:
                    break
                read.step(rng.choice(read.legal_actions()))
    assert accepted > 100 and left_out > 2

"""The hand-derived cases of `cases.json`; its header says what each kind of fact means."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hemlock_env import Game

FILE = json.loads(Path(__file__).with_name("cases.json").read_text("utf-8"))
REFUSED = [case for case in FILE["cases"] if "refused" in case["expect"]]
PLAYED = [case for case in FILE["cases"] if "refused" not in case["expect"]]


def cases(chosen: list[dict[str, Any]]) -> pytest.MarkDecorator:
    """One test for each case, under its id, with its clauses as markers."""
    return pytest.mark.parametrize(
        "case",
        [pytest.param(c, id=c["id"], marks=pytest.mark.rule(*c["rules"])) for c in chosen],
    )


def legal(game: Game) -> list[str]:
    return [game.action_name(action) for action in game.legal_actions()]


def at(position: Any, path: str) -> Any:
    """What a path such as `players.0.hand.ghoul` leads to; a count that isn't there is 0."""
    *way, last = path.split(".")
    for step in way:
        position = position[int(step)] if isinstance(position, list) else position[step]
    if isinstance(position, list):
        return position[int(last)]
    if last in position:
        return position[last]
    assert all(isinstance(count, int) for count in position.values()), f"no {last} in {path}"
    return 0


def are_all_refused(game: Game, actions: list[str]) -> bool:
    """Does each raise ValueError and change nothing?"""
    before = game.to_position()
    for action in actions:
        with pytest.raises(ValueError, match=action):
            game.step(action)
    return game.to_position() == before


# What is not a path into the position.
FACTS: dict[str, Callable[[Game, Any], bool]] = {
    "legal": lambda game, names: sorted(legal(game)) == sorted(names),
    "legal_order": lambda game, names: legal(game) == names,
    "legal_has": lambda game, names: {*names} <= {*legal(game)},
    "legal_lacks": lambda game, names: not {*names} & {*legal(game)},
    "len.legal": lambda game, length: len(legal(game)) == length,
    "illegal": are_all_refused,
    "over": lambda game, over: game.over == over,
    "scores": lambda game, scores: game.scores() == scores,
    "winners": lambda game, winners: game.winners() == winners,
    "position.scores": lambda game, scores: game.to_position()["scores"] == scores,
    "position.winners": lambda game, winners: game.to_position()["winners"] == winners,
}


def found(game: Game, fact: str) -> Any:
    """What a path, or the length at a path, is in the position."""
    if fact.startswith("len."):
        return len(at(game.to_position(), fact.removeprefix("len.")))
    return at(game.to_position(), fact)


def differences(game: Game, expect: dict[str, Any]) -> dict[str, Any]:
    """The facts that don't hold, with what is there instead."""
    wrong: dict[str, Any] = {}
    for fact, value in expect.items():
        if fact in FACTS:
            if not FACTS[fact](game, value):
                wrong[fact] = f"legal: {legal(game)}, scores: {game.scores()}"
        elif found(game, fact) != value:
            wrong[fact] = found(game, fact)
    return wrong


@cases(PLAYED)
def test_case(case):
    game = Game.from_position(copy.deepcopy(case["position"]), seed=0)
    for action in case.get("actions", []):
        game.step(action)
    assert differences(game, case["expect"]) == {}


@cases(REFUSED)
def test_refused(case):
    with pytest.raises(ValueError) as refusal:
        Game.from_position(case["position"], seed=0)
    assert any(word in str(refusal.value) for word in case["expect"]["refused"])


def test_the_file_holds_all_cases():
    assert (FILE["format"], len(FILE["cases"])) == ("hemlock-cases/1", 58)


def test_each_case_has_an_id_of_its_own():
    assert len({case["id"] for case in FILE["cases"]}) == len(FILE["cases"])


def test_a_case_that_is_refused_expects_nothing_else():
    assert all(len(case["expect"]) == 1 and not case.get("actions") for case in REFUSED)


def test_a_wrong_fact_is_found():
    game = Game.from_position(PLAYED[0]["position"], seed=0)
    expect = {"legal_lacks": ["loot:taxers_hold"], "turn": 1, "players.0.hand.masque": 0}
    assert [*differences(game, expect)] == ["legal_lacks", "turn"]

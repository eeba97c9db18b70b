"""The rules know no seat by its number: rename the seats, and the game is the same, renamed."""

from random import Random
from typing import Any

import pytest

from hemlock_env import Game
from tests.support.play import VARIANTS, Position, canonical, name_of, names_of, sample


def renamed(position: Position, by: int) -> Position:
    """Every seat sits `by` places further on; chance is what it was."""
    n = len(position["players"])

    def seat(old: int | None) -> int | None:
        return None if old is None else (old + by) % n

    def by_seat(old: list[Any]) -> list[Any]:
        return old[n - by :] + old[: n - by]

    def row(old: str) -> str:
        return "".join(str(seat(int(sign))) if sign.isdigit() else sign for sign in old)

    decision = position["decision"]
    pending = position["pending"]
    return position | {
        "supremacy": seat(position["supremacy"]),
        "players": by_seat(position["players"]),
        "districts": {
            name: {
                "minions": by_seat(district["minions"]),
                "spaces": [row(old) for old in district["spaces"]],
            }
            for name, district in position["districts"].items()
        },
        "decision": decision and decision | {"seat": seat(decision["seat"])},
        "scores": position["scores"] and by_seat(position["scores"]),
        "winners": position["winners"] and sorted(seat(old) for old in position["winners"]),
        "pending": pending
        | {"effects": [each | {"rival": seat(each["rival"])} for each in pending["effects"]]},
    }


def read(position: Position, game: Game) -> Game:
    """With the cards of a game."""
    return Game.from_position(position, card_set=game.card_set)


def assert_renamed(game: Game, other: Game, by: int) -> None:
    """What each seat sees and may do is what the seat sees that sits `by` places further on."""
    n = game.num_players
    assert canonical(other.to_position()) == canonical(renamed(game.to_position(), by))
    assert other.seat == (None if game.over else (game.seat + by) % n)
    assert other.legal_actions() == game.legal_actions()
    for seat in range(n):
        further = (seat + by) % n
        assert other.observe(further).tobytes() == game.observe(seat).tobytes()
        assert other.scores()[further] == game.scores()[seat]
    assert sorted((seat + by) % n for seat in game.winners()) == other.winners()


def test_renaming_all_the_way_round_changes_nothing():
    for game in sample(every=10):
        position = game.to_position()
        assert renamed(renamed(position, 1), game.num_players - 1) == position


def test_every_seat_sees_in_a_renamed_game_what_it_saw_before():
    for game in sample(every=2):
        for by in range(1, game.num_players):
            assert_renamed(game, read(renamed(game.to_position(), by), game), by)


@pytest.mark.parametrize("options", VARIANTS, ids=name_of)
def test_a_renamed_game_goes_on_as_the_same_game_renamed(options):
    """R11.1: hidden loot is dealt seat by seat; with it the seats are renamed anew each night."""
    by = 1 + VARIANTS.index(options) % (options["num_players"] - 1)
    game, rng = Game(**options, seed=1), Random(1)
    other, night = read(renamed(game.to_position(), by), game), night_of(game)
    while not game.over:
        action = rng.choice(names_of(game))
        game.step(action)
        other.step(action)
        if options["loot"] == "hand" and night_of(game) != night:
            other, night = read(renamed(game.to_position(), by), game), night_of(game)
        assert_renamed(game, other, by)


def night_of(game: Game) -> tuple[int, int]:
    """Week and night."""
    position = game.to_position()
    return position["week"], position["night"]

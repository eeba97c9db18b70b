"""The solver finds what plain minimax finds, at every depth, with any cards; it refuses what is not
open to all.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hemlock_env import Game, make_bot
from hemlock_env.agents.greedy import GreedyBot
from hemlock_env.engine.constants import Step
from hemlock_env.search.solver import NotSolved, Solution, Value, solve
from tests.support.card_sets import harbour_dict, write_set
from tests.support.thoughts import in_last_night, random_game_at


class TooLargeError(Exception):
    """Minimax gives up."""


def minimax(game: Game, seat: int, known: dict[bytes, Value], limit: int) -> Value:
    """What `seat` gets, by trying everything; nothing but the public face of `Game`."""
    if game.over:
        scores, won = game.scores(), game.winners()
        outcome = 0 if len(won) == 2 else 1 if won == [seat] else -1
        return Value(outcome, scores[seat] - scores[1 - seat])
    key = game.state.tobytes()
    if key not in known:
        if len(known) >= limit:
            raise TooLargeError
        values = []
        for action in game.legal_actions():
            after = game.copy()
            after.step(action)
            values.append(minimax(after, seat, known, limit))
        known[key] = max(values) if game.seat == seat else min(values)
    return known[key]


def tried(game: Game, limit: int = 1_000) -> dict[str, Value]:
    """The values of all legal actions by minimax."""
    seat, known = game.seat, dict[bytes, Value]()
    assert seat is not None
    values = {}
    for action in game.legal_actions():
        after = game.copy()
        after.step(action)
        values[game.action_name(action)] = minimax(after, seat, known, limit)
    return values


def last_nights(seeds: range, **options: Any) -> Iterator[Game]:
    """The decisions of last nights, greedy and random play mixed."""
    for seed in seeds:
        game = Game(seed=seed, **options)
        rng = np.random.default_rng(seed)
        greedy = make_bot("greedy", seed=seed)
        while not game.over:
            if in_last_night(game):
                yield game.copy()
            by_chance = int(rng.choice(game.legal_actions()))
            game.step(greedy.act(game) if rng.random() < 0.5 else by_chance)


def agree(games: Iterator[Game]) -> Counter[int]:
    """How many positions of each step solver and minimax agree about; those too large left out."""
    counted: Counter[int] = Counter()
    for game in games:
        stands = (game.state["step"], game.state["turn"])
        if stands != (Step.SPECIAL_DONE, 1) and stands[0] != Step.CLAIM:
            continue  # before the last special action it is nearly always too large for minimax
        try:
            values = tried(game)
        except TooLargeError:
            continue
        assert solve(game).values == values, game.to_position()
        counted[int(game.state["step"])] += 1
    return counted


# ---- exact ----


def test_it_finds_what_minimax_finds() -> None:
    counted = agree(last_nights(range(8)))
    assert counted[Step.CLAIM] >= 20 and counted[Step.SPECIAL_DONE] >= 3


def test_with_other_sides_and_items_as_loot() -> None:
    counted = agree(last_nights(range(20, 26), sides="advanced", items_as_loot=True))
    assert counted[Step.CLAIM] >= 8 and counted[Step.SPECIAL_DONE] >= 3


def test_with_quite_another_card_set(tmp_path: Path) -> None:
    cards = write_set(tmp_path / "harbour.toml", harbour_dict())
    counted = agree(last_nights(range(40, 46), card_set=cards))
    assert counted[Step.SPECIAL_DONE] >= 4


def test_with_effects_that_the_default_set_does_not_have(
    changed_cards: Callable[..., Path],
) -> None:
    effects = {
        "scepter": ("rivals_discard", "discard_rival any"),
        "potion": ("return_minion", "place_marker any"),
        "trinket": ("gain_leader", "move_minion"),
    }
    counted = agree(last_nights(range(60, 64), card_set=changed_cards(effects=effects)))
    assert counted[Step.CLAIM] + counted[Step.SPECIAL_DONE] >= 8


def test_a_value_is_the_best_of_what_follows() -> None:
    """Down from the last use of loot: with minimax at the end, all values follow from this."""
    steps = set()
    for game in last_nights(range(3)):
        if game.state["step"] == Step.LOOT_USED and game.state["turn"] < 3:
            continue
        solution = solve(game)
        steps.add(int(game.state["step"]))
        for name in {*solution.best, *list(solution.values)[:4]}:
            after = game.copy()
            after.step(name)
            if after.over:
                continue
            best = solve(after).value
            same = after.seat == game.seat
            wanted = best if same else Value(-best.outcome, -best.margin)
            assert solution.values[name] == wanted
    assert steps == {Step.LOOT_USED, Step.SPECIAL_DONE, Step.CLAIM}


def test_two_uses_of_loot_are_solved_too() -> None:
    games = last_nights(range(5, 6))
    game = next(game for game in games if game.state["turn"] == 2)
    assert game.state["step"] == Step.LOOT_USED
    solution = solve(game)
    game.step(solution.best[0])
    assert solve(game).value == solution.value  # the same seat goes on: where the minion goes


def test_a_solution_says_what_is_best() -> None:
    values = {"a": Value(0, 0), "b": Value(1, 0), "c": Value(-1, -3), "d": Value(1, 0)}
    solution = Solution(1, values, 10)
    assert solution.best == ["b", "d"]
    assert (solution.outcome, solution.margin) == (1, 0)


# ---- better than greedy ----


def test_it_finds_a_win_that_greedy_misses() -> None:
    game = random_game_at(24, Step.SPECIAL_DONE)
    worth = GreedyBot().values(game)
    greedy = max(worth, key=lambda name: worth[name])
    solution = solve(game)
    assert (greedy, solution.best) == ("item:trinket", ["item:scepter"])
    assert solution.value == Value(1, 0)  # level in influence, won by placed markers (R10.6)
    assert solution.values[greedy] == Value(-1, -5)


def test_the_win_holds_against_every_reply() -> None:
    game = random_game_at(24, Step.SPECIAL_DONE)
    seat = game.seat

    def wins(game: Game) -> bool:
        """The solver plays for `seat`, the other tries everything, claims left to the solver."""
        if game.over or game.state["step"] == Step.CLAIM:
            value = Value(1 if game.winners() == [seat] else -1, 0) if game.over else None
            solved = value or solve(game).value
            return solved.outcome == (1 if game.over or game.seat == seat else -1)
        names = [game.action_name(action) for action in game.legal_actions()]
        held = []
        for name in solve(game).best[:1] if game.seat == seat else names:
            after = game.copy()
            after.step(name)
            held.append(wins(after))
        return all(held)

    assert wins(game)
    lost = game.copy()
    lost.step("item:trinket")
    assert not wins(lost)


def test_other_cards_another_best_action(changed_cards: Callable[..., Path]) -> None:
    """The same table, but the scepter gives a support marker instead of placing a leader."""
    position = random_game_at(24, Step.SPECIAL_DONE).to_position()
    del position["card_set_hash"], position["decision"]["legal"]
    position["card_set"] = "changed_cards"
    cards = changed_cards(effects={"scepter": ("gain_support",)})
    solution = solve(Game.from_position(position, card_set=cards))
    assert "item:scepter" not in solution.best
    assert solution.values["item:scepter"].outcome == -1


# ---- what it needs to know ----


def test_a_redeal_changes_nothing_that_is_solved() -> None:
    """R13.3: all is open."""
    for game in last_nights(range(80, 84)):
        if game.state["step"] != Step.LOOT_USED:
            seat = game.seat
            assert seat is not None
            assert solve(game.redeal(seat, 5)).values == solve(game).values


def test_the_game_is_left_as_it_was() -> None:
    game = random_game_at(24, Step.SPECIAL_DONE)
    before = game.state.tobytes()
    assert solve(game) == solve(game)
    assert game.state.tobytes() == before


# ---- refusals ----


@pytest.mark.parametrize(("options", "says"), [
    ({"num_players": 3}, "only games of two can be solved, this one has 3 players"),
    ({"loot": "hand"}, "a game with hidden loot can't be solved"),
    ({"agendas": True}, "a game with agendas can't be solved"),
    ({}, "week 1, night 1 is too early to solve"),
])  # fmt: skip
def test_what_can_not_be_solved_is_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says) as refused:
        solve(Game(seed=1, **options))
    assert "\n" not in str(refused.value)


def test_a_game_that_is_over_is_refused() -> None:
    game = random_game_at(24, Step.CLAIM)
    while not game.over:
        game.step(game.legal_actions()[0])
    with pytest.raises(ValueError, match="the game is over"):
        solve(game)


def test_the_night_before_the_last_is_too_early() -> None:
    game = Game(seed=2)
    while (game.state["week"], game.state["night"]) != (2, 3):
        game.step(game.legal_actions()[0])
    with pytest.raises(ValueError, match="week 2, night 3 is too early"):
        solve(game)


@pytest.mark.parametrize("nodes", [0, -1, 1.5, True, "many", 1 << 50])
def test_a_number_of_nodes_that_can_not_be_is_refused(nodes: Any) -> None:
    with pytest.raises(ValueError, match="nodes="):
        solve(random_game_at(24, Step.SPECIAL_DONE), nodes=nodes)


def test_too_few_nodes_are_said() -> None:
    game = random_game_at(24, Step.LOOT_USED)
    with pytest.raises(NotSolved, match="not solved within 50 nodes"):
        solve(game, nodes=50)

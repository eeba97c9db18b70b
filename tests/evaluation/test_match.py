"""A match is fair, the same everywhere, and counts what it says."""

from typing import Any

import numpy as np
import pytest

from hemlock_env import Game, make_bot
from hemlock_env.agents import Actions, Bot, Decisions
from hemlock_env.evaluation import Match, MatchResult, match, play_match
from hemlock_env.evaluation.playing import BotGames

VARIANTS: list[dict[str, Any]] = [
    {"sides": "random", "items_as_loot": True},
    {"num_players": 3, "loot": "hand", "agendas": True},
    {"num_players": 4, "sides": ["basic", "advanced", "random", "basic"], "agendas": True},
]


class Lowest(Bot):
    """Always the lowest legal action; keeps the keys and seats it was given."""

    spec = "lowest"

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[int, int]] = []

    def choose(self, decisions: Decisions) -> Actions:
        self.asked += zip(decisions.keys.tolist(), decisions.seat.tolist(), strict=True)
        return decisions.legal[:, 0]


class Lawless(Lowest):
    """An illegal action each time: one that doesn't exist, or one that isn't legal now."""

    def choose(self, decisions: Decisions) -> Actions:
        illegal = decisions.mask.argmin(axis=1).astype(np.int16)
        illegal[::2] = decisions.mask.shape[1]
        return illegal


def played(**changes: Any) -> MatchResult:
    """Random against random, ten pairs, with changes."""
    asked: dict[str, Any] = {"bot_a": "random", "bot_b": "random", "games": 20, "seed": 3}
    return play_match(**{**asked, **changes})


# ---- fair ----


def test_the_games_of_a_pair_begin_alike_with_the_seats_changed_round() -> None:
    bots = Lowest(), Lowest()
    result = play_match(*bots, 40, 1)
    # The same player twice: each pair is one game played twice, won once by either.
    assert result.score == 0.5 and result.margin == 0
    assert result.seats[0] == pytest.approx(1 - result.seats[1])
    assert result.distinct_games == result.pairs == 20
    assert dict(result.lines())["warning"].startswith("only 20 of 40 games differ")


@pytest.mark.parametrize("players", [3, 4])
def test_a_takes_every_seat_of_each_deal(players: int) -> None:
    result = play_match(Lowest(), Lowest(), 30, 1, {"num_players": players})
    assert len(result.seats) == players
    assert result.distinct_games == result.pairs == -(-30 // players)
    assert result.margin == pytest.approx(0)


def test_every_decision_of_a_match_has_a_key_of_its_own() -> None:
    bots = Lowest(), Lowest()
    play_match(*bots, 40, 1)
    keys = [key for bot in bots for key, _ in bot.asked]
    assert len(set(keys)) == len(keys) > 1_000


def test_each_bot_decides_in_its_own_seat_alone() -> None:
    a, b = Lowest(), Lowest()
    play_match(a, b, 8, 1, {"num_players": 4})
    assert {seat for _, seat in a.asked} == {seat for _, seat in b.asked} == {0, 1, 2, 3}
    assert 2 < len(b.asked) / len(a.asked) < 4


def test_greedy_beats_random_by_far() -> None:
    result = play_match("greedy", "random", 100, 5)
    assert result.wins >= 98
    assert result.margin > 20
    assert result.interval[0] > 0.9


# ---- the same everywhere ----


def test_the_same_seed_plays_the_same_games() -> None:
    assert played().digest == played().digest
    assert played().digest != played(seed=4).digest


@pytest.mark.parametrize("chunk", [1, 7, 12, 1_000])
def test_the_size_of_a_chunk_changes_nothing(chunk: int) -> None:
    match = Match("greedy", "random", 20, 3)
    assert match.play(chunk=chunk).digest == match.play().digest


@pytest.mark.parametrize("options", VARIANTS)
def test_three_and_four_players_too(options: dict[str, Any]) -> None:
    match = Match("greedy", "random", 12, 3, options)
    assert match.play(chunk=5).digest == match.play().digest


def test_a_bots_own_seed_has_no_part_in_a_match() -> None:
    assert played(bot_a=make_bot("random", seed=77)).digest == played().digest


# ---- what it counts ----


def test_games_are_rounded_up_to_whole_groups() -> None:
    assert (played(games=21).games, played(games=21).pairs) == (22, 11)
    assert played(games=1, options={"num_players": 3}).games == 3


def test_the_numbers_of_a_result_fit_each_other() -> None:
    result = played(games=200)
    assert result.wins + result.draws + result.losses == result.games == 200
    assert result.score == pytest.approx((result.wins + result.draws / 2) / 200)
    assert result.score == pytest.approx(sum(result.seats) / 2)
    assert result.interval[0] < result.score < result.interval[1]
    assert result.distinct_games == 200
    assert "warning" not in dict(result.lines())
    assert result.seconds > 0


def test_it_scores_games_as_the_rules_do() -> None:
    """R10.6: the same games by way of `Game`."""
    seeds: list[int] = []

    class Watcher(Lowest):
        def choose(self, decisions: Decisions) -> Actions:
            seeds.extend(decisions._games.states["seed"].tolist())
            return super().choose(decisions)

    result = play_match(Watcher(), Lowest(), 12, 2, {"num_players": 3})
    scores, margins = [], []
    for seed in dict.fromkeys(seeds):
        game = Game(3, seed=seed)
        while not game.over:
            game.step(game.legal_actions()[0])
        for seat in range(3):
            won = 1.0 if len(game.winners()) == 1 else 0.5
            scores.append(won if seat in game.winners() else 0.0)
            margins.append(game.scores()[seat] * 1.5 - sum(game.scores()) / 2)
    assert len(scores) == 12
    assert result.score == pytest.approx(np.mean(scores))
    assert result.margin == pytest.approx(np.mean(margins))


@pytest.mark.parametrize("options", VARIANTS)
@pytest.mark.parametrize("bot", ["random", "greedy"])
def test_the_bots_play_no_illegal_action(bot: str, options: dict[str, Any]) -> None:
    assert play_match(bot, "random", 24, 6, options).illegal == 0


def test_an_illegal_action_is_counted_and_the_lowest_legal_one_played() -> None:
    lawful, lawless = play_match(Lowest(), "random", 20, 3), play_match(Lawless(), "random", 20, 3)
    assert lawless.digest == lawful.digest
    assert lawless.illegal > 500 and lawful.illegal == 0


def test_progress_runs_up_to_all_games() -> None:
    told: list[float] = []
    Match("random", "random", 40, 1).play(lambda done, of: told.append(done / of), chunk=16)
    assert told == sorted(told) and told[-1] == 1 and len(told) > 100


# ---- refusals ----


@pytest.mark.parametrize(("changes", "says"), [
    ({"games": 0}, "games=0: must be from 1"),
    ({"games": -2}, "games=-2"),
    ({"games": 2.5}, "games=2.5: must be a whole number"),
    ({"games": "ten"}, "games='ten'"),
    ({"games": True}, "games=True"),
    ({"games": 10**9}, "must be from 1 to"),
    ({"seed": -1}, "seed=-1"),
    ({"bot_a": "greedi"}, "unknown bot 'greedi'"),
    ({"options": {"players": 2}}, "unknown option: .*players"),
    ({"options": {"num_players": 5}}, "num_players=5"),
    ({"options": {"num_players": 4, "loot": "hand"}}, "loot='hand'"),
    ({"options": {"card_set": "no_such_set"}}, "no_such_set"),
])  # fmt: skip
def test_what_can_not_be_is_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        played(**changes)


def test_a_bot_that_can_not_play_such_games_is_asked_first() -> None:
    class Picky(Lowest):
        def check(self, table: Any, options: Any) -> None:
            raise ValueError("never with agendas")

    with pytest.raises(ValueError, match="never with agendas"):
        Match("random", Picky(), 2, options={"agendas": True})


def test_a_bot_that_answers_for_too_few_games_is_named() -> None:
    class Short(Lowest):
        def choose(self, decisions: Decisions) -> Actions:
            return decisions.legal[:1, 0]

    with pytest.raises(TypeError, match="lowest: choose must return 8 whole numbers"):
        play_match(Short(), Short(), 16)


def test_matches_of_neighbouring_seeds_have_no_deal_in_common(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dealt: list[int] = []

    class Noted(BotGames):
        def __init__(self, *given: Any, seeds: Any, **more: Any) -> None:
            dealt.extend(np.unique(seeds).tolist())
            super().__init__(*given, seeds=seeds, **more)

    monkeypatch.setattr(match, "BotGames", Noted)
    for seed in range(4):
        play_match("random", "random", 64, seed=seed)
    assert len(dealt) == len(set(dealt)) == 4 * 32

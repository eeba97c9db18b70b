"""What holds for every bot: it is legal in all games, honest, and led by its key alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hemlock_env import Game, list_bots, make_bot
from hemlock_env.agents import Bot, Decisions
from hemlock_env.evaluation import play_match
from hemlock_env.game.keys import mix_keys
from hemlock_env.game.options import check_options
from tests.support.positions import some_games

Complete = Callable[..., str]

# Small, but each kind of search in them; `{policy}` is a random one (see conftest.py).
HONEST = [
    "random",
    "greedy",
    "planner",
    "warden",
    "rollout:n=3",
    "rollout:n=1:rollouts=greedy:nights=1",
    "mcts:iterations=40",
    "mcts:iterations=10:nights=0",
    "mcts:iterations=4:rollouts=greedy",
    "mcts:iterations=20:prior={policy}",
    "{policy}",
    "{policy}:temperature=1",
]
SPECS = [*HONEST, "cheat-mcts:iterations=40"]
BY_SPEC = pytest.mark.parametrize("spec", SPECS)

HIDDEN = {"num_players": 3, "loot": "hand", "agendas": True}
FOUR = {"num_players": 4, "sides": "advanced", "agendas": True, "items_as_loot": True}


def test_every_listed_bot_is_here() -> None:
    assert {spec.partition(":")[0] for spec in SPECS} == {*list_bots(), "{policy}"}


# ---- games of all kinds ----


# Against whom, in how many games, and the least share of the wins as a multiple of an even one.
@pytest.mark.parametrize(("spec", "rival", "games", "least"), [
    ("planner", "greedy", 60, 1.2),
    ("warden", "greedy", 60, 1.2),
    ("rollout:n=2", "random", 4, 1),
    ("rollout:n=2:rollouts=greedy:nights=1", "random", 4, 1),
    ("mcts:iterations=60", "random", 4, 1),
    ("mcts:iterations=20:nights=0", "random", 4, 1),
    ("mcts:iterations=8:rollouts=greedy", "random", 4, 1),
    ("cheat-mcts:iterations=60", "random", 4, 1),
    ("mcts:iterations=20:prior={policy}", "random", 4, 0),
])  # fmt: skip
@pytest.mark.parametrize("options", [
    {"num_players": 2, "loot": "hand", "items_as_loot": True},
    {"num_players": 3, "sides": "advanced", "agendas": True},
    {"num_players": 4, "sides": "random", "items_as_loot": True},
])  # fmt: skip
def test_it_plays_every_kind_of_game(
    complete: Complete, spec: str, rival: str, games: int, least: float, options: dict[str, Any]
) -> None:
    result = play_match(complete(spec, **options), rival, games, options=options)
    assert result.illegal == 0
    assert result.score > least / options["num_players"] or least == 0


# ---- what it may know and change ----


@pytest.mark.rule("R13.6")
@pytest.mark.parametrize(
    ("spec", "options"), [*((spec, HIDDEN) for spec in HONEST), ("greedy", FOUR)], ids=str
)
def test_a_choice_does_not_change_when_what_is_hidden_is_redealt(
    complete: Complete, spec: str, options: dict[str, Any]
) -> None:
    words, random = complete(spec, **options), make_bot("random", seed=1)
    game = Game(seed=5, **options)

    def chosen(game: Game) -> int:
        return make_bot(words, seed=7).act(game)

    while not game.over:
        assert game.seat is not None
        seen = {chosen(game.redeal(game.seat, seed)) for seed in (1, 2, 3)}
        assert seen == {chosen(game)}
        game.step(random.act(game))


@BY_SPEC
def test_the_game_and_its_chance_are_left_as_they_were(complete: Complete, spec: str) -> None:
    bot, random = make_bot(complete(spec, **HIDDEN)), make_bot("random", seed=1)
    game = Game(seed=2, **HIDDEN)
    for _ in range(20):
        game.step(random.act(game))
    before, state = game.to_position(), game.state.tobytes()
    bot.act(game)
    if hasattr(bot, "values"):
        bot.values(game)
    assert game.to_position() == before and game.state.tobytes() == state


# ---- what a choice depends on ----


@BY_SPEC
def test_a_choice_depends_on_its_key_whatever_the_batch(complete: Complete, spec: str) -> None:
    games, rows = some_games()
    options, keys = check_options(games.spec.card_set), mix_keys(np.uint64(1), rows)
    words = complete(spec)

    def chosen(bot: Bot, which: slice) -> list[int]:
        return bot.choose(Decisions(games, options, rows[which], keys[which])).tolist()

    together, other = make_bot(words), make_bot(words, seed=8)
    apart = [action for i in range(len(rows)) for action in chosen(other, slice(i, i + 1))]
    backwards = chosen(make_bot(words), slice(None, None, -1))
    assert chosen(together, slice(None)) == apart == backwards[::-1]


@pytest.mark.pitfall("S06")
@BY_SPEC
def test_it_does_not_act_in_a_finished_game(complete: Complete, spec: str) -> None:
    game = Game(seed=1)
    while not game.over:
        game.step(game.legal_actions()[0])
    with pytest.raises(ValueError, match="the game is over"):
        make_bot(complete(spec)).act(game)


# ---- its spec ----


@pytest.mark.parametrize(("spec", "says"), [
    ("gredy", r"'gredy' \(did you mean 'greedy'\?\); there is random, greedy, planner, warden"),
    ("gredy:depth=2", "unknown bot 'gredy'"),
    ("mcst", "did you mean 'mcts'"),
    ("", "unknown bot ''"),
    ("greedy:depth=2", "unknown option 'depth'; there is none"),
    ("greedy:deep", "must be written greedy"),
    ("planner:budget=-1", "budget=-1 must be from 0"),
    ("rollout:n=0", "n=0 must be from 1"),
    ("rollout:n=1.5", "n='1.5' must be a whole number"),
    ("rollout:rollouts=wild", "rollouts='wild' must be one of random, greedy"),
    ("rollout:nights=9", "nights=9 must be from 0 to 8"),
    ("rollout:m=3", "unknown option 'm'"),
    ("rollout:n=3:n=4", "'n' is given twice"),
    ("rollout:64", "must be written rollout"),
    ("rollout:prior={policy}", "unknown option 'prior'"),
    ("mcts:iterations=0", "mcts: iterations=0 must be from 1"),
    ("mcts:iterations=many", "iterations='many' must be a whole number"),
    ("mcts:c=-1", "c=-1.0 must be from 0"),
    ("mcts:c=nan", "c=nan must be from 0"),
    ("mcts:rollouts=", "rollouts='' must be one of random, greedy"),
    ("mcts:nights=-1", "nights=-1 must be from 0"),
    ("mcts:iteration=5", "did you mean 'iterations'"),
    ("mcts:prior=greedy", "must be written prior=ckpt:PATH"),
    ("mcts:prior=ckpt:nowhere", "nowhere"),
    ("mcts:iterations=0:prior={policy}", "iterations=0 must be from 1"),
    ("mcts:c=-1:prior={policy}", "c=-1.0 must be from 0"),
    ("mcts:nights=2:prior={policy}", "leave out nights="),
    ("mcts:rollouts=greedy:prior={policy}", "leave out rollouts="),
    ("cheat-mcts:iterations=0", "cheat-mcts: iterations=0"),
    ("cheat-mcts:prior={policy}", "unknown option 'prior'"),
    ("ckpt", "must be written ckpt:PATH"),
    ("ckpt:", "must be written ckpt:PATH"),
    ("ckpt:temperature=1", "must be written ckpt:PATH"),
    ("ckpt:there:temprature=1", r"'temprature' \(did you mean 'temperature'\?\)"),
    ("ckpt:there:temperature=warm", "temperature='warm' must be a number"),
    ("ckpt:there:temperature=-1", "temperature=-1.0 must be from 0"),
    ("ckpt:there:temperature=nan", "temperature=nan must be from 0"),
    ("ckpt:no/such/folder", "no/such/folder"),
    ("ckpt:/a:b:temperature=1", "a:b"),
    ("no_such_module:bot", "can't import 'no_such_module'"),
    ("tests.agents.test_bots:missing", "there is no 'missing'"),
    ("tests.agents.test_bots:NOT_A_BOT", "can't be called"),
    ("hemlock_env.agents:Bot", "can't be made"),
    ("tests.agents.test_bots:Refusing", "test_bots:Refusing': can't be made: not today"),
    ("hemlock_env:Game", "must be derived from"),
    (7, "must be a name"),
])  # fmt: skip
def test_a_wrong_spec_is_refused_in_one_line(complete: Complete, spec: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says) as refusal:
        make_bot(complete(spec) if isinstance(spec, str) else spec)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(("spec", "short"), [
    *((name, name) for name in list_bots()),
    ("planner:budget=50", "planner:budget=50"),
    ("rollout:rollouts=greedy:n=64", "rollout:rollouts=greedy"),
    ("mcts:c=0.2:iterations=1000", "mcts"),
    ("mcts:iterations=10000", "mcts:iterations=10000"),
    ("mcts:c=0.5:iterations=40:prior={policy}", "mcts:iterations=40:c=0.5:prior={policy}"),
    ("cheat-mcts:c=1:nights=0", "cheat-mcts:nights=0:c=1.0"),
    ("{policy}", "{policy}"),
    ("{policy}:temperature=1", "{policy}:temperature=1"),
])  # fmt: skip
def test_its_spec_names_what_is_not_as_usual_and_makes_it_again(
    complete: Complete, spec: str, short: str
) -> None:
    bot = make_bot(complete(spec))
    assert bot.spec == complete(short)
    assert make_bot(bot.spec).fingerprint() == bot.fingerprint()

"""The benchmark plays protocols that nobody can change without saying so."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hemlock_env.agents import Actions, Bot, Decisions
from hemlock_env.cli import main
from hemlock_env.cli.benchmark import DEFAULT_PROTOCOL
from hemlock_env.evaluation import benchmark, play_match
from hemlock_env.evaluation.benchmark import AGENT, Benchmark, schedule_of
from hemlock_env.evaluation.endgames import load_endgames
from hemlock_env.evaluation.ladder import run as ladder_run
from hemlock_env.evaluation.ladder.store import GAMES
from hemlock_env.evaluation.match import Match
from hemlock_env.evaluation.protocols import (
    DEFAULT,
    POLICY_0_1,
    PROTOCOLS,
    Opponent,
    Protocol,
    find_protocol,
)
from hemlock_env.evaluation.statistics import interval
from tests.support.checkpoints import untrained

PAGE = Path(__file__).parents[2] / "docs" / "benchmark.md"


def declare(monkeypatch: pytest.MonkeyPatch, name: str, **pairs: int) -> Protocol:
    """A small protocol in place of the one of that name."""
    opponents = tuple(Opponent(spec, count) for spec, count in pairs.items())
    small = Protocol(name, "a small one", opponents, PROTOCOLS[name].seed)
    monkeypatch.setitem(PROTOCOLS, name, small)
    return small


def hemlock(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


# ---- what is fixed ----


@pytest.mark.parametrize(("name", "seed", "met"), [
    ("1.1", 1_000_003, {"random": 500, "greedy": 500, "planner": 500, "mcts:iterations=1000": 100}),
    ("2", 2_000_003, {
        "planner": 5_000, "warden": 5_000, "two_player_0_1": 5_000,
        "two_player_0_1 with 400 iterations": 1_000, "mcts:iterations=10000": 500,
    }),
])  # fmt: skip
def test_a_protocol_is_as_the_docs_define_it(name: str, seed: int, met: dict[str, int]) -> None:
    """Whoever changes any of this makes another protocol, and changes docs/benchmark.md."""
    protocol = find_protocol(name)
    schedule = schedule_of(protocol, "greedy")
    names = [entrant.name for entrant in schedule.entrants]
    assert {names[pairing.b]: pairing.groups for pairing in schedule.pairings} == met
    assert {names[pairing.a] for pairing in schedule.pairings} == {AGENT}
    assert (protocol.name, schedule.seed, schedule.options) == (name, seed, {})
    assert len(load_endgames(protocol.endgames)) == 1_000
    page = PAGE.read_text("utf-8")
    assert f"## Protocol {name}\n" in page and f" {seed} " in page
    for each in protocol.opponents:
        assert f"| `{each.spec}` | {each.pairs:,} |" in page


def test_the_protocols_that_there_are() -> None:
    assert list(PROTOCOLS) == ["1.1", "2"]
    assert DEFAULT == DEFAULT_PROTOCOL == "1.1"  # a command in a script keeps its meaning


def test_no_two_protocols_play_the_same_deals() -> None:
    """A folder of one of them refuses the games of another by the seed."""
    seeds = [protocol.seed for protocol in PROTOCOLS.values()]
    assert len(set(seeds)) == len(seeds)


# ---- is it fair ----


def test_a_policy_against_itself_scores_a_half_in_every_pair() -> None:
    games = Match(POLICY_0_1, POLICY_0_1, 40, PROTOCOLS["2"].seed).play_groups(0, 20)
    assert games.group_scores.tolist() == [0.5] * 20


def test_with_the_sides_changed_the_same_games_are_counted_for_the_other(tmp_path: Path) -> None:
    other = f"ckpt:{untrained(tmp_path / 'policy', (24, 16), derived=True)}"
    one = Match(POLICY_0_1, other, 40, 3).play_groups(0, 20).by_group
    two = Match(other, POLICY_0_1, 40, 3).play_groups(0, 20).by_group
    assert (one == 1 - two[:, ::-1]).all()
    assert one.mean() > 0.5


@pytest.mark.slow
@pytest.mark.parametrize(("bot", "pairs"), [
    ("planner", 1500), ("warden", 1500), ("mcts:iterations=10", 250),
])  # fmt: skip
def test_a_bot_that_draws_scores_a_half_against_itself(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bot: str, pairs: int
) -> None:
    declare(monkeypatch, "2", **{bot: pairs})
    found = Benchmark(bot, tmp_path, "2")
    found.play()
    low, high = interval(found.ladder.played()[0][1].group_scores)
    assert low <= 0.5 <= high
    assert high - low < 0.1  # so that a bias of five points would show


# ---- its result ----


def test_the_result_is_that_of_its_matches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    protocol = declare(monkeypatch, "2", random=3, greedy=2)
    found = Benchmark("greedy", tmp_path, "2")
    found.play()
    result = found.result()
    for met, opponent in zip(result.opponents, protocol.opponents, strict=True):
        match = play_match("greedy", opponent.spec, 2 * opponent.pairs, protocol.seed)
        assert (met.a, met.b, met.score) == (AGENT, opponent.spec, match.score)
        assert met.seats == match.seats
    scores = [met.score for met in result.opponents]
    assert result.score == sum(scores) / 2 and result.protocol == "2"
    assert result.interval[0] <= result.score <= result.interval[1]
    assert result.illegal == 0 and result.decisions > 500
    assert result.endgames.positions == 1_000


def test_opponents_weigh_alike_however_many_pairs_they_play(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    declare(monkeypatch, "2", random=12, planner=2)
    found = Benchmark("greedy", tmp_path, "2")
    found.play()
    result = found.result()
    scores = {met.b: met.score for met in result.opponents}
    assert result.score == (scores["random"] + scores["planner"]) / 2


def test_the_time_told_beforehand_counts_every_seat_of_every_game(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Given what a bot takes for a game."""
    paces = {opponent.spec: 0.01 for opponent in PROTOCOLS["2"].opponents} | {"greedy": 0.002}
    paces[PROTOCOLS["2"].opponents[-1].spec] = 1.2
    monkeypatch.setattr(ladder_run, "seconds_a_game", lambda _, spec: paces[spec])
    found = Benchmark("greedy", tmp_path, "2")
    games = {each.spec: 2 * each.pairs for each in PROTOCOLS["2"].opponents}
    seconds = sum(count * (paces[spec] + 0.002) for spec, count in games.items())
    assert found.ladder.seconds_to_go(1) == pytest.approx(seconds)
    assert found.ladder.seconds_to_go(2) == pytest.approx(seconds / 2)


class SlowAtFirst(Bot):
    """Takes half a second for its first decision, as one that compiles."""

    asked = 0

    def choose(self, decisions: Decisions) -> Actions:
        self.asked += 1
        time.sleep(0.5 if self.asked == 1 else 0)
        return decisions.legal[:, 0]


def test_what_a_bot_does_once_is_not_counted_for_every_game() -> None:
    spec = f"{__name__}:SlowAtFirst"
    schedule = schedule_of(PROTOCOLS["2"], "greedy")
    assert ladder_run.seconds_a_game(schedule, spec) < 0.5


def test_the_command_stores_one_result_and_plays_nothing_twice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    declare(monkeypatch, "1.1", random=3, greedy=2)
    declare(monkeypatch, "2", random=2)
    monkeypatch.chdir(tmp_path)
    first = hemlock("benchmark", "greedy", "--processes", 1)
    assert first.exit_code == 0, first.stderr
    home = tmp_path / "runs" / "benchmark" / "1.1" / "greedy"
    games = (home / GAMES).read_bytes()
    stored: dict[str, Any] = json.loads((home / benchmark.FILE).read_text("utf-8"))
    assert stored["protocol"] == "1.1" and stored["agent"] == "greedy"
    assert [met["b"] for met in stored["opponents"]] == ["random", "greedy"]
    assert "mean score" in first.stdout and "about" in first.stdout
    second = hemlock("benchmark", "greedy", "--processes", 1)
    assert "about" not in second.stdout and "protocol 1.1" in second.stdout
    other = hemlock("benchmark", "greedy", "--protocol", 2, "--processes", 1)
    assert "about" in other.stdout and "protocol 2" in other.stdout
    assert (home.parents[1] / "2" / "greedy" / GAMES).is_file()
    mixed = hemlock("benchmark", "greedy", "--protocol", 2, "--out", home)
    assert mixed.exit_code == 2 and "holds games with seed 1000003" in mixed.stderr
    assert (home / GAMES).read_bytes() == games


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for words, says in (
        (["benchmark", "gredy"], "did you mean 'greedy'"),
        (["benchmark", "ckpt:nowhere"], "nowhere"),
        (["benchmark", "greedy", "--out", tmp_path / "file" / "in"], "can't be written"),
        (["benchmark", "greedy", "--pairs", "3"], "--pairs"),
        (["benchmark", "greedy", "--protocol", "3"], "no protocol '3'; there is 1.1, 2"),
        (["benchmark", "greedy", "--protocol", "../x"], "there is 1.1, 2"),
        (["benchmark", "greedy", "--protocol", "1"], "ask for 1.1, or install 0.1.0"),
        (["benchmark"], "AGENT"),
    ):
        result = hemlock(*words)
        assert result.exit_code == 2, words
        assert says in result.stderr and result.stderr.count("\n") == 1, result.stderr

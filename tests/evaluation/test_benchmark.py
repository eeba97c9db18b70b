"""The benchmark plays a protocol that nobody can change without saying so."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hemlock_env.cli import main
from hemlock_env.evaluation import benchmark, play_match
from hemlock_env.evaluation.benchmark import AGENT, Benchmark, protocol
from hemlock_env.evaluation.endgames import load_endgames
from hemlock_env.evaluation.ladder.store import GAMES


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with few games."""
    monkeypatch.setattr(benchmark, "OPPONENTS", {"random": 3, "greedy": 2})


def hemlock(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_version_1_is_as_the_docs_define_it() -> None:
    """Whoever changes any of this makes version 2, and changes docs/benchmark.md."""
    schedule = protocol("planner")
    met = {schedule.names[pairing.b]: pairing.groups for pairing in schedule.pairings}
    assert met == {"random": 500, "greedy": 500, "planner": 500, "mcts:iterations=1000": 100}
    assert {schedule.names[pairing.a] for pairing in schedule.pairings} == {AGENT}
    assert (benchmark.PROTOCOL, schedule.seed, schedule.options) == (1, 1_000_003, {})
    assert len(load_endgames()) == 1_000
    page = (Path(__file__).parents[2] / "docs" / "benchmark.md").read_text("utf-8")
    assert "Protocol, version 1" in page and "1000003" in page


@pytest.mark.usefixtures("small")
def test_the_result_is_that_of_its_matches(tmp_path: Path) -> None:
    found = Benchmark("greedy", tmp_path)
    found.play()
    result = found.result()
    for met, (opponent, pairs) in zip(
        result.opponents, [("random", 3), ("greedy", 2)], strict=True
    ):
        match = play_match("greedy", opponent, 2 * pairs, benchmark.SEED)
        assert (met.a, met.b, met.score, met.seats) == (AGENT, opponent, match.score, match.seats)
    scores = [met.score for met in result.opponents]
    assert result.score == sum(scores) / 2
    assert result.interval[0] <= result.score <= result.interval[1]
    assert result.illegal == 0 and result.decisions > 500
    assert result.endgames.positions == 1_000


@pytest.mark.usefixtures("small")
def test_the_command_stores_one_result_and_plays_nothing_twice(tmp_path: Path) -> None:
    first = hemlock("benchmark", "greedy", "--out", tmp_path, "--processes", 1)
    assert first.exit_code == 0, first.stderr
    games = (tmp_path / GAMES).read_bytes()
    stored: dict[str, Any] = json.loads((tmp_path / benchmark.FILE).read_text("utf-8"))
    assert stored["protocol"] == 1 and stored["agent"] == "greedy"
    assert [met["b"] for met in stored["opponents"]] == ["random", "greedy"]
    assert "mean score" in first.stdout and "about" in first.stdout
    second = hemlock("benchmark", "greedy", "--out", tmp_path, "--processes", 1)
    assert "about" not in second.stdout
    assert (tmp_path / GAMES).read_bytes() == games


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for words, says in (
        (["benchmark", "gredy"], "did you mean 'greedy'"),
        (["benchmark", "ckpt:nowhere"], "nowhere"),
        (["benchmark", "greedy", "--out", tmp_path / "file" / "in"], "can't be written"),
        (["benchmark", "greedy", "--pairs", "3"], "--pairs"),
        (["benchmark"], "AGENT"),
    ):
        result = hemlock(*words)
        assert result.exit_code == 2, words
        assert says in result.stderr and result.stderr.count("\n") == 1

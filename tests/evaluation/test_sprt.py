"""A sequential test errs as rarely as it says, takes fewer pairs than a fixed number of them, and
is the same however it was played.
"""

import csv
import json
import math
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from numpy.typing import NDArray

from hemlock_env.cli import main
from hemlock_env.cli import sprt as command
from hemlock_env.evaluation import Sprt, play_match, play_sprt, sprt
from hemlock_env.evaluation.ladder.store import GAMES
from hemlock_env.evaluation.sequential import (
    PAIR_SCORES,
    SequentialTest,
    elo_of_score,
    pair_counts,
    score_of_elo,
)

ROOT = Path(__file__).parents[2]

# `planner` against itself, 1,500 pairs of seed 3000017, by score of the pair.
MEASURED = np.array([269, 66, 788, 76, 301]) / 1_500


# ---- the log-likelihood ratio ----


def likeliest(shares: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Of all distributions with that mean, the one that makes the shares likeliest: found by going
    uphill, not by the formula.
    """
    found = tilted(shares, mean)
    rng, step = np.random.default_rng(1), 0.1
    directions = np.linalg.svd(np.stack([np.ones(5), PAIR_SCORES]))[2][2:]  # keep sum and mean
    best = float(shares @ np.log(found))
    while step > 1e-9:
        for _ in range(60):
            other = found + step * rng.normal(size=3) @ directions
            if other.min() > 0 and float(shares @ np.log(other)) > best:
                found, best = other, float(shares @ np.log(other))
                break
        else:
            step /= 2
    return found


def tilted(shares: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """The shares tilted exponentially to that mean: a distribution of pairs of known strength."""
    low, high = -50.0, 50.0
    for _ in range(80):
        middle = (low + high) / 2
        weights = shares * np.exp(middle * PAIR_SCORES)
        low, high = (
            (middle, high) if weights @ PAIR_SCORES < mean * weights.sum() else (low, middle)
        )
    tilt: NDArray[np.float64] = weights / weights.sum()
    return tilt


def test_the_ratio_is_that_of_the_likeliest_distributions_of_each_mean() -> None:
    counts = np.array([17, 4, 60, 9, 40])
    shares = counts / counts.sum()
    test = SequentialTest(-20, 40)
    logs = [np.log(likeliest(shares, score_of_elo(elo))) for elo in (40, -20)]
    expected = counts @ (logs[0] - logs[1])
    assert float(test.log_likelihood_ratio(counts)) == pytest.approx(expected, abs=1e-4)


def test_the_ratio_is_near_its_normal_approximation() -> None:
    """(s1 - s0)(2 s - s0 - s1) / 2 var for each pair, where the hypotheses are near each other."""
    counts = (2_000 * MEASURED).round()
    scores = np.repeat(PAIR_SCORES, counts.astype(int))
    low, high = score_of_elo(0), score_of_elo(5)
    expected = len(scores) * (high - low) * (2 * scores.mean() - low - high) / scores.var() / 2
    ratio = float(SequentialTest(0, 5).log_likelihood_ratio(counts))
    assert ratio == pytest.approx(expected, rel=0.01)


def test_with_the_sides_changed_the_ratio_changes_its_sign() -> None:
    counts = np.array([3, 4, 60, 0, 40])
    one = SequentialTest(0, 10).log_likelihood_ratio(counts)
    two = SequentialTest(-10, 0).log_likelihood_ratio(counts[::-1])
    assert float(one) == pytest.approx(-float(two)) and float(one) > 0


def test_pairs_that_all_score_alike_have_a_finite_ratio() -> None:
    for score, sign in ((0, -1), (2, -1), (4, 1)):
        counts = np.eye(5, dtype=int)[score] * 200
        ratio = float(SequentialTest().log_likelihood_ratio(counts))
        assert math.isfinite(ratio) and ratio * sign > 0


def test_many_tests_are_computed_as_one() -> None:
    counts = np.random.default_rng(1).integers(0, 50, (2, 3, 5))
    ratios = SequentialTest().log_likelihood_ratio(counts)
    assert ratios.shape == (2, 3)
    assert float(SequentialTest().log_likelihood_ratio(counts[1, 2])) == ratios[1, 2]


def test_elo_and_score() -> None:
    assert score_of_elo(400) == pytest.approx(10 / 11)
    assert elo_of_score(10 / 11) == pytest.approx(400)
    assert elo_of_score(1.0) is elo_of_score(0.0) is None


def test_pairs_are_counted_by_score() -> None:
    assert pair_counts(np.array([0, 0.25, 0.25, 0.5, 1])).tolist() == [1, 2, 1, 0, 1]


def test_the_bounds_are_walds() -> None:
    low, high = SequentialTest(alpha=0.01, beta=0.1).bounds
    assert math.exp(low) == pytest.approx(0.1 / 0.99) and math.exp(high) == pytest.approx(90)


# ---- how often it errs ----

TESTS = 2_000


def simulated(test: SequentialTest, elo: float, seed: int) -> tuple[NDArray[np.str_], float]:
    """The verdicts of many tests of bots of known strength, and how many pairs they took on
    average.
    """
    rng = np.random.default_rng(seed)
    shares = tilted(MEASURED, score_of_elo(elo))
    counts = np.zeros((TESTS, 5), np.int64)
    verdicts = np.full(TESTS, "undecided", dtype="<U9")
    pairs = np.zeros(TESTS)
    going = np.arange(TESTS)
    for _ in range(sprt.MAX_PAIRS // sprt.BATCH):
        counts[going] += rng.multinomial(sprt.BATCH, shares, len(going))
        pairs[going] += sprt.BATCH
        ratios = test.log_likelihood_ratio(counts[going])
        verdicts[going] = [test.verdict(float(ratio)) for ratio in ratios]
        going = np.flatnonzero(verdicts == "undecided")
        if not len(going):
            break
    return verdicts, float(pairs.mean())


def fixed_pairs(test: SequentialTest) -> float:
    """How many pairs a test of a fixed number needs for the same errors, 0.05 each."""
    variance = float(MEASURED @ (PAIR_SCORES - MEASURED @ PAIR_SCORES) ** 2)
    away = score_of_elo(test.elo1) - score_of_elo(test.elo0)
    return (2 * 1.6449) ** 2 * variance / away**2


@pytest.mark.parametrize(("elo0", "elo1"), [(0, 10), (-5, 5), (0, 40)])
def test_it_errs_as_rarely_as_it_says_with_fewer_pairs(elo0: float, elo1: float) -> None:
    test = SequentialTest(elo0, elo1)
    above = 0.05 + 3 * math.sqrt(0.05 * 0.95 / TESTS)  # three standard errors of the simulation
    for elo, wrong in ((elo0, "H1"), (elo1, "H0")):
        verdicts, pairs = simulated(test, elo, seed=int(7 + elo))
        assert 0.01 < float((verdicts == wrong).mean()) <= above
        assert float((verdicts == "undecided").mean()) < 0.01
        assert pairs < 0.75 * fixed_pairs(test)


def test_far_from_both_hypotheses_it_ends_sooner() -> None:
    test = SequentialTest(0, 10)
    verdicts, pairs = simulated(test, 60, seed=3)
    assert (verdicts == "H1").all() and pairs < 0.2 * fixed_pairs(test)


# ---- playing ----


def test_the_pairs_are_those_of_a_match(tmp_path: Path) -> None:
    found = play_sprt("planner", "greedy", tmp_path, seed=5, batch=4)
    match = play_match("planner", "greedy", 2 * found.pairs, 5)
    assert found.verdict == "H1" and found.llr >= found.bounds[1]
    assert (found.score, found.interval) == (match.score, match.interval)
    assert found.distinct_games == match.distinct_games
    assert sum(found.counts) == found.pairs and found.pairs % 4 == 0
    assert found.elo == pytest.approx(400 * math.log10(match.score / (1 - match.score)))
    assert found.fingerprints == {"A": "planner", "B": "greedy"}


def test_a_weaker_bot_is_found_out_and_no_bot_beats_itself(tmp_path: Path) -> None:
    assert play_sprt("random", "greedy", batch=10).verdict == "H0"
    same = play_sprt("ckpt:two_player", "ckpt:two_player", batch=10)
    assert (same.verdict, same.score) == ("H0", 0.5)
    assert any("differ" in value for what, value in same.lines() if what == "warning")


def test_it_ends_undecided_and_more_pairs_go_on(tmp_path: Path) -> None:
    words: dict[str, Any] = {"folder": tmp_path, "batch": 4, "seed": 2}
    short = play_sprt("planner", "planner", max_pairs=7, **words)
    assert (short.verdict, short.pairs, short.max_pairs) == ("undecided", 8, 8)
    before = (tmp_path / GAMES).read_bytes()
    longer = play_sprt("planner", "planner", max_pairs=16, **words)
    assert (tmp_path / GAMES).read_bytes().startswith(before) and longer.pairs == 16
    again = play_sprt("planner", "planner", max_pairs=8, **words)
    assert again == short


def test_nothing_is_played_once_it_is_decided(tmp_path: Path) -> None:
    first = play_sprt("planner", "greedy", tmp_path, batch=4)
    before = (tmp_path / GAMES).read_bytes()
    assert play_sprt("planner", "greedy", tmp_path, batch=4, processes=2) == first
    assert (tmp_path / GAMES).read_bytes() == before


@pytest.mark.slow
def test_processes_change_nothing(tmp_path: Path) -> None:
    words: dict[str, Any] = {"batch": 5, "max_pairs": 40, "seed": 2}
    one = play_sprt("planner", "greedy", tmp_path / "one", **words)
    assert one == play_sprt("planner", "greedy", tmp_path / "two", processes=2, **words)


class StopError(Exception):
    """As if the person at the keyboard had had enough."""


def test_a_stopped_test_goes_on_and_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    words: dict[str, Any] = {"batch": 4, "max_pairs": 24, "seed": 2}
    whole = play_sprt("planner", "planner", tmp_path / "whole", **words)

    def stop(found: sprt.SprtResult) -> None:
        if found.pairs == 12:
            raise StopError

    with pytest.raises(StopError):
        play_sprt("planner", "planner", tmp_path / "stopped", stop, **words)
    with open(tmp_path / "stopped" / GAMES, "a", encoding="utf-8") as file:
        file.write("A,B,13,0,1.0")  # and a line that was cut short
    with open(tmp_path / "stopped" / GAMES, encoding="utf-8") as lines:
        assert len(list(csv.reader(lines))) == 1 + 24 + 1
    told: list[int] = []
    found = play_sprt(
        "planner", "planner", tmp_path / "stopped", lambda look: told.append(look.pairs), **words
    )
    assert found == whole and told == [4, 8, 12, 16, 20, 24]


def test_pairs_count_in_their_order_whichever_were_played_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words: dict[str, Any] = {"batch": 4, "max_pairs": 24, "seed": 2}
    whole = play_sprt("planner", "planner", **words)
    run = Sprt("planner", "planner", tmp_path, **words)
    play_chunks = run.ladder.play_chunks
    monkeypatch.setattr(
        run.ladder, "play_chunks", lambda chunks, processes: play_chunks(chunks[::-1])
    )
    assert run.play() == whole


def test_a_folder_of_another_test_is_refused(tmp_path: Path) -> None:
    words: dict[str, Any] = {"batch": 4, "max_pairs": 4}
    play_sprt("planner", "greedy", tmp_path, **words)
    before = (tmp_path / GAMES).read_bytes()
    for a, b, changes, says in (
        ("planner", "random", {}, "another bot 'B', greedy, now it is random"),
        ("greedy", "planner", {}, "another bot 'A'"),
        ("planner", "greedy", {"seed": 1}, "holds games with seed 3000017, not 1"),
        ("planner", "greedy", {"options": {"agendas": True}}, "holds games with options"),
        ("planner", "greedy", {"batch": 5}, "holds a test with batch 4, not 5"),
        ("planner", "greedy", {"test": SequentialTest(0, 5)}, "test with elo1 10.0, not 5.0"),
    ):
        with pytest.raises(ValueError, match=says):
            Sprt(a, b, tmp_path, **{**words, **changes})
    assert (tmp_path / GAMES).read_bytes() == before
    (tmp_path / sprt.FILE).write_text("[]")
    with pytest.raises(ValueError, match="choose another folder"):
        Sprt("planner", "greedy", tmp_path, **words)
    (tmp_path / sprt.FILE).unlink()
    with pytest.raises(ValueError, match="holds games of a ladder; choose another folder"):
        Sprt("planner", "greedy", tmp_path, **words)


# ---- the command ----


def hemlock(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_the_exit_code_is_the_answer(tmp_path: Path) -> None:
    for a, b, elo1, code, says in (
        ("planner", "greedy", 100, 0, "H1 accepted: Elo 100"),
        ("greedy", "planner", 100, 3, "H0 accepted: Elo 0"),
        ("planner", "planner", 10, 4, "undecided"),
    ):
        out = tmp_path / says.split()[0]
        words = ("--max-pairs", 30, "--batch", 10, "--elo1", elo1, "--processes", 1, "--out", out)
        result = hemlock("sprt", a, b, *words)
        assert result.exit_code == code, (result.stdout, result.stderr)
        assert says in result.stdout and "LLR" in result.stdout and str(out) in result.stdout


def test_json_is_one_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = hemlock("sprt", "planner", "random", "--json", "--processes", 1, "--batch", 10)
    found = json.loads(result.output)
    assert (found["verdict"], found["counts"][4], found["elo"]) == ("H1", found["pairs"], None)
    assert found["elo_interval"][1] is None
    assert found["bounds"] == pytest.approx([-math.log(19), math.log(19)])
    assert (tmp_path / "runs/sprt/planner,random" / GAMES).is_file()


def test_progress_says_how_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hemlock_env.cli.output.BETWEEN_LINES", 0.0)
    words = ("--max-pairs", 8, "--batch", 4, "--processes", 1, "--out", tmp_path)
    lines = hemlock("sprt", "planner", "planner", *words).stderr.splitlines()
    assert len(lines) == 2 and lines[0].startswith("4 pairs  LLR ")
    for word in ("(-2.94 to +2.94)", "score 0.", "Elo ", "95 % interval"):
        assert word in lines[0]


def test_the_commands_defaults_are_those_of_python() -> None:
    given = {each.name: each.default for each in command.params}
    test = SequentialTest()
    assert (given["seed"], given["max_pairs"], given["batch"]) == (
        sprt.SEED, sprt.MAX_PAIRS, sprt.BATCH
    )  # fmt: skip
    assert {name: given[name] for name in ("elo0", "elo1", "alpha", "beta")} == vars(test)


@pytest.mark.parametrize(("words", "says"), [
    (["gredy", "random"], "did you mean 'greedy'"),
    (["greedy", "random", "--elo0", "10", "--elo1", "10"], "elo1=10.0: must be more than elo0"),
    (["greedy", "random", "--elo1", "5000"], "elo1=5000.0: must be from -1000 to 1000"),
    (["greedy", "random", "--elo1", "nan"], "elo1=nan"),
    (["greedy", "random", "--alpha", "0"], "alpha=0.0: must be from"),
    (["greedy", "random", "--beta", "0.6"], "beta=0.6: must be from"),
    (["greedy", "random", "--max-pairs", "0"], "max_pairs=0"),
    (["greedy", "random", "--batch", "0"], "batch=0"),
    (["greedy", "random", "--players", "3"], "num_players=3: a sequential test counts pairs"),
    (["greedy", "ckpt:nowhere"], "nowhere"),
    (["greedy"], "B"),
])  # fmt: skip
def test_mistakes_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = hemlock("sprt", *words)
    assert result.exit_code == 2
    assert says in result.stderr and result.stderr.count("\n") == 1
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_control_c_keeps_what_was_played(tmp_path: Path, processes: int) -> None:
    words = ["sprt", "mcts:iterations=100", "mcts:iterations=100", "--batch", "2"]
    run = subprocess.Popen(
        [sys.executable, "-m", "hemlock_env.cli", *words, "--out", str(tmp_path / "out"),
         "--processes", str(processes)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    games, deadline = tmp_path / "out" / GAMES, time.monotonic() + 300
    while run.poll() is None and time.monotonic() < deadline:
        if games.exists() and games.stat().st_size > 500:
            break
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 130
    assert "the same command goes on" in errors and "Traceback" not in errors
    assert games.read_text("utf-8").count("\n") > 4

"""Runs of several seeds: their interval holds as often as it says, and results are read with
suspicion.
"""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from numpy.typing import NDArray

from hemlock_env.cli import main
from hemlock_env.evaluation import protocols
from hemlock_env.evaluation.benchmark import AGENT, FILE
from hemlock_env.evaluation.ladder.store import COLUMNS, GAMES, read_scores
from hemlock_env.evaluation.statistics import (
    bayesian_bootstrap,
    interval_over_runs,
    percentile_interval,
)
from hemlock_env.learning.seeds import as_dict, group_runs, markdown, read_run
from tests.support.checkpoints import untrained

# ---- how often the interval holds ----

TRUE, TRIES = 0.7, 400


def simulated(rng: np.random.Generator, runs: int, spread: float, pairs: int) -> list[Any]:
    """Pair scores of each run against each of two opponents: strengths spread around the truth,
    half of the deals' luck is the same for all runs.
    """
    strength = np.clip(TRUE + spread * rng.normal(size=runs), 0.02, 0.98)
    deals = rng.random((2, pairs))
    scores = []
    for true in strength:
        own = np.where(rng.random((2, pairs)) < 0.5, deals, rng.random((2, pairs)))
        scores += list(((own < true).astype(float) + (rng.random((2, pairs)) < true)) / 2)
    return scores


def drawn_by(scores: list[NDArray[np.float64]], runs: int, times: int) -> NDArray[np.float64]:
    return bayesian_bootstrap(scores, 2, times=times).reshape(times, runs, 2).mean(axis=2)


@pytest.mark.parametrize(("runs", "spread", "pairs"), [
    (3, 0.0, 100), (3, 0.02, 100), (3, 0.08, 100), (3, 0.05, 500), (5, 0.08, 100), (10, 0.05, 100),
])  # fmt: skip
def test_the_interval_over_runs_holds_the_truth_as_often_as_it_says(
    runs: int, spread: float, pairs: int
) -> None:
    """At least; where runs hardly differ more often, for the pairs' luck is in both levels."""
    rng, held = np.random.default_rng(1), 0
    for _ in range(TRIES):
        scores = simulated(rng, runs, spread, pairs)
        low, high = interval_over_runs(float(np.mean(scores)), drawn_by(scores, runs, 200))
        held += low <= TRUE <= high
    assert held / TRIES > 0.95 - 3 * (0.05 * 0.95 / TRIES) ** 0.5


def test_drawing_three_runs_again_would_say_too_little() -> None:
    """Why Student's t stands for it; and the pairs of the runs alone say less still."""
    rng = np.random.default_rng(2)
    held = np.zeros(2)
    for _ in range(TRIES):
        means = drawn_by(simulated(rng, 3, 0.05, 500), 3, 200)
        weights = rng.standard_exponential(means.shape)
        again = (means * weights).sum(axis=1) / weights.sum(axis=1)
        for which, drawn in enumerate((again, means.mean(axis=1))):
            low, high = percentile_interval(drawn)
            held[which] += low <= TRUE <= high
    assert held[1] / TRIES < 0.45 < held[0] / TRIES < 0.85


def test_runs_that_agree_have_the_interval_of_their_pairs_about() -> None:
    scores = [np.random.default_rng(1).integers(0, 5, 200) / 4] * 3
    drawn = bayesian_bootstrap(scores, 2)
    low, high = interval_over_runs(float(scores[0].mean()), drawn)
    alone = percentile_interval(drawn[:, 0])
    assert (low, high) == pytest.approx(tuple(alone), abs=0.01)
    assert low < scores[0].mean() < high


def test_it_stays_within_zero_and_one() -> None:
    drawn = np.array([[0.1, 0.9]])
    assert interval_over_runs(0.5, drawn) == (0.0, 1.0)


# ---- runs in folders ----

OPPONENTS = ("planner", "warden")


def run_at(
    folder: Path,
    seed: int,
    scores: dict[str, list[float]] | None = None,
    home: str = "benchmark",
    protocol: str = "2",
    **config: Any,
) -> Path:
    """A run with a benchmark: its pairs' scores by opponent, won in the first seat, lost in the
    second, or both.
    """
    folder.mkdir(parents=True, exist_ok=True)
    settings = {"seed": seed, "total_timesteps": 1_000_000, **config}
    text = "".join(f"{key} = {value}\n" for key, value in settings.items())
    (folder / "config.toml").write_text(text, encoding="utf-8")
    if scores is None:
        return folder
    games = folder / home
    games.mkdir(parents=True, exist_ok=True)
    with open(games / GAMES, "w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines)
        writer.writerow(COLUMNS)
        for name, pairs in scores.items():
            for number, score in enumerate(pairs):
                for seat, own in enumerate((min(1.0, 2 * score), max(0.0, 2 * score - 1))):
                    about = (0.0, "0f", 1, 1, 0, 0, 0.1, 0.1)
                    writer.writerow((AGENT, name, number, seat, own, *about))
    opponents = [
        {"a": AGENT, "b": name, "pairs": len(pairs), "score": float(np.mean(pairs))}
        for name, pairs in scores.items()
    ]
    result = {"protocol": protocol, "rules": "abc", "score": 0.5, "opponents": opponents}
    (games / FILE).write_text(json.dumps(result), encoding="utf-8")
    return folder


def pairs_of(mean: float) -> dict[str, list[float]]:
    """Twenty pairs against each opponent; against the second two wins fewer."""
    won = round(20 * mean)
    return {
        "planner": [1.0] * won + [0.0] * (20 - won),
        "warden": [1.0] * (won - 2) + [0.0] * (22 - won),
    }


def three_seeds(folder: Path) -> list[Path]:
    return [
        run_at(folder / f"ppo-1m-seed{seed}", seed, pairs_of(mean))
        for seed, mean in ((3, 0.5), (1, 0.6), (2, 0.7))
    ]


def test_seeds_of_one_config_are_one_group(tmp_path: Path) -> None:
    runs = [read_run(folder) for folder in three_seeds(tmp_path)]
    other = read_run(
        run_at(tmp_path / "ppo-10m-seed1", 1, pairs_of(0.8), total_timesteps=10_000_000)
    )
    one, two = group_runs([*runs, other])
    assert (one.name, one.budget, one.seeds) == ("ppo-1m", "1 M decisions", [1, 2, 3])
    assert one.measured == "protocol 2" and one.rules == "abc"
    assert [Path(folder).name[-1] for folder in one.runs] == ["1", "2", "3"]
    assert one.overall.each == pytest.approx([0.55, 0.65, 0.45])
    assert one.overall.mean == pytest.approx(0.55)
    assert one.overall.range == pytest.approx((0.45, 0.65))
    assert one.overall.interval is not None
    assert one.overall.interval[0] < 0.45 and one.overall.interval[1] > 0.65
    assert [scores.against for scores in one.scores] == ["all, alike", *OPPONENTS]
    assert one.scores[1].each == pytest.approx([0.6, 0.7, 0.5])
    assert (two.name, two.budget, two.overall.interval) == ("ppo-10m", "10 M decisions", None)


def test_opponents_weigh_alike_however_many_pairs_they_play(tmp_path: Path) -> None:
    scores = {"planner": [1.0] * 30, "warden": [0.0] * 10}
    assert read_run(run_at(tmp_path / "run", 1, scores)).score == 0.5


def test_the_scores_of_the_pairs_are_read(tmp_path: Path) -> None:
    home = run_at(tmp_path / "run", 1, {"planner": [1.0, 0.5, 0.25]}) / "benchmark"
    with open(home / GAMES, "a", encoding="utf-8") as file:
        file.write(f"{AGENT},planner,3,0,1.0,0.0,0f,1,1,0,0,0.1,0.1\n")  # the pair isn't whole
    assert read_scores(home / GAMES, 2)[AGENT, "planner"].tolist() == [1.0, 0.5, 0.25]


@pytest.mark.parametrize("home", [".", "benchmark", "benchmark/2"])
def test_a_benchmark_is_found_beside_and_in_its_run(tmp_path: Path, home: str) -> None:
    folder = run_at(tmp_path / "run", 1, pairs_of(0.5), home)
    assert read_run(folder).measured == "protocol 2"


def test_a_benchmark_is_found_where_the_command_puts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    small = protocols.Protocol("2", "a small one", (protocols.Opponent("random", 2),), seed=1)
    monkeypatch.setitem(protocols.PROTOCOLS, "2", small)
    for seed in (1, 2):
        run = run_at(Path(f"runs/me-seed{seed}"), seed)
        untrained(run / "checkpoint", (24, 16), derived=True)
        words = ("--protocol", 2, "--processes", 1)
        assert hemlock("benchmark", f"ckpt:{run}", *words).exit_code == 0
    found = hemlock("report", "runs/me-seed1", "runs/me-seed2")
    assert found.exit_code == 0, found.stderr
    row = next(line for line in found.stdout.splitlines() if line.startswith("me "))
    assert "1 M decisions" in row and "Scores by protocol 2" in found.stdout
    stored = json.loads(Path("runs/benchmark/2/ckpt_runs_me-seed2", FILE).read_text("utf-8"))
    assert row.endswith(f"{stored['score']:.3f}")


def test_without_a_benchmark_the_last_matches_count(tmp_path: Path) -> None:
    folders = []
    for seed, score in ((1, 0.8), (2, 0.9)):
        folder = run_at(tmp_path / f"me{seed}", seed)
        columns = "timesteps,score:greedy,low:greedy,high:greedy\n"
        (folder / "metrics.csv").write_text(f"{columns}5,0.1,0,0.2\n10,{score},0.7,0.95\n20,,,\n")
        folders.append(folder)
    (group,) = group_runs([read_run(folder) for folder in folders])
    assert (group.name, group.measured) == ("me", "last match in training")
    assert group.overall.each == [0.8, 0.9] and group.overall.interval is not None
    told = hemlock("report", *folders)
    assert "no single pairs" in told.stdout and "0.800, 0.900" in told.stdout
    refused = hemlock("report", folders[0], "--protocol", 2)
    assert refused.exit_code == 2 and "hemlock benchmark ckpt:" in refused.stderr


# ---- tables ----


def hemlock(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_the_table_has_mean_range_interval_and_every_seed(tmp_path: Path) -> None:
    folders = three_seeds(tmp_path)
    page = tmp_path / "table.md"
    told = hemlock("report", *folders, "--markdown", page)
    assert told.exit_code == 0, told.stderr
    groups = group_runs([read_run(folder) for folder in folders])
    low, high = groups[0].overall.interval or (0.0, 0.0)
    row = [
        *("ppo-1m", "1 M decisions", "all, alike", "3", "0.550", "0.450 to 0.650"),
        *(f"{low:.3f} to {high:.3f}", "0.550, 0.650, 0.450"),
    ]
    text = page.read_text("utf-8")
    assert f"| {' | '.join(row)} |" in text and text == markdown(groups)
    assert "| planner | 3 | 0.600 |" in text and "protocol 2, rules abc" in text
    assert "**Note:** two to four seeds leave a wide interval" in text
    for cell in row:
        assert cell in told.stdout
    assert json.loads(hemlock("report", *folders, "--json").stdout) == as_dict(groups)
    assert as_dict(groups)["groups"][0]["scores"][0]["interval"] == [low, high]


def test_one_seed_has_no_interval(tmp_path: Path) -> None:
    told = hemlock("report", run_at(tmp_path / "me", 1, pairs_of(0.5)))
    assert "one seed" in told.stdout and "says nothing about others" in told.stdout


def test_what_does_not_fit_is_one_line(tmp_path: Path) -> None:
    good = run_at(tmp_path / "good", 1, pairs_of(0.5))
    twice = run_at(tmp_path / "twice", 1, pairs_of(0.5))
    old = run_at(tmp_path / "old", 2, pairs_of(0.5), protocol="1.1")
    both = run_at(tmp_path / "both", 3, pairs_of(0.5), home="benchmark/2")
    run_at(both, 3, pairs_of(0.5), home="benchmark/1", protocol="1.1")
    apart = run_at(tmp_path / "apart", 4, pairs_of(0.5))
    (apart / "benchmark" / GAMES).write_text((good / "benchmark" / GAMES).read_text()[:-200])
    broken = run_at(tmp_path / "broken", 5, pairs_of(0.5))
    (broken / "benchmark" / FILE).write_text("{}")
    number = run_at(tmp_path / "number", 6, pairs_of(0.5), protocol="1")
    text = (number / "benchmark" / FILE).read_text().replace('"1"', "1")
    (number / "benchmark" / FILE).write_text(text)
    fewer = run_at(tmp_path / "fewer", 7, {"planner": [0.5] * 20})
    (tmp_path / "empty").mkdir()
    for words, says in (
        ((good, twice), "have the same config and seed, 1"),
        ((good, old), "not measured alike"),
        ((good, fewer), "met other opponents"),
        ((both,), "several results"),
        ((apart,), "don't belong together"),
        ((broken,), "is no result of a benchmark"),
        ((number,), "is no result of a benchmark"),
        ((run_at(tmp_path / "new", 8),), "no result: hemlock benchmark ckpt:"),
        ((tmp_path / "empty",), "give the folder of a run"),
        ((good, "--protocol", "3"), "no result of protocol 3"),
        ((good, "--markdown", tmp_path / "no" / "table.md"), "No such file"),
        ((), "RUN"),
    ):
        result = hemlock("report", *words)
        assert result.exit_code == 2, (words, result.stdout)
        assert says in result.stderr and result.stderr.count("\n") == 1, result.stderr
    assert hemlock("report", both, "--protocol", "1.1").exit_code == 0

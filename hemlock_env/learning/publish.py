"""`python -m training.ship RUN NAME [--exploit RUN ...]`: make a run's policy a shipped checkpoint,
with model card.

It copies the policy, the config and the time series of the run to `checkpoints/NAME`, runs the
frozen benchmark (docs/benchmark.md) twice, once playing the likeliest action and once drawing at
temperature 1, and writes what came out into the card; so it does with the curves of exploiters of
that policy.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from pathlib import Path

from hemlock_env.evaluation.benchmark import FILE, Benchmark, BenchmarkResult, protocol
from hemlock_env.evaluation.statistics import format_interval
from hemlock_env.learning import best_response as exploit
from hemlock_env.learning.checkpoint import CONFIG
from hemlock_env.learning.config import differences, read_settings
from hemlock_env.network.checkpoint import META, save_policy
from hemlock_env.network.policy import load_policy

HOME = Path("checkpoints")
SERIES = ("metrics.csv", "learning_curve.png")
# How it is played: what is added to its spec, where the games are kept, what the card says.
WAYS = (
    ("", "likeliest", "Likeliest action, one forward pass a decision"),
    (":temperature=1", "drawn", "Drawn by its probabilities (temperature 1)"),
)


def check(run: Path, name: str, processes: int) -> None:
    """ValueError for what can't be shipped; nothing has been touched then."""
    if Path(name).name != name or not name or name.startswith("."):
        raise ValueError(f"{name!r} must be a plain name")
    if processes < 1:
        raise ValueError(f"--processes {processes}: must be 1 or more")
    for needed in (CONFIG, *SERIES):
        if not (run / needed).is_file():
            raise ValueError(f"{run}: no {needed} there: give the folder of a finished run")
    protocol(f"ckpt:{run}")  # can it play the benchmark's games?
    home, found = HOME / name, Path(name)
    if found.exists():
        raise ValueError(f"{found} would be taken for ckpt:{name} instead of {home}: move it away")
    config = Path("configs") / f"{name}.toml"
    if differences(read_settings(config), read_settings(run / CONFIG)):
        raise ValueError(f"{run} was not made with {config}: the card would name the wrong command")


def check_exploiters(exploiters: list[Path], run: Path) -> None:
    """ValueError for what isn't a finished run of `training.exploit` against the policy of `run`,
    playing its likeliest actions.
    """
    digest = load_policy(run).digest()
    for each in exploiters:
        settings, about = read_settings(each / CONFIG), exploit.read_about(each)
        if about["policy"] != digest:
            raise ValueError(f"{each}: its victim was another policy: exploit this one")
        if ":temperature=" in about["victim"]:
            raise ValueError(f"{each}: its victim, {about['victim']}, drew: exploit it without")
        curve = exploit.read_curve(each)
        if not curve or not exploit.ended(curve[-1], settings):
            raise ValueError(f"{each}: it is not at its end: go on with --resume")


def copy_run(run: Path, home: Path) -> None:
    """The policy without the trainer's state, and what tells how it came about."""
    policy = load_policy(run)
    about = {key: value for key, value in policy.meta.items() if key != "sha256"}
    save_policy(home, policy.weights, about)
    for name in (CONFIG, *SERIES):
        shutil.copy(run / name, home / name)


def measure(spec: str, games: Path, processes: int) -> BenchmarkResult:
    """The frozen benchmark; a run that was stopped goes on."""
    benchmark = Benchmark(spec, games)
    benchmark.play(processes=processes)
    return benchmark.result()


def card(name: str, home: Path, results: list[BenchmarkResult], exploiters: list[Path]) -> str:
    """The model card."""
    meta = json.loads((home / META).read_text(encoding="utf-8"))
    options = ", ".join(f"{key} {value}" for key, value in meta["options"].items())
    network, size = meta["network"], (home / "policy.safetensors").stat().st_size
    parts = [
        f"# {name}",
        f"`ckpt:{name}` wherever a bot is named. Learned by `training.ppo` from play against "
        "itself and frozen copies of itself; no scripted bot took part in it. Some of its inputs "
        "are computed from the observation with our knowledge of the game (`network/features.py`); "
        "one, the chance to hold a district, is by planner's formula.",
        "| | |\n|---|---|\n"
        f"| game | {options}; card set {meta['card_set']} |\n"
        f"| rules and cards, observation | {meta['rules_hash']}, {meta['observation_hash']} |\n"
        f"| network | {network['kind']}, {network['inputs']} inputs, layers of "
        f"{', '.join(map(str, network['hidden']))}; {size:,} bytes |\n"
        f"| training | {meta['decisions']:,} decisions of all seats, {meta['minutes']:.1f} minutes "
        f"in {read_settings(home / CONFIG).processes} processes, matches on the way not counted |\n"
        f"| made again by | `python -m training.ppo configs/{name}.toml`, then "
        f"`python -m training.ship runs/{name} {name}` |",
        "`config.toml` is the run's config, `metrics.csv` its time series, `learning_curve.png` "
        "its picture. The schedules go by time, so another run of the same command gets as far as "
        "its machine lets it, and is another policy of about this strength.",
    ]
    for (_, _, way), result in zip(WAYS, results, strict=True):
        parts += [f"## {way}", benchmark_table(result), endgame_line(result)]
    if exploiters:
        parts += ["## Best responses", exploiter_table(name, exploiters)]
    return "\n\n".join(parts) + "\n"


def benchmark_table(result: BenchmarkResult) -> str:
    """The matches of the benchmark, and their mean."""
    rows = [
        f"| {met.b} | {met.pairs} | {met.score:.1%} | {percent(met.interval)} | "
        f"{' / '.join(f'{score:.1%}' for score in met.seats)} | {met.margin:+.1f} |"
        for met in result.opponents
    ]
    head = "| against | pairs | score | 95 % interval | by seat | margin |"
    line = "|---|--:|--:|--:|--:|--:|"
    mean = f"| mean | | {result.score:.1%} | {percent(result.interval)} | | |"
    return "\n".join([head, line, *rows, mean])


def endgame_line(result: BenchmarkResult) -> str:
    """What it misses of the solved positions, and how quick it is."""
    found = result.endgames
    return (
        f"Endgames ({found.positions:,}): best action missed in {found.missed:.1%} "
        f"({percent(found.missed_interval)}), {found.margin_lost:.2f} points lost a position "
        f"({format_interval(found.margin_interval, '.2f')}). {result.milliseconds:.2g} ms of "
        f"processor time a decision in batches of games; illegal actions: {result.illegal}. "
        f"Benchmark protocol {result.protocol}, package {result.version}."
    )


def exploiter_table(name: str, runs: list[Path]) -> str:
    """What those who trained against it alone won from it."""
    rows = []
    for number, run in enumerate(runs, 1):
        curve, about = exploit.read_curve(run), exploit.read_about(run)
        settings, last = read_settings(run / CONFIG), curve[-1]
        best = max(curve, key=lambda row: row["score"])
        rows.append(
            f"| {about['begins']} | {last['decisions']:,.0f} | {last['minutes']:.1f} in "
            f"{settings.processes} | {last['score']:.1%} | {percent((last['low'], last['high']))} "
            f"| {best['score']:.1%} at {best['decisions'] / 1e6:.0f} million | "
            f"`exploit_{number}.csv`, `exploit_{number}.toml` |"
        )
    return "\n".join(
        [
            f"Policies that `python -m training.exploit ckpt:{name}` trained against it alone, and "
            "their score; they learn from one seat's decisions, the frozen policy makes the "
            "others. A lower bound of what can be won from it.",
            "",
            "| begins with | decisions of all seats | minutes, processes | score at the end "
            "| 95 % interval | most on the way | curve, config |",
            "|---|--:|--:|--:|--:|--:|---|",
            *rows,
        ]
    )


def percent(interval: tuple[float, float]) -> str:
    """An interval of shares."""
    low, high = interval
    return f"{low:.1%} to {high:.1%}"


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m training.ship", description=__doc__)
    parser.add_argument("run", type=Path, help="run folder, such as runs/two_player")
    parser.add_argument("name", help="what it will be called: ckpt:NAME")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--exploit", type=Path, nargs="+", default=[], metavar="RUN", help="exploiters' runs"
    )
    given = parser.parse_args(arguments)
    home = HOME / given.name
    try:
        check(given.run, given.name, given.processes)
        check_exploiters(given.exploit, given.run)
        copy_run(given.run, home)
        for number, run in enumerate(given.exploit, 1):
            shutil.copy(run / exploit.CURVE, home / f"exploit_{number}.csv")
            shutil.copy(run / CONFIG, home / f"exploit_{number}.toml")
        results = []
        for option, kept, _ in WAYS:
            spec = f"ckpt:{given.name}{option}"
            results.append(measure(spec, given.run / "benchmark" / kept, given.processes))
            text = json.dumps(results[-1].as_dict(), indent=2) + "\n"
            (home / FILE.replace(".json", f"_{kept}.json")).write_text(text, encoding="utf-8")
        text = card(given.name, home, results, given.exploit)
        (home / "README.md").write_text(text, encoding="utf-8")
    except (ValueError, OSError) as error:
        print(f"ship: {error}", file=sys.stderr)
        return 2
    print(f"{home}: {', '.join(sorted(path.name for path in home.iterdir()))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A run's policy becomes a shipped checkpoint, with model card.

`ship` copies the policy, the config and the time series of the run to `checkpoints/NAME`, runs the
frozen benchmark (docs/benchmark.md) twice, once playing the likeliest action and once drawing at
temperature 1, and writes what came out into the card; so it does with the curves of exploiters of
that policy.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from hemlock_env._files import write_csv, write_json, write_text
from hemlock_env.evaluation.benchmark import FILE, Benchmark, BenchmarkResult, schedule_of
from hemlock_env.evaluation.protocols import DEFAULT, find_protocol
from hemlock_env.evaluation.statistics import format_interval
from hemlock_env.learning.best_response import CURVE, is_finished, read_about, read_curve
from hemlock_env.learning.checkpoint import CONFIG
from hemlock_env.learning.config import differences, find_config, read_settings
from hemlock_env.learning.report import CSV, PICTURE
from hemlock_env.network.checkpoint import read_meta, save_policy
from hemlock_env.network.policy import load_policy

HOME = Path("checkpoints")
SERIES = (CSV, PICTURE)
# How it is played: what is added to its spec, where the games are kept, what the card says.
WAYS = (
    ("", "likeliest", "Likeliest action, one forward pass a decision"),
    (":temperature=1", "drawn", "Drawn by its probabilities (temperature 1)"),
)


def ship(run: Path, name: str, processes: int, exploiters: Sequence[Path] = ()) -> Path:
    """Make the policy of a run the checkpoint `ckpt:NAME`.

    Args:
        run: folder of the run.
        name: what it will be called.
        processes: of the benchmark, at the same time.
        exploiters: folders of finished runs against it.

    Returns:
        The folder of the checkpoint.

    Raises:
        ValueError: it can't be shipped; nothing has been touched then.
    """
    home = HOME / name
    _check(run, name, processes)
    curves = [_check_exploiter(each, run) for each in exploiters]
    _copy_run(run, home)
    for number, (each, curve) in enumerate(zip(exploiters, curves, strict=True), 1):
        write_csv(home / f"exploit_{number}.csv", curve, CURVE)
        shutil.copy(each / CONFIG, home / f"exploit_{number}.toml")
    results = []
    for option, kept, _ in WAYS:
        results.append(measure(f"ckpt:{name}{option}", run / "benchmark" / kept, processes))
        write_json(home / FILE.replace(".json", f"_{kept}.json"), results[-1].as_dict())
    write_text(home / "README.md", card(name, home, results, exploiters))
    return home


def _check(run: Path, name: str, processes: int) -> None:
    if Path(name).name != name or not name or name.startswith("."):
        raise ValueError(f"{name!r} must be a plain name")
    if processes < 1:
        raise ValueError(f"--processes {processes}: must be 1 or more")
    for needed in (CONFIG, *SERIES):
        if not (run / needed).is_file():
            raise ValueError(f"{run}: no {needed} there: give the folder of a finished run")
    schedule_of(find_protocol(DEFAULT), f"ckpt:{run}")  # can it play the benchmark's games?
    home, found = HOME / name, Path(name)
    if found.exists():
        raise ValueError(f"{found} would be taken for ckpt:{name} instead of {home}: move it away")
    config = find_config(str(Path("configs") / f"{name}.toml"))
    if differences(read_settings(config), read_settings(run / CONFIG)):
        raise ValueError(f"{run} was not made with {config}: the card would name the wrong command")


def _check_exploiter(exploiter: Path, run: Path) -> list[dict[str, float]]:
    """Its curve; ValueError for what isn't a finished run against the policy of `run`, playing its
    likeliest actions.
    """
    settings, about = read_settings(exploiter / CONFIG), read_about(exploiter)
    if about["policy"] != load_policy(run).digest():
        raise ValueError(f"{exploiter}: its victim was another policy: exploit this one")
    if ":temperature=" in about["victim"]:
        raise ValueError(f"{exploiter}: its victim, {about['victim']}, drew: exploit it without")
    curve = read_curve(exploiter, about["victim"])
    if not curve or not is_finished(curve[-1], settings):
        raise ValueError(f"{exploiter}: it is not at its end: go on with --resume")
    return curve


def _copy_run(run: Path, home: Path) -> None:
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


def card(name: str, home: Path, results: list[BenchmarkResult], exploiters: Sequence[Path]) -> str:
    """The model card."""
    meta = read_meta(home)
    options = ", ".join(f"{key} {value}" for key, value in meta["options"].items())
    revision = meta.get("card_set_revision")
    edition = meta["card_set"] if revision is None else f"{meta['card_set']}/{revision}"
    network, size = meta["network"], (home / "policy.safetensors").stat().st_size
    parts = [
        f"# {name}",
        f"`ckpt:{name}` wherever a bot is named. Learned by PPO from play against "
        "itself and frozen copies of itself alone. Its inputs include hand-made features of the "
        "observation (`network/features.py`); one, the chance to hold a district, is by planner's "
        "formula. What it would be without them was not measured.",
        "| | |\n|---|---|\n"
        f"| game | {options}; card set {edition} |\n"
        f"| rules and cards, observation | {meta['rules_hash']}, {meta['observation_hash']} |\n"
        f"| network | {network['kind']}, {network['inputs']} inputs, layers of "
        f"{', '.join(map(str, network['hidden']))}; {size:,} bytes |\n"
        f"| training | {meta['decisions']:,} decisions of all seats, {meta['minutes']:.1f} minutes "
        f"in {read_settings(home / CONFIG).processes} processes, matches on the way not counted |\n"
        f"| retrained by | `hemlock train configs/{name}.toml`, then "
        f"`hemlock ship runs/{name} {name}` |",
        "`config.toml` is the run's config, `metrics.csv` its time series, `learning_curve.png` "
        "its picture. The schedules go by time, so another run of the same command gets as far as "
        "its machine lets it, and is another policy; the spread over seeds was not measured.",
    ]
    for (_, _, way), result in zip(WAYS, results, strict=True):
        parts += [f"## {way}", benchmark_table(result), endgame_line(result)]
    if exploiters:
        parts += ["## Best responses", exploiter_table(name, exploiters)]
    return "\n\n".join(parts) + "\n"


def benchmark_table(result: BenchmarkResult) -> str:
    """The matches of the benchmark, and their mean."""
    rows = [
        f"| {met.b} | {met.pairs} | {met.score:.1%} | {format_interval(met.interval, '.1%')} | "
        f"{' / '.join(f'{score:.1%}' for score in met.seats)} | {met.margin:+.1f} |"
        for met in result.opponents
    ]
    head = "| against | pairs | score | 95 % interval | by seat | margin |"
    line = "|---|--:|--:|--:|--:|--:|"
    mean = f"| mean | | {result.score:.1%} | {format_interval(result.interval, '.1%')} | | |"
    return "\n".join([head, line, *rows, mean])


def endgame_line(result: BenchmarkResult) -> str:
    """What it misses of the solved positions, and how quick it is."""
    found = result.endgames
    missed = format_interval(found.missed_interval, ".1%")
    lost = format_interval(found.margin_interval, ".2f")
    return (
        f"Endgames ({found.positions:,}): best action missed in {found.missed:.1%} ({missed}), "
        f"{found.margin_lost:.2f} points lost a position ({lost}). {result.milliseconds:.2g} ms of "
        f"processor time a decision in batches of games; illegal actions: {result.illegal}. "
        f"Benchmark protocol {result.protocol}, package {result.version}."
    )


def exploiter_table(name: str, runs: Sequence[Path]) -> str:
    """What those who trained against it alone won from it."""
    rows = []
    for number, run in enumerate(runs, 1):
        about, settings = read_about(run), read_settings(run / CONFIG)
        curve = read_curve(run, about["victim"])
        last = curve[-1]
        interval = format_interval((last["low"], last["high"]), ".1%")
        best = max(curve, key=lambda row: row["score"])
        rows.append(
            f"| {about['begins']} | {last['timesteps']:,.0f} | {last['minutes']:.1f} in "
            f"{settings.processes} | {last['score']:.1%} | {interval} "
            f"| {best['score']:.1%} at {best['timesteps'] / 1e6:.0f} million | "
            f"`exploit_{number}.csv`, `exploit_{number}.toml` |"
        )
    return "\n".join(
        [
            f"Policies that `hemlock exploit ckpt:{name}` trained against it alone, and "
            "their score; they learn from one seat's decisions, the frozen policy makes the "
            "others. A lower bound of what can be won from it.",
            "",
            "| begins with | decisions of all seats | minutes, processes | score at the end "
            "| 95 % interval | most on the way | curve, config |",
            "|---|--:|--:|--:|--:|--:|---|",
            *rows,
        ]
    )

"""A best response: how much does a policy that trains against nothing else win from a frozen one?

    python -m training.exploit ckpt:runs/quickstart [--minutes M] [--from-victim] [--run DIR]
        [--resume] [--set key=value ...]

The victim plays all seats but one, the exploiter learns from its own decisions alone, by PPO as in
`training.ppo`, with the settings of the victim's run. What comes out is a lower bound: a longer or
better search may win more.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch

from hemlock_env.agents import make_bot
from hemlock_env.agents.network_bot import CheckpointBot
from hemlock_env.evaluation.match import MatchResult, play_match
from hemlock_env.learning import checkpoint
from hemlock_env.learning.config import (
    ConfigError,
    Settings,
    check_settings,
    read_settings,
    set_key,
)
from hemlock_env.learning.opponent_pool import one_seat
from hemlock_env.learning.ppo import Rival, Stop, Trainer, explain
from hemlock_env.learning.team import Link, TeamError
from hemlock_env.network.checkpoint import INSIGHT_MLP, find_checkpoint

COLUMNS = ("decisions", "minutes", "score", "low", "high")
NEW, VICTIMS = "new weights", "the victim's weights"  # what an exploiter begins with
ALWAYS_BEST = 1e4  # the sharpness of a victim that plays the likeliest action
# The keys of a victim's run that say how its exploiter learns, too.
LEARNING = (
    *("processes", "games", "steps", "scatter", "learning_rate", "epochs", "minibatch", "clip"),
    *("gae_lambda", "margin_share", "margin_until", "margin_scale", "entropy", "entropy_end"),
    *("value_share", "kl_share", "full_critic", "max_gradient", "average", "precision"),
)
CURVE, PICTURE, ABOUT = "exploit.csv", "exploit.png", "exploit.json"


def settings_for(victim: CheckpointBot, minutes: float, changes: Sequence[str]) -> Settings:
    """The victim's game and network, the learning of its run, its decisions, and changes.

    The exploiter learns from those of one seat, so it gets the victim's number once for each.
    """
    meta = victim.policy.meta
    decisions = max(meta["options"]["num_players"] * meta["decisions"], 1)
    learning, card_set = run_of(victim)
    table: dict[str, Any] = {
        **learning,
        "total_decisions": decisions,
        "max_minutes": minutes,
        "hidden": meta["network"]["hidden"],
        "evaluate_decisions": max(decisions // 12, 1),
        "evaluate_games": 1000,
        "options": {**meta["options"], "card_set": card_set},
    }
    for change in changes:
        set_key(table, change)
    return check_settings(table, victim.spec)


def run_of(victim: CheckpointBot) -> tuple[dict[str, Any], str]:
    """How the victim's run learned and where its cards are, from the config beside its checkpoint;
    where there is none, the defaults, and the cards by their id.
    """
    place = victim.spec.removeprefix("ckpt:")
    found = find_checkpoint(place.removesuffix(f":temperature={victim.temperature:g}"))
    # A run's config lies beside its checkpoint, that of a shipped policy in the same folder.
    configs = (folder / checkpoint.CONFIG for folder in (found, found.parent))
    config = next((config for config in configs if config.is_file()), None)
    if config is None:
        return {}, victim.policy.meta["card_set"]
    settings = read_settings(config)
    plain = settings.as_dict()
    return {key: plain[key] for key in LEARNING}, settings.card_set


def exploiter(
    victim: CheckpointBot,
    from_victim: bool,
    settings: Settings,
    rank: int = 0,
    link: Link | None = None,
) -> Trainer:
    """A trainer whose games the victim plays in all seats but one, and which sees what it sees.

    It begins with new weights, or with the victim's.
    """
    victim.policy.check_fits(settings.cards, settings.options)
    network = victim.policy.meta["network"]
    if network["kind"] != INSIGHT_MLP or tuple(network["hidden"]) != settings.hidden:
        raise ConfigError(
            f"{victim.spec} is {network['kind']} with layers of {network['hidden']}, its exploiter "
            f"{INSIGHT_MLP} with layers of {list(settings.hidden)}: they must be alike"
        )
    weights = victim.policy.weights
    trainer = Trainer(settings, rank, link, live=weights["live"])
    frozen = trainer.spare
    with torch.no_grad():
        for name, weight in frozen.named_parameters():
            if not name.startswith("critic"):  # which a policy leaves out
                weight.copy_(torch.from_numpy(weights[name]))
        layers = frozen.layers()
        if from_victim:
            pairs = zip(frozen.parameters(), trainer.network.parameters(), strict=True)
            for (theirs, mine), average in zip(pairs, trainer.average, strict=True):
                mine.copy_(theirs)
                average.copy_(theirs)
    seats, games = trainer.batch.num_players, len(trainer.batch)
    sharpness = 1.0 / victim.temperature if victim.temperature else ALWAYS_BEST
    trainer.victim = Rival(layers, ~one_seat(games, games, seats), sharpness)
    return trainer


def exploit(
    victim: CheckpointBot,
    settings: Settings,
    folder: Path,
    from_victim: bool = False,
    go_on: bool = False,
) -> int:
    """Train to the end of the budget, or until stopped, with the curve in the folder; exit code."""
    torch.set_num_threads(1)
    about = {
        "victim": victim.spec,
        "policy": victim.policy.digest(),
        "begins": VICTIMS if from_victim else NEW,
    }
    make = partial(exploiter, victim, from_victim)
    trainer = make(settings)
    if go_on:
        check_same(folder, about)
        checkpoint.check(folder, settings)
    else:
        earlier = checkpoint.begin(folder, settings)
        if earlier:
            print(f"the earlier run is now in {earlier}")
        (folder / ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    trainer.gather_team(make)
    try:
        if go_on:
            checkpoint.resume(folder, trainer)
        return climb(trainer, victim, folder)
    finally:
        trainer.team.close()


def check_same(folder: Path, about: dict[str, str]) -> None:
    """ConfigError where the run in this folder is against another victim, or began otherwise."""
    earlier = read_about(folder)
    for key, value in about.items():
        if earlier[key] != value:
            raise ConfigError(
                f"{folder}: the run was begun with {key} {earlier[key]!r}, not {value!r}: "
                "resume it as it was begun, or begin a new one without --resume"
            )


def read_about(folder: Path) -> dict[str, str]:
    """Whom the run in this folder exploits; ConfigError where it doesn't say."""
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        return {key: str(about[key]) for key in ("victim", "policy", "begins")}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ConfigError(
            f"{folder / ABOUT}: {error!r}: no run of training.exploit there: begin one without "
            "--resume"
        ) from None


def climb(trainer: Trainer, victim: CheckpointBot, folder: Path) -> int:
    """Update after update, with saves, and a match and a row of the curve whenever one is due."""
    settings, curve = trainer.settings, read_curve(folder)
    saved = time.monotonic()
    with Stop() as stop:
        while True:
            ended = trainer.progress >= 1.0
            matched = curve[-1]["decisions"] if curve else 0
            every = settings.evaluate_decisions
            due = trainer.decisions // every > matched // every
            due |= ended and trainer.decisions > matched
            if due or stop.signal or time.monotonic() - saved >= settings.save_seconds:
                checkpoint.save(folder, trainer)
                saved = time.monotonic()
            if stop.signal and not ended:
                print("stopped and saved; the same command with --resume goes on")
                return 128 + stop.signal
            if due:
                curve.append(row_of(trainer, play_victim(folder, victim, settings)))
                write_curve(folder, curve)
                print(line_of(curve[-1], trainer), flush=True)
            if ended:
                break
            trainer.update()
    draw(curve, victim.spec, folder / PICTURE)
    print(f"{victim.spec} gives its exploiter a score of {100 * curve[-1]['score']:.1f} %")
    print(f"run folder: {folder} ({CURVE}, {PICTURE}, checkpoint/)")
    return 0


def read_curve(folder: Path) -> list[dict[str, float]]:
    """The rows that a run has written so far; ConfigError where they can't be read."""
    file = folder / CURVE
    if not file.is_file():
        return []
    try:
        rows = csv.DictReader(file.read_text(encoding="utf-8").splitlines())
        return [{name: float(row[name]) for name in COLUMNS} for row in rows]
    except (ValueError, TypeError, KeyError) as error:
        raise ConfigError(f"{file} is damaged ({error!r}): exploit the victim anew") from None


def ended(row: dict[str, float], settings: Settings) -> bool:
    """Is this the last point of a curve, by decisions or by the guard?"""
    late = settings.max_minutes and row["minutes"] >= round(settings.max_minutes, 3)
    return bool(late) or row["decisions"] >= settings.total_decisions


def write_curve(folder: Path, curve: Sequence[dict[str, float]]) -> None:
    """All rows, in place of those before."""
    fresh = folder / f"new.{CURVE}"
    with open(fresh, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(curve)
    os.replace(fresh, folder / CURVE)


def play_victim(folder: Path, victim: CheckpointBot, settings: Settings) -> MatchResult:
    """The exploiter so far against the victim, the same deals every time."""
    bot = CheckpointBot(str(folder / checkpoint.CHECKPOINT))
    return play_match(bot, victim, settings.evaluate_games, 0, settings.batch_options)


def row_of(trainer: Trainer, match: MatchResult) -> dict[str, float]:
    """A point of the curve."""
    low, high = match.interval
    minutes = trainer.seconds / 60.0
    found = (trainer.decisions, round(minutes, 3), match.score, low, high)
    return dict(zip(COLUMNS, found, strict=True))


def line_of(row: dict[str, float], trainer: Trainer) -> str:
    """What a person reads on the way."""
    return (
        f"{100 * trainer.progress:3.0f} %  {row['decisions'] / 1e6:.1f}M decisions  "
        f"{row['minutes']:.1f} min  score {100 * row['score']:.1f} % "
        f"({100 * row['low']:.1f} to {100 * row['high']:.1f})"
    )


def draw(curve: Sequence[dict[str, float]], victim: str, file: Path) -> None:
    """The exploiter's score over its budget, with its interval, as PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # takes a second: only here
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    played = [row["decisions"] / 1e6 for row in curve]
    axes.plot(played, [row["score"] for row in curve], marker="o")
    low, high = ([row[name] for row in curve] for name in ("low", "high"))
    axes.fill_between(played, low, high, alpha=0.2)
    axes.axhline(0.5, color="0.8", linewidth=0.8)
    axes.set(xlabel="the exploiter's decisions and the victim's (millions)", ylim=(0.0, 1.02))
    axes.set(ylabel=f"score against {Path(victim).name}")
    fresh = file.with_name("new." + file.name)
    figure.savefig(fresh, dpi=100)
    os.replace(fresh, file)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training.exploit")
    parser.add_argument("victim", help="ckpt:PATH, with :temperature=1 if it is to draw")
    parser.add_argument("--minutes", type=float, default=0.0, help="guard; 0 (default): none")
    parser.add_argument("--from-victim", action="store_true", help="begin with its weights")
    parser.add_argument("--run", type=Path, default=Path("runs/exploit"), help="run folder")
    parser.add_argument("--resume", action="store_true", help="go on from the last save")
    parser.add_argument("--set", nargs="+", action="extend", default=[], metavar="KEY=VALUE")
    given = parser.parse_args(arguments)
    try:
        victim = victim_of(given.victim)
        settings = settings_for(victim, given.minutes, given.set)
        return exploit(victim, settings, given.run, given.from_victim, given.resume)
    except OSError as error:
        print(explain(error, given.run), file=sys.stderr)
        return 2
    except (ValueError, TeamError) as error:
        print(error, file=sys.stderr)
        return 2


def victim_of(spec: str) -> CheckpointBot:
    """The bot of this name; ConfigError where it isn't a checkpoint's."""
    bot = make_bot(spec)
    if not isinstance(bot, CheckpointBot):
        raise ConfigError(f"{spec}: only a checkpoint can be exploited: ckpt:PATH")
    return bot


if __name__ == "__main__":
    sys.exit(main())

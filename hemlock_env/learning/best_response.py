"""A best response: a policy that trains against one frozen policy alone, to find its weaknesses.

The victim plays all seats but one, the exploiter learns from its own decisions, by PPO as in
self-play, with the settings of the victim's run. Its score is a lower bound of the victim's
exploitability: a longer or better search may win more.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from hemlock_env._files import read_json
from hemlock_env.agents import make_bot
from hemlock_env.agents.network_bot import CheckpointBot
from hemlock_env.learning import checkpoint
from hemlock_env.learning.config import (
    ConfigError,
    Settings,
    check_settings,
    read_settings,
    set_key,
)
from hemlock_env.learning.opponent_pool import one_seat
from hemlock_env.learning.ppo import Opponent, PPOTrainer
from hemlock_env.learning.report import CSV, read_metrics, score_columns
from hemlock_env.learning.run import train
from hemlock_env.learning.team import Link
from hemlock_env.network.checkpoint import INSIGHT_MLP, find_checkpoint

CURVE = ("timesteps", "minutes", "score", "low", "high")  # columns of an exploiter's curve
NEW, VICTIMS = "new weights", "the victim's weights"  # what an exploiter begins with
GREEDY = 1e4  # the inverse temperature of a victim that plays the likeliest action
ABOUT = "exploit.json"
# The keys of a victim's run that say how its exploiter learns, too.
LEARNING = (
    *("processes", "num_envs", "num_steps", "random_start_steps", "learning_rate"),
    *("update_epochs", "minibatch_size", "clip_coef", "gae_lambda", "margin_share"),
    *("margin_until", "margin_scale", "ent_coef", "ent_coef_end", "vf_coef", "kl_coef"),
    *("privileged_critic", "max_grad_norm", "ema_decay", "precision"),
)


def settings_for(victim: CheckpointBot, minutes: float, changes: Sequence[str]) -> Settings:
    """The victim's game and network, the learning of its run, its timesteps, and changes.

    The exploiter learns from those of one seat, so it gets the victim's number once for each.
    """
    meta = victim.policy.meta
    timesteps = max(meta["options"]["num_players"] * meta["decisions"], 1)
    learning, card_set = run_of(victim)
    table: dict[str, Any] = {
        **learning,
        "total_timesteps": timesteps,
        "max_minutes": minutes,
        "hidden_sizes": meta["network"]["hidden"],
        "eval_freq": max(timesteps // 12, 1),
        "eval_games": 1000,
        "eval_opponents": [victim.spec],
        "options": {**meta["options"], "card_set": card_set},
    }
    for change in changes:
        set_key(table, change)
    settings = check_settings(table, victim.spec)
    if victim.spec not in settings.eval_opponents:
        raise ConfigError(f"eval_opponents must name {victim.spec}, whom the run exploits")
    return settings


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
    victim: CheckpointBot, from_victim: bool, settings: Settings, link: Link | None = None
) -> PPOTrainer:
    """A trainer whose games the victim plays in all seats but one, and which sees what it sees.

    It begins with new weights, or with the victim's.
    """
    victim.policy.check_fits(settings.cards, settings.options)
    network = victim.policy.meta["network"]
    if network["kind"] != INSIGHT_MLP or tuple(network["hidden"]) != settings.hidden_sizes:
        raise ConfigError(
            f"{victim.spec} is {network['kind']} with layers of {network['hidden']}, its exploiter "
            f"{INSIGHT_MLP} with layers of {list(settings.hidden_sizes)}: they must be alike"
        )
    weights = victim.policy.weights
    trainer = PPOTrainer(settings, link, live=weights["live"])
    trainer.make = partial(exploiter, victim, from_victim)
    with torch.no_grad():
        for name, weight in trainer.frozen.named_parameters():
            if not name.startswith("critic"):  # which a policy leaves out
                weight.copy_(torch.from_numpy(weights[name]))
        layers = trainer.frozen.layers()
        if from_victim:
            pairs = zip(trainer.frozen.parameters(), trainer.network.parameters(), strict=True)
            for (theirs, mine), ema in zip(pairs, trainer.ema_weights, strict=True):
                mine.copy_(theirs)
                ema.copy_(theirs)
    seats, games = trainer.batch.num_players, len(trainer.batch)
    inverse_temperature = 1.0 / victim.temperature if victim.temperature else GREEDY
    trainer.opponent = Opponent(layers, ~one_seat(games, games, seats), inverse_temperature)
    return trainer


def exploit(
    victim: CheckpointBot,
    settings: Settings,
    folder: Path,
    from_victim: bool = False,
    resume: bool = False,
    console: Console | None = None,
) -> int:
    """A run against the victim, new or resumed, to its end; the exit code as `train` says."""
    about = {
        "victim": victim.spec,
        "policy": victim.policy.digest(),
        "begins": VICTIMS if from_victim else NEW,
    }
    if resume:
        check_same(folder, about)
    make = partial(exploiter, victim, from_victim)
    return train(make, settings, folder, resume, console, {ABOUT: about})


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
        about = read_json(folder / ABOUT)
        return {key: str(about[key]) for key in ("victim", "policy", "begins")}
    except (ValueError, KeyError) as error:
        raise ConfigError(
            f"{folder / ABOUT}: {error!r}: no run of an exploiter there: begin one without --resume"
        ) from None


def read_curve(folder: Path, victim: str) -> list[dict[str, float]]:
    """The exploiter's score over its budget, from the metrics of its run, by the names of CURVE.

    Raises:
        ConfigError: they can't be read.
    """
    file = folder / CSV
    columns = ("timesteps", "minutes", *score_columns(victim))
    try:
        rows = [row for row in read_metrics(file) if row[columns[2]]]
        return [
            {name: float(row[column]) for name, column in zip(CURVE, columns, strict=True)}
            for row in rows
        ]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ConfigError(f"{file} is damaged ({error!r}): exploit the victim anew") from None


def is_finished(row: dict[str, float], settings: Settings) -> bool:
    """Is this the last point of a curve, by timesteps or by the guard?"""
    late = settings.max_minutes and row["minutes"] >= round(settings.max_minutes, 3)
    return bool(late) or row["timesteps"] >= settings.total_timesteps


def victim_of(spec: str) -> CheckpointBot:
    """The bot of this name; ConfigError where it isn't a checkpoint's."""
    bot = make_bot(spec)
    if not isinstance(bot, CheckpointBot):
        raise ConfigError(f"{spec}: only a checkpoint can be exploited: ckpt:PATH")
    return bot

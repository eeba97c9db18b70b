"""Settings of a training run: read strictly from TOML and command line, written back resolved."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from itertools import starmap
from pathlib import Path
from typing import Any

from hemlock_env._check import Checks
from hemlock_env._files import parse_toml, read_toml, shipped
from hemlock_env.cards import CardSet, load_card_set
from hemlock_env.game.options import DEFAULT_CARD_SET, Options
from hemlock_env.game.spec import find_spec

PRECISIONS = ("auto", "bfloat16", "float32")
SHIPPED = shipped("configs")
# What keys were called in version 0.1.
RENAMED = {
    "total_decisions": "total_timesteps",
    "games": "num_envs",
    "steps": "num_steps",
    "scatter": "random_start_steps",
    "hidden": "hidden_sizes",
    "epochs": "update_epochs",
    "minibatch": "minibatch_size",
    "clip": "clip_coef",
    "entropy": "ent_coef",
    "entropy_end": "ent_coef_end",
    "value_share": "vf_coef",
    "kl_share": "kl_coef",
    "full_critic": "privileged_critic",
    "pool_every": "pool_freq",
    "max_gradient": "max_grad_norm",
    "average": "ema_decay",
    "evaluate_decisions": "eval_freq",
    "evaluate_games": "eval_games",
    "opponents": "eval_opponents",
}


class ConfigError(ValueError):
    """A config can't be used; one line that names file and key."""


CHECKS = Checks(ConfigError, "{name} = {value}: {fault}", plain=True)


def ranged(default: Any, low: float, high: float) -> Any:
    """A number from `low` to `high`."""
    return field(default=default, metadata={"low": low, "high": high})


@dataclass(frozen=True)
class Settings:
    """All that a run depends on; the table `[options]` of the file says which game is learned.

    A timestep is a decision of any seat, as each is learned from.
    """

    total_timesteps: int = ranged(20_000_000, 1, 10**12)
    """where the run and its schedules end: so many decisions, of all seats together"""
    max_minutes: float = ranged(0.0, 0.0, 10**6)
    """guard: run and schedules end after so many minutes of training at the latest; 0: no guard"""
    seed: int = ranged(1, 0, 2**63 - 1)
    """seeds all chance: first weights, games, sampling, the order of minibatches"""
    num_envs: int = ranged(1024, 1, 10**6)
    """games played at once, in all processes together"""
    processes: int = ranged(1, 1, 64)
    """processes of one thread that learn together, each with its share of the games"""
    num_steps: int = ranged(64, 1, 10_000)
    """decisions in each game of a rollout"""
    random_start_steps: int = ranged(150, 0, 10_000)
    """the first games begin after up to so many random decisions, to end at different times"""
    hidden_sizes: tuple[int, ...] = field(default=(256, 256), metadata={"low": 1, "high": 10_000})
    """width of each layer of the trunk"""
    learning_rate: float = ranged(2e-3, 0.0, 1.0)
    """Adam's step size at the start, falling linearly to zero"""
    update_epochs: int = ranged(1, 1, 100)
    """passes over a rollout"""
    minibatch_size: int = ranged(8192, 1, 10**7)
    """decisions of a gradient step, about"""
    clip_coef: float = ranged(0.2, 0.0, 10.0)
    """PPO clip range: the probability ratio is clipped to 1 ± this"""
    gae_lambda: float = ranged(0.85, 0.0, 1.0)
    """GAE: 1 for Monte Carlo returns, 0 for one-step TD errors"""
    margin_share: float = ranged(0.1, 0.0, 1.0)
    """share of the margin of the score in the advantage; the rest is the outcome"""
    margin_until: float = ranged(0.6, 0.0, 1.0)
    """from this part of the run on the share of the margin falls, linearly to zero"""
    margin_scale: float = ranged(20.0, 0.1, 10_000.0)
    """a margin of so many points counts as tanh(1) = 0.76 of the most that it can"""
    ent_coef: float = ranged(0.02, 0.0, 10.0)
    """weight of the entropy bonus at the start, falling linearly"""
    ent_coef_end: float = ranged(0.001, 0.0, 10.0)
    """its weight at the end"""
    vf_coef: float = ranged(0.5, 0.0, 100.0)
    """weight of the value loss"""
    kl_coef: float = ranged(0.0, 0.0, 100.0)
    """weight of the KL divergence from the policy that played the rollout"""
    privileged_critic: bool = field(default=False, metadata={})
    """a critic that sees all hands gives the values; it is of use where something is hidden"""
    pool_share: float = ranged(0.0, 0.0, 1.0)
    """share of the games in which a snapshot of an earlier policy plays one seat"""
    pool_size: int = ranged(12, 1, 1000)
    """snapshots that are kept, the newest"""
    pool_freq: int = ranged(4_000_000, 1, 10**12)
    """decisions between two snapshots"""
    max_grad_norm: float = ranged(0.5, 0.0, 10**6)
    """the gradient's norm is clipped to this"""
    ema_decay: float = ranged(0.99, 0.0, 0.99999)
    """of the moving average of the weights, at each gradient step; the average is what is saved"""
    precision: str = field(default="auto", metadata={"among": PRECISIONS})
    """bfloat16 or float32, to act and to learn; auto is bfloat16 where the processor has it"""
    save_seconds: float = ranged(60.0, 0.0, 10**6)
    """time between two saves of the checkpoint"""
    eval_freq: int = ranged(4_000_000, 1, 10**12)
    """decisions between two rounds of matches against `eval_opponents`"""
    eval_games: int = ranged(200, 2, 10**6)
    """games of such a match; each deal is played from every seat"""
    eval_opponents: tuple[str, ...] = field(default=("random", "greedy", "planner"), metadata={})
    """the bots of those matches, as in `hemlock match`; none of them is learned from"""
    options: Options = field(default_factory=Options)
    """the table [options]: num_players, sides, loot, items_as_loot, agendas, first_player"""
    card_set: str = DEFAULT_CARD_SET
    """in the table [options] too: an id, or the path of a file"""

    @property
    def cards(self) -> CardSet:
        """The card set itself."""
        return load_card_set(self.card_set)

    @property
    def batch_options(self) -> dict[str, Any]:
        """What `Batch` takes."""
        return {**self.options.as_dict(), "card_set": self.cards}

    def as_dict(self) -> dict[str, Any]:
        """Plain values by key, as in a file; `options` is a dict."""
        found = {each.name: getattr(self, each.name) for each in simple_fields()}
        plain = {
            key: list(value) if type(value) is tuple else value for key, value in found.items()
        }
        return {**plain, "options": {**self.options.as_dict(), "card_set": self.card_set}}


def simple_fields() -> list[Field[Any]]:
    """The keys outside the table [options]."""
    return [each for each in fields(Settings) if each.name not in ("options", "card_set")]


# ---- Reading ----


def find_config(name: str) -> Path:
    """The file of this path, or the shipped config of this name, such as `quickstart`."""
    files = (Path(name), *(home / f"{name}.toml" for home in SHIPPED))
    return next((file for file in files if file.is_file()), Path(name))


def read_settings(file: Path, changes: Sequence[str] = ()) -> Settings:
    """Settings from a TOML file, then `key=value` changes; ConfigError for what isn't right."""
    try:
        table = read_toml(file)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    for change in changes:
        set_key(table, change)
    return check_settings(table, str(file))


def set_key(table: dict[str, Any], change: str) -> None:
    """One `key=value` or `options.key=value`; the value as in TOML, quotes may be left out."""
    key, equals, text = change.partition("=")
    if not equals:
        raise ConfigError(f"--set {change}: write key=value")
    try:
        value = parse_toml(f"value = {text}", change)["value"]
    except ValueError:
        value = text.strip()
    head, dot, name = key.strip().partition(".")
    if dot:
        inner = table.setdefault(head, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"--set {change}: {head} is not a table")
        inner[name] = value
    else:
        table[head] = value


def check_settings(table: Mapping[str, Any], file: str) -> Settings:
    """Settings from plain values by key."""
    given = dict(table)
    options = given.pop("options", {})
    known = {each.name: each for each in simple_fields()}
    checked = {}
    for key, value in given.items():
        if key in RENAMED:
            raise ConfigError(f"{file}: {key} is called {RENAMED[key]} now: rename it")
        if key not in known:
            raise ConfigError(
                f"{file}: unknown key {key[:80]}; known: {', '.join(known)}, [options]"
            )
        try:
            checked[key] = check_value(known[key], value)
        except ConfigError as error:
            raise ConfigError(f"{file}: {error}") from None
    settings = Settings(**checked, **_check_options(options, file))
    if settings.num_envs % settings.processes:
        raise ConfigError(
            f"{file}: num_envs = {settings.num_envs}: must be a multiple of "
            f"processes = {settings.processes}"
        )
    return settings


def check_value(key: Field[Any], value: Any) -> Any:
    """A value of the type and in the range that its key asks for."""
    kind: Any = type(key.default)
    name, about = key.name, key.metadata
    if kind is bool:
        return CHECKS.flag(value, name)
    if kind is str:
        return CHECKS.one_of(value, about["among"], name)
    if kind is int:
        return CHECKS.whole(value, about["low"], about["high"], name)
    if kind is float:
        return CHECKS.number(value, about["low"], about["high"], name)
    items = value if isinstance(value, list | tuple) else []
    if about:
        low, high = about["low"], about["high"]
        if not items or not all(type(each) is int and low <= each <= high for each in items):
            CHECKS.refuse(value, name, f"must be a list of whole numbers from {low} to {high}")
    elif items is not value or not all(type(word) is str for word in items):
        CHECKS.refuse(value, name, "must be a list of words in quotes")
    elif len(set(items)) < len(items):
        CHECKS.refuse(value, name, "must be different")
    return tuple(items)


def _check_options(options: Any, file: str) -> dict[str, Any]:
    """The card set and the options of the game; the message names file, table and key."""
    if not isinstance(options, dict):
        raise ConfigError(f"{file}: options must be a table, [options]")
    try:
        _, checked = find_spec(**options)
    except ValueError as error:
        raise ConfigError(f"{file}: [options]: {error}") from None
    return {"card_set": options.get("card_set", DEFAULT_CARD_SET), "options": checked}


# ---- Writing ----


def to_toml(settings: Settings) -> str:
    """The resolved config: reading it gives the same settings."""
    plain = settings.as_dict()
    options = plain.pop("options")
    if options["first_player"] is None:
        del options["first_player"]  # TOML has no null: left out, the first player is drawn

    def line(key: str, value: Any) -> str:
        return f"{key} = {json.dumps(value, ensure_ascii=False)}"  # these look alike in TOML

    lines = [*starmap(line, plain.items()), "", "[options]", *starmap(line, options.items())]
    return "\n".join(lines) + "\n"


def differences(one: Settings, other: Settings) -> list[str]:
    """The keys in which two settings differ, with both values."""
    ours, theirs = _flat(one), _flat(other)
    return [
        f"{key} = {theirs[key]!r}, now {ours[key]!r}" for key in ours if ours[key] != theirs[key]
    ]


def _flat(settings: Settings) -> dict[str, Any]:
    plain = settings.as_dict()
    options = plain.pop("options")
    return {**plain, **{f"options.{key}": value for key, value in options.items()}}

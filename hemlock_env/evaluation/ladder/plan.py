"""What a ladder plays: its bots, which of them meet, how many groups; read strictly from TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hemlock_env._version import __version__
from hemlock_env.agents.registry import make_bot
from hemlock_env.cards import CardSet
from hemlock_env.evaluation.ladder.ratings import linked
from hemlock_env.evaluation.match import GAMES_MAX, check_whole, split_options
from hemlock_env.game.hashes import rules_hash
from hemlock_env.game.options import SEED_LIMIT, Options
from hemlock_env.game.spec import spec_for

ANCHOR = "random"  # rated 0 where it plays, else the first bot
PAIRS = 1000
KEYS = ("seed", "pairs", "options", "bots", "matches")
KINDS = (
    ("bots", list, "a list"),
    ("matches", list, "a list"),
    ("options", dict, "a table"),
)
BOT_KEYS = ("spec", "pairs", "name")


@dataclass(frozen=True)
class Rung:
    """A bot of the ladder."""

    spec: str
    pairs: int
    """groups that it plays against each other bot, unless that one plays fewer"""
    name: str
    """what it is called in matches and reports; by default its spec"""


@dataclass(frozen=True)
class Meeting:
    """Bot A in one seat against bot B in all others, by their places in the plan."""

    a: int
    b: int
    groups: int


@dataclass(frozen=True)
class Plan:
    """A ladder, checked and ready to play."""

    rungs: tuple[Rung, ...]
    meetings: tuple[Meeting, ...]
    seed: int
    options: dict[str, Any]
    """of the games, complete, by name, `card_set` included as it was written"""
    checked_options: Options
    card_set: CardSet

    @property
    def names(self) -> list[str]:
        """The bots' names in order."""
        return [rung.name for rung in self.rungs]

    @property
    def num_players(self) -> int:
        """Seats: a group has so many games."""
        return self.checked_options.num_players

    @property
    def anchor(self) -> int:
        """The place of the bot that is rated 0."""
        return self.names.index(ANCHOR) if ANCHOR in self.names else 0

    @property
    def games(self) -> int:
        """In all meetings together."""
        return sum(meeting.groups for meeting in self.meetings) * self.num_players

    def identity(self) -> dict[str, Any]:
        """What games must have in common to be counted together, as plain JSON."""
        return {
            "seed": self.seed,
            "options": self.checked_options.as_dict(),
            "rules": rules_hash(self.card_set),
            "package": __version__,
        }

    def fingerprints(self) -> dict[str, str]:
        """Each bot's own: a name may come to mean another bot, such as a newer checkpoint."""
        return {rung.name: make_bot(rung.spec).fingerprint() for rung in self.rungs}


def make_plan(
    bots: Sequence[str | Mapping[str, Any]],
    matches: Sequence[Sequence[str]] | None = None,
    pairs: int = PAIRS,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
) -> Plan:
    """A ladder of bots.

    Args:
        bots: spec strings, or mappings of `spec`, `pairs` and `name`.
        matches: pairs of names that meet; by default all do. With more than two seats each pair
            meets in both ways: A against a table of B, and B against a table of A.
        pairs: groups of games for each meeting, unless one of its bots asks for fewer.
        seed: of all games; every meeting is played on the same deals.
        options: those of `Game`, `card_set` included.

    Raises:
        ValueError: something can't be; the message says what.
    """
    check_whole("seed", seed, 0, SEED_LIMIT - 1)
    check_whole("pairs", pairs, 1, GAMES_MAX)
    rungs = tuple(_rung(bot, pairs) for bot in bots)
    names = [rung.name for rung in rungs]
    if len(rungs) < 2:
        raise ValueError("bots: a ladder needs at least two")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"bots: {name!r} is there twice")
    checked, card_set = split_options(options or {})
    table = spec_for(card_set, checked.num_players)
    for rung in rungs:
        make_bot(rung.spec).check(table, checked)
    plan = Plan(rungs, (), seed, dict(options or {}), checked, card_set)
    plan = replace(plan, meetings=_meetings(plan, matches))
    _check_linked(plan)
    return plan


def read_plan(file: Path) -> Plan:
    """The ladder that a TOML file describes; ValueError, with the file's name, if it can't be."""
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{file}: can't be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file}: not TOML: {error}") from None
    try:
        _refuse_unknown_keys(table, KEYS)
        for key, kind, words in KINDS:
            if not isinstance(table.get(key, kind()), kind):
                raise ValueError(f"{key} must be {words}")
        if "bots" not in table:
            raise ValueError('bots is missing: list them as [[bots]] with spec = "..."')
        return make_plan(**table)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def _rung(bot: str | Mapping[str, Any], pairs: int) -> Rung:
    if isinstance(bot, str):
        return Rung(bot, pairs, bot)
    if not isinstance(bot, Mapping) or not isinstance(bot.get("spec"), str):
        raise ValueError(f'bots: {bot!r} must have spec = "..."')
    _refuse_unknown_keys(bot, BOT_KEYS)
    spec, own = bot["spec"], bot.get("pairs", pairs)
    name = bot.get("name", spec)
    if not isinstance(name, str):
        raise ValueError(f"bots: {spec}: name={name!r}: must be a word in quotes")
    check_whole(f"bots: {spec}: pairs", own, 1, GAMES_MAX)
    return Rung(spec, own, name)


def _meetings(plan: Plan, matches: Sequence[Sequence[str]] | None) -> tuple[Meeting, ...]:
    """Each pair once, in the order of the bots; with more than two seats both ways."""
    count = len(plan.rungs)
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    if matches is not None:
        wanted = {_places(plan, match) for match in matches}
        pairs = [pair for pair in pairs if pair in wanted]
    if plan.num_players > 2:
        pairs = [both for a, b in pairs for both in ((a, b), (b, a))]
    return tuple(Meeting(a, b, min(plan.rungs[a].pairs, plan.rungs[b].pairs)) for a, b in pairs)


def _places(plan: Plan, match: Sequence[str]) -> tuple[int, int]:
    """The two bots of a listed match, in the order of the bots."""
    if not isinstance(match, list | tuple) or len(match) != 2 or match[0] == match[1]:
        raise ValueError(f"matches: {match!r} must be two different bots")
    for name in match:
        if name not in plan.names:
            raise ValueError(f"matches: {name!r} is not among the bots")
    a, b = sorted(plan.names.index(name) for name in match)
    return a, b


def _check_linked(plan: Plan) -> None:
    """Without a chain of matches between them two bots can't be rated on one scale."""
    met = [(meeting.a, meeting.b) for meeting in plan.meetings]
    apart = set(range(len(plan.rungs))) - linked(met, len(plan.rungs), plan.anchor)
    if apart:
        names = ", ".join(plan.names[place] for place in sorted(apart))
        anchor = plan.names[plan.anchor]
        raise ValueError(f"matches: no chain of matches leads from {anchor} to {names}")


def _refuse_unknown_keys(table: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in table:
        if key not in known:
            raise ValueError(f"unknown key {key!r}; there is {', '.join(known)}")

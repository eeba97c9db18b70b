"""The schedule of a ladder: its entrants, which pairs of them meet, how many groups of games they
play; read strictly from TOML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hemlock_env._check import did_you_mean, shown, whole
from hemlock_env._files import read_toml
from hemlock_env._version import __version__
from hemlock_env.agents.registry import make_bot
from hemlock_env.evaluation.ladder.ratings import linked
from hemlock_env.evaluation.match import GAMES_MAX
from hemlock_env.game.hashes import rules_hash
from hemlock_env.game.options import Options, check_seed
from hemlock_env.game.spec import GameSpec, find_spec

PAIRS = 1000
KEYS = ("seed", "pairs", "options", "bots", "matches", "anchor")
KINDS = (
    ("bots", list, "a list"),
    ("matches", list, "a list"),
    ("options", dict, "a table"),
)
BOT_KEYS = ("spec", "pairs", "name")


@dataclass(frozen=True)
class Entrant:
    """A bot of the ladder."""

    spec: str
    pairs: int
    """groups that it plays against each other bot, unless that one plays fewer"""
    name: str
    """what it is called in matches and reports; by default its spec"""


@dataclass(frozen=True)
class Pairing:
    """Bot A in one seat against bot B in all others, by their numbers among the entrants."""

    a: int
    b: int
    groups: int


@dataclass(frozen=True)
class Schedule:
    """A ladder, checked and ready to play."""

    entrants: tuple[Entrant, ...]
    pairings: tuple[Pairing, ...]
    seed: int
    options: dict[str, Any]
    """of the games, complete, by name, `card_set` included as it was written"""
    checked_options: Options
    spec: GameSpec
    anchor: str | None = None
    """the name of the bot that is rated 0; None: the one in the middle"""

    @property
    def names(self) -> list[str]:
        """The bots' names in order."""
        return [entrant.name for entrant in self.entrants]

    @property
    def num_players(self) -> int:
        """Seats: a group has so many games."""
        return self.checked_options.num_players

    @property
    def games(self) -> int:
        """In all pairings together."""
        return sum(pairing.groups for pairing in self.pairings) * self.num_players

    def identity(self) -> dict[str, Any]:
        """What games must have in common to be counted together, as plain JSON."""
        return {
            "seed": self.seed,
            "options": self.checked_options.as_dict(),
            "rules": rules_hash(self.spec.card_set),
            "package": __version__,
        }

    def fingerprints(self) -> dict[str, str]:
        """Each bot's own: a name may come to mean another bot, such as a newer checkpoint."""
        return {entrant.name: make_bot(entrant.spec).fingerprint() for entrant in self.entrants}


def make_schedule(
    bots: Sequence[str | Mapping[str, Any]],
    matches: Sequence[Sequence[str]] | None = None,
    pairs: int = PAIRS,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    anchor: str | None = None,
) -> Schedule:
    """A round robin of bots, or the listed matches between them.

    Args:
        bots: spec strings, or mappings of `spec`, `pairs` and `name`.
        matches: pairs of names that meet; by default all do. With more than two seats each pair
            meets in both ways: A against a table of B, and B against a table of A.
        pairs: groups of games for each pairing, unless one of its bots asks for fewer.
        seed: of all games; every pairing is played on the same deals.
        options: those of `Game`, `card_set` included.
        anchor: the name of the bot that is rated 0; by default the one in the middle.

    Raises:
        ValueError: something can't be; the message says what.
    """
    seed = check_seed(seed)
    pairs = whole(pairs, 1, GAMES_MAX, "pairs")
    entrants = tuple(_entrant(bot, pairs) for bot in bots)
    names = [entrant.name for entrant in entrants]
    if len(entrants) < 2:
        raise ValueError("bots: a ladder needs at least two")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"bots: {shown(name)} is there twice")
    if anchor is not None and anchor not in names:
        guess = did_you_mean(anchor, names)
        raise ValueError(f"anchor: {shown(anchor)} is not among the bots{guess}: name one of them")
    spec, checked = find_spec(**(options or {}))
    schedule = Schedule(entrants, (), seed, dict(options or {}), checked, spec, anchor)
    for entrant in entrants:
        make_bot(entrant.spec).check(spec, checked)
    schedule = replace(schedule, pairings=_pairings(schedule, matches))
    _check_linked(schedule)
    return schedule


def read_schedule(file: Path, anchor: str | None = None) -> Schedule:
    """The ladder that a TOML file describes, with another anchor if one is given; ValueError, with
    the file's name, if it can't be.
    """
    config = read_toml(file)
    try:
        _refuse_unknown_keys(config, KEYS)
        for key, kind, words in KINDS:
            if not isinstance(config.get(key, kind()), kind):
                raise ValueError(f"{key} must be {words}")
        if "bots" not in config:
            raise ValueError('bots is missing: list them as [[bots]] with spec = "..."')
        return make_schedule(**config | ({"anchor": anchor} if anchor is not None else {}))
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def _entrant(bot: str | Mapping[str, Any], pairs: int) -> Entrant:
    if isinstance(bot, str):
        return Entrant(bot, pairs, bot)
    if not isinstance(bot, Mapping) or not isinstance(bot.get("spec"), str):
        raise ValueError(f'bots: {shown(bot)} must have spec = "..."')
    _refuse_unknown_keys(bot, BOT_KEYS)
    spec, own = bot["spec"], bot.get("pairs", pairs)
    name = bot.get("name", spec)
    if not isinstance(name, str):
        raise ValueError(f"bots: {spec}: name={shown(name)}: must be a word in quotes")
    return Entrant(spec, whole(own, 1, GAMES_MAX, f"bots: {spec}: pairs"), name)


def _pairings(schedule: Schedule, matches: Sequence[Sequence[str]] | None) -> tuple[Pairing, ...]:
    """Each pair once, in the order of the bots; with more than two seats both ways."""
    entrants = schedule.entrants
    pairs = [(a, b) for a in range(len(entrants)) for b in range(a + 1, len(entrants))]
    if matches is not None:
        wanted = {_listed_pair(schedule, match) for match in matches}
        pairs = [pair for pair in pairs if pair in wanted]
    if schedule.num_players > 2:
        pairs = [both for a, b in pairs for both in ((a, b), (b, a))]
    return tuple(Pairing(a, b, min(entrants[a].pairs, entrants[b].pairs)) for a, b in pairs)


def _listed_pair(schedule: Schedule, match: Sequence[str]) -> tuple[int, int]:
    """The two bots of a listed match, in the order of the bots."""
    if not isinstance(match, list | tuple) or len(match) != 2 or match[0] == match[1]:
        raise ValueError(f"matches: {shown(match)} must be two different bots")
    for name in match:
        if name not in schedule.names:
            raise ValueError(f"matches: {shown(name)} is not among the bots")
    a, b = sorted(schedule.names.index(name) for name in match)
    return a, b


def _check_linked(schedule: Schedule) -> None:
    """Without a chain of matches between them two bots can't be rated on one scale."""
    count = len(schedule.entrants)
    met = [(pairing.a, pairing.b) for pairing in schedule.pairings]
    apart = set(range(count)) - linked(met, count, 0)
    if apart:
        names = ", ".join(schedule.names[bot] for bot in sorted(apart))
        raise ValueError(f"matches: no chain of matches leads from {schedule.names[0]} to {names}")


def _refuse_unknown_keys(given: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in given:
        if key not in known:
            raise ValueError(f"unknown key {shown(key)}; there is {', '.join(known)}")

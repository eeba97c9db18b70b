"""Endgames: positions of the last night with the exact value of every legal action, how they were
made, and how often a bot misses the best of them.

The shipped set stands beside this file; docs/endgames.md says what is in it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env.agents.base import Actions, Bot, Decisions, legal_or_lowest
from hemlock_env.agents.registry import make_bot
from hemlock_env.cards import CardSet
from hemlock_env.engine import kernel
from hemlock_env.engine.constants import LEGAL_MAX, WEEK_NIGHTS, Step
from hemlock_env.engine.events import EVENT_ENDGAMES, EVENT_MAKE_ENDGAMES, EVENT_RESAMPLE_ENDGAMES
from hemlock_env.evaluation.match import check_whole
from hemlock_env.evaluation.statistics import interval
from hemlock_env.game.arrays import GameArrays, prepare
from hemlock_env.game.game import Game
from hemlock_env.game.hashes import rules_hash
from hemlock_env.game.keys import Keys, mix_keys, seeds_from
from hemlock_env.game.options import (
    DEFAULT_CARD_SET,
    Options,
    check_options,
    check_seed,
    find_card_set,
)
from hemlock_env.game.position import OPTION_KEYS
from hemlock_env.game.spec import GameSpec, spec_for
from hemlock_env.search.solver import solve_row, value_from, workspace_for

FORMAT = "hemlock-endgames/1"
SHIPPED = Path(__file__).with_name("endgames.json.gz")
POSITIONS = 1_000  # in the shipped set
POSITIONS_MAX = 100_000

# Whose turn a position stands in: the four uses of loot, the two special actions, the claims. The
# positions of a set go round this list, so that its first ones are as mixed as all of them.
STAGES = (
    "loot 4", "special 1", "claims", "loot 3", "special 2",
    "loot 4", "special 1", "loot 2", "special 2", "loot 1",
)  # fmt: skip
MAKERS = ("random", "greedy", "planner")  # who plays the games that positions are taken from
MAKE_NODES = 50_000_000  # a position that needs more is left out
GAMES = 200  # played together while a set is made


CHUNK = 50  # positions asked together
FIRST_CHUNK = 4  # the first ones tell how long the rest will take
RESAMPLES = 2_000

Progress = Callable[[int, int], None]
# Left out of every position of a set: they stand once at its head, or mean nothing here.
COMMON = ("format", "card_set", "card_set_hash", "options")
USELESS = ("rng", "scores", "winners")


# ---- a set, read back ----------------------------------------------------------------------------


class Endgames:
    """A set of solved positions."""

    def __init__(self, options: Options, games: GameArrays) -> None:
        self.options = options
        self.games = games
        """one row a position"""
        self.values: NDArray[np.int64] = np.zeros((games.count, LEGAL_MAX), np.int64)
        """(positions, 40): of each legal action to whoever decides, twice the margin plus the
        outcome (see `solver`)"""
        self.stages: list[str] = [""] * games.count

    def __len__(self) -> int:
        """How many positions."""
        return self.games.count

    def game(self, place: int) -> Game:
        """One of the positions, to be looked at or played on."""
        return Game.from_arrays(self.games.take(slice(place, place + 1)), self.options)


def load_endgames(
    path: str | os.PathLike[str] | None = None, positions: int | None = None
) -> Endgames:
    """A set from a file: the shipped one by default, all of it or its first positions.

    Raises:
        ValueError: there is no such set, or it was made for other cards or rules than are here.
    """
    name = os.fspath(SHIPPED if path is None else path)
    stored = _read(name)
    cards = _check_head(stored, name)
    rows = stored["positions"]
    count = len(rows) if positions is None else check_whole("positions", positions, 1, len(rows))
    options = check_options(cards, **stored["options"])
    found = Endgames(options, GameArrays(spec_for(cards, 2), count))
    head = {key: stored[key] for key in COMMON} | {"format": "hemlock-position/1"}
    for place, row in enumerate(rows[:count]):
        try:
            game = Game.from_position({**head, **row["position"]}, seed=0)
            values = [row["values"][game.action_name(action)] for action in game.legal_actions()]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"{name}: position {place} is damaged, or not of these rules: {error}"
            ) from None
        found.games.states[place] = game.state
        found.values[place, : len(values)] = values
        found.stages[place] = row["stage"]
    found.games.run(kernel.SHOW)
    return found


def _read(name: str) -> dict[str, Any]:
    """What a file holds."""
    try:
        with gzip.open(name, "rt", encoding="utf-8") as file:
            stored = json.load(file)
    except OSError as error:
        raise ValueError(f"{name}: can't be read: {error.strerror or error}") from None
    except (EOFError, zlib.error, ValueError):
        stored = None
    if not isinstance(stored, dict) or stored.get("format") != FORMAT:
        raise ValueError(f"{name}: isn't a set of endgames ({FORMAT})")
    return stored


def _check_head(stored: dict[str, Any], name: str) -> CardSet:
    """The set's cards; it must be for the rules as they are here."""
    missing = [key for key in (*COMMON, "rules", "positions") if key not in stored]
    if missing:
        raise ValueError(f"{name}: is damaged: {', '.join(missing)} missing")
    cards = find_card_set(stored["card_set"])
    if not isinstance(stored["options"], dict) or not isinstance(stored["positions"], list):
        raise ValueError(f"{name}: is damaged: options or positions are not what they should be")
    if not stored["positions"]:
        raise ValueError(f"{name}: holds no positions")
    if stored["rules"] != rules_hash(cards):
        raise ValueError(
            f"{name}: was made for other cards or rules ({stored['rules']}; here: "
            f"{rules_hash(cards)}): make a new one with `hemlock endgames --make FILE`"
        )
    return cards


# ---- how a bot does ------------------------------------------------------------------------------


@dataclass(frozen=True)
class EndgameResult:
    """How often, and by how much, a bot misses the best action."""

    bot: str
    """its spec"""
    positions: int
    """asked; one decision in each"""
    missed: float
    """share of positions in which its action isn't worth as much as the best"""
    missed_interval: tuple[float, float]
    """95 % interval"""
    outcome_lost: float
    """mean loss of outcome: a win thrown away is 1, a win shared instead or a share lost 1/2"""
    outcome_interval: tuple[float, float]
    """95 % interval"""
    margin_lost: float
    """mean loss of margin, in influence"""
    margin_interval: tuple[float, float]
    """95 % interval"""
    stages: dict[str, float]
    """share missed by the turn that a position stands in"""
    illegal: int
    """illegal actions; the lowest legal one was taken instead"""
    ms: float
    """milliseconds for an action"""
    digest: str = field(repr=False)
    """of all actions in order: equal digests, equal actions"""

    def as_dict(self) -> dict[str, Any]:
        """What `hemlock endgames --json` prints."""
        told = asdict(self)
        for name in ("missed_interval", "outcome_interval", "margin_interval"):
            told[name] = list(told[name])
        return told


class EndgameTest:
    """A bot and a set, checked and ready."""

    def __init__(
        self,
        bot: str | Bot,
        positions: int | None = None,
        seed: int = 0,
        path: str | os.PathLike[str] | None = None,
    ) -> None:
        """A bot before the positions of a set.

        Args:
            bot: a bot or its spec string.
            positions: the first so many; None: all.
            seed: 0 to 2^63 - 1, fixes all that the bot draws.
            path: a set of one's own instead of the shipped one.

        Raises:
            ValueError: an argument can't be, or the set is not of these rules.
        """
        self.seed = np.uint64(check_seed(seed))
        self.bot = make_bot(bot)
        self.set = load_endgames(path, positions)
        self.bot.check(self.set.games.spec, self.set.options)

    def play(self, progress: Progress | None = None, chunk: int = CHUNK) -> EndgameResult:
        """Ask the bot. `progress` is told how many positions it has answered, and of how many:
        first, when all is compiled, none.
        """
        prepare()
        self.bot.prepare()
        keys = mix_keys(mix_keys(self.seed, EVENT_ENDGAMES), np.arange(len(self.set)))
        chosen = np.empty(len(self.set), np.int16)
        illegal, seconds, first = 0, 0.0, 0
        if progress is not None:
            progress(0, len(self.set))
        while first < len(self.set):
            size = min(chunk, FIRST_CHUNK) if first == 0 else chunk
            rows = np.arange(first, min(first + size, len(self.set)))
            begun = time.perf_counter()
            decisions = Decisions(self.set.games, self.set.options, rows, keys[rows])
            chosen[rows], legal = legal_or_lowest(self.bot, decisions)
            seconds += time.perf_counter() - begun
            illegal += int((~legal).sum())
            first += len(rows)
            if progress is not None:
                progress(first, len(self.set))
        return self._result(chosen, illegal, seconds)

    def _result(self, chosen: Actions, illegal: int, seconds: float) -> EndgameResult:
        outcome_lost, margin_lost = self._losses(chosen)
        # An action that loses outcome loses margin too, unless a tie is broken by placed markers.
        missed = ((margin_lost > 0) | (outcome_lost > 0)).astype(np.float64)
        stages = np.array(self.set.stages)
        names = dict.fromkeys(sorted(self.set.stages))
        return EndgameResult(
            bot=self.bot.spec,
            positions=len(chosen),
            missed=float(missed.mean()),
            missed_interval=interval(missed),
            outcome_lost=float(outcome_lost.mean()),
            outcome_interval=interval(outcome_lost),
            margin_lost=float(margin_lost.mean()),
            margin_interval=resampled(margin_lost, self.seed),
            stages={stage: float(missed[stages == stage].mean()) for stage in names},
            illegal=illegal,
            ms=1_000 * seconds / len(chosen),
            digest=hashlib.sha256(chosen.astype("<i2").tobytes()).hexdigest()[:16],
        )

    def _losses(self, chosen: Actions) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Outcome and margin that each choice gives away, float64 (positions,)."""
        games = self.set.games
        lost = np.empty((2, len(chosen)))
        for place, action in enumerate(chosen):
            count = games.counts[place]
            numbers = self.set.values[place, :count]
            best = value_from(int(numbers.max()))
            got = value_from(int(numbers[games.legals[place, :count] == action][0]))
            lost[:, place] = (best.outcome - got.outcome) / 2, best.margin - got.margin
        return lost[0], lost[1]


def play_endgames(
    bot: str | Bot,
    positions: int | None = None,
    seed: int = 0,
    path: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> EndgameResult:
    """Ask a bot; see `EndgameTest` for the arguments and what is refused."""
    return EndgameTest(bot, positions, seed, path).play(progress)


def resampled(losses: NDArray[np.float64], seed: np.uint64) -> tuple[float, float]:
    """The 95 % interval of a mean by the bootstrap: positions drawn again, with replacement."""
    stream = np.random.default_rng(int(mix_keys(seed, EVENT_RESAMPLE_ENDGAMES)))
    means = [losses[stream.integers(0, len(losses), len(losses))].mean() for _ in range(RESAMPLES)]
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


# ---- how a set is made ---------------------------------------------------------------------------


def stages_of(states: NDArray[Any]) -> list[str]:
    """The stage of the last night that each game stands in, "" before it and when over."""
    names = {int(Step.LOOT_USED): "loot", int(Step.SPECIAL_DONE): "special"}
    stages = []
    for state in states:
        last = (state["week"], state["night"]) == (2, WEEK_NIGHTS)
        if last and state["step"] == Step.CLAIM:
            stages.append("claims")
        else:
            name = names.get(int(state["step"])) if last else None
            stages.append(f"{name} {state['turn'] + 1}" if name else "")
    return stages


class _Games:
    """Games of mixed bots, played together; each yields one position of the stage it is for."""

    def __init__(self, spec: GameSpec, options: Options, seed: np.uint64, numbers: Keys) -> None:
        streams = mix_keys(mix_keys(seed, EVENT_MAKE_ENDGAMES), numbers)
        self.streams = mix_keys(streams[:, None], np.arange(2))  # (games, seats)
        self.draws = mix_keys(streams, 2)
        self.makers = mix_keys(self.streams, 3) % np.uint64(len(MAKERS))  # (games, seats)
        self.bots = [make_bot(name) for name in MAKERS]
        self.wanted = [STAGES[number % len(STAGES)] for number in numbers.tolist()]
        self.options = options
        self.games = GameArrays(spec, len(numbers))
        options.write(self.games.states)
        self.games.seeds[:] = seeds_from(mix_keys(streams, 4))
        self.taken = GameArrays(spec, len(numbers))
        self.seen = np.zeros(len(numbers), np.int64)

    def play(self) -> Iterator[tuple[int, str]]:
        """The rows of `taken`, each with its stage."""
        self.games.run(kernel.START)
        rows = np.flatnonzero(self.games.counts)
        while len(rows):
            self._take(rows)
            self.games.actions[rows] = self._choose(rows)
            self.games.run(kernel.STEP)
            rows = np.flatnonzero(self.games.counts)
        found = np.flatnonzero(self.seen)
        self.taken.run(kernel.SHOW)
        return ((int(row), self.wanted[row]) for row in found)

    def _take(self, rows: NDArray[np.intp]) -> None:
        """Of the decisions in the wanted stage one, each as likely: the n-th replaces the one taken
        so far with probability 1/n.
        """
        states = self.games.states[rows]
        draws = mix_keys(self.draws[rows], states["decisions"])
        for row, stage, draw in zip(rows, stages_of(states), draws.tolist(), strict=True):
            if stage == self.wanted[row]:
                self.seen[row] += 1
                if draw % int(self.seen[row]) == 0:
                    self.taken.states[row] = self.games.states[row]

    def _choose(self, rows: NDArray[np.intp]) -> Actions:
        seats = self.games.seats[rows]
        keys: Keys = mix_keys(self.streams[rows, seats], self.games.states["decisions"][rows])
        chosen = np.empty(len(rows), np.int16)
        for number, bot in enumerate(self.bots):
            asked = self.makers[rows, seats] == number
            if asked.any():
                chosen[asked] = bot.choose(
                    Decisions(self.games, self.options, rows[asked], keys[asked])
                )
        return chosen


def make_endgames(
    positions: int = POSITIONS,
    seed: int = 0,
    progress: Progress | None = None,
) -> bytes:
    """A new set as the bytes of its file; the same arguments make the same set.

    Each position is from a game of its own between bots drawn from `MAKERS`; all are different, and
    in each some legal action is worth more than another.

    Raises:
        ValueError: an argument can't be.
    """
    count = check_whole("positions", positions, 1, POSITIONS_MAX)
    start = np.uint64(check_seed(seed))
    cards = find_card_set(DEFAULT_CARD_SET)
    options = check_options(cards, num_players=2)
    spec = spec_for(cards, 2)
    prepare()
    wanted = [STAGES[place % len(STAGES)] for place in range(count)]
    found: dict[str, list[dict[str, Any]]] = {stage: [] for stage in STAGES}
    seen: set[str] = set()
    first, size = 0, min(GAMES, 2 * count)
    while any(len(found[stage]) < wanted.count(stage) for stage in found):
        games = _Games(spec, options, start, np.arange(first, first + size, dtype=np.uint64))
        for row, stage in games.play():
            if len(found[stage]) < wanted.count(stage):
                solved = _solved(games, row, stage, seen)
                found[stage] += [solved] if solved else []
                if progress is not None:
                    progress(sum(map(len, found.values())), count)
        first += size
    rows = [found[stage].pop(0) for stage in wanted]
    return _pack(cards, options, seed, rows)


def _solved(games: _Games, row: int, stage: str, seen: set[str]) -> dict[str, Any] | None:
    """One position with its values, or None where there is nothing to be missed, it is there
    already, or it takes too long.
    """
    game = Game.from_arrays(games.taken.take(slice(row, row + 1)), games.options)
    numbers, _ = solve_row(game.arrays, 0, MAKE_NODES, workspace_for(game.spec))
    if numbers is None or len(set(numbers.tolist())) == 1:
        return None
    position = game.to_position()
    for key in (*COMMON, *USELESS):
        del position[key]
    del position["decision"]["legal"]  # the values name the actions
    del position["pending"]["decisions"]  # nothing depends on how long the game has been
    text = json.dumps(position, sort_keys=True)
    if text in seen:
        return None
    seen.add(text)
    names = map(game.action_name, game.legal_actions())
    values = dict(zip(names, numbers.tolist(), strict=True))
    return {"stage": stage, "position": position, "values": values}


def _pack(cards: CardSet, options: Options, seed: int, rows: list[dict[str, Any]]) -> bytes:
    """The file of a set; no date in it, so that the same set is the same bytes."""
    stored = {
        "format": FORMAT,
        "card_set": cards.id,
        "card_set_hash": cards.hash,
        "rules": rules_hash(cards),
        "options": {key: options.as_dict()[key] for key in OPTION_KEYS},
        "seed": seed,
        "positions": rows,
    }
    return gzip.compress(json.dumps(stored, separators=(",", ":")).encode(), 9, mtime=0)

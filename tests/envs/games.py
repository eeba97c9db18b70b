"""What these tests and those of `tests/render` play: all variants, positions of every kind."""

import functools
import itertools
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlock_env import Game
from hemlock_env.agents.base import Actions, Decisions
from hemlock_env.agents.random_bot import RandomBot
from hemlock_env.engine.constants import Decision

KINDS = [kind for kind in Decision if kind != Decision.NONE]
EACH = 16  # positions of each kind of decision


def variants() -> list[dict[str, Any]]:
    """Every combination of options (R2.6, R11)."""
    names = ("num_players", "sides", "loot", "items_as_loot", "agendas")
    choices = ((2, 3, 4), ("basic", "advanced"), ("row", "hand"), (False, True), (False, True))
    every = [dict(zip(names, chosen, strict=True)) for chosen in itertools.product(*choices)]
    return [options for options in every if options["num_players"] < 4 or options["loot"] == "row"]


VARIANTS = variants()


def name(options: dict[str, Any]) -> str:
    """A variant as the name of a test."""
    return "-".join(str(value) for value in options.values())


def walk(seed: int, **options: Any) -> Iterator[Game]:
    """A game of random legal actions, yielded at every decision (the same object) and when over."""
    chance = random.Random(seed)
    game = Game(seed=seed, **options)
    while not game.over:
        yield game
        game.step(chance.choice(game.legal_actions()))
    yield game


def kind_of(game: Game) -> Decision:
    """The open question."""
    return Decision(int(game.state["decision"]))


@functools.cache
def positions() -> tuple[Game, ...]:
    """Games at random decisions of all variants, EACH of every kind; not to be changed."""
    chance = random.Random(16)
    found: dict[Decision, list[Game]] = {kind: [] for kind in KINDS}
    for seed, options in enumerate(itertools.cycle(VARIANTS)):
        for game in walk(seed, **options):
            if not game.over and len(found[kind_of(game)]) < EACH and chance.random() < 0.1:
                found[kind_of(game)].append(game.copy())
        if all(len(games) == EACH for games in found.values()):
            return tuple(itertools.chain.from_iterable(found.values()))
    raise AssertionError("unreachable")


def any_legal(mask: NDArray[Any], rng: np.random.Generator) -> int:
    """A legal action, each as likely as any other."""
    return int(rng.choice(np.flatnonzero(mask)))


class Failing(RandomBot):
    """Plays at random, and counts its decisions, until it is told to raise something."""

    def __init__(self) -> None:
        super().__init__()
        self.error: type[BaseException] | None = None
        self.asked = 0

    def choose(self, decisions: Decisions) -> Actions:
        if self.error:
            raise self.error("as it was told")
        self.asked += len(decisions)
        return super().choose(decisions)

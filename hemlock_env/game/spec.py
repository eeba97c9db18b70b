"""GameSpec: what all games of one card set and number of players share."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

import numpy as np

from hemlock_env._jit import DISABLE_JIT
from hemlock_env.cards import CardSet, load_card_set, load_tables
from hemlock_env.cards.tables import FIRST_ITEM_SOURCE, FIRST_SCHEME_SOURCE
from hemlock_env.cards.vocabulary import NIGHTS, Op
from hemlock_env.engine.constants import MARKERS
from hemlock_env.game.actions import action_table
from hemlock_env.game.ids import ids_of
from hemlock_env.game.options import DEFAULT_CARD_SET, Options, check_options
from hemlock_env.game.tensor import layout_for


def for_kernel(records: np.ndarray[Any, Any]) -> Any:
    """Plain arrays are quicker to pass to compiled code; recarrays give `state.hand` uncompiled."""
    return records if DISABLE_JIT else records.view(np.ndarray)


class GameSpec:
    """What all games of one card set and number of players share: its cards as numbers, its
    tensors, its actions.
    """

    def __init__(self, card_set: CardSet, num_players: int) -> None:
        self.card_set = card_set
        self.num_players = num_players
        self.tables = for_kernel(load_tables(card_set))
        self.ids = ids_of(card_set)
        self.layout = layout_for(card_set, num_players)
        self.actions = action_table(card_set)
        self.most_decisions = most_decisions(self.tables, num_players)

    def __deepcopy__(self, memo: dict[int, Any]) -> GameSpec:
        return self  # nothing in it changes

    def __reduce__(self) -> tuple[Any, ...]:
        return spec_for, (self.card_set, self.num_players)


# Words that ask the acting player once, twice (R7).
ASKING_ONCE = (
    Op.PLACE_LOOT_MINION,
    Op.PLACE_MARKER,
    Op.GAIN_GENERIC,
    Op.GAIN_LEADER,
    Op.PLAY_MINION,
    Op.RETURN_MINION,
    Op.PLACE_LEADER,
)
ASKING_TWICE = Op.DISCARD_RIVAL, Op.MOVE_MINION


@lru_cache(maxsize=64)
def spec_for(card_set: CardSet, num_players: int) -> GameSpec:
    """The table of a card set and number of players, made once."""
    return GameSpec(card_set, num_players)


def find_spec(
    card_set: CardSet | str | os.PathLike[str] = DEFAULT_CARD_SET, *given: Any, **options: Any
) -> tuple[GameSpec, Options]:
    """What a person asks to play: the spec and the options of such games.

    Args:
        card_set: itself, its id or its path.
        given: options in the order of `Options`.
        options: the others by name.

    Raises:
        ValueError: one of them can't be; the message names it.
    """
    try:
        cards = load_card_set(card_set)
    except ValueError as error:
        raise type(error)(f"card_set: {error}") from None
    checked = check_options(cards, *given, **options)
    return spec_for(cards, checked.num_players), checked


def most_decisions(tables: Any, num_players: int) -> int:
    """More than any game with these cards can have: what a log of one has room for.

    R3 to R9 in their worst case. In each night every seat uses two cards and takes one special
    action. Beyond these, a decision puts one of the players' markers on the board (R9.4) or takes a
    minion off it (R9.6).
    """
    asked = {op: 1 for op in ASKING_ONCE}
    asked |= {op: 2 for op in ASKING_TWICE}
    asked[Op.RIVALS_DISCARD] = num_players - 1
    programs = tables["program"][0, :, :, 0]
    by_source = np.array([sum(asked.get(op, 0) for op in ops) for ops in programs.tolist()])
    schemes = by_source[FIRST_SCHEME_SOURCE:].max()
    # Each minion placed, by the card itself or by a word, may trigger a scheme (R6.7, R7.6).
    triggers = np.isin(programs, (Op.TRIGGER_SCHEME, Op.PLAY_MINION)).sum(axis=1)
    use = 1 + by_source + schemes * triggers
    night = num_players * (2 * use.max() + use[FIRST_ITEM_SOURCE:FIRST_SCHEME_SOURCE].max())
    minions = int(tables["minion_copies"][0].sum())
    return int(NIGHTS * night) + num_players * (MARKERS + minions)

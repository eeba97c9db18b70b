"""The cards as data: a card set is read, checked and compiled to the tables of the rules."""

import os

import numpy as np

from hemlock_env.cards.card_set import CardSet, CardSetError, check_for_players
from hemlock_env.cards.compile import compile_tables
from hemlock_env.cards.load import load_card_set

__all__ = [
    "CardSet",
    "CardSetError",
    "check_for_players",
    "compile_tables",
    "load_card_set",
    "load_tables",
]


def load_tables(card_set: CardSet | str | os.PathLike[str]) -> np.recarray:
    """The tables of a card set, given itself, its id or its path; read-only."""
    return compile_tables(load_card_set(card_set))

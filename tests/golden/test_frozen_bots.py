"""The bots that results are measured against play as they played: docs/benchmark.md, *Frozen*.

A digest is of all actions of some games against `random`. One that differs means that the bot, or
`random`, or the rules play otherwise: that is another version of every protocol that has the bot.
"""

from typing import NamedTuple

import pytest

from hemlock_env import make_bot
from hemlock_env.evaluation import play_match
from hemlock_env.evaluation.protocols import PROTOCOLS
from hemlock_env.network.policy import load_policy

SEED = 5
POLICY = "ckpt:two_player_0_1"
WEIGHTS = "68eff3da1260cff7"


class Frozen(NamedTuple):
    """A bot, and the games that it has always played."""

    spec: str
    games: int
    digest: str


FROZEN = [
    Frozen("random", 40, "3c94bc074618466f"),
    Frozen("greedy", 40, "d1856b866dabfcc5"),
    Frozen("planner", 20, "0cf715a4da7eddd1"),
    Frozen("warden", 40, "d90139e01fb06d88"),
    Frozen("mcts:iterations=1000", 4, "268e2e44208270f6"),
    Frozen("mcts:iterations=10000", 2, "fa1cc108576e7df7"),
    Frozen(POLICY, 40, "50f8c6f52af130c1"),
    Frozen(f"mcts:iterations=400:exact=0:prior={POLICY}", 4, "5bb13107c1f50b2d"),
]


@pytest.mark.parametrize("frozen", FROZEN, ids=lambda frozen: frozen.spec)
def test_a_frozen_bot_plays_as_it_did(frozen: Frozen) -> None:
    assert play_match(frozen.spec, "random", frozen.games, SEED).digest == frozen.digest


def test_every_opponent_of_a_protocol_is_here() -> None:
    opponents = {bot.spec for protocol in PROTOCOLS.values() for bot in protocol.opponents}
    assert set(map(fingerprint, opponents)) == {fingerprint(frozen.spec) for frozen in FROZEN}


def fingerprint(spec: str) -> str:
    """What tells a bot from others, options written out or left at their defaults."""
    return make_bot(spec).fingerprint()


def test_the_weights_of_0_1_are_kept() -> None:
    assert load_policy("two_player_0_1").digest() == WEIGHTS
    assert make_bot(POLICY).fingerprint() == f"{POLICY} {WEIGHTS}"

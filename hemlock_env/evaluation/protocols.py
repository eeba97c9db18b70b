"""The protocols of the benchmark, each one declared row; docs/benchmark.md defines them in words.

What is declared here never changes under its name: another opponent, number of pairs, seed, game or
set of endgames is another protocol. tests/golden/test_frozen_bots.py notices when an opponent plays
otherwise, which is another protocol too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hemlock_env._check import did_you_mean, shown

POLICY_0_1 = "ckpt:two_player_0_1"


@dataclass(frozen=True)
class Opponent:
    """Whom the agent meets, and how often."""

    spec: str
    pairs: int
    """groups of games"""
    name: str = ""
    """what it is called in results; by default its spec"""


@dataclass(frozen=True)
class Protocol:
    """All that fixes a result of the benchmark but the agent, the rules and the package."""

    name: str
    about: str
    """what it is for, in a line"""
    opponents: tuple[Opponent, ...]
    seed: int
    """of all games and of the endgames; nothing shipped was trained or tuned on it"""
    options: Mapping[str, Any] = field(default_factory=dict)
    """of the games, by name; by default two players, basic sides, loot row, no variant"""
    endgames: str | None = None
    """the set, as `load_endgames` takes it; None: the shipped one"""


PROTOCOL_1_1 = Protocol(
    name="1.1",
    about="protocol 1 of package 0.1.0, with mcts as it plays since",
    opponents=(
        Opponent("random", 500),
        Opponent("greedy", 500),
        Opponent("planner", 500),
        Opponent("mcts:iterations=1000", 100),
    ),
    seed=1_000_003,
)

# Specs name every option, so that another default changes nothing here.
PROTOCOL_2 = Protocol(
    name="2",
    about="stronger opponents, one of them held out, and shorter intervals",
    opponents=(
        Opponent("planner:budget=4000", 5_000, "planner"),
        Opponent("warden", 5_000),
        Opponent(f"{POLICY_0_1}:temperature=0", 5_000, "two_player_0_1"),
        Opponent(
            f"mcts:iterations=400:c=1:leaves=1:exact=0:prior={POLICY_0_1}",
            1_000,
            "two_player_0_1 with 400 iterations",
        ),
        Opponent(
            "mcts:iterations=10000:rollouts=random:nights=1:c=0.2:exact=0",
            500,
            "mcts:iterations=10000",
        ),
    ),
    seed=2_000_003,
)

PROTOCOLS = {protocol.name: protocol for protocol in (PROTOCOL_1_1, PROTOCOL_2)}

# What is played where nobody names a protocol. It stays: a command that stands in somebody's script
# may not come to measure something else.
DEFAULT = "1.1"

OF_OTHER_PACKAGES = {
    "1": "is that of package 0.1.0, whose mcts played otherwise: ask for 1.1, or install 0.1.0"
}


def find_protocol(name: str) -> Protocol:
    """The protocol of that name.

    Raises:
        ValueError: there is none, or another version of the package plays it.
    """
    if name in OF_OTHER_PACKAGES:
        raise ValueError(f"protocol {name} {OF_OTHER_PACKAGES[name]}")
    if name not in PROTOCOLS:
        guess = did_you_mean(name, PROTOCOLS)
        raise ValueError(f"no protocol {shown(name)}{guess}; there is {', '.join(PROTOCOLS)}")
    return PROTOCOLS[name]

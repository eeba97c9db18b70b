"""As plain Python, all that looks ahead thinks of a position what it thinks compiled."""

import json

import pytest

from tests.support.processes import printed
from tests.support.thoughts import THOUGHTS


@pytest.fixture(scope="module")
def uncompiled() -> dict[str, str]:
    """What each of them thinks in a process without the compiler."""
    told = printed("-m", "tests.support.thoughts", NUMBA_DISABLE_JIT="1")
    return {**json.loads(told)}


@pytest.mark.parametrize("name", THOUGHTS)
def test_uncompiled_it_thinks_alike(uncompiled: dict[str, str], name: str) -> None:
    assert uncompiled[name] == str(THOUGHTS[name]())


@pytest.mark.parametrize(("name", "action"), [
    ("greedy", "loot:servants_bell"),
    ("planner", "loot:smugglers_key"),
    ("mcts", "item:trinket"),
    ("mcts:rollouts=greedy", "item:trinket"),
])  # fmt: skip
def test_it_thinks_of_what_can_be_done(uncompiled: dict[str, str], name: str, action: str) -> None:
    assert action in uncompiled[name]

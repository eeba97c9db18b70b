"""What the documentation shows runs."""

import re
import textwrap
from pathlib import Path

import pytest

from hemlock_env import hemlock_v0

PAGE = Path(__file__).parents[2] / "docs" / "pettingzoo.md"


@pytest.mark.pitfall("S20")
def test_the_code_of_the_page_runs(caplog):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 6
    names = {}
    for block in blocks:
        exec(block, names)


@pytest.mark.pitfall("S20")
def test_the_example_of_the_module_runs():
    example = hemlock_v0.__doc__.split("\n\n")[1:3]
    exec(textwrap.dedent("\n\n".join(example)), {})


def test_the_facts_of_the_module_are_true():
    actions = hemlock_v0.raw_env().action_space("player_0").n
    assert f"`Discrete({actions})` with the default cards" in hemlock_v0.__doc__

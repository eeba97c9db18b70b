"""The generated pages of docs/ are what the code makes of them now."""

from inspect import signature
from pathlib import Path

import pytest

from hemlock_env import hemlock_v0
from hemlock_env.envs.slots import Slots
from hemlock_env.game.options import OPTIONS
from tests.support.environment_page import ARGUMENTS, IN_PYTHON
from tests.support.reference import pages

ROOT = Path(__file__).parent.parent
PAGES = pages(ROOT)


@pytest.mark.parametrize("name", PAGES)
def test_generated_page_is_up_to_date(name):
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == PAGES[name], "run `make docs`"


def test_the_pages_of_clauses_and_formats_are_where_citations_lead():
    """The code says (R7.6) and (docs/formats.md); the cards and rules name every kind of clause."""
    assert '<span id="r7-6">R7.6</span>' in PAGES["clauses.md"]
    assert "`effects." in PAGES["clauses.md"]


def test_the_page_of_the_environment_has_every_argument():
    takers = (hemlock_v0.raw_env, Slots)
    taken = {name for taker in takers for name in signature(taker).parameters}
    assert taken - {"count", "options"} - set(OPTIONS) == set(ARGUMENTS)
    assert set(IN_PYTHON) < set(OPTIONS)

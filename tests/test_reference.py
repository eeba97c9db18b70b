"""The generated pages of docs/ are what the code makes of them now."""

from pathlib import Path

import pytest

from hemlock_env.cli.reference import pages

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("name", pages())
def test_generated_page_is_up_to_date(name):
    assert (DOCS / name).read_text(encoding="utf-8") == pages()[name], "run `make docs`"

"""The faults of `make mutants` find their places; that the suite catches them is its own run."""

import pytest

from tests.support.mutants import FAULTS, ROOT, functions, put_in


@pytest.fixture(scope="module")
def every():
    """All functions of the package."""
    return [*functions(ROOT)]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.meaning)
def test_its_place_is_there_once_and_changes(fault, every):
    file, text = put_in(fault, ROOT, every)
    assert text != file.read_text(encoding="utf-8")
    compile(text, str(file), "exec")

"""Every clause of the rules has a test, and no test cites a clause that isn't there."""

import json
import tomllib
from pathlib import Path

import pytest

from tests.support.citations import TESTS, citations, cited

CLAUSES = tomllib.loads(Path(__file__).with_name("clauses.toml").read_text("utf-8"))["clause"]
IDS = [clause["id"] for clause in CLAUSES]
STATUSES = {"done", "ruling", "reconstructed"}


CITED = citations("rule")


@pytest.mark.parametrize("clause", CLAUSES, ids=IDS)
def test_has_a_test(clause):
    assert [path for path, ids in CITED.items() if clause["id"] in ids]


@pytest.mark.parametrize("path", CITED)
def test_cites_only_clauses_that_are_there(path):
    assert CITED[path] <= {*IDS}


def test_cases_cite_only_clauses_that_are_there():
    cases = json.loads((TESTS / "cases.json").read_text("utf-8"))["cases"]
    assert {rule for case in cases for rule in case["rules"]} <= {*IDS}


def test_no_clause_stands_twice():
    assert len({*IDS}) == len(IDS)


def test_each_clause_has_words_and_a_status():
    assert {clause["status"] for clause in CLAUSES if clause["text"]} == STATUSES


def test_the_search_finds_a_citation():
    source = '@pytest.mark.rule("R1.1", "R2.2")\ndef test_it(): ...\n'
    assert [*cited(source, "rule")] == ["R1.1", "R2.2"]


def test_the_search_passes_over_what_is_no_test():
    assert [*cited('@pytest.mark.rule("R1.1")\ndef helper(): ...\n# rule("R2.2")\n', "rule")] == []

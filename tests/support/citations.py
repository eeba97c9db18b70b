"""Which clauses and pitfalls the tests cite by their marks."""

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]


def cited(source: str, mark: str) -> Iterator[str]:
    """The ids in the `pytest.mark.<mark>(...)` decorators of a test file's functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            for call in node.decorator_list:
                if isinstance(call, ast.Call) and ast.unparse(call.func) == f"pytest.mark.{mark}":
                    yield from (ast.literal_eval(cited) for cited in call.args)


def citations(mark: str) -> dict[str, set[str]]:
    """The ids that each test file cites."""
    return {
        str(path.relative_to(TESTS)): {*cited(path.read_text("utf-8"), mark)}
        for path in sorted(TESTS.rglob("test_*.py"))
    }

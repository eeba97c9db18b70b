"""The compile cache can't go stale, and no rule is compiled twice."""

import importlib
import inspect
import pkgutil
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core.compiler_lock import global_compiler_lock

import hemlock_env
from hemlock_env import Batch, Game, _cache, _jit, engine
from hemlock_env._cache import source_digest
from hemlock_env._jit import EntryDispatcher, RuleDispatcher, borrowed, compiled
from hemlock_env.engine import kernel
from tests.support.play import odd_sets, played

PACKAGE = Path(hemlock_env.__file__).parent
KERNEL = "engine/kernel.py"
# Everything that compiled code of the rules is made of; `checks.py` is plain Python.
RULES = {
    *("_cache.py", "_jit.py", "cards/tables.py", "cards/vocabulary.py"),
    *(f"engine/{file.name}" for file in PACKAGE.glob("engine/*.py")),
} - {"engine/__init__.py", "engine/checks.py"}
ALL = sorted(str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py"))


@pytest.fixture
def tree(tmp_path):
    """A copy of the package's sources."""
    ignore = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(PACKAGE, tmp_path / "hemlock_env", ignore=ignore))


def digest_of(tree, source=KERNEL):
    """The stamp of what a file of a tree is compiled from, as a new process sees it."""
    _cache._source.cache_clear()
    return source_digest(str(tree / source), str(tree))


def touched(tree, source):
    """A file with one more line."""
    file = tree / source
    file.write_bytes(file.read_bytes() + b"\n")


def test_the_stamp_of_a_copy_is_the_same(tree):
    assert digest_of(tree) == digest_of(PACKAGE)


def test_the_stamp_of_the_rules_changes_with_every_file_of_theirs_and_with_no_other(tree):
    before, changed = digest_of(tree), set()
    for source in ALL:
        touched(tree, source)
        after = digest_of(tree)
        if after != before:
            changed.add(source)
        before = after
    assert changed == RULES


def test_the_stamp_follows_imports_through_other_files_and_rooms(tree):
    """far imports near, near imports the rules; nobody imports aside."""
    room = tree / "search"
    far, near, aside = (room / f"{name}.py" for name in ("far", "near", "aside"))
    far.write_text("from hemlock_env.search import (\n    near,  # far away\n)\n")
    near.write_text("from hemlock_env.engine.scoring import score as points\n")
    aside.write_text("")
    stamps = [digest_of(tree, "search/far.py")]
    for source in ("search/near.py", "engine/scoring.py", "engine/markers.py", "_jit.py"):
        touched(tree, source)
        stamps.append(digest_of(tree, "search/far.py"))
    assert len(set(stamps)) == len(stamps)
    touched(tree, "search/aside.py")
    touched(tree, "engine/view.py")
    assert digest_of(tree, "search/far.py") == stamps[-1]


def test_the_stamp_changes_when_an_imported_file_moves(tree):
    before = digest_of(tree)
    room = tree / "engine" / "scoring"
    room.mkdir()
    (tree / "engine" / "scoring.py").rename(room / "__init__.py")
    assert digest_of(tree) != before


# All stamps together take 7 ms at a start (20 ms on a slow machine), of which two thirds are looks
# whether a file is there.
COMPILED = re.compile(r"^@(rule|part|entry|row_loop|inlined)\b", re.MULTILINE)
# What compiled code may be made of beside compiled files.
FOUNDATIONS = {"_cache.py", "_jit.py", "cards/tables.py", "cards/vocabulary.py"}
# To be taken apart.
NOT_YET = {
    "learning/ppo.py",
    "network/evaluator.py",
    "network/features.py",
    "network/forward.py",
    "network/train_kernels.py",
    "search/playouts.py",
    "search/solver.py",
    "search/tree.py",
}


def compiled_files():
    """Every file that compiles something."""
    return {source for source in ALL if COMPILED.search((PACKAGE / source).read_text("utf-8"))}


def imported_by(source):
    """All files that a file imports, directly or through others."""
    reached, waiting = set(), [str(PACKAGE / source)]
    while waiting:
        new = _cache._source(waiting.pop(), str(PACKAGE)).imports - reached
        reached |= new
        waiting += new
    return {str(Path(path).relative_to(PACKAGE)) for path in reached}


def test_compiled_files_import_compiled_files_and_constants_alone():
    """A change in any other file, such as a drawing, compiles nothing anew."""
    files = compiled_files()
    assert len(files) > 15
    for source in files:
        others = imported_by(source) - files - FOUNDATIONS
        assert {other for other in others if not other.startswith("engine/")} == set(), source


def test_only_the_decorators_of_jit_call_the_compiler():
    """A bare `njit(cache=True)` would have no stamp."""
    files = {source for source in ALL if "njit" in (PACKAGE / source).read_text("utf-8")}
    assert files == {"_jit.py"}


def test_types_by_the_names_of_parameters_are_for_the_rules_alone():
    by_name = {source for source in ALL if "@rule" in (PACKAGE / source).read_text("utf-8")}
    assert {source.split("/")[0] for source in by_name} == {"engine"}


def test_no_compiled_file_imports_the_package_in_a_way_that_the_stamp_misses():
    """`import hemlock_env.x` and relative imports are not followed."""
    missed = re.compile(r"^\s*(import hemlock_env|from \.)", re.MULTILINE)
    for source in ALL:
        text = (PACKAGE / source).read_text(encoding="utf-8")
        if COMPILED.search(text):
            assert not missed.search(text), source


# ---- one signature a rule ----


def rules():
    """Every compiled function of kernel and engine."""
    modules = [module.name for module in pkgutil.iter_modules(engine.__path__)]
    parts = [importlib.import_module(f"hemlock_env.engine.{name}") for name in modules]
    for module in (kernel, *parts):
        for name, value in vars(module).items():
            if isinstance(value, RuleDispatcher):
                yield f"{module.__name__}.{name}", value


def test_after_games_of_all_kinds_no_rule_has_more_than_one_signature():
    for number, (_, cards) in enumerate(odd_sets(4)):
        played(Game(2 + number % 3, card_set=cards, seed=number), 1000).redeal(0, 1)
        Batch(3, card_set=cards).play_random(10)
    found = dict(rules())
    assert len(found) > 100
    assert [name for name, rule in found.items() if len(rule.signatures) > 1] == []


def test_an_entry_point_refuses_arrays_of_another_type():
    """It would otherwise be compiled once more, for half a minute, and without a word."""
    Game(seed=1)
    parameters = inspect.signature(kernel.run.py_func).parameters
    with pytest.raises(TypeError):
        kernel.run(*[np.zeros(1, np.float32)] * len(parameters))


def test_indices_are_checked_in_compiled_rules():
    assert _jit.TARGET_OPTIONS["boundscheck"] is True
    assert all(rule.targetoptions["boundscheck"] is True for _, rule in rules())


def test_a_compiled_function_keeps_its_stamp():
    """The cache files of every rule are valid for one state of the sources."""
    for _, rule in rules():
        file = inspect.getfile(rule.py_func)

        assert rule._cache.stamp == source_digest(file)


def test_integers_of_any_width_share_one_compiled_rule():
    def add(first, second):
        return first + second

    function = compiled(add)
    results = [function(np.int8(2), 3), function(2, np.int16(3)), function(np.uint8(2), 3)]
    assert results == [5, 5, 5]
    assert function.signatures == [(numba.int64, numba.int64)]


def test_a_call_that_waited_while_another_thread_compiled_finds_the_rule_ready():
    """A caller that didn't `ensure`: Numba found no machine code, and compiles no more."""

    def add(a, b):
        return a + b

    function, found = compiled(add, dispatcher=EntryDispatcher), []
    caller = threading.Thread(target=lambda: found.append(function(1, 2)))
    with global_compiler_lock:
        caller.start()
        caller.join(0.5)  # it waits for the lock, or comes when all is done
        function.ensure()
    caller.join()
    assert found == [3]
    assert function.signatures == [(numba.int64, numba.int64)]


class Inner(NamedTuple):
    """A tuple in a tuple."""

    numbers: Any


class Outer(NamedTuple):
    """An array and a tuple of one."""

    numbers: Any
    inner: Inner


def test_borrowed_arrays_are_the_callers_and_have_no_owner_to_count_references_for():
    """With its owner an array would come back as the very object that was given."""
    given = Outer(np.zeros(3), Inner(np.zeros(2, np.int8)))

    @numba.njit
    def write(outer):
        outer = borrowed(outer)
        outer.numbers[2], outer.inner.numbers[1] = 5.0, 7
        return outer.numbers, outer.inner.numbers

    for back, array in zip(write(given), (given.numbers, given.inner.numbers), strict=True):
        assert back is not array
        assert np.shares_memory(back, array)
    assert given.numbers.tolist() == [0, 0, 5]
    assert given.inner.numbers.tolist() == [0, 7]


def test_uncompiled_a_rule_is_the_function_itself():
    program = (
        "from hemlock_env.engine import scoring\n"
        "import types\n"
        "assert type(scoring.score) is types.FunctionType\n"
    )
    subprocess.run(
        [sys.executable, "-c", program],
        cwd=PACKAGE.parent,
        env={"NUMBA_DISABLE_JIT": "1", "PATH": ""},
        check=True,
    )

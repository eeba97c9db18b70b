"""The compile cache can't go stale, and no rule is compiled twice."""

import importlib
import inspect
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import hemlock_env
from hemlock_env import Batch, Game, _jit, engine, kernel
from hemlock_env._jit import RuleDispatcher, compiled, source_digest
from tests.support.play import odd_sets, played

PACKAGE = Path(hemlock_env.__file__).parent
KERNEL = "kernel.py"
SOURCES = sorted(
    str(path.relative_to(PACKAGE))
    for pattern in ("_jit.py", "cards/*.py", "engine/*.py")
    for path in PACKAGE.glob(pattern)
)


@pytest.fixture
def tree(tmp_path):
    """A copy of the package's sources."""
    ignore = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(PACKAGE, tmp_path / "hemlock_env", ignore=ignore))


def digest_of(tree):
    """The stamp of what `kernel.py` of a tree is compiled from."""
    return source_digest(str(tree / KERNEL), tree)


def test_the_stamp_of_a_copy_is_the_same(tree):
    assert digest_of(tree) == digest_of(PACKAGE)


@pytest.mark.parametrize("source", [*SOURCES, KERNEL])
def test_the_stamp_changes_with_every_source_of_the_rules(tree, source):
    before = digest_of(tree)
    file = tree / source
    file.write_bytes(file.read_bytes() + b"\n")
    assert digest_of(tree) != before


def test_the_stamp_changes_when_a_source_comes_goes_or_is_renamed(tree):
    stamps = [digest_of(tree)]
    (tree / "engine" / "more.py").write_text("")
    stamps.append(digest_of(tree))
    (tree / "engine" / "more.py").rename(tree / "engine" / "most.py")
    stamps.append(digest_of(tree))
    (tree / "engine" / "scoring.py").unlink()
    stamps.append(digest_of(tree))
    assert len(set(stamps)) == 4


def test_the_stamp_of_a_bot_changes_with_the_files_of_the_agents_that_it_uses(tree):
    """mcts is compiled from playouts, these from prospects; the kernel from none of them."""
    search = str(tree / "agents" / "search.py")
    before, kernel_before = source_digest(search, tree), digest_of(tree)
    for name, changes in (("policy", False), ("prospects", True)):
        file = tree / "agents" / f"{name}.py"
        file.write_bytes(file.read_bytes() + b"\n")
        assert (source_digest(search, tree) != before) is changes
    assert digest_of(tree) == kernel_before


@pytest.mark.parametrize("folder", ["agents", "evaluation"])
def test_compiled_code_above_the_rules_is_made_of_its_own_folder(folder):
    """The stamp doesn't look into other folders: of them only types and numbers may be used."""
    for file in (PACKAGE / folder).glob("*.py"):
        module = importlib.import_module(f"hemlock_env.{folder}.{file.stem}")
        for name, value in vars(module).items():
            if isinstance(value, RuleDispatcher):
                made_in = Path(inspect.getfile(value.py_func)).parent.name
                assert made_in in ("engine", folder), name


def test_the_stamp_does_not_change_with_what_is_not_compiled(tree):
    before = digest_of(tree)
    for name in ("game.py", "batch.py", "position.py"):
        (tree / name).write_text("")
    (tree / "cards" / "sets" / "other.toml").write_text("")
    assert digest_of(tree) == before


def test_the_stamp_covers_every_module_that_the_kernel_is_made_of():
    """Whatever compiled code may call lies in a file that the stamp looks at."""
    covered = {PACKAGE / source for source in SOURCES} | {PACKAGE / KERNEL}
    for value in vars(kernel).values():
        if isinstance(value, RuleDispatcher):
            assert Path(inspect.getfile(value.py_func)) in covered


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
        locator = rule._cache._impl.locator
        assert locator.get_source_stamp() == source_digest(file)


def test_integers_of_any_width_share_one_compiled_rule():
    def add(first, second):
        return first + second

    function = compiled(add, {})
    results = [function(np.int8(2), 3), function(2, np.int16(3)), function(np.uint8(2), 3)]
    assert results == [5, 5, 5]
    assert function.signatures == [(numba.int64, numba.int64)]


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

"""Imports point downward, and `import hemlock_env` is light."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import hemlock_env

PACKAGE = Path(hemlock_env.__file__).parent
ROOT = PACKAGE.parent

# From the bottom up; a module may import from its own layer and from those below it.
LAYERS = (
    ("_check", "_files", "_version", "_jit"),
    ("cards",),
    ("engine",),
    ("game", "render", "search"),
    ("network",),
    ("agents",),
    ("envs", "hemlock_v0", "evaluation", "play"),
    ("learning",),
    ("cli",),
)
NEVER = ("training", "tests")
LEARNING = ("torch", "stable_baselines3", "sb3_contrib", "matplotlib", "tensorboard")
# Beside the trainer, what each file may load of it.
MAY_LOAD = {
    "envs/sb3.py": {"stable_baselines3"},
    "evaluation/ladder/pictures.py": {"matplotlib"},
}
HEAVY = ("torch", "stable_baselines3", "numba", "pygame", "matplotlib", "PIL", "flask")

FILES = sorted(PACKAGE.rglob("*.py"))
BELOW_THE_DOOR = [file for file in FILES if file != PACKAGE / "__init__.py"]


def place_of(file: Path) -> str:
    """The top-level part of the package that a file belongs to."""
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(file: Path) -> Iterator[str]:
    """Every module that a file imports, anywhere in it, those for type checkers too."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            assert node.module is not None
            yield node.module
            if node.module == "hemlock_env":
                yield from (f"hemlock_env.{alias.name}" for alias in node.names)


def layer_of(part: str) -> int:
    """How high a part of the package stands."""
    return next(height for height, parts in enumerate(LAYERS) if part in parts)


def parts_imported(file: Path) -> set[str]:
    """The parts of the package that a file imports."""
    modules = [name.split(".") for name in imports(file)]
    own = [names for names in modules if names[0] == "hemlock_env" and len(names) > 1]
    return {names[1] for names in own if (PACKAGE / names[1]).is_dir() or is_file(names[1])}


def is_file(part: str) -> bool:
    """Is it a module, rather than a name of the package?"""
    return (PACKAGE / f"{part}.py").exists()


def name_of(file: Path) -> str:
    """Within the package."""
    return str(file.relative_to(PACKAGE))


def test_every_part_of_the_package_has_its_layer():
    """A new module is given its place in the list above first."""
    assert {place_of(file) for file in BELOW_THE_DOOR} <= {
        part for parts in LAYERS for part in parts
    }


@pytest.mark.parametrize("file", BELOW_THE_DOOR, ids=name_of)
def test_imports_point_downward(file):
    part = place_of(file)
    higher = {other for other in parts_imported(file) if layer_of(other) > layer_of(part)}
    assert not higher


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_only_the_trainer_imports_what_learning_needs(file):
    """A learned policy is played and evaluated with NumPy alone."""
    found = {name.split(".")[0] for name in imports(file)}
    assert not found & set(NEVER)
    if place_of(file) != "learning":
        assert found & set(LEARNING) <= MAY_LOAD.get(name_of(file), set())


def test_the_cards_need_no_compiler():
    """A card set can be read and checked without Numba."""
    for file in (PACKAGE / "cards").glob("*.py"):
        assert "numba" not in set(imports(file))


def test_the_rules_import_nothing_but_numpy_numba_and_the_standard_library():
    for file in (PACKAGE / "engine").glob("*.py"):
        foreign = {name.split(".")[0] for name in imports(file)} - set(sys.stdlib_module_names)
        assert foreign <= {"numpy", "numba", "hemlock_env"}


def modules_after(statement: str) -> set[str]:
    """The modules that are loaded after a statement in a fresh process."""
    program = f"{statement}\nimport sys\nprint(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    """S15"""
    assert not modules_after("import hemlock_env") & set(HEAVY)


def test_playing_a_game_loads_no_network_and_no_renderer():
    loaded = modules_after("import hemlock_env; hemlock_env.Game(seed=1).observe(0)")
    assert not loaded & (set(HEAVY) - {"numba"})


def test_every_public_name_can_be_had():
    for name in hemlock_env.__all__:
        assert getattr(hemlock_env, name) is not None
    assert set(hemlock_env.__all__) <= set(dir(hemlock_env))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Gane'"):
        hemlock_env.Gane  # noqa: B018

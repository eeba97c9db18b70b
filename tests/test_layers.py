"""Imports point downward, and `import hemlock_env` is light."""

import ast
import graphlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import hemlock_env

PACKAGE = Path(hemlock_env.__file__).parent
ROOT = PACKAGE.parent

# From the bottom up; a file may import from its own room and from those below it.
ROOMS = (
    ("_version",),
    ("_check",),
    ("_files",),
    ("_signals",),
    ("_cache",),
    ("_jit",),
    ("_moved",),
    ("cards",),
    ("engine",),
    ("game",),
    ("render", "search"),
    ("network",),
    ("agents",),
    ("envs", "hemlock_v0", "evaluation", "play"),
    ("learning",),
    ("cli",),
)
FLOOR = {room: floor for floor, rooms in enumerate(ROOMS) for room in rooms}
# A door stands beside the room that is behind it.
DOORS = {("hemlock_v0", "envs")}

# The one arrow that points up: a notebook asks a game for its own picture.
ALLOWED = {("hemlock_env.game.game", "hemlock_env.render.svg")}

NEVER = ("training", "tests")
LEARNING = ("torch", "stable_baselines3", "sb3_contrib", "matplotlib", "tensorboard")
# Beside the trainer, what each file may load of it.
MAY_LOAD = {
    "envs/sb3.py": {"stable_baselines3"},
    "evaluation/ladder/pictures.py": {"matplotlib"},
}
HEAVY = ("torch", "stable_baselines3", "numba", "pygame", "matplotlib", "PIL", "flask")

FILES = sorted(PACKAGE.rglob("*.py"))


def module_of(file: Path) -> str:
    """The name that a file is imported by."""
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(file): file for file in FILES}


def room_of(module: str) -> str:
    """The top-level part of the package that a module belongs to."""
    return module.split(".")[1]


def imports(file: Path) -> Iterator[str]:
    """Every module that a file imports, anywhere in it, those for type checkers too. The packages
    that an import passes through on its way don't count.
    """
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            assert node.module is not None
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in MODULES else node.module


# Below the package's own names, which nothing in it imports: what each module imports of it.
IMPORTED = {
    module: {name for name in imports(file) if name in MODULES} - {module}
    for module, file in MODULES.items()
    if module != "hemlock_env"
}
ARROWS = sorted(
    (module, name) for module, names in IMPORTED.items() for name in names if module != name
)


def is_up(arrow: tuple[str, str]) -> bool:
    """Does a module import from a room that isn't below its own?"""
    room, other = map(room_of, arrow)
    return room != other and (room, other) not in DOORS and FLOOR[other] >= FLOOR[room]


def name_of(file: Path) -> str:
    """Within the package."""
    return str(file.relative_to(PACKAGE))


def test_every_part_of_the_package_is_a_room():
    """A new one is given its place in the list above first."""
    assert {room_of(module) for module in IMPORTED} == set(FLOOR)


def test_nothing_imports_the_names_that_the_package_shows_to_others():
    assert [module for module, names in IMPORTED.items() if "hemlock_env" in names] == []


def test_no_import_points_up():
    assert [arrow for arrow in ARROWS if is_up(arrow) and arrow not in ALLOWED] == []


def test_no_circle_of_imports():
    """Not under TYPE_CHECKING and not inside a function either."""
    graph = {
        module: {name for name in names if (module, name) not in ALLOWED}
        for module, names in IMPORTED.items()
    }
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(f"a circle: {' imports '.join(error.args[1][::-1])}")


def test_no_arrow_is_excused_that_is_not_there():
    assert set(ARROWS) >= ALLOWED


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_only_the_trainer_imports_what_learning_needs(file):
    """A learned policy is played and evaluated with NumPy alone."""
    found = {name.split(".")[0] for name in imports(file)}
    assert not found & set(NEVER)
    if PACKAGE / "learning" not in file.parents:
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


@pytest.mark.pitfall("S15")
def test_importing_the_package_loads_nothing_heavy():
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


def test_the_command_line_says_what_there_is_without_a_compiler():
    begin = "try:\n    from hemlock_env.cli import main\n    main(['--help'])"
    assert not modules_after(f"{begin}\nexcept SystemExit:\n    pass") & set(HEAVY)

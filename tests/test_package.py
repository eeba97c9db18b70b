"""Both distributions hold what they should, and the wheel works away from the checkout."""

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import hemlock_env

ROOT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LINUX = {"sys_platform": "linux", "platform_machine": "x86_64"}  # where the lock was made
LEFT_OUT = {"__pycache__", ".ipynb_checkpoints"}
SHIPPED = ("checkpoints", "configs")
FOLDERS = ("hemlock_env", *SHIPPED, "docs", "examples", "notebooks", "tests", "training")

# Builds without isolation and without the network, with the setuptools that is here.
BUILD = """
import sys
from setuptools import build_meta
folder = sys.argv[1]  # setuptools overwrites it
build_meta.build_sdist(folder)
build_meta.build_wheel(folder)
"""


def files(folder: str) -> set[str]:
    """All of a folder, from the root, but what running it left there."""
    found = {file.relative_to(ROOT) for file in (ROOT / folder).rglob("*") if file.is_file()}
    return {file.as_posix() for file in found if not LEFT_OUT & set(file.parts)}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of both distributions, made from a copy: building leaves traces."""
    folder = tmp_path_factory.mktemp("package")
    top = {file.name for file in ROOT.iterdir() if file.is_file()}
    for name in top.union(*map(files, FOLDERS)):
        copy = folder / "source" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((ROOT / name).read_bytes())
    command = [sys.executable, "-c", BUILD, str(folder / "built")]
    subprocess.run(command, cwd=folder / "source", capture_output=True, check=True)
    return folder / "built"


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


def test_what_the_readme_speaks_of_is_in_the_source_distribution(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    assert set().union(*map(files, FOLDERS)) <= names
    assert {"Makefile", "README.md", "LICENSE", "NOTICE", "SECURITY.md", "mkdocs.yml"} <= names
    assert {"constraints.txt", "requirements-lock.txt"} <= names
    assert not [name for name in names if LEFT_OUT & set(Path(name).parts)]


def test_all_files_of_the_package_are_in_the_wheel(wheel: Path) -> None:
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("hemlock_env/")}
    shipped = {f"hemlock_env/{name}" for name in files("configs") | playable_checkpoints()}
    assert packed == files("hemlock_env") | shipped
    assert "hemlock_env/checkpoints/two_player_0_1/policy.safetensors" in packed


def playable_checkpoints() -> set[str]:
    """What a checkpoint needs to be played, and its card; its curves stay in the clone."""
    needed = ("README.md", "meta.json", "policy.safetensors")
    return {name for name in files("checkpoints") if name.count("/") == 2 and name.endswith(needed)}


def test_card_sets_and_the_mark_of_types_are_in_the_wheel(wheel: Path) -> None:
    assert {
        "hemlock_env/py.typed",
        "hemlock_env/cards/sets/vault_of_darkness.toml",
    } <= set(zipfile.ZipFile(wheel).namelist())


def test_nothing_else_is_in_the_wheel(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"hemlock_env"}


def test_the_wheel_says_what_pyproject_says(wheel: Path) -> None:
    packed = zipfile.ZipFile(wheel)
    (name,) = (name for name in packed.namelist() if name.endswith("/METADATA"))
    metadata = packed.read(name).decode()
    assert f"Name: {PYPROJECT['project']['name']}\n" in metadata
    for extra in PYPROJECT["project"]["optional-dependencies"]:
        assert f"Provides-Extra: {extra}\n" in metadata
    assert "License-File: LICENSE" in metadata
    assert "License-File: NOTICE" in metadata


def test_the_citation_is_of_this_version() -> None:
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert f"version: {hemlock_env.__version__}" in lines


def lock() -> dict[str, Version]:
    lines = (ROOT / "requirements-lock.txt").read_text(encoding="utf-8").splitlines()
    pinned = map(Requirement, (line for line in lines if not line.startswith("#")))
    return {pin.name: Version(str(pin.specifier).removeprefix("==")) for pin in pinned}


def test_the_lock_has_a_version_within_bounds_for_all_that_tests_checks_and_site_need() -> None:
    extras = PYPROJECT["project"]["optional-dependencies"]
    names = ("train", "render", "play", "test", "lint", "bench", "docs")
    lines = [
        *PYPROJECT["project"]["dependencies"],
        *(line for name in names for line in extras[name]),
    ]
    needs = [need for need in map(Requirement, lines) if need.name != "hemlock-env"]
    on_linux = [need for need in needs if not need.marker or need.marker.evaluate(LINUX)]
    for need in on_linux:
        assert lock()[canonicalize_name(need.name)] in need.specifier, need


def test_constraints_and_the_lock_pin_the_same_torch() -> None:
    pin = Requirement((ROOT / "constraints.txt").read_text(encoding="utf-8").strip())
    assert lock()["torch"] in pin.specifier


def test_the_licence_is_the_plain_text_of_mit() -> None:
    """Anything beside it keeps licence finders from knowing it; that stands in NOTICE."""
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert licence.startswith("MIT License\n\nCopyright (c) ")
    assert licence.endswith("OR OTHER DEALINGS IN THE\nSOFTWARE.\n")


RUN = """
import sys
from pathlib import Path
import hemlock_env
assert Path(hemlock_env.__file__).is_relative_to(sys.argv.pop(1)), hemlock_env.__file__
from hemlock_env.cli import main
main()
"""


def test_a_match_can_be_played_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    played = installed_command(wheel, tmp_path, "match random random --games 2")
    assert played.returncode == 0, played.stderr
    assert "random against random" in played.stdout


def test_the_wheel_trains_by_the_name_of_a_config(wheel: Path, tmp_path: Path) -> None:
    """It refuses a key that the shipped config can't have: training itself would compile anew."""
    refused = installed_command(wheel, tmp_path, "train quickstart --set colour=1")
    assert refused.returncode == 2
    file = tmp_path / "installed" / "hemlock_env" / "configs" / "quickstart.toml"
    assert f"{file}: unknown key colour" in refused.stderr


def installed_command(wheel: Path, folder: Path, words: str) -> subprocess.CompletedProcess[str]:
    """Of the unpacked wheel, in a folder without a clone; uncompiled, so that the rules needn't be
    compiled anew for another place.
    """
    installed = folder / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    return subprocess.run(
        [sys.executable, "-c", RUN, str(installed), *words.split()],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(installed), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )

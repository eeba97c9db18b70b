"""`make versions`: the tests with the lowest declared versions of all dependencies, and the newest.

    python -m tests.support.versions                  all of them
    python -m tests.support.versions 3.12             what has this in its name
    python -m tests.support.versions lowest -- -x     after -- arguments of pytest

The lowest versions run on the oldest Python, the newest on every Python that the path has. Each
gets an environment of its own in `.venv-versions` and runs the tests without the mark `slow`.

PyTorch must be a processor build: on Linux the usual index serves one with gigabytes of CUDA. pip
is asked first what it would install (it knows what its configuration and `PIP_ARGS` name);
where it has no such build of the version asked for, the pinned one of `constraints.txt` is taken,
and where there is none of that either, the tests run without the extra `train`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".venv-versions"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINNED = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
PYTHONS = [f"3.{minor}" for minor in range(11, 15)]
# Files of tests that need the extra `train`.
TRAINED = re.compile(
    r"torch\.|stable_baselines3|envs\.sb3 import|hemlock_env\.learning|training\.tiny|tensorboard"
)


def run(*command: object, **more: object) -> int:
    """The exit code of a command, run from the top of the project."""
    return subprocess.run([str(word) for word in command], cwd=ROOT, check=False, **more).returncode  # type: ignore[call-overload]


def interpreters() -> Iterator[str]:
    """The Pythons that the path has and that start; a shim may stand for one that isn't there."""
    for version in PYTHONS:
        found = shutil.which(f"python{version}")
        if found and run(found, "-c", "", stderr=subprocess.DEVNULL) == 0:
            yield version
        else:
            print(f"python{version}: not on the path, not tested", flush=True)


def declared(extra: str) -> list[str]:
    """The requirements of an extra and of the extras that it takes in."""
    found = []
    for line in PROJECT["optional-dependencies"][extra]:
        inner = re.fullmatch(r"hemlock-env\[(.+)\]", line)
        found += (
            [one for name in inner[1].split(",") for one in declared(name)] if inner else [line]
        )
    return found


def torch_for(python: Path, resolution: str) -> str:
    """The requirement of a processor build of PyTorch that pip has; empty if there is none."""
    (lowest,) = (line for line in declared("train") if line.startswith("torch>="))
    first = lowest.replace(">=", "==") if resolution == "lowest" else lowest
    pip = (python, "-m", "pip", "install", "--quiet", *os.environ.get("PIP_ARGS", "").split())
    for wanted in (first, *PINNED):
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            if run(*pip, "--dry-run", "--no-deps", "--report", report, wanted, capture_output=True):
                continue
            metadata = json.loads(report.read_bytes())["install"][0]["metadata"]
        if not re.search("nvidia|cuda", str(metadata["requires_dist"])):
            return "torch==" + metadata["version"] if run(*pip, wanted) == 0 else ""
    return ""


def tested(version: str, resolution: str, pytest: list[str]) -> str:
    """Install and test; what to say of it."""
    uv, venv = Path(sys.executable).with_name("uv"), HOME / f"{resolution}-{version}"
    python = venv / "bin" / "python"
    if run(uv, "venv", "--quiet", "--seed", "--clear", "--python", f"python{version}", venv):
        return "FAILED: no environment"
    torch = torch_for(python, resolution)
    install = [uv, "pip", "install", "--quiet", "--python", python]
    install += ["--resolution", {"lowest": "lowest-direct", "newest": "highest"}[resolution]]
    wanted = [*PROJECT["dependencies"], *declared("test")]
    without = []
    if torch:
        wanted.append(torch)
    else:
        wanted = [line for line in wanted if line not in declared("train")]
        files = sorted((ROOT / "tests").rglob("test_*.py"))
        without = [f"--ignore={file}" for file in files if TRAINED.search(file.read_text("utf-8"))]
    if run(*install, *wanted) or run(*install, "--no-deps", "--editable", "."):
        return "FAILED: uv finds no versions"
    run(uv, "pip", "list", "--python", python, "--format=freeze")
    passed = run(python, "-m", "pytest", "-m", "not slow", *without, *pytest) == 0
    said = (
        torch or f"no processor build of torch: without `train` and {len(without)} files of tests"
    )
    return f"{'passed' if passed else 'FAILED'} ({said})"


def main(arguments: list[str]) -> int:
    """Test all that is asked for; 1 if something failed or nothing was tested."""
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    found, results = list(interpreters()), {}
    pairs = [(version, "lowest") for version in found[:1]]
    for version, resolution in [*pairs, *((version, "newest") for version in found)]:
        name = f"{resolution} {version}"
        if all(word in name for word in arguments[:cut]):
            print(f"---- {name} ----", flush=True)
            results[name] = tested(version, resolution, arguments[cut + 1 :])
    for name, result in results.items():
        print(f"{name}: {result}")
    return int(not results or any("FAILED" in result for result in results.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Puts the shipped checkpoints into the package; all else about building is in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

CHECKPOINTS = Path("checkpoints")
NEEDED = ("meta.json", "policy.safetensors", "README.md")


class BuildWithCheckpoints(build_py):
    """In the checkout they stand at the top, where people look; a wheel has no top."""

    def run(self) -> None:
        """Build the package, then copy what a checkpoint needs to be played."""
        super().run()
        if self.editable_mode:
            return  # found in the checkout
        for checkpoint in sorted(meta.parent for meta in CHECKPOINTS.glob("*/meta.json")):
            home = Path(self.build_lib) / "hemlock_env" / "checkpoints" / checkpoint.name
            home.mkdir(parents=True, exist_ok=True)
            for name in NEEDED:
                if (checkpoint / name).exists():
                    shutil.copy(checkpoint / name, home / name)


setup(cmdclass={"build_py": BuildWithCheckpoints})

"""Puts shipped checkpoints and configs into the package; the rest is in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

CHECKPOINTS = Path("checkpoints")
CONFIGS = Path("configs")
NEEDED = ("meta.json", "policy.safetensors", "README.md")


class BuildWithShipped(build_py):
    """In the checkout they stand at the top, where people look; a wheel has no top."""

    def run(self) -> None:
        """Build the package, then copy the configs and what a checkpoint needs to be played."""
        super().run()
        if self.editable_mode:
            return  # found in the checkout
        package = Path(self.build_lib) / "hemlock_env"
        shutil.copytree(CONFIGS, package / "configs", dirs_exist_ok=True)
        for checkpoint in sorted(meta.parent for meta in CHECKPOINTS.glob("*/meta.json")):
            home = package / "checkpoints" / checkpoint.name
            home.mkdir(parents=True, exist_ok=True)
            for name in NEEDED:
                if (checkpoint / name).exists():
                    shutil.copy(checkpoint / name, home / name)


setup(cmdclass={"build_py": BuildWithShipped})

"""Names that are imported on first use; and those that have moved, whose old addresses still work,
with a warning.
"""

from __future__ import annotations

import pkgutil
import warnings
from collections.abc import Callable, Mapping
from typing import Any


def lazy(module: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a module whose names are imported on first use: where each is, as
    `package.module:name`, or `package.module:` for a module itself.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        try:
            return pkgutil.resolve_name(homes[name])
        except AttributeError as error:  # of which `from` would only say that there is no such name
            raise ImportError(f"{homes[name]} can't be imported: {error}") from error

    return find


def moved(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of an old module, from its names to their new addresses."""
    find = lazy(module, {old: ":".join(new.rsplit(".", 1)) for old, new in names.items()})

    def find_and_warn(name: str) -> Any:
        found = find(name)
        warnings.warn(f"{module}.{name} is now {names[name]}", DeprecationWarning, stacklevel=2)
        return found

    return find_and_warn

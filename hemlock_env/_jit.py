"""How every rule is compiled: one decorator, one explicit signature a rule, one cache that can't go stale.

* `rule` gives a function a single signature, taken from the names of its parameters, so Numba never makes a second
  copy for another mix of integer widths. A rule is compiled when another rule first calls it; when a cached entry point
  is loaded, the rules below it need no work at all.
* Numba's own cache looks at the file of one function and would keep machine code with an old callee, constant or
  table. Here every cached function is stamped with a digest of all sources that end up in machine code.
* `NUMBA_DISABLE_JIT=1` makes the decorator return the function as it is: the same rules run as plain Python.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import caching
from numba.core.registry import CPUDispatcher

_PACKAGE = Path(__file__).parent
_COMPILED = ("_jit.py", "kernel.py", "cards/*.py", "engine/*.py", "agents/valuation.py")

TARGET_OPTIONS = {"nopython": True, "nogil": True, "boundscheck": True, "error_model": "numpy"}


def source_digest(root: Path = _PACKAGE) -> str:
    """Digest of every source that is compiled, names included."""
    digest = hashlib.sha256()
    for pattern in _COMPILED:
        for path in sorted(root.glob(pattern)):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


_STAMP = source_digest()


def _stamped(locator: type) -> type:
    return type(
        locator.__name__ + "Stamped", (locator,), {"get_source_stamp": lambda self: _STAMP}
    )


class _CacheFiles(caching.CompileResultCacheImpl):
    _locator_classes = [
        _stamped(caching.UserProvidedCacheLocator),
        _stamped(caching.InTreeCacheLocator),
        _stamped(caching.UserWideCacheLocator),
    ]


class _Cache(caching.FunctionCache):
    _impl_class = _CacheFiles

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is None:
            _announce()
        return found


def _announce(_said: list[bool] = []) -> None:  # noqa: B006 - remembers across calls on purpose
    """The one line that a newcomer sees during the first compile."""
    if not _said:
        _said.append(True)
        print(
            "hemlock_env: compiling the rules, about 20 s, once for each version and machine",
            file=sys.stderr,
            flush=True,
        )


class RuleDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A compiled function with exactly one signature, made when it is first needed."""

    def set_signature(self, types: tuple[Any, ...]) -> None:
        """Called once, by `rule`."""
        self._rule_types = types
        self._rule_ready = False

    def ensure(self) -> None:
        """Compile, or load from the cache; nothing on later calls."""
        if not self._rule_ready:
            self._rule_ready = True
            self.compile(self._rule_types)
            self.disable_compile()

    def get_call_template(self, args: Any, kws: Any) -> Any:
        self.ensure()
        return super().get_call_template(args, kws)

    def __call__(self, *args: Any) -> Any:
        self.ensure()
        return super().__call__(*args)


class EntryDispatcher(RuleDispatcher):
    """A rule that Python calls often: `ensure` it first, then the call goes straight to machine code."""

    __call__ = CPUDispatcher.__call__


def compiled(
    function: Callable[..., Any], types: dict[str, Any], dispatcher: type = RuleDispatcher
) -> Any:
    """`function` compiled for the types that its parameter names stand for; int64 where a name isn't listed."""
    if numba.config.DISABLE_JIT:
        return function
    signature = tuple(types.get(name, numba.int64) for name in inspect.signature(function).parameters)
    made = dispatcher(function, targetoptions=dict(TARGET_OPTIONS))
    made.set_signature(signature)
    try:
        made._cache = _Cache(function)
    except RuntimeError:  # nowhere to write (read-only install without a home): no cache
        _announce()
    return made

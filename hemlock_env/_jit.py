"""How every rule is compiled: one decorator, one explicit signature a rule, one cache that can't go
stale.

* `rule` gives a function a single signature, taken from the names of its parameters, so Numba never
  makes a second copy for another mix of integer widths. A rule is compiled when another rule first
  calls it; when a cached entry point is loaded, the rules below it need no work at all.
* Numba's own cache looks at the file of one function and would keep machine code with an old
  callee, constant or table. Here every cached function is stamped with a digest of all sources that
  end up in machine code.
* `NUMBA_DISABLE_JIT=1` makes the decorator return the function as it is: the same rules run as
  plain Python.
"""

from __future__ import annotations

import hashlib
import inspect
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import caching
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

_PACKAGE = Path(__file__).parent
# Whatever may end up inside any compiled function. Above the rules, compiled files may also use one
# another within a folder, such as the agents'.
_RULES = ("_jit.py", "cards/*.py", "engine/*.py")

DISABLE_JIT: bool = numba.config.DISABLE_JIT  # type: ignore[attr-defined]

TARGET_OPTIONS = {
    "nopython": True,
    "nogil": True,
    "boundscheck": True,
    "error_model": "numpy",
}


def source_digest(function_file: str, root: Path = _PACKAGE) -> str:
    """Digest of every source that a function of this file is compiled from, names included."""
    digest = hashlib.sha256()
    rules = [path for pattern in _RULES for path in sorted(root.glob(pattern))]
    for path in [*rules, *_used_beside(Path(function_file))]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _used_beside(file: Path) -> list[Path]:
    """A file, and those of its folder that it imports from, these from, and so on; sorted."""
    used, waiting = {file}, [file]
    pattern = re.compile(rf"^from hemlock_env\.{file.parent.name}\.(\w+) import", re.MULTILINE)
    while waiting:
        for name in pattern.findall(waiting.pop().read_text(encoding="utf-8")):
            other = file.with_name(f"{name}.py")
            if other not in used:
                used.add(other)
                waiting.append(other)
    return sorted(used)


_digest = cache(source_digest)


def _stamped(locator: type, stamp: str) -> type:
    return type(
        locator.__name__ + "Stamped",
        (locator,),
        {"get_source_stamp": lambda self: stamp},
    )


@cache
def _cache_files(function_file: str) -> type:
    """Numba's cache files, valid for one state of the sources."""
    stamp = _digest(function_file)
    places = (
        caching.UserProvidedCacheLocator,
        caching.InTreeCacheLocator,
        caching.UserWideCacheLocator,
    )
    locators = [_stamped(place, stamp) for place in places]
    return type("_CacheFiles", (caching.CompileResultCacheImpl,), {"_locator_classes": locators})


class _Cache(caching.FunctionCache):
    def __init__(self, function: Callable[..., Any]) -> None:
        self._impl_class: Any = _cache_files(inspect.getfile(function))
        super().__init__(function)  # type: ignore[no-untyped-call]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        if found is None:
            _announce()
        return found


def _announce(_said: list[bool] = []) -> None:  # noqa: B006 - remembers across calls on purpose
    """The one line that a newcomer sees during the first compile."""
    if not _said:
        _said.append(True)
        print(
            "hemlock_env: compiling the rules, half a minute, once for each version and machine",
            file=sys.stderr,
            flush=True,
        )


class RuleDispatcher(CPUDispatcher):
    """A compiled function with exactly one signature, made when it is first needed."""

    def set_signature(self, types: tuple[Any, ...]) -> None:
        """Called once, by `rule`."""
        self._rule_types = types
        self._rule_ready = False

    def ensure(self) -> None:
        """Compile, or load from the cache; nothing on later calls."""
        if not self._rule_ready:
            self.compile(self._rule_types)
            self.disable_compile()
            self._rule_ready = True

    def get_call_template(self, args: Any, kws: Any) -> Any:
        self.ensure()
        return super().get_call_template(args, kws)

    def __call__(self, *args: Any) -> Any:
        self.ensure()
        return super().__call__(*args)


class EntryDispatcher(RuleDispatcher):
    """A rule that Python calls often: `ensure` it first, then the call goes straight to machine
    code.
    """

    __call__ = CPUDispatcher.__call__


def row_loop(function: Callable[..., Any]) -> Any:
    """A loop over equally long rows, for compiled functions to call: vectorised.

    Nothing checks its places, and its sums are taken in any order. Give it whole arrays or slices:
    with a place to begin at in a longer array the compiler gives up on vector instructions, which
    makes such a loop nine times as slow.
    """
    return numba.njit(boundscheck=False, fastmath=True, nogil=True)(function)


def record_reader(dtype: np.dtype[Any]) -> Any:
    """A compiled function (bytes, place) -> the record of `dtype` that begins there, to be written.

    A slice with a view would do, but Numba counts references to every slice, and an observation
    is made of dozens of records. The caller sees to it that the record lies within the bytes.
    """
    if DISABLE_JIT:
        return lambda tensor, place: tensor[place : place + dtype.itemsize].view(dtype)[0]
    record = numba.from_dtype(dtype)

    @intrinsic
    def record_at(typing_context: Any, tensor: Any, place: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array_of: Any = make_array
            array = array_of(signature.args[0])(context, builder, args[0])
            pointer = builder.gep(array.data, [args[1]])
            return builder.bitcast(pointer, context.get_value_type(record))

        return record(tensor, numba.intp), generate

    return record_at


def compiled(
    function: Callable[..., Any],
    types: dict[str, Any],
    dispatcher: type = RuleDispatcher,
) -> Any:
    """`function` compiled for the types that its parameter names stand for; int64 where a name
    isn't listed.
    """
    if DISABLE_JIT:
        return function
    signature = tuple(
        types.get(name, numba.int64) for name in inspect.signature(function).parameters
    )
    made = dispatcher(function, targetoptions=dict(TARGET_OPTIONS))
    made.set_signature(signature)
    try:
        made._cache = _Cache(function)
    except RuntimeError:  # nowhere to write (read-only install without a home): no cache
        _announce()
    return made

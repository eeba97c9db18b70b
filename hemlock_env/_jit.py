"""How every rule is compiled: one decorator, one explicit signature a rule, one cache that can't go
stale.

* `rule` gives a function a single signature, taken from the names of its parameters, so Numba never
  makes a second copy for another mix of integer widths. A rule is compiled when another rule first
  calls it; when a cached entry point is loaded, the rules below it need no work at all.
* Numba's own cache looks at the file of one function and would keep machine code with an old
  callee, constant or table. Here every cached function is stamped with a digest of all sources that
  end up in machine code: its file and those that it imports, directly or through others.
* `NUMBA_DISABLE_JIT=1` makes the decorator return the function as it is: the same rules run as
  plain Python.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import numba
import numpy as np
from numba.core import caching
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
# An import line of the package: after `from` the module, within `hemlock_env`, and its names.
_IMPORT = re.compile(r"from hemlock_env\.?([\w.]*) import (\([^)]*\)|.+)")
_NOT_A_NAME = re.compile(r"#.*|[()]")

DISABLE_JIT: bool = numba.config.DISABLE_JIT  # type: ignore[attr-defined]

TARGET_OPTIONS = {
    "nopython": True,
    "nogil": True,
    "boundscheck": True,
    "error_model": "numpy",
}


def source_digest(function_file: str, root: str = _PACKAGE) -> str:
    """Digest of every source that a function of this file is compiled from, names included: the
    file, what it imports from the package, what these import, and so on.
    """
    reached, waiting = {function_file}, [function_file]
    while waiting:
        new = _source(waiting.pop(), root).imports - reached
        reached |= new
        waiting += new
    digest = hashlib.sha256()
    for path in sorted(reached):
        within = path.removeprefix(root)
        name = os.path.basename(path) if within == path else within.replace(os.sep, "/")
        digest.update(f"{name}\0".encode() + _source(path, root).digest)
    return digest.hexdigest()


class _Source(NamedTuple):
    digest: bytes
    imports: frozenset[str]


@cache
def _source(path: str, root: str) -> _Source:
    """A file's digest and the files of the package that its import lines name: read once a process,
    as many functions are compiled from the same files.
    """
    text = Path(path).read_bytes()
    found: set[str] = set()
    for module, names in _IMPORT.findall(text.decode()):
        found |= _named(os.path.join(root, *module.split(".")), names)
    return _Source(hashlib.sha256(text).digest(), frozenset(found))


def _named(place: str, names: str) -> set[str]:
    """The files that `from place import names` names."""
    package = os.path.join(place, "__init__.py")
    if not os.path.isfile(package):
        return {f"{place}.py"} if os.path.isfile(f"{place}.py") else set()
    parts = [part.split()[0] for part in _NOT_A_NAME.sub("", names).split(",") if part.strip()]
    inside = [os.path.join(place, part) for part in parts]
    # `from package import module` names the module; any other name is the package's own.
    return set().union(*(_named(part, "") or {package} for part in inside))


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


def ensure(function: Any) -> None:
    """Compile an entry point, or load it from the cache; nothing on later calls and uncompiled."""
    ready = getattr(function, "ensure", None)
    if ready is not None:
        ready()


def new_records(dtype: np.dtype[Any], count: int) -> Any:
    """Empty records; uncompiled as a recarray, so that `here.at` works there too."""
    records = np.zeros(count, dtype)
    return records.view(np.recarray) if DISABLE_JIT else records


def row_loop(function: Callable[..., Any]) -> Any:
    """A loop over equally long rows, for compiled functions to call: vectorised.

    Its machine code is kept in the cache of those functions; by itself it has none. Nothing checks
    its places, and its sums are taken in any order. Give it whole arrays or slices: with a place to
    begin at in a longer array the compiler gives up on vector instructions, which makes such a loop
    nine times as slow.
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


def numba_type(annotation: Any) -> Any:
    """The Numba type that a parameter's annotation stands for: `Annotated[..., type]`, or a
    NamedTuple whose fields are annotated so.
    """
    if hasattr(annotation, "__metadata__"):
        return annotation.__metadata__[0]
    fields = get_type_hints(annotation, include_extras=True)
    types = [numba_type(fields[name]) for name in annotation._fields]
    made: Any = numba.types.NamedTuple
    return made(types, annotation)


def record(dtype: np.dtype[Any]) -> Any:
    """The Numba type of one record."""
    return numba.from_dtype(dtype)


def records(dtype: np.dtype[Any], readonly: bool = False) -> Any:
    """The Numba type of a whole array of records."""
    return numba.types.Array(record(dtype), 1, "C", readonly=readonly, aligned=True)


def part(function: Callable[..., Any]) -> Any:
    """A piece of compiled code that compiled code calls. Each parameter has the type of its
    annotation, see `numba_type`; int64 where it has none.
    """
    return compiled(function)


def entry(function: Callable[..., Any]) -> Any:
    """The same for what Python calls, with whole arrays; `ensure` it first."""
    return compiled(function, dispatcher=EntryDispatcher)


def inlined(function: Callable[..., Any]) -> Any:
    """A piece of compiled code that is compiled as if it stood where it is called: where thousands
    of games go through, counting the references to each array it is given costs too much.
    """
    return numba.njit(inline="always")(function)


def compiled(
    function: Callable[..., Any],
    types: dict[str, Any] | None = None,
    dispatcher: type = RuleDispatcher,
) -> Any:
    """`function` compiled for the types of its parameters' annotations, or those that their names
    stand for; int64 where there is neither.
    """
    if DISABLE_JIT:
        return function
    made = dispatcher(function, targetoptions=dict(TARGET_OPTIONS))
    made.set_signature(tuple(_parameter_types(function, types or {})))
    try:
        made._cache = _Cache(function)
    except RuntimeError:  # nowhere to write (read-only install without a home): no cache
        _announce()
    return made


def _parameter_types(function: Callable[..., Any], types: dict[str, Any]) -> Iterator[Any]:
    for name in inspect.signature(function).parameters:
        annotation = function.__annotations__.get(name)
        if isinstance(annotation, str):  # as `from __future__ import annotations` leaves it
            annotation = eval(annotation, function.__globals__)
        if annotation in (None, int):
            yield types.get(name, numba.int64)
        else:
            yield types.get(name) or numba_type(annotation)

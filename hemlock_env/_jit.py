"""How every rule is compiled: one decorator, one explicit signature a rule, one cache that can't go
stale (`_cache`).

* `rule` gives a function a single signature, taken from the names of its parameters, so Numba never
  makes a second copy for another mix of integer widths. A rule is compiled when another rule first
  calls it; when a cached entry point is loaded, the rules below it need no work at all.
* `NUMBA_DISABLE_JIT=1` makes the decorator return the function as it is: the same rules run as
  plain Python.
"""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints

import numba
import numpy as np
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from hemlock_env._cache import FunctionCache

DISABLE_JIT: bool = numba.config.DISABLE_JIT  # type: ignore[attr-defined]

TARGET_OPTIONS = {
    "nopython": True,
    "nogil": True,
    "boundscheck": True,
    "error_model": "numpy",
}


def _announce() -> None:
    """The one line that a newcomer sees during the first compile."""
    _say("compiling the rules, half a minute, once for each version and machine", "compiling")


def _say(line: str, kind: str = "trouble", said: set[str] = set()) -> None:  # noqa: B006
    """A line for the person, one of a kind in a process (`said` remembers across calls)."""
    if kind not in said:
        said.add(kind)
        print(f"hemlock_env: {line}", file=sys.stderr, flush=True)


class RuleDispatcher(CPUDispatcher):
    """A compiled function with exactly one signature, made when it is first needed."""

    def set_signature(self, types: tuple[Any, ...]) -> None:
        """Called once, by `rule`."""
        self._rule_types = types
        self._rule_ready = False

    def ensure(self) -> None:
        """Compile, or load from the cache; nothing on later calls.

        Any number of threads may come at once. They wait at Numba's own lock: compiling a rule
        compiles those that it calls, so a second lock could be taken in either order.
        """
        if not self._rule_ready:
            with global_compiler_lock:
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

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """What Numba calls where no machine code fits, and what it calls in its place then.

        A caller that didn't `ensure` comes here, maybe while another thread compiles the rule. So
        the call is made again when the rule is ready; only then its arguments are wrong.
        """
        if getattr(_again, "calling", False):
            return super()._compile_for_args(*args, **kws)  # type: ignore[misc]
        self.ensure()
        return self._call_again

    def _call_again(self, *args: Any) -> Any:
        _again.calling = True
        try:
            return self(*args)
        finally:
            _again.calling = False


_again = threading.local()  # is this thread's call one that is made again?


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


def ordered_row_loop(function: Callable[..., Any]) -> Any:
    """A `row_loop` whose sums are taken in the order written: another loop that adds the same terms
    in that order, or the same with zeros among them, gives the same to the last bit.
    """
    return numba.njit(boundscheck=False, fastmath={"contract"}, nogil=True)(function)


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


def _borrowed(tuple_of_arrays: Any) -> Any:
    """The NamedTuple with its arrays, uncounted: for the body of an entry point, whose caller holds
    them. Numba counts references to every array of a tuple at every call, in atomic steps that
    cost more than small functions do; to an array without an owner it counts none.

    No array that is made in compiled code may go through this: nothing would keep it.
    """
    return tuple_of_arrays


def _make_borrowed() -> Any:
    def without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        if isinstance(kind, numba.types.BaseTuple):
            kinds: Any = kind
            for i, item_kind in enumerate(kinds):
                item = builder.extract_value(value, i)
                item = without_owner(context, builder, item_kind, item)
                value = builder.insert_value(value, item, i)
        elif isinstance(kind, numba.types.Array):
            array_of: Any = make_array
            array = array_of(kind)(context, builder, value)
            array.meminfo = array.meminfo.type(None)
            array.parent = array.parent.type(None)
            value = array._getvalue()
        return value

    def borrowed(typing_context: Any, arrays: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return without_owner(context, builder, signature.args[0], args[0])

        return arrays(arrays), generate

    return intrinsic(borrowed)


borrowed = _borrowed if DISABLE_JIT else _make_borrowed()


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
    made._cache = FunctionCache(function, _announce, _say)
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

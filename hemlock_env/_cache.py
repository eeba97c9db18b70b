"""The cache of machine code: what a file in it is stamped with, and a store that trusts no file.

Numba's own cache looks at the file of one function and would keep machine code with an old callee,
constant or table. Here every function is stamped with a digest of all sources that end up in its
machine code: its file and those that it imports, directly or through others.

No exception of a cache reaches a user. A file that is damaged, foreign or out of date counts as
none: it is never unpickled, and the next save takes its place. Where nothing can be written the
rules are compiled in every process, and one line says so.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import pickle
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numba
from numba.core import caching
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

_PACKAGE = os.path.dirname(os.path.abspath(__file__))

# ---- stamps ----

# An import line of the package: after `from` the module, within `hemlock_env`, and its names.
_IMPORT = re.compile(r"from hemlock_env\.?([\w.]*) import (\([^)]*\)|.+)")
_NOT_A_NAME = re.compile(r"#.*|[()]")


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

# ---- files ----

ENDING = ".hemlock"
_SEAL = hashlib.sha256().digest_size  # bytes
Say = Callable[[str], None]


class Store:
    """The files of one function: one for each processor, Numba and Python, in the first folder that
    has it. A file is its seal, its stamp and the pickled machine code; the seal is the digest of
    the two, so nothing is unpickled that wasn't written here, whole.
    """

    def __init__(self, base: str, stamp: str, folders: list[Path]) -> None:
        self.folders = folders
        self._base = base
        self._stamp = bytes.fromhex(stamp)

    def load(self, key: Any) -> Any:
        """What was stored under a key, from any folder that can be read; None if nothing was."""
        for folder in self.folders:
            try:
                data = (folder / self._name(key)).read_bytes()
            except OSError:
                continue
            stamped = data[_SEAL:]
            if hashlib.sha256(stamped).digest() == data[:_SEAL] and stamped.startswith(self._stamp):
                return pickle.loads(stamped[len(self._stamp) :])
        return None

    def save(self, key: Any, value: Any) -> None:
        """Into the first folder that can be written; OSError where none can."""
        pickled: bytes = dumps(value)  # type: ignore[no-untyped-call]
        stamped = self._stamp + pickled
        data = hashlib.sha256(stamped).digest() + stamped
        problem: OSError | None = None
        for folder in self.folders:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                _replace(folder / self._name(key), data)
            except OSError as error:
                problem = problem or error
                continue
            self._prune(folder)
            return
        raise problem or OSError("there is no folder for it")

    def flush(self) -> None:
        """Forget everything."""
        for file in self._files():
            file.unlink(missing_ok=True)

    def _name(self, key: Any) -> str:
        """Numba's key has LLVM's version but not its own."""
        digest = hashlib.sha256(repr((numba.__version__, key)).encode()).hexdigest()
        return f"{self._base}.{digest[:16]}{ENDING}"

    def _files(self) -> Iterator[Path]:
        for folder in self.folders:
            yield from folder.glob(f"{self._base}.*{ENDING}")

    def _prune(self, folder: Path) -> None:
        """Remove what other states of the sources left in a folder."""
        for file in folder.glob(f"{self._base}.*{ENDING}"):
            try:
                with open(file, "rb") as opened:
                    stale = opened.read(_SEAL + len(self._stamp))[_SEAL:] != self._stamp
                if stale:
                    file.unlink()
            except OSError:  # someone else was faster
                continue


def _replace(file: Path, data: bytes) -> None:
    """Whole or not at all; several processes may write the same file at once."""
    handle, fresh = tempfile.mkstemp(prefix=f"{file.name}.", dir=file.parent)
    try:
        with open(handle, "wb") as opened:
            opened.write(data)
        os.chmod(fresh, 0o644)  # others may read what is baked into an image
        os.replace(fresh, file)
    except BaseException:
        os.unlink(fresh)
        raise


def folders_for(function_file: str) -> list[Path]:
    """Where the machine code of a file may lie, the first choice first: `NUMBA_CACHE_DIR`, the
    `__pycache__` beside the file, the user's own cache folder.
    """
    locators: list[Any] = [caching.InTreeCacheLocator, caching.UserWideCacheLocator]
    if caching.config.CACHE_DIR:  # type: ignore[attr-defined]
        locators.insert(0, caching.UserProvidedCacheLocator)
    return [Path(locator(_place, function_file).get_cache_path()) for locator in locators]


def _place() -> None:
    """Numba's locators want some function."""


class FunctionCache(caching.FunctionCache):
    """The cache of one function, as Numba's dispatchers want it."""

    def __init__(self, function: Callable[..., Any], missed: Callable[[], None], say: Say) -> None:
        """`missed` is called before a function is compiled anew; `say` gets a line of trouble."""
        file = inspect.getfile(function)
        base = f"{Path(file).stem}.{function.__qualname__}-{function.__code__.co_firstlineno}"
        base = f"{base}.{sys.implementation.cache_tag}".replace("<", "").replace(">", "")
        self.stamp = _digest(file)
        self._py_func = function
        self._name = repr(function)
        self._missed, self._say = missed, say
        self._store = Store(base, self.stamp, folders_for(file))
        self.enable()  # type: ignore[no-untyped-call]

    @property
    def cache_path(self) -> str:
        """The folder of first choice."""
        return str(self._store.folders[0])

    def flush(self) -> None:
        """Forget everything."""
        self._store.flush()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function for a signature, None where it must be compiled."""
        target_context.refresh()
        found = None
        try:
            key = self._index_key(sig, target_context.codegen())  # type: ignore[no-untyped-call]
            data = self._store.load(key)
            if data is not None:
                rebuild: Any = CompileResult._rebuild
                found = rebuild(target_context, *data)
        except Exception as error:  # of another Numba, in ways that the key doesn't show
            self._say(f"the compile cache can't be used ({type(error).__name__}: {error})")
        if found is None:
            self._missed()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled function; where that can't be, one line says why."""
        if data.library.has_dynamic_globals:  # addresses of this process
            self._say(f"{self._name} can't be cached: it uses dynamic globals")
            return
        try:
            key = self._index_key(sig, data.codegen)  # type: ignore[no-untyped-call]
            self._store.save(key, data._reduce())
        except OSError as error:
            self._say(
                f"the compile cache can't be written ({error}): every process compiles anew; make "
                "room, or name a folder by NUMBA_CACHE_DIR"
            )

"""The side of `kernels` that knows numba; imported when code is first compiled."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numba
from numba.core import caching, event, types
from numba.core.types.misc import unliteral
from numba.extending import typeof_impl

from . import clock

if TYPE_CHECKING:
    from .kernels import Kernel


@cache
def _let_kernels_call(kind: type[Kernel]) -> None:
    """Let machine code call kernels by their names."""

    @typeof_impl.register(kind)  # type: ignore[untyped-decorator]
    def type_of_kernel(value: Kernel, context: Any) -> Any:
        return types.Dispatcher(value.inner)


def dispatcher(kernel: Kernel, *, inner: bool) -> Any:
    """Make the function as numba knows it, with a cache where there can be one.

    If only machine code calls it (``inner``), it has no entry from Python, and compiles
    in an eighth less time.
    """
    _let_kernels_call(type(kernel))  # type: ignore[arg-type]
    compiled = numba.njit(
        no_cfunc_wrapper=True,
        no_cpython_wrapper=inner,
        nogil=kernel.nogil,
        _nrt=kernel.counted or not inner,
    )(kernel.py_func)
    with suppress(RuntimeError):  # no folder can be written: for this process only
        compiled._cache = _Cache(kernel, inner)
    compiled.compile = _with_deep_stack(compiled.compile)
    typed = compiled.get_call_template

    def without_literals(args: Any, kws: Any) -> Any:
        return typed([unliteral(each) for each in args], kws)

    # Else numba compiles a kernel once more for each literal that it is called with.
    compiled.get_call_template = without_literals
    return compiled


def _with_deep_stack(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls another one with 0.5 MiB left for Python's frames.

    CPython 3.11 and later keep frames in chunks of 16 KiB, and return a chunk as soon
    as it is empty. Calls that go on at the end of a chunk then map and unmap memory
    each time, 1.6 million times in one method: a quarter of compiling. A function that
    asks for a large frame is given a chunk of 1 MiB, and those it calls stay in it.
    """

    def call(*args: Any) -> Any:
        return function(*args)

    call.__code__ = call.__code__.replace(co_stacksize=70_000)
    return call


class _Compiling(event.Listener):  # type: ignore[misc]
    """Stops the clock while numba compiles."""

    def __init__(self) -> None:
        self._open: list[Any] = []

    def on_start(self, event: Any) -> None:
        """Stop the clock, and say so the first time."""
        stop = clock.stopped()
        stop.__enter__()
        self._open.append(stop)

    def on_end(self, event: Any) -> None:
        """Let it go on."""
        self._open.pop().__exit__(None, None, None)


event.register("numba:compile", _Compiling())


class _Stamped:
    """A place for machine code, renewed when any source that went into it changes."""

    _kernel: Kernel

    def get_source_stamp(self) -> str:
        """Digest of all that goes into the machine code of this kernel.

        The files of all kernels called and of the named tuples they handle; and the
        values of global constants, which may come from any file.
        """
        called = self._kernel.called()
        digest = sha256()
        for file in sorted(set().union(*(each.files() for each in called))):
            digest.update(Path(file).read_bytes())
        for each in sorted(called, key=repr):
            digest.update(f"{each!r} {sorted(each.constants().items())}".encode())
        return digest.hexdigest()


class _UserProvided(_Stamped, caching.UserProvidedCacheLocator):  # type: ignore[misc]
    """The folder in NUMBA_CACHE_DIR."""


class _InTree(_Stamped, caching.InTreeCacheLocator):  # type: ignore[misc]
    """Beside the source; also where it is only read, as in an image made beforehand."""

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        """Return the place, or None where it can neither be written nor has code."""
        found = super().from_function(py_func, py_file)
        if found is not None:
            return found
        place = cls(py_func, py_file)
        there = Path(place.get_cache_path()).glob(f"*.{py_func.__name__}-*.nbi")
        return place if any(there) else None


class _UserWide(_Stamped, caching.UserWideCacheLocator):  # type: ignore[misc]
    """In the user's cache folder."""


class _Temporary(_Stamped, caching.InTreeCacheLocator):  # type: ignore[misc]
    """In a private temporary folder."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        super().__init__(py_func, py_file)
        folder = self._kernel.private_folder()
        if folder is None:
            raise OSError("no private temporary folder")
        self._cache_path = os.fspath(folder / self.get_suitable_cache_subpath(py_file))

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        """Return the place, or None where there cannot be one."""
        with suppress(OSError):
            return super().from_function(py_func, py_file)
        return None


class _Files(caching.IndexDataCacheFile):  # type: ignore[misc]
    """An index and files of machine code, each named after all that it depends on.

    numba numbers the files. Then two processes that compile one kernel for different
    types at the same time, or from different sources, give the same number away twice,
    and one later runs the machine code of the other.
    """

    def __init__(self, cache_path: str, filename_base: str, source_stamp: str) -> None:
        super().__init__(cache_path, filename_base, source_stamp)
        self._data_name_pattern = f"{filename_base}.{{}}.nbc"

    def save(self, key: Any, data: Any) -> None:
        """Keep machine code, name it in the index, and remove what the index lacks."""
        content = f"{self._source_stamp} {key!r}"
        name = self._data_name_pattern.format(sha256(content.encode()).hexdigest()[:16])
        self._save_data(name, data)
        kept = self._load_index() | {key: name}
        self._save_index(kept)
        old = set(Path(self._cache_path).glob(self._data_name_pattern.format("*")))
        for path in old - {Path(self._data_path(each)) for each in kept.values()}:
            path.unlink(missing_ok=True)


class _Cache(caching.FunctionCache):  # type: ignore[misc]
    """Machine code on disk; damaged or vanished files count as missing."""

    _cache_file: Any

    def __init__(self, kernel: Kernel, inner: bool) -> None:
        self._kernel = kernel

        class Place(caching.CompileResultCacheImpl):  # type: ignore[misc]
            _locator_classes: ClassVar = [
                type(each.__name__, (each,), {"_kernel": kernel})
                for each in (_UserProvided, _InTree, _UserWide, _Temporary)
            ]

            def get_filename_base(self, fullname: str, abiflags: str) -> str:
                """Keep the two kinds of machine code of one kernel apart."""
                base: str = super().get_filename_base(fullname, abiflags)
                return f"{base}.inner" if inner else base

        self._impl_class = Place
        super().__init__(kernel.py_func)
        stamp = self._cache_file._source_stamp
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load machine code while the clock stands still; None if there is none."""
        with clock.stopped():
            try:
                found = super().load_overload(sig, target_context)
            except Exception:  # truncated or foreign files: compile again
                found = None
                with suppress(OSError):
                    self.flush()
        if found is None:
            self._kernel.about_to_compile()
        return found

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Keep machine code; a full or vanished disk only means compiling again."""
        with suppress(OSError):
            super().save_overload(sig, cres)

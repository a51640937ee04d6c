"""The side of `kernels` that knows numba; imported when code is first compiled.

Machine code is kept in the folder that NUMBA_CACHE_DIR names, in ``__pycache__`` next
to the source, in the user's cache folder, or in a private temporary folder: the first
that can be written, or holds what is needed. If there is none it lasts as long as the
process.
"""

from __future__ import annotations

import gc
import os
import pickle
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from secrets import randbits, token_hex
from stat import S_ISDIR
from typing import TYPE_CHECKING, Any

import numba
from llvmlite.binding import ffi  # type: ignore[import-untyped]
from numba.core import caching, event, types
from numba.core.bytecode import FunctionIdentity
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target
from numba.core.serialize import dumps
from numba.core.types.containers import BaseTuple
from numba.core.types.misc import unliteral
from numba.extending import overload, typeof_impl
from numba.misc.appdirs import AppDirs
from numba.np import arrayobj

from . import clock

if TYPE_CHECKING:
    from .kernels import Kernel

_SCHEME = 2
"""How files of machine code are named and made up; those of other schemes stay shut."""
_DRAWN = 1 << 100
"""Numbers from here on were drawn by this module, smaller ones counted by numba."""
_FORGOTTEN: list[Any] = []
"""Machine code that other machine code may still call."""


def _draw_numbers() -> bool:
    """Let numba number functions at random; return whether it does.

    It counts those of a process and names their machine code by the numbers, so what
    two processes make would be mixed up in a third one (docs/internals/kernels.md).
    """
    try:
        with global_compiler_lock:
            begun = next(FunctionIdentity._unique_ids) != 1
            FunctionIdentity._unique_ids = iter(lambda: _DRAWN | randbits(100), None)
            if begun:
                _forget_functions()
        return bool(
            FunctionIdentity.from_function(_forget_functions).unique_id > _DRAWN
        )
    except (AttributeError, TypeError):
        return False


def _forget_functions() -> None:
    """Have numba compile its own functions again, which kernels would else contain."""
    known = cpu_target.target_context.cached_internal_func
    _FORGOTTEN.append(dict(known))
    known.clear()
    for each in gc.get_objects():
        if issubclass(type(each), Dispatcher) and (
            str(each.py_func.__module__).startswith("numba.")
        ):
            _FORGOTTEN.append(dict(each.overloads))
            each._reset_overloads()


_numbers_are_drawn = _draw_numbers()


def _names_are_unique(cres: Any) -> bool:
    """Whether all functions in a piece of machine code have numbers that were drawn.

    Those that numba makes without a Python source have none; their names say it all.
    """
    names = [each.name for each in cres.library.get_defined_functions()]
    return _numbers_are_drawn and all(
        any(int(number) >= _DRAWN for number in re.findall(r"B\d+v(\d+)", name))
        for name in [cres.fndesc.mangled_name, *names]
        if "_Z" in name or name == cres.fndesc.mangled_name
    )


def _differ(given: Any, wanted: Any) -> None:
    """Refuse to assign an array to a slice of another size."""


@overload(_differ)  # type: ignore[untyped-decorator]
def _refuse(given: Any, wanted: Any) -> Callable[[Any, Any], None]:
    def refuse(given: Any, wanted: Any) -> None:
        raise ValueError("cannot assign a slice from an array of another size")

    return refuse


# numba's names both sizes, for which each process compiles strings: 1.8 seconds.
arrayobj.raise_with_shape_context = _differ
# numba times each of some hundred thousand calls of LLVM: 3 % of compiling.
with suppress(AttributeError):
    ffi.lib._lock._cblist.clear()


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


def _folders(source: Path, temporary: str) -> Iterator[Path]:
    """Yield the folders for machine code of a file, the preferred one first."""
    name = caching._CacheLocator.get_suitable_cache_subpath(os.fspath(source))
    if numba.config.CACHE_DIR:
        yield Path(numba.config.CACHE_DIR, name)
    yield source.parent / "__pycache__"
    yield Path(AppDirs("numba", appauthor=False).user_cache_dir, name)
    private = private_folder(temporary or tempfile.gettempdir())
    if private is not None:
        yield private / name


def private_folder(parent: str) -> Path | None:
    """Return a folder for machine code that no other user can write to, or None.

    Loading machine code runs it, so a folder that another user made is not taken.
    """
    if not hasattr(os, "getuid"):
        return None
    folder = Path(parent, f"closeknit-kernels-{os.getuid()}")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    private = found.st_uid == os.getuid() and found.st_mode & 0o077 == 0
    return folder if private and S_ISDIR(found.st_mode) else None


@cache
def _writable(folder: Path) -> bool:
    """Whether files can be written to a folder, which is made for it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _spelled_out(kind: Any) -> str:
    """Describe a type with the names of fields, which machine code reads by place."""
    if not isinstance(kind, BaseTuple):
        return str(kind)
    fields = getattr(kind, "fields", "")
    return f"{type(kind).__name__}{fields}({', '.join(map(_spelled_out, kind))})"


class _Cache(caching.NullCache):  # type: ignore[misc]
    """Machine code on disk; each file is named after all that went into it.

    So no process replaces what another one needs, and whatever is missing, damaged, or
    about something else is compiled.
    """

    def __init__(self, kernel: Kernel, inner: bool) -> None:
        self._kernel = kernel
        source = Path(kernel.py_func.__code__.co_filename).resolve()
        name = re.sub("[<>]", "", f"{source.stem}.{kernel.py_func.__qualname__}")
        kind = "inner" if inner else "entry"
        self._name = f"{name}.{sys.implementation.cache_tag}-{_SCHEME}{kind}"
        made_of = f"{numba.__version__} {kernel.ingredients()}"
        self._stamp = sha256(made_of.encode()).hexdigest()[:16]
        known = source.exists() and not kernel.py_func.__closure__
        folders = (
            _folders(source, kernel.temporary) if known and _numbers_are_drawn else ()
        )
        self._folder = next(filter(self._is_useful, folders), None)
        if not _numbers_are_drawn:
            kernel.announce_loss()

    def _is_useful(self, folder: Path) -> bool:
        """Whether machine code can be written to a folder, or is there already."""
        return _writable(folder) or any(folder.glob(f"{self._name}.{self._stamp}*"))

    @property
    def cache_path(self) -> str | None:
        """Return the folder, or None if there is none."""
        return None if self._folder is None else os.fspath(self._folder)

    def _file(self, folder: Path, signature: Any, codegen: Any) -> Path:
        """Return the file of machine code for a signature and this processor."""
        key = f"{[*map(_spelled_out, signature)]} {codegen.magic_tuple()}"
        digest = sha256(key.encode()).hexdigest()[:16]
        return folder / f"{self._name}.{self._stamp}{digest}.nbc"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load machine code while the clock stands still; None if there is none."""
        found = None
        # What is damaged, or made by another library, raises anything.
        with clock.stopped(), suppress(Exception):
            if self._folder is not None:
                target_context.refresh()
                file = self._file(self._folder, sig, target_context.codegen())
                kept, parts = pickle.loads(file.read_bytes())
                if kept == sig:
                    found = CompileResult._rebuild(target_context, *parts)
        if found is None:
            self._kernel.about_to_compile()
        return found

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Keep machine code; a full or vanished disk only means compiling again."""
        folder = self._folder
        if folder is None or cres.library.has_dynamic_globals:
            return
        if not _names_are_unique(cres):
            self._kernel.announce_loss()
            return
        file = self._file(folder, sig, cres.codegen)
        fresh = file.with_name(f"{file.name}.{token_hex(8)}")
        with suppress(OSError):
            try:
                fresh.write_bytes(dumps((sig, cres._reduce())))
                fresh.replace(file)
            finally:
                fresh.unlink(missing_ok=True)
            earlier = self._name.partition(".cpython")[0] + "-*.nb?"  # scheme 1
            for old in (*folder.glob(f"{self._name}.*"), *folder.glob(earlier)):
                if not old.name.startswith(f"{self._name}.{self._stamp}"):
                    old.unlink(missing_ok=True)

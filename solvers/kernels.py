"""Kernels: functions that numba compiles when they are first needed.

``@kernel`` stands where ``@numba.njit(cache=True)`` would, and adds what that lacks:

- numba is imported, and machine code made or loaded, when a kernel is first called, not
  when its module is imported.
- The clock of limits and measurements (`clock.now`) stands still meanwhile, and the
  first time that something must be compiled one line on standard error says so.
- Inside `interpreted` (or with CLOSEKNIT_KERNELS=interpreted) the Python source runs.
  On small instances that is quicker than loading machine code; the answers are equal.
- Machine code is kept beside the source; where that cannot be written, in the user's
  cache folder, else in a private temporary folder, else for the process only. It is
  renewed when any file that the kernel calls into has changed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, update_wrapper
from math import inf
from pathlib import Path
from types import CodeType
from typing import Any

from . import clock

KERNELS: list[Kernel] = []
"""Every kernel of the modules that are imported."""

_INTERPRETED = (
    os.environ.get("CLOSEKNIT_KERNELS") == "interpreted"
    or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
)
_ONLY_READY = False
_SECONDS_PER_BYTE = 1.1e-3
"""Seconds of compiling per byte of bytecode, on one core of a machine of 2026."""
_A_WHILE = 0.5
"""Seconds of compiling that are worth avoiding on a small instance."""
_LONG = 5.0
"""Seconds of compiling from which a second line says so."""
_worth_saying = _A_WHILE


class Cold(BaseException):
    """Machine code is missing inside `only_ready`; not for methods to catch."""


class Kernel:
    """A function that numba compiles; call it like the function itself.

    Parameters
    ----------
    function
        In the part of Python that numba compiles; it may call other kernels.
    """

    __name__: str

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._dispatcher: Any = None
        self._inner: Any = None
        KERNELS.append(self)

    def __call__(self, *args: Any) -> Any:
        """Run the machine code, made or loaded if need be; or the source."""
        if _INTERPRETED:
            return _plain(self.py_func(*args))
        try:
            return (self._dispatcher or self.dispatcher)(*args)
        except SystemError as error:  # a signal came while numba made the answer
            if isinstance(error.__cause__, KeyboardInterrupt):
                raise error.__cause__ from None
            raise

    def __repr__(self) -> str:
        """Name it."""
        return f"<kernel {self.py_func.__module__}.{self.py_func.__qualname__}>"

    @property
    def dispatcher(self) -> Any:
        """The function as numba knows it, called from Python."""
        if self._dispatcher is None:
            self._dispatcher = self._made(inner=False)
        return self._dispatcher

    @property
    def inner(self) -> Any:
        """The function as numba knows it, called from other kernels."""
        if self._inner is None:
            self._inner = self._made(inner=True)
        return self._inner

    def _made(self, *, inner: bool) -> Any:
        with clock.stopped():
            from . import kernels_numba

            return kernels_numba.dispatcher(self, inner=inner)

    def called(self) -> list[Kernel]:
        """Return this kernel and all that it calls, directly or not."""
        found = {id(self): self}
        waiting = [self]
        while waiting:
            function = waiting.pop().py_func
            for name in _names(function.__code__):
                value = function.__globals__.get(name)
                if isinstance(value, Kernel) and id(value) not in found:
                    found[id(value)] = value
                    waiting.append(value)
        return list(found.values())

    def own_seconds(self) -> float:
        """Estimate how long it takes to compile, without what it calls."""
        return len(self.py_func.__code__.co_code) * _SECONDS_PER_BYTE

    def expected_seconds(self) -> float:
        """Estimate how long it takes to compile, with all that it calls."""
        return sum(each.own_seconds() for each in self.called())


def kernel(function: Callable[..., Any]) -> Any:
    """Have a function compiled by numba when it is first called."""
    return Kernel(function)


def _plain(value: Any) -> Any:
    """Return Python's numbers, as machine code does, for those of NumPy."""
    if hasattr(value, "dtype") and not value.ndim:
        return value.item()
    if type(value) is tuple:
        return tuple(_plain(each) for each in value)
    return value


@contextmanager
def interpreted() -> Iterator[None]:
    """Run the Python source of kernels while the block runs.

    Integers are then Python's and NumPy's. Sums that would pass 2^63 wrap around as
    in machine code where they are NumPy's, and are exact where they are Python's.
    """
    import numpy as np

    global _INTERPRETED
    before = _INTERPRETED
    _INTERPRETED = True
    try:
        with np.errstate(over="ignore"):
            yield
    finally:
        _INTERPRETED = before


@contextmanager
def only_ready() -> Iterator[None]:
    """Raise `Cold` where a kernel would have to be compiled while the block runs."""
    global _ONLY_READY
    before = _ONLY_READY
    _ONLY_READY = True
    try:
        yield
    finally:
        _ONLY_READY = before


def about_to_compile(kernel: Kernel) -> None:
    """Say so once; called when there is no machine code for a kernel.

    Raises
    ------
    Cold
        Inside `only_ready`, when compiling it would take a while.
    """
    if clock.is_stopped():  # it is compiled for another one, which has been announced
        return
    seconds = kernel.expected_seconds()
    if _ONLY_READY and seconds >= _A_WHILE:
        raise Cold(kernel)
    announce(seconds)


def quiet() -> None:
    """Say nothing about compiling in this process: its parent has."""
    global _worth_saying
    _worth_saying = inf


def announce(seconds: float) -> None:
    """Say that kernels are being compiled: once, and again if it takes long."""
    global _worth_saying
    if seconds < _worth_saying:
        return
    _worth_saying = max(_worth_saying, _LONG)
    print(
        f"closeknit: compiling kernels, once, about {max(1, round(seconds))} s",
        file=sys.stderr,
        flush=True,
    )


_temporary = ""


def keep_temporary_folder(folder: str) -> None:
    """Have machine code go to this temporary folder, wherever files go later."""
    global _temporary
    _temporary = folder


@cache
def private_folder() -> Path | None:
    """Return a folder for machine code that nobody else can write to, or None.

    Loading machine code runs it, so a folder that another user made is not taken.
    """
    if not hasattr(os, "getuid"):
        return None
    folder = Path(_temporary or tempfile.gettempdir())
    folder /= f"closeknit-kernels-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    private = found.st_uid == os.getuid() and found.st_mode & 0o077 == 0
    return folder if private and folder.is_dir() and not folder.is_symlink() else None


def _names(code: CodeType) -> set[str]:
    """Return the names that a function looks up, those in nested functions too."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names

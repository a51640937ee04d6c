"""Kernels: functions that numba compiles when they are first needed.

``@kernel`` stands where ``@numba.njit(cache=True)`` would, and adds what that lacks:

- numba is imported, and machine code made or loaded, when a kernel is first called, not
  when its module is imported.
- The clock of limits and measurements (`clock.now`) stands still meanwhile, and the
  first time that something must be compiled one line on standard error announces it.
- Inside `interpreted` (or with CLOSEKNIT_KERNELS=interpreted) the Python source runs.
  On small instances that is quicker than loading machine code; the answers are equal.
- Machine code is kept on disk (`kernels_numba`), renewed when anything that went into
  it has changed, and never taken for that of another function.

docs/internals/kernels.md states how to write, test and measure kernels.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, update_wrapper
from logging import getLogger
from math import inf
from types import CodeType, ModuleType
from typing import Any, ClassVar

from ...sources import code_of
from . import clock

KERNELS: list[Kernel] = []
"""Every kernel of the modules that are imported."""

INTERPRETED = (
    os.environ.get("CLOSEKNIT_KERNELS") == "interpreted"
    or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
)
"""Whether nothing is compiled: kernels are the Python functions that they are."""
_ONLY_READY = False
_SECONDS_PER_BYTE = 1.1e-3
"""Seconds of compiling per byte of bytecode, on one core of a machine of 2026."""
_A_WHILE = 0.5
"""Seconds of compiling that are worth avoiding on a small instance."""
_LONG = 5.0
"""Seconds of compiling from which a second line announces it."""
_worth_saying = _A_WHILE


class MissingMachineCode(BaseException):
    """Machine code is missing inside `only_ready`; not for methods to catch."""


class Kernel:
    """A function that numba compiles; call it like the function itself.

    It may call other kernels.
    """

    __name__: str
    temporary: ClassVar[str] = ""
    """Folder for temporary files, where machine code may have to go; "": Python's."""

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._dispatcher: Any = None
        self._inner: Any = None
        self.nogil = False
        self.counted = True
        KERNELS.append(self)

    def __call__(self, *args: Any) -> Any:
        """Run the machine code, made or loaded if need be; or the source."""
        if INTERPRETED:
            return _plain(self.py_func(*args))
        try:
            return (self._dispatcher or self.dispatcher)(*args)
        except SystemError as error:  # a signal came while numba made the answer
            if isinstance(error.__cause__, KeyboardInterrupt | SystemExit):
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
            known = self._dispatcher if self.counted else None  # has all that it needs
            self._inner = known or self._made(inner=True)
        return self._inner

    def _made(self, *, inner: bool) -> Any:
        with clock.stopped():
            from . import kernels_numba

            return kernels_numba.dispatcher(self, inner=inner)

    def callees(self) -> list[Kernel]:
        """Return this kernel and all that it calls, directly or not."""
        found = {id(self): self}
        waiting = [self]
        while waiting:
            for value in waiting.pop().globals_read().values():
                if isinstance(value, Kernel) and id(value) not in found:
                    found[id(value)] = value
                    waiting.append(value)
        return list(found.values())

    def globals_read(self) -> dict[str, Any]:
        """Return the globals that the function reads, by name."""
        known = self.py_func.__globals__
        names = sorted(_names(code_of(self.py_func)))
        return {name: known[name] for name in names if name in known}

    def ingredients(self) -> str:
        """Describe what machine code is made of, whatever file it comes from.

        That is the bytecode of the kernel and of all that it calls, and the values of
        the globals that they read.
        """
        return "\n".join(
            sorted(
                f"{each!r} {each.nogil} {each.counted} {each.py_func.__defaults__} "
                f"{_describe(code_of(each.py_func))} "
                f"{[(n, _describe(v)) for n, v in each.globals_read().items()]}"
                for each in self.callees()
            )
        )

    def about_to_compile(self) -> None:
        """Announce once that kernels are compiled; there is no machine code for this.

        Raises Cold inside `only_ready`, when compiling it would take a while.
        """
        if clock.is_stopped():  # it is compiled for another one, announced before
            return
        seconds = sum(each.own_seconds() for each in self.callees())
        if _ONLY_READY and seconds >= _A_WHILE:
            raise MissingMachineCode(self)
        announce(seconds)

    def announce_loss(self) -> None:
        """Announce once that machine code lasts only as long as the process."""
        if _worth_saying < inf:
            _announce_loss()

    def own_seconds(self) -> float:
        """Estimate how long it takes to compile, without what it calls."""
        return len(self.py_func.__code__.co_code) * _SECONDS_PER_BYTE


def kernel(function: Callable[..., Any]) -> Any:
    """Have a function compiled by numba when it is first called."""
    return Kernel(function)


def unlocked(function: Any) -> Any:
    """Let other threads run while this kernel does; its arrays must be its own."""
    function.nogil = True
    return function


def uncounted(function: Any) -> Any:
    """Count no references to arrays where machine code calls this kernel.

    It must neither make an array nor assign to a slice, which numba refuses.
    """
    function.counted = False
    return function


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

    global INTERPRETED
    before = INTERPRETED
    INTERPRETED = True
    try:
        with np.errstate(over="ignore"):
            yield
    finally:
        INTERPRETED = before


@contextmanager
def only_ready() -> Iterator[None]:
    """Raise `MissingMachineCode` where a kernel would be compiled in the block."""
    global _ONLY_READY
    before = _ONLY_READY
    _ONLY_READY = True
    try:
        yield
    finally:
        _ONLY_READY = before


def quiet() -> None:
    """Announce no compiling in this process, as its parent has done so."""
    global _worth_saying
    _worth_saying = inf


def announce(seconds: float) -> None:
    """Announce that kernels are being compiled: once, and again if it takes long."""
    global _worth_saying
    if seconds < _worth_saying:
        return
    _worth_saying = max(_worth_saying, _LONG)
    notice = f"compiling kernels, once, about {max(1, round(seconds))} s"
    getLogger("closeknit.kernels").info(notice)
    print(f"closeknit: {notice}\n", end="", file=sys.stderr, flush=True)


@cache
def _announce_loss() -> None:
    notice = "compiled kernels are not kept: this numba may give their code equal names"
    print(f"closeknit: {notice}\n", end="", file=sys.stderr, flush=True)


def _names(code: CodeType) -> set[str]:
    """Return the names that a function looks up, those in nested functions too."""
    nested = (each for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*map(_names, nested))


def _describe(value: Any) -> str:
    """Describe a value of which machine code depends, alike in every process."""
    if isinstance(value, CodeType):
        constants = [_describe(each) for each in value.co_consts]
        names = (value.co_names, value.co_varnames, value.co_cellvars)
        return f"{value.co_code.hex()} {names} {constants}"
    if isinstance(value, (frozenset, set)):
        return str(sorted(map(_describe, value)))
    if isinstance(value, ModuleType):
        return value.__name__
    if callable(value) and not isinstance(value, Kernel):
        fields = getattr(value, "_fields", "")  # of a named tuple, read by position
        return f"{value.__module__}.{value.__qualname__} {fields}"
    if hasattr(value, "dtype"):
        return f"{value.dtype} {value.shape} {value.tobytes()!r}"
    return repr(value)

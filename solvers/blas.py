"""The number of threads of the linear algebra that numpy and scipy bring along."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import CDLL
from functools import cache
from pathlib import Path

import numpy as np
import scipy

_NAMES = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")


@contextmanager
def blas_threads(count: int) -> Iterator[None]:
    """Let the OpenBLAS of numpy's and scipy's wheels use so many threads in the block.

    Other builds keep what their environment variables state.
    """
    found = _openblas()
    before = [ask() for ask, _ in found]
    for _, tell in found:
        tell(count)
    try:
        yield
    finally:
        for (_, tell), threads in zip(found, before, strict=True):
            tell(threads)


@cache
def _openblas() -> list[tuple[Callable[[], int], Callable[[int], None]]]:
    """Return, for each, what asks for the number of threads, and what changes it."""
    found = []
    for home in (Path(np.__file__).parent, Path(scipy.__file__ or "").parent):
        wheel = home.parent.glob(f"{home.name}.libs/*openblas*")
        for path in [*wheel, *home.glob(".dylibs/*openblas*")]:
            library = CDLL(str(path))
            for name in _NAMES:
                ask = getattr(library, name.format("get_num_threads"), None)
                tell = getattr(library, name.format("set_num_threads"), None)
                if ask and tell:
                    found.append((ask, tell))
                    break
    return found

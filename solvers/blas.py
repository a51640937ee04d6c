"""The number of threads of the linear algebra that numpy and scipy bring along."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController

from .running import clock


def blas_threads(count: int) -> AbstractContextManager[object]:
    """Let linear algebra use so many threads in the block."""
    limits: AbstractContextManager[object] = _loaded().limit(
        limits=count, user_api="blas"
    )
    return limits


@cache
def _loaded() -> ThreadpoolController:
    """Return what asks and tells the libraries that are loaded, once for a process."""
    with clock.stopped():  # most runs need no scipy, which takes long to import
        import scipy.linalg  # noqa: F401  loads the library that is looked for

        return ThreadpoolController()

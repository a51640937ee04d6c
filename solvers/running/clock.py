"""The clock for all limits and measurements, which stops while kernels compile.

Kernels are compiled once per machine and cached. Compilation must not affect results
and is no property of a method, so it counts in no time limit and no published time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from time import perf_counter, process_time

_LOCK = RLock()
_STOPS: set[object] = set()
"""Blocks that stop the clock now, in all threads."""
_times: tuple[float, float | None] = 0.0, None
"""How long it was stopped before, and since when it is; read and replaced at once."""
_cpu_stopped_for = _cpu_began = 0.0


def now() -> float:
    """Return a monotonic time in seconds, excluding compilation."""
    before, since = _times
    return (perf_counter() if since is None else since) - before


def cpu() -> float:
    """Return the processor time of this process in seconds, excluding compilation."""
    return process_time() - _cpu_stopped_for


def is_stopped() -> bool:
    """Whether the clock is stopped."""
    return _times[1] is not None


@contextmanager
def stopped() -> Iterator[None]:
    """Stop the clock while the block runs; blocks may be nested, also across threads.

    Examples
    --------
    >>> before = now()
    >>> with stopped():
    ...     during = now()
    >>> during - before < 0.1
    True
    """
    global _times, _cpu_stopped_for, _cpu_began
    own = object()
    try:  # from here on: a signal may come at any moment
        with _LOCK:
            _STOPS.add(own)
            if _times[1] is None:
                _times, _cpu_began = (_times[0], perf_counter()), process_time()
        yield
    finally:
        with _LOCK:
            end, cpu_end = perf_counter(), process_time()
            before, since = _times
            if {own} >= _STOPS and since is not None:
                _cpu_stopped_for += cpu_end - _cpu_began
                _times = before + end - since, None
            _STOPS.discard(own)  # last: Ctrl-C may come at every call

"""The clock for all limits and measurements, which stops while kernels compile.

Kernels are compiled once per machine and cached. Compilation must not affect results
and is no property of a method, so it counts in no time limit and no published time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter, process_time

_stopped_for = _cpu_stopped_for = 0.0
_stopped_since: float | None = None


def now() -> float:
    """Return a monotonic time in seconds, excluding compilation."""
    if _stopped_since is not None:
        return _stopped_since - _stopped_for
    return perf_counter() - _stopped_for


def cpu() -> float:
    """Return the processor time of this process in seconds, excluding compilation."""
    return process_time() - _cpu_stopped_for


def is_stopped() -> bool:
    """Whether the clock is stopped."""
    return _stopped_since is not None


@contextmanager
def stopped() -> Iterator[None]:
    """Stop the clock while the block runs; blocks may be nested.

    Examples
    --------
    >>> before = now()
    >>> with stopped():
    ...     during = now()
    >>> during - before < 0.1
    True
    """
    global _stopped_for, _stopped_since, _cpu_stopped_for
    if _stopped_since is not None:
        yield
        return
    _stopped_since, began = perf_counter(), process_time()
    try:
        yield
    finally:
        _cpu_stopped_for += process_time() - began
        _stopped_for += perf_counter() - _stopped_since
        _stopped_since = None

"""The clock of every limit and measurement: it stands still while kernels compile.

Machine code of a kernel is made once per machine and kept. What that takes says
nothing about a method and must change no answer, so it is in no time limit and in no
published time: all that measures or limits a run reads `now`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter, process_time

_stopped_for = _cpu_stopped_for = 0.0
_stopped_since: float | None = None


def now() -> float:
    """Return monotonic seconds since some moment, without those spent compiling."""
    if _stopped_since is not None:
        return _stopped_since - _stopped_for
    return perf_counter() - _stopped_for


def cpu() -> float:
    """Return seconds of this process's processor time, without those compiling."""
    return process_time() - _cpu_stopped_for


def is_stopped() -> bool:
    """Whether the clock stands still now."""
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

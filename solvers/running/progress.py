"""Incumbent and bound of a running search, for progress displays.

The observer is not a field of `Settings`, which determine results, are compared and are
sent to worker processes; it belongs to the process, like its terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...instances.value import Value

Observer = Callable[[Value, "Value | None"], None]
"""Called with the cost of the incumbent, and the proved lower bound if there is one."""

_observers: list[Observer] = []


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Pass every report of the searches in the block to the observer.

    Examples
    --------
    >>> with observed(print):
    ...     report(74, 70)
    74 70
    """
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


@contextmanager
def silence() -> Iterator[None]:
    """Pass on no report of the searches in the block."""
    held, _observers[:] = [*_observers], []
    try:
        yield
    finally:
        _observers[:] = held


def report(incumbent: Value, bound: Value | None = None) -> None:
    """Report the state of a search; called about every tenth of a second."""
    for observer in _observers:
        observer(incumbent, bound)


def is_observed() -> bool:
    """Return whether any observer wants reports, so that others can save the work."""
    return bool(_observers)

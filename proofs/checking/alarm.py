"""Ending a check at its time limit, also in code that never looks at the clock."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

from ...loading import PACKAGE
from .statements import CheckLimits, TooLong

T = TypeVar("T")
_GRACE = 0.2
"""Seconds after the limit; by then what looks at the clock has ended, with a place."""
_EVERY = 0.1
"""Seconds between alarms: not at every moment may an exception be raised."""
_AGAIN = 10
"""Alarms after which the exception is raised again if it was lost."""
_LONGEST = 1e8
"""Maximal seconds of a timer, about three years."""


class _Over(BaseException):
    """The time is over; no code on the way mistakes it for invalid input."""


def end_in_time(limits: CheckLimits, call: Callable[[], T]) -> T:
    """Call a function; raise `TooLong` where it goes on when the time is over.

    Signals reach the main thread only. In other threads, on systems without a timer,
    and where the program already uses it, the limit is kept by what looks at the clock.
    """
    if not _has_timer():
        return call()
    limits = limits.from_now()
    loaded = sys.modules.get(f"{PACKAGE}.uninterruptible")  # by what compiles
    uninterruptible = getattr(loaded, "uninterruptible", None)
    rung = 0
    armed = True

    def ring(number: int, frame: FrameType | None) -> None:
        nonlocal rung
        if not armed or limits.spent() <= limits.seconds:  # the clock was stopped
            return
        if uninterruptible is None or not uninterruptible(frame):
            rung += 1
            if rung % _AGAIN == 1:
                raise _Over

    before = signal.signal(signal.SIGALRM, ring)
    try:
        try:
            left = min(limits.left(), _LONGEST) + _GRACE
            signal.setitimer(signal.ITIMER_REAL, left, _EVERY)
            return call()
        finally:
            armed = False
    except _Over:
        message = f"takes more than {limits.seconds:g} s to check"
        raise TooLong(message) from None
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before or signal.SIG_DFL)


def _has_timer() -> bool:
    """Whether a timer of ours can be set: none of the program is lost."""
    if threading.current_thread() is not threading.main_thread():
        return False
    if not hasattr(signal, "setitimer"):
        return False
    return signal.getitimer(signal.ITIMER_REAL)[0] == 0

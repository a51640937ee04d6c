"""Interruption of a run from outside: by Ctrl-C, and by an alarm at its time limit.

Within a block of `deferred`, both set an event that the search polls between steps.
Elsewhere they raise KeyboardInterrupt, caught by the caller that holds a solution or a
bound. A method thus keeps its time limit even in code that never checks the clock, such
as model building. The exception may leave a search in the middle of a step: code that
catches it returns what was known before that search, and reads no bound from it.

Signals reach the main thread only. In other threads there is no alarm, and the time
limit is kept only by a method's own checks of the clock.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import TypeVar

from ...uninterruptible import put_off, uninterruptible
from . import clock

T = TypeVar("T")
GRACE = 0.2
"""Minimum of `grace`, in seconds."""
_EVERY = 0.1
"""Seconds between alarms; they repeat, as a run cannot be stopped at every moment."""
_MOST_IGNORED = 2
"""Alarms after which the exception is raised if the event has not ended the run."""
_AGAIN = 3
"""Alarms after which the exception is raised again if the run has not ended."""
_LONGEST = 1e8
"""Maximal seconds of a timer, about three years."""


def grace(limit: float) -> float:
    """Return how many seconds after its limit a run is stopped from outside.

    Searches that check the clock have ended by then. A call ends within 0.5 s or 5 %
    of its limit; the rest of that time is for checking and pricing the solution.

    >>> grace(0.5), grace(60)
    (0.2, 1.2)
    """
    return max(GRACE, limit / 50)


class OutOfTimeError(KeyboardInterrupt):
    """Raised by the alarm at the end of a run's time."""


@dataclass(slots=True)
class Alarm:
    """A repeating alarm, and what has happened since it was set."""

    seconds: float = 0.0
    """Time until the first alarm."""
    presses: int = 0
    """Number of times Ctrl-C was pressed."""
    rung: int = 0
    """Number of alarms since the time was over."""
    _next: int = field(default=0, repr=False)
    _until: float = field(default=0.0, repr=False)

    def set(self) -> None:
        """Start the timer, which repeats once the time is over."""
        self._until = clock.now() + self.seconds
        signal.setitimer(signal.ITIMER_REAL, self.seconds, _EVERY)

    def ring(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal: set the innermost event, or raise an exception."""
        left = self._until - clock.now()
        if left > 0:  # the clock was stopped for a while, or is
            signal.setitimer(signal.ITIMER_REAL, max(left, _EVERY), _EVERY)
            return
        if uninterruptible(frame):
            return
        self.rung += 1
        if _deferred:
            _deferred[-1].set()
            if self.rung < _MOST_IGNORED:
                return
        if not _postponing and self.rung >= self._next:
            self._next = self.rung + _AGAIN
            raise OutOfTimeError


_ending_callers: list[None] = []
_deferred: list[threading.Event] = []
_postponing: list[None] = []
_alarms: list[Alarm] = []


@contextmanager
def ending_callers() -> Iterator[None]:
    """Let Ctrl-C in a method end its caller too, which has no use for part of the work.

    A method returns its best so far, and what calls hundreds of them would go on. If
    somebody outside polls `deferred`, it is told, and decides.
    """
    if _deferred:
        yield
        return
    _ending_callers.append(None)
    try:
        yield
    finally:
        _ending_callers.pop()


def ends_callers() -> bool:
    """Return whether Ctrl-C ends callers now."""
    return bool(_ending_callers)


@contextmanager
def deferred() -> Iterator[threading.Event]:
    """Turn Ctrl-C and the alarm into an event to poll, while the block runs.

    Ctrl-C sets the events of blocks around this one, too, so that all end. A second one
    raises KeyboardInterrupt. Outside the main thread, where signals do not arrive, the
    event is never set.
    """
    pressed = threading.Event()
    if not _in_main_thread():
        yield pressed
        return
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if put_off(number, frame):
            return
        for alarm in _alarms:
            alarm.presses += 1
        if came or clock.is_stopped():  # no search can end while kernels compile
            raise KeyboardInterrupt
        came.append(number)
        for event in _deferred:
            event.set()

    before = signal.signal(signal.SIGINT, note)
    _deferred.append(pressed)
    try:
        yield pressed
    finally:
        _deferred.remove(pressed)
        signal.signal(signal.SIGINT, before)


@contextmanager
def alarm_postponed() -> Iterator[None]:
    """Postpone the alarm's exception to the end of the block."""
    if not _in_main_thread():
        yield
        return
    _postponing.append(None)
    try:
        yield
    finally:
        _postponing.pop()


@contextmanager
def alarmed(seconds: float) -> Iterator[Alarm]:
    """Stop the block if it exceeds a limit in seconds by more than `grace`.

    No alarm is set within another such block, outside the main thread, or if the
    program already uses the timer.
    """
    seconds = min(max(0.0, seconds), _LONGEST)
    alarm = Alarm(seconds + grace(seconds))
    if not _in_main_thread() or _alarms or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield alarm
        return
    pressed = signal.getsignal(signal.SIGINT)

    def press(number: int, frame: FrameType | None) -> None:
        if pressed is signal.default_int_handler and put_off(number, frame):
            return
        alarm.presses += 1
        if callable(pressed):
            pressed(number, frame)

    rang = signal.signal(signal.SIGALRM, alarm.ring)
    if callable(pressed):  # otherwise Ctrl-C is ignored, and stays so
        signal.signal(signal.SIGINT, press)
    _alarms.append(alarm)
    try:
        try:
            alarm.set()
            yield alarm
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # even if the alarm went off while it was being turned off
        with alarm_postponed():
            signal.setitimer(signal.ITIMER_REAL, 0)
            _alarms.remove(alarm)
            if callable(pressed):
                signal.signal(signal.SIGINT, pressed)
            signal.signal(signal.SIGALRM, rang or signal.SIG_DFL)


def run_alarmed(seconds: float, call: Callable[[], T]) -> tuple[T | None, Alarm]:
    """Call a function within `alarmed`; its result is None if the alarm ended it.

    Ctrl-C is raised as KeyboardInterrupt.
    """
    alarm = result = None
    try:
        with alarmed(seconds) as alarm:
            result = call()
    except KeyboardInterrupt:  # the alarm may go off again while this is handled
        if alarm is None or alarm.presses or not alarm.rung:
            raise
    assert alarm is not None
    return result, alarm


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()

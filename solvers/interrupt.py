"""What stops a run from outside: Ctrl-C, and an alarm when its time is over.

Both take the same way. Within a block of `deferred` they set an event that is looked at
between two steps; elsewhere they raise KeyboardInterrupt, and the caller that holds a
solution or a bound catches that and returns it. So a method keeps its time limit even
while it does something that never looks at the clock, such as building a model. An
exception may leave a search half way through a step: what catches it returns what was
known before that search, and never reads a bound from it.

Signals reach the main thread only. In other threads there is no alarm, and a method is
as punctual as its own looks at the clock.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from ..importing import importing
from . import clock

GRACE = 0.2
"""Seconds past a short limit; see `grace`."""
_EVERY = 0.1
"""Seconds between two alarms: one may have come while the run could not be stopped."""
_PATIENCE = 2
"""Alarms after which an event that is not looked at gives way to the exception."""
_AGAIN = 3
"""Alarms after which the exception is raised again, if that did not end the run."""
_LONGEST = 1e8
"""Seconds that a timer takes, three years."""


def grace(limit: float) -> float:
    """Return the seconds past its limit at which a run is stopped from outside.

    Whoever looks at the clock has ended by then. The answer is promised within 0.5 s
    or 5 %; what is left of that is for checking and pricing what was found.

    >>> grace(0.5), grace(60)
    (0.2, 1.2)
    """
    return max(GRACE, limit / 50)


class OutOfTimeError(KeyboardInterrupt):
    """The alarm: the time of a run is over."""


@dataclass(slots=True)
class Alarm:
    """What has happened since the alarm was set.

    Attributes
    ----------
    seconds
        From when it is set to when it goes off first.
    presses
        How often Ctrl-C was pressed.
    rung
        How often the alarm went off since the time was over.
    """

    seconds: float = 0.0
    presses: int = 0
    rung: int = 0
    _next: int = field(default=0, repr=False)
    _until: float = field(default=0.0, repr=False)

    def set(self) -> None:
        """Let it go off when the time is over, and again and again from then on."""
        self._until = clock.now() + self.seconds
        signal.setitimer(signal.ITIMER_REAL, self.seconds, _EVERY)

    def ring(self, number: int, frame: FrameType | None) -> None:
        """Stop the run: by its event if it looks at one, else by an exception."""
        left = self._until - clock.now()
        if left > 0:  # the clock has stood still for a while, or does now
            signal.setitimer(signal.ITIMER_REAL, max(left, _EVERY), _EVERY)
            return
        if importing(frame):
            return
        self.rung += 1
        if _deferred:
            _deferred[-1].set()
            if self.rung < _PATIENCE:
                return
        if not _shields and self.rung >= self._next:
            self._next = self.rung + _AGAIN
            raise OutOfTimeError


_deferred: list[threading.Event] = []
_shields: list[None] = []
_alarms: list[Alarm] = []


@contextmanager
def deferred() -> Iterator[threading.Event]:
    """Turn Ctrl-C and the alarm into an event to be looked at, while the block runs.

    A second Ctrl-C raises KeyboardInterrupt as ever. Outside the main thread,
    where signals do not arrive, the event is never set.
    """
    pressed = threading.Event()
    if not _in_main_thread():
        yield pressed
        return
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        for alarm in _alarms:
            alarm.presses += 1
        if came or clock.is_stopped():  # no search can end while kernels compile
            raise KeyboardInterrupt
        came.append(number)
        pressed.set()

    before = signal.signal(signal.SIGINT, note)
    _deferred.append(pressed)
    try:
        yield pressed
    finally:
        _deferred.remove(pressed)
        signal.signal(signal.SIGINT, before)


@contextmanager
def unhurried() -> Iterator[None]:
    """Let the alarm wait for the end of the block, such as the pricing of an answer."""
    if not _in_main_thread():
        yield
        return
    _shields.append(None)
    try:
        yield
    finally:
        _shields.pop()


@contextmanager
def alarmed(seconds: float) -> Iterator[Alarm]:
    """Stop what the block does if it runs on past its limit of so many seconds.

    Within another such block, outside the main thread, and where the program uses the
    timer for something else, no alarm is set.
    """
    seconds = min(max(0.0, seconds), _LONGEST)
    alarm = Alarm(seconds + grace(seconds))
    if not _in_main_thread() or _alarms or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield alarm
        return
    pressed = signal.getsignal(signal.SIGINT)

    def press(number: int, frame: FrameType | None) -> None:
        alarm.presses += 1
        if callable(pressed):
            pressed(number, frame)

    rang = signal.signal(signal.SIGALRM, alarm.ring)
    if callable(pressed):  # else it is ignored, and stays so
        signal.signal(signal.SIGINT, press)
    _alarms.append(alarm)
    try:
        try:
            alarm.set()
            yield alarm
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # even if the alarm rang while it was turned off
        with unhurried():
            signal.setitimer(signal.ITIMER_REAL, 0)
            _alarms.remove(alarm)
            if callable(pressed):
                signal.signal(signal.SIGINT, pressed)
            signal.signal(signal.SIGALRM, rang or signal.SIG_DFL)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()

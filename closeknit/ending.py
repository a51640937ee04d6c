"""How signals end the program, from its first moment on; quick to import."""

import os
import sys

from .uninterruptible import impatient, put_off, send_later

TYPE_CHECKING = False  # importing `typing` for it takes its time
if TYPE_CHECKING:
    import signal
    from sys import UnraisableHookArgs
    from types import FrameType
else:
    import _signal as signal  # without its enumerations, which take their time

_SAID: dict[int, str] = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def status_of(number: int) -> int:
    """Return the exit status of a program that a signal has ended."""
    return 128 + number


def said(number: int) -> str:
    """Return the line that states which signal has ended the program."""
    return f"closeknit: {_SAID.get(number, 'hung up')}\n"


class Ending:
    """Handler that raises KeyboardInterrupt, or SystemExit, where that is not lost.

    During an import it may come out as any other error; see `uninterruptible`. So it is
    put off until the import is over; Ctrl-C once more meanwhile ends the program at
    once. Where Python drops it all the same, since no caller could catch it, the signal
    is sent again. A program that was told to terminate (SIGTERM, SIGHUP) is not
    disturbed while it clears up.
    """

    def __init__(self) -> None:
        self.begun = False
        """Whether somebody catches what is raised."""
        self.over = False
        """Whether nothing is left to stop."""
        self.told = 0
        """The signal, other than Ctrl-C, that has ended it."""
        self._default = [
            number
            for number in _SIGNALS
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler)
        ]
        impatient.append(_leave)
        self._tell_dropped = sys.unraisablehook
        sys.unraisablehook = self._repeat
        for number in self._default:
            signal.signal(number, self)

    def restore(self) -> None:
        """Put back the handlers that were there."""
        impatient.remove(_leave)
        sys.unraisablehook = self._tell_dropped
        for number in self._default:
            interrupts = number == signal.SIGINT
            back = signal.default_int_handler if interrupts else signal.SIG_DFL
            signal.signal(number, back)

    def ignore(self) -> None:
        """Ignore signals to the very end; Python takes handlers back before it."""
        for number in self._default:
            signal.signal(number, signal.SIG_IGN)

    def __call__(self, number: int, frame: "FrameType | None") -> None:
        """Handle a signal."""
        if self.over or self.told:
            return
        if not self.begun:
            _leave(number)
        if put_off(number, frame):
            return
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        self.told = number
        signal.setitimer(signal.ITIMER_REAL, 0)  # its exception would take the place
        raise SystemExit(status_of(number))

    def _repeat(self, what: "UnraisableHookArgs", /) -> None:
        """Send a signal again whose exception Python drops, as in a weak reference."""
        if what.exc_type is KeyboardInterrupt:
            send_later(signal.SIGINT)
        elif what.exc_type is SystemExit and self.told:
            number, self.told = self.told, 0
            send_later(number)
        elif not issubclass(what.exc_type, KeyboardInterrupt):  # alarms go off again
            self._tell_dropped(what)


def _leave(number: int) -> None:
    try:
        os.write(2, said(number).encode())
    finally:
        os._exit(status_of(number))

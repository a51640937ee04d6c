"""The ``closeknit`` command, one module per subcommand.

Little is imported here, so that Ctrl-C is answered from the first moment on.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys

from ..uninterruptible import uninterruptible

TYPE_CHECKING = False  # importing `typing` for it takes its time
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

_AGAIN = 0.05
"""Seconds after which Ctrl-C is tried again that came at a bad moment."""
_SAID = "closeknit: interrupted\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, _Interrupt())
    try:
        from .app import run

        status = run(arguments)
    except KeyboardInterrupt:  # before the command began, or after its end
        sys.stderr.write(_SAID)
        status = 130
    if ours:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        # when Python shuts down there is nothing left to stop
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    _leave_if_searching(status)
    sys.exit(status)


class _Interrupt:
    """Handler of Ctrl-C that raises KeyboardInterrupt where that is not lost.

    During an import it may come out as any other error; see `uninterruptible`. So it is
    put off until the import is over; pressed once more meanwhile, it ends the program
    at once.
    """

    def __init__(self) -> None:
        self._pending = self._own = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        own, self._own = self._own, False
        if not uninterruptible(frame):
            self._pending = False
            raise KeyboardInterrupt
        if self._pending and not own:
            os.write(2, _SAID.encode())
            os._exit(130)
        self._pending = True
        signal.signal(signal.SIGALRM, self._again)
        signal.setitimer(signal.ITIMER_REAL, _AGAIN)

    def _again(self, number: int, frame: FrameType | None) -> None:
        self._own = True
        self(signal.SIGINT, frame)


def _leave_if_searching(status: int) -> None:
    """Leave without shutting Python down if a search of CP-SAT has not ended yet.

    Past its time limit such a search is left to itself, see ``solvers.cpsat``.
    """
    cpsat = sys.modules.get(f"{__package__.rpartition('.')[0]}.solvers.cpsat")
    if cpsat is not None and cpsat.still_searching():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)

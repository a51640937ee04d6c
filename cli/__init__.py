"""The ``closeknit`` command, one module per subcommand.

Little is imported here, so that Ctrl-C is answered from the first moment on.
"""

from __future__ import annotations

import os
import sys

from ..ending import Ending, said, status_of
from ..uninterruptible import pending

TYPE_CHECKING = False  # importing `typing` for it takes its time
if TYPE_CHECKING:
    from collections.abc import Sequence

_INTERRUPTED = 130


def main(
    arguments: Sequence[str] | None = None, *, ending: Ending | None = None
) -> None:
    """Run the command line and exit with its status.

    ``ending`` heeds signals already, if this is the whole program.
    """
    heeding = ending or Ending()
    status: object = _INTERRUPTED
    try:
        heeding.begun = True
        from .app import run

        status = run(arguments)
        # Set where no signal can come in between: then no one would catch it.
        heeding.over = True
    except KeyboardInterrupt:  # before the command began, or after its end
        heeding.over = True
        _say(_INTERRUPTED - 128)
    except SystemExit as error:
        heeding.over = True
        status = error.code
        if heeding.told:
            _say(heeding.told)
    if pending and status == 0:  # it came before the output was complete
        number = pending.pop()
        _say(number)
        status = status_of(number)
    if ending is None:
        heeding.restore()
    else:
        heeding.ignore()
    if isinstance(status, int):
        _leave_if_searching(status)
    sys.exit(status)  # type: ignore[arg-type]


def _say(number: int) -> None:
    try:  # noqa: SIM105  contextlib takes its time
        sys.stderr.write(said(number))
    except OSError:  # the terminal is gone; the status remains
        pass


def _leave_if_searching(status: int) -> None:
    """Leave without shutting Python down if a search of CP-SAT has not ended yet.

    Past its time limit such a search is left to itself, see ``solvers.cpsat``.
    """
    cpsat = sys.modules.get(f"{__package__.rpartition('.')[0]}.solvers.cpsat")
    if cpsat is not None and cpsat.still_searching():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)

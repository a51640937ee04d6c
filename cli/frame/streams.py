r"""Standard streams as the commands find them: any encoding, full, or closed.

What the encoding of a stream does not have is written in its place: dashes and signs
by what they look like, bytes of a file's name as they were, the rest as ``\u2211``.
"""

from __future__ import annotations

import codecs
import errno
import logging
import os
import sys
from contextlib import suppress
from io import TextIOWrapper

TYPE_CHECKING = False  # importing `typing` for it takes its time
if TYPE_CHECKING:
    from collections.abc import Sequence

_LOOK = {"–": "-", "—": "-", "…": "...", "×": "x", "≤": "<=", "≥": ">=", "±": "+-"}
_ERRORS = "closeknit"
_ANNOTATIONS = 10
_UNWRITTEN = {
    *(errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
}


class _Warnings(logging.Handler):
    """Writes each warning of the package as a line to standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        complain(record.getMessage())


_WARNINGS = _Warnings(logging.WARNING)


def prepare() -> None:
    """Let every text be printed; refuse to work for an output that is closed.

    There the next file opened would take the place of standard output. Warnings of the
    package are shown from now on.
    """
    logging.getLogger("closeknit").addHandler(_WARNINGS)  # once, however often called
    codecs.register_error(_ERRORS, _written)
    for number, stream in ((0, sys.stdin), (2, sys.stderr)):
        if stream is None:
            _open_nothing(number)
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        from ...instances.errors import InputError

        _open_nothing(1)
        raise InputError("is closed", file="standard output")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_ERRORS)


def complain(text: str) -> None:
    """Write a line to standard error, if there is one.

    At once, here and wherever Ctrl-C is heeded: it may come between text and newline.
    """
    with suppress(OSError):
        print(f"closeknit: {' '.join(text.split())}\n", end="", file=sys.stderr)


def annotate(title: str, problems: Sequence[str]) -> None:
    """Let GitHub list what is wrong with its run, where GITHUB_ACTIONS is set.

    On standard error, which it reads, too; it shows ten of a step, the last of which
    counts the others.
    """
    if not os.environ.get("GITHUB_ACTIONS"):
        return
    shown = list(problems)
    if len(shown) > _ANNOTATIONS:
        more = len(shown) - _ANNOTATIONS + 1
        shown[_ANNOTATIONS - 1 :] = [f"and {more} more"]
    with suppress(OSError):
        for problem in shown:
            text = _escape(problem, "%\r\n")
            print(f"::error title={_escape(title, '%:,')}::{text}", file=sys.stderr)


def _escape(text: str, signs: str) -> str:
    """Write text so that it stays one line of a workflow command, and only that."""
    for sign in signs:
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text


def lost(error: OSError) -> int:
    """Report an error of the system; return the exit status.

    141 without a word when the reader of standard output is gone, as after
    ``| head``: that is how a signal would have ended the command. What cannot be
    written elsewhere names its file, or has become an `InputError` already.
    """
    place = f"{error.filename}: " if error.filename else ""
    if not place and error.errno in _UNWRITTEN:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno == errno.EPIPE:
            return 141
        place = "standard output: cannot be written: "
    hint = ": raise the limit (ulimit -n)" if error.errno == errno.EMFILE else ""
    complain(f"{place}{error.strerror or error}{hint}")
    return 2


def _open_nothing(number: int) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    if nothing != number:
        os.dup2(nothing, number)
        os.close(nothing)


def _written(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    character = error.object[error.start]
    code = ord(character)
    found: str | bytes = _LOOK.get(character, "")
    if 0xDC80 <= code <= 0xDCFF:
        found = bytes([code - 0xDC00])
    return found or ascii(character)[1:-1], error.start + 1

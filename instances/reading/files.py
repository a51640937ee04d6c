"""Bounded reading of files.

The size of every file read is bounded. Text is UTF-8; a byte order mark at its
beginning is skipped. `packed` unpacks, `parsing` reads JSON.
docs/internals/formats.md states the limits.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ..errors import InputError

STANDARD = "-"
"""Stands for standard input when reading, for standard output when writing."""
MOST_BYTES = 32 * 2**20
"""Default for the maximal size of a file, unpacked."""
_MOST_LINKS = 40
"""The limit of Linux."""
_MIB = 2**20


def read_bytes(path: str | Path, *, most: int = MOST_BYTES) -> bytes:
    """Return the content of a file, or of standard input for ``-``.

    Raises InputError if it cannot be read, or is larger than ``most`` bytes.
    """
    with reading(path) as stream:
        content = read_some(stream, most + 1)
    if len(content) > most:
        raise InputError(f"is larger than {most // _MIB} MiB", file=path)
    return content


def read_some(stream: BinaryIO, most: int) -> bytes:
    """Return at most so many bytes; raise OSError if none are there yet.

    That happens where reading may not wait: with some pipes, and files of the kernel.
    """
    content: bytes | None = stream.read(most)
    if content is None:
        raise refusal(errno.EAGAIN)
    return content


@contextmanager
def reading(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file, or standard input for ``-``; raise InputError if that fails."""
    try:
        if str(path) == STANDARD:
            if sys.stdin is None:
                raise InputError("is closed", file="standard input")
            yield sys.stdin.buffer
        else:
            with open(path, "rb", opener=open_without_waiting) as stream:
                yield stream
    except OSError as error:
        why = error.strerror or error
        raise InputError(f"cannot be read: {why}", file=path) from None
    except ValueError as error:  # a null character, or one the locale cannot encode
        if isinstance(error, InputError):
            raise
        raise InputError("is not a valid file name", file=repr(str(path))) from None


def open_without_waiting(path: str, flags: int) -> int:
    """Open a file as ``open`` does, but never wait for the writer of a named pipe.

    Named pipes are refused. A pipe without a name, such as ``/dev/fd/63`` or
    ``/dev/stdin``, has a writer, or has come to its end.
    """
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISFIFO(mode) and not is_open(place_of(path)):
            raise InputError(
                "is a named pipe: give - and send it to standard input", file=path
            )
        if not stat.S_ISREG(mode):
            os.set_blocking(descriptor, True)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def decode_text(content: bytes, *, file: str | Path = "") -> str:
    """Decode UTF-8 text without its byte order mark; raise InputError if invalid."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start})", file=file) from None


def read_text(path: str | Path, *, most: int = MOST_BYTES) -> str:
    """Return the text of a UTF-8 file; raise InputError if it cannot be read."""
    return decode_text(read_bytes(path, most=most), file=path)


def stem(path: str | Path) -> str:
    """Return the name of a file without its extensions.

    >>> stem("data/sukp_85_100.txt.xz"), stem("-")
    ('sukp_85_100', 'stdin')
    """
    if str(path) == STANDARD:
        return "stdin"
    name = Path(path).name
    return name.removesuffix(".xz").rpartition(".")[0] or name


def usable(path: str | Path) -> str | Path:
    """Return a path; refuse names that are invalid in general or in this locale."""
    with suppress(UnicodeEncodeError):
        if str(path) and b"\0" not in os.fsencode(path):
            return path
    raise InputError("is not a valid file name", file=repr(str(path)))


def place_of(path: str | Path) -> Path:
    """Follow symbolic links to a file, which need not exist.

    Links under ``/proc``, such as the target of ``/dev/stdout``, stand for open files
    and are not followed: replacing the file would not affect the open one.
    """
    place = Path(usable(path)).absolute()
    for _ in range(_MOST_LINKS):
        place = place.parent.resolve() / place.name
        if is_open(place) or not place.is_symlink():
            return place
        place = place.parent / place.readlink()
    raise refusal(errno.ELOOP)


def is_open(place: Path) -> bool:
    """Whether a path stands for an open file."""
    return place.parts[1:2] == ("proc",)


def refusal(number: int) -> OSError:
    """Return the error of a number, as the system states it."""
    return OSError(number, os.strerror(number))

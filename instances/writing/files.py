"""Atomic writing of files.

A regular file is written under a temporary name in the same folder and renamed, so that
it is never incomplete. Symbolic links that a user names are followed, those that lie in
a folder to be filled are not, see `file_in`; devices and named pipes are written in
place.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO

from ..errors import InputError
from ..reading.files import is_open, place_of, refusal, usable


@contextmanager
def writing(path: str | Path) -> Iterator[TextIO]:
    """Open a text file for writing that appears under its name only when complete.

    Raises InputError if it cannot be written; no file is left behind.
    """
    with _written(path) as stream:
        text = TextIOWrapper(stream, encoding="utf-8", newline="\n")
        try:
            yield text
            text.flush()
        finally:
            with suppress(OSError):  # already raised above
                text.detach()


@contextmanager
def _written(path: str | Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces the path, or the path if not replaceable."""
    with _complaining(path):
        place = place_of(path)
        if not _replaceable(place):
            with _open_special(place) as stream:
                yield stream
            return
        temporary, stream = _beside(place)
        try:
            with stream:
                yield stream
            with suppress(FileNotFoundError):
                _make_like(temporary, place.stat())
            temporary.replace(place)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a binary file atomically."""
    with _written(path) as stream:
        stream.write(content)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file atomically."""
    with writing(path) as stream:
        stream.write(text)


def try_file(path: str | Path) -> None:
    """Check that a file can be written, without leaving anything behind.

    Raises InputError if it cannot be written.
    """
    with _complaining(path):
        place = place_of(path)
        if place.is_dir():
            raise refusal(errno.EISDIR)
        if place.exists() and not os.access(place, os.W_OK):
            raise refusal(errno.EACCES)
        if _replaceable(place):
            _try_beside(place)


def try_folder(path: str | Path) -> None:
    """Check that a folder can be made and filled, without leaving anything behind.

    Raises InputError if a file has that name, or no file can be made there.
    """
    with _complaining(path, "made"):
        place = Path(usable(path)).absolute()
        while not os.path.lexists(place):
            place = place.parent
        if not place.is_dir():
            raise refusal(errno.ENOTDIR)
        _try_beside(place / "file")


def replaces(path: str | Path) -> bool:
    """Whether writing replaces the content, unlike for a pipe."""
    with _complaining(path):
        return _replaceable(place_of(path))


def folder(path: str | Path) -> Path:
    """Make a folder (and its parents) if it does not exist."""
    with _complaining(path, "made"):
        Path(usable(path)).mkdir(parents=True, exist_ok=True)
    return Path(path)


def file_in(where: str | Path, name: str) -> Path:
    """Return the path of a file of our own naming in a folder; make its folders.

    The folder itself may be a symbolic link, as its user named it. What lies in it may
    be anybody's: raises InputError if the file, or a folder on the way, is a link.
    """
    path = folder(where)
    *above, last = Path(name).parts
    for part in above:
        path = folder(_no_link(path / part))
    return _no_link(path / last)


def refuse_links(where: Path, *ours: str) -> None:
    """Raise InputError if a file whose name has one of these patterns is a link."""
    with _complaining(where, "read"), suppress(FileNotFoundError):
        for each in where.iterdir():
            if any(map(each.match, ours)):
                _no_link(each)


def _no_link(path: Path) -> Path:
    """Return a path; refuse a link, whose target would be made or replaced."""
    if path.is_symlink():
        raise InputError("must not be a symbolic link", file=path)
    return path


@contextmanager
def _complaining(path: str | Path, what: str = "written") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = error.strerror or error
        raise InputError(f"cannot be {what}: {why}", file=path) from None


def _replaceable(place: Path) -> bool:
    """Whether a new file may take this place: it is free or a regular file."""
    return not is_open(place) and (place.is_file() or not place.exists())


def _open_special(place: Path) -> BinaryIO:
    """Open a device or a pipe; a file open in this process keeps its position."""
    if place.parent == Path("/proc/self/fd").resolve() and place.name.isdecimal():
        sys.stdout.flush()
        return os.fdopen(os.dup(int(place.name)), "wb")
    return os.fdopen(os.open(place, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC), "wb")


def _beside(place: Path) -> tuple[Path, BinaryIO]:
    """Make a temporary file in the same folder, with permissions by the umask."""
    temporary = place.parent / f".closeknit-{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    return temporary, os.fdopen(os.open(temporary, flags, 0o666), "wb")


def _try_beside(place: Path) -> None:
    temporary, stream = _beside(place)
    stream.close()
    temporary.unlink()


def _make_like(temporary: Path, before: os.stat_result) -> None:
    """Give a file the owner and permissions of the one that it replaces."""
    with suppress(PermissionError):  # the file then keeps this user as its owner
        if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
            os.chown(temporary, before.st_uid, before.st_gid)
    temporary.chmod(stat.S_IMODE(before.st_mode))

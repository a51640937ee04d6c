"""Bounded reading of files that are packed by xz or gzip, as their content tells."""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader, BytesIO, RawIOBase
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import InputError
from .files import MOST_BYTES, read_some, reading

_UNPACKER = 128 * 2**20
"""Maximal memory for unpacking; ``xz -9`` needs 65 MiB."""
_MOST_EMPTY = 2**10
"""Packed streams without content that may follow each other."""
_MOST_IDLE = 2**26
"""Packed bytes without content that may follow each other, such as padding."""
_PIECE = 2**16
_XZ = b"\xfd7zXZ\x00"
_GZIP = b"\x1f\x8b"


@contextmanager
def reading_unpacked(path: str | Path) -> Iterator[BufferedReader]:
    """Open a file as `reading` does, and unpack it if it is packed by xz or gzip.

    How it is packed is known by its content, not by its name. What is found damaged or
    cut off while it is read is an InputError. ``peek`` shows as much of the content as
    there is, up to a buffer, also of a pipe.
    """
    with reading(path) as stream:
        packed = _peekable(stream)
        try:
            if packed.peek()[: len(_XZ)] == _XZ:
                yield _peekable(unpacking(packed))
            elif packed.peek()[: len(_GZIP)] == _GZIP:
                yield _peekable(BufferedReader(_Unpacked(packed, _Gunzip)))
            else:
                yield packed
        except EOFError:
            raise InputError("is cut off", file=path) from None
        except (lzma.LZMAError, zlib.error) as error:
            raise InputError(f"cannot be unpacked: {error}", file=path) from None


def _peekable(stream: BinaryIO) -> BufferedReader:
    return BufferedReader(_Filling(stream), _PIECE)


class _Filling(RawIOBase):
    """Reads as much as is asked for, unless the stream ends before."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into the buffer; return the number of bytes, 0 at the end."""
        found = read_some(self._stream, len(buffer))
        buffer[: len(found)] = found
        return len(found)


def unpack(content: bytes, *, file: str | Path, most: int = MOST_BYTES) -> bytes:
    """Unpack ``xz`` data; return anything else unchanged.

    Raises InputError if it is damaged, truncated, or larger than ``most`` bytes when
    unpacked.
    """
    if not content.startswith(_XZ):
        return content
    try:
        found = unpacking(BytesIO(content)).read(most + 1)
    except EOFError:
        raise InputError("is cut off", file=file) from None
    except lzma.LZMAError as error:
        raise InputError(f"is not a usable xz file: {error}", file=file) from None
    if len(found) > most:
        raise InputError(f"unpacks to more than {most // 2**20} MiB", file=file)
    return found


def unpacking(packed: BinaryIO) -> BinaryIO:
    """Open a stream of ``xz`` data for unpacking in bounded memory."""
    return BufferedReader(_Unpacked(packed, _new_xz))


def _new_xz() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, _UNPACKER)


class _Gunzip:
    """Unpacks one stream of ``gzip`` data; used as an ``LZMADecompressor``."""

    def __init__(self) -> None:
        self._one = zlib.decompressobj(16 + zlib.MAX_WBITS)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        """Whether the stream has come to its end."""
        return self._one.eof

    @property
    def unused_data(self) -> bytes:
        """What follows the end."""
        return self._one.unused_data

    def decompress(self, packed: bytes, most: int) -> bytes:
        """Return at most so many bytes of the content."""
        found = self._one.decompress(self._one.unconsumed_tail + packed, most)
        self.needs_input = len(found) < most and not self._one.unconsumed_tail
        return found


class _Unpacked(RawIOBase):
    """Like ``lzma.LZMAFile``, but with bounded memory, and for `_Gunzip`, too."""

    def __init__(
        self, packed: BinaryIO, new: Callable[[], lzma.LZMADecompressor | _Gunzip]
    ) -> None:
        self._packed, self._new = packed, new
        self._rest = b""
        self._empty = self._idle = 0
        self._unpacker: lzma.LZMADecompressor | _Gunzip | None = new()

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Unpack some bytes into the buffer; return their number, 0 at the end."""
        while True:
            if self._unpacker is None:  # after a stream: padding or another stream
                self._rest = self._rest.lstrip(b"\0") or self._more()
                if not self._rest:
                    return 0
                if not self._rest.strip(b"\0"):
                    continue
                self._rest = self._rest.lstrip(b"\0")
                self._empty += 1
                if self._empty > _MOST_EMPTY:
                    raise lzma.LZMAError("too many streams without content")
                self._unpacker = self._new()
            elif self._unpacker.needs_input and not self._rest:
                self._rest = self._more()
                if not self._rest:
                    raise EOFError("ended before the end-of-stream marker")
            found = self._unpacker.decompress(self._rest, len(buffer))
            self._rest = b""
            if self._unpacker.eof:
                self._rest, self._unpacker = self._unpacker.unused_data, None
            if found:
                self._empty = self._idle = 0
                buffer[: len(found)] = found
                return len(found)

    def _more(self) -> bytes:
        found = self._packed.read(_PIECE)
        self._idle += len(found)
        if self._idle > _MOST_IDLE:
            raise lzma.LZMAError("too many bytes without content")
        return found

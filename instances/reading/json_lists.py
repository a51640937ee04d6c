"""Long JSON documents, element by element of their lists, in bounded memory.

Reports of schedulers are one object with a long list. Each element is parsed by itself
and reduced to what is wanted before the next one is read.
"""

from __future__ import annotations

import json
import re
from codecs import getincrementaldecoder
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from ..errors import InputError
from .parsing import strict

MOST_BYTES = 2**30
"""Maximal size of a document, unpacked."""
MOST_VALUE = 2**23
"""Maximal number of characters of an element, or of a value outside of lists."""
MOST_ELEMENTS = 2**20
"""Maximal number of elements of all lists."""
_PIECE = 2**20
_SPACE = re.compile(r"[ \t\r\n]*")


def read_lists(
    stream: BinaryIO, keep: Callable[[Any], Any], *, file: str | Path = ""
) -> dict[str, Any]:
    """Read a JSON object from a stream.

    Parameters
    ----------
    stream
        UTF-8, in one pass.
    keep
        Returns what is kept of an element of one of the object's own lists.
    file
        Its name, for messages.

    Raises
    ------
    InputError
        If it is malformed, no object, or exceeds a limit of this module.
    """
    reader = _Reader(stream, file)
    try:
        return reader.document(keep)
    except RecursionError:
        problem = "not usable JSON: nested too deeply"
        raise InputError(problem, file=file) from None


class _Reader:
    """A part of the text, and how far it is parsed."""

    def __init__(self, stream: BinaryIO, file: str | Path) -> None:
        self.stream, self.file = stream, file
        self.decoder = json.JSONDecoder(**strict(file))
        self.bytes = getincrementaldecoder("utf-8-sig")()
        self.text, self.at, self.size, self.lines = "", 0, 0, 0
        self.ended = False
        self.elements = 0

    def document(self, keep: Callable[[Any], Any]) -> dict[str, Any]:
        """Return the object; nothing but space may follow it."""
        found: dict[str, Any] = {}
        self._expect("{")
        if not self._skip("}"):
            while True:
                key = self._value()
                if not isinstance(key, str):
                    self._fail("Expecting property name enclosed in double quotes")
                if key in found:
                    raise InputError("given twice", key, file=self.file)
                self._expect(":")
                if self._skip("["):
                    found[key] = list(self._elements(keep))
                else:
                    found[key] = self._value()
                if self._skip("}"):
                    break
                self._expect(",")
        if self._next():
            self._fail("Extra data")
        return found

    def _elements(self, keep: Callable[[Any], Any]) -> list[Any]:
        found: list[Any] = []
        if self._skip("]"):
            return found
        while True:
            found.append(keep(self._value()))
            self.elements += 1
            if self.elements > MOST_ELEMENTS:
                problem = f"has more than {MOST_ELEMENTS} elements in lists"
                raise InputError(problem, file=self.file)
            if self._skip("]"):
                return found
            self._expect(",")

    def _value(self) -> Any:
        """Parse the next value; ``1.5e+`` at the end of a piece is no number yet."""
        self._next()
        while True:
            try:
                value, end = self.decoder.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                if self.ended:
                    self._fail(error.msg, error.pos)
            except InputError:
                raise
            except ValueError as error:  # an integer of thousands of digits
                problem = f"not usable JSON: {error}"
                raise InputError(problem, file=self.file) from None
            else:
                if end + 2 < len(self.text) or self.ended:
                    self.at = end
                    return value
            if len(self.text) - self.at > MOST_VALUE:
                problem = f"has a value of more than {MOST_VALUE} characters"
                raise InputError(problem, file=f"{self.file}:{self._line(self.at)}")
            self._fill()

    def _next(self) -> str:
        """Return the next character that is no space, or an empty text at the end."""
        while True:
            space = _SPACE.match(self.text, self.at)
            assert space is not None
            self.at = space.end()
            if self.at < len(self.text) or self.ended:
                return self.text[self.at : self.at + 1]
            self._fill()

    def _skip(self, mark: str) -> bool:
        """Skip a character if it is the next one."""
        if self._next() != mark:
            return False
        self.at += 1
        return True

    def _expect(self, mark: str) -> None:
        if not self._skip(mark):
            self._fail(f"Expecting {mark!r}")

    def _fill(self) -> None:
        """Read one more piece; forget what is parsed."""
        piece = self.stream.read(_PIECE)
        self.size += len(piece)
        if self.size > MOST_BYTES:
            problem = f"is larger than {MOST_BYTES // 2**20} MiB"
            raise InputError(problem, file=self.file)
        self.ended = not piece
        self.lines += self.text.count("\n", 0, self.at)
        try:
            fresh = self.bytes.decode(piece, final=self.ended)
        except UnicodeDecodeError as error:
            at = self.size - len(piece) + error.start
            problem = f"is not UTF-8 text (near byte {at})"
            raise InputError(problem, file=self.file) from None
        self.text = self.text[self.at :] + fresh
        self.at = 0

    def _line(self, at: int) -> int:
        return self.lines + self.text.count("\n", 0, at) + 1

    def _fail(self, problem: str, at: int | None = None) -> NoReturn:
        at = self.at if at is None else at
        column = at - self.text.rfind("\n", 0, at)
        where = f"(line {self._line(at)}, column {column})"
        raise InputError(f"not JSON: {problem} {where}", file=self.file)

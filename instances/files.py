"""Reading and writing files without surprises.

JSON is read strictly: no key twice, no NaN, decimals kept exact. Files are
written beside their place and renamed, so that nothing is ever half-written.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from .errors import InputError


def read_text(path: str | Path) -> str:
    """Return the text of a UTF-8 file; InputError if it cannot be had."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start})", file=path) from None


def parse_json(text: str, *, file: str | Path = "") -> Any:
    """Parse JSON; decimals become `Decimal`, so that no digit is lost.

    Raises
    ------
    InputError
        For malformed JSON, a repeated key, NaN or infinity.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise InputError("given twice", field=key, file=file)
            found[key] = value
        return found

    def refuse(constant: str) -> Any:
        raise InputError(f"{constant} is not a number that can be used", file=file)

    def decimal(digits: str) -> Decimal:
        try:
            return Decimal(digits)
        except InvalidOperation:
            raise InputError(
                "not a number that can be used", value=digits, file=file
            ) from None

    try:
        return json.loads(
            text,
            parse_float=decimal,
            parse_constant=refuse,
            object_pairs_hook=unique,
        )
    except json.JSONDecodeError as error:
        raise InputError(
            f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})",
            file=file,
        ) from None
    except RecursionError:
        raise InputError("not usable JSON: nested too deeply", file=file) from None
    except InputError:
        raise
    except ValueError as error:  # an integer of thousands of digits
        raise InputError(f"not usable JSON: {error}", file=file) from None


@contextmanager
def writing(path: str | Path) -> Iterator[TextIO]:
    """Open a text file that appears under its name only when all is written.

    Raises
    ------
    InputError
        When the place cannot be written; nothing is left behind.
    """
    with _replacing(path) as stream:
        text = TextIOWrapper(stream, encoding="utf-8", newline="\n")
        yield text
        text.flush()
        text.detach()


@contextmanager
def _replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a temporary file beside the path, and rename it in the end."""
    target = Path(path)
    try:
        descriptor, temporary = tempfile.mkstemp(
            prefix=f".{target.name}.", dir=target.parent
        )
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from None
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(target)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise InputError(f"cannot be written: {error.strerror}", file=path) from None
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a whole binary file or nothing."""
    with _replacing(path) as stream:
        stream.write(content)


def write_text(path: str | Path, text: str) -> None:
    """Write a whole file or nothing."""
    with writing(path) as stream:
        stream.write(text)


def folder(path: str | Path) -> Path:
    """Make a folder (and those above it) if it is not there yet."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", file=path) from None
    return Path(path)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

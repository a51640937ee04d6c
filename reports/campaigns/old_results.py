"""``results.jsonl``, in which rows were kept before there was a store."""

from __future__ import annotations

from pathlib import Path

from ...instances import InputError
from ...instances.parsing import parse_json
from .row_fields import parse_row
from .rows import Key, Row


def old_results(path: Path) -> list[Row]:
    """Read all rows; a last line without its end was never finished: it is left out.

    Raises
    ------
    InputError
        For a line that is not a row or repeats one; the message names the line.
    """
    rows: list[Row] = []
    lines: dict[Key, int] = {}
    try:
        whole = path.read_bytes().rpartition(b"\n")[0]
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    for number, line in enumerate(whole.split(b"\n") if whole else (), start=1):
        file = f"{path}:{number}"
        try:
            row = parse_row(parse_json(line.decode()))
        except UnicodeDecodeError:
            raise InputError("is not UTF-8 text", file=file) from None
        except InputError as error:
            raise error.of_file(file) from None
        if row.key in lines:
            raise InputError(f"the same run as line {lines[row.key]}", file=file)
        rows.append(row)
        lines[row.key] = number
    return rows

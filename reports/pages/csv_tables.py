"""Tables as CSV, with all digits and without formulas."""

from __future__ import annotations

import csv
import re
from io import StringIO

from ...instances.escape_hidden import escape_hidden
from .document import Cell, File, Name, Note, Ref, Table, plain_text

_NUMBER = re.compile(r"[-+−]?[\d., ]+ ?%?")
_FORMULA = (*"=+-@\u2212\uff1d\uff0b\uff0d\uff20", "'")
"""First characters, also in full width, behind which a spreadsheet may compute."""
_WRITTEN = re.compile(r"\\u[0-9a-f]{4}")


def csv_of(table: Table) -> str:
    """Write a table as CSV; text is written by `csv_text`, None as nothing."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head.lstrip("*") for head in table.columns)
    for row in table.rows:
        writer.writerow(map(_cell, row))
    return text.getvalue()


def _cell(cell: Cell) -> object:
    if isinstance(cell, tuple):
        cell = " ".join(map(plain_text, cell))
    if isinstance(cell, (File, Ref, Note)):
        cell = cell.text
    if isinstance(cell, str):
        number = not isinstance(cell, Name) and _NUMBER.fullmatch(cell)
        return str(cell) if number else csv_text(cell)
    return "" if cell is None else cell


def csv_text(text: str) -> str:
    """Write a text so that no spreadsheet takes it for a formula.

    An apostrophe is put before text that begins like a formula, or with an apostrophe;
    invisible characters are written out, reversibly.

    >>> csv_text("=1+1"), csv_text("-1"), csv_text("8x8-half")
    ("'=1+1", "'-1", '8x8-half')
    """
    shown = text
    if _WRITTEN.search(text) or escape_hidden(text) != text:
        shown = escape_hidden(text.replace("\\", "\\\\"))
    return f"'{shown}" if shown.lstrip()[:1] in _FORMULA else shown

"""``ratios.csv``: one row for each instance and method."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from fractions import Fraction
from io import StringIO

from ...instances.value import Value, ordered
from ...instances.visible import spelled, unspelled
from .verdicts import Ratio, ScoredRun

COLUMNS = (
    *("instance", "problem", "n", "k", "method", "cost", "bound", "optimum"),
    *("ratio", "ratio_float", "status", "proof", "seconds", "seed"),
)


_FORMULA = (*"=+-@\u2212\uff1d\uff0b\uff0d\uff20", "'")
"""First characters, also in full width, behind which a spreadsheet may compute."""


def csv_table(judged: Iterable[ScoredRun]) -> str:
    """Write the table.

    ``bound`` is the best that all rows of the instance prove together, ``proof``
    who vouches for it, and ``optimum`` the cost that reaches it, if one does.
    ``ratio`` is an exact fraction of the optimum or empty (also when the optimum
    is 0 and the cost is not: then ``ratio_float`` is ``inf``). Both are written
    level by level, with semicolons, where costs are lexicographic: ``1;5/4;1``,
    and a level whose optimum is 0 has ``inf`` in both. Columns of text are written by
    `csv_text`.
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for j in judged:
        row, ratios, verdict = j.row, j.ratios or (), j.verdict
        writer.writerow(
            (
                *(csv_text(row.instance), row.problem, row.n, row.k),
                csv_text(row.method),
                *map(_cell, (row.cost, verdict.bound, verdict.optimum)),
                _exact(ratios),
                ";".join(repr(float(ratio)) for ratio in ratios),
                *(row.status, csv_text(str(verdict.proof or ""))),
                *(_plain(row.seconds), row.seed),
            )
        )
    return text.getvalue()


def csv_text(text: str) -> str:
    """Write a text so that no spreadsheet takes it for a formula; see `text_of_csv`.

    An apostrophe is put before what begins like a formula, or with an apostrophe;
    characters that cannot be seen are written out.

    >>> csv_text("=1+1"), csv_text("-1"), csv_text("8x8-half")
    ("'=1+1", "'-1", '8x8-half')
    """
    shown = spelled(text)
    return f"'{shown}" if shown.lstrip()[:1] in _FORMULA else shown


def text_of_csv(cell: str) -> str:
    """Return the text of which `csv_text` made a cell.

    >>> text_of_csv("'=1+1"), text_of_csv("8x8-half")
    ('=1+1', '8x8-half')
    """
    return unspelled(cell.removeprefix("'"))


def _cell(value: Value | None) -> str:
    """Write a cost, levels with semicolons; nothing for none."""
    return "" if value is None else ";".join(map(str, ordered(value)))


def _exact(ratios: Sequence[Ratio]) -> str:
    if len(ratios) == 1 and not isinstance(ratios[0], Fraction):
        return ""
    return ";".join(map(str, ratios))


def _plain(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.6f}"

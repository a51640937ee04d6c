"""``ratios.csv``: one row for each instance and method."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from fractions import Fraction
from io import StringIO

from ..solvers import Value
from .verdicts import Judged

COLUMNS = (
    *("instance", "problem", "n", "k", "method", "cost", "bound", "optimum"),
    *("ratio", "ratio_float", "status", "proof", "seconds", "seed"),
)


def csv_table(judged: Iterable[Judged]) -> str:
    """Write the table.

    ``bound`` is the best that all rows of the instance prove together, ``proof``
    who vouches for it, and ``optimum`` the cost that reaches it, if one does.
    ``ratio`` is an exact fraction of the optimum or empty (also when the optimum
    is 0 and the cost is not: then ``ratio_float`` is ``inf``).
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for j in judged:
        row, ratio, verdict = j.row, j.ratio, j.verdict
        writer.writerow(
            (
                *(row.instance, row.problem, row.n, row.k, row.method),
                *map(written, (row.cost, verdict.bound, verdict.optimum)),
                str(ratio) if isinstance(ratio, Fraction) else "",
                "" if ratio is None else repr(float(ratio)),
                *(row.status, verdict.proof or "", _plain(row.seconds), row.seed),
            )
        )
    return text.getvalue()


def written(value: Value | None) -> str:
    """Write a cost; a lexicographic one with semicolons.

    >>> written(5256), written((8, 1, 2)), written(None)
    ('5256', '8;1;2', '')
    """
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else ";".join(map(str, value))


def _plain(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.6f}"

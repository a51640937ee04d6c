"""The rows for other programs: ``ratios.csv``."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...instances.value import Value, as_tuple
from ..pages.document import Cell, Name, Table
from .proofs_section import PROOF_COLUMNS, proof_cells
from .scoring import ScoredRun

COLUMNS = (
    *("*instance", "*problem", "n", "k", "*method", "cost", "bound", "optimum"),
    *("ratio", "ratio_float", "*status", "*proof", "seconds", "seed"),
)
"""Columns of ``ratios.csv``."""


def rows_table(runs: Sequence[ScoredRun]) -> Table:
    """Return the table ``ratios.csv``, with one row per instance and method.

    ``bound`` is the best that all rows of the instance prove together, ``proof`` how
    it was proved, and ``optimum`` the cost that reaches it, if one does. ``ratio`` is
    an exact fraction of the optimum or empty (also when the optimum is 0 and the cost
    is not: then ``ratio_float`` is ``inf``). Both are written level by level, with
    semicolons, where costs are lexicographic: ``1;5/4;1``, and a level whose optimum
    is 0 has ``inf`` in both. Where proofs were kept, kind and size of each follow, and
    how long its check took.
    """
    kept = any(run.verdict.kept for run in runs)
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        row, ratios, verdict = run.row, run.ratios or (), run.verdict
        exact = ";".join(map(str, ratios))
        if len(ratios) == 1 and not isinstance(ratios[0], Fraction):
            exact = ""
        rows.append(
            (
                *(Name(row.instance), row.problem, row.n, row.k, Name(row.method)),
                *map(_levels, (row.cost, verdict.bound, verdict.optimum)),
                *(exact, ";".join(repr(float(ratio)) for ratio in ratios)),
                *(row.status, Name(str(verdict.proof or ""))),
                "" if row.seconds is None else f"{row.seconds:.6f}",
                row.seed,
                *(proof_cells(run) if kept else ()),
            )
        )
    return Table(columns=(*COLUMNS, *(PROOF_COLUMNS if kept else ())), rows=rows)


def _levels(value: Value | None) -> str:
    """Write a cost, levels with semicolons; nothing for none."""
    return "" if value is None else ";".join(map(str, as_tuple(value)))

"""The rows for other programs: ``ratios.csv``, and ``results.parquet``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

from ...instances import InputError
from ...instances.extras import install
from ...instances.reading.files import write_bytes
from ...instances.value import Value, as_tuple
from ..campaigns.row_fields import NAMES
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


def arrow() -> Any:
    """Return pyarrow, or name the extra that installs it in the refusal."""
    try:
        return import_module("pyarrow")
    except ImportError:
        problem = f"needs pyarrow: {install('parquet')}"
        raise InputError(problem, field="parquet") from None


def write_parquet(judged: Iterable[ScoredRun], path: Path) -> None:
    """Write the table: fields of `Row`, then ``optimum``, ``ratio``, ``grade``.

    Costs, bounds and optima are lists of integers, one per level; ``ratio`` is text,
    an exact fraction per level, ``ratio_float`` the same as numbers; empty where
    nothing is proved. ``trace`` is JSON text.
    """
    pyarrow, parquet = arrow(), import_module("pyarrow.parquet")
    integers, text = pyarrow.list_(pyarrow.int64()), pyarrow.string()
    kinds = {
        **dict.fromkeys(NAMES, text),
        **dict.fromkeys(("shape", "selection", "cost", "bound"), integers),
        **dict.fromkeys(
            (
                *("n", "k", "d", "locations", "seed", "node_limit", "memory_limit"),
                *("repeat", "memory_peak"),
            ),
            pyarrow.int64(),
        ),
        **dict.fromkeys(("time_limit", "seconds"), pyarrow.float64()),
        "optimum": integers,
        "ratio": pyarrow.list_(text),
        "ratio_float": pyarrow.list_(pyarrow.float64()),
        "grade": text,
    }
    rows = [_record(one) for one in judged]
    table = pyarrow.Table.from_pylist(rows, schema=pyarrow.schema(list(kinds.items())))
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd")
    write_bytes(path, sink.getvalue().to_pybytes())


def _record(one: ScoredRun) -> dict[str, Any]:
    row, ratios = one.row, one.ratios
    costs = {"cost": row.cost, "bound": row.bound, "optimum": one.verdict.optimum}
    return {
        **{name: getattr(row, name) for name in NAMES},
        **{
            name: None if value is None else as_tuple(value)
            for name, value in costs.items()
        },
        "proof": None if row.proof is None else str(row.proof),
        "trace": None if row.trace is None else json.dumps(row.trace),
        "grade": None if row.proof is None else row.proof.grade.value,
        "ratio": None if ratios is None else list(map(str, ratios)),
        "ratio_float": None if ratios is None else list(map(float, ratios)),
    }

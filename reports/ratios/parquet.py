"""``results.parquet``: the rows and the verdicts on them, for data frames."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from ...instances import InputError
from ...instances.files import write_bytes
from ..campaigns.row_fields import NAMES
from .scoring import ScoredRun


def arrow() -> Any:
    """Return pyarrow.

    Raises
    ------
    InputError
        When it is not installed; names the extra that installs it.
    """
    try:
        return import_module("pyarrow")
    except ImportError:
        raise InputError(
            "needs pyarrow: pip install 'closeknit[parquet]'", field="--parquet"
        ) from None


def write_parquet(judged: Iterable[ScoredRun], path: Path) -> None:
    """Write the table: fields of `Row`, then ``optimum``, ``ratio``, ``grade``.

    Costs, bounds and optima are lists of integers, one per level; ``ratio`` is text,
    an exact fraction per level, ``ratio_float`` the same as numbers; empty where
    nothing is proved.
    """
    pyarrow, parquet = arrow(), import_module("pyarrow.parquet")
    integers, text = pyarrow.list_(pyarrow.int64()), pyarrow.string()
    kinds = {
        **dict.fromkeys(NAMES, text),
        **dict.fromkeys(("shape", "selection", "cost", "bound"), integers),
        **dict.fromkeys(("n", "k", "d", "locations", "seed"), pyarrow.int64()),
        **dict.fromkeys(("node_limit", "memory_limit"), pyarrow.int64()),
        **dict.fromkeys(("repeat", "memory_peak"), pyarrow.int64()),
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
    row = one.row
    record = {name: getattr(row, name) for name in NAMES}
    for name, value in (
        ("cost", row.cost),
        ("bound", row.bound),
        ("optimum", one.verdict.optimum),
    ):
        record[name] = [value] if isinstance(value, int) else value
    ratios = one.ratios
    return {
        **record,
        "proof": None if row.proof is None else str(row.proof),
        "grade": None if row.proof is None else row.proof.grade.value,
        "ratio": None if ratios is None else [str(ratio) for ratio in ratios],
        "ratio_float": None if ratios is None else [float(r) for r in ratios],
    }

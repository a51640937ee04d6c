"""Rows as plain data, written and read back; inconsistent rows are refused."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from typing import Any

from ...instances import InputError, fields
from ...instances.value import shape
from ...solvers import Grade, Limit, Proof, Result, Status
from .rows import FAILED, REFUSED, Row

NAMES = tuple(Row.__dataclass_fields__)
"""Fields of a row, in their order."""
_OPTIONAL = (
    *("cost", "bound", "proof", "limit", "seconds", "selection", "error"),
    *("node_limit", "memory_limit", "repeat", "memory_peak", "solvers"),
)
_STATUSES = (*(status.value for status in Status), REFUSED, FAILED)


def document_of(row: Row) -> dict[str, Any]:
    """Return the fields of a row that are not empty: numbers, text, lists."""
    document = {name: getattr(row, name) for name in NAMES}
    document["proof"] = str(row.proof) if row.proof else None
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in document.items()
        if name not in _OPTIONAL or value not in (None, "")
    }


def parse_row(document: Any) -> Row:
    """Read a row back; InputError naming the field that is not as it should be."""
    found: Mapping[str, Any] = fields.objects(document, "row")
    needed = [name for name in NAMES if name not in _OPTIONAL]
    fields.only(dict(found), NAMES, needed, "")
    text = {
        name: fields.string(found.get(name, ""), name)
        for name in (
            *("instance", "sha256", "problem", "topology", "method", "status"),
            *("error", "version", "python", "solvers", "machine", "finished"),
        )
    }
    _one_of(text["status"], _STATUSES, "status")
    numbers = {
        name: fields.integer(found[name], name)
        for name in ("n", "k", "d", "locations", "seed")
    }
    counts = {
        name: None if found.get(name) is None else fields.integer(found[name], name)
        for name in ("node_limit", "memory_limit", "memory_peak")
    }
    limit, selection = found.get("limit"), found.get("selection")
    if limit is not None:
        _one_of(limit, tuple(member.value for member in Limit), "limit")
    row = Row(
        **text,  # type: ignore[arg-type]
        **numbers,  # type: ignore[arg-type]
        **counts,  # type: ignore[arg-type]
        repeat=fields.integer(found.get("repeat", 0), "repeat"),
        shape=fields.integers(found["shape"], "shape"),
        time_limit=_number(found["time_limit"], "time_limit"),
        cost=fields.optional_cost(found.get("cost"), "cost"),
        bound=fields.optional_cost(found.get("bound"), "bound"),
        proof=_proof(found.get("proof")),
        limit=limit,
        seconds=None
        if found.get("seconds") is None
        else _number(found["seconds"], "seconds"),
        selection=None
        if selection is None
        else fields.integers(selection, "selection"),
    )
    _consistent(row)
    return row


def _consistent(row: Row) -> None:
    """Let `Result` refuse what contradicts itself."""
    for field, value in (("cost", row.cost), ("bound", row.bound)):
        if row.problem == "procset" and value is not None and shape(value) != row.d:
            raise InputError(f"must have {row.d} levels", field=field, value=value)
    if not row.ran:
        if row.cost is not None or row.bound is not None or not row.error:
            raise InputError(
                "disagrees with the rest", field="status", value=row.status
            )
        return
    try:
        Result(
            status=Status(row.status),
            chosen=row.selection,
            objective=row.cost,
            bound=row.bound,
            proof=row.proof,
        )
    except ValueError as error:
        raise InputError(str(error), field="status") from None
    if row.seconds is None:
        raise InputError("is missing", field="seconds")


def _one_of(value: object, known: tuple[str, ...], field: str) -> None:
    if value not in known:
        raise InputError(f"must be one of {', '.join(known)}", field=field, value=value)


def _number(value: Any, field: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise InputError("must be a number", field=field, value=value)
    number = float(value)
    if not isfinite(number) or number < 0:
        raise InputError("must be at least 0", field=field, value=number)
    return number


def _proof(value: Any) -> Proof | None:
    if value is None:
        return None
    grade, _, by = fields.string(value, "proof").partition(": ")
    _one_of(grade, tuple(member.value for member in Grade), "proof")
    if not by:
        raise InputError("must name its source", field="proof", value=value)
    return Proof(Grade(grade), by)

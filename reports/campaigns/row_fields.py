"""Rows as plain data, written and read back; inconsistent rows are refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from math import isfinite
from typing import Any

from ...instances import InputError
from ...instances.reading import fields
from ...instances.value import Value, shape
from ...solvers import Grade, Limit, Proof, Result, Status
from .rows import FAILED, REFUSED, Row
from .trace import MOST, Point, Trace

NAMES = tuple(Row.__dataclass_fields__)
"""Fields of a row, in their order."""
_OPTIONAL = (
    *("cost", "bound", "proof", "limit", "seconds", "selection", "error"),
    *("node_limit", "memory_limit", "repeat", "memory_peak", "trace", "solvers"),
    "code",
)
_NULLABLE = [name for name in NAMES if Row.__dataclass_fields__[name].default is None]
_STATUSES = (*(status.value for status in Status), REFUSED, FAILED)


def document_of(row: Row) -> dict[str, Any]:
    """Return the fields of a row that are not empty: numbers, text, lists."""
    document = {name: getattr(row, name) for name in NAMES}
    document["proof"] = str(row.proof) if row.proof else None
    return {
        name: _lists(value)
        for name, value in document.items()
        if name not in _OPTIONAL or value not in (None, "")
    }


def _lists(value: Any) -> Any:
    return [_lists(one) for one in value] if isinstance(value, tuple) else value


def parse_row(document: Any) -> Row:
    """Read a row back; InputError naming the field that is not as it should be."""
    found: Mapping[str, Any] = fields.objects(document, "row")
    needed = [name for name in NAMES if name not in _OPTIONAL]
    fields.only(dict(found), NAMES, needed, "")
    row = Row(
        **{
            name: _READERS[name](value, name)
            for name, value in found.items()
            if value is not None or name not in _NULLABLE
        }
    )
    _consistent(row)
    return row


def _consistent(row: Row) -> None:
    """Let `Result` refuse what contradicts itself."""
    for field, value in (("cost", row.cost), ("bound", row.bound)):
        if row.problem == "procset" and value is not None and shape(value) != row.d:
            raise InputError(f"must have {row.d} levels", field, value)
    if not row.ran:
        if row.cost is not None or row.bound is not None or not row.error:
            raise InputError("disagrees with the rest", "status", row.status)
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
        raise InputError(str(error), "status") from None
    if row.seconds is None:
        raise InputError("is missing", "seconds")


def _one_of(value: object, known: tuple[str, ...], field: str) -> None:
    if value not in known:
        raise InputError(f"must be one of {', '.join(known)}", field, value)


def _number(value: Any, field: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise InputError("must be a number", field, value)
    number = float(value)
    if not isfinite(number) or number < 0:
        raise InputError("must be at least 0", field, number)
    return number


def _proof(value: Any, field: str) -> Proof:
    grade, _, by = fields.string(value, field).partition(": ")
    _one_of(grade, tuple(member.value for member in Grade), field)
    if not by:
        raise InputError("must name its source", field, value)
    return Proof(Grade(grade), by)


def _status(value: Any, field: str) -> str:
    status = fields.string(value, field)
    _one_of(status, _STATUSES, field)
    return status


def _limit(value: Any, field: str) -> Any:
    _one_of(value, tuple(member.value for member in Limit), field)
    return value


def _optional_cost(value: Any, field: str) -> Value | None:
    """Return a cost, or None if there is none."""
    return None if value is None else fields.cost(value, field)


def _trace(value: Any, field: str) -> Trace:
    """Return the points of a run; those that go backwards are refused."""
    points = fields.lists(value, field)
    if len(points) > MOST:
        raise InputError(f"has more than {MOST} points", field)
    trace: list[Point] = []
    for i, point in enumerate(points):
        where = f"{field}[{i}]"
        parts = fields.lists(point, where)
        if len(parts) != 3:
            raise InputError("must be seconds, cost and bound", where)
        cost = _optional_cost(parts[1], where)
        if cost is None:
            raise InputError("has no cost", where)
        bound = _optional_cost(parts[2], where)
        trace.append((_number(parts[0], where), cost, bound))
        if i and trace[-1][0] < trace[-2][0]:
            raise InputError("is earlier than the one before", where)
    return tuple(trace)


_READERS: Mapping[str, Callable[[Any, str], Any]] = {
    **dict.fromkeys(NAMES, fields.string),
    **dict.fromkeys(("n", "k", "d", "locations", "seed", "repeat"), fields.integer),
    **dict.fromkeys(("node_limit", "memory_limit", "memory_peak"), fields.integer),
    **dict.fromkeys(("time_limit", "seconds"), _number),
    **dict.fromkeys(("shape", "selection"), fields.integers),
    **dict.fromkeys(("cost", "bound"), _optional_cost),
    "status": _status,
    "limit": _limit,
    "proof": _proof,
    "trace": _trace,
}

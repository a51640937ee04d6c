"""One run of one method on one instance, as a line of ``results.jsonl``."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import Any

from ..instances import InputError, Instance, Value, fields, problem_of, sha256
from ..instances.files import parse_json
from ..instances.value import shape
from ..solvers import Grade, Limit, Proof, Result, Settings, Status

REFUSED = "refused"
"""The method does not take this instance."""
FAILED = "failed"
"""The method broke, or its process did."""
_STATUSES = (*(status.value for status in Status), REFUSED, FAILED)

Key = tuple[str, str, str, float, int, str]
"""What makes a run the same run: see `Row.key`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What came of one run, and of what.

    Parameters
    ----------
    instance, sha256
        Its name, and the digest of what defines it.
    topology, shape
        Kind of network, and its sides (number of points, of tree nodes); for other
        problems see `Facts`.
    n, k, d, locations
        Free processors, how many to choose, axes, processors free or busy; or
        again `Facts`.
    method, time_limit, seed
        What was run, and how.
    status
        One of `Status`, or ``refused`` or ``failed``; then ``error`` says why.
    cost, bound, proof, limit, seconds, selection
        As in `Result`; the selection lists indices.
    version, python, machine, finished
        Of closeknit and of the computer; when it ended (UTC).
    """

    instance: str
    sha256: str
    problem: str = "ksubset"
    topology: str
    shape: tuple[int, ...]
    n: int
    k: int
    d: int
    locations: int
    method: str
    time_limit: float
    seed: int
    status: str
    cost: Value | None = None
    bound: Value | None = None
    proof: Proof | None = None
    limit: str | None = None
    seconds: float | None = None
    selection: tuple[int, ...] | None = None
    error: str = ""
    version: str
    python: str
    machine: str
    finished: str

    @property
    def key(self) -> Key:
        """Instance, method, limits, seed and version: run twice, it is one run."""
        return (
            self.sha256,
            self.instance,
            self.method,
            self.time_limit,
            self.seed,
            self.version,
        )

    @property
    def ran(self) -> bool:
        """Whether the method answered at all."""
        return self.status not in (REFUSED, FAILED)


def row_of(
    instance: Instance,
    method: str,
    settings: Settings,
    outcome: Result | str,
    status: str,
) -> Row:
    """Make the row of a run.

    Parameters
    ----------
    instance, method, settings
        What was run.
    outcome
        What it returned, or why it returned nothing.
    status
        ``refused`` or ``failed``; not looked at when there is a result.
    """
    problem = problem_of(instance)
    facts = problem.facts(instance)
    shared: dict[str, Any] = {
        "instance": instance.name,
        "sha256": sha256(instance),
        "problem": problem.name,
        "topology": facts.structure,
        "shape": facts.shape,
        "n": facts.n,
        "k": facts.k,
        "d": facts.d,
        "locations": facts.locations,
        "method": method,
        "time_limit": settings.time_limit,
        "seed": settings.seed,
        "version": version("closeknit"),
        "python": platform.python_version(),
        "machine": machine(),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    if isinstance(outcome, str):
        return Row(**shared, status=status, error=outcome)
    return Row(
        **shared,
        status=outcome.status.value,
        cost=outcome.objective,
        bound=outcome.bound,
        proof=outcome.proof,
        limit=outcome.limit.value if outcome.limit else None,
        seconds=round(outcome.seconds, 6),
        selection=outcome.chosen,
    )


def key_of(instance: Instance, method: str, settings: Settings) -> Key:
    """Return the key that the row of a run will have."""
    return (
        sha256(instance),
        instance.name,
        method,
        settings.time_limit,
        settings.seed,
        version("closeknit"),
    )


@cache
def machine() -> str:
    """Name system, processor and their number; no host name."""
    model = ""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(errors="replace").splitlines()
        named = (line for line in lines if line.startswith("model name"))
        model = next(named, "").partition(":")[2].strip()
    parts = [f"{platform.system()} {platform.machine()}", model]
    return ", ".join([*filter(None, parts), f"{os.cpu_count()} CPUs"])


_NAMES = tuple(Row.__dataclass_fields__)
_OPTIONAL = ("cost", "bound", "proof", "limit", "seconds", "selection", "error")


def line_of(row: Row) -> str:
    """Write a row as one line of JSON, without its end; empty fields are left out."""
    document = {name: getattr(row, name) for name in _NAMES}
    document["proof"] = str(row.proof) if row.proof else None
    kept = {
        name: value
        for name, value in document.items()
        if name not in _OPTIONAL or value not in (None, "")
    }
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def parse_row(line: str) -> Row:
    """Read a row back.

    Raises
    ------
    InputError
        Naming the field that is not as it should be.
    """
    found = fields.objects(parse_json(line), "row")
    needed = [name for name in _NAMES if name not in _OPTIONAL]
    fields.only(found, _NAMES, needed, "")
    text = {
        name: fields.string(found.get(name, ""), name)
        for name in (
            *("instance", "sha256", "problem", "topology", "method", "status"),
            *("error", "version", "python", "machine", "finished"),
        )
    }
    _one_of(text["status"], _STATUSES, "status")
    numbers = {
        name: fields.integer(found[name], name)
        for name in ("n", "k", "d", "locations", "seed")
    }
    limit, selection = found.get("limit"), found.get("selection")
    if limit is not None:
        _one_of(limit, tuple(member.value for member in Limit), "limit")
    row = Row(
        **text,  # type: ignore[arg-type]
        **numbers,  # type: ignore[arg-type]
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
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
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
        raise InputError("must name who vouches", field="proof", value=value)
    return Proof(Grade(grade), by)

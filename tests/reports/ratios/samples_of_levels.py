"""Small ratio reports on costs of several levels, and infeasible instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from closeknit.instances import Instance, ProcessorSet, ProcSet, Sukp
from closeknit.reports.campaigns.rows import Row, row_of
from closeknit.reports.ratios.report import Report, report_on
from closeknit.solvers import DEFAULT, Grade, Proof
from closeknit.solvers.running.method import AnyMethod, Method

from ...toys import first

PAIR = ProcessorSet("pair", (0, 1), (1, 0, 2))
A, B, C = (
    ProcSet(name, ("h1.1", "h1.2", "h2.1"), (0, 1, 2), request, (PAIR,))
    for name, request in (("a", 1), ("b", 2), ("c", 4))
)


BAG = Sukp("bag", (5, 4, 3), (3, 3, 2), ((0, 1), (1, 2), ()), 6)


TABLE: dict[str, AnyMethod] = {
    "near": Method("near", first),
    "auto": Method("auto", first, exact=True),
}


TABLES = {"ksubset": TABLE, "procset": TABLE, "sukp": TABLE}


SOLVER = Proof(Grade.SOLVER, "x")


def row(instance: Instance, method: str, **values: object) -> Row:
    plain = row_of(instance, method, DEFAULT, "by hand", "failed")
    given = {"status": "feasible", "error": "", "seconds": 0.5, "selection": (0, 1)}
    return replace(plain, **{**given, **values})  # type: ignore[arg-type]


def proved(instance: Instance, value: object, method: str = "auto") -> Row:
    given = {"cost": value, "bound": value, "status": "optimal", "proof": SOLVER}
    return row(instance, method, **given)


def infeasible(instance: Instance, method: str) -> Row:
    counting = Proof(Grade.CHECKED, "counting")
    return row(instance, method, status="infeasible", selection=None, proof=counting)


def report(*rows: Row, on: Sequence[Instance] = (A, B, C, BAG)) -> Report:
    return report_on(on, rows, TABLES)


def full() -> Report:
    return report(
        proved(A, (8, 0, 2)),
        row(A, "near", cost=(10, 1, 1), selection=(0,)),
        row(B, "auto", cost=(8, 6, 2), bound=(8, 4, 9), proof=SOLVER, limit="time"),
        row(B, "near", cost=(8, 12, 0)),
        infeasible(C, "auto"),
        infeasible(C, "near"),
        replace(proved(BAG, 4), selection=(0, 2)),
        row(BAG, "near", cost=7, selection=(0,)),
    )

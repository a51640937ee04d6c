"""Small ratio reports that several tests read."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from closeknit.instances import KSubset
from closeknit.reports.campaigns.rows import Row
from closeknit.reports.ratios.report import Report, report_on
from closeknit.solvers import Grade, Proof
from closeknit.solvers.running.method import AnyMethod, Method

from ...toys import cheapest, first, last, line, made, optimal, small

A, B, C = small("a", 3), small("b", 4, busy=2), line("c", 0, 1, 5, 9, k=3)


def seven_quarters(instance: KSubset) -> Fraction:
    return Fraction(7, 4)


TABLE: dict[str, AnyMethod] = {
    "near": Method("near", first, guarantee=seven_quarters),
    "far": Method("far", last),
    "auto": Method("auto", cheapest, exact=True),
}


METHODS = {"ksubset": TABLE}


def rows() -> list[Row]:
    """Three instances: the last is not proven."""
    return [
        made(A, "near", cost=7, selection=(0, 1, 2), seconds=0.001),
        made(A, "far", cost=8, selection=(0, 1, 11)),
        optimal(A, "auto", 4, selection=(0, 1, 4)),
        made(B, "near", cost=8, selection=(0, 1, 4, 5)),
        made(B, "far", cost=12, selection=(0, 1, 2, 9)),
        optimal(B, "auto", 8, selection=(0, 1, 4, 5)),
        made(C, "near", cost=10, selection=(0, 1, 2)),
        made(C, "far", cost=16, selection=(1, 2, 3)),
        made(
            C,
            "auto",
            cost=10,
            bound=8,
            proof=Proof(Grade.SOLVER, "cp-sat 9.15"),
            limit="time",
            selection=(0, 1, 2),
        ),
    ]


def report(found: Sequence[Row] | None = None, witnesses: Sequence[Row] = ()) -> Report:
    return report_on(
        [A, B, C], rows() if found is None else found, METHODS, witnesses=witnesses
    )

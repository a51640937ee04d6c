"""Measures of the rows of Morgenstern's tables, ours and the printed ones."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from .printed import Printed
from .runs import FIVE, RUNS, Group, Laboratory, Mean, relative

_SLOW = {("64", "fs-f"), ("1024", "mbv")}
"""Run five times only: they take longest, and fs-f places as iss does."""

Part = tuple[Group, list[Printed]]
"""A group, and its rows in the paper."""


def count(group: Group, method: str) -> int:
    """Return how often a method is run."""
    return FIVE if (group.name, method) in _SLOW else RUNS


def run_all(laboratory: Laboratory, group: Group, row: Printed) -> None:
    """Run a method as often as its number of runs demands."""
    for run in range(count(group, row.method)):
        judged = run < FIVE and bool(row.migration_fragmentation_pct)
        laboratory.measured(group, row.method, run, judged=judged)


def values_of(
    laboratory: Laboratory, group: Group, row: Printed, name: str, runs: int = RUNS
) -> list[float]:
    """Return the mean of a measure over the runs."""
    runs = min(runs, count(group, row.method))
    judged = bool(row.migration_fragmentation_pct)
    return [
        value
        for run in range(runs)
        if (
            value := getattr(
                laboratory.measured(
                    group, row.method, run, judged=judged and run < FIVE
                ),
                name,
            )
        )
        is not None
    ]


def off(ours: float, paper: float) -> float:
    """Return by how many per cent a figure differs from the paper's."""
    return 100 * (ours / paper - 1)


def deviations(
    laboratory: Laboratory, parts: Sequence[Part], name: str
) -> list[tuple[float, Group, Printed]]:
    """Return by how many per cent each row's mean differs from the paper's."""
    return [
        (off(fmean(values_of(laboratory, g, row, name)), getattr(row, name)), g, row)
        for g, rows in parts
        for row in rows
    ]


def ranked(rows: Sequence[Printed]) -> list[Printed]:
    """Order rows by the printed values; of equivalent methods, keep the first."""
    kept = {row.completion_time: row for row in reversed(rows)}
    return sorted(kept.values(), key=lambda row: row.completion_time)


def gap_of(laboratory: Laboratory, group: Group, a: Printed, b: Printed) -> Mean:
    """Return by how many per cent a method takes longer than another, run by run."""
    runs = min(count(group, a.method), count(group, b.method))
    return relative(
        values_of(laboratory, group, b, "completion_time", runs),
        values_of(laboratory, group, a, "completion_time", runs),
    )

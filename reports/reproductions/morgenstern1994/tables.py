"""The tables of Morgenstern 1994, with our figures next to the printed ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

from ...pages.document import Cell, Table
from .measures import Part, gap_of, off, ranked, values_of
from .runs import FIVE, Laboratory, mean

STEPS = ("steps_per_success", "steps_per_failure", "steps_per_attempt")


def ranking(laboratory: Laboratory, parts: Sequence[Part]) -> Table:
    """Compare each method with the next better one."""
    rows: list[tuple[Cell, ...]] = []
    for group, printed in parts:
        for a, b in pairwise(ranked(printed)):
            gap = gap_of(laboratory, group, a, b)
            rows.append(
                (
                    group.name,
                    b.method,
                    a.method,
                    off(b.completion_time, a.completion_time),
                    gap.value,
                    gap.half,
                    gap.n,
                )
            )
    return Table(
        name="ranking",
        caption="By how many per cent a method takes longer than the next better one, "
        "run by run",
        columns=("*sides", "*method", "*than", "paper", "ours", "± 95 %", "runs"),
        rows=rows,
    )


def times(laboratory: Laboratory, parts: Sequence[Part], whole: bool = True) -> Table:
    """Compare completion times and utilisation with the paper's.

    Of queues of another length than the paper's, the time is not compared.
    """
    rows: list[tuple[Cell, ...]] = []
    for group, printed in parts:
        for row in printed:
            cells: list[Cell] = [group.name, row.method]
            for name in ("completion_time", "utilization_pct"):
                values = values_of(laboratory, group, row, name)
                found = mean(values)
                alike = whole or name != "completion_time"
                paper = getattr(row, name) if alike else None
                cells += [
                    paper,
                    fmean(values[:FIVE]),
                    found.value,
                    found.half,
                    None if paper is None else off(found.value, paper),
                ]
            rows.append((*cells, found.n))
    heads = [
        f"{what}{part}"
        for what in ("completion time", "utilisation %")
        for part in (", paper", f", {FIVE} runs", ", all runs", " ± 95 %", ", off %")
    ]
    return Table(
        name="times",
        caption="Completion time and utilisation",
        columns=("*sides", "*method", *heads, "runs"),
        rows=rows,
    )


def work(laboratory: Laboratory, parts: Sequence[Part], requests: int) -> Table:
    """Compare the work of the paper's queues with ours: time x utilisation."""
    rows: list[tuple[Cell, ...]] = []
    for group, printed in parts:
        works = [
            r.completion_time * r.utilization_pct / 100 / requests for r in printed
        ]
        values = [
            t * u / 100 / group.requests
            for t, u in zip(
                values_of(laboratory, group, printed[-1], "completion_time"),
                values_of(laboratory, group, printed[-1], "utilization_pct"),
                strict=True,
            )
        ]
        found = mean(values)
        rows.append(
            (
                group.name,
                min(works),
                max(works),
                fmean(values[:FIVE]),
                found.value,
                found.half,
            )
        )
    return Table(
        name="work",
        caption="Work of a request, in whole meshes times time, on average; the "
        "paper's from its rows, which should be equal but for rounding",
        columns=(
            "*sides",
            "paper, least",
            "paper, most",
            f"ours, {FIVE} runs",
            "ours, all runs",
            "± 95 %",
        ),
        rows=rows,
    )


def fragmentation(laboratory: Laboratory, parts: Sequence[Part]) -> Table:
    """Compare both fragmentations, and boxes held, with the paper's."""
    rows: list[tuple[Cell, ...]] = []
    for group, printed in parts:
        for row in printed:
            external = mean(
                values_of(laboratory, group, row, "external_fragmentation_pct")
                or [float("nan")]
            )
            migration = values_of(
                laboratory, group, row, "migration_fragmentation_pct", FIVE
            )
            held = mean(values_of(laboratory, group, row, "mean_allocated"))
            rows.append(
                (
                    group.name,
                    row.method,
                    row.external_fragmentation_pct,
                    external.value,
                    external.half,
                    row.migration_fragmentation_pct,
                    0.0
                    if row.method == "mig"
                    else fmean(migration)
                    if migration
                    else None,
                    row.mean_allocated,
                    held.value,
                )
            )
    return Table(
        name="fragmentation",
        caption="External and migration fragmentation, and boxes held at an attempt",
        columns=(
            "*sides",
            "*method",
            "external %, paper",
            "external %, ours",
            "± 95 %",
            "migration %, paper",
            f"migration %, {FIVE} runs",
            "held, paper",
            "held, ours",
        ),
        rows=rows,
    )


def steps(laboratory: Laboratory, parts: Sequence[Part]) -> Table:
    """Compare steps with the paper's."""
    rows: list[tuple[Cell, ...]] = []
    for group, printed in parts:
        for row in printed:
            if row.steps_per_success is None:
                continue
            cells: list[Cell] = [group.name, row.method]
            for name in STEPS:
                values = values_of(laboratory, group, row, name, FIVE)
                cells += [getattr(row, name), fmean(values) if values else None]
            rows.append(tuple(cells))
    heads = [
        f"{name.removeprefix('steps_per_')}, {whose}"
        for name in STEPS
        for whose in ("paper", "ours")
    ]
    return Table(
        name="steps",
        caption="Steps of a success, a failure, an attempt",
        columns=("*sides", "*method", *heads),
        rows=rows,
    )

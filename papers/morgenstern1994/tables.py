"""The tables of Morgenstern 1994, with our figures next to the printed ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

from ...reports.pages.document import Cell, Table
from .runs import FIVE, Laboratory, Part, gap_of, mean, off, rank, values_of


def ranking(laboratory: Laboratory, parts: Sequence[Part]) -> Table:
    """Compare each method with the next better one."""
    rows: list[dict[str, Cell]] = []
    for group, printed in parts:
        for a, b in pairwise(rank(printed)):
            gap = gap_of(laboratory, group, a, b)
            rows.append(
                {
                    "*sides": group.name,
                    "*method": b.method,
                    "*than": a.method,
                    "paper": off(b.completion_time, a.completion_time),
                    "ours": gap.value,
                    "± 95 %": gap.half,
                    "runs": gap.n,
                }
            )
    return Table.of(
        "ranking",
        "By how many per cent a method takes longer than the next better one, run by "
        "run",
        rows,
    )


def times(laboratory: Laboratory, parts: Sequence[Part], whole: bool = True) -> Table:
    """Compare completion times and utilisation with the paper's.

    Of queues of another length than the paper's, the time is not compared.
    """
    rows: list[dict[str, Cell]] = []
    for group, printed in parts:
        for row in printed:
            cells: dict[str, Cell] = {"*sides": group.name, "*method": row.method}
            for what, name, alike in (
                ("completion time", "completion_time", whole),
                ("utilisation %", "utilization_pct", True),
            ):
                values = values_of(laboratory, group, row, name)
                found = mean(values)
                paper = getattr(row, name) if alike else None
                cells |= {
                    f"{what}, paper": paper,
                    f"{what}, {FIVE} runs": fmean(values[:FIVE]),
                    f"{what}, all runs": found.value,
                    f"{what} ± 95 %": found.half,
                    f"{what}, off %": paper and off(found.value, paper),
                }
            rows.append({**cells, "runs": found.n})
    return Table.of("times", "Completion time and utilisation", rows)


def work(laboratory: Laboratory, parts: Sequence[Part], requests: int) -> Table:
    """Compare the work of the paper's queues with ours: time x utilisation."""
    rows: list[dict[str, Cell]] = []
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
            {
                "*sides": group.name,
                "paper, least": min(works),
                "paper, most": max(works),
                f"ours, {FIVE} runs": fmean(values[:FIVE]),
                "ours, all runs": found.value,
                "± 95 %": found.half,
            }
        )
    return Table.of(
        "work",
        "Work of a request, in whole meshes times time, on average; the paper's from "
        "its rows, which should be equal but for rounding",
        rows,
    )


def fragmentation(laboratory: Laboratory, parts: Sequence[Part]) -> Table:
    """Compare both fragmentations, and boxes held, with the paper's."""
    rows: list[dict[str, Cell]] = []
    for group, printed in parts:
        for row in printed:
            external = mean(
                values_of(laboratory, group, row, "external_fragmentation_pct")
                or [float("nan")]
            )
            judged = values_of(
                laboratory, group, row, "migration_fragmentation_pct", FIVE
            )
            if row.method == "mig":
                judged = [0.0]
            held = mean(values_of(laboratory, group, row, "mean_allocated"))
            rows.append(
                {
                    "*sides": group.name,
                    "*method": row.method,
                    "external %, paper": row.external_fragmentation_pct,
                    "external %, ours": external.value,
                    "± 95 %": external.half,
                    "migration %, paper": row.migration_fragmentation_pct,
                    f"migration %, {FIVE} runs": fmean(judged) if judged else None,
                    "held, paper": row.mean_allocated,
                    "held, ours": held.value,
                }
            )
    return Table.of(
        "fragmentation",
        "External and migration fragmentation, and boxes held at an attempt",
        rows,
    )


def steps(laboratory: Laboratory, parts: Sequence[Part]) -> Table:
    """Compare steps with the paper's."""
    rows: list[dict[str, Cell]] = []
    for group, printed in parts:
        for row in printed:
            if row.steps_per_success is None:
                continue
            cells: dict[str, Cell] = {"*sides": group.name, "*method": row.method}
            for name in ("success", "failure", "attempt"):
                measure = f"steps_per_{name}"
                values = values_of(laboratory, group, row, measure, FIVE)
                cells[f"{name}, paper"] = getattr(row, measure)
                cells[f"{name}, ours"] = fmean(values) if values else None
            rows.append(cells)
    return Table.of("steps", "Steps of a success, a failure, an attempt", rows)

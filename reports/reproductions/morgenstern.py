"""Tables 1 to 3 of Morgenstern 1994: every method on the same queues of requests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean

from ...simulation.submesh_stream import Normal, Uniform
from ..study import Cell, Finding, Section, Study, Table
from .catalogue import Order
from .morgenstern_printed import TABLE_1, TABLE_2, TABLE_3, Printed
from .morgenstern_runs import (
    FIVE,
    RUNS,
    SECONDS,
    Group,
    Laboratory,
    Mean,
    mean,
    relative,
)

NEAR = 4.0
"""Per cent by which our completion time and utilisation should be off, at most."""
_STEPS = ("steps_per_success", "steps_per_failure", "steps_per_attempt")
_SLOW = {("64", "fs-f"), ("1024", "mbv")}
"""Run five times only: they take longest, and fs-f places as iss does."""


def table1(order: Order) -> Study:
    """256x256, sides uniform and normal, as asked."""
    return _small(order, "morgenstern-table1", rotate=False)


def table2(order: Order) -> Study:
    """256x256, sides uniform and normal, requests may be turned."""
    return _small(order, "morgenstern-table2", rotate=True)


def _small(order: Order, name: str, *, rotate: bool) -> Study:
    n = order.first or 1000
    turned = ", turned" if rotate else ""
    groups = [
        Group(f"uniform{turned}", (256, 256), n, Uniform(1, 256), rotate),
        Group(f"normal{turned}", (256, 256), n, Normal(128, 43), rotate),
    ]
    printed = TABLE_2 if rotate else TABLE_1
    rows = [
        (group, [row for row in printed if row.group == group.name.split(",")[0]])
        for group in groups
    ]
    how = "with" if rotate else "without"
    return _study(
        order,
        name,
        f"Allocation in a 256x256 mesh, {how} rotation",
        f"Morgenstern 1994, Table {2 if rotate else 1}",
        rows,
    )


def table3(order: Order) -> Study:
    """1024x1024, sides uniform up to 1024, 512, 256, 128 and 64."""
    n = order.first or 4000
    rows = []
    for longest in (1024, 512, 256, 128, 64):
        group = Group(str(longest), (1024, 1024), n, Uniform(1, longest))
        rows.append((group, [row for row in TABLE_3 if row.group == group.name]))
    return _study(
        order,
        "morgenstern-table3",
        "Allocation in a 1024x1024 mesh, the longest side from 1024 down to 64",
        "Morgenstern 1994, Table 3",
        rows,
        doubt=rows[1][0],
    )


Part = tuple[Group, list[Printed]]


def _study(
    order: Order,
    name: str,
    title: str,
    source: str,
    parts: Sequence[Part],
    doubt: Group | None = None,
) -> Study:
    laboratory = Laboratory(order.seed)
    total = sum(len(rows) for _, rows in parts)
    done = 0
    for group, rows in parts:
        for row in rows:
            order.progress(done, total, f"{group.name} {row.method}")
            _runs(laboratory, group, row)
            done += 1
    order.progress(total, total, "")
    findings = [
        *(f for part in parts for f in _statements(laboratory, *part)),
        *_steps_agree(laboratory, parts),
    ]
    if doubt is not None:
        findings.append(_doubt(laboratory, doubt))
    if order.first is not None:
        short = "not the paper's number of requests"
        findings = [replace(f, holds=None, remark=short) for f in findings]
    findings += _slips(parts)
    sections = [
        Section(
            title="Completion time and utilisation",
            text=(_ON_WORK,),
            tables=(_times(laboratory, parts), _work(laboratory, parts)),
        ),
        Section(title="The ranking", tables=(_ranking(laboratory, parts),)),
        Section(title="Fragmentation", tables=(_fragmentation(laboratory, parts),)),
        Section(title="Steps", text=(_ON_STEPS,), tables=(_steps(laboratory, parts),)),
    ]
    return Study(
        name=name,
        title=title,
        source=source,
        lead=_lead(laboratory, parts),
        findings=tuple(findings),
        sections=tuple(sections),
        notes=(*_NOTES, f"{parts[0][0].requests} requests a run, seed {order.seed}."),
    )


_ON_WORK = (
    "Completion time times utilisation is the work of the queue, whatever the method: "
    "sides times residence times. It differs by some per cent from one set of five "
    "runs to another, and completion times with it; utilisation hardly depends on it."
)
_ON_STEPS = (
    "A step is a pointer followed to a node of a list. What is one node, and whether "
    "the search for the place to insert counts, the paper leaves open, so that only "
    "the order of magnitude can agree."
)
_NOTES = (
    f"The paper's figures are means of {FIVE} runs, without intervals. Ours are means "
    f"of {RUNS}, with a 95 % interval of Student; migration fragmentation and steps, "
    f"and whole rows that are slow, of the first {FIVE}.",
    "Run i has the seed plus i; each side and the residence times have a stream of "
    "their own, and every method of a run is given the same queue. Normal sides are "
    "rounded, and drawn again outside 1 to the side of the mesh.",
    "mig lets fs-f try first; on failure the cascade of proofs, packings and CP-SAT "
    "decides whether the residents, not turned, and the request can be packed, within "
    f"{SECONDS:g} s a decision.",
    "External fragmentation is averaged over the failures at which enough processors "
    "were free, migration fragmentation over those that migration would have mended.",
)


def _count(group: Group, method: str) -> int:
    return FIVE if (group.name, method) in _SLOW else RUNS


def _runs(laboratory: Laboratory, group: Group, row: Printed) -> None:
    for run in range(_count(group, row.method)):
        judged = run < FIVE and bool(row.migration_fragmentation_pct)
        laboratory.measured(group, row.method, run, judged=judged)


def _values(
    laboratory: Laboratory, group: Group, row: Printed, name: str, runs: int = RUNS
) -> list[float]:
    """Return a measure over the runs; judged runs measure the rest alike."""
    runs = min(runs, _count(group, row.method))
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


def _off(ours: float, paper: float) -> float:
    return 100 * (ours / paper - 1)


def _deviations(
    laboratory: Laboratory, parts: Sequence[Part], name: str
) -> list[tuple[float, Group, Printed]]:
    return [
        (_off(fmean(_values(laboratory, g, row, name)), getattr(row, name)), g, row)
        for g, rows in parts
        for row in rows
    ]


def _lead(laboratory: Laboratory, parts: Sequence[Part]) -> tuple[str, ...]:
    words = []
    for name, said in (
        ("completion_time", "completion time"),
        ("utilization_pct", "utilisation"),
    ):
        worst = max(_deviations(laboratory, parts, name), key=lambda d: abs(d[0]))
        words.append(
            f"{said} by {worst[0]:+.1f} % ({worst[2].method}, {worst[1].name})"
        )
    open_ = sum(laboratory.undecided.values())
    mig = (
        f" Every decision of mig was reached within {SECONDS:g} s."
        if not open_
        else f" {open_} decisions of mig stayed open and were taken for a no."
    )
    return (f"Farthest from the paper: {words[0]}, {words[1]}.{mig}",)


def _statements(
    laboratory: Laboratory, group: Group, rows: Sequence[Printed]
) -> Iterator[Finding]:
    """Compare a group with what the table says of it."""
    for name, said in (
        ("completion_time", "completion times"),
        ("utilization_pct", "utilisation"),
    ):
        devs = _deviations(laboratory, [(group, list(rows))], name)
        near = sum(abs(d) <= NEAR for d, _, _ in devs)
        low, high = min(d for d, _, _ in devs), max(d for d, _, _ in devs)
        yield Finding(
            claim=f"{group.name}: {said} of {len(rows)} methods, within {NEAR:g} %",
            paper="as printed",
            ours=f"{near} of {len(rows)}: {low:+.1f} to {high:+.1f} %",
            holds=near == len(rows),
        )
    order = _ranked(rows)
    ours = {
        row.method: fmean(_values(laboratory, group, row, "completion_time", FIVE))
        for row in order
    }
    mine = sorted(ours, key=lambda method: ours[method])
    doubtful = [
        f"{a.method} and {b.method}"
        for a, b in pairwise(order)
        if not _gap(laboratory, group, a, b).differs
    ]
    yield Finding(
        claim=f"{group.name}: ranking by completion time",
        paper=" < ".join(row.method for row in order),
        ours=" < ".join(mine),
        holds=mine == [row.method for row in order],
        remark=f"not told apart: {', '.join(doubtful)}" if doubtful else "",
    )
    same = [row for row in rows if row.method in ("iss", "fs-f", "as", "fs-1")]
    if len(same) > 1:
        times = {
            tuple(_values(laboratory, group, row, "completion_time", FIVE))
            for row in same
        }
        yield Finding(
            claim=f"{group.name}: {', '.join(r.method for r in same)} place alike",
            paper="equal to all digits",
            ours="equal in every run" if len(times) == 1 else "they differ",
            holds=len(times) == 1,
        )


def _ranked(rows: Sequence[Printed]) -> list[Printed]:
    """Order by what is printed; of those that place alike, keep the first."""
    kept = {row.completion_time: row for row in reversed(rows)}
    return sorted(kept.values(), key=lambda row: row.completion_time)


def _gap(laboratory: Laboratory, group: Group, a: Printed, b: Printed) -> Mean:
    runs = min(_count(group, a.method), _count(group, b.method))
    return relative(
        _values(laboratory, group, b, "completion_time", runs),
        _values(laboratory, group, a, "completion_time", runs),
    )


def _ranking(laboratory: Laboratory, parts: Sequence[Part]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for group, printed in parts:
        for a, b in pairwise(_ranked(printed)):
            gap = _gap(laboratory, group, a, b)
            rows.append(
                (
                    group.name,
                    b.method,
                    a.method,
                    _off(b.completion_time, a.completion_time),
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
        rows=tuple(rows),
    )


def _times(laboratory: Laboratory, parts: Sequence[Part]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for group, printed in parts:
        for row in printed:
            cells: list[Cell] = [group.name, row.method]
            for name in ("completion_time", "utilization_pct"):
                values = _values(laboratory, group, row, name)
                found, paper = mean(values), getattr(row, name)
                cells += [
                    paper,
                    fmean(values[:FIVE]),
                    found.value,
                    found.half,
                    _off(found.value, paper),
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
        rows=tuple(rows),
    )


def _work(laboratory: Laboratory, parts: Sequence[Part]) -> Table:
    """Set the paper's queues beside ours: completion time times utilisation."""
    rows: list[tuple[Cell, ...]] = []
    for group, printed in parts:
        works = [r.completion_time * r.utilization_pct / 100 for r in printed]
        values = [
            t * u / 100
            for t, u in zip(
                _values(laboratory, group, printed[-1], "completion_time"),
                _values(laboratory, group, printed[-1], "utilization_pct"),
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
        caption="Work of a queue, in whole meshes times time; the paper's from its "
        "rows, which should be equal but for rounding",
        columns=(
            "*sides",
            "paper, least",
            "paper, most",
            f"ours, {FIVE} runs",
            "ours, all runs",
            "± 95 %",
        ),
        rows=tuple(rows),
    )


def _fragmentation(laboratory: Laboratory, parts: Sequence[Part]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for group, printed in parts:
        for row in printed:
            external = mean(
                _values(laboratory, group, row, "external_fragmentation_pct")
                or [float("nan")]
            )
            migration = _values(
                laboratory, group, row, "migration_fragmentation_pct", FIVE
            )
            held = mean(_values(laboratory, group, row, "mean_allocated"))
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
        rows=tuple(rows),
    )


def _steps(laboratory: Laboratory, parts: Sequence[Part]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for group, printed in parts:
        for row in printed:
            if row.steps_per_success is None:
                continue
            cells: list[Cell] = [group.name, row.method]
            for name in _STEPS:
                values = _values(laboratory, group, row, name, FIVE)
                cells += [getattr(row, name), fmean(values) if values else None]
            rows.append(tuple(cells))
    heads = [
        f"{name.removeprefix('steps_per_')}, {whose}"
        for name in _STEPS
        for whose in ("paper", "ours")
    ]
    return Table(
        name="steps",
        caption="Steps of a success, a failure, an attempt",
        columns=("*sides", "*method", *heads),
        rows=tuple(rows),
    )


def _steps_agree(laboratory: Laboratory, parts: Sequence[Part]) -> Iterator[Finding]:
    """Say how far steps of an attempt are from the paper's, method by method."""
    ratios: dict[str, list[float]] = {}
    for group, printed in parts:
        for row in printed:
            if row.steps_per_attempt is not None:
                ours = _values(laboratory, group, row, "steps_per_attempt", FIVE)
                ratios.setdefault(row.method, []).append(
                    fmean(ours) / row.steps_per_attempt
                )
    for method, found in ratios.items():
        yield Finding(
            claim=f"{method}: steps of an attempt, as a multiple of the paper's",
            paper="1",
            ours=f"{min(found):.2f} to {max(found):.2f}",
            holds=all(0.1 < ratio < 10 for ratio in found),
            remark="judged by the order of magnitude: a factor below ten",
        )


def _slips(parts: Sequence[Part]) -> Iterator[Finding]:
    """Point at rows that contradict the rest of the paper's own table."""
    for group, printed in parts:
        work = sorted(r.completion_time * r.utilization_pct / 100 for r in printed)
        usual = work[len(work) // 2]
        for row in printed:
            own = row.completion_time * row.utilization_pct / 100
            if abs(own / usual - 1) > 0.01:
                yield Finding(
                    claim=f"{group.name}, {row.method}: completion time times "
                    "utilisation is that of the other rows",
                    paper=f"{own:.0f} against {usual:.0f}",
                    ours="equal for all by definition",
                    holds=False,
                    remark=f"{100 * usual / row.completion_time:.2f} % would fit the "
                    f"completion time, {row.utilization_pct} % is printed",
                )
            if row.steps_per_attempt is None:
                continue
            assert row.steps_per_success is not None
            assert row.steps_per_failure is not None
            middle = (row.steps_per_success + row.steps_per_failure) / 2
            if abs(row.steps_per_attempt / middle - 1) > 0.1:
                yield Finding(
                    claim=f"{group.name}, {row.method}: steps of an attempt lie midway "
                    "between those of a success and of a failure",
                    paper=f"{row.steps_per_attempt} between {row.steps_per_success} "
                    f"and {row.steps_per_failure}",
                    ours="midway: nearly every request fails once, on average",
                    holds=False,
                    remark=f"{middle:.2f} would be midway",
                )


def _doubt(laboratory: Laboratory, group: Group) -> Finding:
    """Settle whether mbv beats 4iss where the paper printed no row for mbv."""
    times = {
        method: laboratory.values(group, method, "completion_time", RUNS)
        for method in ("4iss", "mbv")
    }
    gap = relative(times["mbv"], times["4iss"])
    return Finding(
        claim=f"sides to {group.name}: 4iss dominates mbv",
        paper="4iss dominates; no row printed",
        ours=f"mbv takes {gap} % longer than 4iss ({gap.n} runs)",
        holds=gap.value > 0 if gap.differs else None,
        remark="" if gap.differs else "within chance",
    )

"""How much of migration can be decided, from 2 residents to 240, and what that leaves.

Morgenstern 1994 decides whether residents can make room up to ten of them. Here every
state of a simulation is put to a cascade whose steps are counted, and the whole
simulation is run twice: what stays undecided is a no, which gives a schedule that can
be carried out, and then a yes, which gives one that no method can beat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from ...reports.pages.document import Cell, Document, Finding, Section, Table
from ...simulation.submesh.budget import Budget
from ...simulation.submesh.stream import Uniform, queue
from ..catalogue import RunOptions
from .decisions import MigrationCase, Range, by_load, by_residents, share, simulate

SHAPE = (256, 256)
RANGES = (
    (256, 500),
    (183, 500),
    (154, 500),
    (131, 150),
    (102, 150),
    (90, 150),
    (59, 200),
    (42, 250),
    (29, 450),
)
"""Longest side, and requests: 2, 5, 7.5, 11, 20, 26, 60, 120, 240 residents, about."""
FEW = 20
"""Residents up to which nearly everything should be decided."""


def study(options: RunOptions) -> Document:
    """Run the queues of all ranges, undecided as a no and as a yes."""
    budget = Budget()
    simulate(queue((32, 32), 60, Uniform(1, 12)), (32, 32), budget)  # compiled
    ranges = []
    for k, (longest, most) in enumerate(RANGES):
        n = min(most, options.first or most)
        requests = queue(SHAPE, n, Uniform(1, longest), seed=options.seed)

        def progress(k: int = k, longest: int = longest) -> None:
            options.progress(k, len(RANGES), f"sides to {longest}")

        no, asked = simulate(requests, SHAPE, budget, progress=progress)
        yes, again = no, asked
        if any(case.fits is None for case in asked):
            yes, again = simulate(
                requests, SHAPE, budget, generous=True, progress=progress
            )
        undecided = sum(case.fits is None for case in again)
        ranges.append(Range(longest, n, no, yes, asked, undecided))
    options.progress(len(RANGES), len(RANGES), "")
    return _build_document(ranges, budget, options)


def _build_document(
    ranges: Sequence[Range], budget: Budget, options: RunOptions
) -> Document:
    cases = [case for one in ranges for case in one.cases]
    few = [case for case in cases if case.residents <= FEW]
    ten = [case for case in cases if case.residents <= 10]
    many = [case for case in cases if case.residents > FEW]
    exact = [one for one in ranges if not any(c.fits is None for c in one.cases)]
    rest = [one for one in ranges if one not in exact]
    worst = max(rest, key=lambda one: one.bracket, default=None)
    lead = (
        f"Of {len(cases)} decisions, {_answers(cases)} were reached: {_answers(ten)} "
        f"with at most 10 residents, {_answers(few)} with at most {FEW}, "
        f"{_answers(many)} with more. "
        f"{len(exact)} of {len(ranges)} ranges of sides run without an undecided one"
        + (
            f"; in the others the completion time is known to within "
            f"{min(one.bracket for one in rest):.1f} to {worst.bracket:.1f} %."
            if worst
            else "."
        ),
    )
    findings = [
        Finding(
            claim=f"decided with at most {most} residents",
            paper=paper,
            ours=f"{_answers(some)}, longest {_longest(some)}",
            holds=_share_of_answers(some) >= target if some else None,
            criterion=f"at least {target:.0%} of the decisions are reached within the "
            f"budget; {_share_of_answers(some):.2%} are"
            if some
            else "",
        )
        for most, paper, some, target in (
            (10, "all, with the effort of a search", ten, 1.0),
            (FEW, "not at all beyond 10", few, 0.95),
        )
    ]
    findings.append(
        Finding(
            claim=f"decided with more than {FEW} residents",
            paper="not at all",
            ours=f"{_answers(many)}, longest {_longest(many)}",
        )
    )
    return Document(
        name="morgenstern-undecided",
        title="What of migration can be decided, and what the rest is worth",
        source="Morgenstern 1994, section 4, beyond its ten residents",
        lead=lead,
        findings=tuple(findings),
        sections=(_ranges(ranges), _shares(cases), _steps(cases)),
        notes=(
            f"Seed {options.seed}, one queue per range, first come first served on "
            "256x256, sides uniform from 1, residence 5 to 30.",
            f"Budget of a decision: {budget}.",
            "Counted are attempts for which enough processors are free and FS_f finds "
            "no free box, in the run that takes the undecided for a no. The load is "
            "that with the request let in.",
            "Intervals are Wilson's at 95 %, as if decisions were independent of each "
            "other; a request that waits is decided on again after each release.",
            "The bracket: by how much the completion time with every undecided request "
            "turned away exceeds that with every one let in.",
            "Times are processor time of one thread.",
        ),
    )


def _share_of_answers(cases: Sequence[MigrationCase]) -> float:
    return sum(case.fits is not None for case in cases) / len(cases)


def _answers(cases: Sequence[MigrationCase]) -> str:
    if not cases:
        return "none of none"
    return f"{sum(c.fits is not None for c in cases)} of {len(cases)}"


def _longest(cases: Sequence[MigrationCase]) -> str:
    return f"{max((case.seconds for case in cases), default=0):.2g} s"


def _ranges(ranges: Sequence[Range]) -> Section:
    rows: list[dict[str, Cell]] = []
    tight: list[dict[str, Cell]] = []
    for one in ranges:
        times = [case.seconds for case in one.cases]
        head: dict[str, Cell] = {"*sides": f"1 to {one.longest}"}
        rows.append(
            {
                **head,
                "requests": one.requests,
                "mean residents": one.no.mean_allocated,
                "most": max((case.residents for case in one.cases), default=0),
                **share(one.cases).cells,
                "median ms": 1000 * median(times) if times else None,
                "longest s": max(times, default=None),
            }
        )
        tight.append(
            {
                **head,
                "mean residents": one.no.mean_allocated,
                **share(case for case in one.cases if 90 <= case.load < 96).cells,
                "undecided in the yes run": one.again,
                "completion, no": one.no.completion_time,
                "completion, yes": one.yes.completion_time,
                "bracket %": one.bracket,
                "utilisation %, no": one.no.utilization_pct,
                "utilisation %, yes": one.yes.utilization_pct,
            }
        )
    return Section(
        title="Range by range",
        tables=(
            Table.of(
                "ranges", "Decisions of a run that takes the undecided for a no", rows
            ),
            Table.of(
                "bracket",
                "Decisions at 90 to 96 % load; completion time and utilisation with "
                "the undecided as a no and as a yes",
                tight,
            ),
        ),
    )


def _shares(cases: Sequence[MigrationCase]) -> Section:
    few, many = (
        [case for case in cases if (case.residents > FEW) == more]
        for more in (False, True)
    )
    tables = (
        Table.of(
            "residents",
            "Decisions by residents, all ranges together",
            [
                {"*residents": name, **share(some).cells}
                for name, some in by_residents(cases)
            ],
        ),
        Table.of(
            "loads",
            "Decisions by load with the request let in, all ranges together",
            [
                {"*residents": who, "*load %": name, **share(some).cells}
                for who, group in ((f"to {FEW}", few), (f"over {FEW}", many))
                for name, some in by_load(group)
            ],
        ),
    )
    return Section(title="Share decided", tables=tables)


def _steps(cases: Sequence[MigrationCase]) -> Section:
    found = Counter((case.by or "none", case.fits) for case in cases)
    said = {True: "yes", False: "no", None: "undecided"}
    rows = sorted(
        ((by, said[fits], count) for (by, fits), count in found.items()),
        key=lambda row: (row[1], -row[2], row[0]),
    )
    table = Table(
        name="steps",
        caption="What decided",
        columns=("*step", "*answer", "decisions"),
        rows=rows,
    )
    return Section(title="Steps", tables=(table,))

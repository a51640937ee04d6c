"""Losses, correlations and flow times in tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...reports.pages.bootstrap import Estimate
from ...reports.pages.document import Cell, Table
from .choices import BEST, OBJECTIVES, PAIR_SUM, STREAM
from .figures import BUSY, AllRuns
from .machines import LOADS
from .streams import MORE
from .workloads import PATTERNS

Row = dict[str, Cell]
Gap = Callable[[str, str, str], Estimate]


def other_pairs(outcome: AllRuns) -> Iterator[tuple[str, str, Sequence[str], Gap]]:
    """Yield each role, its power and reserve, others, and how much these lose."""
    others = ("contention p=2", STREAM, "contention p=8")
    yield "one job", BEST, others, outcome.gap
    yield "stream", STREAM, ("contention p=2", MORE), outcome.flow


def interval(one: Estimate, digits: int = 0) -> str:
    """Write a number with its interval.

    >>> interval(Estimate(-0.2, -3.4, 2.6)), interval(Estimate(5, 1, 9), 1)
    ('0 [-3, 3]', '5.0 [1.0, 9.0]')
    """
    value, low, high = (
        f"{round(x, digits) + 0.0:.{digits}f}" for x in (one.value, one.low, one.high)
    )
    return f"{value} [{low}, {high}]"


def losses_table(outcome: AllRuns, name: str, loads: Sequence[str]) -> Table:
    """Give what each choice loses, by machine."""
    columns = {one: outcome.losses(one, loads) for one in outcome.machines}
    return Table.of(
        name,
        "Time of one job in per cent above the least of the list, mean over patterns, "
        f"states and loads ({', '.join(loads)})",
        _by_name(next(iter(columns.values())), "choice", columns),
    )


def others_table(outcome: AllRuns) -> Table:
    """Give what others deliver, by machine."""
    columns = {one: outcome.others(one) for one in outcome.machines}
    return Table.of(
        "others",
        "What others deliver per cycle while the job runs, in per cent above that with "
        f"the pair sum ({', '.join(BUSY)})",
        _by_name(next(iter(columns.values())), "choice", columns, 1),
    )


def rho_table(outcome: AllRuns) -> Table:
    """Give the mean correlation of every objective with time, by machine."""
    columns = {
        one: dict(zip(OBJECTIVES, outcome.rhos(one), strict=True))
        for one in outcome.machines
    }
    return Table.of(
        "correlations",
        "Spearman's rho of objectives with the time of the job over the sets of a "
        f"state, mean over patterns, states and loads ({', '.join(BUSY)})",
        _by_name(OBJECTIVES, "objective", columns, 2),
    )


def _by_name(
    names: Sequence[str] | dict[str, Estimate],
    what: str,
    columns: dict[str, dict[str, Estimate]],
    digits: int = 0,
) -> Iterator[Row]:
    for name in names:
        row: Row = {f"*{what}": name}
        row |= {
            f"*{one}": interval(some[name], digits) for one, some in columns.items()
        }
        yield row


def streams_table(outcome: AllRuns, *, run: bool) -> Table:
    """Give flow or run times of every rule against the pair sum, by machine."""
    columns = {
        one: {rule: outcome.flow(one, rule, run=run) for rule in outcome.rules}
        for one in outcome.machines
    }
    rows = [*_by_name(outcome.rules, "rule", columns)]
    busy: Row = {"*rule": "busy, % (pair sum)"}
    busy |= {f"*{one}": f"{100 * outcome.busy(one):.0f}" for one in outcome.machines}
    what = "from start to end" if run else "from submission to end"
    return Table.of(
        "run_times" if run else "flow_times",
        f"Mean time of the jobs of a stream {what}, in per cent above that under the "
        "pair sum, paired by stream",
        [row for row in rows if row["*rule"] != PAIR_SUM] + [busy],
    )


def pairs_table(outcome: AllRuns) -> Table:
    """Give what other powers and reserves lose against those of each role."""
    rows: list[Row] = []
    for role, base, others, gap in other_pairs(outcome):
        for name in others:
            lost = {one: gap(one, name, base) for one in outcome.machines}
            row: Row = {"*role": role, "*instead": name}
            rows.append(row | {f"*{one}": interval(x, 1) for one, x in lost.items()})
    return Table.of(
        "pairs",
        f"Other powers and reserves: per cent of time lost more than by {BEST} (one "
        f"job), and flow time above that under {STREAM} (stream)",
        rows,
    )


def cells_table(outcome: AllRuns) -> Table:
    """Give every cell in numbers."""
    rows: list[Row] = []
    for machine in outcome.machines:
        for load in LOADS:
            for i, pattern in enumerate(PATTERNS):
                for name, one in outcome.losses(machine, [load], i).items():
                    row: Row = {"*machine": machine, "*load": load, "*pattern": pattern}
                    row |= {"*choice": name, "loss, %": one.value}
                    rows.append(row | {"from": one.low, "to": one.high})
    return Table.of("cells", "What each choice loses in every cell", rows)

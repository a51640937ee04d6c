"""The statements of Morgenstern's tables, and whether our runs agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import fmean

from ...reports.pages.document import Finding
from .printed import Printed
from .runs import (
    FIVE,
    RUNS,
    SECONDS,
    Laboratory,
    Part,
    RunGroup,
    deviations,
    gap_of,
    rank,
    relative,
    values_of,
)

NEAR = 4.0
"""Per cent by which our completion time and utilisation should be off, at most."""


_COMPARED = {
    "completion_time": "completion time",
    "utilization_pct": "utilisation",
}


def comparable_measures(whole: bool) -> list[str]:
    """List the comparable measures: for a shorter queue, no completion time."""
    return [name for name in _COMPARED if whole or name != "completion_time"]


def lead(
    laboratory: Laboratory, parts: Sequence[Part], whole: bool = True
) -> tuple[str, ...]:
    """Summarise where the tables are farthest from the paper's.

    ``whole``: whether the queues have as many requests as the paper's.
    """
    words = []
    for name in comparable_measures(whole):
        by, group, row = max(
            deviations(laboratory, parts, name), key=lambda found: abs(found[0])
        )
        words.append(f"{_COMPARED[name]} by {by:+.1f} % ({row.method}, {group.name})")
    open_ = sum(laboratory.undecided.values())
    mig = (
        f" Every decision of mig was reached within {SECONDS:g} s."
        if not open_
        else f" {open_} decisions of mig stayed open and were taken for a no."
    )
    return (f"Farthest from the paper: {', '.join(words)}.{mig}",)


def statements(
    laboratory: Laboratory,
    group: RunGroup,
    rows: Sequence[Printed],
    whole: bool = True,
) -> Iterator[Finding]:
    """Compare a group with its rows in the table; see `lead`."""
    for name in comparable_measures(whole):
        devs = [d for d, _, _ in deviations(laboratory, [(group, list(rows))], name)]
        near = sum(abs(d) <= NEAR for d in devs)
        yield Finding(
            claim=f"{group.name}: {_COMPARED[name]} of {len(rows)} methods",
            paper="as printed",
            ours=f"{min(devs):+.1f} to {max(devs):+.1f} % off",
            holds=near == len(rows),
            criterion=f"the mean over runs of every method is within {NEAR:g} % of the "
            f"printed figure; {near} of {len(rows)} are",
        )
    order = rank(rows)
    ours = {
        row.method: fmean(values_of(laboratory, group, row, "completion_time", FIVE))
        for row in order
    }
    mine = sorted(ours, key=lambda method: ours[method])
    doubtful = [
        f"{a.method} and {b.method}"
        for a, b in pairwise(order)
        if not gap_of(laboratory, group, a, b).differs
    ]
    yield Finding(
        claim=f"{group.name}: ranking by completion time",
        paper=" < ".join(row.method for row in order),
        ours=" < ".join(mine),
        holds=mine == [row.method for row in order],
        criterion=f"the same order of the means of the first {FIVE} runs; "
        f"{sum(a != b.method for a, b in zip(mine, order, strict=True))} methods are "
        "elsewhere",
        remark=f"not distinguished: {', '.join(doubtful)}" if doubtful else "",
    )
    same = [row for row in rows if row.method in ("iss", "fs-f", "as", "fs-1")]
    if len(same) > 1:
        times = {
            tuple(values_of(laboratory, group, row, "completion_time", FIVE))
            for row in same
        }
        yield Finding(
            claim=f"{group.name}: {', '.join(r.method for r in same)} place alike",
            paper="equal to all digits",
            ours="equal in every run" if len(times) == 1 else "they differ",
            holds=len(times) == 1,
            criterion=f"completion times equal in all digits in each of {FIVE} runs",
        )


def steps_agree(laboratory: Laboratory, parts: Sequence[Part]) -> Iterator[Finding]:
    """Compare the steps of an attempt with the paper's, method by method."""
    ratios: dict[str, list[float]] = {}
    for group, printed in parts:
        for row in printed:
            if row.steps_per_attempt is not None:
                ours = values_of(laboratory, group, row, "steps_per_attempt", FIVE)
                ratios.setdefault(row.method, []).append(
                    fmean(ours) / row.steps_per_attempt
                )
    for method, found in ratios.items():
        yield Finding(
            claim=f"{method}: steps of an attempt, as a multiple of the paper's",
            paper="1",
            ours=f"{min(found):.2f} to {max(found):.2f}",
            holds=all(0.1 < ratio < 10 for ratio in found),
            criterion="the order of magnitude: a factor below ten either way",
        )


def slips(parts: Sequence[Part]) -> Iterator[Finding]:
    """List rows that contradict the rest of the paper's own table."""
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
                    criterion="within 1 % of the median row; "
                    f"{100 * (own / usual - 1):+.1f} % off",
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
                    criterion="within 10 % of the middle; "
                    f"{100 * (row.steps_per_attempt / middle - 1):+.1f} % off",
                    remark=f"{middle:.2f} would be midway",
                )


def compare_mbv(laboratory: Laboratory, group: RunGroup) -> Finding:
    """Test whether mbv beats 4iss where the paper has no row for mbv."""
    four, mbv = (
        laboratory.values(group, method, "completion_time", RUNS)
        for method in ("4iss", "mbv")
    )
    gap = relative(mbv, four)
    return Finding(
        claim=f"sides to {group.name}: 4iss dominates mbv",
        paper="4iss dominates; no row printed",
        ours=f"mbv takes {gap} % longer than 4iss ({gap.n} runs)",
        holds=gap.value > 0 if gap.differs else None,
        criterion="the difference run by run lies above 0 with its 95 % interval",
        remark="" if gap.differs else "within chance",
    )

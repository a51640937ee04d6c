"""The comparison of two stores, as Markdown that reads well on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from ...instances.value import cost_text
from ..campaigns.rows import Row
from .comparison import CHANCE, Change, Comparison, TimeChange
from .markdown_report import cell, table

_SHOWN = 50
"""Changes of a kind that are listed; the others are counted."""


def comparison_text(found: Comparison, first: str, second: str) -> str:
    """Write the comparison; ``first`` and ``second`` name the stores."""
    worse = [change for change in found.changes if not change.better]
    better = [change for change in found.changes if change.better]
    parts = [
        f"# {cell(first)} and {cell(second)} compared",
        f"A: {_made_by(found.before)}. B: {_made_by(found.after)}.",
        _counts(found, worse, better),
    ]
    if found.contradictions:
        parts += ["## Contradicted proofs", _contradictions(found)]
    parts += ["## Worse in B", _changes(worse), "## Better in B", _changes(better)]
    parts += ["## Times", _times(found.times)]
    return "\n\n".join(parts) + "\n"


def _made_by(rows: Sequence[Row]) -> str:
    def all_of(values: set[str]) -> str:
        return "; ".join(sorted(values)) or "nothing"

    return (
        f"closeknit {all_of({cell(row.version) for row in rows})} on "
        f"{all_of({cell(row.machine) for row in rows})} "
        f"({all_of({cell(row.solvers) for row in rows if row.solvers})})"
    )


def _counts(
    found: Comparison, worse: Sequence[Change], better: Sequence[Change]
) -> str:
    only_a = len(found.before) - found.pairs
    only_b = len(found.after) - found.pairs
    slower = sum(time.sign > 0 for time in found.times)
    faster = sum(time.sign < 0 for time in found.times)
    return (
        f"{found.pairs} runs are in both ({only_a} in A only, {only_b} in B only): "
        f"{len(worse)} answers worse, {len(better)} better; {slower} methods slower, "
        f"{faster} faster beyond noise; {len(found.contradictions)} contradictions."
    )


def _contradictions(found: Comparison) -> str:
    rows = [
        (
            cell(c.proved.instance),
            f"{cell(c.proved.method)} at least {cost_text(c.proved.bound)} "
            f"({cell(str(c.proved.proof))})",
            f"{cell(c.found.method)} {cost_text(c.found.cost)}",
        )
        for c in found.contradictions
    ]
    return table(("instance", "proved", "found"), rows, left=3)


def _changes(changes: Sequence[Change]) -> str:
    if not changes:
        return "Nothing."
    rows = [
        (
            cell(change.before.instance),
            cell(change.before.method),
            str(change.before.repeat),
            change.what,
            cell(change.old),
            cell(change.new),
        )
        for change in changes[:_SHOWN]
    ]
    text = table(("instance", "method", "repeat", "what", "A", "B"), rows, left=2)
    left = len(changes) - _SHOWN
    return text + (f"\n\nand {left} more." if left > 0 else "")


def _times(times: Sequence[TimeChange]) -> str:
    if not times:
        return "No method takes long enough to be compared."
    said = {1: "slower", -1: "faster", 0: ""}
    rows = [
        (
            cell(t.method),
            t.problem,
            str(t.instances),
            str(t.slower),
            f"{t.ratio.value:.3f}",
            f"{t.ratio.low:.3f} .. {t.ratio.high:.3f}",
            f"{t.probability:.2g}",
            said[t.sign],
        )
        for t in times
    ]
    head = ("method", "problem", "instances", "slower on", "B / A", "95 %", "p", "")
    return (
        table(head, rows, left=2) + "\n\nB / A is the geometric mean over instances, "
        "with the interval of the bootstrap over instances; p is that of the sign "
        "test. Beyond noise: the interval leaves out 1, the change is 5 % or more, and "
        f"p is at most {CHANCE:g} by the number of methods."
    )

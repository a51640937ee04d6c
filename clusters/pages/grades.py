"""Grades of decisions as text and lines of JSON."""

from __future__ import annotations

from typing import Any

from ...instances.words import with_noun
from ...reports.pages.numbers import decimal, fraction, percent, within
from ...scheduler.hostlist import fold
from ..grading import DecisionGrade, Totals, Ungraded

NONE = "none"
"""Where groups make every choice impossible."""


def as_row(one: DecisionGrade | Ungraded) -> dict[str, Any]:
    """Return a decision as an object of JSON."""
    if isinstance(one, Ungraded):
        return {
            "where": one.where,
            "job": one.job,
            "status": "not graded",
            "objective": one.objective.value,
            "why": one.why.value,
            "detail": one.detail,
        }
    names = one.objective.parts_of(len(one.cost))
    status = "broken groups" if one.broken else "graded" if one.exact else "open"
    row: dict[str, Any] = {
        "where": one.where,
        "job": one.job,
        "status": status,
        "k": one.k,
        "objective": one.objective.value,
        "ratio": fraction(one.low) if one.exact and not one.broken else None,
        "at_least": fraction(one.low) if status == "open" else None,
        "at_most": fraction(one.high) if status == "open" else None,
        "cost": dict(zip(names, one.cost, strict=True)),
        "best": None if one.best is None else dict(zip(names, one.best, strict=True)),
        "split": one.parts[0],
        "best_split": one.parts[1] or None,
        "broken": list(one.broken) or None,
        "instead": fold(one.instead) or None,
    }
    return {key: value for key, value in row.items() if value is not None}


def totals_row(totals: Totals) -> dict[str, Any]:
    """Return the totals as an object of JSON."""
    return {
        "decisions": totals.seen,
        "graded": totals.graded,
        "optimal": totals.optimal,
        "open": totals.open,
        "mean_ratio": totals.mean,
        "worst_ratio": fraction(totals.worst) if totals.graded else None,
        "broken_groups": totals.broken,
        "above_limit": None if totals.most is None else totals.above,
        "not_graded": {why.value: n for why, n in totals.ungraded.items()},
        "passed": None if totals.most is None else totals.passed,
    }


def summary(totals: Totals) -> str:
    """Describe the totals in a line."""
    parts = [with_noun(totals.seen, "decision")]
    if totals.answered:
        share = percent(totals.optimal, totals.answered)
        parts.append(f"{totals.optimal} of {totals.answered} optimal ({share})")
    if totals.mean is not None:
        mean = decimal(totals.mean)
        parts.append(f"ratio {mean} in the mean, {decimal(totals.worst)} at worst")
    if totals.open:
        parts.append(f"{totals.open} without an exact ratio")
    if totals.broken:
        parts.append(f"{totals.broken} with broken groups")
    if totals.ungraded:
        parts.append(f"{totals.ungraded.total()} not graded")
    return "; ".join(parts)


def verdict(totals: Totals) -> str:
    """Say in a line whether the audit passes; "" if there was none to pass."""
    if not totals.graded and not totals.broken:
        return "failed: no decision could be graded"
    if totals.most is None:
        return ""
    if totals.passed:
        return f"passed: no ratio is above {decimal(totals.most)}"
    found = []
    if totals.above:
        number = with_noun(totals.above, "decision")
        found.append(f"{number} above {decimal(totals.most)}")
    if totals.broken:
        found.append(f"{with_noun(totals.broken, 'decision')} with broken groups")
    return f"failed: {', '.join(found)}"


def shown_ratio(one: DecisionGrade) -> str:
    """Return the ratio as text, or that groups are broken."""
    if one.low is None or one.high is None:
        return "broken groups" if one.broken else "–"
    return decimal(one.low) if one.exact else within(one.low, one.high)


def shown_cost(one: DecisionGrade, cost: tuple[int, ...] | None) -> str:
    """Return a cost with the names of its parts."""
    if cost is None:
        return NONE
    names = one.objective.parts_of(len(cost))
    shown: list[object] = list(cost)
    if one.links is not None:
        shown[0] = f"{float(one.links.part_of(cost[0], one.k)):.6g}"
    return ", ".join(
        f"{name} {value}" for value, name in zip(shown, names, strict=True)
    )


def place(where: str, file: str) -> str:
    """Return a line, or a place in a document, without the name of its file.

    >>> place("jobs.json:7", "jobs.json"), place("jobs.json: jobs[3]", "jobs.json")
    ('line 7', 'jobs[3]')
    """
    found = where.removeprefix(file).lstrip(": ")
    return f"line {found}" if found.isdecimal() else found

"""Grades of decisions as rows, lines of JSON, and a page."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from matplotlib.ticker import MaxNLocator

from ...instances.words import with_noun
from ...reports.pages.document import (
    Cell,
    Document,
    ErrorText,
    Name,
    Note,
    Plot,
    Section,
    Shares,
    Table,
)
from ...reports.pages.numbers import decimal, fraction, percent, within
from ...reports.pages.plot_style import A, B, as_plot, in_style, sheet
from ...scheduler.hostlist import fold
from ..grading import DecisionGrade, Totals, Ungraded
from ..grading.totals import STEPS

NONE = "none"
"""Where groups make every choice impossible."""
_NEAR = Fraction(11, 10)


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
    if totals.exact:
        parts.append(
            f"ratio {_mean(totals)} in the mean, {decimal(totals.worst)} at worst"
        )
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
    return ", ".join(f"{name} {value}" for value, name in zip(cost, names, strict=True))


def place(where: str, file: str) -> str:
    """Return a line, or a place in a document, without the name of its file.

    >>> place("jobs.json:7", "jobs.json"), place("jobs.json: jobs[3]", "jobs.json")
    ('line 7', 'jobs[3]')
    """
    found = where.removeprefix(file).lstrip(": ")
    return f"line {found}" if found.isdecimal() else found


def grades_page(file: str, topology: str, totals: Totals) -> Document:
    """Build the page on the decisions in a file."""
    sections = []
    if totals.exact:
        sections.append(
            Section(
                title="Ratios",
                text=(
                    "What a decision costs over the least that any choice of the free "
                    "nodes costs. Objectives of several parts have the ratio of the "
                    "first part that differs.",
                ),
                plots=(_histogram(totals),),
                tables=(_by_size(totals),),
            )
        )
    if worst := totals.worst_grades():
        sections.append(Section(title="Worst decisions", tables=(_worst(worst, file),)))
    if totals.ungraded:
        sections.append(_ungraded_section(totals))
    found = verdict(totals)
    tiles = [
        (str(totals.seen), "decisions"),
        (percent(totals.optimal, totals.answered), "optimal"),
        (_mean(totals), "mean ratio"),
        (decimal(totals.worst) if totals.graded else "–", "worst ratio"),
    ]
    if totals.broken:
        tiles.append((str(totals.broken), "with broken groups"))
    return Document(
        name="grade",
        title="Decisions of a scheduler",
        source=Name(f"{file} on {topology}"),
        tiles=tuple(tiles),
        shares=_shares(totals),
        verdict=ErrorText(found) if found and not totals.passed else found,
        sections=tuple(sections),
    )


def _mean(totals: Totals) -> str:
    return "–" if totals.mean is None else decimal(totals.mean)


def _shares(totals: Totals) -> Shares:
    near = sum(n for end, n in totals.classes.items() if end and 1 < end <= _NEAR)
    above_one = totals.exact - totals.optimal
    parts = (
        ("optimal", totals.optimal, "good"),
        ("up to 10 % worse", near, "enumerated"),
        ("more than 10 % worse", above_one - near, "solver"),
        ("broken groups", totals.broken, "bad"),
        ("open or not graded", totals.open + totals.ungraded.total(), "cloud"),
    )
    return Shares(
        label="Decisions by ratio",
        whole=totals.seen,
        parts=tuple(part for part in parts if part[1]),
    )


@in_style
def _histogram(totals: Totals) -> Plot:
    figure, axes = sheet(6, 2.4)
    ends: list[Fraction | None] = [*STEPS, None]
    names = [
        "1",
        *(f"≤ {float(end):g}" for end in STEPS[1:]),
        f"> {float(STEPS[-1]):g}",
    ]
    counts = [totals.classes[end] for end in ends]
    bars = axes.bar(range(len(ends)), counts, color=[A] + [B] * len(STEPS), width=0.75)
    axes.bar_label(bars, labels=[str(n or "") for n in counts], fontsize=8)
    axes.set_xticks(range(len(ends)), names)
    axes.set_xlabel("ratio to the optimum")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(y=0.12)
    axes.set_ylabel("decisions")
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    return as_plot(
        figure,
        "Decisions by ratio",
        "Left: optimal.",
        "Decisions by ratio to the optimum",
    )


def _by_size(totals: Totals) -> Table:
    rows = [
        (
            f"{least} to {4 * least - 1}",
            one.decisions,
            percent(one.optimal, one.decisions),
            decimal(one.total / one.decisions),
            decimal(one.worst),
        )
        for least, one in sorted(totals.sizes.items())
    ]
    return Table(
        name="sizes",
        caption="By nodes of the job",
        columns=("nodes", "decisions", "optimal", "mean ratio", "worst ratio"),
        rows=rows,
    )


def _worst(worst: Iterable[DecisionGrade], file: str) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            (Name(one.job or "–"), Note(Name(place(one.where, file)))),
            one.k,
            shown_ratio(one),
            (one.parts[0], Note(shown_cost(one, one.cost))),
            (one.parts[1] or NONE, Note(shown_cost(one, one.best))),
            Name(fold(one.instead)),
        )
        for one in worst
    ]
    return Table(
        name="worst",
        caption="Nodes by leaf switch or block; costs below",
        columns=("*job", "nodes", "*ratio", "*decision", "*optimum", "*instead"),
        rows=rows,
    )


def _ungraded_section(totals: Totals) -> Section:
    reasons = Table(
        name="not-graded",
        caption="Why decisions have no grade",
        columns=("*reason", "decisions"),
        rows=[(why.value, n) for why, n in totals.ungraded.most_common()],
    )
    first = Table(
        name="first-not-graded",
        caption="The first of them",
        columns=("*where", "*job", "*detail"),
        rows=[
            (Name(one.where), Name(one.job), Name(one.detail))
            for one in totals.first_ungraded
        ],
    )
    return Section(title="Not graded", tables=(reasons, first))

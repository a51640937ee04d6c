"""The report as Markdown: tables only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf

from ...instances.problems import described
from ...instances.visible import visible
from .labels import SUBJECTS, ProblemLabels, paid
from .report import Report, percent
from .verdicts import Ratio
from .wording import (
    coverage,
    day,
    decimal,
    fraction,
    levels,
    open_levels,
    price,
    seconds,
    shared_means,
    short_fraction,
)


def markdown_report(report: Report) -> str:
    """Write the text; the same report gives the same bytes."""
    parts = [
        "# How close to optimal",
        f"closeknit ratio report, {day(report.date)}.",
        f"{report.headline}.",
        _grades(report),
        f"**{report.finding[:1].upper()}{report.finding[1:]}.**",
    ]
    if len(report.parts) <= 1:
        problem = next(iter(report.parts), "ksubset")
        parts += _part(report, SUBJECTS[problem], "##")
    else:
        for problem, part in report.parts.items():
            subject = SUBJECTS[problem]
            parts += [f"## {subject.title}", f"{part.headline}. {subject.costs}"]
            parts += _part(part, subject, "###")
    return "\n\n".join(part for part in parts if part) + "\n"


def _part(report: Report, subject: ProblemLabels, mark: str) -> list[str]:
    """Write the sections of one problem, below headings of one rank."""
    return [
        f"{mark} Ratios by method",
        " ".join(
            (
                "Cost over proven optimum; the exact means stand at the end.",
                shared_means(report.shared),
            )
        ).rstrip(),
        _methods(report),
        f"{mark} The worst instance of each method",
        _worst(report),
        f"{mark} Instances",
        _instances(report, subject),
        f"{mark} Rows without a proven optimum",
        _unproved(report),
        f"{mark} Failures",
        _trouble(report),
        f"{mark} Exact means",
        _means(report),
    ]


def _grades(report: Report) -> str:
    shares = [
        f"{grade.value} {percent(count, len(report.rows))}"
        for grade, count in report.grades.items()
    ]
    rows = report.rows
    infeasible = ""
    if report.infeasible:
        share = percent(report.infeasible, len(rows))
        infeasible = f", proved to have no solution {share}"
    ran = sorted(
        {cell(f"closeknit {r.version}, Python {r.python}, {r.machine}") for r in rows}
    )
    limits = sorted({f"{r.time_limit:g} s a run, seed {r.seed}" for r in rows})
    return (
        f"Rows by grade of the proof: {', '.join(shares)}{infeasible}. "
        f"Run with {'; '.join(ran)}; {'; '.join(limits)}."
    )


def _methods(report: Report) -> str:
    if any(s.levels for s in report.summaries):
        return _methods_by_level(report)
    rows = []
    alike = report.shared.tells
    for s in report.summaries:
        spread = s.spread
        values: list[Ratio | None] = [None] * 5
        if spread:
            values = [spread.least, spread.mean, spread.median, spread.p95, spread.most]
        if alike:
            values.insert(2, s.shared[0] if s.shared else None)
        promise = "–" if s.guarantee is None else _ratio(s.guarantee)
        if part := coverage(s):
            promise += f", {part}"
        if s.broken:
            promise += f" **broken on {len(s.broken)}**"
        rows.append(
            (
                cell(s.name),
                str(s.runs),
                str(s.judged),
                percent(s.optimal, s.runs),
                *map(_ratio, values),
                promise,
                seconds(s.seconds),
            )
        )
    head = ["method", "runs", "with proven optimum", "optimal", "min", "mean"]
    head += ["mean alike"] * alike + ["median", "p95", "max", "proven at most"]
    return table([*head, "time, all runs"], rows, left=1)


def _methods_by_level(report: Report) -> str:
    height = max(len(s.levels) for s in report.summaries)
    alike = report.shared.tells
    rows = []
    for s in report.summaries:
        cells = []
        for place, x in enumerate(s.levels):
            shown: list[Ratio | None] = [x.mean, x.most]
            if alike:
                shown.insert(1, s.shared[place] if s.shared else None)
            cells.append(", ".join(map(decimal, shown)))
        cells += ["–"] * (height - len(cells))
        rows.append(
            (
                cell(s.name),
                *map(str, (s.runs, s.judged, s.optimal)),
                percent(s.optimal, s.runs),
                *cells,
                seconds(s.seconds),
            )
        )
    head = ["method", "runs", "with proven optimum", "optimal", "share optimal"]
    kinds = "mean, mean alike, max" if alike else "mean, max"
    head += [f"level {level + 1}: {kinds}" for level in range(height)]
    return table([*head, "time, all runs"], rows, left=1)


def _worst(report: Report) -> str:
    rows = []
    for s in report.summaries:
        if s.exact or s.worst is None or s.worst.optimal:
            continue
        worst = s.worst
        rows.append(
            (
                cell(s.name),
                cell(worst.row.instance),
                levels(worst.ratios, _ratio),
                price(worst.row.cost),
                price(worst.verdict.optimum),
                cell(str(worst.verdict.proof)),
            )
        )
    if not rows:
        return "None is worse than optimal on an instance with a proven optimum."
    return table(
        ("method", "instance", "ratio", "cost", "optimum", "proof"), rows, left=2
    )


def _instances(report: Report, subject: ProblemLabels) -> str:
    rows = []
    for v in report.verdicts:
        if v.optimum is not None:
            value, proof = paid(v.instance, v.optimum), cell(str(v.proof))
        elif v.infeasible:
            value, proof = "infeasible", cell(str(v.proof))
        elif v.contradiction:
            value, proof = "contradiction", "–"
        else:
            value = f"{price(v.bound)} .. {price(v.best.cost if v.best else None)}"
            proof = "not proven"
        rows.append((cell(v.instance.name), described(v.instance), value, proof))
    return table(("instance", subject.given, "optimum", "proof"), rows, left=2)


def _unproved(report: Report) -> str:
    rows = []
    for j in report.unproved:
        rows.append(
            (
                *(cell(j.row.instance), cell(j.row.method)),
                *(price(j.row.cost), open_levels(j)),
            )
        )
    if not rows:
        return "None."
    return (
        "No ratio is claimed for these; it lies between cost / best known and "
        "cost / bound.\n\n"
        + table(("instance", "method", "cost", "ratio lies within"), rows, left=2)
    )


def _trouble(report: Report) -> str:
    lines = [
        f"- **guarantee broken**: {cell(j.row.method)} on {cell(j.row.instance)}, "
        f"above {fraction(j.guarantee)}"
        for j in report.broken
    ]
    lines += [
        f"- **contradicted proof**: {cell(v.instance.name)}: {cell(v.contradiction)}"
        for v in report.contradictions
    ]
    lines += [
        f"- **failed**: {cell(r.method)} on {cell(r.instance)}: {cell(r.error)}"
        for r in report.failed
    ]
    lines += [
        f"- found nothing: {cell(r.method)} on {cell(r.instance)}, limit: {r.limit}"
        for r in report.empty_handed
    ]
    lines += [f"- refused: {cell(r.instance)}: {cell(r.error)}" for r in report.refused]
    return "\n".join(lines) or "None."


def _means(report: Report) -> str:
    lines = [
        f"- {cell(s.name)}: {levels([x.mean for x in spreads], fraction)}"
        for s in report.summaries
        if (spreads := (s.spread,) if s.spread else s.levels)
    ]
    return "\n".join(lines) or "None."


def _ratio(ratio: Ratio | None) -> str:
    if ratio is None or ratio == inf or ratio == 1:
        return decimal(ratio)
    return f"{decimal(ratio)} ({short_fraction(ratio)})"


def cell(text: str) -> str:
    r"""Write text of others as code: no link, no HTML, and a cell of a table holds it.

    >>> cell("[a](http://b) | <i>"), cell("a `b`")
    ('`[a](http://b) \\| <i>`', '`` a `b` ``')
    """
    plain = visible(" ".join(text.split()))
    # A bar behind a backslash could not be told from one that ends the cell.
    plain = plain.replace("\\|", "\\u007c").replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", plain)), default=0)
    fence = "`" * (longest + 1)
    room = " " if not plain or "`" in (plain[0], plain[-1]) else ""
    return f"{fence}{room}{plain}{room}{fence}"


def table(names: Sequence[str], rows: Sequence[Sequence[str]], *, left: int) -> str:
    """Write a table; so many columns from the left are aligned to the left."""
    rule = [":--" if i < left else "--:" for i in range(len(names))]
    lines = [names, rule, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)

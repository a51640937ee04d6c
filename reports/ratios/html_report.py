"""The report as one HTML file that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from ...instances.visible import visible
from ...solvers import Grade
from ..pages.page_style import CSS
from .html_sections import problem_sections
from .labels import SUBJECTS
from .report import Report, percent
from .wording import day, fraction, levels

TITLE = "How close to optimal"

_GRADE_MEANS = {
    Grade.CHECKED: "checked: re-derived by plain arithmetic",
    Grade.ENUMERATED: "enumerated: closeknit's own exhaustive search",
    Grade.SOLVER: "solver: the word of a named solver",
}


def html_report(report: Report) -> str:
    """Write the page; the same report gives the same bytes."""
    body = "\n".join(
        (
            _header(report),
            "<main>",
            *_parts(report),
            _notes(report),
            "</main>",
            _footer(report),
        )
    )
    return visible(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{TITLE}: closeknit ratio report</title>\n"
        f"<style>\n{CSS}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n",
        lines=True,
    )


def _parts(report: Report) -> list[str]:
    """Make the sections of one problem; of several, each one's below its name."""
    if len(report.parts) <= 1:
        problem = next(iter(report.parts), "ksubset")
        return [problem_sections(report, SUBJECTS[problem])]
    links = ", ".join(
        f'<a href="#{problem}">{SUBJECTS[problem].title}</a>'
        for problem in report.parts
    )
    sections = [f'<p class="contents">Problems: {links}.</p>']
    for problem, part in report.parts.items():
        subject = SUBJECTS[problem]
        sections.append(
            f'<section class="problem" id="{problem}"><h2>{subject.title}</h2>\n'
            f"<p>{escape(part.headline)}. {escape(subject.costs)}</p>\n"
            f"{_lowered(problem_sections(part, subject))}</section>"
        )
    return sections


def _lowered(markup: str) -> str:
    """Make headings those of a section further down."""
    return re.sub(r"<(/?)h([23])>", lambda m: f"<{m[1]}h{int(m[2]) + 1}>", markup)


def _header(report: Report) -> str:
    rows = report.rows
    share = percent(report.proved, len(rows))
    tiles = "".join(
        f'<div class="tile"><b>{value}</b><span>{label}</span></div>'
        for value, label in (
            (len(report.verdicts), "instances"),
            (len(report.summaries), "methods"),
            (len(rows), "rows: a method on an instance"),
            (share, "of rows against a proven optimum"),
        )
    )
    bar, key = [], []
    for grade, count in report.grades.items():
        if count:
            width = 100 * count / len(rows)
            name = f"var(--{grade.value})"
            bar.append(f'<i style="width:{width:.3f}%;background:{name}"></i>')
            key.append(
                f'<li><i style="background:{name}"></i>{_GRADE_MEANS[grade]}, '
                f"{percent(count, len(rows))}</li>"
            )
    if report.infeasible:
        width = 100 * report.infeasible / len(rows)
        bar.append(f'<i style="width:{width:.3f}%;background:var(--faint)"></i>')
        key.append(
            '<li><i style="background:var(--faint)"></i>proved to have no solution, '
            f"{percent(report.infeasible, len(rows))}</li>"
        )
    left = len(rows) - report.proved - report.infeasible
    if left:
        key.append(
            '<li><i style="background:var(--cloud)"></i>optimum not proven, '
            f"{percent(left, len(rows))}</li>"
        )
    finding = report.finding[:1].upper() + report.finding[1:]
    return (
        f"<header>\n<h1>{TITLE}</h1>\n"
        f'<p class="faint">closeknit ratio report, {day(report.date)}. '
        f"{escape(_what_ran(report))}</p>\n"
        f'<div class="tiles">{tiles}</div>\n'
        f'<div class="bar" role="img" aria-label="Rows by grade of the proof">'
        f'{"".join(bar)}</div>\n<ul class="key">{"".join(key)}</ul>\n'
        f'<p class="finding{"" if report.holds else " bad"}">{escape(finding)}.</p>\n'
        "</header>"
    )


def _what_ran(report: Report) -> str:
    rows = report.rows

    def all_of(values: Iterable[object]) -> str:
        return ", ".join(map(str, sorted(set(values), key=str)))

    limits = all_of(f"{row.time_limit:g} s" for row in rows)
    return (
        f"closeknit {all_of(r.version for r in rows)}, Python "
        f"{all_of(r.python for r in rows)}, on "
        f"{'; '.join(sorted({r.machine for r in rows}))}. Methods: "
        f"{', '.join(dict.fromkeys(s.name for s in report.summaries))}; "
        f"time limit {limits} a run, "
        f"seed {all_of(row.seed for row in rows)}."
    )


def _notes(report: Report) -> str:
    means = "".join(
        f"<p><b>{escape(s.name)}</b> "
        f'<span class="exact">{levels([x.mean for x in spreads], fraction)}</span></p>'
        for s in report.summaries
        if (spreads := (s.spread,) if s.spread else s.levels)
    )
    costs = ""
    if len(report.parts) <= 1:
        costs = SUBJECTS[next(iter(report.parts), "ksubset")].costs + " "
    return (
        "<section><h2>How to read this</h2>\n"
        f"<p>{costs}An "
        "optimum is <em>proven</em> when a solution and a lower bound agree, whichever "
        "methods of this report they come from; the grade says who vouches for the "
        "bound. Ratios are exact fractions, never rounded before they are compared; "
        "decimals are rounded for reading. The median of an even number is the mean of "
        "the two in the middle; the 95th percentile is the nearest rank, the least "
        "ratio that at least 95 % do not exceed. Times are wall-clock seconds of one "
        "run while others run beside it; heuristics are warmed up first.</p>\n"
        f"<details><summary>Exact means</summary>{means}</details></section>"
    )


def _footer(report: Report) -> str:
    return (
        f"<footer><p>{escape(report.headline)}. The same rows are in "
        "<code>ratios.csv</code>, the raw results with every selection in "
        "<code>results.sqlite</code>.</p></footer>"
    )

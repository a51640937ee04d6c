"""The report as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from math import inf

from ..instances import KSubset
from ..instances.problems import described
from ..solvers import Grade
from .drawing import draw
from .page_style import CSS
from .plots import plots
from .report import Report, percent
from .summary import MethodSummary
from .verdicts import Judged, Ratio, Verdict
from .wording import day, decimal, fraction, price, seconds, short_fraction, within

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
            _methods(report.summaries),
            _plots(report),
            _worst(report),
            _instances(report.verdicts, report),
            _unproved(report.unproved),
            _trouble(report),
            _notes(report),
            "</main>",
            _footer(report),
        )
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{TITLE}: closeknit ratio report</title>\n"
        f"<style>\n{CSS}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


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
    if report.proved < len(rows):
        left = len(rows) - report.proved
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
        f"{', '.join(s.name for s in report.summaries)}; time limit {limits} a run, "
        f"seed {all_of(row.seed for row in rows)}."
    )


def _methods(summaries: Sequence[MethodSummary]) -> str:
    rows = []
    for s in summaries:
        spread = s.spread
        values = (
            (spread.least, spread.mean, spread.median, spread.p95, spread.most)
            if spread
            else (None,) * 5
        )
        bad = ' class="bad"'
        flag = bad if s.broken else ""
        top = bad if s.worst is not None and s.worst.broken else ""
        promise = "–" if s.guarantee is None else _ratio(s.guarantee)
        if s.broken:
            promise += f'<small class="bad">broken on {len(s.broken)}</small>'
        rows.append(
            f'<tr><th class="l" scope="row">{escape(s.name)}'
            f"{' <small>exact</small>' if s.exact else ''}</th>"
            f"<td>{s.runs}</td><td>{s.judged}</td>"
            f"<td>{percent(s.optimal, s.runs)}</td>"
            + "".join(f"<td>{_ratio(v)}</td>" for v in values[:4])
            + f"<td{top}>{_ratio(values[4])}</td><td{flag}>{promise}</td>"
            f"<td>{seconds(s.seconds)}</td></tr>"
        )
    head = _head(
        "*method",
        "runs",
        "with proven<br>optimum",
        "optimal",
        "min",
        "mean",
        "median",
        "95th pct.",
        "max",
        "proven<br>at most",
        "time,<br>all runs",
    )
    return (
        "<section><h2>Ratios by method</h2>\n<p>Cost over proven optimum, as a "
        "decimal and as an exact fraction; 1 is optimal. <em>Proven at most</em> is "
        "the greatest factor that theory guarantees the method on these "
        "instances.</p>\n"
        f'<div class="wide"><table>{head}<tbody>{"".join(rows)}</tbody></table></div>'
        "</section>"
    )


def _plots(report: Report) -> str:
    figures = "\n".join(
        f"<figure><figcaption><h3>{escape(p.title)}</h3>{escape(p.caption)}"
        f"</figcaption>\n{p.svg}</figure>"
        for p in plots(report)
    )
    if not figures:
        return (
            "<section><h2>Plots</h2><p>Nothing ran, so nothing is drawn.</p></section>"
        )
    return f"<section><h2>Plots</h2>\n{figures}</section>"


def _worst(report: Report) -> str:
    cards, optimal, without = [], [], []
    for s in report.summaries:
        if s.exact:
            continue
        if s.worst is None:
            without.append(s.name)
        elif s.worst.ratio == 1:
            optimal.append(s.name)
        else:
            cards.append(_worst_of(s, s.worst))
    remarks = ""
    if optimal:
        remarks += (
            f"<p>Never worse than optimal here: {escape(', '.join(optimal))}.</p>"
        )
    if without:
        remarks += f"<p>Without an exact ratio: {escape(', '.join(without))}.</p>"
    return (
        "<section><h2>The worst instance of each method</h2>\n"
        "<p>What the method chose beside a cheapest choice.</p>"
        f"{remarks}\n{''.join(cards)}</section>"
    )


def _worst_of(summary: MethodSummary, worst: Judged) -> str:
    instance, best = worst.verdict.instance, worst.verdict.best
    assert best is not None
    assert best.selection is not None
    assert worst.row.selection is not None
    facts = {
        "instance": instance.name,
        "ratio": f"{decimal(worst.ratio)} = {short_fraction(worst.ratio)}",
        "proven at most": "–"
        if worst.guarantee is None
        else f"{decimal(worst.guarantee)} = {short_fraction(worst.guarantee)}",
        "optimum": f"{price(best.cost)}, found by {best.method}",
        "proof": str(worst.verdict.proof),
        "time": seconds(worst.row.seconds),
    }
    listed = "".join(
        f"<dt>{name}</dt><dd>{escape(value)}</dd>" for name, value in facts.items()
    )
    assert isinstance(instance, KSubset)
    picture = draw(
        instance,
        {summary.name: worst.row.selection, "optimal": best.selection},
        title=f"{summary.name} at its worst: ratio {decimal(worst.ratio)}",
    )
    return (
        f'<figure class="worst"><figcaption><h3>{escape(summary.name)}</h3>'
        f"<dl>{listed}</dl></figcaption>\n{picture}</figure>\n"
    )


def _instances(verdicts: Sequence[Verdict], report: Report) -> str:
    exact = {s.name for s in report.summaries if s.exact}
    time = {
        j.row.instance: j.row.seconds for j in report.judged if j.row.method in exact
    }
    rows = []
    for v in verdicts:
        if v.optimum is not None:
            value = price(v.optimum)
            proof = f"{escape(str(v.proof))}"
        elif v.contradiction:
            value, proof = '<span class="bad">contradiction</span>', "–"
        else:
            best = v.best.cost if v.best else None
            value = f"{price(v.bound)} .. {price(best)}"
            proof = "not proven"
        name = v.instance.name
        rows.append(
            f'<tr><th class="l" scope="row">{escape(name)}</th>'
            f'<td class="l">{escape(described(v.instance))}</td><td>{value}</td>'
            f'<td class="l">{proof}</td><td>{seconds(time.get(name))}</td></tr>'
        )
    head = _head("*instance", "*network", "optimum", "*proof", "time, exact")
    return (
        "<section><h2>Instances</h2>\n<p>The optimum where it is proven, else the best "
        "bound and the best cost known, bound .. cost.</p>\n"
        f'<div class="wide"><table>{head}<tbody>{"".join(rows)}</tbody></table></div>'
        "</section>"
    )


def _unproved(unproved: Sequence[Judged]) -> str:
    if not unproved:
        return (
            "<section><h2>Rows without a proven optimum</h2>\n"
            "<p>None: every cost is compared with a proven optimum.</p></section>"
        )
    rows = []
    for j in unproved:
        interval = "–"
        if j.interval is not None:
            ends = " .. ".join(map(fraction, j.interval))
            interval = f'<span title="{ends}">{within(*j.interval)}</span>'
        best = j.verdict.best
        flag = ' class="bad"' if j.broken else ""
        rows.append(
            f'<tr><th class="l" scope="row">{escape(j.row.instance)}</th>'
            f'<td class="l">{escape(j.row.method)}</td><td>{price(j.row.cost)}</td>'
            f"<td>{price(best.cost if best else None)}</td>"
            f"<td>{price(j.verdict.bound)}</td><td{flag}>{interval}</td></tr>"
        )
    head = _head(
        "*instance", "*method", "cost", "best known", "bound", "ratio lies within"
    )
    return (
        "<section><h2>Rows without a proven optimum</h2>\n<p>No ratio is claimed for "
        "these; it lies between cost / best known and cost / bound.</p>\n"
        f'<div class="wide"><table>{head}<tbody>{"".join(rows)}</tbody></table></div>'
        "</section>"
    )


def _trouble(report: Report) -> str:
    items = [
        f'<li><span class="bad">Guarantee broken:</span> {escape(j.row.method)} on '
        f"{escape(j.row.instance)}: {_certain(j)}, above {fraction(j.guarantee)}</li>"
        for j in report.broken
    ]
    items += [
        f'<li><span class="bad">Contradicted proof:</span> '
        f"{escape(v.instance.name)}: {escape(v.contradiction)}</li>"
        for v in report.contradictions
    ]
    items += [
        f'<li><span class="bad">Failed:</span> {escape(r.method)} on '
        f"{escape(r.instance)}: {escape(r.error)}</li>"
        for r in report.failed
    ]
    items += [
        f"<li>Found nothing: {escape(r.method)} on {escape(r.instance)}, "
        f"limit: {escape(r.limit or 'none')}</li>"
        for r in report.empty_handed
    ]
    items += [
        f"<li>Refused: {escape(r.instance)}: {escape(r.error)}</li>"
        for r in report.refused
    ]
    if not items:
        return (
            "<section><h2>Failures</h2>\n<p>None: every run answered, and nothing "
            "that was promised or proved is contradicted.</p></section>"
        )
    retry = ""
    if report.failed:
        retry = (
            "<p>To run a failed one again, delete its line from "
            "<code>results.jsonl</code> and repeat the command.</p>"
        )
    return f"<section><h2>Failures</h2>\n<ul>{''.join(items)}</ul>{retry}</section>"


def _certain(j: Judged) -> str:
    if j.ratio is not None:
        return f"ratio {fraction(j.ratio)}"
    assert j.interval is not None
    return f"ratio at least {fraction(j.interval[0])}"


def _notes(report: Report) -> str:
    means = "".join(
        f"<p><b>{escape(s.name)}</b> "
        f'<span class="exact">{fraction(s.spread.mean)}</span></p>'
        for s in report.summaries
        if s.spread
    )
    return (
        "<section><h2>How to read this</h2>\n"
        "<p>Costs are sums of hop distances over all pairs of chosen processors. An "
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
        "<code>results.jsonl</code>.</p></footer>"
    )


def _ratio(ratio: Ratio | None) -> str:
    if ratio is None or ratio == inf or ratio == 1:
        return decimal(ratio)
    shown, whole = short_fraction(ratio), fraction(ratio)
    title = "" if shown == whole or len(whole) > 200 else f' title="{whole}"'
    return f"{decimal(ratio)}<small{title}>{shown}</small>"


def _head(*names: str) -> str:
    cells = "".join(
        f'<th class="l" scope="col">{name[1:]}</th>'
        if name.startswith("*")
        else f'<th scope="col">{name}</th>'
        for name in names
    )
    return f"<thead><tr>{cells}</tr></thead>"

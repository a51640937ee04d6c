"""The sections of the HTML report on one problem."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import inf

from ...instances import KSubset, ProcSet, Submesh
from ...instances.problems import described
from ..drawing.drawing import draw
from .labels import ProblemLabels, paid
from .plots import plots
from .report import Report, percent
from .summary import MethodSummary, Spread
from .verdicts import InstanceVerdict, Ratio, ScoredRun
from .wording import (
    coverage,
    decimal,
    fraction,
    levels,
    open_levels,
    price,
    seconds,
    shared_means,
    short_fraction,
)


def problem_sections(report: Report, subject: ProblemLabels) -> str:
    """Make all sections of a report on one problem."""
    return "\n".join(
        (
            _methods(report),
            _plots(report),
            _worst(report),
            _instances(report.verdicts, report, subject),
            _unproved(report.unproved),
            _trouble(report),
        )
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
        bad = ' class="bad"'
        flag = bad if s.broken else ""
        top = bad if s.worst is not None and s.worst.broken else ""
        promise = "–" if s.guarantee is None else _ratio(s.guarantee)
        if part := coverage(s):
            promise += f"<small>{part}</small>"
        if s.broken:
            promise += f'<small class="bad">broken on {len(s.broken)}</small>'
        rows.append(
            f'<tr><th class="l" scope="row">{escape(s.name)}'
            f"{' <small>exact</small>' if s.exact else ''}</th>"
            f"<td>{s.runs}</td><td>{s.judged}</td>"
            f"<td>{percent(s.optimal, s.runs)}</td>"
            + "".join(f"<td>{_ratio(v)}</td>" for v in values[:-1])
            + f"<td{top}>{_ratio(values[-1])}</td><td{flag}>{promise}</td>"
            f"<td>{seconds(s.seconds)}</td></tr>"
        )
    head = _head(
        "*method",
        "runs",
        "with proven<br>optimum",
        "optimal",
        "min",
        "mean",
        *["mean<br>alike"] * alike,
        "median",
        "95th pct.",
        "max",
        "proven<br>at most",
        "time,<br>all runs",
    )
    return (
        "<section><h2>Ratios by method</h2>\n<p>Cost over proven optimum, as a "
        "decimal and as an exact fraction; 1 is optimal. <em>Proven at most</em> is "
        "the greatest factor that theory guarantees the method on the instances that "
        "the guarantee covers; if these are not all, the greatest ratio on them stands "
        f"below. {shared_means(report.shared)}</p>\n"
        f'<div class="wide"><table>{head}<tbody>{"".join(rows)}</tbody></table></div>'
        "</section>"
    )


def _methods_by_level(report: Report) -> str:
    """Lexicographic costs: share of optimal answers, then ratios level by level."""
    height = max(len(s.levels) for s in report.summaries)
    alike = report.shared.tells
    rows = []
    for s in report.summaries:
        cells = []
        for place, spread in enumerate(s.levels):
            beside = ""
            if alike:
                mean = decimal(s.shared[place] if s.shared else None)
                beside = f"<small>{mean}</small>"
            cells.append(f"<td>{_mean_and_most(spread, beside)}</td>")
        cells += ["<td>–</td>"] * (height - len(cells))
        rows.append(
            f'<tr><th class="l" scope="row">{escape(s.name)}'
            f"{' <small>exact</small>' if s.exact else ''}</th>"
            f"<td>{s.runs}</td><td>{s.judged}</td><td>{s.optimal}</td>"
            f"<td>{percent(s.optimal, s.runs)}</td>{''.join(cells)}"
            f"<td>{seconds(s.seconds)}</td></tr>"
        )
    head = _head(
        *("*method", "runs", "with proven<br>optimum", "optimal", "share<br>optimal"),
        *(
            f"level {level + 1}<br>mean, {'mean alike, ' * alike}max"
            for level in range(height)
        ),
        "time,<br>all runs",
    )
    return (
        "<section><h2>Ratios by method</h2>\n<p>How often the selection is a proven "
        "optimum, and cost over proven optimum at each level: the mean, and below it "
        f"the greatest. {shared_means(report.shared)}</p>\n"
        f'<div class="wide"><table>{head}<tbody>{"".join(rows)}</tbody></table></div>'
        "</section>"
    )


def _mean_and_most(spread: Spread, beside: str = "") -> str:
    title = f' title="{fraction(spread.mean)}"' if spread.mean != inf else ""
    return (
        f"<span{title}>{decimal(spread.mean)}</span>{beside}"
        f"<small>{decimal(spread.most)}</small>"
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
        elif s.worst.optimal:
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


def _worst_of(summary: MethodSummary, worst: ScoredRun) -> str:
    instance, best = worst.verdict.instance, worst.verdict.best
    assert best is not None
    assert best.selection is not None
    assert worst.row.selection is not None
    facts = {
        "instance": instance.name,
        "ratio": f"{_shown(worst)} = {levels(worst.ratios, short_fraction)}",
        "cost": paid(instance, worst.row.cost),
        "proven at most": "–"
        if worst.guarantee is None
        else f"{decimal(worst.guarantee)} = {short_fraction(worst.guarantee)}",
        "optimum": f"{paid(instance, best.cost)}, found by {best.method}",
        "proof": str(worst.verdict.proof),
        "time": seconds(worst.row.seconds),
    }
    listed = "".join(
        f"<dt>{name}</dt><dd>{escape(value)}</dd>" for name, value in facts.items()
    )
    picture = ""
    if isinstance(instance, KSubset | ProcSet | Submesh):
        picture = draw(
            instance,
            {summary.name: worst.row.selection, "optimal": best.selection},
            title=f"{summary.name} at its worst: ratio {_shown(worst)}",
        )
    return (
        f'<figure class="worst"><figcaption><h3>{escape(summary.name)}</h3>'
        f"<dl>{listed}</dl></figcaption>\n{picture}</figure>\n"
    )


def _shown(judged: ScoredRun) -> str:
    return levels(judged.ratios, decimal)


def _instances(
    verdicts: Sequence[InstanceVerdict], report: Report, subject: ProblemLabels
) -> str:
    exact = {s.name for s in report.summaries if s.exact}
    time = {
        j.row.instance: j.row.seconds for j in report.judged if j.row.method in exact
    }
    rows = []
    for v in verdicts:
        if v.optimum is not None:
            value = paid(v.instance, v.optimum)
            proof = f"{escape(str(v.proof))}"
        elif v.infeasible:
            value, proof = "infeasible", f"{escape(str(v.proof))}"
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
    head = _head("*instance", f"*{subject.given}", "optimum", "*proof", "time, exact")
    return (
        "<section><h2>Instances</h2>\n<p>The optimum where it is proven, else the best "
        "bound and the best cost known, bound .. cost.</p>\n"
        f'<div class="wide"><table>{head}<tbody>{"".join(rows)}</tbody></table></div>'
        "</section>"
    )


def _unproved(unproved: Sequence[ScoredRun]) -> str:
    if not unproved:
        return (
            "<section><h2>Rows without a proven optimum</h2>\n"
            "<p>None: every cost is compared with a proven optimum.</p></section>"
        )
    rows = []
    for j in unproved:
        interval = "–"
        if j.intervals is not None:
            ends = open_levels(j, fraction)
            interval = f'<span title="{ends}">{open_levels(j)}</span>'
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
            "<p>To run failed ones again, repeat the command with "
            "<code>--retry-failed</code>.</p>"
        )
    return f"<section><h2>Failures</h2>\n<ul>{''.join(items)}</ul>{retry}</section>"


def _certain(j: ScoredRun) -> str:
    if j.ratio is not None:
        return f"ratio {fraction(j.ratio)}"
    assert j.interval is not None
    return f"ratio at least {fraction(j.interval[0])}"


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

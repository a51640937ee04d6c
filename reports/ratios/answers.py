"""What a report is for, on its first screen: the sentence on each problem, one picture.

The picture has a row for every heuristic, and a dot for every instance with a proven
optimum. It is as wide as the window: places are given in per cent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from html import escape
from math import inf, log1p

from ..drawing.problems import LABELS
from ..pages.document import Inline, Name, Plot, Ref, Text
from ..pages.numbers import Ratio, decimal, percent, short_fraction
from .methods_sections import equation, method_mark
from .report import Report, many
from .scoring import ScoredRun
from .spreads import MethodSummary

_NEAR = 0.01
"""Excess over 1 up to which the axis is linear; beyond it is logarithmic."""
_TICKS = (1, 1.01, 1.1, 1.5, 2, 5, 10, 100, 1000, 10**4, 10**5, 10**6)
_MOST = 10**6
"""Ratios beyond stand at the end of the axis."""
_ROW = 18
"""Pixels from a method to the next, the same as in the style sheet."""
_FOOT = 20


def answers(report: Report) -> tuple[Text, ...]:
    """State for each problem which heuristic is closest to optimal, and how close."""
    return tuple(
        _answer(part, LABELS[problem].title) for problem, part in report.parts.items()
    )


def _answer(report: Report, title: str) -> Text:
    if not report.ranked:
        tried = sum(not s.exact for s in report.summaries)
        if not tried:
            return f"{title}: no heuristic was run."
        proven = sum(v.optimum is not None for v in report.verdicts)
        none = sum(v.infeasible for v in report.verdicts)
        if not proven:
            also = f" ({none} proved to have no solution)" * (none > 0)
            on = many(len(report.verdicts), "instance")
            return f"{title}: no optimum is proven on {on}{also}, and so no ratio."
        return (
            f"{title}: no heuristic of {tried} found a solution on "
            f"{many(proven, 'instance')} with a proven optimum."
        )
    first = report.ranked[0]
    share = f"{percent(first.optimal, first.runs)} of {many(first.runs, 'instance')}"
    rank = report.rank_of(first)
    equal = sum(report.rank_of(s) == rank for s in report.ranked) - 1
    others = f", like {many(equal, 'other')}" * (equal > 0)
    said: list[Inline] = [
        f"{title}: ",
        Ref(Name(first.name), method_mark(report, first.name)),
        f" comes closest{others}, optimal on {share}",
    ]
    if first.spread and first.spread.most > 1:
        said.append(f", {decimal(report.mean_of(first))} times the optimum on average")
        if report.alike and first.shared:
            count, of = len(report.shared.methods), report.shared.of
            taken = f"{len(report.shared.instances)} that {count} of {of} methods take"
            said.append(f" over the {taken}")
    for what, run in (
        (", at worst ", first.worst),
        ("; on those built against a method ", first.built),
    ):
        if run is not None and not run.optimal:
            where = Ref(Name(run.row.instance), report.marks[run.row.instance])
            said += [f"{what}{decimal(deciding(run))}{_level(run)} (", where, ")"]
    factor = "; no factor is proven"
    if first.guarantee is not None:
        factor = f"; proven: at most {equation(first.guarantee)}"
        if first.covered < first.everywhere:
            factor += f" on {first.covered} of {first.everywhere}"
    return (*said, f"{factor}.")


def deciding(run: ScoredRun) -> Ratio:
    """Return the ratio of the first level that is not 1; of one level, the ratio."""
    return next((ratio for ratio in run.ratios or () if ratio != 1), Fraction(1))


def _level(run: ScoredRun) -> str:
    """Say at which level a run first pays too much, if there are several."""
    ratios = run.ratios or ()
    place = next((i for i, ratio in enumerate(ratios, 1) if ratio != 1), 0)
    return f" at level {place}" * (len(ratios) > 1 and place > 0)


def picture(report: Report) -> Plot | None:
    """Draw the ratios of every heuristic, the closest to optimal first."""
    parts = {problem: part for problem, part in report.parts.items() if part.ranked}
    known = [
        *(deciding(j) for part in parts.values() for j in part.judged if j.ratios),
        *(
            s.guarantee
            for part in parts.values()
            for s in part.ranked
            if s.guarantee is not None
        ),
    ]
    finite = (min(ratio, _MOST) for ratio in known if ratio != inf)
    top = max([*map(float, finite), 1 + _NEAR])
    blocks = []
    for problem, part in parts.items():
        head = f"<b>{escape(LABELS[problem].title)}</b>" * (len(parts) > 1)
        blocks.append(head + _block(part, top))
    if not blocks:
        return None
    return Plot(
        "Cost over proven optimum, by method",
        "The closest to optimal first, of variants those closer than their method; on "
        "the right the mean, or how many are optimal. A dot is an instance, named when "
        "pointed at: filled, drawn; ring, built against a method, and in no mean; "
        "grey, not covered by the factor. Bars: the mean"
        + ", over the instances that most methods take"
        * any(part.alike for part in parts.values())
        + ", and, orange, the greatest factor proven. The scale is stretched near 1"
        + "; of costs of several levels, the first at which the choice is not optimal"
        * any(s.levels for part in parts.values() for s in part.ranked)
        + ".",
        f'<div class="strips">{"".join(blocks)}</div>',
    )


def _block(report: Report, top: float) -> str:
    """Draw the rows of one problem: names, dots above an axis, means and factors."""
    ranked = _shown(report)
    height = _ROW * len(ranked)
    ticks = [tick for tick in _TICKS if tick <= top * 1.02]
    lines = "".join(
        f'<line x1="{_place(t, top)}" x2="{_place(t, top)}" y2="{height}"/>'
        for t in ticks
    )
    labels = "".join(
        f'<text x="{_place(t, top)}" y="{height + 14}">{t:g}</text>'
        for t in _apart(ticks, top)
    )
    names: list[str] = []
    dots: list[str] = []
    told: list[str] = []
    for row, s in enumerate(ranked):
        mark = escape(method_mark(report, s.name))
        names.append(f'<a href="#{mark}">{escape(s.name)}</a>')
        dots += _dots(report, s, top, row * _ROW + _ROW / 2)
        mean = report.mean_of(s)
        proven = f" ≤ {short_fraction(s.guarantee)}" if s.guarantee is not None else ""
        said = f"{s.optimal} of {s.runs}" if mean is None else decimal(mean)
        told.append(f"<span>{said}<i>{proven}</i></span>")
    spoken = "; ".join(f"{s.name}: optimal on {s.optimal} of {s.runs}" for s in ranked)
    return (
        f'<div class="strip"><div>{"".join(names)}</div>'
        f'<svg role="img" aria-label="{escape(spoken)}" '
        f'style="height:{height + _FOOT}px">{lines}{labels}{"".join(dots)}</svg>'
        f"<div>{''.join(told)}</div></div>"
    )


def _shown(report: Report) -> list[MethodSummary]:
    """Return the ranked methods, of variants those closer than their method."""
    names = [s.name for s in report.ranked]
    return [
        s
        for place, s in enumerate(report.ranked)
        if report.table[s.name].variant_of not in names[:place]
    ]


def _dots(report: Report, s: MethodSummary, top: float, y: float) -> Iterator[str]:
    own = [j for j in report.judged if j.row.method == s.name and j.ratios is not None]
    for i, j in enumerate(sorted(own, key=deciding)):
        ratio = deciding(j)
        at = y + 4 * (2 * ((i * 0.618034) % 1) - 1)
        kinds = ["built"] * (j.row.instance in report.apart)
        kinds += ["open"] * (s.guarantee is not None and not j.covered)
        ring = f' class="{" ".join(kinds)}"' * bool(kinds)
        exact = "" if ratio in (1, inf) else f" = {short_fraction(ratio)}"
        yield (
            f'<circle{ring} cx="{_place(ratio, top)}" cy="{at:.1f}" r="3">'
            f"<title>{escape(f'{s.name} on {j.row.instance}')}: {decimal(ratio)}"
            f"{exact}</title></circle>"
        )
    for kind, value in (
        ("mean", report.mean_of(s)),
        ("proven", s.guarantee),
    ):
        if value is not None and value != inf:
            x = _place(value, top)
            yield (
                f'<line class="{kind}" x1="{x}" x2="{x}" y1="{y - 7:g}" '
                f'y2="{y + 7:g}"/>'
            )


def _share(ratio: Ratio | float, top: float) -> float:
    """Return where a ratio stands between 1 and the greatest, or at these ends."""
    if not 1 < ratio < top:
        return float(ratio > 1)
    return log1p((float(ratio) - 1) / _NEAR) / log1p((top - 1) / _NEAR)


def _place(ratio: Ratio | float, top: float) -> str:
    return f"{100 * _share(ratio, top):.2f}%"


def _apart(ticks: Sequence[float], top: float) -> list[float]:
    """Return the ticks that have room for their labels, the first and more."""
    found: list[float] = []
    for tick in ticks:
        if not found or _share(tick, top) - _share(found[-1], top) > 0.1:
            found.append(tick)
    return found

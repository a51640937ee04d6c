"""Sections of a report on single methods: their worst instances, what they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from ..drawing.drawing import draw
from ..drawing.problems import format_cost
from ..pages.document import (
    Cell,
    ErrorText,
    Inline,
    Name,
    Note,
    Ref,
    Section,
    Table,
    Text,
)
from ..pages.numbers import (
    Ratio,
    decimal,
    fraction,
    levels,
    percent,
    seconds,
    short_fraction,
)
from .report import Report
from .scoring import ScoredRun
from .spreads import MethodSummary

_LARGEST_PICTURE = 300_000
"""Characters; a page goes without pictures that are larger."""


@dataclass(frozen=True, slots=True)
class Card:
    """An instance, and the runs that are at their worst on it, the worst first."""

    mark: str
    runs: Sequence[ScoredRun]


def worst_cards(report: Report) -> list[Card]:
    """Return the worst instances of all heuristics, each once, by the greatest ratio.

    Of each method these are up to two: the worst of those built against a method, and
    of all others.
    """
    found: dict[str, list[ScoredRun]] = {}
    for s in report.summaries:
        for run in () if s.exact else (s.worst, s.built):
            if run is not None and not run.optimal:
                found.setdefault(run.row.instance, []).append(run)
    problem = next(iter(report.parts), "")
    ranked = [sorted(runs, key=_ratios, reverse=True) for runs in found.values()]
    ranked.sort(key=lambda runs: _ratios(runs[0]), reverse=True)
    return [Card(f"worst-{problem}-{i}", runs) for i, runs in enumerate(ranked)]


def _ratios(run: ScoredRun) -> tuple[Ratio, ...]:
    return run.ratios or ()


def worst_section(report: Report, cards: Sequence[Card]) -> Section:
    """Draw the instances on which heuristics are worst."""
    remarks: list[Text] = [
        "What the method chose next to a cheapest choice; a picture for each instance, "
        "with the method that is worst on it. Of a method these are the worst of the "
        "instances built against a method, and of all others."
    ]
    if not cards:
        remarks = []
    seen = {
        s.name: [run for run in (s.worst, s.built) if run] for s in report.summaries
    }
    known = [s.name for s in report.summaries if not s.exact]
    best = [one for one in known if seen[one] and all(j.optimal for j in seen[one])]
    for words, names in (
        ("Never worse than optimal here: ", best),
        ("Without an exact ratio: ", [one for one in known if not seen[one]]),
    ):
        if names:
            remarks.append((words, Name(", ".join(names)), "."))
    drawn = [_worst_card(card.runs, report.marks) for card in cards]
    table = Table(
        columns=(
            *("*instance", "*method", "ratio", "cost", "proven at most", "optimum"),
            *("*found by", "*proof", "time", "*also the worst of"),
        ),
        rows=[row for row, _ in drawn],
        pictures=[picture for _, picture in drawn],
        marks=[card.mark for card in cards],
    )
    return Section(
        title="The worst instances",
        text=tuple(remarks),
        tables=(table,) * bool(cards),
    )


def _worst_card(
    runs: Sequence[ScoredRun], places: Mapping[str, str]
) -> tuple[tuple[Cell, ...], str]:
    """Return a row on the first of runs, and its picture if not too large."""
    worst = runs[0]
    name, instance, best = worst.row.method, worst.verdict.instance, worst.verdict.best
    assert best is not None
    assert best.selection is not None
    assert worst.row.selection is not None
    others = [f"{j.row.method} {levels(j.ratios, decimal)}" for j in runs[1:]]
    row = (
        Ref(Name(instance.name), places[instance.name]),
        Name(name),
        levels(worst.ratios, equation),
        format_cost(instance, worst.row.cost),
        "–" if worst.guarantee is None else equation(worst.guarantee),
        format_cost(instance, best.cost),
        Name(best.method),
        Name(str(worst.verdict.proof)),
        seconds(worst.row.seconds),
        Name(", ".join(others)) if others else "–",
    )
    chosen = {name: worst.row.selection, "optimal": best.selection}
    ratio = levels(worst.ratios, decimal)
    picture = draw(instance, chosen, title=f"{name} at its worst: ratio {ratio}")
    return row, picture if len(picture) <= _LARGEST_PICTURE else ""


def method_mark(report: Report, method: str) -> str:
    """Return by which mark the row of a method is linked to."""
    [problem] = report.parts
    return f"method-{problem}-{'-'.join(method.split())}"


def methods_section(report: Report, cards: Sequence[Card]) -> Section:
    """State what each method does and guarantees, and where its worst case is."""
    worst_at = {j.row.method: card.mark for card in cards for j in card.runs}
    rows: list[tuple[Cell, ...]] = []
    for s in report.summaries:
        method = report.table[s.name]
        shown = "see its worst instance"
        entries = (method.doc_entry(what) for what in ("Guarantee", "Time", "Source"))
        said = [Name(text) if text else None for text in (method.summary, *entries)]
        worst = Ref(shown, worst_at[s.name]) if s.name in worst_at else None
        rows.append((Name(s.name), *said, worst))
    return Section(
        title="The methods",
        tables=(
            Table(
                columns=(
                    *("*method", "*what it does", "*guarantee", "*time", "*source"),
                    "*at its worst",
                ),
                rows=rows,
                marks=[method_mark(report, s.name) for s in report.summaries],
            ),
        ),
        folded=True,
    )


def equation(ratio: Ratio) -> str:
    """Write a ratio as a decimal and as a fraction in one line."""
    if ratio == inf or ratio == int(ratio):
        return decimal(ratio)
    return f"{decimal(ratio)} = {short_fraction(ratio)}"


def ratios_section(report: Report) -> Section:
    """Tabulate ratios; of lexicographic costs the share of optimal answers, too."""
    height = max((len(s.levels) for s in report.summaries), default=0)
    text = (
        "How often the selection is a proven optimum, and cost over proven optimum "
        "at each level."
        if height
        else "Cost over proven optimum, as a decimal and as an exact fraction; 1 is "
        "optimal. 'proven at most' is the greatest factor that theory guarantees "
        "for the method on the instances that the guarantee covers; if these are "
        "not all, the greatest ratio on them follows."
    )
    alike = report.shared.tells
    apart = any(s.built for s in report.summaries)
    order = (
        "the share of optimal answers" if height else "mean" + " alike" * report.alike
    )
    heads = ["*method", "runs", "with proven optimum", "optimal"]
    if height:
        kinds = "mean, mean alike, max" if alike else "mean, max"
        heads += ["share optimal", *(f"level {i + 1}: {kinds}" for i in range(height))]
    else:
        heads += ["min", "mean", *["mean alike"] * alike]
        heads += ["median", "p95", "max", *["max, built"] * apart, "proven at most"]
    rows: list[tuple[Cell, ...]] = []
    listed = _families(report)
    for s, _ in listed:
        link = Ref(Name(s.name), method_mark(report, s.name))
        name = (link, Note("exact")) if s.exact else link
        share = percent(s.optimal, s.runs)
        cells: tuple[Cell, ...]
        if height:
            cells = (s.optimal, share, *_level_cells(s, height, alike))
        else:
            cells = (share, *_ratio_cells(s, alike, apart, report.marks))
        times = seconds(s.seconds), seconds(s.mean_seconds)
        rows.append((name, s.runs, s.judged, *cells, *times))
    heads += ["time, all runs", "time, shifted mean"]
    return Section(
        title="Ratios by method",
        text=(
            f"{text} {report.shared.explanation}".rstrip()
            + f" Sorted by {order}; methods that take less than half of the "
            "instances, and exact ones, are last; variants are under their method."
            + " 'max, built' is the greatest ratio on the instances that were built "
            "against a method, which otherwise count in 'proven at most' alone."
            * apart,
            "'time, shifted mean' is the geometric mean of times plus 1 ms, less "
            "1 ms: neither the longest nor the shortest decide it.",
        ),
        tables=(Table(columns=heads, rows=rows, under=[below for _, below in listed]),),
    )


def _families(report: Report) -> list[tuple[MethodSummary, bool]]:
    """Order methods by mean, each variant under its method if that is there."""
    exact = [s for s in report.summaries if s.exact]
    order = list(dict.fromkeys([*report.ranked, *report.summaries]))
    order = [s for s in order if s not in exact] + exact
    names = {s.name for s in order}

    def root(name: str) -> str:
        above = report.table[name].variant_of
        return root(above) if above and above in names else name

    return [
        (s, s is not first)
        for first in order
        if root(first.name) == first.name
        for s in (first, *(s for s in order if s is not first))
        if root(s.name) == first.name
    ]


def _ratio_cells(
    s: MethodSummary, alike: bool, apart: bool, places: Mapping[str, str]
) -> list[Cell]:
    values: list[Ratio | None] = [None] * 5
    if spread := s.spread:
        values = [spread.least, spread.mean, spread.median, spread.p95, spread.most]
    if alike:
        values.insert(2, s.shared[0] if s.shared else None)
    cells: list[Cell] = [_ratio(value) for value in values[:-1]]
    cells += [_link_ratio(run, places) for run in (s.worst, *[s.built] * apart)]
    promise = _ratio(s.guarantee)
    promise += (Note(s.coverage),) if s.coverage else ()
    promise += (" ", ErrorText(f"broken on {len(s.broken)}")) if s.broken else ()
    return [*cells, promise]


def _link_ratio(run: ScoredRun | None, places: Mapping[str, str]) -> Cell:
    """Write the ratio of a run as a link to its instance, and what vouches for it."""
    if run is None or run.ratio is None:
        return None
    value = decimal(run.ratio)
    broken = (" ", ErrorText("broken")) * run.broken
    link = Ref(value, places[run.row.instance])
    return (link, *_ratio(run.ratio)[1:], *broken)


def _level_cells(s: MethodSummary, height: int, alike: bool) -> list[Cell]:
    cells: list[Cell] = []
    for place, spread in enumerate(s.levels):
        values: list[Ratio | None] = [spread.mean, spread.most]
        if alike:
            values.insert(1, s.shared[place] if place < len(s.shared) else None)
        cells.append(", ".join(map(decimal, values)))
    return cells + ["–"] * (height - len(cells))


def _ratio(ratio: Ratio | None) -> tuple[Inline, ...]:
    """Write a ratio as a decimal, and below it as a fraction, on demand."""
    if ratio is None or ratio == inf or ratio == int(ratio):
        return (decimal(ratio),)
    return (decimal(ratio), Note(short_fraction(ratio), fraction(ratio)))

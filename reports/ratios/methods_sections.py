"""Sections of a report on single methods: their worst instances, what they are."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from ..drawing.drawing import draw
from ..drawing.problems import paid
from ..pages.document import Cell, Name, Ref, Section, Table, Text
from ..pages.numbers import Ratio, decimal, levels, seconds, short_fraction
from .report import Report
from .scoring import ScoredRun
from .summaries import MethodSummary

_LARGEST_PICTURE = 300_000
"""Characters; a page goes without pictures that are larger."""


def worst_section(report: Report) -> Section:
    """Draw, for each method, the instance on which it is worst."""
    cards, marks, optimal, without = [], [], [], []
    places = instance_marks(report)
    for s in report.summaries:
        if s.exact:
            continue
        if s.worst is None:
            without.append(s.name)
        elif not _has_card(s):
            optimal.append(s.name)
        else:
            cards.append(_worst_card(s.name, s.worst, places))
            marks.append(method_mark("worst", report, s.name))
    remarks: list[Text] = ["What the method chose next to a cheapest choice."]
    if not cards:
        remarks = ["None is worse than optimal on an instance with a proven optimum."]
    for words, names in (
        ("Never worse than optimal here: ", optimal),
        ("Without an exact ratio: ", without),
    ):
        if names:
            remarks.append((words, Name(", ".join(names)), "."))
    table = Table(
        columns=(
            *("*method", "*instance", "ratio", "cost", "proven at most", "optimum"),
            *("*found by", "*proof", "time"),
        ),
        rows=[row for row, _ in cards],
        pictures=[picture for _, picture in cards],
        marks=marks,
    )
    return Section(
        title="The worst instance of each method",
        text=tuple(remarks),
        tables=(table,) * bool(cards),
    )


def _worst_card(
    name: str, worst: ScoredRun, places: Mapping[str, str]
) -> tuple[tuple[Cell, ...], str]:
    """Return a row on the worst run of a method, and its picture if not too large."""
    instance, best = worst.verdict.instance, worst.verdict.best
    assert best is not None
    assert best.selection is not None
    assert worst.row.selection is not None
    row = (
        Name(name),
        Ref(Name(instance.name), places[instance.name]),
        levels(worst.ratios, _equation),
        paid(instance, worst.row.cost),
        "–" if worst.guarantee is None else _equation(worst.guarantee),
        paid(instance, best.cost),
        Name(best.method),
        Name(str(worst.verdict.proof)),
        seconds(worst.row.seconds),
    )
    chosen = {name: worst.row.selection, "optimal": best.selection}
    ratio = levels(worst.ratios, decimal)
    picture = draw(instance, chosen, title=f"{name} at its worst: ratio {ratio}")
    return row, picture if len(picture) <= _LARGEST_PICTURE else ""


def instance_marks(report: Report) -> dict[str, str]:
    """Return by which mark the row of each instance is linked to."""
    problem = next(iter(report.parts))
    named = (verdict.instance.name for verdict in report.verdicts)
    return {name: f"instance-{problem}-{i}" for i, name in enumerate(named)}


def method_mark(kind: str, report: Report, method: str) -> str:
    """Return by which mark a method is linked to, as a row or as a card."""
    problem = next(iter(report.parts))
    return f"{kind}-{problem}-{'-'.join(method.split())}"


def methods_section(report: Report) -> Section:
    """Say of each method what it does and guarantees, and where its worst case is."""
    [(_, table)] = [
        (name, own) for name, own in report.methods.items() if name in report.parts
    ]
    drawn = {s.name for s in report.summaries if _has_card(s)}
    rows: list[tuple[Cell, ...]] = []
    for s in report.summaries:
        method = table[s.name]
        shown = "see its worst instance"
        link: Cell = Ref(Name(shown), method_mark("worst", report, s.name))
        entries = (method.doc_entry(what) for what in ("Guarantee", "Time", "Source"))
        said = (Name(text) if text else None for text in entries)
        worst = link if s.name in drawn else None
        rows.append((Name(s.name), Name(method.summary), *said, worst))
    return Section(
        title="The methods",
        tables=(
            Table(
                columns=(
                    *("*method", "*what it does", "*guarantee", "*time", "*source"),
                    "*at its worst",
                ),
                rows=rows,
                marks=[method_mark("method", report, s.name) for s in report.summaries],
            ),
        ),
        folded=True,
    )


def _has_card(s: MethodSummary) -> bool:
    return not s.exact and s.worst is not None and not s.worst.optimal


def _equation(ratio: Ratio) -> str:
    """Write a ratio as a decimal and as a fraction in one line."""
    if ratio == inf or ratio == int(ratio):
        return decimal(ratio)
    return f"{decimal(ratio)} = {short_fraction(ratio)}"

"""The ratio report as a document."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from ...instances.problems import described
from ...proofs.checking.folder import Entry
from ...solvers import Grade
from ..campaigns.rows import REFUSED
from ..drawing.problems import LABELS, ProblemLabels, paid
from ..pages.document import (
    Bad,
    Cell,
    Document,
    File,
    Inline,
    Link,
    Name,
    Ref,
    Section,
    Shares,
    Small,
    Table,
    Text,
)
from ..pages.numbers import (
    Ratio,
    day,
    decimal,
    fraction,
    levels,
    percent,
    price,
    seconds,
    short_fraction,
)
from ..proofs.campaign import FOLDER
from .answers import answers, picture
from .gaps import gaps_section
from .methods_sections import (
    instance_marks,
    method_mark,
    methods_section,
    worst_section,
)
from .plots import plots
from .proofs_section import proof_cell, proofs_section
from .report import Report
from .scoring import ScoredRun, open_levels
from .summaries import MethodSummary

_NAMED = 5
"""Broken bounds that are named at the top."""
_GRADES = {
    Grade.CHECKED: "checked: re-derived by plain arithmetic,",
    Grade.ENUMERATED: "enumerated: by an exhaustive search of closeknit's own,",
    Grade.CONFIRMED: "confirmed: as a named solver and other code report,",
    Grade.SOLVER: "solver: as a named solver alone reports,",
}
_HOW_TO_READ = (
    "An optimum is proven when a solution and a lower bound agree, whichever methods "
    "of this report they come from; the grade says how the bound was obtained. Ratios "
    "are exact fractions, never rounded before they are compared; decimals are rounded "
    "for reading. The median of an even number is the mean of the two in the middle; "
    "the 95th percentile is the nearest rank, the least ratio that at least 95 % do "
    "not exceed. Times are wall-clock seconds of one run while others run in parallel; "
    "heuristics are warmed up first."
)


def ratio_document(report: Report) -> Document:
    """Build the document; equal reports give equal documents."""
    costs, sections = "", []
    for problem, part in report.parts.items():
        labels = LABELS[problem]
        own = _sections(part, labels)
        if len(report.parts) == 1:
            costs, sections = f"{labels.costs} ", [*own]
        else:
            text = f"{part.headline}. {labels.costs}"
            sections.append(Section(title=labels.title, text=(text,), sections=own))
    reading = Section(
        title="How to read this",
        text=(
            costs + _HOW_TO_READ,
            "The same rows are in `ratios.csv`, the raw results with every selection "
            "in `results.sqlite`.",
        ),
    )
    return Document(
        name="ratios",
        title="How close to optimal",
        source=_what_ran(report),
        lead=(f"{report.headline}.",),
        shares=_shares(report),
        verdict=_verdict(report),
        answers=answers(report),
        picture=picture(report),
        sections=(*sections, reading),
    )


def _verdict(report: Report) -> Text:
    """Say whether all holds; if not, which bounds fail, by name and number."""
    finding = f"{report.finding[:1].upper()}{report.finding[1:]}."
    if report.holds:
        return finding
    pieces: list[Inline] = [Bad(finding)]
    for j in report.broken[:_NAMED]:
        pieces += [
            " ",
            Name(j.row.method),
            " on ",
            Name(j.row.instance),
            _excess(j),
            ".",
        ]
    if (more := len(report.broken) - _NAMED) > 0:
        pieces += [f" {more} more are under ", Link("Failures"), "."]
    return tuple(pieces)


def _excess(j: ScoredRun) -> str:
    """Write by how much a run is above what is proven for its method."""
    at_least = "at least " if j.ratio is None else ""
    ratio = f"ratio {at_least}{fraction(j.least_ratio)}"
    return f": {ratio}, above {fraction(j.guarantee)}"


def _what_ran(report: Report) -> Text:
    """Describe versions, machines, limits and seeds."""
    ran = sorted(
        {f"closeknit {r.version}, Python {r.python}, {r.machine}" for r in report.rows}
    )
    limits = sorted({f"{r.time_limit:g} s per run, seed {r.seed}" for r in report.rows})
    pieces: list[Inline] = [f"closeknit ratio report, {day(report.date)}. Run with "]
    for i, one in enumerate(ran):
        pieces += ["; "] * bool(i) + [Name(one)]
    return (*pieces, f"; {'; '.join(limits)}")


def _shares(report: Report) -> Shares:
    count = len(report.rows)
    grades = ((grade, size) for grade, size in report.grades.items() if size)
    parts = [(_GRADES[grade], size, grade.value) for grade, size in grades]
    if report.infeasible:
        parts.append(("proved to have no solution,", report.infeasible, "faint"))
    if left := count - report.proved - report.infeasible:
        parts.append(("optimum not proven,", left, "cloud"))
    return Shares(label="Rows by grade of the proof", whole=count, parts=tuple(parts))


def _sections(report: Report, labels: ProblemLabels) -> tuple[Section, ...]:
    """Build all sections of a report on one problem."""
    drawn = tuple(plots(report))
    text = () if drawn else ("Nothing ran, so nothing is drawn.",)
    gaps = gaps_section(report)
    return (
        _methods(report),
        *((gaps,) if gaps else ()),
        Section(title="Plots", text=text, plots=drawn),
        worst_section(report),
        _instances(report, labels),
        *[proofs_section(report)] * any(v.kept for v in report.verdicts),
        _unproved(report),
        _failures(report),
        _means(report),
        methods_section(report),
    )


def _methods(report: Report) -> Section:
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
    heads = ["*method", "runs", "with proven optimum", "optimal"]
    if height:
        kinds = "mean, mean alike, max" if alike else "mean, max"
        heads += ["share optimal", *(f"level {i + 1}: {kinds}" for i in range(height))]
    else:
        heads += ["min", "mean", *["mean alike"] * alike]
        heads += ["median", "p95", "max", *["max, built"] * apart, "proven at most"]
    rows: list[tuple[Cell, ...]] = []
    places = instance_marks(report)
    ordered = _families(report)
    for s, _ in ordered:
        link = Ref(Name(s.name), method_mark("method", report, s.name))
        name = (link, Small("exact")) if s.exact else link
        share = percent(s.optimal, s.runs)
        cells: tuple[Cell, ...]
        if height:
            cells = (s.optimal, share, *_level_cells(s, height, alike))
        else:
            cells = (share, *_ratio_cells(s, alike, apart, places))
        times = seconds(s.seconds), seconds(s.mean_seconds)
        rows.append((name, s.runs, s.judged, *cells, *times))
    heads += ["time, all runs", "time, shifted mean"]
    return Section(
        title="Ratios by method",
        text=(
            f"{text} {report.shared.explanation}".rstrip()
            + " Sorted by mean; methods that take less than half of the instances, "
            "and exact ones, are last; variants are under their method."
            + " 'max, built' is the greatest ratio on the instances that were built "
            "against a method, which count in no other column." * apart,
            "'time, shifted mean' is the geometric mean of times plus 1 ms, less "
            "1 ms: neither the longest nor the shortest decide it.",
        ),
        tables=(
            Table(columns=heads, rows=rows, under=[below for _, below in ordered]),
        ),
    )


def _families(report: Report) -> list[tuple[MethodSummary, bool]]:
    """Order methods by mean, each variant under its method if that is there."""
    exact = [s for s in report.summaries if s.exact]
    order = list(dict.fromkeys([*report.ranked, *report.summaries]))
    order = [s for s in order if s not in exact] + exact
    [table] = [report.methods[problem] for problem in report.parts]
    names = {s.name for s in order}

    def root(name: str) -> str:
        above = table[name].variant_of
        return root(above) if above in names else name

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
    cells += [_linked(run, places) for run in (s.worst, *[s.built] * apart)]
    promise = _ratio(s.guarantee)
    promise += (Small(s.coverage),) if s.coverage else ()
    promise += (" ", Bad(f"broken on {len(s.broken)}")) if s.broken else ()
    return [*cells, promise]


def _linked(run: ScoredRun | None, places: Mapping[str, str]) -> Cell:
    """Write the ratio of a run as a link to its instance, and what vouches for it."""
    if run is None or run.ratio is None:
        return None
    value = decimal(run.ratio)
    broken = (" ", Bad("broken")) * run.broken
    link = Ref(value, places[run.row.instance])
    return (link, *_ratio(run.ratio)[1:], *broken)


def _level_cells(s: MethodSummary, height: int, alike: bool) -> list[Cell]:
    cells: list[Cell] = []
    for place, spread in enumerate(s.levels):
        values: list[Ratio | None] = [spread.mean, spread.most]
        if alike:
            values.insert(1, s.shared[place] if s.shared else None)
        cells.append(", ".join(map(decimal, values)))
    return cells + ["–"] * (height - len(cells))


def _instances(report: Report, labels: ProblemLabels) -> Section:
    exact = {s.name for s in report.summaries if s.exact}
    time = {
        j.row.instance: j.row.seconds for j in report.judged if j.row.method in exact
    }
    kept = any(v.kept for v in report.verdicts)
    rows: list[tuple[Cell, ...]] = []
    for v in report.verdicts:
        value: Cell
        proof = proof_cell(v)
        if v.optimum is not None:
            value = paid(v.instance, v.optimum)
        elif v.infeasible:
            value = "infeasible"
        elif v.contradiction:
            value, proof = Bad("contradiction"), "–"
        else:
            value = f"{price(v.bound)} .. {price(v.best.cost if v.best else None)}"
            proof = "not proven"
        name = v.instance.name
        spent = seconds(time.get(name))
        check = (_files(v.kept),) if kept else ()
        rows.append((Name(name), described(v.instance), value, proof, *check, spent))
    table = Table(
        columns=(
            *("*instance", f"*{labels.given}", "optimum", "*proof"),
            *(*["*files, and what checks them"] * kept, "time, exact"),
        ),
        rows=rows,
        marks=list(instance_marks(report).values()),
    )
    text = (
        "The optimum where it is proven, else the best bound and the best cost known, "
        "bound .. cost." + " The lines are to be run in the folder of this page." * kept
    )
    return Section(title="Instances", text=(text,), tables=(table,))


def _files(kept: Entry | None) -> Cell:
    """Link to instance, solution and proof; the line that checks them."""
    if kept is None:
        return None
    found = {"instance": kept.instance, "solution": kept.solution, "proof": kept.proof}
    paths = {what: f"{FOLDER}/{one.file}" for what, one in found.items() if one}
    links = [File(what, path) for what, path in paths.items()]
    words = [paths["instance"], paths["solution"]]
    words += ["--proof", paths["proof"]] * ("proof" in paths)
    between = [piece for link in links for piece in (", ", link)][1:]
    return (*between, " ", f"`closeknit check {' '.join(words)}`")


def _unproved(report: Report) -> Section:
    title = "Rows without a proven optimum"
    if not report.unproved:
        text = "None: every cost is compared with a proven optimum."
        return Section(title=title, text=(text,))
    rows = [
        (
            *(Name(j.row.instance), Name(j.row.method), price(j.row.cost)),
            price(j.verdict.best.cost if j.verdict.best else None),
            price(j.verdict.bound),
            Bad(open_levels(j)) if j.broken else open_levels(j),
        )
        for j in report.unproved
    ]
    table = Table(
        columns=(
            *("*instance", "*method", "cost", "best known", "bound"),
            "ratio lies within",
        ),
        rows=rows,
    )
    text = (
        "No ratio is claimed for these; it lies between cost / best known and cost / "
        "bound."
    )
    return Section(title=title, text=(text,), tables=(table,))


def _failures(report: Report) -> Section:
    items: list[Text] = []
    for j in report.broken:
        where = (" ", Name(j.row.method), " on ", Name(j.row.instance), _excess(j))
        items.append((Bad("Guarantee broken:"), *where))
    for v in report.contradictions:
        claim = (" ", Name(v.instance.name), ": ", Name(v.contradiction))
        items.append((Bad("Contradicted proof:"), *claim))
    for r in report.failed:
        run = (" ", Name(r.method), " on ", Name(r.instance), ": ", Name(r.error))
        items.append((Bad("Failed:"), *run))
    for r in report.ended("unknown"):
        names = (Name(r.method), " on ", Name(r.instance))
        items.append(("Found nothing: ", *names, f", limit: {r.limit or 'none'}"))
    for r in report.ended(REFUSED):
        items.append(("Refused: ", Name(r.instance), ": ", Name(r.error)))
    text = "None: every run ended with an answer, and no guarantee or proof is broken."
    retry = "To run failed ones again, repeat the command with `--retry-failed`."
    return Section(
        title="Failures",
        text=() if items else (text,),
        items=tuple(items),
        after=(retry,) if report.failed else (),
    )


def _means(report: Report) -> Section:
    items = tuple(
        (Name(s.name), f": {levels([x.mean for x in spreads], fraction)}")
        for s in report.summaries
        if (spreads := (s.spread,) if s.spread else s.levels)
    )
    text = () if items else ("None.",)
    return Section(title="Exact means", text=text, items=items, folded=True)


def _ratio(ratio: Ratio | None) -> tuple[Inline, ...]:
    """Write a ratio as a decimal, and below it as a fraction, on demand."""
    if ratio is None or ratio == inf or ratio == int(ratio):
        return (decimal(ratio),)
    return (decimal(ratio), Small(short_fraction(ratio), fraction(ratio)))

"""The ratio report as a document."""

from __future__ import annotations

from os import fsencode
from urllib.parse import quote, urlencode

from ...instances.support import describe
from ...proofs.checking.folder import Entry
from ...solvers import Grade
from ..campaigns.rows import REFUSED
from ..drawing.problems import LABELS, ProblemLabels, format_cost
from ..pages.document import (
    Cell,
    Document,
    ErrorText,
    File,
    Inline,
    Name,
    Section,
    SectionLink,
    Shares,
    Table,
    Text,
)
from ..pages.numbers import day, fraction, levels, price, seconds
from .answers import answers, picture
from .methods_sections import (
    methods_section,
    ratios_section,
    worst_cards,
    worst_section,
)
from .proofs_section import proof_cell, proofs_section
from .report import Report
from .scoring import FOLDER, ScoredRun, open_levels

_NAMED = 5
"""Broken bounds that are named at the top, each by its worst run."""
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


SITE = "site/use/browser.html"
"""The page that checks in a browser, of a site next to the folder of the report."""


def ratio_document(report: Report, folder: str = "") -> Document:
    """Build the document; equal reports give equal documents.

    ``folder`` is the name of the report's own if `SITE` lies next to it.
    """
    costs, sections = "", []
    for problem, part in report.parts.items():
        labels = LABELS[problem]
        own = _sections(part, labels, folder)
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
    pieces: list[Inline] = [ErrorText(finding)]
    worst: dict[tuple[str, str], ScoredRun] = {}
    for j in sorted(report.broken, key=lambda j: j.least_ratio or 0, reverse=True):
        worst.setdefault((j.row.problem, j.row.method), j)
    named = list(worst.values())[:_NAMED]
    contradicted = report.contradictions[:_NAMED]
    for j in named:
        names = (" ", Name(j.row.method), " on ", Name(j.row.instance))
        pieces += [*names, _excess(j), "."]
    for v in contradicted:
        pieces += [" ", Name(v.instance.name), ": ", Name(v.contradiction), "."]
    total = len(report.broken) + len(report.contradictions) + len(report.failed)
    if more := total - len(named) - len(contradicted):
        pieces.append(f" {more} more under " if named or contradicted else " See ")
        wrong = [LABELS[p].title for p, part in report.parts.items() if part.problems]
        for i, title in enumerate(wrong if len(report.parts) > 1 else ["Failures"]):
            pieces += [", "] * bool(i) + [SectionLink(title)]
        pieces.append(".")
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


def _sections(
    report: Report, labels: ProblemLabels, folder: str
) -> tuple[Section, ...]:
    """Build all sections of a report on one problem."""
    cards = worst_cards(report)
    return (
        ratios_section(report),
        worst_section(report, cards),
        _instances(report, labels, folder),
        *[proofs_section(report)] * any(v.kept for v in report.verdicts),
        _rows_without_proof(report),
        _failures(report),
        _means(report),
        methods_section(report, cards),
    )


_CHECK = (
    " The lines are to be run in the folder of this page; `closeknit-check`, which "
    "needs nothing else, and the page of the documentation that checks in a browser "
    "take the same three files."
)


def _instances(report: Report, labels: ProblemLabels, folder: str) -> Section:
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
            value = format_cost(v.instance, v.optimum)
        elif v.infeasible:
            value = "infeasible"
        elif v.contradiction:
            value, proof = ErrorText("contradiction"), "–"
        else:
            value = f"{price(v.bound)} .. {price(v.best.cost if v.best else None)}"
            proof = "not proven"
        name = v.instance.name
        spent = seconds(time.get(name))
        check = (_files(v.kept, folder),) if kept else ()
        rows.append((Name(name), describe(v.instance), value, proof, *check, spent))
    table = Table(
        columns=(
            *("*instance", f"*{labels.given}", "optimum", "*proof"),
            *(*["*files, and what checks them"] * kept, "time, exact"),
        ),
        rows=rows,
        marks=list(report.marks.values()),
    )
    text = (
        "The optimum where it is proven, else the best bound and the best cost known, "
        "bound .. cost." + _CHECK * kept
    )
    return Section(title="Instances", text=(text,), tables=(table,))


def _files(kept: Entry | None, folder: str) -> Cell:
    """Link to instance, solution and proof; the line, and the page, that check them."""
    if kept is None:
        return None
    found = {"instance": kept.instance, "solution": kept.solution, "proof": kept.proof}
    paths = {what: f"{FOLDER}/{one.file}" for what, one in found.items() if one}
    links = [File(what, path) for what, path in paths.items()]
    words = [paths["instance"], paths["solution"]]
    if "proof" in paths:
        words += ["--proof", paths["proof"]]
    between = [piece for link in links for piece in (", ", link)][1:]
    check: tuple[Inline, ...] = (*between, " ", f"`closeknit check {' '.join(words)}`")
    if not folder:
        return check
    here = f"../../{quote(fsencode(folder))}"  # the page takes addresses, not paths
    query = urlencode(
        {what: f"{here}/{path}" for what, path in paths.items()}, safe="/"
    )
    return (*check, ", ", File("in the browser", f"../{SITE}", f"?{query}"))


def _rows_without_proof(report: Report) -> Section:
    title = "Rows without a proven optimum"
    if not report.unproved:
        text = "None: every cost is compared with a proven optimum."
        return Section(title=title, text=(text,))
    rows = [
        (
            *(Name(j.row.instance), Name(j.row.method), price(j.row.cost)),
            price(j.verdict.best.cost if j.verdict.best else None),
            price(j.verdict.bound),
            ErrorText(open_levels(j)) if j.broken else open_levels(j),
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
        items.append((ErrorText("Guarantee broken:"), *where))
    for v in report.contradictions:
        claim = (" ", Name(v.instance.name), ": ", Name(v.contradiction))
        items.append((ErrorText("Contradicted proof:"), *claim))
    for r in report.failed:
        run = (" ", Name(r.method), " on ", Name(r.instance), ": ", Name(r.error))
        items.append((ErrorText("Failed:"), *run))
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

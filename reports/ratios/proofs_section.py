"""The section of a report on proofs in files: shares by grade, sizes, times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from ...proofs.checking.folder import Entry
from ...solvers import Grade, Proof
from ..pages.document import Cell, Name, Note, Section, Table
from ..pages.numbers import percent, seconds
from .report import Report
from .scoring import InstanceVerdict, ScoredRun

PROOF_COLUMNS = ("*proof_kind", "proof_bytes", "proof_seconds")
"""Further columns of ``ratios.csv`` where proofs were kept; times are of checks."""


def proof_cells(run: ScoredRun) -> tuple[Cell, ...]:
    """Return the cells of `PROOF_COLUMNS` for a row."""
    kept = run.verdict.kept
    if kept is None:
        return ("", "", "")
    return (kept.kind, kept.size, f"{kept.checking:.6f}")


def proof_cell(verdict: InstanceVerdict) -> Cell:
    """Name the proof of an instance, with its size and the time to check it."""
    name = Name(str(verdict.proof))
    kept = verdict.kept
    if kept is None or kept.proof is None:
        return name
    return (name, Note(f"{kept.size} bytes, checked in {seconds(kept.checking)}"))


def proofs_section(report: Report) -> Section:
    """Tabulate, by method, the grades of the rows and what their proofs take."""
    rows: list[tuple[Cell, ...]] = []
    for summary in report.summaries:
        own = [j for j in report.judged if j.row.method == summary.name]
        rows.append((Name(summary.name), len(own), *_shares(own), *_sizes(own)))
    table = Table(
        columns=(
            *("*method", "rows", *(grade.value for grade in Grade), "not proven"),
            *("proofs in files", "median bytes", "to write", "to check"),
        ),
        rows=rows,
    )
    text = (
        "Share of the rows by the grade of the proof of their instance; medians of the "
        "proofs in files, which `closeknit verify --proofs` checks again."
    )
    return Section(title="Proofs", text=(text,), tables=(_by_prover(report), table))


def _by_prover(report: Report) -> Table:
    """Tabulate, by who proved an instance, its grades before and after, and sizes."""
    groups: dict[str, list[InstanceVerdict]] = {}
    for verdict in report.verdicts:
        kept = verdict.kept
        by = "nobody" if kept is None else kept.by if kept.proof else kept.kind
        groups.setdefault(by, []).append(verdict)
    rows: list[tuple[Cell, ...]] = []
    for by, group in sorted(groups.items()):
        files = [v.kept for v in group if v.kept and v.kept.proof]
        times = ("solving", "writing", "checking")
        spent = [seconds(median(getattr(f, t) for f in files)) for t in times if files]
        size = (round(median(f.size for f in files)),) if files else ("–",)
        largest = max((f.size for f in files), default=None)
        rows.append(
            (
                *(Name(by), len(group)),
                _grades([v.before if v.kept else v.settled for v in group]),
                _grades([v.settled for v in group]),
                *(*size, largest, *(spent or ["–"] * 3)),
            )
        )
    columns = (
        *("*proved by", "instances", "*grade without", "*grade with the proofs"),
        *("median bytes", "largest", "to solve", "to write", "to check"),
    )
    return Table(columns=columns, rows=rows)


def _grades(proofs: Sequence[Proof | None]) -> str:
    """Count proofs by their grade, as in ``3 enumerated, 1 not proven``."""
    counts = Counter(p.grade.value if p else "not proven" for p in proofs)
    known = (*(grade.value for grade in Grade), "not proven")
    return ", ".join(f"{counts[name]} {name}" for name in known if counts[name])


def _shares(own: Sequence[ScoredRun]) -> list[Cell]:
    """Return the share of rows by grade, and of those without a proof."""
    known = [proof for j in own if (proof := j.verdict.settled)]
    counts = [sum(proof.grade is grade for proof in known) for grade in Grade]
    return [percent(n, len(own)) for n in (*counts, len(own) - len(known))]


def _sizes(own: Sequence[ScoredRun]) -> list[Cell]:
    kept: list[Entry] = [
        j.verdict.kept for j in own if j.verdict.kept and j.verdict.kept.proof
    ]
    if not kept:
        return [0, "–", "–", "–"]
    return [
        len(kept),
        round(median(each.size for each in kept)),
        seconds(median(each.writing for each in kept)),
        seconds(median(each.checking for each in kept)),
    ]

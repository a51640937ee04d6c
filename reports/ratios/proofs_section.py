"""The section of a report on proofs in files: shares by grade, sizes, times."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from ...instances.proofs.folder import Entry
from ...solvers import Grade
from ..pages.document import Cell, Name, Section, Small, Table
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
    return (name, Small(f"{kept.size} bytes, checked in {seconds(kept.checking)}"))


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
    return Section(title="Proofs", text=(text,), tables=(table,))


def _shares(own: Sequence[ScoredRun]) -> list[Cell]:
    """Return the share of rows by grade, and of those without a proof."""
    known = [
        j.verdict.proof
        for j in own
        if j.verdict.proof and (j.verdict.infeasible or j.verdict.optimum is not None)
    ]
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

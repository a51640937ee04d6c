"""Solve the instances of the frontier, prove each answer, and keep the proofs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from ...instances import problem_of
from ...instances.problems import describe
from ...methods import METHODS
from ...methods.warming import kind_of, warm
from ...proofs.checking.folder import Entry
from ...reports.campaigns.pool import Call
from ...reports.pages.document import Cell, Document, Name, Section, Table
from ...reports.pages.numbers import price
from ...reports.proofs.library import fill
from ...reports.proofs.proving import Proven, solve_and_prove
from ...solvers import Settings
from ..catalogue import RunOptions
from .cases import FrontierCase, cases

SECONDS, SECONDS_FULL = 40.0, 600.0
"""Limits on solving, and on each way to write a proof."""
_GRACE = 120.0
_ABOUT = "hard instances with their optima and proofs"


def study(options: RunOptions) -> Document:
    """Fill the folder of the report; what it holds already is not made again."""
    listed = cases(options.full)
    if options.out is not None:
        return _document(listed, *_fill(Path(options.out), listed, options))
    with TemporaryDirectory(prefix="closeknit-") as name:
        return _document(listed, *_fill(Path(name), listed, options))


def _fill(
    where: Path, listed: Sequence[FrontierCase], options: RunOptions
) -> tuple[dict[str, Entry], dict[str, str]]:
    """Make what is missing in a folder; return entries, and why others are missing."""
    seconds = SECONDS_FULL if options.full else SECONDS
    wanted = {
        case.instance.name: (
            case.instance,
            Call(partial(_run, case, seconds), 12 * seconds + _GRACE, preparing=900.0),
        )
        for case in listed
    }
    assert len(wanted) == len(listed)
    jobs, progress = options.jobs, options.progress
    return fill(where, wanted, about=_ABOUT, jobs=jobs, progress=progress)


def _run(case: FrontierCase, seconds: float) -> Proven:
    """Solve and prove one case; runs in a process of the pool."""
    method = METHODS[problem_of(case.instance).name]["auto"]
    warm(method, kind_of(case.instance))
    return solve_and_prove(case.instance, method, Settings(time_limit=seconds), seconds)


def _document(
    listed: Sequence[FrontierCase],
    found: Mapping[str, Entry],
    missing: Mapping[str, str],
) -> Document:
    proved = [case for case in listed if case.instance.name in found]
    size = sum(found[case.instance.name].size for case in proved)
    lead = (
        f"{len(proved)} of {len(listed)} instances are solved, each with a proof that "
        f"was checked; the proofs take {size} bytes.",
        "`closeknit verify --proofs FOLDER` checks all of them again, without search "
        "or solver; so does `python -m closeknit.proofs.checking FOLDER`, in plain "
        "Python.",
    )
    columns = (
        *("*instance", "*what", "*status", "*cost", "*proof", "*by", "bytes"),
        *("seconds to solve", "to write", "to check"),
    )
    sections = []
    for family in dict.fromkeys(case.family for case in listed):
        rows = [
            _row(case, found[case.instance.name])
            for case in proved
            if case.family == family
        ]
        items = tuple(
            (Name(case.instance.name), f": {missing[case.instance.name]}")
            for case in listed
            if case.family == family and case.instance.name in missing
        )
        name = family.replace(" ", "-")
        table = Table(name=name, caption=family, columns=columns, rows=rows)
        tables = (table,) if rows else ()
        sections.append(Section(title=family.capitalize(), tables=tables, items=items))
    return Document(
        name="frontier",
        title="Hard instances with optima and proofs",
        source="closeknit, docs/science/proofs.md",
        lead=lead,
        sections=tuple(sections),
    )


def _row(case: FrontierCase, entry: Entry) -> tuple[Cell, ...]:
    return (
        *(Name(entry.name), describe(case.instance), entry.status),
        *(price(entry.cost), entry.kind, Name(entry.by), entry.size),
        *(entry.solving, entry.writing, entry.checking),
    )

"""Table 1 of Bender et al. 2008: decisions where another has placed the stream."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...reports.pages.document import Document, Section
from ..catalogue import RunOptions
from ..parts import run_all
from .entries import SituationRow
from .findings import findings, lead
from .parts import OPTIMAL, Found, Part, run, taking_part
from .printed import AS_DEFINED, EVERYWHERE, JOBS
from .streams import ArrivalPattern, Stream, stream
from .tables import (
    diagonal_table,
    entries_table,
    gaps_table,
    means_table,
    printed_table,
    ratio_matrix,
)

Rows = dict[str, dict[str, SituationRow]]
"""By state, then by situation."""
EVERY = 4
"""Expensive methods run only on every N-th job: optima, further allocators."""
NODES = 200_000
"""Limit of the search for an optimum."""
MESH = (16, 16)
CORE = tuple(dict.fromkeys((*EVERYWHERE.values(), *AS_DEFINED.values())))
"""The four of the table, in both variants."""
_WANTED = (
    *("snake/best-fit", "row/best-fit", "mc", "mbs", "paging", "random"),
    OPTIMAL,
)


def lineup(shape: tuple[int, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the strategies that take a mesh, the four first, and why others do not."""
    return taking_part((*CORE, *_WANTED), shape, CORE)


def study(options: RunOptions) -> Document:
    """Run every situation, in both states of the stream, and compare decisions."""
    shape = options.mesh or MESH
    situations, missing = lineup(shape)
    jobs = stream(
        options.trace, shape, seed=options.seed, first=options.first, load=options.load
    )
    parts = {
        (state.name, situation): Part(
            shape=shape,
            jobs=state.jobs,
            situation=situation,
            always=CORE,
            sometimes=situations[len(CORE) :],
            every=options.every or EVERY,
            nodes=NODES,
            seed=options.seed,
        )
        for state in jobs.states
        for situation in situations
    }
    found = run_all(parts, run, Found, options)
    rows: Rows = {state.name: {} for state in jobs.states}
    for (state, situation), part in parts.items():
        rows[state][situation] = SituationRow(part, found[state, situation])
    return _build_document(options, shape, jobs, rows, missing)


def _build_document(
    options: RunOptions,
    shape: tuple[int, ...],
    jobs: Stream,
    rows: Rows,
    missing: Sequence[str],
) -> Document:
    sections = [s for state in jobs.states for s in _sections(state, rows[state.name])]
    return Document(
        name="bender-table1",
        title=f"What one allocator would give where another has placed the stream: "
        f"{jobs.name}, {'x'.join(map(str, shape))} mesh",
        source="Bender et al. 2008, section 5, Table 1",
        lead=tuple(lead(rows)),
        findings=tuple(findings(rows)),
        sections=(
            *sections,
            Section(
                title="Every entry",
                text=(_ON_ENTRIES,),
                tables=tuple(entries_table(*one) for one in rows.items()),
            ),
        ),
        notes=tuple(_notes(options, jobs, missing)),
    )


def _sections(
    state: ArrivalPattern, rows: dict[str, SituationRow]
) -> Iterable[Section]:
    name = state.name
    yield Section(
        title=f"The table ({name})",
        text=(state.about,),
        tables=(
            printed_table(name, rows),
            means_table(name, rows),
            gaps_table(name, rows),
        ),
    )
    yield Section(
        title=f"The diagonal: those that decide and place ({name})",
        tables=(diagonal_table(name, rows),),
    )
    yield Section(
        title=f"True ratios ({name})",
        text=(_ON_RATIOS,),
        tables=(ratio_matrix(name, rows),),
    )


_ON_RATIOS = (
    "Sum of the pair sums of the decisions over the sum of the proven optima, at the "
    "jobs of more than one processor at which an optimum was looked for. Decisions "
    "without a proof are left out here; they are counted, and their interval given, "
    "among the entries."
)
_ON_ENTRIES = (
    "Ratios are exact fractions over decisions with a proven optimum; the mean of the "
    "ratios is computed in whole numbers and cut to twelve places. The last two "
    "columns hold the ratio of the sums over all decisions, proven or not: over the "
    "best that is known, and over what is proved. Refused: the allocator has no such "
    "processors, though enough are idle."
)


def _notes(options: RunOptions, jobs: Stream, missing: Sequence[str]) -> Iterable[str]:
    yield from jobs.about
    yield from (f"{state.name}: {state.about}" for state in jobs.states)
    yield (
        f"The paper ran {JOBS} jobs of the trace of the LLNL Cray T3D on 256 "
        "processors. That trace is not at hand, so that its figures cannot be met, "
        "only its rankings. How time entered the paper does not say."
    )
    yield (
        "Strict first come first served: the jobs start in the order in which they "
        "come under every allocator, so that all comparisons are paired by job."
    )
    yield (
        "Every location: the paper's figures were computed with clusters at every "
        "processor, free or busy (mc1x1-all, mm-all, mm-inc-all). As defined: mc1x1 "
        "at free processors, mm and mm-inc at intersections of their coordinates."
    )
    every = options.every or EVERY
    yield (
        f"The four of the table are asked at every job; the others, and the optimum, "
        f"at every job of {every}, counted from the first. An optimum is searched for "
        f"by auto, to at most {NODES} nodes; the situation of that name takes the "
        "best that was found."
    )
    yield (
        "Intervals: 95 %, circular block bootstrap, 2000 streams of blocks as long as "
        "the square root of the number of jobs; both sides of a comparison are given "
        "the same blocks."
    )
    if missing:
        yield f"Left out: {'; '.join(missing)}."

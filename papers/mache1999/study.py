"""Figs. 9 and 10 of Mache, Lo and Garg 1999: dispersal and balance against load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import prod

from ...reports.pages.document import Document, Section
from ..bender2008_table1.parts import taking_part
from ..catalogue import RunOptions
from ..parts import run_all
from .curves import BALANCE, CONTIGUITY, DISPERSAL, MEASURES, PAIRS, SYSTEM, Curves
from .findings import ELONGATED, MC, SIX, findings, summary
from .parts import AUTO, Found, Part, run
from .plots import plot
from .tables import measure_table, points_table, ranking_table
from .workloads import StreamWorkload, workloads

MESH = (16, 22)
"""Rows are the side of the I/O nodes."""
LOADS = tuple(Fraction(n, 10) for n in (*range(1, 10), 12))
"""Offered loads; at the last, utilisation is about 0.9, the most under FCFS."""
OURS = ("mm-inc", "hilbert/best-fit", "thrifty", AUTO)
"""Strategies that are not in the paper."""
OUR_LOADS = LOADS[:9:2]
"""Strategies that are run at every other load."""
NODES = 20_000
"""Limit of the search for an optimum."""


def study(options: RunOptions) -> Document:
    """Run every strategy at every load, and test the paper's statements."""
    shape = options.mesh or MESH
    strategies, missing = lineup(shape)
    found = list(
        workloads(options.trace, shape, seed=options.seed, first=options.first)
    )
    parts = {
        (workload.name, strategy, load): Part(
            shape=shape,
            streams=workload.streams,
            load=load,
            strategy=strategy,
            nodes=NODES,
            seed=options.seed,
        )
        for workload in found
        for strategy in strategies
        for load in (LOADS if strategy in SIX else OUR_LOADS)
    }
    due = sorted(reversed(parts.items()), key=lambda one: one[1].strategy in OURS)
    outcomes = run_all(dict(due), run, Found, options)
    curves = [
        Curves(
            name=f"workload {workload.name}",
            processors=prod(shape),
            found={
                strategy: {
                    load: outcomes[key]
                    for load in LOADS
                    if (key := (workload.name, strategy, load)) in parts
                }
                for strategy in strategies
            },
        )
        for workload in found
    ]
    return _build_document(options, shape, found, curves, missing)


def lineup(shape: tuple[int, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the strategies that take a mesh, and why others do not."""
    return taking_part((*SIX, *OURS), shape, SIX)


def _build_document(
    options: RunOptions,
    shape: tuple[int, ...],
    found: Sequence[StreamWorkload],
    curves: Sequence[Curves],
    missing: Sequence[str],
) -> Document:
    return Document(
        name="mache-dispersal",
        title="Dispersal and balance of allocation strategies against load, "
        f"{'x'.join(map(str, shape))} mesh",
        source="Mache, Lo, Garg 1999, section 4, Figs. 9 and 10",
        lead=tuple(_summary(curves)),
        findings=tuple(findings(curves)),
        sections=tuple(
            section
            for workload, made in zip(found, curves, strict=True)
            for section in _sections(workload, made)
        ),
        notes=tuple(_notes(options, found, curves, missing)),
    )


def _summary(curves: Sequence[Curves]) -> Iterator[str]:
    """Summarise what holds, and where mc-elongated ranks for each workload."""
    yield from summary(curves)
    middle = OUR_LOADS[3]
    for made in curves:
        about = [
            f"{name} {made.mean(DISPERSAL, name, middle).value:.1f} and "
            f"{made.mean(BALANCE, name, middle).value:.2f}"
            for name in sorted(
                made.found, key=lambda one: made.mean(DISPERSAL, one, middle).value
            )
        ]
        share = made.utilisation(ELONGATED, middle)
        yield (
            f"{_upper(made.name)}, {made.jobs} jobs, at utilisation "
            f"{share:.0f} %: nodes affected and balance factor of a job are "
            f"{'; '.join(about)}."
        )


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sections(workload: StreamWorkload, curves: Curves) -> Iterator[Section]:
    slug = workload.name.lower().replace(", ", "_")
    yield Section(
        title=f"Dispersal, {curves.name}: Fig. 9",
        text=workload.about,
        tables=(measure_table(slug, curves, DISPERSAL),),
        plots=(plot(curves, DISPERSAL, "Fig. 9"),),
    )
    yield Section(
        title=f"Balance, {curves.name}: Fig. 10",
        text=(_ON_BALANCE,),
        tables=(
            measure_table(slug, curves, BALANCE),
            measure_table(slug, curves, SYSTEM),
        ),
        plots=(plot(curves, BALANCE, "Fig. 10"), plot(curves, SYSTEM, "Fig. 10")),
    )
    yield Section(
        title=f"Contiguity and pair sum, {curves.name}: not in the paper",
        text=(_ON_OURS,),
        tables=(
            measure_table(slug, curves, CONTIGUITY),
            measure_table(slug, curves, PAIRS),
            ranking_table(slug, curves, OUR_LOADS),
        ),
    )
    yield Section(
        title=f"Every point, {curves.name}",
        tables=(points_table(slug, curves, MEASURES),),
    )


_ON_BALANCE = (
    "The paper defines the factor of the system and that of a job, and does not say "
    "which of them Fig. 10 averages. Both are given: of a job, averaged over jobs, as "
    "it starts; of all that is allocated, averaged over time."
)
_ON_OURS = (
    "None of our strategies looks at the I/O nodes or at boxes: mm-inc, thrifty and "
    "auto aim at a small pair sum. auto gives each job the least pair sum that is "
    "left, as far as its search goes; that is neither the least dispersal nor the best "
    "for the jobs that come after. No strategy minimises dispersal here."
)


def _notes(
    options: RunOptions,
    found: Sequence[StreamWorkload],
    curves: Sequence[Curves],
    missing: Sequence[str],
) -> Iterator[str]:
    for workload in found:
        yield f"Workload {workload.name}: {' '.join(workload.about)}"
    if options.trace is None:
        yield "Workload II is left out: no trace was given (--trace FILE)."
    yield (
        "The paper's Table 1 has, of workload I, sizes “exponential mean = 4 * 4”, "
        "which may be a mean of 16 or two sides of mean 4; both are run. Of workload "
        "II it has a mean size of 14.5 and a coefficient of variation of 1.5."
    )
    yield (
        "Its curves are pictures, without numbers in the text: what it says of them "
        "is what is held against ours. In the paper jobs run until their messages "
        "have passed through a model of the network; here they run as long as drawn, "
        "or as the trace says. Its service and turnaround times, contention and hot "
        "spots are not measured here."
    )
    loads = ", ".join(f"{float(load):g}" for load in LOADS)
    yield (
        f"Every stream is brought to offered loads of {loads} by multiplying its "
        "times of submission; utilisation is what came of that, from the first "
        "submission to the last end. Ours at "
        + ", ".join(f"{float(load):g}" for load in OUR_LOADS)
        + " only."
    )
    yield (
        "Strict first come first served; no strategy here refuses a job while enough "
        "processors are idle, so that at a load all have the same starts and ends, and "
        "differences are paired by job."
    )
    yield (
        "Intervals: 95 %, circular block bootstrap over the jobs, streams laid end to "
        "end, 2000 streams of blocks as long as the square root of the number of jobs; "
        "strategies and loads that are compared are given the same blocks. A "
        "statement on all loads holds if it does at each beyond chance, and does not "
        "if at one load the contrary is beyond chance; a trend holds if from the "
        "lowest load to the highest it is beyond chance, and from none to the next "
        "the contrary is. Where neither is so, nothing is said. How much is “much” is "
        "left to the reader."
    )
    yield from (f"{_upper(made.name)}: {_proofs(made)}" for made in curves)
    yield f"{MC} is told the sides of a job where they are drawn, otherwise none."
    if missing:
        yield f"Left out: {'; '.join(missing)}."


def _proofs(curves: Curves) -> str:
    """Describe how often the optimum of a single step is proved."""
    runs = curves.found.get(AUTO, {}).values()
    asked = sum(len(found.proved) for found in runs)
    proved = sum(int(found.proved.sum()) for found in runs)
    return (
        f"{AUTO} proved {proved} of its {asked} decisions to be of least pair sum, "
        f"within {NODES} nodes each."
    )

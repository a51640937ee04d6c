"""Table 2 of Mache, Lo and Garg 1999: service times decided by the network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ...network.jobs import MixedTraffic
from ...reports.pages.document import Document, Section
from ..bender2008_table1.parts import OPTIMAL
from ..catalogue import RunOptions
from ..parts import run_all
from .figures import BY_ROWS, Figures
from .findings import findings
from .loads import GOAL, NEAR, NEARER, NODES, LoadCase, search_loads
from .parts import Found, run
from .printed import ELONGATED, INTERARRIVAL, SHARES, SIX
from .tables import load_table, ranks_table, service_table
from .variants import Row, orders_table, sensitivity_table, variants

OURS = ("mm-inc", "thrifty", OPTIMAL)
"""Strategies that are not in the paper."""
OTHERS = (BY_ROWS, *OURS)
STREAMS = 10
FEW = 4
"""Streams on which a load is searched first."""
SOME = 3
"""Streams of the variants."""
JOBS = 1000
"""Jobs of a stream, as in the paper's Table 1."""
TRAFFIC = MixedTraffic(shape=(16, 22), share=1)
"""What jobs send; rows and columns of processors are without the I/O nodes."""


def study(options: RunOptions) -> Document:
    """Search the loads, run all strategies on the same streams, and compare."""
    options = replace(options, progress=_onward(options.progress))
    jobs = options.first or JOBS
    made = _table(options, jobs)
    rows = list(_rows(options, jobs, made))
    return Document(
        name="mache-table2",
        title="Service times on a mesh with wormhole switching, "
        f"{'x'.join(map(str, TRAFFIC.shape))} and a column of I/O nodes",
        source="Mache, Lo, Garg 1999, section 4, Table 2",
        lead=tuple(_summary(made)),
        findings=tuple(findings(made)),
        sections=(
            Section(
                title="Ranks",
                text=(_ON_RANKS,),
                tables=(ranks_table(made),),
            ),
            Section(title="Service times", tables=(service_table(made),)),
            Section(title="Loads", tables=(load_table(made),)),
            Section(
                title="What the paper leaves open",
                text=(_ON_VARIANTS, *([] if options.full else [_ON_FULL])),
                tables=(sensitivity_table(rows),),
            ),
            Section(title="Every order", tables=(orders_table(rows),), folded=True),
        ),
        notes=tuple(_notes(options, jobs, made)),
    )


def _table(options: RunOptions, jobs: int) -> list[Figures]:
    """Run the six at the loads that are searched, and the others at the same."""
    cases = {
        share: LoadCase(
            traffic=replace(TRAFFIC, share=share / 100),
            start=float(INTERARRIVAL[share]),
        )
        for share in SHARES
    }
    seeds = range(options.seed, options.seed + STREAMS)
    loads = search_loads(cases, jobs, (seeds[:FEW], seeds), options)
    parts = {
        (share, seed): cases[share].part(loaded.interarrival, jobs, seed, OTHERS)
        for seed in seeds
        for share, loaded in loads.items()
    }
    others = run_all(parts, run, Found, options)
    return [
        Figures.of_streams(
            share,
            (*SIX, *OTHERS),
            loaded.interarrival,
            [
                (six, others[share, seed])
                for seed, six in zip(seeds, loaded.found, strict=True)
            ],
        )
        for share, loaded in loads.items()
    ]


def _rows(options: RunOptions, jobs: int, made: Sequence[Figures]) -> Iterator[Row]:
    """Yield what the paper leaves open, decided otherwise."""
    yield "as in the table", made
    yield "ties of mc by rows", [column.by_rows() for column in made]
    if not options.full:
        return
    yield "as in the table, on fewer streams", [column.some(SOME) for column in made]
    lineup = list(variants(TRAFFIC))
    cases = {
        (variant.name, column.share): variant.case(column)
        for variant in lineup
        for column in made
    }
    seeds = range(options.seed, options.seed + SOME)
    loads = search_loads(cases, jobs, (seeds,), options)
    for variant in lineup:
        yield (
            variant.name,
            [
                Figures.of_streams(
                    column.share,
                    SIX,
                    loaded.interarrival,
                    [(found,) for found in loaded.found],
                )
                for column in made
                for loaded in [loads[variant.name, column.share]]
            ],
        )


Progress = Callable[[int, int, str], None]


def _onward(show: Progress) -> Progress:
    """Count on where one run follows another; each begins with no name."""
    before = last = 0

    def progress(done: int, total: int, what: str) -> None:
        nonlocal before, last
        if not what:
            before += last
        last = done
        show(before + done, before + total, what)

    return progress


def _summary(made: Sequence[Figures]) -> Iterator[str]:
    rhos = ", ".join(f"{column.rho:.2f}" for column in made)
    shares = ", ".join(str(column.share) for column in made)
    yield (
        f"Rank correlation of our mean service times with the paper's: {rhos} at "
        f"{shares} % I/O."
    )
    times = [
        f"{name} "
        + ", ".join(
            f"{column.mean(name) / column.mean(ELONGATED):.2f}" for column in made
        )
        for name in OURS
    ]
    yield (
        "Not in the paper, mean service time as a multiple of that of "
        f"{ELONGATED} in the same columns: {'; '.join(times)}."
    )


_ON_RANKS = (
    "The number of messages of a job and the order of ties of `mc` were chosen after "
    "the ranking that they give had been seen; so was the mix per job. These columns "
    "are no independent confirmation of the paper, but show that there is a reading "
    "of it that gives them."
)
_ON_VARIANTS = (
    "Each row decides one thing otherwise, at the load that gives the same "
    "utilisation, searched again where it may differ. A rank correlation of six moves "
    "by 0.06 if neighbours change places."
)
_ON_FULL = (
    "`--full` adds the rows on the first I/O node, the number and the length of "
    "messages, the mix, messages under way, sizes and utilisation."
)


def _notes(options: RunOptions, jobs: int, made: Sequence[Figures]) -> Iterator[str]:
    last = options.seed + STREAMS - 1
    yield (
        f"{STREAMS} streams of {jobs} jobs, seeds {options.seed} to {last}. Both sides "
        "of a job are exponential of mean 4, rounded, and cut off at those of the "
        "mesh; gaps are exponential. First come first served; a job is placed "
        "whenever enough processors are idle. All strategies have the same jobs, and "
        "these the same messages."
    )
    yield (
        "Network: wormhole switching with buffers of one flit, rigid worms, one cycle "
        "a channel; a packet goes along its row first. The I/O nodes are a column of "
        "their own west of the processors, with links like all others."
    )
    yield (
        f"Messages: a job sends an exponential number of mean {TRAFFIC.messages:g}, "
        f"at least one, of {TRAFFIC.length} flits each, divided among its tasks. The "
        "ratio is the probability that a job does I/O; the others broadcast. A task "
        "sends to the I/O nodes in turn, from one that is drawn, or to the other tasks "
        "in turn, and waits for each message to arrive. A job ends with its last "
        "message; one of a single processor that broadcasts sends nothing."
    )
    yield (
        "Left open by the paper, and decided here: the number and length of messages, "
        "when a job ends, what a ratio mixes, the first I/O node of a task, how many "
        "messages may be under way, the router, and the ties of mc (by columns: "
        "mc/column-major). Number, mix and ties were chosen after seeing what ranking "
        "they give."
    )
    yield (
        "The mean time between arrivals is searched once per column: on "
        f"{FEW} streams, until the mean utilisation of the six is {GOAL:g} % within "
        f"{NEARER:g}, from the first submission to the last end; then on all streams, "
        f"until it is so within {NEAR:g}, as in the paper. All strategies of a column "
        "share it."
    )
    proved = [column.proved[:, column.strategies.index(OPTIMAL)] for column in made]
    yield (
        f"{OPTIMAL} places every job on processors of least pair sum, searched by auto "
        f"to at most {NODES} nodes: proved for at least "
        f"{min(float(one.mean()) for one in proved):.1f} % of the jobs of a column."
    )
    yield (
        "Standard errors are over streams. Differences are taken stream by stream; "
        "their 95 % intervals are Student's. Nothing is corrected for the number of "
        "comparisons."
    )

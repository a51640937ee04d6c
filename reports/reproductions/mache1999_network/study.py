"""Table 2 of Mache, Lo and Garg 1999: service times decided by the network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...pages.document import Document, Section
from ..catalogue import RunOptions
from ..parts import run_all
from .figures import Figures, columns
from .findings import findings
from .parts import GOAL, NEAR, Found, Model, Part, Search, Tried, run, search
from .printed import ELONGATED, INTERARRIVAL, SHARES, SIX
from .tables import load_table, plot, ranks_table, service_table

MESH = (16, 22)
"""Rows and columns of processors, without I/O nodes."""
OURS = ("mm-inc", "thrifty")
"""Strategies that are not in the paper."""
STREAMS = 10
JOBS = 1000
"""Jobs of a stream, as in the paper's Table 1."""
MODEL = Model()


def study(options: RunOptions) -> Document:
    """Search the loads, run all strategies on the same streams, and compare."""
    jobs = options.first or JOBS
    searches = {
        share: Search(
            shape=MESH,
            nodes=0,
            seed=options.seed,
            strategies=SIX,
            share=share,
            jobs=jobs,
            model=MODEL,
            start=float(INTERARRIVAL[share]),
        )
        for share in SHARES
    }
    tried = run_all(searches, search, Tried, options)
    interarrival = {share: tried[share].best for share in SHARES}
    seeds = range(options.seed, options.seed + STREAMS)
    strategies = (*SIX, *OURS)
    parts = {
        (share, seed): Part(
            shape=MESH,
            nodes=0,
            seed=seed,
            strategies=strategies,
            share=share,
            jobs=jobs,
            model=MODEL,
            interarrival=interarrival[share],
        )
        for seed in seeds
        for share in SHARES
    }
    found = run_all(parts, run, Found, options)
    made = columns(strategies, interarrival, found, seeds)
    return Document(
        name="mache-table2",
        title="Service times on a mesh with wormhole switching, "
        f"{'x'.join(map(str, MESH))} and a column of I/O nodes",
        source="Mache, Lo, Garg 1999, section 4, Table 2",
        lead=tuple(_lead(made)),
        findings=tuple(findings(made)),
        sections=(
            Section(
                title="Ranks",
                text=(_ON_RANKS,),
                tables=(ranks_table(made),),
                plots=(plot(made),),
            ),
            Section(title="Service times", tables=(service_table(made),)),
            Section(title="Loads", tables=(load_table(made),)),
        ),
        notes=tuple(_notes(options, jobs)),
    )


def _lead(made: Sequence[Figures]) -> Iterator[str]:
    rhos = ", ".join(f"{column.rho:.2f}" for column in made)
    shares = ", ".join(str(column.share) for column in made)
    yield (
        f"Rank correlation of our mean service times with the paper's: {rhos} at "
        f"{shares} % I/O."
    )
    orders = [f"at {column.share} % {', '.join(column.order)}" for column in made]
    yield f"Of the six, least to most: {'; '.join(orders)}."
    for name in OURS:
        gaps = "; ".join(
            f"{gap:+.0f} (standard error {deviation:.0f}) at {column.share} %"
            for column in made
            for gap, deviation in [column.less(name, ELONGATED)]
        )
        yield f"{name}, not in the paper, less {ELONGATED}, in cycles: {gaps}."


_ON_RANKS = (
    "The number of messages of a job and the order of ties of `mc` were chosen after "
    "the ranking that they give had been seen; so was the mix per job. These columns "
    "are no independent confirmation of the paper, but show that there is a reading "
    "of it that gives them."
)


def _notes(options: RunOptions, jobs: int) -> Iterator[str]:
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
        f"Messages: a job sends an exponential number of mean {MODEL.messages:g}, at "
        f"least one, of {MODEL.length} flits each, divided among its tasks. The ratio "
        "is the probability that a job does I/O; the others broadcast. A task sends "
        "to the I/O nodes in turn, from one that is drawn, or to the other tasks in "
        "turn, and waits for each message to arrive. A job ends with its last "
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
        "The mean time between arrivals is searched once per column, on the first "
        f"stream, until the mean utilisation of the six is {GOAL:g} % within "
        f"{NEAR:g}, from the first submission to the last end; all strategies and "
        "streams of a column then share it. The paper states 60 to 70 %."
    )
    yield (
        "Standard errors are over streams. Differences are taken stream by stream; "
        "their 95 % intervals are Student's. Nothing is corrected for the number of "
        "comparisons."
    )

"""Families that need a simulation, and the table of all families of instances."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from ..instances import InputError, KSubset
from ..instances import option_values as read
from ..instances.families import (
    METHOD,
    NETWORK,
    SEEDED,
    Family,
    K,
    Parameter,
    Progress,
    choice,
    kind_of_network,
    optional,
    required_parameter,
    sides,
)
from ..instances.ksubset import families as ksubset
from ..instances.ksubset.generators import network_of, network_text
from ..instances.procset import families as procset
from ..instances.submesh import families as submesh
from ..instances.sukp import families as sukp
from ..instances.words import with_noun
from .fragmentation import fragment
from .machine import Machine
from .replay import Replay
from .swf import TraceJob, read_swf, trace_name

_EVERY = 64
"""Jobs of a trace between two reports of progress."""
_TRACE_TEXT = """Replay a trace on a machine and write the problem of every N-th job
placed: the processors free just before, and its size as k. The queue is strict:
first come, first served. Run times are those of the trace. Jobs without known submit
time, run time or size, jobs larger than the machine, and lines that repeat part of a
job are skipped and counted. All jobs before A are replayed too, so that the machine is
as full as it was; only the jobs from A on are written."""

TRACE_RANGE = (
    Parameter(
        name="range",
        read=read.half_open,
        metavar="A:B",
        help="jobs of the trace, counted from 0, B not included (default: all)",
        argument="window",
        aliases={"jobs": {}},
    ),
    Parameter(
        name="first",
        help="only the first N jobs, the same as --range 0:N (default: all)",
    ),
)
"""Options that select jobs of a trace."""


def window_of(
    window: tuple[int, int | None] | None, first: int | None
) -> tuple[int, int | None]:
    """Return the selected jobs of a trace, as a half-open range."""
    if first is None:
        return window or (0, None)
    if first < 1:
        raise InputError("must be at least 1", "first", first)
    return 0, first


def snapshots(
    swf: str,
    shape: Sequence[int],
    kind: str,
    window: tuple[int, int | None] | None,
    first: int | None,
    every: int,
    partition: int | None,
    allocator: str,
    *,
    progress: Progress,
    note: Callable[[str], None],
) -> Generator[KSubset, None, None]:
    """Replay a trace; yield the problem of every N-th job placed."""
    if every < 1:
        raise InputError("must be at least 1", "every", every)
    begin, end = window_of(window, first)
    at = network_text(kind, shape)
    replay = Replay(
        Machine(network_of(kind, shape), allocator),
        trace_name(swf),
        f"{Path(swf).name} replayed on {at}, first come first served, "
        f"under {allocator}",
    )
    jobs = (
        job for job in read_swf(swf) if partition is None or job.partition == partition
    )
    made = 0
    for instance in replay.occupancies(
        _report(islice(jobs, end), end, progress), begin, every
    ):
        yield instance
        made += 1
    skipped = sum(replay.skipped.values())
    if not made:
        raise InputError(
            f"no job of {begin}:{'' if end is None else end} could be placed "
            f"({skipped} skipped)",
            file=swf,
        )
    reasons = "; ".join(f"{n} {why.value}" for why, n in replay.skipped.items())
    note(
        f"{with_noun(made, 'file')} written, {with_noun(skipped, 'job')} skipped"
        + (f" ({reasons})" if reasons else "")
    )


def _report(
    jobs: Iterable[TraceJob], total: int | None, progress: Progress
) -> Iterator[TraceJob]:
    for i, job in enumerate(jobs):
        if i % _EVERY == 0:
            progress(i, total)
        yield job


FRAGMENTED = Family(
    name="fragmented",
    problem="ksubset",
    summary="what arriving and departing jobs leave free",
    make=fragment,
    parameters=(
        *NETWORK,
        K,
        Parameter(
            name="utilisation",
            read=read.percentage,
            default="75%",
            metavar="P",
            help="largest share of the processors in use",
        ),
        optional("mean-size", "8", "mean job size"),
        choice(
            "sizes",
            ("exponential", "uniform"),
            "exponential",
            "distribution of job sizes",
        ),
        Parameter(
            name="starts",
            help="jobs to start (default: ten turnovers)",
            argument="jobs",
            aliases={"jobs": {}},
        ),
        METHOD,
        *SEEDED,
    ),
    examples=(
        "--shape 16x16 --k 12",
        "--shape 16x16 --k 24 --utilisation 85% --method hilbert/best-fit --seed 9",
    ),
)
"""Occupancies produced by random jobs."""

TRACE = Family(
    name="trace",
    problem="ksubset",
    summary="occupancies at the job starts of an SWF trace",
    description=_TRACE_TEXT,
    make=snapshots,
    parameters=(
        required_parameter(
            "trace",
            "trace in SWF; may end in .xz or .gz",
            read=str,
            metavar="FILE",
            argument="swf",
            aliases={"swf": {}},
        ),
        replace(
            sides("16x22"),
            aliases={"mesh": {"kind": "mesh"}, "torus": {"kind": "torus"}},
        ),
        kind_of_network(),
        *TRACE_RANGE,
        optional("every", "1", "write every N-th job placed"),
        Parameter(
            name="partition",
            metavar="P",
            help="only the jobs of this partition, which --range then counts "
            "(default: all)",
        ),
        METHOD,
    ),
    exclusive=("range", "first"),
    several=True,
    examples=(
        "--trace log.swf.xz --shape 16x22 --every 50",
        "--trace log.swf --shape 8x16 --kind torus --range 100:4000 --method mm",
    ),
)
"""Occupancies of a recorded trace."""

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        family.name: family
        for family in (
            *ksubset.DRAWN,
            FRAGMENTED,
            *ksubset.GRAPHS,
            *ksubset.POINTS,
            *ksubset.WORST_CASES,
            *procset.FAMILIES,
            *sukp.FAMILIES,
            *submesh.FAMILIES,
            TRACE,
        )
    }
)
"""All families of generated instances, by name, in the order of the help."""

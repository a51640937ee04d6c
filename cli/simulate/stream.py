"""Simulate jobs that ask for a number of processors.

Jobs come from a trace in the Standard Workload Format, or are drawn. They wait until a
policy lets them start, get processors from an allocator, and leave. The same seed draws
the same jobs for every allocator.

With --network a job ends when the last of its messages has been delivered, and all
times are in cycles; without, when its run time is over.

Of a trace, jobs without known submit time, run time or size and lines that repeat part
of a job are skipped and counted. Jobs larger than the machine are an error, unless
--skip-larger skips them as well.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import asdict
from typing import Any

from ...extensions import hooks
from ...heuristics.allocation.allocator import Allocator
from ...instances import Topology
from ...instances.errors import InputError
from ...instances.ksubset.generators import network_of
from ...instances.option_values import renaming
from ...instances.reading.json_text import dumps
from ...instances.topologies import MOST_PROCESSORS
from ...instances.words import with_noun
from ...instances.writing.files import write_text
from ...methods.allocators.table import allocator, names
from ...methods.old_names import require_known
from ...simulation.families import TRACE_RANGE, window_of
from ...simulation.stream.jobs import StreamJob, generate, jobs_of_trace, largest
from ...simulation.stream.measures import Meter, csv_of_jobs
from ...simulation.stream.simulator import Ends, Event, Start, StartPolicy, simulate
from ...solvers.running.interrupt import deferred
from ...sources import doc_of
from ..frame import outputs, shared
from ..frame.families import add_kind, add_parameter
from ..frame.parser import Parser, once
from ..frame.progress import progress_bar
from ..frame.screen import print_measures

_OF_TRACES = ("range", "first", "scale_arrivals", "divide", "skip_larger")
_OF_DRAWN = ("requests", "sizes", "interarrival", "service")
_FIELDS = {one: f"--{one}" for one in (*_OF_DRAWN, "seed", "divide", "first")}
_FIELDS["arrival scale"] = "--scale-arrivals"
"""What errors are about, and which option that is."""
_EVERY = 64
"""Events between two looks at the bar."""


def add(simulate: Parser, streams: Any) -> None:
    """Declare the options."""
    parser = simulate.subcommand(
        streams,
        "stream",
        help="jobs on the processors of a mesh, torus or tree",
        description=doc_of(sys.modules[__name__]),
    )
    parser.add_argument(
        "--method",
        required=True,
        metavar="M[,M]",
        help="what chooses the processors, such as mm-inc (see closeknit methods "
        "ksubset) or contention; several are run one after the other",
    )
    for old in ("--allocator", "--methods"):
        parser.old_spelling(old, "--method")
    parser.add_argument(
        "--shape",
        type=shared.shape,
        required=True,
        metavar="16x16",
        help="sides of the mesh or torus; fan-outs of the tree",
    )
    add_kind(parser)
    parser.add_argument(
        "--policy",
        choices=("fcfs", "easy"),
        default="fcfs",
        help="which jobs may start: first come first served, or also those that, by "
        "the estimates, do not delay the first",
    )
    shared.add_number(
        parser, "--seed", "random seed of drawn jobs and of seeded methods", 0
    )
    trace = parser.add_argument_group("jobs of a trace")
    once(
        trace,
        "--trace",
        "FILE",
        "trace in SWF; may end in .xz or .gz (default: draw the jobs)",
    )
    parser.old_spelling("--swf", "--trace")
    part = trace.add_mutually_exclusive_group()
    for parameter in TRACE_RANGE:
        add_parameter(part, parameter)
    parser.old_spelling("--jobs", "--range")
    trace.add_argument(
        "--scale-arrivals",
        type=shared.fraction,
        metavar="F",
        help="factor of the times of submission, such as 1/2 or 0.8 (default: 1)",
    )
    shared.add_number(
        trace, "--divide", "processors are divided by this, and rounded up (default: 1)"
    )
    trace.add_argument(
        "--skip-larger",
        action="store_const",
        const=True,
        help="skip jobs larger than the machine",
    )
    drawn = parser.add_argument_group("jobs that are drawn")
    shared.add_number(drawn, "--requests", "number of jobs (default: 1000)")
    drawn.add_argument(
        "--sizes",
        metavar="DIST",
        help="exponential:MEAN or uniform:LOW:HIGH, in processors (default: "
        "exponential:16); with box: before it, of the sides of boxes",
    )
    drawn.add_argument(
        "--interarrival",
        type=float,
        metavar="S",
        help="mean seconds between two submissions, exponential (default: 60)",
    )
    drawn.add_argument(
        "--service", metavar="DIST", help="run times (default: exponential:600)"
    )
    for part in hooks("simulate stream"):
        part.add(parser)
    outputs.add_json(parser, "the measures (one line per method if there are several)")
    parser.add_argument(
        "--jobs-csv",
        type=outputs.file,
        metavar="OUT",
        help="write one line per job (for a single method)",
    )
    parser.refuse_old_word("--evalys", "--jobs-csv writes one line per job")
    parser.refuse_old_word("--plot", "--json writes the measures, --jobs-csv the jobs")
    parser.examples(
        "simulate stream --method mm,hilbert/best-fit --shape 16x16 --seed 1",
        "simulate stream --method mm --shape 16x22 --trace log.swf --first 4000 --json",
        "simulate stream --method mm,random --shape 16x16 --network wormhole "
        "--messages exponential:256 --interarrival 2000",
    )
    parser.set_defaults(simulate=run)


def run(args: argparse.Namespace) -> int:
    """Run the stream under each allocator, and print what was measured."""
    _refuse_strangers(args)
    network = network_of(args.kind, args.shape)
    single = "," not in args.method
    if args.jobs_csv and not single:
        raise InputError("takes a single method", "--jobs-csv")
    machines: list[tuple[str, Allocator]] = []
    for name in args.method.split(","):
        require_known(name, names(), "--method", "allocator", ["ksubset"])
        machines.append((name, allocator(name, network, seed=args.seed)))
    interconnect = run_times(args, network)
    jobs = interconnect.jobs(_jobs(args, machines[0][1].free))
    printed: list[dict[str, Any]] = []
    with deferred() as pressed:
        for name, machine in machines:
            meter = Meter(machine)
            ends = interconnect.ends()
            with closing(_shown(jobs, machine, args.policy, name, ends)) as events:
                for event in events:
                    meter.see(event)
                    if pressed.is_set():
                        break
            summary = meter.summary(partial=pressed.is_set())
            measures = interconnect.measures(asdict(summary), ends)
            printed.append({"allocator": name, **measures})
            if args.json != "-":
                print_measures(printed[-1])
            if summary.partial:
                break
    if args.json:
        outputs.write_out(args.json, _json(printed, single=single))
    if args.jobs_csv:
        write_text(args.jobs_csv, csv_of_jobs(meter.rows, interconnect.unit))
    if not summary.partial:
        return 0
    print(
        f"closeknit: interrupted after {summary.jobs} of {len(jobs)} starts "
        f"under {name}; the measures are of these",
        file=sys.stderr,
    )
    return 130


class RunTimesOrPart:
    """Jobs end when their run times are over; parts may let something else decide."""

    unit = "s"

    def jobs(self, jobs: Sequence[StreamJob]) -> list[StreamJob]:
        """Return the jobs with submission and estimate in the unit of time."""
        return list(jobs)

    def ends(self) -> Any:
        """Return what decides when jobs end; None for their run times."""

    def measures(self, summary: dict[str, Any], ends: Any) -> dict[str, Any]:
        """Return measures under names with the unit of time, and further ones."""
        return summary


def run_times(args: argparse.Namespace, network: Topology) -> RunTimesOrPart:
    """Return what decides when jobs end, by the options of parts if there are any."""
    for part in hooks("simulate stream"):
        found: RunTimesOrPart = part.run_times(args, network)
        return found
    return RunTimesOrPart()


def _refuse_strangers(args: argparse.Namespace) -> None:
    """Refuse options of a trace for jobs that are drawn, and the other way round."""
    strange = _OF_DRAWN if args.trace is not None else _OF_TRACES
    for name in strange:
        if getattr(args, name) is not None:
            raise InputError(
                "is for jobs that are drawn, not for a trace"
                if args.trace is not None
                else "is for the jobs of a trace (--trace)",
                f"--{name.replace('_', '-')}",
            )


def _jobs(args: argparse.Namespace, most: int) -> list[StreamJob]:
    """Read or draw the jobs; report on standard error what was skipped."""
    with renaming(_FIELDS):
        if args.trace is None:
            return generate(
                1000 if args.requests is None else args.requests,
                seed=args.seed,
                most=most,
                sides=None if args.kind == "tree" else args.shape,
                sizes=args.sizes or f"exponential:{min(16, most)}",
                interarrival=60.0 if args.interarrival is None else args.interarrival,
                service=args.service or "exponential:600",
            )
        jobs, skipped = jobs_of_trace(
            args.trace,
            most=most if args.skip_larger else MOST_PROCESSORS,
            scale=1 if args.scale_arrivals is None else args.scale_arrivals,
            divide=1 if args.divide is None else args.divide,
            window=window_of(args.range, args.first),
        )
    if not jobs:
        raise InputError(
            f"no job of these could be run ({sum(skipped.values())} skipped)",
            file=args.trace,
        )
    if (job := largest(jobs)).processors > most:
        raise InputError(
            f"larger than the machine ({most} processors); --skip-larger skips such",
            f"job {job.number}",
            job.processors,
            file=args.trace,
        )
    if skipped:
        reasons = "; ".join(f"{n} {why.value}" for why, n in skipped.items())
        number = with_noun(sum(skipped.values()), "job")
        print(f"{number} skipped ({reasons})", file=sys.stderr)
    return jobs


def _shown(
    jobs: Sequence[StreamJob],
    machine: Allocator,
    policy: str,
    name: str,
    ends: Ends | None,
) -> Generator[Event, None, None]:
    """Run the stream; show on a terminal how many jobs have started."""
    started = 0
    with progress_bar() as show:
        for event in simulate(jobs, machine, StartPolicy(policy), ends):
            started += isinstance(event, Start)
            if started % _EVERY == 0:
                show(started, len(jobs), name)
            yield event


def _json(measures: Sequence[dict[str, Any]], *, single: bool) -> str:
    if single:
        only = dict(measures[0])
        del only["allocator"]
        return dumps(only) + "\n"
    return "".join(json.dumps(one) + "\n" for one in measures)

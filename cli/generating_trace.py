"""Instances from the jobs of a trace, for ``closeknit generate trace``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..instances.errors import InputError
from . import reading
from .family_options import allocator, number, out

if TYPE_CHECKING:
    from ..instances import KSubset
    from .family_options import Families

_T = TypeVar("_T")

_TRACE_HELP = "occupancies met by the jobs of an SWF trace"
_TRACE_TEXT = """Replay a trace on a machine and write what every N-th job met when it
was placed: the processors free just before, its size as k. The queue is strict: first
come, first served. Jobs run as long as the trace says; those without known submit
time, run time or size, those larger than the machine, and lines that repeat part of a
job are skipped and counted. All jobs before B are replayed, so that the machine is as
full as it was; only those from A on are written."""


def add(families: Families) -> None:
    """Add the options of a trace."""
    parser = families.add_parser("trace", help=_TRACE_HELP, description=_TRACE_TEXT)
    parser.add_argument(
        "--swf", required=True, metavar="FILE", help="trace, may end in .xz or .gz"
    )
    machine = parser.add_mutually_exclusive_group(required=True)
    for kind in ("mesh", "torus"):
        machine.add_argument(
            f"--{kind}", type=reading.shape, metavar="16x22", help="the machine"
        )
    parser.add_argument(
        "--jobs",
        type=reading.window,
        default=(0, None),
        metavar="A:B",
        help="jobs of the trace, counted from 0, B not included (default all)",
    )
    number(parser, "--every", 1, "write every N-th job that was placed (default 1)")
    parser.add_argument(
        "--partition",
        type=reading.number,
        metavar="P",
        help="only the jobs of this partition; --jobs counts these",
    )
    allocator(parser)
    out(parser)
    parser.set_defaults(instances=_replayed)


def _replayed(args: argparse.Namespace) -> Generator[KSubset, None, None]:
    """Replay the trace; say at the end what was written and what was skipped."""
    from itertools import islice

    from ..instances.ksubset.generators import network_of, network_text
    from ..simulation.machine import Machine
    from ..simulation.replay import Replay
    from ..simulation.swf import read_swf, trace_name

    if args.every < 1:
        raise InputError("must be at least 1", field="every", value=args.every)
    kind = "mesh" if args.mesh else "torus"
    shape = args.mesh or args.torus
    at = network_text(kind, shape)
    replay = Replay(
        Machine(network_of(kind, shape), args.allocator),
        trace_name(args.swf),
        f"{Path(args.swf).name} replayed on {at}, first come first served, "
        f"under {args.allocator}",
    )
    first, last = args.jobs
    jobs = (
        job
        for job in read_swf(args.swf)
        if args.partition is None or job.partition == args.partition
    )
    written = 0
    jobs_seen = _counted(islice(jobs, last), last)
    for instance in replay.occupancies(jobs_seen, first, args.every):
        yield instance
        written += 1
    skipped = sum(replay.skipped.values())
    if not written:
        raise InputError(
            f"no job of {first}:{'' if last is None else last} could be placed "
            f"({skipped} skipped)",
            file=args.swf,
        )
    reasons = "; ".join(f"{n} {why.value}" for why, n in replay.skipped.items())
    print(
        f"{written} files written, {skipped} jobs skipped"
        + (f" ({reasons})" if reasons else ""),
        file=sys.stderr,
    )


def _counted(items: Iterable[_T], total: int | None) -> Iterator[_T]:
    """Show on a terminal how far a long run has come."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(
        items,
        description="jobs",
        total=total,
        console=Console(stderr=True),
        transient=True,
    )

"""Options of `simulate stream` that let a network decide when jobs end."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...cli.frame import shared
from ...cli.frame.parser import Parser
from ...cli.simulate.stream import RunTimesOrPart
from ...instances import Topology
from ...instances.errors import InputError
from ...instances.option_values import renaming
from ...simulation.stream.jobs import StreamJob
from ...simulation.stream.measures import in_unit

_OPTIONS = ("traffic", "messages", "io_share", "size", "routing", "packet", "cycles")
_SAME = ("traffic", "messages", "io-share", "routing", "packet")
_FIELDS = {one: f"--{one}" for one in _SAME}
_FIELDS |= {"switching": "--network", "io-nodes": "--traffic"}
"""What errors are about, and which option that is."""


def add(parser: Parser) -> None:
    """Declare the options."""
    group = parser.add_argument_group(
        "run times that a network decides: a job ends with its last message"
    )
    group.add_argument(
        "--network",
        choices=("cut-through", "wormhole"),
        help="simulate the interconnect; all times are then measured in its cycles",
    )
    group.add_argument(
        "--traffic",
        metavar="NAME",
        help="what a job sends: all-to-all (the default), io, mixed, or another "
        "workload of simulate network; io and mixed have I/O nodes on the west side of "
        "a mesh",
    )
    group.add_argument(
        "--messages",
        metavar="DIST",
        help="how many messages a job sends, of all-to-all, io and mixed: "
        "exponential:MEAN, uniform:LOW:HIGH, or run-time, one per second of its run "
        "time (default: everyone to everyone once)",
    )
    group.add_argument(
        "--io-share",
        type=float,
        metavar="F",
        help="probability that a job of mixed does I/O (default: 0.5)",
    )
    shared.add_number(group, "--size", "bytes of the longest messages (default: 64)")
    group.add_argument(
        "--routing",
        metavar="NAME",
        help="adaptive or dimension-order on grids; minimal, drawn or valiant on trees",
    )
    shared.add_number(
        group, "--packet", "flits of a packet (default: 16; worms: whole messages)"
    )
    shared.add_number(
        group,
        "--cycles",
        "cycles per second of the times of submission and of estimates (default: 1)",
    )


def run_times(args: argparse.Namespace, network: Topology) -> RunTimesOrPart:
    """Return the network of a stream; without one, the run times of the jobs."""
    if args.network is not None:
        return Interconnect(args, network)
    for name in _OPTIONS:
        if getattr(args, name) is not None:
            raise InputError("is for --network", f"--{name.replace('_', '-')}")
    return RunTimesOrPart()


class Interconnect(RunTimesOrPart):
    """The network of a stream.

    Parameters
    ----------
    args
        The options.
    network
        The processors.

    Raises
    ------
    InputError
        If options do not go together.
    """

    def __init__(self, args: argparse.Namespace, network: Topology) -> None:
        self.args = args
        from ..workloads.io_side import IoSide
        from ..workloads.job_traffic import RUN_TIME, JobTraffic

        self.unit = "cycles"
        if args.service is not None and args.messages != RUN_TIME:
            raise InputError(f"is for run times, or --messages {RUN_TIME}", "--service")
        name = args.traffic or "all-to-all"
        with renaming(_FIELDS):
            io = IoSide(network, "west") if name in ("io", "mixed") else None
            self.traffic = JobTraffic(
                name=name,
                size=64 if args.size is None else args.size,
                messages=args.messages or "",
                io_share=args.io_share,
                io=io,
            )
            self.network: Any = io.network if io else network
            self._engine()

    def _engine(self) -> Any:
        from ..runs import Switching, engine_for

        return engine_for(
            self.network,
            Switching(self.args.network),
            routing=self.args.routing or "",
            packet=self.args.packet,
            seed=self.args.seed,
        )

    def jobs(self, jobs: Sequence[StreamJob]) -> list[StreamJob]:
        """Return the jobs with submission and estimate in the unit of time."""
        cycles = 1 if self.args.cycles is None else self.args.cycles
        if cycles < 1:
            raise InputError("must be at least 1", "--cycles", cycles)
        return [
            replace(job, submit=job.submit * cycles, estimate=job.estimate * cycles)
            for job in jobs
        ]

    def ends(self) -> Any:
        """Return what decides when jobs end."""
        from ..jobs import Deliveries

        return Deliveries(self._engine(), self.traffic, self.args.seed)

    def measures(self, summary: dict[str, Any], ends: Any) -> dict[str, Any]:
        """Return measures under names with the unit of time, and those of links."""
        from ..runs import link_measures, links_of

        partial = summary.pop("partial")
        found = {in_unit(name, self.unit): value for name, value in summary.items()}
        links = link_measures(self.network, *links_of(ends.engine), ends.engine.time)
        return {**found, **links, "partial": partial}

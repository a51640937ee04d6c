"""Simulate the messages of jobs on the interconnect.

Instances of a workload are placed on an idle network, and start at once. A flit has
four bytes. Printed are the time until the last message has arrived, message latencies,
flits over links, the most loaded link, and the time of each instance.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import asdict
from typing import Any

from ..instances.errors import InputError
from ..instances.files import write_text
from ..instances.json_text import dumps
from . import outputs, shared
from .parser import Parser
from .screen import print_measures, wrapped

_SWITCHING = ("cut-through", "wormhole", "flow")
_ROUTING = ("adaptive", "dimension-order", "minimal", "drawn", "valiant")
_FIELDS = {
    one: one
    for one in (
        *("topology", "placement", "mapping", "workload", "instances", "switching"),
        *("routing", "packet", "seed", "tasks", "rounds", "per"),
    )
}
_FIELDS["bytes"] = "size"
"""What errors are about, and which option that is."""


def add(simulate: Parser, streams: Any) -> None:
    """Declare the options."""
    parser = simulate.subcommand(
        streams,
        "network",
        help="messages on the interconnect",
        description=__doc__,
    )
    parser.add_argument(
        "--topology",
        required=True,
        metavar="KIND:SIZES",
        help="mesh:16x22, torus:8x8, tree:4x3 (4-ary 3-tree), dragonfly:A,P,H "
        "(routers of a group, hosts and global links of a router) or graph:FILE",
    )
    parser.add_argument(
        "--placement",
        required=True,
        metavar="M",
        help="what chooses the processors, such as quadrant (see closeknit methods "
        "ksubset), or their numbers with commas between them, one per task",
    )
    parser.add_argument(
        "--mapping",
        default="identity",
        metavar="M",
        help="what orders the tasks on these processors: identity (the default: as the "
        "placement has them), random, greedy, annealing, exact (up to 64 tasks), "
        "cpsat, or auto (exact up to 16 tasks, else annealing)",
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--workload",
        metavar="NAME",
        help="BI, BU, 2M, 3M, 2W, 3W, WF, n-to-n, all-to-all, io, or skeletons of BT, "
        "CG, IS, LU, MG, SP, FT",
    )
    what.add_argument("--file", metavar="FILE", help="a workload as JSON")
    what.add_argument(
        "--traffic", metavar="FILE", help="measured communication of ranks"
    )
    shared.add_number(parser, "--instances", "number of jobs", 1)
    shared.add_number(
        parser, "--tasks", "tasks of a named workload; ranks of measured communication"
    )
    shared.add_number(
        parser, "--size", "bytes of the longest messages of a named workload"
    )
    shared.add_number(
        parser, "--rounds", "rounds in which ranks send what was measured (default: 1)"
    )
    shared.add_number(
        parser, "--per", "send one byte of so many that were measured (default: 1)"
    )
    parser.add_argument(
        "--switching",
        choices=_SWITCHING,
        default=_SWITCHING[0],
        help="packets in queues, worms (mesh and torus), or fair flows",
    )
    parser.add_argument(
        "--routing",
        choices=_ROUTING,
        help="adaptive or dimension-order on grids; minimal, drawn or valiant on a "
        "dragonfly or graph (default: the first)",
    )
    shared.add_number(
        parser, "--packet", "flits of a packet (default: 16; worms: whole messages)"
    )
    shared.add_number(parser, "--seed", "random seed of placement and routing", 0)
    outputs.add_json(parser, "the measures")
    parser.add_argument(
        "--plot",
        type=outputs.file,
        metavar="OUT.html",
        help="write a page with links by load and latencies",
    )
    parser.examples(
        "simulate network --topology torus:8x8 --placement quadrant --workload 2M",
        "simulate network --topology tree:4x4 --placement shuffle --workload BU "
        "--instances 4 --size 4096 --json",
        "simulate network --topology torus:8x8 --placement row --workload 3M "
        "--mapping annealing",
    )
    parser.set_defaults(simulate=run)


def run(args: argparse.Namespace) -> int:
    """Run the workload, and print what was measured."""
    from ..simulation.network.places import network_named
    from ..simulation.network.runs import Switching, run_network

    try:
        network, workload = network_named(args.topology), _workload(args)
        found = run_network(
            network,
            workload,
            args.placement,
            mapping=args.mapping,
            instances=args.instances,
            switching=Switching(args.switching),
            routing=args.routing or "",
            packet=args.packet,
            seed=shared.seed_of(args),
        )
    except InputError as error:
        name = re.split(r"\W", error.field)[0]
        if error.file or name not in _FIELDS:
            raise
        field = f"--{_FIELDS[name]}{error.field[len(name) :]}"
        raise InputError(error.problem, field, error.value) from None
    measures = asdict(found.summary)
    if args.json:
        outputs.write_out(args.json, dumps(measures) + "\n")
    if args.json != "-":
        cycles = " ".join(map(str, measures.pop("instance_cycles")))
        print_measures(measures)
        wide = max(map(len, measures))
        print(wrapped(cycles, f"{'instance_cycles':{wide}}  ", " " * (wide + 2)))
    if args.plot:
        from ..reports.streams.network_page import network_page

        title = (
            f"{args.instances} of {workload.name}, {workload.tasks} tasks each, on "
            f"{args.topology}, {args.placement}, "
            + (f"{args.mapping} mapping, " if args.mapping != "identity" else "")
            + f"{args.switching}, seed {args.seed}"
        )
        write_text(args.plot, network_page(title, network, found))
    return 0


def _workload(args: argparse.Namespace) -> Any:
    """Make or read the workload; refuse options that are for another."""
    from ..simulation.network.workloads import TASKS, workload
    from ..simulation.network.workloads_format import read_workload
    from ..simulation.network.workloads_measured import read_traffic

    for name, options, given in (
        ("a named workload", ("size",), args.workload is not None),
        ("measured communication", ("rounds", "per"), args.traffic is not None),
        ("other workloads than files", ("tasks",), args.file is None),
    ):
        for option in options:
            if not given and getattr(args, option) is not None:
                raise InputError(f"is for {name}", field=f"--{option}")
    if args.file is not None:
        return read_workload(args.file)
    if args.traffic is not None:
        traffic = read_traffic(args.traffic, args.tasks)
        rounds = 1 if args.rounds is None else args.rounds
        return traffic.workload(rounds, 1 if args.per is None else args.per)
    return workload(
        args.workload, TASKS if args.tasks is None else args.tasks, args.size
    )

"""Simulate the messages of jobs on the interconnect.

Instances of a workload are placed on an idle network, and start at once. A flit has
four bytes. Printed are the time until the last message has arrived, message latencies,
flits over links, the most loaded link, and the time of each instance.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import asdict
from typing import Any

from ...cli.frame import outputs, shared
from ...cli.frame.parser import Parser, once
from ...cli.frame.progress import Show, progress_bar
from ...cli.frame.screen import print_measures, wrap_text
from ...instances.errors import InputError
from ...instances.reading.json_text import dumps
from ...sources import doc_of

_SWITCHING = ("cut-through", "wormhole")
_ROUTING = ("adaptive", "dimension-order", "minimal", "drawn", "valiant")
_FIELDS = {
    one: one
    for one in (
        *("topology", "placement", "mapping", "workload", "instances", "switching"),
        *("routing", "packet", "seed", "tasks", "rounds", "per", "routes", "io-nodes"),
    )
}
_FIELDS["bytes"] = "size"
_FIELDS["io"] = "io-nodes"
"""What errors are about, and which option that is."""


def add(simulate: Parser, streams: Any) -> None:
    """Declare the options."""
    parser = simulate.subcommand(
        streams,
        "network",
        help="messages on the interconnect",
        description=doc_of(sys.modules[__name__]),
    )
    parser.add_argument(
        "--topology",
        required=True,
        metavar="KIND:SIZES",
        help="mesh:16x22, torus:8x8, grid:8x4:1 (axis 1 is a ring), tree:4x3 (4-ary "
        "3-tree), dragonfly:A,P,H (routers of a group, hosts and global links of a "
        "router) or graph:FILE",
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
        metavar="M",
        help="what orders the tasks on these processors: identity (the default: as the "
        "placement has them), random, greedy, annealing, exact (up to 64 tasks), or "
        "auto (exact up to 16 tasks, else annealing)",
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--workload",
        metavar="NAME",
        help="BI, BU, 2M, 3M, 2W, 3W, WF, n-to-n, all-to-all, io, or skeletons of BT, "
        "CG, IS, LU, MG, SP, FT",
    )
    once(what, "--file", "FILE", "a workload as JSON")
    once(what, "--traffic", "FILE", "measured communication of ranks")
    for word in ("--load", "--pattern", "--cycles"):
        parser.refuse_old_word(word, "jobs send the messages of --workload")
    shared.add_number(parser, "--instances", "number of jobs (default: 1)")
    shared.add_number(
        parser, "--tasks", "tasks of a named workload; ranks of measured communication"
    )
    shared.add_number(
        parser,
        "--size",
        "bytes of the longest messages of a named workload",
    )
    shared.add_number(
        parser, "--rounds", "rounds in which ranks send what was measured (default: 1)"
    )
    shared.add_number(
        parser, "--per", "send one byte of so many that were measured (default: 1)"
    )
    parser.add_argument(
        "--io-nodes",
        choices=("west", "east", "north", "south"),
        help="side of a mesh that has a row or column of I/O nodes, which run the last "
        "tasks of every instance (for io, and files with io)",
    )
    parser.add_argument(
        "--switching",
        choices=_SWITCHING,
        default=_SWITCHING[0],
        help="packets in queues, or worms (mesh and torus)",
    )
    parser.add_argument(
        "--routing",
        choices=_ROUTING,
        help="adaptive or dimension-order on grids; minimal, drawn or valiant on a "
        "dragonfly or graph (default: the first)",
    )
    once(
        parser,
        "--routes",
        "FILE",
        "instead of a routing the next hops of a graph, as CSV: at,to,next",
    )
    shared.add_number(
        parser, "--packet", "flits of a packet (default: 16; worms: whole messages)"
    )
    shared.add_number(parser, "--seed", "random seed of placement and routing", 0)
    outputs.add_json(parser, "the measures")
    parser.refuse_old_word("--plot", "network.runs.run_network has every link's load")
    parser.examples(
        "simulate network --topology torus:8x8 --placement quadrant --workload 2M",
        "simulate network --topology tree:4x4 --placement shuffle --workload BU "
        "--instances 4 --size 4096 --json",
        "simulate network --topology mesh:16x22 --placement mc --workload io "
        "--tasks 32 --size 64 --io-nodes west",
        "simulate network --topology torus:8x8 --placement row --workload 3M "
        "--mapping annealing",
    )
    parser.set_defaults(simulate=run)


def run(args: argparse.Namespace) -> int:
    """Run the workload, and print what was measured."""
    from ..processor_numbers import network_named

    _refuse_strangers(args)
    try:
        network = network_named(args.topology)
        for note in getattr(network, "notes", ()):
            print(f"closeknit: {args.topology}: {note}", file=sys.stderr)
        with progress_bar() as show:
            found = _jobs(args, network, show)
    except InputError as error:
        name = re.split(r"[^\w-]", error.field)[0]
        if name == "table" and not error.file:
            raise error.of_file(args.routes) from None
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
        print(wrap_text(cycles, f"{'instance_cycles':{wide}}  ", " " * (wide + 2)))
    return 0


def _refuse_strangers(args: argparse.Namespace) -> None:
    """Refuse options that are for another kind of traffic."""
    for name, options, given in (
        ("a named workload", ("size",), args.workload is not None),
        ("measured communication", ("rounds", "per"), args.traffic is not None),
        ("other workloads than files", ("tasks",), args.file is None),
        ("tasks on processors, not for --io-nodes", ("mapping",), not args.io_nodes),
    ):
        for option in options:
            if not given and getattr(args, option) is not None:
                raise InputError(f"is for {name}", f"--{option}")


def _jobs(args: argparse.Namespace, network: Any, show: Show) -> Any:
    """Run jobs; return what was measured."""
    from ..routes_file import read_routes
    from ..runs import Switching, run_network
    from ..workloads.io_side import IoSide

    io = IoSide(network, args.io_nodes) if args.io_nodes else None
    workload = _workload(args, 0 if io is None else len(io.io))
    instances = 1 if args.instances is None else args.instances
    return run_network(
        network,
        workload,
        args.placement,
        mapping=args.mapping or "identity",
        instances=instances,
        io=io,
        show=show,
        switching=Switching(args.switching),
        routing=args.routing or "",
        packet=args.packet,
        seed=shared.seed_of(args),
        table=read_routes(args.routes, network) if args.routes else None,
    )


def _workload(args: argparse.Namespace, io: int) -> Any:
    """Make or read the workload, with I/O nodes on a side if there are any."""
    from ..workloads.format import read_workload
    from ..workloads.measured import read_traffic
    from ..workloads.table import TASKS, workload

    if args.file is not None:
        return read_workload(args.file)
    if args.traffic is not None:
        traffic = read_traffic(args.traffic, args.tasks)
        rounds = 1 if args.rounds is None else args.rounds
        return traffic.workload(rounds, 1 if args.per is None else args.per)
    tasks = TASKS if args.tasks is None else args.tasks
    return workload(args.workload, tasks, args.size, io)

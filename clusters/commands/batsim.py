"""Schedule the jobs of a simulation by Batsim, with the nodes closeknit chooses.

Batsim (up to 4.x, JSON messages, without Redis) connects to --endpoint as to any other
scheduler. Hosts of its platform are nodes of the topology, by their names or, where
these differ, in order. Jobs run first come first served, or with EASY backfilling. The
process ends with the simulation.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ...cli.frame import shared
from ...cli.frame.parser import Parser
from ...instances.errors import InputError
from ...instances.extras import install
from ...instances.option_values import seconds
from ...instances.reading.json_text import dumps
from ...instances.reading.parsing import parse_json
from ...solvers import Settings
from ..batsim import BatsimScheduler
from ..placement import NodeSelector, Objective
from . import cluster

if TYPE_CHECKING:
    import zmq

_LARGEST = 64 * 2**20
"""Bytes of a message."""
_LINGER_MS = 1000
_POLL_MS = 500


def options(parser: Parser) -> None:
    """Declare the options."""
    cluster.add_topology(parser)
    parser.add_argument(
        "--endpoint",
        default="tcp://127.0.0.1:28000",
        metavar="E",
        help="endpoint of ZeroMQ to listen on (default: %(default)s)",
    )
    parser.add_argument(
        "--policy",
        choices=("fcfs", "easy"),
        default="fcfs",
        help="which jobs may start: first come first served, or also those that, by "
        "their walltimes, do not delay the first",
    )
    cluster.add_objective(parser)
    shared.add_time_limit(parser, "seconds for the choice of one job", 1.0)
    parser.examples(
        "batsim --topology topology.conf",
        "batsim --topology topology.conf --policy easy --objective hops",
    )


def run(args: argparse.Namespace) -> int:
    """Serve one simulation; return the exit status."""
    try:
        import zmq
    except ImportError:
        raise InputError(f"needs pyzmq: {install('batsim')}") from None
    found = cluster.cluster_of(args)
    scheduler = BatsimScheduler(
        NodeSelector(found),
        objective=Objective(args.objective) if args.objective else None,
        easy=args.policy == "easy",
        settings=Settings(time_limit=seconds(args.time_limit)),
    )
    with zmq.Context() as context, context.socket(zmq.REP) as socket:
        socket.setsockopt(zmq.MAXMSGSIZE, _LARGEST)
        socket.setsockopt(zmq.LINGER, _LINGER_MS)
        try:
            socket.bind(args.endpoint)
        except zmq.ZMQError as error:
            raise InputError(str(error), "--endpoint", args.endpoint) from None
        where = socket.getsockopt_string(zmq.LAST_ENDPOINT)
        print(f"{found.summary()}\nlistening on {where}", flush=True)
        while not scheduler.over:
            _answer(socket, scheduler)
    print(f"{scheduler.started} jobs were started")
    return 0


def _answer(socket: zmq.Socket[Any], scheduler: BatsimScheduler) -> None:
    while not socket.poll(_POLL_MS):
        pass  # wakes up for Ctrl-C
    content = socket.recv()
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", "message") from None
    answer = scheduler.answer(parse_json(text, file="message"))
    socket.send_string(dumps(answer, indented=False))

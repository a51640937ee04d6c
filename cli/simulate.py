"""Let a stream of jobs come and go, and measure how well a machine is used.

With --json OUT, one object: keys are the names of the measures with their units.
"""

from __future__ import annotations

import argparse

from . import simulating_stream, simulating_submesh
from .parser import Parser


def options(parser: Parser) -> None:
    """Declare the options, stream by stream."""
    streams = parser.add_subparsers(metavar="STREAM", required=True)
    simulating_stream.add(parser, streams)
    simulating_submesh.add(parser, streams)


def run(args: argparse.Namespace) -> int:
    """Run the stream that was asked for."""
    status: int = args.simulate(args)
    return status

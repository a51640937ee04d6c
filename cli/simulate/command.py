"""Simulate streams of jobs, or the messages of jobs, and measure how a machine is used.

With --json, the answer is one object, whose keys name the measures and their units.
"""

from __future__ import annotations

import argparse

from ...extensions import hooks
from ..frame.parser import Parser
from . import stream as simulating_stream
from . import submesh as simulating_submesh


def options(parser: Parser) -> None:
    """Declare the options, stream by stream."""
    streams = parser.add_subparsers(metavar="STREAM", required=True)
    simulating_stream.add(parser, streams)
    simulating_submesh.add(parser, streams)
    for part in hooks("simulate"):
        part.add(parser, streams)
    parser.examples(
        "simulate stream --method mm --shape 16x16 --requests 500",
        "simulate submesh --method 4iss --shape 64x64",
        "simulate network --topology torus:8x8 --placement quadrant --workload 2M",
    )


def run(args: argparse.Namespace) -> int:
    """Run the stream that was asked for."""
    status: int = args.simulate(args)
    return status

"""Simulate a queue of boxes on a mesh.

All requests wait from the beginning; the first of the queue is placed as soon as the
method finds room (section 4.1 of Morgenstern 1994). The same seed gives every method
the same queue. Prints completion time, utilisation, fragmentation and steps.
"""

from __future__ import annotations

import argparse
import sys
from argparse import ArgumentTypeError
from collections.abc import Sequence
from dataclasses import asdict
from math import prod
from typing import Any

from ...instances.errors import InputError
from ...instances.option_values import seconds
from ...instances.reading.json_text import dumps
from ...instances.reading.suggestions import entry_named
from ...instances.submesh import MOST_PROCESSORS
from ...methods.allocators.submesh import ALLOCATORS
from ...simulation.submesh.migration import Migrating, migration_judge
from ...simulation.submesh.simulator import Fixed, Judge, first_come
from ...simulation.submesh.stream import BoxRequest, Normal, Sides, Uniform, queue
from ...solvers.running.settings import Settings
from ...sources import doc_of
from ..frame import outputs, shared
from ..frame.parser import Parser, flag
from ..frame.progress import progress_bar
from ..frame.screen import print_measures


def add(simulate: Parser, streams: Any) -> None:
    """Declare the options."""
    parser = simulate.subcommand(
        streams,
        "submesh",
        help="boxes on a mesh",
        description=doc_of(sys.modules[__name__]),
    )
    parser.add_argument(
        "--method",
        required=True,
        metavar="M",
        help="an allocator, such as 4iss; or mig, which moves residents",
    )
    parser.old_spelling("--allocator", "--method")
    parser.old_spelling("--mesh", "--shape")
    parser.add_argument(
        "--shape",
        type=shared.shape,
        required=True,
        metavar="256x256",
        help="sides of the mesh",
    )
    shared.add_number(parser, "--requests", "length of the queue", 1000)
    parser.add_argument(
        "--sides",
        metavar="DIST",
        help="uniform:LOW:HIGH or normal:MEAN:DEVIATION (default: uniform:1:SIDE, SIDE "
        "being the shortest side of the mesh)",
    )
    parser.add_argument(
        "--residence",
        type=residence,
        default=(5.0, 30.0),
        metavar="LOW:HIGH",
        help="residence times, uniform real (default: 5:30)",
    )
    shared.add_number(parser, "--seed", "random seed of the queue", 0)
    flag(parser, "--rotate", "try requests turned as well")
    flag(parser, "--torus", "boxes may wrap round (not every method)")
    flag(
        parser,
        "--migration",
        "decide at every failure whether migration would have helped",
    )
    shared.add_time_limit(parser, "seconds per decision about migration", 10.0)
    outputs.add_json(parser, "the measures")
    parser.examples(
        "simulate submesh --method 4iss --shape 64x64 --seed 1",
        "simulate submesh --method mig --shape 16x16 --requests 200 --rotate --json",
    )
    parser.set_defaults(simulate=run)


def run(args: argparse.Namespace) -> int:
    """Run the queue, and print what was measured."""
    if prod(args.shape) > MOST_PROCESSORS:
        raise InputError(
            f"must have at most {MOST_PROCESSORS} processors",
            "--shape",
            list(args.shape),
        )
    try:
        requests = queue(
            args.shape,
            args.requests,
            sides_of(args.sides or f"uniform:1:{min(args.shape)}"),
            residence=args.residence,
            seed=args.seed,
        )
    except InputError as error:
        raise InputError(error.problem, f"--{error.field}", error.value) from None
    limits = Settings(time_limit=seconds(args.time_limit))
    if args.method == "mig":
        measures = _moving(args, requests, limits)
    else:
        measures = _staying(args, requests, limits)
    if args.json != "-":
        print_measures(measures)
    if args.json:
        outputs.write_out(args.json, dumps(measures) + "\n")
    return 0


def _staying(
    args: argparse.Namespace, requests: Sequence[BoxRequest], limits: Settings
) -> dict[str, float | None]:
    """Run an allocator that moves no resident."""
    maker = entry_named(args.method, ALLOCATORS, "--method", "allocator")
    if why := maker.refuses(args.shape, args.torus):
        raise InputError(f"{args.method} {why}", "--shape", list(args.shape))
    judge = None
    if args.migration:
        judge = migration_judge(
            args.shape, rotate=args.rotate, torus=args.torus, settings=limits
        )
    occupancy = Fixed(maker(args.shape, rotate=args.rotate, torus=args.torus))
    return _serve(requests, occupancy, judge)


def _serve(
    requests: Sequence[BoxRequest], occupancy: Fixed, judge: Judge | None = None
) -> dict[str, float | None]:
    """Serve the queue; show on a terminal how many requests have started."""
    started = 0
    with progress_bar() as show:

        def count(request: BoxRequest, time: float) -> None:
            nonlocal started
            started += 1
            show(started, len(requests), "requests")

        return asdict(first_come(requests, occupancy, judge=judge, on_start=count))


def _moving(
    args: argparse.Namespace, requests: Sequence[BoxRequest], limits: Settings
) -> dict[str, float | None]:
    """Run mig; if it left anything undecided, run again as if that always fitted."""
    if why := ALLOCATORS["fs-f"].refuses(args.shape, args.torus):
        raise InputError(f"mig {why}", "--shape", list(args.shape))
    occupancy = Migrating(args.shape, rotate=args.rotate, settings=limits)
    measures = _serve(requests, occupancy)
    # what failed could not be mended, by definition, unless that was not decided
    measures |= {
        "migration_fragmentation_pct": 0.0,
        "migration_failures": 0,
        "undecided_failures": occupancy.undecided,
        "moved_residents": occupancy.moved,
    }
    lenient: dict[str, float | None] = {}
    if occupancy.undecided:
        generous = Migrating(
            args.shape, rotate=args.rotate, settings=limits, generous=True
        )
        lenient = _serve(requests, generous)
    for name in ("completion_time", "utilization_pct"):
        measures[f"{name}_if_undecided_fit"] = lenient.get(name)
    return measures


def residence(text: str) -> tuple[float, float]:
    """Read a range of times.

    >>> residence("5:30")
    (5.0, 30.0)
    """
    try:
        low, high = map(float, text.split(":"))
    except ValueError:
        wrong = f"must be two times such as 5:30, not {text!r}"
        raise ArgumentTypeError(wrong) from None
    return low, high


def sides_of(text: str) -> Sides:
    """Read a distribution of sides.

    >>> sides_of("uniform:1:256")
    Uniform(low=1, high=256)
    """
    try:
        kind, first, second = text.split(":")
        if kind == "uniform":
            return Uniform(int(first), int(second))
        if kind == "normal":
            return Normal(float(first), float(second))
    except InputError:
        raise
    except ValueError:
        pass
    raise InputError("must be uniform:LOW:HIGH or normal:MEAN:DEVIATION", "sides", text)

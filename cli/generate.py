"""Make instance files: from a few numbers and a seed, or from a job trace.

The paths of the files are printed, one a line. The same options give the same
files, byte for byte; parameters and seed are stored inside.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..instances.errors import InputError
from . import reading

if TYPE_CHECKING:
    from ..instances import KSubset

HELP = "make instance files, from generators or a job trace"

_T = TypeVar("_T")

Make = Callable[[argparse.Namespace, int], "KSubset"]
"""Makes one instance; the seed is the second argument."""


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the options, family by family."""
    families = parser.add_subparsers(metavar="FAMILY", required=True)

    full = _family(families, "full", "all processors of a network", _full)
    _network(full)
    _needed(full, "--k")

    torus = _family(families, "torus", "all processors of a torus", _torus)
    _needed(torus, "--shape", kind=reading.shape, metavar="16x16")
    _needed(torus, "--k")

    drawn = _family(families, "random", "free processors drawn at random", _random)
    _network(drawn)
    _needed(drawn, "--k")
    drawn.add_argument(
        "--free",
        type=reading.share,
        default=Fraction(1, 2),
        metavar="F",
        help="free processors: a count, or a share such as 50%% (default 50%%)",
    )
    _seeded(drawn)

    worn = _family(
        families, "fragmented", "what jobs coming and going leave free", _fragmented
    )
    _network(worn)
    _needed(worn, "--k")
    worn.add_argument(
        "--utilisation",
        type=reading.percentage,
        default=Fraction(3, 4),
        metavar="P",
        help="largest share of the processors in use (default 75%%)",
    )
    _number(worn, "--mean-size", 8, "mean job size (default 8)")
    worn.add_argument(
        "--sizes",
        choices=("exponential", "uniform"),
        default="exponential",
        help="distribution of job sizes (default exponential)",
    )
    _number(worn, "--jobs", None, "jobs to start (default: ten turnovers)")
    _allocator(worn)
    _seeded(worn)

    uniform = _family(families, "uniform", "points drawn uniformly", _uniform)
    _points(uniform)
    _seeded(uniform)

    clustered = _family(families, "clustered", "points drawn in clusters", _clustered)
    _points(clustered)
    _number(clustered, "--clusters", 5, "number of clusters (default 5)")
    _number(clustered, "--spread", 20, "standard deviation of a cluster (default 20)")
    _seeded(clustered)

    for name, says, make in (
        ("theorem1", "the worst case of mm, k a multiple of 4d", _theorem1),
        ("median-decoys", "the worst case of mm for any k", _median_decoys),
    ):
        decoys = _family(families, name, says, make)
        _number(decoys, "--d", 2, "dimension (default 2)")
        _needed(decoys, "--k")
        decoys.add_argument(
            "--eps",
            type=reading.fraction,
            default=Fraction(1, 132),
            metavar="A/B",
            help="between 0 and 1 (default 1/132)",
        )

    distinct = _family(
        families, "mm-distinct", "a bad case of mm, no point twice", _mm_distinct
    )
    _number(distinct, "--L", 555, "distance of the squares (default 555)")

    shells = _family(families, "mc1x1-worst", "the worst case of mc1x1", _mc1x1)
    _needed(shells, "--k")
    _number(shells, "--r", 1000, "distance of the halves (default 1000)")
    _number(shells, "--d", 2, "dimension (default 2)")

    free = _family(families, "genalg", "the worst case of mm-free, k = 3", _genalg)
    _number(free, "--L", 100, "distance from the centre (default 100)")

    star = _family(families, "genalg-tree", "the worst case of mm-free", _genalg_tree)
    _needed(star, "--k")
    _number(star, "--L", 100, "distance from the root (default 100)")

    _trace(families.add_parser("trace", help=_TRACE_HELP, description=_TRACE_TEXT))


_TRACE_HELP = "occupancies met by the jobs of an SWF trace"
_TRACE_TEXT = """Replay a trace on a machine and write what every N-th job met when it
was placed: the processors free just before, its size as k. The queue is strict: first
come, first served. Jobs run as long as the trace says; those without known submit
time, run time or size, those larger than the machine, and lines that repeat part of a
job are skipped and counted. All jobs before B are replayed, so that the machine is as
full as it was; only those from A on are written."""


def _trace(parser: argparse.ArgumentParser) -> None:
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
    _number(parser, "--every", 1, "write every N-th job that was placed (default 1)")
    parser.add_argument(
        "--partition",
        type=reading.number,
        metavar="P",
        help="only the jobs of this partition; --jobs counts these",
    )
    _allocator(parser)
    _out(parser)
    parser.set_defaults(instances=_replayed)


def run(args: argparse.Namespace) -> int:
    """Write the files."""
    from ..instances import write_ksubset
    from ..instances.files import folder

    out = folder(args.out)
    try:
        with closing(args.instances(args)) as instances:
            for instance in instances:
                path = out / f"{instance.name}.json"
                write_ksubset(instance, path)
                print(path)
    except InputError as error:
        raise _in_options(error, args) from None
    return 0


def _in_options(error: InputError, args: argparse.Namespace) -> InputError:
    """Name the option, where it is an option that is wrong."""
    name = error.field.removeprefix("topology.").partition("[")[0]
    if error.file or name not in args:
        return error
    option = "--" + name.replace("_", "-")
    return InputError(error.problem, field=option, value=error.value)


def _made(args: argparse.Namespace) -> Generator[KSubset, None, None]:
    """Make as many instances as asked for, each with the next seed."""
    if args.count < 1:
        raise InputError("must be at least 1", field="count", value=args.count)
    for i in range(args.count):
        yield args.make(args, args.seed + i)


def _full(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances import generators

    make = {
        "mesh": generators.mesh,
        "torus": generators.torus,
        "tree": generators.tree,
    }
    return make[args.kind](*args.shape, k=args.k)


def _torus(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.generators import torus

    return torus(*args.shape, k=args.k)


def _random(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.generators import random_occupancy

    return random_occupancy(args.shape, args.k, args.free, seed, kind=args.kind)


def _fragmented(args: argparse.Namespace, seed: int) -> KSubset:
    from ..simulation.fragmentation import fragmented

    return fragmented(
        args.shape,
        args.k,
        seed,
        utilisation=args.utilisation,
        mean_size=args.mean_size,
        sizes=args.sizes,
        jobs=args.jobs,
        allocator=args.allocator,
        kind=args.kind,
    )


def _uniform(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.generators import uniform_points

    return uniform_points(args.n, args.d, args.k, seed, args.size)


def _clustered(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.generators import clustered_points

    return clustered_points(
        args.n, args.d, args.k, seed, args.clusters, args.spread, args.size
    )


def _theorem1(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.worst_cases import theorem1

    return theorem1(args.d, args.k, args.eps).instance


def _median_decoys(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.worst_cases import median_decoys

    return median_decoys(args.d, args.k, args.eps).instance


def _mm_distinct(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.worst_cases import mm_distinct

    return mm_distinct(args.L).instance


def _mc1x1(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.worst_cases import mc1x1_family

    return mc1x1_family(args.k, args.r, args.d).instance


def _genalg(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.worst_cases import genalg

    return genalg(args.L).instance


def _genalg_tree(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.worst_cases import genalg_tree

    return genalg_tree(args.k, args.L).instance


def _replayed(args: argparse.Namespace) -> Generator[KSubset, None, None]:
    """Replay the trace; say at the end what was written and what was skipped."""
    from itertools import islice

    from ..instances.generators import network_of, network_text
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


def _family(
    families: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    says: str,
    make: Make,
) -> argparse.ArgumentParser:
    parser = families.add_parser(name, help=says, description=f"{says}.".capitalize())
    parser.set_defaults(instances=_made, make=make, seed=0, count=1)
    _out(parser)
    return parser


def _out(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", default=".", metavar="DIR", help="where to (default: here)"
    )


def _needed(
    parser: argparse.ArgumentParser,
    name: str,
    kind: Callable[[str], object] = reading.number,
    metavar: str = "N",
) -> None:
    says = {"--k": "processors to choose"}.get(name)
    parser.add_argument(name, type=kind, required=True, metavar=metavar, help=says)


def _number(
    parser: argparse.ArgumentParser, name: str, default: int | None, says: str
) -> None:
    parser.add_argument(
        name, type=reading.number, default=default, metavar="N", help=says
    )


def _network(parser: argparse.ArgumentParser) -> None:
    _needed(parser, "--shape", kind=reading.shape, metavar="16x16")
    parser.add_argument(
        "--kind",
        choices=("mesh", "torus", "tree"),
        default="mesh",
        help="of the network (default mesh); for a tree, --shape has its fan-outs",
    )


def _points(parser: argparse.ArgumentParser) -> None:
    _needed(parser, "--n")
    _number(parser, "--d", 2, "dimension (default 2)")
    _needed(parser, "--k")
    _number(parser, "--size", 1000, "side of the cube (default 1000)")


def _seeded(parser: argparse.ArgumentParser) -> None:
    _number(parser, "--seed", 0, "of the random draws (default 0)")
    _number(parser, "--count", 1, "how many, with seeds from --seed on (default 1)")


def _allocator(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--allocator",
        default="mm",
        metavar="METHOD",
        help="method that places the jobs (default mm)",
    )

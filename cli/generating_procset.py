"""Families of processor-set instances for ``closeknit generate``."""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import TYPE_CHECKING

from . import reading
from .family_options import family, needed, number, seeded, share

if TYPE_CHECKING:
    from ..instances import ProcSet
    from .family_options import Families


def add(families: Families) -> None:
    """Add the families."""
    machine = family(
        families, "drakenberg", "the 256-node machine of Drakenberg 2012", _drakenberg
    )
    _request(machine, "hosts")
    machine.add_argument(
        "--granularity",
        choices=("node", "core"),
        default="node",
        help="what a processor is (default node); a node has 8 cores",
    )
    machine.add_argument(
        "--costs",
        choices=("realistic", "uniform"),
        default="realistic",
        help="of nodes: by their cooling, or all alike (default realistic)",
    )
    machine.add_argument(
        "--partly",
        type=reading.percentage,
        default=Fraction(0),
        metavar="P",
        help="share of the free nodes with some cores busy (default 0%%)",
    )
    number(machine, "--racks", 10, "racks of 25 nodes (default 10)")
    number(machine, "--centre", 6, "nodes of the centre rack (default 6)")
    seeded(machine)

    planes = family(families, "planes", "planes of a mesh or torus as sets", _planes)
    needed(planes, "--shape", kind=reading.shape, metavar="8x8x8")
    _request(planes, "processors")
    _priced(planes)
    seeded(planes)

    domains = family(families, "domains", "random partitions into domains", _domains)
    needed(domains, "--n", says="processors")
    number(domains, "--families", 3, "partitions (default 3)")
    number(domains, "--size", 16, "processors of a domain (default 16)")
    _request(domains, "processors")
    _priced(domains)
    seeded(domains)

    drawn = family(families, "sets", "processor sets drawn at random", _sets)
    needed(drawn, "--n", says="processors")
    needed(drawn, "--sets", says="how many sets")
    share(drawn, "--size", "20%", "processors of a set")
    number(drawn, "--levels", 1, "of the costs (default 1)")
    number(drawn, "--most", 9, "largest cost of a set (default 9)")
    _request(drawn, "processors")
    _private(drawn)
    seeded(drawn)


def _request(parser: argparse.ArgumentParser, free: str) -> None:
    needed(parser, "--request", says="processors wanted")
    share(parser, "--free", "100%", f"free {free}")


def _priced(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--costs",
        choices=("equal", "levels", "drawn"),
        default="equal",
        help="of a set: 1, or 1 at a level for each family, or 1 to 9 drawn "
        "(default equal)",
    )
    _private(parser)


def _private(parser: argparse.ArgumentParser) -> None:
    number(parser, "--private", 0, "largest cost of a single processor (default 0)")


def _drakenberg(args: argparse.Namespace, seed: int) -> ProcSet:
    from ..instances.procset.generators import drakenberg_system

    return drakenberg_system(
        args.request,
        granularity=args.granularity,
        costs=args.costs,
        free=args.free,
        partly=args.partly,
        seed=seed,
        racks=args.racks,
        centre=args.centre,
    )


def _planes(args: argparse.Namespace, seed: int) -> ProcSet:
    from ..instances.procset.generators import torus_planes

    return torus_planes(
        args.shape,
        args.request,
        free=args.free,
        seed=seed,
        costs=args.costs,
        private=args.private,
    )


def _domains(args: argparse.Namespace, seed: int) -> ProcSet:
    from ..instances.procset.generators import random_domains

    return random_domains(
        args.n,
        args.families,
        args.size,
        args.request,
        free=args.free,
        seed=seed,
        costs=args.costs,
        private=args.private,
    )


def _sets(args: argparse.Namespace, seed: int) -> ProcSet:
    from ..instances.procset.generators import random_sets

    return random_sets(
        args.n,
        args.sets,
        args.size,
        args.request,
        levels=args.levels,
        most=args.most,
        free=args.free,
        seed=seed,
        private=args.private,
    )

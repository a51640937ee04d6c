"""Families of k-subset instances for ``closeknit generate``."""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import TYPE_CHECKING

from . import reading
from .family_options import allocator, family, needed, number, seeded, share, wanted

if TYPE_CHECKING:
    from ..instances import KSubset
    from .family_options import Families


def add(families: Families) -> None:
    """Add the families."""
    full = family(families, "full", "all processors of a network", _full)
    _network(full)
    wanted(full)

    torus = family(families, "torus", "all processors of a torus", _torus)
    needed(torus, "--shape", kind=reading.shape, metavar="16x16")
    wanted(torus)

    drawn = family(families, "random", "free processors drawn at random", _random)
    _network(drawn)
    wanted(drawn)
    share(drawn, "--free", "50%", "free processors")
    seeded(drawn)

    worn = family(
        families, "fragmented", "what jobs coming and going leave free", _fragmented
    )
    _network(worn)
    wanted(worn)
    worn.add_argument(
        "--utilisation",
        type=reading.percentage,
        default=Fraction(3, 4),
        metavar="P",
        help="largest share of the processors in use (default 75%%)",
    )
    number(worn, "--mean-size", 8, "mean job size (default 8)")
    worn.add_argument(
        "--sizes",
        choices=("exponential", "uniform"),
        default="exponential",
        help="distribution of job sizes (default exponential)",
    )
    number(worn, "--jobs", None, "jobs to start (default: ten turnovers)")
    allocator(worn)
    seeded(worn)

    uniform = family(families, "uniform", "points drawn uniformly", _uniform)
    _points(uniform)
    seeded(uniform)

    clustered = family(families, "clustered", "points drawn in clusters", _clustered)
    _points(clustered)
    number(clustered, "--clusters", 5, "number of clusters (default 5)")
    number(clustered, "--spread", 20, "standard deviation of a cluster (default 20)")
    seeded(clustered)

    for name, says, make in (
        ("theorem1", "the worst case of mm, k a multiple of 4d", _theorem1),
        ("median-decoys", "the worst case of mm for any k", _median_decoys),
    ):
        decoys = family(families, name, says, make)
        number(decoys, "--d", 2, "dimension (default 2)")
        wanted(decoys)
        decoys.add_argument(
            "--eps",
            type=reading.fraction,
            default=Fraction(1, 132),
            metavar="A/B",
            help="between 0 and 1 (default 1/132)",
        )

    distinct = family(
        families, "mm-distinct", "a bad case of mm, no point twice", _mm_distinct
    )
    number(distinct, "--L", 555, "distance of the squares (default 555)")

    blocks = family(
        families, "mm-blocks", "the same for k any multiple of 8", _mm_blocks
    )
    wanted(blocks)
    number(blocks, "--L", 1000, "gap between the blocks (default 1000)")

    ring = family(families, "ring-gap", "a bad case of ring-window", _ring_gap)
    number(ring, "--s", 1, "scale (default 1: a ring of 46)")

    shells = family(families, "mc1x1-worst", "the worst case of mc1x1", _mc1x1)
    wanted(shells)
    number(shells, "--r", 1000, "distance of the halves (default 1000)")
    number(shells, "--d", 2, "dimension (default 2)")

    free = family(families, "genalg", "the worst case of mm-free, k = 3", _genalg)
    number(free, "--L", 100, "distance from the centre (default 100)")

    star = family(families, "genalg-tree", "the worst case of mm-free", _genalg_tree)
    wanted(star)
    number(star, "--L", 100, "distance from the root (default 100)")

    curve = family(
        families, "hilbert-gap", "a bad case of hilbert/best-fit, k = 2", _hilbert_gap
    )
    number(curve, "--N", 16, "side of the mesh, a power of two (default 16)")

    dragon = family(families, "dragonfly", "hosts of a dragonfly", _dragonfly)
    number(dragon, "--a", 8, "routers of a group (default 8)")
    number(dragon, "--p", 4, "hosts of a router (default 4)")
    number(dragon, "--h", 4, "links of a router to other groups (default 4)")
    _occupied(dragon)

    fat = family(families, "fat-tree", "hosts of a fat-tree of switches", _fat_tree)
    number(fat, "--radix", 8, "ports of every switch, even (default 8)")
    _occupied(fat)

    cube = family(families, "hypercube", "nodes of a hypercube", _hypercube)
    number(cube, "--d", 6, "dimensions (default 6)")
    _occupied(cube)

    regular = family(
        families, "random-regular", "nodes of a random regular graph", _regular
    )
    needed(regular, "--n", says="nodes")
    number(regular, "--degree", 3, "links of every node (default 3)")
    _occupied(regular)

    file = family(
        families, "graph", "processors of a GraphML, GML or node-link file", _graph
    )
    needed(file, "--file", kind=str, metavar="FILE", says=".graphml, .gml or .json")
    _occupied(file)


def _occupied(parser: argparse.ArgumentParser) -> None:
    wanted(parser)
    share(parser, "--free", "100%", "free processors")
    seeded(parser)


def _network(parser: argparse.ArgumentParser) -> None:
    needed(parser, "--shape", kind=reading.shape, metavar="16x16")
    parser.add_argument(
        "--kind",
        choices=("mesh", "torus", "tree"),
        default="mesh",
        help="of the network (default mesh); for a tree, --shape has its fan-outs",
    )


def _points(parser: argparse.ArgumentParser) -> None:
    needed(parser, "--n")
    number(parser, "--d", 2, "dimension (default 2)")
    wanted(parser)
    number(parser, "--size", 1000, "side of the cube (default 1000)")


def _full(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset import generators

    make = {
        "mesh": generators.mesh,
        "torus": generators.torus,
        "tree": generators.tree,
    }
    return make[args.kind](*args.shape, k=args.k)


def _torus(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset.generators import torus

    return torus(*args.shape, k=args.k)


def _random(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset.generators import random_occupancy

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
    from ..instances.ksubset.generators import uniform_points

    return uniform_points(args.n, args.d, args.k, seed, args.size)


def _clustered(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset.generators import clustered_points

    return clustered_points(
        args.n, args.d, args.k, seed, args.clusters, args.spread, args.size
    )


def _theorem1(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset.worst_cases import theorem1

    return theorem1(args.d, args.k, args.eps).instance


def _median_decoys(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset.worst_cases import median_decoys

    return median_decoys(args.d, args.k, args.eps).instance


def _mm_distinct(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset.worst_cases import mm_distinct

    return mm_distinct(args.L).instance


def _mm_blocks(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset.worst_cases import mm_blocks

    return mm_blocks(args.k, args.L).instance


def _ring_gap(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset.worst_cases import ring_gap

    return ring_gap(args.s).instance


def _mc1x1(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset.worst_cases import mc1x1_family

    return mc1x1_family(args.k, args.r, args.d).instance


def _genalg(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset.worst_cases import genalg

    return genalg(args.L).instance


def _genalg_tree(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset.worst_cases import genalg_tree

    return genalg_tree(args.k, args.L).instance


def _hilbert_gap(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset.worst_cases import hilbert_gap

    return hilbert_gap(args.N).instance


def _dragonfly(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset.graph_generators import dragonfly

    return dragonfly(args.a, args.p, args.h, args.k, args.free, seed)


def _fat_tree(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset.graph_generators import fat_tree

    return fat_tree(args.radix, args.k, args.free, seed)


def _hypercube(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset.graph_generators import hypercube

    return hypercube(args.d, args.k, args.free, seed)


def _regular(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset.graph_generators import random_regular

    return random_regular(args.n, args.degree, args.k, args.free, seed)


def _graph(args: argparse.Namespace, seed: int) -> KSubset:
    from ..instances.ksubset.graph_generators import graph_file

    return graph_file(args.file, args.k, args.free, seed)

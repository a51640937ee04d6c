"""Families of k-subset instances, see `instances.families`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from .. import option_values as read
from ..families import (
    NETWORK,
    SEEDED,
    Family,
    K,
    optional,
    portion,
    required_parameter,
    sides,
)
from . import worst_cases
from .generators import (
    clustered_points,
    full,
    grey_pattern,
    random_cluster,
    random_occupancy,
    torus,
    uniform_points,
)
from .graph_generators import dragonfly, fat_tree, graph_file, hypercube, random_regular
from .instance import KSubset

_family = partial(Family, "ksubset")
_POINTS = (
    required_parameter("n", "number of points"),
    optional("d", "2", "dimension"),
    K,
    optional("size", "1000", "side of the cube"),
)
_DIMENSION = optional("d", "2", "dimension")
_EPS = optional("eps", "1/132", "between 0 and 1", read=read.fraction, metavar="A/B")


def _full(shape: Sequence[int], kind: str, k: int) -> KSubset:
    return full(kind, shape, k)


def _torus(shape: Sequence[int], k: int) -> KSubset:
    return torus(*shape, k=k)


def _case(make: Callable[..., worst_cases.WorstCase]) -> Callable[..., KSubset]:
    """Return a generator of the instance of a worst case."""
    return lambda **arguments: make(**arguments).instance


DRAWN = (
    _family(
        "full",
        "all processors of a network",
        _full,
        (*NETWORK, K),
        (
            "--shape 8x8 --k 9",
            "--shape 8x4 --kind grid:1 --k 5",
        ),
    ),
    _family(
        "torus",
        "all processors of a torus",
        _torus,
        (sides(), K),
        ("--shape 8x8 --k 9", "--shape 4x4x4 --k 12 --out tori"),
    ),
    _family(
        "grey",
        "cells of a torus to be spread evenly",
        grey_pattern,
        (replace(sides(), aliases={}), K),
        ("--shape 8x8 --k 13", "--shape 16x16 --k 92 --out grey"),
    ),
    _family(
        "random",
        "free processors drawn at random",
        random_occupancy,
        (*NETWORK, K, portion("free", "50%", "free processors"), *SEEDED),
        (
            "--shape 16x16 --k 32",
            "--shape 8x8 --kind torus --k 9 --free 75% --seed 7 --count 10",
        ),
    ),
)
"""Networks, with all processors or random ones free."""

_OCCUPIED = (K, portion("free", "100%", "free processors"), *SEEDED)

GRAPHS = (
    _family(
        "dragonfly",
        "hosts of a dragonfly",
        dragonfly,
        (
            optional("a", "8", "routers of a group"),
            optional("p", "4", "hosts of a router"),
            optional("h", "4", "links of a router to other groups"),
            *_OCCUPIED,
        ),
        ("--k 64", "--a 4 --p 2 --h 2 --k 10 --free 50% --seed 3"),
    ),
    _family(
        "fat-tree",
        "hosts of a fat-tree of switches",
        fat_tree,
        (optional("radix", "8", "ports of every switch, even"), *_OCCUPIED),
        ("--radix 16 --k 64", "--k 20 --free 50% --seed 1"),
    ),
    _family(
        "hypercube",
        "nodes of a hypercube",
        hypercube,
        (optional("d", "6", "dimensions"), *_OCCUPIED),
        ("--k 16", "--d 5 --k 6 --free 75% --seed 2"),
    ),
    _family(
        "k-cluster",
        "nodes of a random graph, close if an edge joins them",
        random_cluster,
        (
            required_parameter("n", "nodes"),
            optional("density", "50", "edges, in per cent of all pairs"),
            K,
            *SEEDED,
        ),
        ("--n 40 --k 10", "--n 60 --density 25 --k 15 --seed 1"),
    ),
    _family(
        "random-regular",
        "nodes of a random regular graph",
        random_regular,
        (
            required_parameter("n", "nodes"),
            optional("degree", "3", "links of every node"),
            *_OCCUPIED,
        ),
        ("--n 200 --k 10", "--n 60 --degree 4 --k 8 --seed 5 --count 3"),
    ),
    _family(
        "graph",
        "processors of a graph in a file",
        graph_file,
        (
            required_parameter(
                "file",
                ".graphml or .json",
                read=str,
                metavar="FILE",
                argument="path",
            ),
            *_OCCUPIED,
        ),
        ("--file fabric.graphml --k 8", "--file a.json --k 8 --free 50%"),
        description="processors of a graph in a GraphML or node-link JSON file",
    ),
)
"""Graphs: networks without coordinates."""

POINTS = (
    _family(
        "uniform",
        "points drawn uniformly",
        uniform_points,
        (*_POINTS, *SEEDED),
        ("--n 40 --k 8", "--n 40 --d 3 --k 8 --seed 1 --count 5"),
    ),
    _family(
        "clustered",
        "points drawn in clusters",
        clustered_points,
        (
            *_POINTS,
            optional("clusters", "5", "number of clusters"),
            optional("spread", "20", "standard deviation of a cluster"),
            *SEEDED,
        ),
        ("--n 40 --k 8", "--n 80 --k 8 --clusters 3 --spread 10"),
    ),
)
"""Points in space, drawn at random."""

WORST_CASES = (
    _family(
        "theorem1",
        "the worst case of mm, k a multiple of 4d",
        _case(worst_cases.theorem1),
        (_DIMENSION, K, _EPS),
        ("--k 8", "--d 3 --k 24 --eps 1/10"),
    ),
    _family(
        "median-decoys",
        "the worst case of mm for any k",
        _case(worst_cases.median_decoys),
        (_DIMENSION, K, _EPS),
        ("--k 11", "--k 11 --eps 0.01"),
    ),
    _family(
        "mm-distinct",
        "a bad case of mm, no point twice",
        _case(worst_cases.mm_distinct),
        (optional("L", "555", "distance of the squares"),),
        ("--L 20", "--out worst"),
    ),
    _family(
        "mm-blocks",
        "the same for k any multiple of 8",
        _case(worst_cases.mm_blocks),
        (K, optional("L", "1000", "gap between the blocks")),
        ("--k 16", "--k 16 --L 40"),
    ),
    _family(
        "ring-gap",
        "a bad case of ring-window",
        _case(worst_cases.ring_gap),
        (optional("s", "1", "scale; 1 is a ring of 46"),),
        ("--s 2", "--out worst"),
    ),
    _family(
        "mc1x1-worst",
        "the worst case of mc1x1",
        _case(worst_cases.mc1x1_family),
        (K, optional("r", "1000", "distance of the halves"), _DIMENSION),
        ("--k 8", "--k 8 --r 50 --d 3"),
    ),
    _family(
        "genalg",
        "the worst case of mm-free, k = 3",
        _case(worst_cases.genalg),
        (optional("L", "100", "distance from the centre"),),
        ("--L 20", "--out worst"),
    ),
    _family(
        "genalg-tree",
        "the worst case of mm-free",
        _case(worst_cases.genalg_tree),
        (K, optional("L", "100", "distance from the root")),
        ("--k 4", "--k 4 --L 50"),
    ),
    _family(
        "hilbert-gap",
        "a bad case of hilbert/best-fit, k = 2",
        _case(worst_cases.hilbert_gap),
        (optional("N", "16", "side of the mesh, a power of two"),),
        ("--N 8", "--out worst"),
    ),
)
"""Instances on which a method has the worst ratio known."""

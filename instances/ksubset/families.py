"""Families of k-subset instances, see `instances.families`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .. import option_values as read
from ..families import NETWORK, SEEDED, Family, K, optional, portion, required, sides
from . import worst_cases
from .generators import (
    clustered_points,
    mesh,
    random_occupancy,
    torus,
    tree,
    uniform_points,
)
from .graph_generators import (
    dragonfly,
    fat_tree,
    graph_file,
    hypercube,
    random_regular,
)
from .instance import KSubset

_POINTS = (
    required("n", "number of points"),
    optional("d", "2", "dimension"),
    K,
    optional("size", "1000", "side of the cube"),
)
_DIMENSION = optional("d", "2", "dimension")
_EPS = optional("eps", "1/132", "between 0 and 1", read=read.fraction, metavar="A/B")


def _full(shape: Sequence[int], kind: str, k: int) -> KSubset:
    return {"mesh": mesh, "torus": torus, "tree": tree}[kind](*shape, k=k)


def _torus(shape: Sequence[int], k: int) -> KSubset:
    return torus(*shape, k=k)


def _theorem1(d: int, k: int, eps: Fraction) -> KSubset:
    return worst_cases.theorem1(d, k, eps).instance


def _median_decoys(d: int, k: int, eps: Fraction) -> KSubset:
    return worst_cases.median_decoys(d, k, eps).instance


def _mm_distinct(L: int) -> KSubset:
    return worst_cases.mm_distinct(L).instance


def _mm_blocks(k: int, L: int) -> KSubset:
    return worst_cases.mm_blocks(k, L).instance


def _ring_gap(s: int) -> KSubset:
    return worst_cases.ring_gap(s).instance


def _mc1x1(k: int, r: int, d: int) -> KSubset:
    return worst_cases.mc1x1_family(k, r, d).instance


def _genalg(L: int) -> KSubset:
    return worst_cases.genalg(L).instance


def _genalg_tree(k: int, L: int) -> KSubset:
    return worst_cases.genalg_tree(k, L).instance


def _hilbert_gap(N: int) -> KSubset:
    return worst_cases.hilbert_gap(N).instance


DRAWN = (
    Family(
        name="full",
        problem="ksubset",
        summary="all processors of a network",
        make=_full,
        parameters=(*NETWORK, K),
        examples=("--shape 8x8 --k 9", "--shape 2x3 --kind tree --k 5"),
    ),
    Family(
        name="torus",
        problem="ksubset",
        summary="all processors of a torus",
        make=_torus,
        parameters=(sides(), K),
        examples=("--shape 8x8 --k 9", "--shape 4x4x4 --k 12 --out tori"),
    ),
    Family(
        name="random",
        problem="ksubset",
        summary="free processors drawn at random",
        make=random_occupancy,
        parameters=(*NETWORK, K, portion("free", "50%", "free processors"), *SEEDED),
        examples=(
            "--shape 16x16 --k 32",
            "--shape 8x8 --kind torus --k 9 --free 75% --seed 7 --count 10",
        ),
    ),
)
"""Networks, with all processors or random ones free."""

_OCCUPIED = (K, portion("free", "100%", "free processors"), *SEEDED)

GRAPHS = (
    Family(
        name="dragonfly",
        problem="ksubset",
        summary="hosts of a dragonfly",
        make=dragonfly,
        parameters=(
            optional("a", "8", "routers of a group"),
            optional("p", "4", "hosts of a router"),
            optional("h", "4", "links of a router to other groups"),
            *_OCCUPIED,
        ),
        examples=("--k 64", "--a 4 --p 2 --h 2 --k 10 --free 50% --seed 3"),
    ),
    Family(
        name="fat-tree",
        problem="ksubset",
        summary="hosts of a fat-tree of switches",
        make=fat_tree,
        parameters=(optional("radix", "8", "ports of every switch, even"), *_OCCUPIED),
        examples=("--radix 16 --k 64", "--k 20 --free 50% --seed 1"),
    ),
    Family(
        name="hypercube",
        problem="ksubset",
        summary="nodes of a hypercube",
        make=hypercube,
        parameters=(optional("d", "6", "dimensions"), *_OCCUPIED),
        examples=("--k 16", "--d 5 --k 6 --free 75% --seed 2"),
    ),
    Family(
        name="random-regular",
        problem="ksubset",
        summary="nodes of a random regular graph",
        make=random_regular,
        parameters=(
            required("n", "nodes"),
            optional("degree", "3", "links of every node"),
            *_OCCUPIED,
        ),
        examples=("--n 200 --k 10", "--n 60 --degree 4 --k 8 --seed 5 --count 3"),
    ),
    Family(
        name="graph",
        problem="ksubset",
        summary="processors of a graph in a file",
        description="processors of a graph in a GraphML, GML or node-link JSON file",
        make=graph_file,
        parameters=(
            required(
                "file",
                ".graphml, .gml or .json",
                read=str,
                metavar="FILE",
                argument="path",
            ),
            *_OCCUPIED,
        ),
        examples=("--file fabric.graphml --k 8", "--file a.gml --k 8 --free 50%"),
    ),
)
"""Graphs: networks without coordinates."""

POINTS = (
    Family(
        name="uniform",
        problem="ksubset",
        summary="points drawn uniformly",
        make=uniform_points,
        parameters=(*_POINTS, *SEEDED),
        examples=("--n 40 --k 8", "--n 40 --d 3 --k 8 --seed 1 --count 5"),
    ),
    Family(
        name="clustered",
        problem="ksubset",
        summary="points drawn in clusters",
        make=clustered_points,
        parameters=(
            *_POINTS,
            optional("clusters", "5", "number of clusters"),
            optional("spread", "20", "standard deviation of a cluster"),
            *SEEDED,
        ),
        examples=("--n 40 --k 8", "--n 80 --k 8 --clusters 3 --spread 10"),
    ),
)
"""Points in space, drawn at random."""

WORST_CASES = (
    Family(
        name="theorem1",
        problem="ksubset",
        summary="the worst case of mm, k a multiple of 4d",
        make=_theorem1,
        parameters=(_DIMENSION, K, _EPS),
        examples=("--k 8", "--d 3 --k 24 --eps 1/10"),
    ),
    Family(
        name="median-decoys",
        problem="ksubset",
        summary="the worst case of mm for any k",
        make=_median_decoys,
        parameters=(_DIMENSION, K, _EPS),
        examples=("--k 11", "--k 11 --eps 0.01"),
    ),
    Family(
        name="mm-distinct",
        problem="ksubset",
        summary="a bad case of mm, no point twice",
        make=_mm_distinct,
        parameters=(optional("L", "555", "distance of the squares"),),
        examples=("--L 20", "--out worst"),
    ),
    Family(
        name="mm-blocks",
        problem="ksubset",
        summary="the same for k any multiple of 8",
        make=_mm_blocks,
        parameters=(K, optional("L", "1000", "gap between the blocks")),
        examples=("--k 16", "--k 16 --L 40"),
    ),
    Family(
        name="ring-gap",
        problem="ksubset",
        summary="a bad case of ring-window",
        make=_ring_gap,
        parameters=(optional("s", "1", "scale; 1 is a ring of 46"),),
        examples=("--s 2", "--out worst"),
    ),
    Family(
        name="mc1x1-worst",
        problem="ksubset",
        summary="the worst case of mc1x1",
        make=_mc1x1,
        parameters=(K, optional("r", "1000", "distance of the halves"), _DIMENSION),
        examples=("--k 8", "--k 8 --r 50 --d 3"),
    ),
    Family(
        name="genalg",
        problem="ksubset",
        summary="the worst case of mm-free, k = 3",
        make=_genalg,
        parameters=(optional("L", "100", "distance from the centre"),),
        examples=("--L 20", "--out worst"),
    ),
    Family(
        name="genalg-tree",
        problem="ksubset",
        summary="the worst case of mm-free",
        make=_genalg_tree,
        parameters=(K, optional("L", "100", "distance from the root")),
        examples=("--k 4", "--k 4 --L 50"),
    ),
    Family(
        name="hilbert-gap",
        problem="ksubset",
        summary="a bad case of hilbert/best-fit, k = 2",
        make=_hilbert_gap,
        parameters=(optional("N", "16", "side of the mesh, a power of two"),),
        examples=("--N 8", "--out worst"),
    ),
)
"""Instances on which a method has the worst ratio known."""

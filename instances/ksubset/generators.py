"""Generators of k-subset instances, which store their seed.

Equal arguments give equal instances; name and source contain the arguments. Random
numbers are those of ``numpy.random.default_rng(seed)``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod

import numpy as np

from ..errors import InputError
from ..option_values import network_kind
from ..reading.numbers import at_least, at_most, positive
from ..topologies import MOST_PROCESSORS, MOST_ROWS, Distances, Grid, Points, Topology
from ..topologies.grid import grid_shape
from ..topologies.topology import BY_SIDES
from ..value import LARGEST
from .edge_lists import densest
from .instance import KSubset
from .instance import mesh as mesh


def torus(*shape: int, k: int) -> KSubset:
    """Return an empty torus, all of whose processors are free.

    >>> torus(4, 3, k=5).name
    '4x3-torus-full-k5'
    """
    return full("torus", shape, k)


def tree(*fanout: int, k: int) -> KSubset:
    """Return an empty switch hierarchy, all of whose leaves are free; links cost 1.

    The root has ``fanout[0]`` children, each of these ``fanout[1]``, and so on; the
    processors are the leaves. A fat-tree has the same distances.

    >>> instance = tree(2, 3, k=4)
    >>> instance.n, instance.topology.distance((3,), (8,))
    (6, 4)
    """
    return full("tree", fanout, k)


def free_count(free: int | Fraction, places: int, what: str = "processors") -> int:
    """Return how many places are to be free, given as a count or a share of all.

    Raises InputError for none, and for more than there are.
    """
    wanted = free * places if isinstance(free, Fraction) else free
    if not 1 <= int(wanted) <= wanted <= places:
        raise InputError(
            f"must leave between 1 and all {places} {what} free",
            "free",
            free if isinstance(free, int) else str(free),
        )
    return int(wanted)


def random_occupancy(
    shape: Sequence[int],
    k: int,
    free: int | Fraction,
    seed: int,
    *,
    kind: str = "mesh",
) -> KSubset:
    """Draw the free processors uniformly at random.

    ``free`` is a count, or a `Fraction` of all processors, rounded down. For a tree the
    shape consists of its fan-outs, see `tree`. Raises InputError if the arguments are
    invalid, in particular if k exceeds the free count.

    Examples
    --------
    >>> random_occupancy((4, 4), 3, Fraction(1, 2), seed=7).name
    '4x4-random-50pct-k3-s7'
    """
    network = network_of(kind, shape)
    places = list(network.locations())
    count = free_count(free, len(places))
    drawn = generator(seed).permutation(len(places))[:count]
    at = network_text(kind, shape)
    return KSubset(
        f"{at}-random-{share_text(free)}-k{k}-s{seed}",
        network,
        tuple(places[i] for i in drawn),
        k,
        source=f"random occupancy: {at}, {count} of {len(places)} free",
        seed=seed,
    )


def uniform_points(n: int, d: int, k: int, seed: int, size: int = 1000) -> KSubset:
    """Draw n points with integer coordinates in a cube; points may repeat.

    Coordinates are uniform in 0, …, size - 1. Raises InputError if the arguments are
    invalid.

    Examples
    --------
    >>> uniform_points(20, 3, k=5, seed=1).topology.dimension
    3
    """
    _positive(n=n, d=d, size=size)
    _not_too_many(n, d)
    return _cloud(
        generator(seed).integers(0, size, (n, d)).tolist(),
        f"uniform-n{n}-d{d}-size{size}-k{k}-s{seed}",
        k,
        f"uniform points: n = {n}, d = {d}, size = {size}",
        seed,
    )


def clustered_points(
    n: int,
    d: int,
    k: int,
    seed: int,
    clusters: int = 5,
    spread: int = 20,
    size: int = 1000,
) -> KSubset:
    """Draw n points around random centres; points may repeat.

    Centres are drawn as in `uniform_points`. Every point has a random centre and a
    normal deviation from it on every axis, rounded to an integer. ``spread`` is the
    standard deviation on every axis. Raises InputError if the arguments are invalid.

    Examples
    --------
    >>> clustered_points(30, 2, k=5, seed=1, clusters=3).n
    30
    """
    _positive(n=n, d=d, clusters=clusters, size=size)
    _not_too_many(max(n, clusters), d)
    if not 0 <= spread <= size:
        raise InputError("must lie between 0 and the size", "spread", spread)
    draw = generator(seed)
    centres = draw.integers(0, size, (clusters, d))
    offsets = np.rint(draw.normal(0, spread, (n, d))).astype(np.int64)
    points = centres[draw.integers(0, clusters, n)] + offsets
    return _cloud(
        points.tolist(),
        f"clustered-n{n}-d{d}-c{clusters}-spread{spread}-size{size}-k{k}-s{seed}",
        k,
        f"clustered points: n = {n}, d = {d}, {clusters} clusters, "
        f"spread = {spread}, size = {size}",
        seed,
    )


def grey_pattern(shape: Sequence[int], k: int) -> KSubset:
    """Return a table in which near cells of a torus are far: spread k cells evenly.

    Two cells that are e apart, in a straight line round the torus, cost 100,000 / e²,
    rounded to the nearest integer. The optimum is the best grey pattern of density k/n
    (Taillard 1995): 8x8 cells with k = 13 are his instance 64c, 16x16 with k = 92 are
    256c, both of whose costs count every pair twice.

    >>> grey_pattern((8, 8), 13).topology.distance((0,), (63,))
    50000
    """
    sides = grid_shape(shape)
    if prod(sides) > MOST_ROWS:
        raise InputError(f"must have at most {MOST_ROWS} cells", "shape", prod(sides))
    cells = np.array([*product(*map(range, sides))])
    steps = np.abs(cells[:, None] - cells[None])
    squares = (np.minimum(steps, sides - steps) ** 2).sum(axis=-1)
    rows = np.where(squares, (200_000 + squares) // np.maximum(2 * squares, 1), 0)
    table = Distances(rows.tolist())
    size = "x".join(map(str, sides))
    places, source = tuple(table.locations()), f"grey pattern of {size} cells"
    return KSubset(f"{size}-grey-k{k}", table, places, k, source=source)


def random_cluster(n: int, k: int, seed: int, density: int = 50) -> KSubset:
    """Draw a graph of n nodes; k are wanted with the most edges among them.

    Each edge is there with a probability of ``density`` per cent.

    >>> random_cluster(40, 10, seed=1).name
    'cluster-n40-d50-k10-s1'
    """
    positive(n=n)
    at_most(n, MOST_ROWS, "n")
    draw = generator(seed)
    pairs = combinations(range(n), 2)
    edges = [pair for pair in pairs if draw.random() < density / 100]
    name = f"cluster-n{n}-d{density}-k{k}-s{seed}"
    source = f"edges with probability {density} %, drawn independently"
    return densest(name, n, edges, k, source, seed)


def network_of(kind: str, shape: Sequence[int]) -> Topology:
    """Build a grid or a switch tree from its sides or fan-outs.

    >>> network_of("grid:1", (8, 4))
    Grid((8, 4), rings=(True, False))
    """
    if make := BY_SIDES.get(kind):
        return make(shape)
    try:
        axes = network_kind(kind).partition(":")[2]
    except InputError as error:
        raise InputError(error.problem, "kind") from None
    rings = {int(axis) for axis in axes.split(",")}
    if max(rings) > len(shape):
        raise InputError(f"has {len(shape)} axes", "kind", kind)
    return Grid(shape, [axis in rings for axis in range(1, len(shape) + 1)])


def network_text(kind: str, shape: Sequence[int]) -> str:
    """Name a network: ``16x16`` for a mesh, ``16x16-torus``, ``8x4-grid-1``."""
    return f"{shape_text(shape)}-{re.sub('[:,]', '-', kind)}".removesuffix("-mesh")


def full(kind: str, shape: Sequence[int], k: int) -> KSubset:
    """Return an empty network of a kind; see `network_of`."""
    network, name = network_of(kind, shape), network_text(kind, shape)
    places, source = tuple(network.locations()), f"full {kind}"
    return KSubset(f"{name}-full-k{k}", network, places, k, source=source)


def shape_text(shape: Sequence[int]) -> str:
    """Write sides with ``x`` between them.

    >>> shape_text((16, 22))
    '16x22'
    """
    return "x".join(map(str, shape))


def share_text(share: int | Fraction) -> str:
    """Write a count or a share for use in file names.

    >>> share_text(Fraction(1, 2)), share_text(Fraction(1, 8)), share_text(40)
    ('50pct', '12.5pct', '40free')
    """
    if not isinstance(share, Fraction):
        return f"{share}free"
    percent = 100 * share
    if percent.denominator == 1:
        return f"{percent}pct"
    if 10**6 % percent.denominator == 0:
        return f"{float(percent)!r}pct"
    return f"{share.numerator}of{share.denominator}"


def generator(seed: int) -> np.random.Generator:
    """Return numpy's default generator for a seed.

    Raises InputError if the seed is negative.
    """
    at_least(seed, 0, "seed")
    return np.random.default_rng(seed)


def _cloud(rows: list[list[int]], name: str, k: int, source: str, seed: int) -> KSubset:
    points = tuple(map(tuple, rows))
    return KSubset(name, Points(points), points, k, source=source, seed=seed)


def _not_too_many(n: int, d: int) -> None:
    if n * d > MOST_PROCESSORS:
        raise InputError("must be at most 2^24 divided by d", "n", n)


def _positive(**numbers: int) -> None:
    positive(**numbers)
    for field, value in numbers.items():
        if value >= LARGEST:
            raise InputError("must be smaller than 2^62", field, value)

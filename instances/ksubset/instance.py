"""The k-subset problem: choose k free processors with the least sum of distances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, reduce
from itertools import accumulate, chain, combinations
from operator import or_

import numpy as np

from ..decimals import unscaled
from ..errors import InputError
from ..features import Features
from ..numbers import at_least
from ..topologies import Graph, IntArray, Mesh, Points, Site, Topology, Torus, Tree
from ..topologies.cuts import Cuts
from ..value import LARGEST
from ..visible import brief

_LARGEST_PAIRWISE = 8
"""Largest k for which the cost is summed pair by pair instead of axis by axis."""
_LARGEST_TREE = 256
"""The same for trees, where it limits k and the number of nodes."""


@dataclass(frozen=True)
class KSubset:
    """Free processors of a network and how many of them to choose.

    Parameters
    ----------
    name
        Unique among the instances of a report.
    topology
        The network.
    free
        Sites of the free processors; sorted on construction, so that indices have the
        order of coordinates, which breaks ties. On a ``Points`` topology a site may
        occur as often as there.
    k
        Number of processors to choose, 1 ≤ k ≤ n.
    source
        Description of its origin.
    seed
        Seed of its generator; None if it was not generated.

    Raises
    ------
    InputError
        If a site is not in the topology or is listed too often, k is out of range, or a
        sum of distances could reach 2^62.
    """

    name: str
    topology: Topology
    free: tuple[Site, ...]
    k: int
    source: str = ""
    seed: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "free", tuple(sorted(self.free)))
        if not _clearly_valid(self.topology, self.free):
            _refuse_strangers(self.topology, self.free, "free")
        at_least(self.k, 1, "k")
        if self.k > self.n:
            raise InputError(
                f"must be at most the number of free processors ({self.n})", "k", self.k
            )
        spread = self.topology.spread(self.points)
        if 2 * spread * max(self.k, 2) ** 2 >= LARGEST:
            problem = (
                f"sums of distances need more than 62 bits (k = {self.k}, "
                f"largest distance up to {spread})"
            )
            if self.topology.scale > 1:
                problem += ": fewer digits, as in ck.Points(array, digits=3)"
            raise InputError(problem, "topology")

    def __repr__(self) -> str:
        return brief("KSubset", described(self), self.name)

    @property
    def n(self) -> int:
        """Number of free processors."""
        return len(self.free)

    @cached_property
    def names(self) -> tuple[Hashable, ...]:
        """What users call the free processors, in the order of their indices.

        On a graph of networkx its nodes, on another graph with names these, on a tree
        the numbers of the nodes, elsewhere the coordinates.
        """
        topology = self.topology
        if isinstance(topology, Tree | Graph):
            return tuple(topology.labels[v] for (v,) in self.free)
        if topology.scale == 1:
            return self.free
        unit = Decimal(1) / topology.scale
        return tuple(tuple(unscaled(x, unit) for x in site) for site in self.free)

    @cached_property
    def points(self) -> IntArray:
        """The free sites as a read-only array, shape (n, dimension)."""
        points = _array(self.free)
        points.setflags(write=False)
        return points

    @cached_property
    def hops(self) -> IntArray:
        """Distances between all free sites, read-only, shape (n, n)."""
        hops = self.topology.distances(self.points[:, None], self.points[None])
        hops.setflags(write=False)
        return hops

    @property
    def has_cuts(self) -> bool:
        """Whether the distances are sums of cuts that are known; see `Graph`."""
        topology = self.topology
        return not isinstance(topology, Graph) or topology.embedding is not None

    @cached_property
    def cuts(self) -> Cuts:
        """The weighted cuts whose sum is the distance of any two free sites."""
        return self.topology.cuts(self.points)


def _array(sites: Sequence[Site]) -> IntArray:
    """Return sites as an array, several times faster than ``np.array``."""
    d = len(sites[0])
    numbers = np.fromiter(chain.from_iterable(sites), np.int64, len(sites) * d)
    return numbers.reshape(len(sites), d)


def _clearly_valid(topology: Topology, sites: Sequence[Site]) -> bool:
    """Whether these sorted sites are distinct and on the grid; fast for millions."""
    if not isinstance(topology, Mesh | Torus) or not sites:
        return False
    if set(map(len, sites)) != {topology.dimension}:
        return False
    try:
        points = _array(sites)
    except (OverflowError, TypeError, ValueError):
        return False
    if (points.min(axis=0) < 0).any() or (points.max(axis=0) >= topology.shape).any():
        return False
    return bool((points[1:] != points[:-1]).any(axis=1).all())


def _refuse_strangers(topology: Topology, sites: Sequence[Site], field: str) -> None:
    """Raise InputError for a site that does not exist, or not that often."""
    if isinstance(topology, Points | Tree | Graph):
        there = Counter(topology.locations())
        for site, times in Counter(sites).items():
            if times > there[site]:
                problem = "listed too often" if site in there else "no such processor"
                raise InputError(problem, f"{field}[{sites.index(site)}]", list(site))
        return
    shape = topology.shape  # type: ignore[attr-defined]
    previous: Site | None = None
    for i, site in enumerate(sites):
        if len(site) != len(shape):
            raise InputError(
                f"must have {len(shape)} coordinates", f"{field}[{i}]", list(site)
            )
        for x, side in zip(site, shape, strict=True):
            if not 0 <= x < side:
                raise InputError(
                    f"lies outside the {topology.kind}", f"{field}[{i}]", list(site)
                )
        if site == previous:
            raise InputError("listed twice", f"{field}[{i}]", list(site))
        previous = site


def check(instance: KSubset, chosen: Collection[int]) -> list[str]:
    """List the errors of a choice of free processors, by index.

    >>> from closeknit.instances import mesh
    >>> check(mesh(2, 2, k=2), [0, 4])
    ['no free processor 4']
    """
    wrong = [f"no free processor {i}" for i in chosen if not 0 <= i < instance.n]
    if len(set(chosen)) < len(chosen):
        wrong.append("a processor is chosen twice")
    if len(chosen) != instance.k:
        wrong.append(f"{len(chosen)} processors chosen, not {instance.k}")
    return wrong


def cost(instance: KSubset, chosen: Collection[int]) -> int:
    """Sum of the distances of all unordered pairs, in hops (times the scale).

    Follows the definition, without arrays; shares no code with the models and
    heuristics that it checks. O(k²) distances up to k = 8; beyond, the same sum axis by
    axis, O(k log k). On a tree pair by pair up to k = 256 and as many nodes; beyond,
    edge by edge. On a graph pair by pair, from shortest paths; beyond k = 8, from all
    processors at once where all links have one length and the paths few.

    >>> from closeknit.instances import mesh
    >>> cost(mesh(2, 2, k=4), [0, 1, 2, 3])  # four sides of 1, two diagonals of 2
    8
    """
    sites = [instance.free[i] for i in chosen]
    topology = instance.topology
    many = len(sites) > _LARGEST_PAIRWISE
    if isinstance(topology, Graph):
        nodes = [v for (v,) in sites]
        found = _cost_by_levels(topology, nodes) if many else None
        return _cost_by_walks(topology, nodes) if found is None else found
    if isinstance(topology, Tree):
        many = max(len(sites), len(topology.parent)) > _LARGEST_TREE
    if many:
        return _cost_by_axis(topology, sites)
    distance = topology.distance
    return sum(distance(p, q) for p, q in combinations(sites, 2))


def _cost_by_levels(graph: Graph, nodes: Sequence[int]) -> int | None:
    """Sum the shortest paths of all pairs, link by link from all nodes at once.

    A pair is counted at each length that its path exceeds. None if the links have
    different lengths, or a path has more links than there are nodes to walk from.
    """
    lengths = {weight for _, _, weight in graph.edges}
    if len(lengths) != 1:
        return None
    known = [0] * graph.nodes  # bit i: node i of these is at most so many links away
    for i, v in enumerate(nodes):
        known[v] |= 1 << i
    ahead = [[u for u, _ in some] for some in graph.neighbours]
    total = 0
    for _ in nodes:
        apart = sum(len(nodes) - known[v].bit_count() for v in nodes)
        if not apart:
            return lengths.pop() * total // 2  # each pair was seen from both ends
        total += apart
        before = known
        known = [
            reduce(or_, map(before.__getitem__, others), before[v])
            for v, others in enumerate(ahead)
        ]
    return None


def _cost_by_walks(graph: Graph, nodes: Sequence[int]) -> int:
    """Sum the shortest paths of all pairs."""
    total = 0
    for i, v in enumerate(nodes):
        row, extra = graph.walked(v)
        total += extra * i + sum(row[u] for u in nodes[:i])
    return total


def _cost_by_axis(topology: Topology, sites: Sequence[Site]) -> int:
    """Sum the distances of all pairs without visiting every pair."""
    if isinstance(topology, Tree):
        return _cost_by_edge(topology, sites)
    total = 0
    for axis, values in enumerate(zip(*sites, strict=True)):
        if isinstance(topology, Torus):
            total += _cost_round(values, topology.shape[axis])
        else:
            last = len(values) - 1
            total += sum((2 * r - last) * x for r, x in enumerate(sorted(values)))
    return total


def _cost_round(values: Sequence[int], side: int) -> int:
    """Sum the distances of all pairs on a ring, each along the shorter arc."""
    x = sorted(values)
    before = [0, *accumulate(x)]
    total = far = 0
    for i, b in enumerate(x):
        while 2 * (b - x[far]) > side:
            far += 1
        total += (i - far) * b - (before[i] - before[far])
        total += far * (side - b) + before[far]
    return total


def _cost_by_edge(tree: Tree, sites: Sequence[Site]) -> int:
    """Sum the distances on a tree: each edge once per pair it separates."""
    below = [0] * len(tree.parent)
    for (v,) in sites:
        below[v] += 1
    total = 0
    for v in reversed(tree.order):
        if tree.parent[v] >= 0:
            total += tree.weight[v] * below[v] * (len(sites) - below[v])
            below[tree.parent[v]] += below[v]
    return total


def shape_of(instance: KSubset) -> tuple[int, ...]:
    """Return the sides of a grid, or the number of points or of nodes."""
    topology = instance.topology
    if isinstance(topology, Points):
        return (len(topology.coordinates),)
    if isinstance(topology, Tree):
        return (len(topology.parent),)
    if isinstance(topology, Graph):
        return (topology.nodes,)
    return tuple(topology.shape)  # type: ignore[attr-defined]


def locations(instance: KSubset) -> int:
    """Count the processors, free or busy."""
    if isinstance(instance.topology, Tree | Graph):
        return len(instance.topology.processors)
    total = 1
    for side in shape_of(instance):
        total *= side
    return total


def described(instance: KSubset) -> str:
    """Describe an instance in a few words.

    >>> from closeknit.instances import mesh
    >>> described(mesh(2, 3, k=2))
    '2×3 mesh, 6 of 6 processors free, k = 2'
    """
    shape = shape_of(instance)
    network = {
        "points": f"{shape[0]} points in {instance.topology.dimension}-D",
        "tree": f"tree of {shape[0]} nodes",
        "graph": f"graph of {shape[0]} nodes",
    }.get(instance.topology.kind)
    if network is None:
        network = f"{'×'.join(map(str, shape))} {instance.topology.kind}"
    scale = instance.topology.scale
    return (
        f"{network}, {instance.n} of {locations(instance)} processors free, "
        f"k = {instance.k}" + f", costs in units of 1/{scale}" * (scale > 1)
    )


def features(instance: KSubset) -> Features:
    """Return what tables say about the instance."""
    topology = instance.topology
    return Features(
        structure=topology.kind,
        shape=shape_of(instance),
        n=instance.n,
        k=instance.k,
        d=topology.dimension,
        locations=locations(instance),
    )

"""Networks and k-subsets as arrays of numpy, for heuristics, models and searches.

The types of `instances` are plain, for they are what checks of proofs rest on, and
import the standard library only. What is computed here for an instance or a network is
kept by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce, wraps
from itertools import chain
from operator import iadd
from typing import Any, TypeVar

import numpy as np

from ..ksubset.instance import KSubset
from ..submesh import Box, corner, sides
from ..topologies import Graph, Site, Topology, Tree
from ..topologies import cuts as plain
from ..topologies.metric_cuts import Embedding
from . import graphs
from .graphs import BoolArray as BoolArray
from .graphs import IntArray as IntArray

T = TypeVar("T")
F = TypeVar("F", bound=Callable[[Any], Any])
_MOST_OF_TRIANGLES = 1024


def _kept(compute: F) -> F:
    """Let the argument of a function keep the result."""
    key = f"_{compute.__name__}_as_arrays"

    @wraps(compute)
    def found(owner: Any) -> Any:
        there: dict[str, Any] = vars(owner)
        if key not in there:
            there[key] = compute(owner)
        return there[key]

    return found  # type: ignore[return-value]


# k-subsets


@_kept
def points(instance: KSubset) -> IntArray:
    """Return the free sites, read-only, shape (n, dimension)."""
    found = sites_array(instance.free)
    found.setflags(write=False)
    return found


@_kept
def hops(instance: KSubset) -> IntArray:
    """Return the distances between all free sites, read-only, shape (n, n)."""
    sites = points(instance)
    found = np.array(distances(instance.topology, sites[:, None], sites[None]))
    np.fill_diagonal(found, 0)
    found.setflags(write=False)
    return found


def has_cuts(instance: KSubset) -> bool:
    """Whether the distances are sums of cuts that are known; see `Graph`."""
    graph = instance.topology.graph
    return instance.topology.has_cuts if graph is None else embedding(graph) is not None


@_kept
def cuts(instance: KSubset) -> CutArrays:
    """Return the weighted cuts whose sum is the distance of any two free sites."""
    graph = instance.topology.graph
    found = embedding(graph) if graph else None
    if graph is None or found is None:
        return CutArrays.of(instance.topology.cuts(instance.free))
    return CutArrays.of(found.cuts([graph.number[v] for (v,) in instance.free]))


def sites_array(sites: Sequence[Site]) -> IntArray:
    """Return sites as an array, several times faster than ``np.array``."""
    d = len(sites[0])
    numbers = np.fromiter(chain.from_iterable(sites), np.int64, len(sites) * d)
    return numbers.reshape(len(sites), d)


@dataclass(frozen=True)
class CutArrays:
    """The cuts of a set of n sites as read-only arrays; fields as of the plain ones."""

    weights: IntArray
    axis: IntArray
    start: IntArray
    stop: IntArray
    """Shape (m,)."""
    position: IntArray
    """Shape (n, axes)."""
    parent: IntArray
    """Shape (m,)."""
    denominator: int

    @classmethod
    def of(cls, given: plain.Cuts) -> CutArrays:
        """Convert cuts."""
        columns = (given.weights, given.axis, given.start, given.stop, given.parent)
        weights, axis, start, stop, parent = np.array(columns, dtype=np.int64)
        position = sites_array(given.position)
        return cls(weights, axis, start, stop, position, parent, given.denominator)

    def __post_init__(self) -> None:
        for array in (
            *(self.weights, self.axis, self.start, self.stop),
            *(self.position, self.parent),
        ):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.weights)

    @cached_property
    def sides(self) -> BoolArray:
        """Whether a site lies inside a cut, read-only, shape (m, n)."""
        along = self.position.T[self.axis]
        sides: BoolArray = (self.start[:, None] <= along) & (along < self.stop[:, None])
        sides.setflags(write=False)
        return sides


# networks


def distances(topology: Topology, p: IntArray, q: IntArray) -> IntArray:
    """Hops between rows of two arrays of sites (broadcast over leading axes)."""
    if (rings := topology.ring_lengths) is not None:
        steps = (np.abs(a - b) for a, b in _axes(p, q))
        ways = zip(steps, rings, strict=True)
        return reduce(iadd, (np.minimum(s, n - s) if n else s for s, n in ways))
    if topology.graph:
        u, v = p[..., 0], q[..., 0]
        number = _numbers(topology.graph)
        if (number[u] < 0).any():
            u, v = v, u
        between: IntArray = table(topology.graph)[number[u], v]
        return between
    if topology.table is not None:
        entries: IntArray = _table_of(topology)[p[..., 0], q[..., 0]]
        return entries
    if topology.prices is not None:
        network, price = topology.prices
        paid: IntArray = np.array(price, dtype=np.int64)[distances(network, p, q)]
        return paid
    p, q = np.broadcast_arrays(p, q)
    if topology.tree:
        return _on_tree(topology.tree, p, q)
    rows = p.reshape(-1, topology.dimension).tolist()
    others = q.reshape(-1, topology.dimension).tolist()
    pairs = zip(map(tuple, rows), map(tuple, others), strict=True)
    found = [topology.distance(a, b) for a, b in pairs]
    return np.array(found, dtype=np.int64).reshape(p.shape[:-1])


def _axes(p: IntArray, q: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the coordinates along each axis; numpy sums short rows slowly."""
    return ((p[..., a], q[..., a]) for a in range(p.shape[-1]))


def _on_tree(tree: Tree, p: IntArray, q: IntArray) -> IntArray:
    """Path lengths between nodes, from the cuts of the sites."""
    nodes, place = np.unique(np.concatenate([p, q]), return_inverse=True)
    separated = CutArrays.of(tree.cuts([(v,) for v in nodes.tolist()]))
    u, v = place.reshape(2, -1)
    lengths = np.zeros(u.size, dtype=np.int64)
    for weight, side in zip(separated.weights, separated.sides, strict=True):
        lengths += weight * (side[u] != side[v])
    return lengths.reshape(p.shape[:-1])


def tree_of(instance: KSubset) -> tuple[Tree, IntArray, int] | None:
    """Return a tree with the distances, the nodes of the free sites, and its unit.

    The distances are those on the tree, divided by the unit; None if there is none.
    """
    topology = instance.topology
    if topology.tree:
        return topology.tree, points(instance)[:, 0], 1
    graph = topology.graph
    if graph is None or not (found := embedding(graph)) or not found.is_tree:
        return None
    leaf = np.array(found.leaf, dtype=np.int64)
    nodes = leaf[_numbers(graph)[points(instance)[:, 0]]]
    return _found_tree(graph), nodes, 2


def is_metric(topology: Topology) -> bool:
    """Whether no distance is longer than the way over a third site; else not known."""
    return topology.is_metric or _obeys_triangles(topology)


@_kept
def _table_of(topology: Topology) -> IntArray:
    return np.array(topology.table, dtype=np.int64)


@_kept
def _obeys_triangles(topology: Topology) -> bool:
    if topology.together or topology.processors_in_all > _MOST_OF_TRIANGLES:
        return False
    sites = sites_array(list(topology.locations()))
    far = distances(topology, sites[:, None], sites[None])
    return all((far <= far[:, [via]] + far[via]).all() for via in range(len(far)))


# graphs


@_kept
def table(graph: Graph) -> IntArray:
    """Return the distances from every processor to every node, read-only."""
    return graphs.table_of(graph)


@_kept
def embedding(graph: Graph) -> Embedding | None:
    """Return cuts whose sums are the distances of the processors; None if not found."""
    return graphs.embedding_of(graph, table(graph))


@_kept
def _numbers(graph: Graph) -> IntArray:
    """Return the index of the processor at each node, or -1."""
    number = np.full(graph.nodes, -1, dtype=np.int64)
    number[list(graph.processors)] = np.arange(len(graph.processors))
    return number


@_kept
def _found_tree(graph: Graph) -> Tree:
    found = embedding(graph)
    assert found is not None
    return Tree(found.parent, found.weight, found.leaf)


def rank(coordinates: IntArray) -> tuple[IntArray, IntArray]:
    """Return the distinct coordinates, ascending, and the rank of each coordinate.

    Like ``numpy.unique``, but without sorting if the coordinates span a short range.

    >>> values, ranks = rank(np.array([7, 5, 5, 9]))
    >>> values.tolist(), ranks.tolist()
    ([5, 7, 9], [1, 0, 0, 2])
    """
    low = int(coordinates.min())
    span = int(coordinates.max()) - low + 1
    if span > len(coordinates):
        values, ranks = np.unique(coordinates, return_inverse=True)
        return values, ranks
    shifted = coordinates - low
    there = np.bincount(shifted, minlength=span) > 0
    return np.flatnonzero(there) + low, (np.cumsum(there) - 1)[shifted]


# boxes


def cells(shape: Sequence[int], box: Box) -> tuple[IntArray, ...]:
    """Return the processors of a box as an index; it may wrap round a torus."""
    lies = zip(corner(box), sides(box), shape, strict=True)
    return np.ix_(*(np.arange(low, low + length) % n for low, length, n in lies))

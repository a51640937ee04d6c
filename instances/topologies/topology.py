"""Networks: where processors are and how many hops lie between them.

Every topology measures distance as a weighted sum of cuts (see ``cuts``). What
differs between mesh, torus, points and tree is data, so that models, bounds and
searches are written once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from math import prod
from operator import iadd
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..value import LARGEST
from .cuts import Cuts, interval_cuts, ring_cuts, subtree_cuts

Site = tuple[int, ...]
"""Where a processor is: coordinates, or for a tree the number of its node."""

IntArray = npt.NDArray[np.int64]

MOST_PROCESSORS = 2**24
"""A mesh or torus lists its processors; with more of them memory would run out."""


class Topology(Protocol):
    """A network: its places, their distances and the cuts that make them up."""

    @property
    def kind(self) -> str:
        """``mesh``, ``torus``, ``points`` or ``tree``, as in the files."""
        ...

    @property
    def dimension(self) -> int:
        """Number of coordinates of a site."""
        ...

    @property
    def scale(self) -> int:
        """Distances are given in units of 1/scale; 1 unless decimals were read."""
        ...

    def locations(self) -> Iterator[Site]:
        """All places where a processor is, in lexicographic order, with repeats."""
        ...

    def distance(self, p: Site, q: Site) -> int:
        """Hops between two sites, from the definition."""
        ...

    def distances(self, p: IntArray, q: IntArray) -> IntArray:
        """Hops between rows of two site arrays (broadcast over leading axes)."""
        ...

    def spread(self, points: IntArray) -> int:
        """No two of these sites, shape (n, dimension), are further apart."""
        ...

    def cuts(self, points: IntArray) -> Cuts:
        """Return the cuts that separate some of these sites, shape (n, dimension)."""
        ...


def _shape(shape: Sequence[int]) -> tuple[int, ...]:
    if not shape:
        raise InputError("needs at least one side", field="topology.shape")
    for i, side in enumerate(shape):
        if side < 1:
            raise InputError(
                "must be at least 1", field=f"topology.shape[{i}]", value=side
            )
    if prod(shape) > MOST_PROCESSORS:
        raise InputError(
            "must have at most 2^24 processors",
            field="topology.shape",
            value=list(shape),
        )
    return tuple(shape)


def _axes(p: IntArray, q: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the coordinates along each axis; a row of two is slow to add up."""
    return ((p[..., a], q[..., a]) for a in range(p.shape[-1]))


@dataclass(frozen=True, slots=True)
class Mesh:
    """Grid of the given sides; hops are counted along its axes (L1)."""

    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", _shape(self.shape))

    kind = "mesh"
    scale = 1

    @property
    def dimension(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def locations(self) -> Iterator[Site]:
        """All cells, in lexicographic order."""
        return product(*map(range, self.shape))

    def distance(self, p: Site, q: Site) -> int:
        """Sum of the differences of the coordinates."""
        return sum(abs(a - b) for a, b in zip(p, q, strict=True))

    def distances(self, p: IntArray, q: IntArray) -> IntArray:
        """L1 distances of rows."""
        return reduce(iadd, (np.abs(a - b) for a, b in _axes(p, q)))

    def spread(self, points: IntArray) -> int:
        """Half the circumference of the bounding box."""
        return sum(int(axis.max()) - int(axis.min()) for axis in points.T)

    def cuts(self, points: IntArray) -> Cuts:
        """One cut a gap between consecutive occupied coordinates."""
        return interval_cuts(points)


@dataclass(frozen=True, slots=True)
class Torus:
    """Grid of the given sides with wrap-around links on every axis."""

    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", _shape(self.shape))

    kind = "torus"
    scale = 1

    @property
    def dimension(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def locations(self) -> Iterator[Site]:
        """All cells, in lexicographic order."""
        return product(*map(range, self.shape))

    def distance(self, p: Site, q: Site) -> int:
        """Sum over the axes of the shorter way round."""
        return sum(
            min(abs(a - b), side - abs(a - b))
            for a, b, side in zip(p, q, self.shape, strict=True)
        )

    def distances(self, p: IntArray, q: IntArray) -> IntArray:
        """Wrap-around L1 distances of rows."""
        steps = (np.abs(a - b) for a, b in _axes(p, q))
        ways = zip(steps, self.shape, strict=True)
        return reduce(iadd, (np.minimum(step, side - step) for step, side in ways))

    def spread(self, points: IntArray) -> int:
        """Return the diameter of the whole torus."""
        return sum(side // 2 for side in self.shape)

    def cuts(self, points: IntArray) -> Cuts:
        """Half rings: weight 1 on an even ring, 1/2 on an odd one."""
        return ring_cuts(points, self.shape)


@dataclass(frozen=True)
class Points:
    """Any points in space under L1; the same point may occur more than once.

    Parameters
    ----------
    coordinates
        All points, free and busy, as integers; sorted on construction.
    scale
        True coordinates are these divided by ``scale``: decimals are scaled
        exactly by the reader, and distances are in units of 1/scale. The least
        power of ten that makes all coordinates integers, so that the same points
        are always the same instance.
    """

    coordinates: tuple[Site, ...]
    scale: int = 1

    def __post_init__(self) -> None:
        field = "topology.coordinates"
        if not self.coordinates:
            raise InputError("needs at least one point", field=field)
        if not self.coordinates[0]:
            raise InputError("needs at least one axis", field=f"{field}[0]")
        for i, point in enumerate(self.coordinates):
            if len(point) != self.dimension:
                raise InputError(
                    f"must have {self.dimension} coordinates like the first point",
                    field=f"{field}[{i}]",
                    value=list(point),
                )
            if any(abs(x) >= LARGEST for x in point):
                raise InputError(
                    "coordinates must stay below 2^62 once scaled to integers",
                    field=f"{field}[{i}]",
                    value=list(point),
                )
        if str(self.scale).rstrip("0") != "1":
            raise InputError("must be a power of ten", field="scale", value=self.scale)
        if self.scale > 1 and not any(x % 10 for p in self.coordinates for x in p):
            raise InputError(
                "must be the least that these decimals need",
                field="scale",
                value=self.scale,
            )
        object.__setattr__(self, "coordinates", tuple(sorted(self.coordinates)))

    kind = "points"

    @property
    def dimension(self) -> int:
        """Number of axes."""
        return len(self.coordinates[0])

    def locations(self) -> Iterator[Site]:
        """All points, in lexicographic order, with repeats."""
        return iter(self.coordinates)

    def distance(self, p: Site, q: Site) -> int:
        """Sum of the differences of the coordinates, in units of 1/scale."""
        return sum(abs(a - b) for a, b in zip(p, q, strict=True))

    def distances(self, p: IntArray, q: IntArray) -> IntArray:
        """L1 distances of rows."""
        return reduce(iadd, (np.abs(a - b) for a, b in _axes(p, q)))

    def spread(self, points: IntArray) -> int:
        """Half the circumference of the bounding box."""
        return sum(int(axis.max()) - int(axis.min()) for axis in points.T)

    def cuts(self, points: IntArray) -> Cuts:
        """One cut a gap between consecutive coordinates."""
        return interval_cuts(points)


@dataclass(frozen=True)
class Tree:
    """Weighted tree (a fat-tree or a switch hierarchy) with processors at nodes.

    Parameters
    ----------
    parent
        Parent of every node; -1 at the single root.
    weight
        Hops of the edge to the parent, at least 0; set to 0 at the root.
    processors
        Nodes that are processors, each at most once; sorted on construction.
    """

    parent: tuple[int, ...]
    weight: tuple[int, ...]
    processors: tuple[int, ...]

    def __post_init__(self) -> None:
        nodes = len(self.parent)
        if not nodes:
            raise InputError("needs at least one node", field="topology.parent")
        if len(self.weight) != nodes:
            raise InputError(
                f"must have {nodes} entries like parent",
                field="topology.weight",
                value=len(self.weight),
            )
        roots = [v for v, up in enumerate(self.parent) if up == -1]
        if len(roots) != 1:
            raise InputError(
                "must have exactly one root (-1)", field="topology.parent", value=roots
            )
        for v, up in enumerate(self.parent):
            if not -1 <= up < nodes:
                raise InputError(
                    "no such node", field=f"topology.parent[{v}]", value=up
                )
        for v, weight in enumerate(self.weight):
            if not 0 <= weight < LARGEST:
                raise InputError(
                    "must lie between 0 and 2^62",
                    field=f"topology.weight[{v}]",
                    value=weight,
                )
        if len(self.order) < nodes:
            stuck = sorted(set(range(nodes)) - set(self.order))
            raise InputError(
                "nodes not connected to the root", field="topology.parent", value=stuck
            )
        if not self.processors:
            raise InputError("needs at least one node", field="topology.processors")
        seen: set[int] = set()
        for i, v in enumerate(self.processors):
            if not 0 <= v < nodes:
                raise InputError(
                    "no such node", field=f"topology.processors[{i}]", value=v
                )
            if v in seen:
                raise InputError(
                    "listed twice", field=f"topology.processors[{i}]", value=v
                )
            seen.add(v)
        object.__setattr__(self, "processors", tuple(sorted(self.processors)))
        rootless = (0 if v in roots else w for v, w in enumerate(self.weight))
        object.__setattr__(self, "weight", tuple(rootless))

    kind = "tree"
    dimension = 1
    scale = 1

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Nodes reached from the root, every parent before its children."""
        children: list[list[int]] = [[] for _ in self.parent]
        for v, up in enumerate(self.parent):
            if up >= 0:
                children[up].append(v)
        order = [v for v, up in enumerate(self.parent) if up == -1]
        for v in order:
            order.extend(children[v])
        return tuple(order)

    @cached_property
    def depth(self) -> tuple[int, ...]:
        """Hops from the root to every node."""
        depth = [0] * len(self.parent)
        for v in self.order[1:]:
            depth[v] = depth[self.parent[v]] + self.weight[v]
        return tuple(depth)

    def locations(self) -> Iterator[Site]:
        """List the processors, in order of their node numbers."""
        return ((v,) for v in self.processors)

    def distance(self, p: Site, q: Site) -> int:
        """Sum of the edge weights on the path between two nodes."""
        (u,), (v,) = p, q
        above: dict[int, int] = {}
        climbed = 0
        while u >= 0:
            above[u] = climbed
            climbed += self.weight[u]
            u = self.parent[u]
        climbed = 0
        while v not in above:
            climbed += self.weight[v]
            v = self.parent[v]
        return climbed + above[v]

    def distances(self, p: IntArray, q: IntArray) -> IntArray:
        """Path lengths between nodes, by the sites' cuts."""
        p, q = np.broadcast_arrays(p, q)
        nodes, place = np.unique(np.concatenate([p, q]), return_inverse=True)
        cuts = self.cuts(nodes.reshape(-1, 1))
        u, v = place.reshape(2, -1)
        hops = np.zeros(u.size, dtype=np.int64)
        for weight, side in zip(cuts.weights, cuts.sides, strict=True):
            hops += weight * (side[u] != side[v])
        return hops.reshape(p.shape[:-1])

    def spread(self, points: IntArray) -> int:
        """Twice the greatest depth."""
        return 2 * max(self.depth)

    def cuts(self, points: IntArray) -> Cuts:
        """One cut an edge: the sites below it."""
        return subtree_cuts(points[:, 0], self.parent, self.weight, self.order)

"""Weighted trees of switches and processors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..reading import fields
from ..reading.fields import integers
from ..reading.json_types import to_json_types
from ..value import LARGEST
from .cuts import Cuts, downwards, subtree_cuts
from .grid import grid_shape
from .topology import BY_SIDES, OnNodes, Site, checked_processors, reads

_LARGEST_PAIRWISE = 256
"""Number of nodes and of processors up to which costs are summed pair by pair."""
_LISTS = "parent", "weight", "processors"


@dataclass(frozen=True, repr=False)
class Tree(OnNodes):
    """Weighted tree (such as a switch hierarchy) with processors at nodes.

    Parameters
    ----------
    parent
        Parent of every node; -1 at the single root.
    weight
        Hops of the edge to the parent, at least 0; set to 0 at the root.
    processors
        Distinct nodes that are processors; sorted on construction.
    """

    parent: tuple[int, ...]
    weight: tuple[int, ...]
    processors: tuple[int, ...]

    if TYPE_CHECKING:

        def __init__(
            self,
            parent: Iterable[int],
            weight: Iterable[int],
            processors: Iterable[int],
        ) -> None: ...

    def __post_init__(self) -> None:
        """Convert lists and arrays; refuse invalid trees."""
        for name in _LISTS:
            value = getattr(self, name)
            if type(value) is not tuple or not set(map(type, value)) <= {int}:
                value = integers(to_json_types(value), f"topology.{name}")
                object.__setattr__(self, name, value)
        nodes = len(self.parent)
        if not nodes:
            raise InputError("needs at least one node", "topology.parent")
        if len(self.weight) != nodes:
            raise InputError(
                f"must have {nodes} entries like parent",
                "topology.weight",
                len(self.weight),
            )
        roots = [v for v, up in enumerate(self.parent) if up == -1]
        if len(roots) != 1:
            raise InputError(
                "must have exactly one root (-1)", "topology.parent", roots
            )
        for v, up in enumerate(self.parent):
            if not -1 <= up < nodes:
                raise InputError("no such node", f"topology.parent[{v}]", up)
        for v, weight in enumerate(self.weight):
            if not 0 <= weight < LARGEST:
                raise InputError(
                    "must lie between 0 and 2^62", f"topology.weight[{v}]", weight
                )
        if len(self.order) < nodes:
            stuck = sorted(set(range(nodes)) - set(self.order))
            raise InputError(
                "nodes not connected to the root", "topology.parent", stuck
            )
        processors = checked_processors(self.processors, nodes)
        object.__setattr__(self, "processors", processors)
        rootless = (0 if v in roots else w for v, w in enumerate(self.weight))
        object.__setattr__(self, "weight", tuple(rootless))

    kind = "tree"
    has_cuts = True

    @property
    def nodes(self) -> int:  # type: ignore[override]
        """Number of nodes."""
        return len(self.parent)

    @property
    def tree(self) -> Tree:
        """The tree itself."""
        return self

    def document(self) -> dict[str, Any]:
        """Return the object ``topology`` of a file."""
        lists = {name: list(getattr(self, name)) for name in _LISTS}
        return {"kind": self.kind, **lists}

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Nodes reached from the root, every parent before its children."""
        return downwards(self.parent)

    @cached_property
    def depth(self) -> tuple[int, ...]:
        """Hops from the root to every node."""
        depth = [0] * len(self.parent)
        for v in self.order[1:]:
            depth[v] = depth[self.parent[v]] + self.weight[v]
        return tuple(depth)

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

    def distances_from(self, p: Site, sites: Sequence[Site]) -> list[int]:
        """Hops from one node to several: up to the root, and down again."""
        lengths = [-1] * self.nodes
        (v,), climbed = p, 0
        while v >= 0:
            lengths[v] = climbed
            climbed += self.weight[v]
            v = self.parent[v]
        for v in self.order:
            if lengths[v] < 0:
                lengths[v] = lengths[self.parent[v]] + self.weight[v]
        return [lengths[v] for (v,) in sites]

    def pair_sum(self, sites: Sequence[Site]) -> int:
        """Sum the distances of all pairs; beyond small trees, edge by edge."""
        if max(len(sites), self.nodes) <= _LARGEST_PAIRWISE:
            return super().pair_sum(sites)
        below = [0] * self.nodes
        for (v,) in sites:
            below[v] += 1
        total = 0
        for v in reversed(self.order):
            if self.parent[v] >= 0:
                total += self.weight[v] * below[v] * (len(sites) - below[v])
                below[self.parent[v]] += below[v]
        return total

    def spread(self, sites: Sequence[Site]) -> int:
        """Twice the greatest depth."""
        return 2 * max(self.depth)

    def cuts(self, sites: Sequence[Site]) -> Cuts:
        """Return one cut per edge, with the sites below it inside."""
        nodes = [v for (v,) in sites]
        return subtree_cuts(nodes, self.parent, self.weight, self.order)


@reads("tree")
def _parse(value: dict[str, Any]) -> Tree:
    """Build a tree from the object ``topology`` of a file."""
    every = "kind", *_LISTS
    fields.only(value, every, every, "topology")
    return Tree(*(integers(value[name], f"topology.{name}") for name in _LISTS))


def switch_tree(fanout: Sequence[int]) -> Tree:
    """Build the regular tree with these numbers of children, from the root down."""
    shape = grid_shape((fanout,))  # checks the fan-outs
    nodes = sum(prod(shape[:depth]) for depth in range(len(shape) + 1))
    parent = [-1]
    first, level = 0, 1  # the nodes of the last level: first, …, first + level - 1
    for children in shape:
        parent += [v for v in range(first, first + level) for _ in range(children)]
        first, level = first + level, level * children
    return Tree(tuple(parent), (1,) * nodes, tuple(range(first, nodes)))


BY_SIDES["tree"] = switch_tree

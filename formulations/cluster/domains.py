"""A tree of domains with nodes that have devices, as plain arrays.

This is all that jobs of parts have to know of a cluster; what reads topologies makes
one. Levels are heights: 0 where no domain is below, and `NODE` for the nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...instances import InputError, IntArray

NODE = -1
"""The level below the lowest: every node is a domain of its own."""
NODE_NAME = "node"
MOST_ROOM = np.int64(2**31 - 1)
"""Room of a node for pods without devices."""
NOWHERE = -1
"""The domain of what is in none."""


def sum_below(parent: Sequence[int], at: IntArray) -> IntArray:
    """Return sums over subtrees of numbers at domains; parents come first."""
    total = at.astype(np.int64).tolist()
    for v in range(len(total) - 1, 0, -1):
        total[parent[v]] += total[v]
    return np.array(total, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class DomainTree:
    """Nodes, and domains of domains; parents come before their children."""

    nodes: tuple[str, ...]
    home: IntArray
    """The domain of every node."""
    names: tuple[str, ...]
    parent: IntArray
    """Of every domain; -1 at the first one, the root."""
    height: IntArray
    """Of every domain; it falls on the way down, by more than one in places."""
    weight: IntArray
    """Of the edge from a domain to its parent, in half hops."""
    levels: tuple[str, ...]
    """The names of heights from 0 up."""
    _at: dict[int, IntArray] = field(default_factory=dict, repr=False)
    _climbed: dict[int, dict[int, int | None]] = field(default_factory=dict, repr=False)

    def at(self, level: int) -> IntArray:
        """Return the domain of every node at a level, `NOWHERE` where it is in none."""
        if level not in self._at:
            if level == NODE:
                found = np.arange(len(self.nodes))
            else:
                up = np.full(len(self.parent), NOWHERE, dtype=np.int64)
                for v in self.of_level(level).tolist():
                    up[v] = v
                for some in self.downwards:
                    above = up[self.parent[some]]
                    up[some] = np.where(self.height[some] == level, some, above)
                found = up[self.home]
            found.setflags(write=False)
            self._at[level] = found
        return self._at[level]

    def climb(self, level: int, node: int) -> int | None:
        """Return the domain of a node at a level, from the definition; None: in none.

        It shares nothing with `at`, and climbs once from each domain with nodes.
        """
        if level == NODE:
            return node
        home = int(self.home[node])
        known = self._climbed.setdefault(level, {})
        if home not in known:
            v = home
            while v >= 0 and int(self.height[v]) != level:
                v = int(self.parent[v])
            known[home] = v if v >= 0 else None
        return known[home]

    def of_level(self, level: int) -> IntArray:
        """Return the domains of a level, in order; of nodes their numbers."""
        if level == NODE:
            return np.arange(len(self.nodes))
        return np.flatnonzero(self.height == level)

    @cached_property
    def downwards(self) -> tuple[IntArray, ...]:
        """The domains below the root by depth: children after their parents."""
        depth = np.zeros(len(self.parent), dtype=np.int64)
        for v, up in enumerate(self.parent.tolist()):
            if v:
                depth[v] = depth[up] + 1
        order = np.argsort(depth, kind="stable")
        ends = np.cumsum(np.bincount(depth))
        return tuple(np.split(order, ends[:-1])[1:])

    @cached_property
    def order(self) -> IntArray:
        """The place of every domain in a traversal, depth first."""
        size = np.ones(len(self.parent), dtype=np.int64)
        for some in reversed(self.downwards):
            np.add.at(size, self.parent[some], size[some])
        place = np.zeros(len(self.parent), dtype=np.int64)
        for some in self.downwards:
            up = self.parent[some]  # siblings stand together only after sorting
            by = np.argsort(up, kind="stable")
            some, up = some[by], up[by]
            before = np.cumsum(size[some]) - size[some]
            first = np.searchsorted(up, up)
            place[some] = place[up] + 1 + before - before[first]
        return place

    def level_number(self, name: str, at: str = "level") -> int:
        """Return the level of this name; InputError if there is none."""
        if name in self.levels:
            return self.levels.index(name)
        if name == NODE_NAME:
            return NODE
        known = ", ".join((NODE_NAME, *self.levels))
        raise InputError(f"no such level (there are: {known})", at, name)

    def level_name(self, level: int) -> str:
        """Return the name of a level."""
        return NODE_NAME if level == NODE else self.levels[level]

    @cached_property
    def number(self) -> dict[str, int]:
        """The numbers of the nodes by their names."""
        return {name: i for i, name in enumerate(self.nodes)}

    def numbers(self, names: Iterable[str]) -> list[int]:
        """Return the numbers of nodes, in order; strange names are left out."""
        return sorted(self.number[name] for name in {*names} & self.number.keys())


@dataclass(frozen=True, eq=False)
class NodeDevices:
    """A tree of domains, and how many devices of its nodes are free."""

    tree: DomainTree
    free: IntArray
    """Free devices of every node; -1 where no pod may be."""
    whole: IntArray
    """Devices of every node."""

    def __post_init__(self) -> None:
        for array in (self.free, self.whole):
            array.setflags(write=False)

    def room_for(self, devices: int | None) -> IntArray:
        """Return how many pods of so many devices every node has room for.

        None: of a whole node. Of pods without devices `MOST_ROOM`.
        """
        if devices is None:
            room: IntArray = (self.free == self.whole).astype(np.int64)
        elif devices:
            room = np.maximum(self.free, 0) // devices
        else:
            room = np.where(self.free >= 0, MOST_ROOM, 0)
        return room

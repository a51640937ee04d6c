"""What a greedy rule sees: free nodes at and below the domains, in segments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from ...formulations.cluster.domains import sum_below
from ..topologies import Hierarchy

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class HierarchyLayout:
    """What of a hierarchy does not change from job to job."""

    fabric: Hierarchy

    @cached_property
    def parent(self) -> list[int]:
        """The parent of every domain; -1 at the root."""
        found: list[int] = self.fabric.parent.tolist()
        return found

    @cached_property
    def level(self) -> list[int]:
        """The height of every domain."""
        found: list[int] = self.fabric.level.tolist()
        return found

    @cached_property
    def depth(self) -> list[int]:
        """How many edges every domain is below the root."""
        found = [0] * len(self.parent)
        for v, up in enumerate(self.parent[1:], 1):
            found[v] = found[up] + 1
        return found

    @cached_property
    def children(self) -> list[list[int]]:
        """Domains directly below every domain."""
        found: list[list[int]] = [[] for _ in self.parent]
        for v, up in enumerate(self.parent):
            if up >= 0:
                found[up].append(v)
        return found

    @cached_property
    def members(self) -> list[list[int]]:
        """The nodes at every domain itself."""
        found: list[list[int]] = [[] for _ in self.parent]
        for i, home in enumerate(self.fabric.home.tolist()):
            found[home].append(i)
        return found

    @cached_property
    def leaves(self) -> list[int]:
        """The domains with nodes of their own, in order."""
        return [v for v, own in enumerate(self.members) if own]

    @cached_property
    def total(self) -> list[int]:
        """Nodes below every domain, free or not."""
        return self.sum_subtrees(self.fabric.has_nodes.tolist())

    @cached_property
    def rank(self) -> list[int]:
        """The place of every domain by its names from the root down, as texts."""
        paths: list[tuple[str, ...]] = []
        for name, up in zip(self.fabric.domains, self.parent, strict=True):
            paths.append((*(paths[up] if up >= 0 else ()), name))
        order = sorted(range(len(paths)), key=paths.__getitem__)
        found = [0] * len(order)
        for place, v in enumerate(order):
            found[v] = place
        return found

    def sum_subtrees(self, at: list[int]) -> list[int]:
        """Return the sums over subtrees of numbers at the domains themselves."""
        found: list[int] = sum_below(self.parent, np.array(at)).tolist()
        return found

    def inside(self, top: int) -> list[int]:
        """Return the domains below one, and itself, in order."""
        found, waiting = [], [top]
        while waiting:
            v = waiting.pop()
            found.append(v)
            waiting.extend(reversed(self.children[v]))
        return found

    def edges(self, a: int, b: int) -> int:
        """Return how many edges are between two domains."""
        depth, parent = self.depth, self.parent
        far = 0
        while a != b:
            if depth[a] < depth[b]:
                a, b = b, a
            a = parent[a]
            far += 1
        return far


_layout_of = lru_cache(maxsize=16)(HierarchyLayout)


@dataclass(frozen=True, eq=False)
class HierarchyState:
    """A hierarchy, its free nodes, and segments that must be whole (1: none).

    A network that is no tree is seen as it can be written down for Slurm: see
    `placement.domains.as_written_down`.
    """

    fabric: Hierarchy
    free: Flags
    size: int = 1

    @cached_property
    def layout(self) -> HierarchyLayout:
        """What the last few hierarchies were asked before is kept."""
        return _layout_of(self.fabric)

    @cached_property
    def at(self) -> list[int]:
        """Free nodes at every domain itself."""
        homes = self.fabric.home[self.free]
        counts = np.bincount(homes, minlength=len(self.fabric.parent))
        found: list[int] = counts.tolist()
        return found

    @cached_property
    def below(self) -> list[int]:
        """Free nodes below every domain."""
        return self.layout.sum_subtrees(self.at)

    @cached_property
    def room(self) -> list[int]:
        """Segments that fit at every domain itself."""
        return [count // self.size for count in self.at]

    @cached_property
    def room_below(self) -> list[int]:
        """Segments that fit below every domain."""
        return self.layout.sum_subtrees(self.room)

    def lowest(self, k: int) -> list[int]:
        """Return the domains with room for k segments at the lowest level with any."""
        level = self.layout.level
        if self.room_below[0] < k:
            return []
        fits = [v for v, room in enumerate(self.room_below) if room >= k]
        least = min((level[v] for v in fits), default=0)
        return [v for v in fits if level[v] == least]

    def first(self, taken: Mapping[int, int]) -> tuple[int, ...]:
        """Return the first free nodes of domains, so many of each."""
        chosen: list[int] = []
        for v, count in taken.items():
            here = [i for i in self.layout.members[v] if self.free[i]]
            chosen += here[:count]
        return tuple(sorted(chosen))

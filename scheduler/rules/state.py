"""What a greedy rule sees: free nodes at and below the domains, in segments."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ...instances import IntArray
from ..topologies import Hierarchy

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class State:
    """A hierarchy, its free nodes, and segments that must be whole (1: none)."""

    fabric: Hierarchy
    free: Flags
    size: int = 1

    @cached_property
    def at(self) -> list[int]:
        """Free nodes at every domain itself."""
        homes = self.fabric.home[self.free]
        found: list[int] = np.bincount(
            homes, minlength=len(self.fabric.parent)
        ).tolist()
        return found

    @cached_property
    def below(self) -> list[int]:
        """Free nodes below every domain."""
        return self._summed(self.at)

    @cached_property
    def room(self) -> list[int]:
        """Segments that fit at every domain itself."""
        return [count // self.size for count in self.at]

    @cached_property
    def room_below(self) -> list[int]:
        """Segments that fit below every domain."""
        return self._summed(self.room)

    @cached_property
    def busy_share(self) -> list[float]:
        """The share of busy nodes below every domain."""
        total = self._summed(self.fabric.has_nodes.tolist())
        return [1 - free / all_ for free, all_ in zip(self.below, total, strict=True)]

    @cached_property
    def children(self) -> list[list[int]]:
        """Domains directly below every domain."""
        found: list[list[int]] = [[] for _ in self.at]
        for v, up in enumerate(self.fabric.parent.tolist()):
            if up >= 0:
                found[up].append(v)
        return found

    def inside(self, top: int) -> list[int]:
        """Return the domains below one, and itself, in order."""
        found, waiting = [], [top]
        while waiting:
            v = waiting.pop()
            found.append(v)
            waiting.extend(reversed(self.children[v]))
        return found

    def lowest(self, k: int) -> list[int]:
        """Return the domains with room for k segments at the lowest level with any."""
        level = self.fabric.level.tolist()
        fits = [v for v, room in enumerate(self.room_below) if room >= k]
        least = min((level[v] for v in fits), default=0)
        return [v for v in fits if level[v] == least]

    def first(self, taken: dict[int, int]) -> tuple[int, ...]:
        """Return the first free nodes of domains, so many segments of each."""
        left = {v: count * self.size for v, count in taken.items()}
        chosen = []
        for i in np.flatnonzero(self.free).tolist():
            home = int(self.fabric.home[i])
            if left.get(home, 0) > 0:
                left[home] -= 1
                chosen.append(i)
        return tuple(chosen)

    def _summed(self, at: list[int]) -> list[int]:
        total = list(at)
        for v in range(len(total) - 1, 0, -1):
            total[int(self.fabric.parent[v])] += total[v]
        return total


def nodes(state: State) -> IntArray:
    """Return the free nodes, in order."""
    return np.flatnonzero(state.free)

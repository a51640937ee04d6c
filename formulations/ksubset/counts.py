"""Counts of a choice inside every cut: ranges, costs, nesting."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...instances import KSubset, arrays


@dataclass(frozen=True)
class ModelCounts:
    """The parts that models over cuts share, independent of any solver.

    With c_h the number of chosen processors inside cut h, the pair sum is Σ w_h c_h (k
    - c_h) / unit. A nested count is written as the sum of those of the cuts directly
    inside and the processors in none of them, any other as the sum over all processors
    inside.
    """

    instance: KSubset
    nested: bool = True

    def __len__(self) -> int:
        return len(arrays.cuts(self.instance))

    @property
    def unit(self) -> int:
        """Factor by which the weighted sum of the costs exceeds the pair sum."""
        return arrays.cuts(self.instance).denominator

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Weights of the cuts."""
        return tuple(int(w) for w in arrays.cuts(self.instance).weights)

    @cached_property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """Least count (given the processors outside) and greatest count of each cut."""
        n, k = self.instance.n, self.instance.k
        sizes = arrays.cuts(self.instance).sides.sum(axis=1)
        return tuple((max(0, k - n + int(s)), min(k, int(s))) for s in sizes)

    def cost(self, count: int) -> int:
        """Return the number of pairs that a cut with this count separates."""
        return count * (self.instance.k - count)

    @cached_property
    def inside(self) -> tuple[tuple[int, ...], ...]:
        """Cuts directly inside every cut; none unless nested."""
        found: list[list[int]] = [[] for _ in range(len(self))]
        if self.nested:
            for h, up in enumerate(arrays.cuts(self.instance).parent):
                if up >= 0:
                    found[up].append(h)
        return tuple(map(tuple, found))

    @cached_property
    def own(self) -> tuple[tuple[int, ...], ...]:
        """Processors inside each cut, but in none directly inside it."""
        sides = arrays.cuts(self.instance).sides
        rows = []
        for h, within in enumerate(self.inside):
            left = sides[h] & ~sides[list(within)].any(axis=0) if within else sides[h]
            rows.append(tuple(int(i) for i in np.flatnonzero(left)))
        return tuple(rows)

    def of(self, chosen: Collection[int]) -> list[int]:
        """Count the chosen processors inside every cut."""
        if not len(self):
            return []
        counts = arrays.cuts(self.instance).sides[:, sorted(chosen)].sum(axis=1)
        return [int(c) for c in counts]

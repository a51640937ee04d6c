"""Families of disjoint sets, and how many processors a few sets of each can hold.

A shape states how many sets of each family are open at most. What is in a set of one
family and a set of another is a piece. It holds no more than the largest m of its parts
in the sets of a third family of which m are open; a set holds no more than its largest
pieces in as many sets of another family as are open. See
docs/science/set-opening-bb.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import accumulate

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Shape = tuple[int, ...]


class Families:
    """Families of sets with at least two groups of like processors each.

    Parameters
    ----------
    own
        The sets in which each group lies.
    sizes
        Number of processors of each group.

    Attributes
    ----------
    sets
        The sets of each family.
    home
        For each family and group, the position of the group's set in it, or -1.
    """

    def __init__(self, own: Sequence[Sequence[int]], sizes: Sequence[int]) -> None:
        held: dict[int, int] = {}
        for g, sets in enumerate(own):
            for s in sets:
                held[s] = held.get(s, 0) | 1 << g
        self.sets: list[list[int]] = []
        covered: list[int] = []
        for s in sorted(held):
            if held[s].bit_count() < 2:
                continue
            fit = (i for i, mask in enumerate(covered) if not mask & held[s])
            at = next(fit, len(covered))
            if at == len(covered):
                covered.append(0)
                self.sets.append([])
            covered[at] |= held[s]
            self.sets[at].append(s)
        place = {
            s: (f, i) for f, sets in enumerate(self.sets) for i, s in enumerate(sets)
        }
        self.home = np.full((len(self.sets), len(own)), -1, dtype=np.int64)
        for g, sets in enumerate(own):
            for s in sets:
                if s in place:
                    self.home[place[s][0], g] = place[s][1]
        self._sizes = np.array(sizes, dtype=np.int64)
        self._whole = [
            np.bincount(home[home >= 0], self._sizes[home >= 0]).astype(np.int64)
            for home in self.home
        ]
        # What follows is asked for again and again, shape by shape.
        self.parts = cache(self._parts)
        self._most = cache(self._tops)
        self._pieces = cache(self._count_parts)
        self.reaches = cache(self._reaches)
        self.narrowest = cache(self._narrowest)

    def _parts(self, a: int, b: int, c: int) -> Ints:
        """Count the processors in sets of three families at once.

        The last entry of the last axis counts those in no set of the third.
        """
        shape = [len(self.sets[f]) for f in (a, b, c)]
        found = np.zeros((shape[0], shape[1], shape[2] + 1), dtype=np.int64)
        inside = (self.home[a] >= 0) & (self.home[b] >= 0)
        at = tuple(self.home[f, inside] for f in (a, b, c))
        np.add.at(found, at, self._sizes[inside])
        return found

    def _tops(self, a: int, b: int, c: int) -> Ints:
        """Return what pieces of two families hold when m sets of a third are open."""
        parts = self.parts(a, b, c)
        first = np.sort(parts[:, :, :-1], axis=2)[:, :, ::-1].cumsum(axis=2)
        top = np.concatenate([np.zeros_like(first[:, :, :1]), first], axis=2)
        everything = parts.sum(axis=2, keepdims=True)
        return np.where(parts[:, :, -1:] > 0, everything, top)

    def pieces(self, a: int, b: int, shape: Shape) -> tuple[Ints, Ints]:
        """Return what the pieces of two families can hold, and by which third one.

        -1 stands for none: a piece holds what it has.
        """
        others = tuple((c, m) for c, m in enumerate(shape) if c not in (a, b))
        return self._pieces(a, b, others)

    def _count_parts(
        self, a: int, b: int, others: tuple[tuple[int, int], ...]
    ) -> tuple[Ints, Ints]:
        count = self.parts(a, b, a).sum(axis=2)
        third = np.full_like(count, -1)
        for c, number in others:
            most = self._most(a, b, c)[:, :, number]
            third = np.where(most < count, c, third)
            count = np.minimum(most, count)
        return count, third

    def _reaches(self, a: int, shape: Shape) -> tuple[Ints, Ints]:
        """Return what the sets of a family can hold, and by which other one."""
        whole = self._whole[a]
        best = np.full(len(whole), np.iinfo(np.int64).max)
        by = np.zeros_like(best)
        for b in range(len(self.sets)):
            if b != a:
                pieces, _ = self.pieces(a, b, shape)
                outside = whole - self.parts(a, b, a).sum(axis=(1, 2))
                largest = np.sort(pieces, axis=1)[:, ::-1]
                reach = largest[:, : shape[b]].sum(axis=1) + outside
                by = np.where(reach < best, b, by)
                best = np.minimum(reach, best)
        return best, by

    def _narrowest(self, shape: Shape) -> tuple[int, int]:
        """Return the family that holds least with a shape, and how much."""
        total = int(self._sizes.sum())
        found = []
        for a in range(len(self.sets)):
            reach = np.sort(self.reaches(a, shape)[0])[::-1]
            outside = total - int(self._sizes[self.home[a] >= 0].sum())
            found.append((int(reach[: shape[a]].sum()) + outside, a))
        most, family = min(found)
        return family, most


class Budgets:
    """What a shape costs at least, in every row of costs.

    ``budgets`` are costs by set, and what they may add up to.
    """

    def __init__(
        self, families: Families, budgets: Sequence[tuple[dict[int, int], int]]
    ) -> None:
        self._least = [
            [
                [*accumulate(sorted(costs.get(s, 0) for s in sets), initial=0)]
                for sets in families.sets
            ]
            for costs, _ in budgets
        ]
        self._most = [most for _, most in budgets]
        self.sizes = tuple(len(sets) for sets in families.sets)

    def exceeded_row(self, shape: Shape) -> int | None:
        """Return a row of costs that a shape exceeds, if any."""
        for row, (least, most) in enumerate(zip(self._least, self._most, strict=True)):
            if sum(own[m] for own, m in zip(least, shape, strict=True)) > most:
                return row
        return None

    def price(self, row: int, family: int, number: int) -> int:
        """Return the cost of the last of so many cheapest sets."""
        least = self._least[row][family]
        return least[number] - least[number - 1] if number else 0

    def last(self, shape: Shape) -> int:
        """Return how many sets the last family can open next to the others' numbers."""
        number = 0
        while (
            number < self.sizes[-1] and self.exceeded_row((*shape, number + 1)) is None
        ):
            number += 1
        return number

    def shapes(self, most: int) -> list[Shape]:
        """List the shapes that can be paid, the last family as large as possible.

        Returns an empty list if there are more than ``most``.
        """
        found: list[Shape] = []

        def extend(shape: Shape) -> bool:
            rest = len(self.sizes) - len(shape)
            if rest == 1:
                found.append((*shape, self.last(shape)))
                return len(found) <= most
            for number in range(self.sizes[len(shape)] + 1):
                more = (*shape, number)
                if self.exceeded_row((*more, *(0,) * (rest - 1))) is not None:
                    break
                if not extend(more):
                    return False
            return True

        return found if self.sizes and extend(()) else []

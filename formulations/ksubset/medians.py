"""Median lines: a partition of all choices into boxes of counts, with bounds.

Along every axis let the median of a choice be the position of its ⌈k/2⌉-th processor.
Every choice has one median on every axis; given it, a count of processors before a
position is below ⌈k/2⌉ up to the median and at least ⌈k/2⌉ beyond. On either side the
cost c (k - c) is monotone in c, and its secant is steep. No solver is called here;
everything is computed in integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from math import prod

import numpy as np

from ...instances import IntArray, KSubset, arrays
from ...solvers import Grade, Proof
from .strengthening import Symmetry, symmetry

Median = tuple[int, ...]
"""A position on every axis."""

PROOF = Proof(Grade.ENUMERATED, "secants of every median")
"""Proof of the bounds below."""


@dataclass(frozen=True)
class CountBox:
    """Common properties of the choices with these medians that cost less than a limit.

    Each row's sum over the choice is ≤ 0, or an equally good choice of the same or of
    another median satisfies them.
    """

    median: Median  # positions, one per axis
    ranges: tuple[tuple[int, int], ...]  # least and greatest count inside every cut
    inside: tuple[int, ...]  # processors that all of them contain
    outside: tuple[int, ...]  # processors that none contains
    bound: int  # lower bound on their cost
    rows: tuple[IntArray, ...] = ()  # coefficients of the processors


@dataclass(frozen=True)
class _Line:
    """A median of one axis: the cost of its secants, and the price of a position."""

    position: int
    constant: int
    prices: IntArray


@dataclass(frozen=True)
class Medians:
    """The possible medians of an instance's choices.

    Parameters
    ----------
    instance
        An instance on a mesh or on points: cuts are gaps of an axis, lower side inside.
    """

    instance: KSubset

    @cached_property
    def _weights(self) -> tuple[IntArray, ...]:
        """Weights of the gaps of every axis, in order."""
        cuts = arrays.cuts(self.instance)
        axes = range(self.instance.topology.dimension)
        return tuple(cuts.weights[cuts.axis == a] for a in axes)

    @property
    def _last(self) -> tuple[int, ...]:
        """Last position of every axis."""
        return tuple(map(len, self._weights))

    def __len__(self) -> int:
        """Return the number of medians, including mirror images."""
        return prod(last + 1 for last in self._last)

    def by_bound(self) -> list[tuple[int, Median]]:
        """List medians by increasing bound, one of every class of mirror images.

        Mirroring an axis takes a median to the last position less another one that is
        no less; so if that leaves the free processors unchanged, medians up to the
        middle suffice. If two axes can be swapped, sorted medians suffice.
        Running time: O(n + k) for every median.
        """
        *others, last = (self._lines(a) for a in range(len(self._last)))
        place = arrays.cuts(self.instance).position
        k, found = self.instance.k, []
        if not last:
            return []
        base = np.array([line.prices for line in last])[:, place[:, -1]]
        for lines in product(*others):
            prices = base + sum(
                line.prices[place[:, a]] for a, line in enumerate(lines)
            )
            chosen = np.partition(prices, k - 1, axis=1)[:, :k].sum(axis=1)
            for end, total in zip(last, chosen.tolist(), strict=True):
                both = (*lines, end)
                median = tuple(line.position for line in both)
                if self._first_of_its_kind(median):
                    found.append((total + sum(line.constant for line in both), median))
        return sorted(found)

    def box(self, median: Median, below: int) -> CountBox | None:
        """Narrow counts and fix processors for choices that cost less than ``below``.

        Ranges of counts yield secants, these a price for every processor, prices
        fix processors, and these narrow ranges, until a fixpoint is reached. None if no
        such choice is left.
        """
        instance, k = self.instance, self.instance.k
        place = arrays.cuts(instance).position
        state = np.zeros(instance.n, dtype=np.int64)  # 1 inside, -1 outside
        low: list[IntArray] = []
        high: list[IntArray] = []
        for m, last in zip(median, self._last, strict=True):
            for ends, end in zip((low, high), _halves(m, last, k), strict=True):
                ends.append(end)
        while True:
            price = np.zeros(instance.n, dtype=np.int64)
            bound = 0
            for a, weight in enumerate(self._weights):
                if not _narrow(low[a], high[a], place[:, a], state, k):
                    return None
                bound += int((weight * low[a] * high[a]).sum())
                price += _prices(weight, low[a], high[a], k)[place[:, a]]
            open_ = np.flatnonzero(state == 0)
            missing = k - int((state == 1).sum())
            if not 0 <= missing <= len(open_):
                return None
            open_ = open_[np.argsort(price[open_], kind="stable")]
            taken, left = open_[:missing], open_[missing:]
            bound += int(price[state == 1].sum() + price[taken].sum())
            if bound >= below:
                return None
            state[left if not missing else left[:0]] = -1
            state[taken if not len(left) else taken[:0]] = 1
            if len(taken) and len(left):
                dearest, next_ = int(price[taken[-1]]), int(price[left[0]])
                state[left[bound + price[left] - dearest >= below]] = -1
                state[taken[bound + next_ - price[taken] >= below]] = 1
            if (state[open_] == 0).all() or not len(open_):
                break
        return CountBox(
            median,
            tuple(
                zip(*(np.hstack(ends).tolist() for ends in (low, high)), strict=True)
            ),
            tuple(np.flatnonzero(state == 1).tolist()),
            tuple(np.flatnonzero(state == -1).tolist()),
            bound,
            tuple(self._rows(median)),
        )

    def of(self, chosen: Sequence[int]) -> Median:
        """Return the median of a choice."""
        place = np.sort(arrays.cuts(self.instance).position[list(chosen)], axis=0)
        return tuple(place[-(-self.instance.k // 2) - 1].tolist())

    @cached_property
    def _symmetry(self) -> Symmetry:
        return symmetry(self.instance)

    def _lines(self, a: int) -> list[_Line]:
        """List the medians of an axis that some choice has."""
        k, weight = self.instance.k, self._weights[a]
        place = arrays.cuts(self.instance).position[:, a]
        state = np.zeros(self.instance.n, dtype=np.int64)
        found = []
        for m in range(len(weight) + 1):
            low, high = _halves(m, len(weight), k)
            if _narrow(low, high, place, state, k):
                constant = int((weight * low * high).sum())
                found.append(_Line(m, constant, _prices(weight, low, high, k)))
        return found

    def _first_of_its_kind(self, median: Median) -> bool:
        found = self._symmetry
        return all(2 * median[a] <= self._last[a] for a in found.mirrors) and all(
            median[a] <= median[b] for axes in found.classes for a, b in pairwise(axes)
        )

    def _rows(self, median: Median) -> Iterator[IntArray]:
        """Break the symmetry that leaves a median unchanged.

        If a mirror image can have the same median, require the choice to lean to one
        side; likewise for two axes that are swapped.
        """
        found, points = self._symmetry, arrays.points(self.instance)
        lean = 2 * points - points.min(axis=0) - points.max(axis=0)
        for a in found.mirrors:
            if 2 * median[a] == self._last[a]:
                yield lean[:, a]
        for axes in found.classes:
            for a, b in pairwise(axes):
                if median[a] == median[b]:
                    yield lean[:, a] - lean[:, b]


def _halves(median: int, last: int, k: int) -> tuple[IntArray, IntArray]:
    """Return the least and greatest count before every position but the first."""
    beyond = np.arange(1, last + 1) > median
    half = -(-k // 2)
    return np.where(beyond, half, 0), np.where(beyond, k, half - 1)


def _prices(weight: IntArray, low: IntArray, high: IntArray, k: int) -> IntArray:
    """Price each position: c (k - c) ≥ (k - low - high) c + low high within range."""
    slope = weight * (k - low - high)
    prices: IntArray = np.append(np.cumsum(slope[::-1])[::-1], 0)
    return prices


def _narrow(
    low: IntArray, high: IntArray, place: IntArray, state: IntArray, k: int
) -> bool:
    """Narrow the counts before every position; return False if a range is empty.

    From one position to the next, a count rises at least by the processors that must
    be chosen between and at most by those that may be.
    """
    size = len(low) + 1
    must = np.cumsum(np.bincount(place[state == 1], minlength=size))
    may = np.cumsum(np.bincount(place[state >= 0], minlength=size))
    if must[-1] > k or may[-1] < k:
        return False
    ends = np.array([0]), np.array([k])
    must, may = np.append(0, must), np.append(0, may)
    lo, hi = (np.concatenate([ends[0], x, ends[1]]) for x in (low, high))
    for _ in range(2):
        lo = np.maximum.accumulate(lo - must) + must
        lo = np.maximum.accumulate((lo - may)[::-1])[::-1] + may
        hi = np.minimum.accumulate(hi - may) + may
        hi = np.minimum.accumulate((hi - must)[::-1])[::-1] + must
    low[:], high[:] = lo[1:-1], hi[1:-1]
    return bool((lo <= hi).all()) and bool(lo[-1] == hi[-1] == k) and hi[0] == 0

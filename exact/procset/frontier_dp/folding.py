"""Costs of a machine's sets as integers: one word if they fit, otherwise several.

A choice of r processors touches the sets of at most r classes. So the sum at a level
is at most that of the r most expensive classes, and at most that of all sets; with
these bounds the mixed radix of `Radix` is exact for requests up to r.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np

from ....formulations.procset.set_classes import Cost, Radix
from .layout import Ints

BITS = 62
"""The largest sum in a word stays below 2^62."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Costs of the sets, level by level, before folding.

    Each available member of a set whose entry in ``members`` is not 0 adds 1 at level
    ``counted``.
    """

    costs: tuple[Cost, ...]  # of each set, regardless of availability
    members: tuple[int, ...]  # of each set: the most counted, or 0
    counted: int | None

    @property
    def most(self) -> list[Cost]:
        """Return the cost of each set when all processors are available."""
        at = self.counted
        if at is None:
            return list(self.costs)
        return [
            (*cost[:at], cost[at] + more, *cost[at + 1 :])
            for cost, more in zip(self.costs, self.members, strict=True)
        ]


def prices_of(
    costs: Sequence[Cost], sizes: Sequence[int], lookahead: int | None
) -> Prices:
    """Insert the level that looks ahead, if any, below the first ``lookahead``.

    >>> prices_of([(4, 0), (0, 7)], [12, 1], 1)
    Prices(costs=((4, 0, 0), (0, 0, 7)), members=(12, 0), counted=1)
    """
    if lookahead is None:
        return Prices(tuple(costs), (0,) * len(costs), None)
    return Prices(
        tuple((*cost[:lookahead], 0, *cost[lookahead:]) for cost in costs),
        tuple(
            size if any(cost[:lookahead]) else 0
            for cost, size in zip(costs, sizes, strict=True)
        ),
        lookahead,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Folding:
    """Folded costs of all sets, and how to unfold them."""

    words: tuple[tuple[int, int, Radix], ...]  # first, end, radix of each
    base: Ints  # of each word and set: its cost
    ahead: Ints  # of each word and set: what each available member adds
    largest: int  # sum of the first word over all sets, everything available
    spans: tuple[int, ...]  # for each word, a value that no sum reaches
    request: int  # number of processors up to which sums are exact
    counted: int | None  # the level that `unfold` leaves out

    def unfold(self, folded: Sequence[int]) -> Cost:
        """Return the cost of a folded sum, given as one integer per word.

        The lookahead level is omitted.
        """
        levels: list[int] = []
        for value, (_, _, radix) in zip(folded, self.words, strict=True):
            levels += radix.unfold(int(value))
        if self.counted is not None:
            del levels[self.counted]
        return tuple(levels)


def folding_of(
    prices: Prices, incidence: Sequence[Sequence[int]], levels: int, request: int
) -> Folding:
    """Fold the costs of sets for requests up to ``request`` processors.

    ``incidence`` gives the sets of each class; ``levels`` includes the lookahead level.
    """
    most = prices.most
    bounds = [
        _bound([cost[x] for cost in most], incidence, request) for x in range(levels)
    ]
    units = [
        1 if x == prices.counted else gcd(*(cost[x] for cost in most)) or 1
        for x in range(levels)
    ]
    words = _words(bounds, units)
    base = np.zeros((len(words), len(most)), dtype=np.int64)
    ahead = np.zeros_like(base)
    largest = 0
    for w, (first, last, radix) in enumerate(words):
        step = 0
        if prices.counted is not None and first <= prices.counted < last:
            step = radix.weights[prices.counted - first]
        for s, (cost, more) in enumerate(
            zip(prices.costs, prices.members, strict=True)
        ):
            base[w, s] = folded = radix.fold(cost[first:last])
            ahead[w, s] = step if more else 0
            largest += folded + step * more if w == 0 else 0
    return Folding(
        words=words,
        base=base,
        ahead=ahead,
        largest=largest,
        spans=tuple(
            radix.weights[0] * (bounds[first] // units[first] + 1)
            for first, _, radix in words
        ),
        request=request,
        counted=prices.counted,
    )


def _bound(costs: list[int], incidence: Sequence[Sequence[int]], request: int) -> int:
    """Bound from above what ``request`` processors can cost at one level."""
    total = sum(costs)
    if request >= len(incidence):
        return total
    classes = sorted((sum(costs[s] for s in sets) for sets in incidence), reverse=True)
    return min(total, sum(classes[:request]))


def _words(bounds: list[int], units: list[int]) -> tuple[tuple[int, int, Radix], ...]:
    """Distribute the levels over words, in order, as many to each as fit."""
    words = []
    first = 0
    while first < len(bounds):
        last, weights, span = first, [1], bounds[first] // units[first] + 1
        while last + 1 < len(bounds):
            digits = bounds[last + 1] // units[last + 1] + 1
            if (span * digits).bit_length() > BITS:
                break
            weights = [weight * digits for weight in weights] + [1]
            span *= digits
            last += 1
        radix = Radix(tuple(weights), tuple(units[first : last + 1]))
        words.append((first, last + 1, radix))
        first = last + 1
    return tuple(words)

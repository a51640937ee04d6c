"""Kernels of the search on distances: filter candidates, branch, go back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....heuristics.ksubset.ranking.selection_kernels import select
from ....instances import IntArray as Ints
from ....solvers.running.kernels import kernel

_PASSES = 3
"""Times that candidates are filtered in a row, each time against fewer others."""
_WORTH = 8
"""Candidates are filtered again when one in so many has gone."""
_FEW = 16
"""Up to so many smallest values are kept in order; more are found by partition."""


class PairDistances(NamedTuple):
    """The constants of a search: distances and twins."""

    hops: Ints  # (n, n)
    nearest: Ints  # (n, k) sums of the distances to so many nearest others
    twin: Ints  # (n,) equal for processors that can stand for each other
    k: int


class Frames(NamedTuple):
    """The open part of the search: a row for every number of chosen processors."""

    chosen: Ints  # (k,)
    some: Ints  # (k, n) candidates, the first ``many`` of a row
    many: Ints  # (k,)
    reach: Ints  # (k, n) sums of the distances from candidates to the chosen ones
    paid: Ints  # (k,) cost of the chosen ones
    least: Ints  # (k,) lower bound of what is left of a row
    at: Ints  # (1,) rows in use; the search is over when there is none
    best: Ints  # (k,) the best choice


@kernel
def smallest(values: Ints, count: int, number: int) -> int:
    """Sum the smallest of the first ``count`` values; they change places."""
    if number <= 0:
        return 0
    total = 0
    if number <= _FEW:
        last = number - 1
        for i in range(count):
            x = values[i]
            if i > last:
                if x >= values[last]:
                    continue
                total -= values[last]
                values[i] = values[last]
            total += x
            j = min(i, last)
            while j > 0 and values[j - 1] > x:
                values[j] = values[j - 1]
                j -= 1
            values[j] = x
        return total
    select(values[:count], number - 1)
    for i in range(number):
        total += values[i]
    return total


@kernel
def sift(space: PairDistances, frames: Frames, p: int, best: int, work: Ints) -> bool:
    """Do what `filter_row` does in O(m), by distances to the nearest of all processors.

    Two missing processors are counted half from each.
    """
    r = space.k - p
    some, reach, m = frames.some[p], frames.reach[p], frames.many[p]
    if m < r:
        return False
    for i in range(m):
        work[i] = 2 * reach[some[i]] + space.nearest[some[i], r - 1]
    rest = 2 * frames.paid[p] + smallest(work, m, r - 1)
    kept = 0
    for i in range(m):
        value = rest + 2 * reach[some[i]] + space.nearest[some[i], r - 1]
        if value <= 2 * best - 2:
            some[kept] = some[i]
            kept += 1
    frames.many[p] = kept
    return kept >= r


@kernel
def filter_row(
    space: PairDistances,
    frames: Frames,
    p: int,
    best: int,
    near: Ints,
    bound: Ints,
    work: Ints,
) -> bool:
    """Remove the candidates of a row that lead to nothing cheaper than ``best``.

    Afterwards ``bound`` has lower bounds of the cost with each candidate left.
    Returns whether enough are left. Three at least must be missing.
    """
    hops, r = space.hops, space.k - p
    some, reach = frames.some[p], frames.reach[p]
    unit = r - 2
    for _ in range(_PASSES):
        m = frames.many[p]
        if m < r:
            return False
        for i in range(m):
            row = hops[some[i]]
            count = 0
            for j in range(m):
                if j != i:
                    work[count] = unit * row[some[j]] + reach[some[j]]
                    count += 1
            near[i] = smallest(work, count, r - 2)
        kept = 0
        for i in range(m):
            v = some[i]
            row = hops[v]
            count = 0
            for j in range(m):
                if j != i:
                    u = some[j]
                    work[count] = unit * (2 * row[u] + reach[u]) + near[j]
                    count += 1
            value = 2 * unit * (frames.paid[p] + reach[v])
            value += smallest(work, count, r - 1)
            bound[i] = -(-value // (2 * unit))
        for i in range(m):  # not before: the loop above needs all places unchanged
            if bound[i] < best:
                some[kept], bound[kept] = some[i], bound[i]
                kept += 1
        frames.many[p] = kept
        if kept < r:
            return False
        if m - kept < m // _WORTH:
            break
    return True


@kernel
def last_two(space: PairDistances, frames: Frames, p: int, best: int) -> int:
    """Complete a row that lacks two in the cheapest way; return its cost or ``best``.

    Where it is cheaper, it is noted as the best choice.
    """
    reach, hops = frames.reach[p], space.hops
    for i in range(frames.many[p]):
        u = frames.some[p, i]
        for j in range(i):
            v = frames.some[p, j]
            price = frames.paid[p] + reach[u] + reach[v] + hops[u, v]
            if price < best:
                best = price
                frames.best[:p] = frames.chosen[:p]
                frames.best[p], frames.best[p + 1] = u, v
    return best


@kernel
def search(
    space: PairDistances, frames: Frames, best: int, budget: int
) -> tuple[int, int]:
    """Search some nodes; return the cost of the best choice, and how many there were.

    A row of ``frames`` stands for all choices of its chosen processors and others of
    its candidates. It is filtered; the most promising candidate is chosen in a row of
    its own, and is left out of this one, with its twins.
    """
    k, n = space.k, len(space.hops)
    near = np.empty(n, dtype=np.int64)
    bound = np.empty(n, dtype=np.int64)
    work = np.empty(n, dtype=np.int64)
    nodes = 0
    while nodes < budget and frames.at[0] > 0:
        nodes += 1
        p = frames.at[0] - 1
        if k - p == 2:
            best = last_two(space, frames, p, best)
            frames.at[0] = p
            continue
        if not sift(space, frames, p, best, work) or not filter_row(
            space, frames, p, best, near, bound, work
        ):
            frames.at[0] = p
            continue
        some, m = frames.some[p], frames.many[p]
        first = int(np.argmin(bound[:m]))
        v = some[first]
        many = kept = 0
        for j in range(m):
            u = some[j]
            if j != first:
                frames.some[p + 1, many] = u
                frames.reach[p + 1, u] = frames.reach[p, u] + space.hops[v, u]
                many += 1
        frames.many[p + 1] = many
        frames.paid[p + 1] = frames.paid[p] + frames.reach[p, v]
        frames.least[p + 1] = max(bound[first], frames.least[p])
        frames.chosen[p] = v
        # k - p of those left belong to any choice, so the largest of their bounds holds
        for j in range(m):
            work[j] = bound[j]
        smallest(work, m, k - p)
        for j in range(k - p):
            frames.least[p] = max(frames.least[p], work[j])
        for j in range(m):
            if space.twin[some[j]] != space.twin[v]:
                some[kept] = some[j]
                kept += 1
        frames.many[p] = kept
        frames.at[0] = p + 2
    return best, nodes

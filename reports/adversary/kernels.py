"""Kernels that find the cheapest k points: of every set at once, or of one set.

Where all sets are priced at once they are bits of an integer.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...solvers.running.kernels import kernel

Ints = npt.NDArray[np.int64]
Costs = npt.NDArray[np.int32]


def sizes(cells: int) -> Ints:
    """Count the processors of every set."""
    return np.bitwise_count(np.arange(1 << cells)).astype(np.int64)


@kernel
def prices(hops: Ints) -> Costs:
    """Price every set: the set without its highest processor, and distances to that.

    The sum of all distances is below 2^31.
    """
    cells = len(hops)
    price = np.zeros(1 << cells, dtype=np.int32)
    for high in range(cells):
        base = 1 << high
        way = np.zeros(base, dtype=np.int32)  # from the highest to all of a set
        for p in range(base):
            if p:
                low = 0
                while not p >> low & 1:
                    low += 1
                way[p] = way[p & (p - 1)] + hops[high, low]
            price[base + p] = price[p] + way[p]
    return price


@kernel
def least_of_all(price: Costs, count: Ints, k: int) -> Costs:
    """Return the least cost of k points of every set; 2^31 - 1 for sets of fewer."""
    optima = np.empty(len(price), dtype=np.int32)
    for members in range(len(price)):
        best = 2**31 - 1
        if count[members] == k:
            best = price[members]
        elif count[members] > k:
            left = members
            while left:
                best = min(best, optima[members ^ (left & -left)])
                left &= left - 1
        optima[members] = best
    return optima


# One set of points, thousands of times per second

NONE = -1


@kernel
def _near(hops: Ints, k: int) -> Ints:
    """Return for r < k and every point the sum of its r least distances to others."""
    n = len(hops)
    near = np.zeros((k, n), dtype=np.int64)
    least = np.empty(k, dtype=np.int64)
    for p in range(n):
        kept = 0
        for q in range(n):
            if q == p:
                continue
            away = hops[p, q]
            if kept == k - 1:
                if kept == 0 or away >= least[kept - 1]:
                    continue
                kept -= 1
            at = kept
            while at > 0 and least[at - 1] > away:
                least[at] = least[at - 1]
                at -= 1
            least[at] = away
            kept += 1
        for r in range(1, k):
            near[r, p] = near[r - 1, p] + least[r - 1]
    return near


@kernel
def least(
    hops: Ints,
    k: int,
    below: int,
    floor: int,
    must: int,
    inner: Ints,
    budget: int,
    picked: Ints,
) -> tuple[int, int, bool]:
    """Find the cheapest set of k points among those cheaper than ``below``.

    A set that is chosen in part, with r points to come, costs at least what is
    chosen, plus

    - the r least of: distances to what is chosen, and half the r - 1 least
      distances to any others;
    - r times the least distance to all that is chosen, plus ``inner[r]``.

    Points are tried in the order of the first of these. One that was tried is left out
    from then on; of coinciding ones only the first is tried.

    No set costs less than ``floor``: one that costs no more ends the search. ``must``
    is a point that has to be chosen, or -1; ``inner[r]`` what r points cost at least
    among themselves. The search gives up after ``budget`` partial choices. ``picked``
    takes the set.

    Returns
    -------
    tuple
        The cost of the set, or ``below`` if there is none; how many partial choices
        were looked at; whether that is proved.
    """
    n = len(hops)
    near = _near(hops, k)
    order = np.empty((k, n), dtype=np.int64)
    value = np.empty((k, n), dtype=np.int64)
    size = np.zeros(k, dtype=np.int64)
    at = np.zeros(k, dtype=np.int64)
    window = np.zeros(k, dtype=np.int64)
    star = np.zeros((k, n), dtype=np.int64)
    total = np.zeros(k, dtype=np.int64)
    path = np.zeros(k, dtype=np.int64)
    best = below
    used = 0
    depth = 0
    fresh = True
    if must >= 0:  # a level with one child
        order[0, 0] = must
        order[0, 1:] = np.delete(np.arange(n), must)
        size[0] = n
        fresh = False
    while depth >= 0:
        r = k - depth
        if fresh:
            fresh = False
            used += 1
            if used > budget:
                return best, used, False
            # those left over from the level above, by value
            m = 0
            first = 0 if depth == 0 else at[depth - 1]
            last = n if depth == 0 else size[depth - 1]
            for j in range(first, last):
                q = j if depth == 0 else order[depth - 1, j]
                v = 2 * star[depth, q] + near[r - 1, q]
                i = m
                while i > 0 and value[depth, i - 1] > v:
                    value[depth, i] = value[depth, i - 1]
                    order[depth, i] = order[depth, i - 1]
                    i -= 1
                value[depth, i] = v
                order[depth, i] = q
                m += 1
            size[depth] = m
            at[depth] = 0
            if m < r:
                depth -= 1
                continue
            if r == 1:
                cost = total[depth] + star[depth, order[depth, 0]]
                if cost < best:
                    best = cost
                    path[depth] = order[depth, 0]
                    picked[:] = path
                    if best <= floor:
                        return best, used, True
                depth -= 1
                continue
            run = 0
            for j in range(r):
                run += value[depth, j]
            window[depth] = run
            nearest = star[depth, order[depth, 0]]
            for j in range(1, m):
                nearest = min(nearest, star[depth, order[depth, j]])
            if total[depth] + r * nearest + inner[r] >= best:
                depth -= 1
                continue
        i = at[depth]
        forced = must >= 0 and depth == 0
        if forced:
            if i > 0:
                break
        elif i + r > size[depth] or total[depth] + (window[depth] + 1) // 2 >= best:
            depth -= 1
            continue
        p = order[depth, i]
        at[depth] = i + 1
        if not forced:
            if i + r < size[depth]:
                window[depth] += value[depth, i + r] - value[depth, i]
            if i > 0 and hops[p, order[depth, i - 1]] == 0:
                continue  # a twin of one left out
        path[depth] = p
        if k == 1:
            if best > 0:
                best = 0
                picked[0] = p
            break
        total[depth + 1] = total[depth] + star[depth, p]
        for j in range(i + 1, size[depth]):
            q = order[depth, j]
            star[depth + 1, q] = star[depth, q] + hops[p, q]
        depth += 1
        fresh = True
    return best, used, True

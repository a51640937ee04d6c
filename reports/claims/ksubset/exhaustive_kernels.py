"""Every set of processors of a small network at once: sets are bits of an integer.

A table has a row for every set P of free processors and a column for every k. What is
least, or what a heuristic pays under the least favourable ties, is read off the rows
of P with one processor less. Nothing here is shared with the methods themselves.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....solvers.running.kernels import kernel
from ...adversary.kernels import Costs, Ints

Table = npt.NDArray[np.int16]


@kernel
def optima(price: Costs, count: Ints, cells: int) -> Table:
    """Return the least cost of k of P: that of P itself, or of P with one fewer."""
    least = np.zeros((1 << cells, cells + 1), dtype=np.int16)
    for p in range(1, 1 << cells):
        n = count[p]
        least[p, n] = price[p]
        for k in range(1, n):
            least[p, k] = 32767
        for i in range(cells):
            if p >> i & 1:
                rest = p ^ (1 << i)
                for k in range(1, n):
                    least[p, k] = min(least[p, k], least[rest, k])
    return least


@kernel
def dearest(away: Ints, price: Costs, count: Ints, worst: Table) -> None:
    """Price the k of P nearest to a centre, ties broken as badly as can be.

    ``away`` is how far every processor is from it; fills ``worst``, by P and k.
    """
    cells = len(away)
    for p in range(1, 1 << cells):
        n = count[p]
        far = np.int64(-1)
        shell = 0
        for i in range(cells):
            if p >> i & 1:
                if away[i] > far:
                    far = away[i]
                    shell = 0
                if away[i] == far:
                    shell |= 1 << i
        inner = p ^ shell
        within = count[inner]
        worst[p, n] = price[p]
        for k in range(1, within + 1):
            worst[p, k] = worst[inner, k]
        for k in range(within + 1, n):
            worst[p, k] = -1
        for i in range(cells):
            if shell >> i & 1:
                rest = p ^ (1 << i)
                for k in range(within + 1, n):
                    worst[p, k] = max(worst[p, k], worst[rest, k])


@kernel
def take_cheapest(
    worst: Table, slabs: Ints, count: Ints, cells: int, paid: Table
) -> None:
    """Keep the cheapest candidate so far where P has a processor in every slab.

    Slabs are the processors that share a coordinate with the centre, axis by axis;
    ``worst`` is that of the centre. Updates ``paid``, by P and k.
    """
    for p in range(1, 1 << cells):
        meets = True
        for slab in slabs:
            if p & slab == 0:
                meets = False
        if meets:
            for k in range(1, count[p] + 1):
                paid[p, k] = min(paid[p, k], worst[p, k])


@kernel
def take_nearest(
    away: Ints,
    worst: Table,
    count: Ints,
    cells: int,
    centre: int,
    nearest: Table,
    paid: Table,
) -> None:
    """Keep the costliest candidate among the free centres of least distance sum.

    ``away`` and ``worst`` are those of the centre. Updates by P and k the least
    distance sum, ``nearest``, and what is paid.
    """
    order = np.argsort(away)
    for p in range(1, 1 << cells):
        if not p >> centre & 1:
            continue
        k = 0
        total = 0
        for i in order:
            if p >> i & 1:
                k += 1
                total += away[i]
                if k > count[p]:
                    break
                if total < nearest[p, k]:
                    nearest[p, k] = total
                    paid[p, k] = worst[p, k]
                elif total == nearest[p, k]:
                    paid[p, k] = max(paid[p, k], worst[p, k])


@kernel
def windows(hops: Ints, ring: bool, cells: int) -> Table:
    """Return the least cost of k consecutive processors of P, on a line or ring."""
    best = np.zeros((1 << cells, cells + 1), dtype=np.int16)
    at = np.zeros(2 * cells, dtype=np.int64)
    for p in range(1, 1 << cells):
        n = 0
        for i in range(cells):
            if p >> i & 1:
                at[n] = i
                n += 1
        for i in range(n):
            at[n + i] = at[i]
        for k in range(2, n + 1):
            best[p, k] = 32767
        for first in range(n):
            cost = 0
            for k in range(2, n + 1):
                last = first + k - 1
                if last >= n and not ring:
                    break
                for i in range(first, last):
                    cost += hops[at[i], at[last]]
                best[p, k] = min(best[p, k], cost)
    return best


@kernel
def worst_by_k(paid: Table, least: Table, count: Ints, cells: int) -> Ints:
    """Find for every k a set on which the ratio is greatest: P, paid and least.

    A set of positive cost where the least is 0 counts as worse than any other.
    """
    found = np.zeros((cells + 1, 3), dtype=np.int64)
    for p in range(1, 1 << cells):
        for k in range(1, count[p] + 1):
            a, b = np.int64(paid[p, k]), np.int64(least[p, k])
            if found[k, 0] == 0 or a * found[k, 2] > found[k, 1] * b:
                found[k, 0], found[k, 1], found[k, 2] = p, a, b
    return found

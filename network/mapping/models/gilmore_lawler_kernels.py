"""Kernels of the Gilmore-Lawler bound; see ``gilmore_lawler``.

All costs count every pair of ranks in both directions: they are twice what they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....solvers.running.kernels import kernel

Ints = npt.NDArray[np.int64]
FAR = np.int64(2**62)
"""More than twice the cost of any order."""


class Matrices(NamedTuple):
    """What does not change; n ranks and n processors."""

    flow: Ints  # what two ranks exchange, symmetric
    hops: Ints  # between two processors, symmetric
    heavy: Ints  # of each rank, all ranks by falling flow
    near: Ints  # of each processor, all processors by rising hops


class BoundWorkspace(NamedTuple):
    """Where a bound is computed."""

    ranks: Ints  # that have no processor, in order
    sites: Ints  # that are free, in order
    flows: Ints  # of each of the ranks to the others, falling
    ways: Ints  # of each of the sites to the others, rising
    costs: Ints  # of the ranks on the sites; afterwards the reduced costs
    u: Ints
    v: Ints
    match: Ints  # of each column the row, 1 + its index, of an assignment
    back: Ints
    least: Ints
    seen: Ints


@kernel
def assign(costs: Ints, n: int, room: BoundWorkspace) -> int:
    """Find the least cost of an assignment of n rows to n columns.

    By shortest augmenting paths, with potentials u and v: those of equality on the
    assignment ``match``, and costs[i, j] - u[i + 1] - v[j + 1] >= 0 elsewhere. Costs
    are at least 0 and their sum along an assignment is below `FAR`.
    """
    u, v, match, back = room.u, room.v, room.match, room.back
    least, seen = room.least, room.seen
    u[: n + 1] = 0
    v[: n + 1] = 0
    match[: n + 1] = 0
    for i in range(1, n + 1):
        match[0] = i
        j = 0
        least[: n + 1] = FAR
        seen[: n + 1] = 0
        while match[j] != 0:
            seen[j] = 1
            row = match[j]
            step = FAR
            to = 0
            for k in range(1, n + 1):
                if not seen[k]:
                    slack = costs[row - 1, k - 1] - u[row] - v[k]
                    if slack < least[k]:
                        least[k] = slack
                        back[k] = j
                    if least[k] < step:
                        step = least[k]
                        to = k
            for k in range(n + 1):
                if seen[k]:
                    u[match[k]] += step
                    v[k] -= step
                else:
                    least[k] -= step
            j = to
        while j:
            match[j] = match[back[j]]
            j = back[j]
    total = 0
    for j in range(1, n + 1):
        total += costs[match[j] - 1, j - 1]
    return total


@kernel
def bound(
    given: Matrices, place: Ints, holder: Ints, room: BoundWorkspace
) -> tuple[int, int]:
    """Bound twice the cost of all orders that extend a partial one.

    ``place`` is the processor of each rank, ``holder`` the rank of each processor, -1
    for none. A rank on a processor pays its flows to ranks that have a processor, twice
    over, and at least its flows to the others, from the greatest, over the shortest
    ways to the free processors. Of these costs the least assignment is a bound.

    Returns the bound and the number of ranks without a processor. ``room.costs`` has by
    how much it rises, at least, with one of these on one of the free processors.
    """
    n = len(place)
    flow, hops = given.flow, given.hops
    ranks, sites, costs = room.ranks, room.sites, room.costs
    count = 0
    fixed = 0
    for i in range(n):
        if place[i] < 0:
            ranks[count] = i
            count += 1
        else:
            for a in range(n):
                if place[a] >= 0:
                    fixed += flow[i, a] * hops[place[i], place[a]]
    count = 0
    for p in range(n):
        if holder[p] < 0:
            sites[count] = p
            count += 1
    for x in range(count):
        last = 0
        for a in given.heavy[ranks[x]]:
            if place[a] < 0 and a != ranks[x]:
                room.flows[x, last] = flow[ranks[x], a]
                last += 1
        last = 0
        for p in given.near[sites[x]]:
            if holder[p] < 0 and p != sites[x]:
                room.ways[x, last] = hops[sites[x], p]
                last += 1
    for x in range(count):
        i = ranks[x]
        many = 0
        while many < count - 1 and room.flows[x, many] > 0:
            many += 1
        for y in range(count):
            total = 0
            for t in range(many):
                total += room.flows[x, t] * room.ways[y, t]
            costs[x, y] = total
        for a in range(n):
            if place[a] >= 0 and flow[i, a] > 0:
                weight = 2 * flow[i, a]
                for y in range(count):
                    costs[x, y] += weight * hops[place[a], sites[y]]
    total = assign(costs, count, room)
    for x in range(count):
        for y in range(count):
            costs[x, y] -= room.u[x + 1] + room.v[y + 1]
    return fixed + total, count

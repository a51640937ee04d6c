"""Kernels of the branch and bound over orders of ranks; see ``search``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....solvers.running.kernels import kernel
from ..models.gilmore_lawler_kernels import BoundWorkspace, Matrices, bound

Ints = npt.NDArray[np.int64]
DEPTH, NODES, BEST, DONE = range(4)
"""Of ``tally``: nodes on the way, nodes, twice the cost of the best, whether all."""
_STEPS = 20
"""Tries per point, after which two are not known to be equivalent."""


class Stack(NamedTuple):
    """Of each level what is branched on: a rank over processors, or a processor."""

    by_rank: Ints
    item: Ints
    size: Ints  # number of children
    next: Ints
    child: Ints  # by rising bound, shape (n, n)
    least: Ints  # twice their bounds


class MappingState(NamedTuple):
    """The search where it is."""

    tally: Ints
    place: Ints  # processor of each rank, -1 for none
    holder: Ints  # rank of each processor, -1 for none
    best: Ints  # processor of each rank in the best order so far
    image: Ints  # of each point, in a symmetry that is being looked for
    source: Ints  # of each point, -1 for none
    points: Ints  # in the order in which they get an image
    at: Ints  # the next image to be tried, -1 for the point itself
    kept: Ints  # children of which none is equivalent to another
    bounds: Ints  # of these


@kernel
def equivalent(matrix: Ints, taken: Ints, a: int, b: int, state: MappingState) -> bool:
    """Whether a symmetry of a matrix takes a to b, and what is taken to itself.

    Tries are limited: a symmetry that is not found in time is not used.
    """
    n = len(matrix)
    for p in range(n):
        if taken[p] >= 0 and matrix[a, p] != matrix[b, p]:
            return False
    image, source, points, at = state.image, state.source, state.points, state.at
    source[:] = -1
    count = 0
    for p in range(n):
        if taken[p] >= 0:
            image[p] = p
            source[p] = p
            points[count] = p
            count += 1
    points[count] = a
    image[a] = b
    source[b] = a
    fixed = count
    count += 1
    for p in range(n):
        if taken[p] < 0 and p != a:
            points[count] = p
            count += 1
    k = fixed + 1
    tries = _STEPS * n
    at[k:] = -1
    while k < n:
        p = points[k]
        if at[k] >= 0:
            source[image[p]] = -1
        found = False
        # itself first, then the others
        while not found and at[k] < n:
            q = p if at[k] < 0 else at[k]
            at[k] += 1
            if source[q] >= 0 or (at[k] > 0 and q == p):
                continue
            tries -= 1
            if tries < 0:
                return False
            found = True
            for m in range(k):
                if matrix[p, points[m]] != matrix[q, image[points[m]]]:
                    found = False
                    break
        if found:
            image[p] = q
            source[q] = p
            k += 1
        else:
            at[k] = -1
            k -= 1
            if k == fixed:
                return False
    return True


@kernel
def distinct(
    matrix: Ints,
    taken: Ints,
    values: Ints,
    names: Ints,
    count: int,
    state: MappingState,
) -> int:
    """Keep one of children that are equivalent; return how many are left.

    Their subtrees have the same costs, so each bound, of ``values``, holds for all.
    """
    kept, bounds = state.kept, state.bounds
    left = 0
    for y in range(count):
        old = -1
        for m in range(left):
            if equivalent(matrix, taken, names[kept[m]], names[y], state):
                old = m
                break
        if old >= 0:
            bounds[old] = max(bounds[old], values[y])
        else:
            kept[left] = y
            bounds[left] = values[y]
            left += 1
    return left


@kernel
def expand(
    given: Matrices, unit: int, room: BoundWorkspace, stack: Stack, state: MappingState
) -> bool:
    """Bound a node; unless it is cut off, list its children."""
    tally = state.tally
    best = tally[BEST]
    twice, count = bound(given, state.place, state.holder, room)
    step = 2 * unit
    if -(-twice // step) * step >= best:
        return False
    # the rank or the processor whose children have the greatest bounds
    costs = room.costs
    gap = best - twice
    most = -1
    which = 0
    by_rank = True
    for turn in range(2):
        for x in range(count):
            total = 0
            for y in range(count):
                total += min(gap, costs[x, y] if turn == 0 else costs[y, x])
            if total > most:
                most = total
                which = x
                by_rank = turn == 0
    d = tally[DEPTH]
    values = room.flows[0]
    for y in range(count):
        raised = twice + (costs[which, y] if by_rank else costs[y, which])
        values[y] = -(-raised // step) * step
    stack.by_rank[d] = by_rank
    if by_rank:
        stack.item[d] = room.ranks[which]
        left = distinct(given.hops, state.holder, values, room.sites, count, state)
        names = room.sites
    else:
        stack.item[d] = room.sites[which]
        left = distinct(given.flow, state.place, values, room.ranks, count, state)
        names = room.ranks
    many = 0
    for m in range(left):
        value = state.bounds[m]
        if value < best:
            k = many
            while k > 0 and stack.least[d, k - 1] > value:
                stack.least[d, k] = stack.least[d, k - 1]
                stack.child[d, k] = stack.child[d, k - 1]
                k -= 1
            stack.least[d, k] = value
            stack.child[d, k] = names[state.kept[m]]
            many += 1
    stack.size[d] = many
    stack.next[d] = 0
    return True


@kernel
def search(
    given: Matrices,
    unit: int,
    room: BoundWorkspace,
    stack: Stack,
    state: MappingState,
    budget: int,
) -> None:
    """Search at most so many nodes."""
    tally, place, holder = state.tally, state.place, state.holder
    n = len(place)
    while budget > 0:
        d = tally[DEPTH]
        c = stack.next[d]
        if c == stack.size[d] or stack.least[d, c] >= tally[BEST]:
            stack.next[d] = stack.size[d]
            if d == 0:
                tally[DONE] = 1
                return
            d -= 1
            tally[DEPTH] = d
            done = stack.child[d, stack.next[d] - 1]
            i, p = (stack.item[d], done) if stack.by_rank[d] else (done, stack.item[d])
            place[i] = -1
            holder[p] = -1
            continue
        stack.next[d] = c + 1
        i, p = stack.item[d], stack.child[d, c]
        if not stack.by_rank[d]:
            i, p = p, i
        place[i] = p
        holder[p] = i
        budget -= 1
        tally[NODES] += 1
        if d + 1 < n:
            tally[DEPTH] = d + 1
            if expand(given, unit, room, stack, state):
                continue
            tally[DEPTH] = d
        else:
            total = 0
            for a in range(n):
                for b in range(n):
                    total += given.flow[a, b] * given.hops[place[a], place[b]]
            if total < tally[BEST]:
                tally[BEST] = total
                state.best[:] = place
        place[i] = -1
        holder[p] = -1

"""Kernels of bounds on a skyline, for the search by gaps and the beam search.

A skyline is what is covered from below: segment s reaches from edge[s] to edge[s + 1]
and is height[s] high; neighbours differ in height. A niche is a segment lower than its
neighbours.
"""

from __future__ import annotations

from ....solvers.running.kernels import kernel

SUM_BITS = 62
"""Bits used of a word of sums, none of which is its sign."""
_FULL = (1 << SUM_BITS) - 1


@kernel
def add(sums, length, times):  # type: ignore[no-untyped-def]
    """Add a length up to so many times to a set of sums, held as bits."""
    jump = length // SUM_BITS
    shift = length % SUM_BITS
    for _ in range(times):
        more = False
        for i in range(sums.shape[0] - 1, jump - 1, -1):
            moved = (sums[i - jump] << shift) & _FULL
            if shift > 0 and i > jump:
                moved |= sums[i - jump - 1] >> (SUM_BITS - shift)
            if moved & ~sums[i]:
                sums[i] |= moved
                more = True
        if not more:
            break


@kernel
def short(sums, length):  # type: ignore[no-untyped-def]
    """Return how much the greatest sum within a length leaves of it."""
    at = length
    while not (sums[at // SUM_BITS] >> (at % SUM_BITS)) & 1:
        at -= 1
    return length - at


@kernel
def sum_up(sums, lengths, wide, high, many, left, gap, rest):  # type: ignore[no-untyped-def]
    """Write the sums of one length of the items left that fit into a gap."""
    sums[:] = 0
    sums[0] = 1
    for t in range(wide.shape[0]):
        if left[t] > 0:
            for o in range(many[t]):
                if high[t, o] <= rest and wide[t, o] <= gap:
                    add(sums, lengths[t, o], left[t])


@kernel
def wall(heights, n, s, roof):  # type: ignore[no-untyped-def]
    """Return the height of the lower neighbour of a segment."""
    lower = roof
    if s > 0:
        lower = heights[s - 1]
    if s + 1 < n:
        lower = min(lower, heights[s + 1])
    return lower


@kernel
def wasted(edges, heights, n, roof, wide, high, many, left, sums, lost):  # type: ignore[no-untyped-def]
    """Count cells that no items left can cover, at least.

    Columns above a segment are filled with heights up to the roof; or the rows of a
    niche, up to its lower wall, with widths. Not both: they may share cells. ``sums``
    and ``lost`` are room.
    """
    sum_up(sums, high, wide, high, many, left, edges[n], roof)
    for s in range(n):
        lost[s] = (edges[s + 1] - edges[s]) * short(sums, roof - heights[s])
    total = 0
    for s in range(n):
        y, gap = heights[s], edges[s + 1] - edges[s]
        lower = wall(heights, n, s, roof)
        if lower > y:
            sum_up(sums, wide, wide, high, many, left, gap, roof - y)
            lost[s] = max(lost[s], (lower - y) * short(sums, gap))
        total += lost[s]
    return total


@kernel
def narrowest(edges, heights, n, roof):  # type: ignore[no-untyped-def]
    """Return the narrowest niche."""
    best, least = 0, edges[n] + 1
    for s in range(n):
        gap = edges[s + 1] - edges[s]
        if gap < least and wall(heights, n, s, roof) > heights[s]:
            best, least = s, gap
    return best


@kernel
def homeless(edges, heights, n, roof, wide, high, many, left):  # type: ignore[no-untyped-def]
    """Whether some item that is left has no place above the skyline."""
    for t in range(wide.shape[0]):
        if left[t] == 0:
            continue
        has_place = False
        for o in range(many[t]):
            run = 0
            for s in range(n):
                if heights[s] + high[t, o] <= roof:
                    run += edges[s + 1] - edges[s]
                    if run >= wide[t, o]:
                        has_place = True
                        break
                else:
                    run = 0
            if has_place:
                break
        if not has_place:
            return True
    return False

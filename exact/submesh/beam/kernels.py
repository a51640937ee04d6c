"""Kernels of the beam search over skylines; see `beam`.

A skyline is what is covered from below: segment s reaches from edge[s] to edge[s + 1]
and is height[s] high; neighbours differ in height.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....instances import IntArray as Ints
from ....solvers.running.kernels import kernel

PARENT, KIND, WAY, RIGHT, RAISED, X, Y = range(7)
"""Columns of ``step``: how a state follows from its parent."""
SUM_BITS = 62
"""Bits used of a word of sums, none of which is its sign."""
_FULL = (1 << SUM_BITS) - 1


class Kinds(NamedTuple):
    """The items to be packed, by kind."""

    roof: int  # height of the mesh
    waste: int  # cells that may stay free
    wide: Ints  # (kinds, 2) of each kind of item, in each of its ways
    high: Ints  # (kinds, 2)
    many: Ints  # (kinds,) number of ways


class Noise(NamedTuple):
    """Random noise, the same for equal states of a run."""

    most: float  # part of its cost that is added to a state
    seed: int


class Layer(NamedTuple):
    """States with equally many items placed; those beyond the count are unused."""

    edges: Ints  # (states, segments + 1)
    heights: Ints
    counts: Ints  # (states,) segments
    left: Ints  # (states, kinds) items not placed
    area: Ints  # (states,) cells of the items placed
    waste: Ints  # (states,) cells left free below the skyline
    step: Ints  # (states, 7) see `PARENT`


class Children(NamedTuple):
    """States that follow from those of a layer, as far as there is room for them."""

    cost: npt.NDArray[np.float64]  # (children,) the cheapest are kept
    mixed: Ints  # (children,) equal for equal states
    step: Ints  # (children, 7)


@kernel
def times(word: int, factor: int) -> int:
    """Multiply words of 64 bits, the first with a sign.

    Machine code takes for granted that signed integers do not overflow.
    """
    return int(np.int64(np.uint64(np.int64(word)) * np.uint64(factor)))


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
    """Return the difference of a length and the greatest sum within it."""
    at = length
    while not (sums[at // SUM_BITS] >> (at % SUM_BITS)) & 1:
        at -= 1
    return length - at


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


@kernel
def lowest(heights, n):  # type: ignore[no-untyped-def]
    """Return the lowest segment, the leftmost of them."""
    s = 0
    for i in range(1, n):
        if heights[i] < heights[s]:
            s = i
    return s


@kernel
def raise_lowest(edges, heights, n, roof):  # type: ignore[no-untyped-def]
    """Leave the lowest gap free up to its lower wall; return segments and cells."""
    s = lowest(heights, n)
    level = roof
    if s > 0:
        level = min(level, heights[s - 1])
    if s + 1 < n:
        level = min(level, heights[s + 1])
    cells = (edges[s + 1] - edges[s]) * (level - heights[s])
    heights[s] = level
    m = 0
    for i in range(n):
        if m == 0 or heights[i] != heights[m - 1]:
            edges[m] = edges[i]
            heights[m] = heights[i]
            m += 1
    edges[m] = edges[n]
    return m, cells


@kernel
def put(edges, heights, n, wide, high, right, line, tops):  # type: ignore[no-untyped-def]
    """Put an item at an end of the lowest gap; return segments of the new skyline."""
    s = lowest(heights, n)
    begin, end, top = edges[s], edges[s + 1], heights[s] + high
    m = 0
    for i in range(s):
        line[m] = edges[i]
        tops[m] = heights[i]
        m += 1
    if right and wide < end - begin:
        line[m] = begin
        tops[m] = heights[s]
        m += 1
        begin = end - wide
    if m == 0 or tops[m - 1] != top:
        line[m] = begin
        tops[m] = top
        m += 1
    i = s + 1
    if begin + wide < end:
        line[m] = begin + wide
        tops[m] = heights[s]
        m += 1
    elif i < n and heights[i] == top:
        i += 1
    while i < n:
        line[m] = edges[i]
        tops[m] = heights[i]
        m += 1
        i += 1
    line[m] = edges[n]
    return m


@kernel
def count_unreachable(edges, heights, n, roof, widths, tall, levels):  # type: ignore[no-untyped-def]
    """Count cells above a skyline that no items left can cover, at least.

    Every row of a gap is covered by a sum of widths, every column above the skyline by
    a sum of heights; ``widths`` and ``tall`` hold the sums. ``levels`` is room.
    """
    columns = 0
    for s in range(n):
        columns += (edges[s + 1] - edges[s]) * short(tall, roof - heights[s])
        at = s
        while at > 0 and levels[at - 1] > heights[s]:
            levels[at] = levels[at - 1]
            at -= 1
        levels[at] = heights[s]
    levels[n] = roof
    rows = 0
    for k in range(n):
        y = levels[k]
        if levels[k + 1] == y:
            continue
        run = 0
        for s in range(n + 1):
            if s < n and heights[s] <= y:
                run += edges[s + 1] - edges[s]
            elif run > 0:
                rows += (levels[k + 1] - y) * short(widths, run)
                run = 0
    return max(rows, columns)


@kernel
def reachable_sums(kinds, left, widths, tall):  # type: ignore[no-untyped-def]
    """Write the sums of widths and of heights of the items left."""
    widths[:] = 0
    tall[:] = 0
    widths[0] = tall[0] = 1
    for t in range(left.shape[0]):
        if left[t] > 0:
            for o in range(kinds.many[t]):
                add(widths, kinds.wide[t, o], left[t])
                add(tall, kinds.high[t, o], left[t])


@kernel
def follow(
    kinds: Kinds,
    layer: Layer,
    count: int,
    found: Children,
    segment: float,
    power: float,
    noise: Noise,
) -> int:
    """Write all children of a layer, each with a cost; return their number.

    An item is put at either end of the lowest gap, before or after it was raised. A
    child is left out if more than may stays free, or an item has no place. Its cost
    falls with the area of the items placed, and rises with what stays free (as far as
    known) and with the segments of its skyline, each counted as so many cells; noise
    is added.
    """
    size = layer.edges.shape[1]
    edges, heights = np.zeros(size, np.int64), np.zeros(size, np.int64)
    line, tops = np.zeros(size, np.int64), np.zeros(size, np.int64)
    levels = np.zeros(size + 1, np.int64)
    words = max(layer.edges[0, layer.counts[0]], kinds.roof) // SUM_BITS + 1
    widths, tall = np.zeros(words, np.int64), np.zeros(words, np.int64)
    roof, wide, high, many = kinds.roof, kinds.wide, kinds.high, kinds.many
    m = 0
    for p in range(count):
        n = layer.counts[p]
        edges[:] = layer.edges[p]
        heights[:] = layer.heights[p]
        left = layer.left[p]
        free = layer.waste[p]
        reachable_sums(kinds, left, widths, tall)
        raised = 0
        while (
            free + count_unreachable(edges, heights, n, roof, widths, tall, levels)
            <= kinds.waste
        ):
            s = lowest(heights, n)
            gap, y = edges[s + 1] - edges[s], heights[s]
            if y == roof:
                break
            for t in range(left.shape[0]):
                if left[t] == 0:
                    continue
                for way in range(2 * many[t]):
                    o, right = way // 2, way % 2
                    w, h = wide[t, o], high[t, o]
                    if w > gap or y + h > roof or (right and (w == gap or n == 1)):
                        continue
                    k = put(edges, heights, n, w, h, right, line, tops)
                    left[t] -= 1
                    nowhere = homeless(line, tops, k, roof, wide, high, many, left)
                    left[t] += 1
                    if nowhere:
                        continue
                    more = count_unreachable(line, tops, k, roof, widths, tall, levels)
                    if free + more > kinds.waste:
                        continue
                    if m == found.cost.shape[0]:
                        return m
                    mixed = np.int64(1469598103934665603)
                    for q in range(left.shape[0]):
                        mixed = times(mixed ^ (left[q] - (q == t)), 1099511628211)
                    for q in range(k):
                        mixed = times(mixed ^ line[q], 1099511628211)
                        mixed = times(mixed ^ tops[q], 1099511628211)
                        mixed ^= mixed >> 29
                    found.mixed[m] = mixed
                    drawn = times(mixed ^ noise.seed, 11400714819323198485)
                    drawn = times(drawn ^ (drawn >> 31), 1442695040888963407)
                    chance = ((drawn >> 20) & 0xFFFFF) / 0x100000
                    cells = layer.area[p] + w * h
                    cost = (free + more + segment * k + 1.0) / cells**power
                    found.cost[m] = cost * (1.0 + noise.most * chance)
                    step = found.step[m]
                    step[PARENT], step[KIND], step[WAY] = p, t, o
                    step[RIGHT], step[RAISED], step[Y] = right, raised, y
                    step[X] = edges[s + 1] - w if right else edges[s]
                    m += 1
            n, cells = raise_lowest(edges, heights, n, roof)
            free += cells
            raised += 1
    return m


@kernel
def keep(
    kinds: Kinds, layer: Layer, found: Children, chosen: Ints, deeper: Layer
) -> None:
    """Write the chosen children as the next layer."""
    size = layer.edges.shape[1]
    edges, heights = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for c in range(chosen.shape[0]):
        step = found.step[chosen[c]]
        p, t, o = step[PARENT], step[KIND], step[WAY]
        n = layer.counts[p]
        edges[:] = layer.edges[p]
        heights[:] = layer.heights[p]
        deeper.waste[c] = layer.waste[p]
        for _ in range(step[RAISED]):
            n, cells = raise_lowest(edges, heights, n, kinds.roof)
            deeper.waste[c] += cells
        w, h = kinds.wide[t, o], kinds.high[t, o]
        deeper.counts[c] = put(
            edges, heights, n, w, h, step[RIGHT], deeper.edges[c], deeper.heights[c]
        )
        deeper.left[c] = layer.left[p]
        deeper.left[c, t] -= 1
        deeper.area[c] = layer.area[p] + w * h
        deeper.step[c] = step

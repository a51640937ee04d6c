"""Kernels of the exhaustive search for packings with little left free; see ``niches``.

A skyline is what is covered from below: segment s reaches from edge[s] to edge[s + 1]
and is height[s] high; neighbours differ in height. A niche is a segment lower than its
neighbours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....instances import IntArray as Ints
from ....solvers.kernels import kernel

FOUND, NONE, LONG = 1, 0, 2
"""How a run ended: a packing, there is none, its nodes are used up."""
AT, NODES = 0, 1
"""Fields of ``state``: depth, nodes so far."""
WORDS = 5
"""Of a key; what needs more is not remembered."""
WAYS = 4
"""Entries of a bucket of the table."""
SUM_BITS = 31
"""Bits used of a word of sums, so that a shifted word is still one."""
_KEY_BITS = 62
_FULL = (1 << SUM_BITS) - 1


class Gaps(NamedTuple):
    """What is to be packed, and how far a search has come."""

    roof: int  # height of the mesh; its width is edges[0, 1]
    wide: Ints  # (kinds, 2) of each kind of item, in each of its ways
    high: Ints  # (kinds, 2)
    many: Ints  # (kinds,) number of ways
    left: Ints  # (kinds,) how many are to be placed
    bits: Ints  # that a width, a height and each number of items take in a key
    edges: Ints  # the skyline of every depth; the first is set
    heights: Ints
    counts: Ints  # (depths,) segments of the skyline
    chosen: Ints  # (depths, 4) kind, way, x, y; the kind after the last: a free gap
    waste: Ints  # (depths,) cells that may still be left free
    entered: Ints  # (depths,) nodes when it was begun
    table: Ints  # states known to lead nowhere, and the nodes this took; -1 if none
    sums: Ints  # room for sums of lengths
    state: Ints  # see `AT` and `NODES`


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
def _wasted(edges, heights, n, roof, wide, high, many, left, sums):  # type: ignore[no-untyped-def]
    """Count cells that no items left can cover, at least.

    Either by columns, each to be filled up to the roof with heights; or by the lowest
    rows of the niches, each to be filled with widths. Not both: they may share cells.
    """
    sums[:] = 0
    sums[0] = 1
    for t in range(wide.shape[0]):
        if left[t] > 0:
            for o in range(many[t]):
                add(sums, high[t, o], left[t])
    columns = 0
    for s in range(n):
        columns += (edges[s + 1] - edges[s]) * short(sums, roof - heights[s])
    rows = 0
    for s in range(n):
        y = heights[s]
        if y == roof:
            continue
        if (s > 0 and heights[s - 1] < y) or (s + 1 < n and heights[s + 1] < y):
            continue
        gap = edges[s + 1] - edges[s]
        sums[:] = 0
        sums[0] = 1
        for t in range(wide.shape[0]):
            if left[t] > 0:
                for o in range(many[t]):
                    if high[t, o] <= roof - y and wide[t, o] <= gap:
                        add(sums, wide[t, o], left[t])
        lower = roof
        if s > 0:
            lower = heights[s - 1]
        if s + 1 < n:
            lower = min(lower, heights[s + 1])
        rows += (lower - y) * short(sums, gap)
    return max(rows, columns)


@kernel
def _tightest(edges, heights, n, roof, waste, wide, many, left, subsets):  # type: ignore[no-untyped-def]
    """Return the niche that the fewest sets of items left fill, if not others.

    Sets count by their widths alone. ``subsets`` is room.
    """
    widest = 0
    for s in range(n):
        if (s == 0 or heights[s - 1] > heights[s]) and (
            s + 1 == n or heights[s + 1] > heights[s]
        ):
            widest = max(widest, edges[s + 1] - edges[s])
    subsets[: widest + 1] = 0
    subsets[0] = 1
    for t in range(wide.shape[0]):
        for _ in range(left[t]):
            for length in range(widest, 0, -1):
                for o in range(many[t]):
                    if wide[t, o] <= length:
                        subsets[length] += subsets[length - wide[t, o]]
    best = 0
    fewest = np.inf
    for s in range(n):
        y = heights[s]
        lower = roof
        if s > 0:
            lower = heights[s - 1]
        if s + 1 < n:
            lower = min(lower, heights[s + 1])
        if lower < y or (lower == roof and y == roof):
            continue
        gap = edges[s + 1] - edges[s]
        fills = 0.0
        for length in range(max(0, gap - waste // (lower - y)), gap + 1):
            fills += subsets[length]
        if fills < fewest:
            best = s
            fewest = fills
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


@kernel
def _encode(edges, heights, n, left, bits, back, key):  # type: ignore[no-untyped-def]
    """Write skyline and items left as one key, nothing lost; False if it is too long.

    Numbers of items come first, in words of their own; then width and height of every
    segment, from the left or from the right. A width is at least 1, so the zeros
    before the first segment of a word are no segments.
    """
    for k in range(WORDS):
        key[k] = 0
    k = 0
    used = 0
    for t in range(left.shape[0]):
        if used + bits[2 + t] > _KEY_BITS:
            k += 1
            used = 0
            if k == WORDS:
                return False
        key[k] = (key[k] << bits[2 + t]) | left[t]
        used += bits[2 + t]
    used = _KEY_BITS
    for i in range(n):
        s = n - 1 - i if back else i
        if used + bits[0] + bits[1] > _KEY_BITS:
            k += 1
            used = 0
            if k == WORDS:
                return False
        key[k] = (key[k] << bits[0]) | (edges[s + 1] - edges[s])
        key[k] = (key[k] << bits[1]) | heights[s]
        used += bits[0] + bits[1]
    return True


@kernel
def _key(edges, heights, n, left, bits, key, spare):  # type: ignore[no-untyped-def]
    """Write the key of a state or of its mirror image, whichever comes first."""
    if not _encode(edges, heights, n, left, bits, False, key):
        return False
    _encode(edges, heights, n, left, bits, True, spare)
    for k in range(WORDS):
        if spare[k] != key[k]:
            if spare[k] < key[k]:
                key[:] = spare
            break
    return True


@kernel
def _bucket(table, key):  # type: ignore[no-untyped-def]
    """Return the first entry of the bucket of a key; there is a power of two."""
    mixed = np.int64(1469598103934665603)
    for k in range(WORDS):
        mixed ^= key[k]
        mixed *= np.int64(-7046029254386353131)
        mixed ^= (mixed >> 29) & ((np.int64(1) << 35) - 1)
    return (mixed & (table.shape[0] // WAYS - 1)) * WAYS


@kernel
def _known(table, key):  # type: ignore[no-untyped-def]
    first = _bucket(table, key)
    for entry in range(first, first + WAYS):
        same = True
        for k in range(WORDS):
            if table[entry, k] != key[k]:
                same = False
                break
        if same:
            return True
    return False


@kernel
def _remember(table, key, nodes):  # type: ignore[no-untyped-def]
    """Remember that a state leads nowhere, for one that took fewer nodes to see."""
    first = _bucket(table, key)
    least = first
    for entry in range(first + 1, first + WAYS):
        if table[entry, WORDS] < table[least, WORDS]:
            least = entry
    for k in range(WORDS):
        table[least, k] = key[k]
    table[least, WORDS] = nodes


@kernel
def _cover(edges, heights, counts, depth, s, x, wide, high):  # type: ignore[no-untyped-def]
    """Cover segment s from x on; write the skyline one level deeper.

    What is left of x stays free, up to the height of the segment before.
    """
    n = counts[depth]
    top = heights[depth, s] + high
    right = x + wide
    m = 0
    for i in range(s):
        edges[depth + 1, m] = edges[depth, i]
        heights[depth + 1, m] = heights[depth, i]
        m += 1
    if m == 0 or heights[depth + 1, m - 1] != top:
        edges[depth + 1, m] = x
        heights[depth + 1, m] = top
        m += 1
    i = s + 1
    if right < edges[depth, i]:
        edges[depth + 1, m] = right
        heights[depth + 1, m] = heights[depth, s]
        m += 1
    elif i < n and heights[depth, i] == top:
        i += 1
    while i < n:
        edges[depth + 1, m] = edges[depth, i]
        heights[depth + 1, m] = heights[depth, i]
        m += 1
        i += 1
    edges[depth + 1, m] = edges[depth, n]
    counts[depth + 1] = m


@kernel
def search(gaps: Gaps, most: int) -> int:
    """Go on with the search, for at most so many nodes more; return how it ended."""
    roof, wide, high, many = gaps.roof, gaps.wide, gaps.high, gaps.many
    left, bits, waste, entered = gaps.left, gaps.bits, gaps.waste, gaps.entered
    edges, heights, counts = gaps.edges, gaps.heights, gaps.counts
    chosen, table, sums, state = gaps.chosen, gaps.table, gaps.sums, gaps.state
    kinds = wide.shape[0]
    depth = state[AT]
    rest = 0
    for t in range(kinds):
        rest += left[t]
    key = np.zeros(WORDS, dtype=np.int64)
    spare = np.zeros(WORDS, dtype=np.int64)
    subsets = np.zeros(edges[0, counts[0]] + 1)
    last = state[NODES] + most
    while True:
        n = counts[depth]
        s = chosen[depth, 4]
        x, end = edges[depth, s], edges[depth, s + 1]
        y = heights[depth, s]
        wall = heights[depth, s - 1] if s > 0 else roof
        lower = wall
        if s + 1 < n:
            lower = min(lower, heights[depth, s + 1])
        t, o, at = chosen[depth, 0], chosen[depth, 1], chosen[depth, 2] + 1
        free = 0
        stepped = False
        while t < kinds:
            if left[t] > 0:
                while o < many[t]:
                    if y + high[t, o] <= roof and at + wide[t, o] <= end:
                        free = (at - x) * (wall - y)
                        if at == x or (y + high[t, o] > wall and free <= waste[depth]):
                            stepped = True
                            break
                    o += 1
                    at = x
            if stepped:
                break
            t += 1
            o = 0
            at = x
        if t == kinds and o == 0 and lower < roof:
            free = (end - x) * (lower - y)
            stepped = free <= waste[depth]
        if not stepped:
            if _key(edges[depth], heights[depth], n, left, bits, key, spare):
                _remember(table, key, state[NODES] - entered[depth] + 1)
            if depth == 0:
                state[AT] = 0
                return NONE
            depth -= 1
            if chosen[depth, 0] < kinds:
                left[chosen[depth, 0]] += 1
                rest += 1
            continue
        chosen[depth, 0], chosen[depth, 1] = t, o
        chosen[depth, 2], chosen[depth, 3] = at, y
        state[NODES] += 1
        waste[depth + 1] = waste[depth] - free
        if t < kinds:
            left[t] -= 1
            rest -= 1
            _cover(edges, heights, counts, depth, s, at, wide[t, o], high[t, o])
            if rest == 0:
                state[AT] = depth + 1
                return FOUND
        else:
            chosen[depth, 1] = 1
            _cover(edges, heights, counts, depth, s, x, end - x, lower - y)
        line, tops, n = edges[depth + 1], heights[depth + 1], counts[depth + 1]
        if (
            homeless(line, tops, n, roof, wide, high, many, left)
            or _wasted(line, tops, n, roof, wide, high, many, left, sums)
            > waste[depth + 1]
            or (_key(line, tops, n, left, bits, key, spare) and _known(table, key))
        ):
            if t < kinds:
                left[t] += 1
                rest += 1
        else:
            depth += 1
            chosen[depth, 0] = chosen[depth, 1] = 0
            s = _tightest(line, tops, n, roof, waste[depth], wide, many, left, subsets)
            chosen[depth, 2], chosen[depth, 4] = edges[depth, s] - 1, s
            entered[depth] = state[NODES]
        if state[NODES] >= last:
            state[AT] = depth
            return LONG

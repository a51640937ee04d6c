"""Kernels of the exhaustive search for packings with little left free; see ``niches``.

A skyline is what is covered from below: segment s reaches from edge[s] to edge[s + 1]
and is height[s] high; neighbours differ in height. A niche is a segment lower than its
neighbours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....instances import IntArray as Ints
from ....solvers.running.kernels import kernel
from .kernels_bounds import homeless, narrowest, short, sum_up, wall, wasted

FOUND, NONE, LONG = 1, 0, 2
"""How a run ended: a packing, there is none, its nodes are used up."""
AT, NODES = 0, 1
"""Fields of ``state``: depth, nodes so far."""
WORDS = 5
"""Of a key; what needs more is not remembered."""
WAYS = 4
"""Entries of a bucket of the table."""
_KEY_BITS = 62


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
    beside: Ints  # (depths, lengths) least that widths leave of a row of the niche
    above: Ints  # (depths, lengths) least that heights leave of a column
    large: int  # kind of the one item that lies in the lower left quarter, or -1
    state: Ints  # see `AT` and `NODES`


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
def _key(edges, heights, n, left, bits, large, key, spare):  # type: ignore[no-untyped-def]
    """Write the key of a state or of its mirror image, whichever comes first.

    While the item that lies in the left half is left, mirror images differ.
    """
    if not _encode(edges, heights, n, left, bits, False, key):
        return False
    if large >= 0 and left[large] > 0:
        return True
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
def _enter(gaps, depth):  # type: ignore[no-untyped-def]
    """Choose the niche of a state to fill, and prepare for what comes into it."""
    line, tops, n = gaps.edges[depth], gaps.heights[depth], gaps.counts[depth]
    roof, wide, high, many = gaps.roof, gaps.wide, gaps.high, gaps.many
    left, sums = gaps.left, gaps.sums
    s = narrowest(line, tops, n, roof)
    chosen = gaps.chosen[depth]
    chosen[0] = chosen[1] = 0
    chosen[2], chosen[4] = line[s] - 1, s
    gaps.entered[depth] = gaps.state[NODES]
    gap, rest = line[s + 1] - line[s], roof - tops[s]
    sum_up(sums, wide, wide, high, many, left, gap, rest)
    for length in range(gap + 1):
        gaps.beside[depth, length] = short(sums, length)
    sum_up(sums, high, wide, high, many, left, line[n], rest)
    for length in range(rest + 1):
        gaps.above[depth, length] = short(sums, length)


@kernel
def _fits(gaps, depth, t, o, at):  # type: ignore[no-untyped-def]
    """Return the cells left free by an item at a place in the niche, -1 if too many."""
    s, n = gaps.chosen[depth, 4], gaps.counts[depth]
    line, tops = gaps.edges[depth], gaps.heights[depth]
    x, end, y = line[s], line[s + 1], tops[s]
    wide, high = gaps.wide[t, o], gaps.high[t, o]
    rest, top = end - at - wide, y + high
    if rest < 0 or top > gaps.roof:
        return -1
    if t == gaps.large and (2 * y > gaps.roof - high or 2 * at > line[n] - wide):
        return -1
    free = 0
    if at > x:
        free = (at - x) * (tops[s - 1] - y)
        if s == 0 or top <= tops[s - 1]:
            return -1
    lower = min(top, tops[s + 1]) if s + 1 < n else top
    lost = gaps.beside[depth, rest] * (lower - y)
    lost += gaps.above[depth, gaps.roof - top] * wide
    return free if free + lost <= gaps.waste[depth] else -1


@kernel
def search(gaps: Gaps, most: int) -> int:
    """Go on with the search, for at most so many nodes more; return how it ended."""
    roof, wide, high, many = gaps.roof, gaps.wide, gaps.high, gaps.many
    left, bits, waste, large = gaps.left, gaps.bits, gaps.waste, gaps.large
    edges, heights, counts = gaps.edges, gaps.heights, gaps.counts
    chosen, table, sums, state = gaps.chosen, gaps.table, gaps.sums, gaps.state
    kinds = wide.shape[0]
    depth = state[AT]
    rest = 0
    for t in range(kinds):
        rest += left[t]
    key = np.zeros(WORDS, dtype=np.int64)
    spare = np.zeros(WORDS, dtype=np.int64)
    lost = np.zeros(edges.shape[1], dtype=np.int64)
    last = state[NODES] + most
    if state[NODES] == 0:
        _enter(gaps, 0)
    while True:
        n = counts[depth]
        s = chosen[depth, 4]
        x, end = edges[depth, s], edges[depth, s + 1]
        y = heights[depth, s]
        lower = wall(heights[depth], n, s, roof)
        t, o, at = chosen[depth, 0], chosen[depth, 1], chosen[depth, 2] + 1
        free = -1
        while t < kinds:
            while left[t] > 0 and o < many[t]:
                free = _fits(gaps, depth, t, o, at)
                if free >= 0:
                    break
                if s > 0 and (at + 1 - x) * (heights[depth, s - 1] - y) <= waste[depth]:
                    at += 1
                else:
                    o += 1
                    at = x
            if free >= 0:
                break
            t += 1
            o = 0
            at = x
        if t == kinds and o == 0:
            free = (end - x) * (lower - y)
            if free > waste[depth]:
                free = -1
        if free < 0:
            if _key(edges[depth], heights[depth], n, left, bits, large, key, spare):
                _remember(table, key, state[NODES] - gaps.entered[depth] + 1)
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
            or wasted(line, tops, n, roof, wide, high, many, left, sums, lost)
            > waste[depth + 1]
            or (
                _key(line, tops, n, left, bits, large, key, spare)
                and _known(table, key)
            )
        ):
            if t < kinds:
                left[t] += 1
                rest += 1
        else:
            depth += 1
            _enter(gaps, depth)
        if state[NODES] >= last:
            state[AT] = depth
            return LONG

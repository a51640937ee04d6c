"""Place a few boxes among others that stay: all places that matter, in numba."""

from __future__ import annotations

import numpy as np

from ...instances import IntArray
from ...solvers.running.kernels import kernel
from .packing_kernels import is_free

NO, YES, OPEN = 0, 1, 2
"""There is no room; there is; the work allowed was not enough to tell."""


@kernel
def apart(
    low: IntArray,
    side: IntArray,
    other: IntArray,
    length: IntArray,
    shape: IntArray,
    torus: bool,
) -> bool:
    """Whether two boxes have no processor in common, in three axes."""
    for a in range(3):
        if torus:
            ahead = (other[a] - low[a]) % shape[a]
            behind = (low[a] - other[a]) % shape[a]
            if ahead >= side[a] and behind >= length[a]:
                return True
        elif other[a] >= low[a] + side[a] or low[a] >= other[a] + length[a]:
            return True
    return False


@kernel
def places(
    shape: IntArray,
    torus: bool,
    low: IntArray,
    side: IntArray,
    sizes: IntArray,
    ways: IntArray,
    item: int,
    way: int,
) -> IntArray:
    """List where an item can be, in a packing that is pushed back along every axis.

    Its lowest corner is then at the end of the mesh or of what stays, plus sides of
    some of the other items. What stays has corners ``low`` and sides ``side``, n x 3;
    items have ``sizes``, m x 6 x 3, in as many ways as ``ways`` states.
    """
    longest = shape.max()
    marked = np.zeros((3, longest), dtype=np.bool_)
    for a in range(3):
        whole = shape[a]
        marked[a, 0] = True
        for i in range(low.shape[0]):
            end = low[i, a] + side[i, a]
            if torus:
                end %= whole
            if end < whole:
                marked[a, end] = True
        for j in range(sizes.shape[0]):
            if j == item:
                continue
            before = marked[a].copy()
            for w in range(ways[j]):
                step = sizes[j, w, a]
                for x in range(whole):
                    if before[x]:
                        if torus:
                            marked[a, (x + step) % whole] = True
                        elif x + step < whole:
                            marked[a, x + step] = True
    size = sizes[item, way]
    last = np.empty(3, dtype=np.int64)
    for a in range(3):
        last[a] = shape[a] if torus else shape[a] - size[a] + 1
    found = np.empty((64, 3), dtype=np.int64)
    count = 0
    place = np.empty(3, dtype=np.int64)
    for x in range(last[0]):
        if not marked[0, x]:
            continue
        for y in range(last[1]):
            if not marked[1, y]:
                continue
            for z in range(last[2]):
                if not marked[2, z]:
                    continue
                place[0], place[1], place[2] = x, y, z
                if is_free(shape, low, side, low.shape[0], place, size, torus):
                    if count == found.shape[0]:
                        wider = np.empty((2 * count, 3), dtype=np.int64)
                        wider[:count] = found
                        found = wider
                    found[count] = place
                    count += 1
    return found[:count]


@kernel
def fit(
    shape: IntArray,
    torus: bool,
    low: IntArray,
    side: IntArray,
    sizes: IntArray,
    ways: IntArray,
    most: int,
) -> tuple[int, IntArray, int]:
    """Place all items among what stays, or prove that this cannot be.

    Depth first, the item with the fewest places left first; places that overlap one
    taken are struck off before going on.

    Arguments are those of `places`, and how many places are looked at before giving up.
    Returns `NO`, `YES` or `OPEN`; corner and way of each item, m x 4; places looked at.
    """
    m = sizes.shape[0]
    chosen = np.zeros((m, 4), dtype=np.int64)
    work = 0
    counts = np.zeros(m, dtype=np.int64)
    parts = []
    widest = 1
    for i in range(m):
        total = 0
        several = []
        for w in range(ways[i]):
            found = places(shape, torus, low, side, sizes, ways, i, w)
            several.append(found)
            total += found.shape[0]
        joined = np.empty((total, 4), dtype=np.int64)
        at = 0
        for w in range(ways[i]):
            for p in range(several[w].shape[0]):
                joined[at, :3] = several[w][p]
                joined[at, 3] = w
                at += 1
        parts.append(joined)
        counts[i] = total
        widest = max(widest, total)
        if total == 0:
            return NO, chosen, work
    # left[depth, item, :count] are the places of an item that are left there
    left = np.empty((m + 1, m, widest), dtype=np.int64)
    number = np.zeros((m + 1, m), dtype=np.int64)
    for i in range(m):
        number[0, i] = counts[i]
        for p in range(counts[i]):
            left[0, i, p] = p
    order = np.full(m, -1, dtype=np.int64)
    upto = np.zeros(m, dtype=np.int64)
    placed = np.zeros(m, dtype=np.bool_)
    depth = 0
    order[0] = np.argmin(number[0])
    while depth >= 0:
        i = order[depth]
        placed[i] = False
        if upto[depth] == number[depth, i]:
            upto[depth] = 0
            depth -= 1
            continue
        spot = parts[i][left[depth, i, upto[depth]]]
        upto[depth] += 1
        chosen[i] = spot
        placed[i] = True
        if depth == m - 1:
            return YES, chosen, work
        size = sizes[i, spot[3]]
        fewest = -1
        dead = False
        for j in range(m):
            if placed[j]:
                continue
            kept = 0
            for n in range(number[depth, j]):
                p = left[depth, j, n]
                there = parts[j][p]
                if apart(spot, size, there, sizes[j, there[3]], shape, torus):
                    left[depth + 1, j, kept] = p
                    kept += 1
            work += number[depth, j]
            number[depth + 1, j] = kept
            if kept == 0:
                dead = True
                break
            if fewest < 0 or kept < number[depth + 1, fewest]:
                fewest = j
        if work > most:
            return OPEN, chosen, work
        if not dead:
            depth += 1
            order[depth] = fewest
            upto[depth] = 0
    return NO, chosen, work

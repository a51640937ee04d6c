"""Kernels of packing: boxes are corners and sides, padded to three axes."""

from __future__ import annotations

import numpy as np

from ...solvers.running.kernels import kernel


@kernel
def overlaps(shape, low, length, i, place, size, torus):  # type: ignore[no-untyped-def]
    """Whether box i has a cell in common with a box here."""
    for a in range(3):
        if torus:
            ahead = (low[i, a] - place[a]) % shape[a]
            behind = (place[a] - low[i, a]) % shape[a]
            if ahead >= size[a] and behind >= length[i, a]:
                return False
        elif low[i, a] >= place[a] + size[a] or place[a] >= low[i, a] + length[i, a]:
            return False
    return True


@kernel
def stops(shape, low, length, n, a, size, torus):  # type: ignore[no-untyped-def]
    """List, in order, where a box pushed back along an axis comes to rest."""
    side = shape[a]
    found = np.empty(n + 1, dtype=np.int64)
    found[0] = 0
    count = 1
    for i in range(n):
        at = low[i, a] + length[i, a]
        if torus:
            at %= side
        elif at + size > side:
            continue
        found[count] = at
        count += 1
    found = np.sort(found[:count])
    kept = 1
    for i in range(1, count):
        if found[i] != found[kept - 1]:
            found[kept] = found[i]
            kept += 1
    return found[:kept]


@kernel
def is_free(shape, low, length, n, place, size, torus):  # type: ignore[no-untyped-def]
    """Whether a box here overlaps none of the first n."""
    for i in range(n):
        if overlaps(shape, low, length, i, place, size, torus):
            return False
    return True


@kernel
def first_place(shape, low, length, n, size, torus, place):  # type: ignore[no-untyped-def]
    """Write the first free place of a box, the last axis first; False if none."""
    for a in range(3):
        if size[a] > shape[a]:
            return False
    xs = stops(shape, low, length, n, 0, size[0], torus)
    ys = stops(shape, low, length, n, 1, size[1], torus)
    zs = stops(shape, low, length, n, 2, size[2], torus)
    for z in zs:
        for y in ys:
            for x in xs:
                place[0], place[1], place[2] = x, y, z
                free = True  # not by `is_free`: a call for every place costs too much
                for i in range(n):
                    if overlaps(shape, low, length, i, place, size, torus):
                        free = False
                        break
                if free:
                    return True
    return False


@kernel
def direct(shape, low, length, size, torus):  # type: ignore[no-untyped-def]
    """Return the first free place of a box, the last axis first; -1s if none."""
    place = np.zeros(3, dtype=np.int64)
    if not first_place(shape, low, length, low.shape[0], size, torus, place):
        place[:] = -1
    return place

"""Kernels of the exhaustive search for packings by staircases; see ``staircase``.

What is placed bounds a staircase: segment s reaches from edge[s] to edge[s + 1] and is
height[s] high, higher than all to the right of it. Corner s is (edge[s], height[s]).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....instances import IntArray as Ints
from ....solvers.running.kernels import kernel

FOUND, NONE, LONG = 1, 0, 2
"""How a run ended: a packing, there is none, its nodes are used up."""
AT, NODES = 0, 1
"""Fields of ``state``: depth, nodes so far."""


class Stairs(NamedTuple):
    """What is to be packed, and how far a search has come."""

    roof: int  # height of the mesh; its width is edges[0, 1]
    wide: Ints  # (n, 2) of each item, in each of its ways; area first
    high: Ints  # (n, 2)
    many: Ints  # (n,) number of ways
    twin: Ints  # (n,) the equal item that must be placed before; -1 if none
    pivot: int  # the item in the lower half along both axes; -1 if none must
    edges: Ints  # the staircase of every depth; the first is set
    heights: Ints
    counts: Ints  # (depths,) segments of the staircase
    chosen: Ints  # (depths, 5) corner, item, way, x and y of the box placed there
    used: npt.NDArray[np.bool_]  # (n,) which items are placed
    state: Ints  # see `AT` and `NODES`


@kernel
def _raise(edges, heights, counts, depth, s, wide, high):  # type: ignore[no-untyped-def]
    """Put a box at corner s; write the staircase above it one level deeper."""
    top = heights[depth, s] + high
    right = edges[depth, s] + wide
    count = counts[depth]
    n = 0
    i = 0
    while i < count and heights[depth, i] > top:
        edges[depth + 1, n] = edges[depth, i]
        heights[depth + 1, n] = heights[depth, i]
        n += 1
        i += 1
    edges[depth + 1, n] = edges[depth, i]  # at the latest, corner s itself
    heights[depth + 1, n] = top
    n += 1
    while i < count and edges[depth, i + 1] <= right:
        i += 1
    end = edges[depth, count]
    if right < end:
        edges[depth + 1, n] = right
        heights[depth + 1, n] = heights[depth, i]
        n += 1
        i += 1
        while i < count:
            edges[depth + 1, n] = edges[depth, i]
            heights[depth + 1, n] = heights[depth, i]
            n += 1
            i += 1
    edges[depth + 1, n] = end
    counts[depth + 1] = n


@kernel
def _hopeless(edges, heights, counts, depth, roof, room, wide, high, many, used):  # type: ignore[no-untyped-def]
    """Whether what is left has no corner, or not the area, above this staircase.

    The pocket at a corner at which nothing that is left fits stays empty.
    """
    count = counts[depth]
    end = edges[depth, count]
    free = 0
    before = roof
    for s in range(count):
        x = edges[depth, s]
        y = heights[depth, s]
        next_x = edges[depth, s + 1]
        free += (next_x - x) * (roof - y)
        fits = False
        for j in range(wide.shape[0]):
            if used[j]:
                continue
            for o in range(many[j]):
                if x + wide[j, o] <= end and y + high[j, o] <= roof:
                    fits = True
                    break
            if fits:
                break
        if not fits:
            free -= (next_x - x) * (before - y)
        before = y
    if free < room:
        return True
    for j in range(wide.shape[0]):
        if used[j]:
            continue
        fits = False
        for s in range(count):
            for o in range(many[j]):
                if (
                    edges[depth, s] + wide[j, o] <= end
                    and heights[depth, s] + high[j, o] <= roof
                ):
                    fits = True
                    break
            if fits:
                break
        if not fits:
            return True
    return False


@kernel
def search(stairs: Stairs, most: int) -> int:
    """Go on with the search, for at most so many nodes more; return how it ended."""
    roof, wide, high, many = stairs.roof, stairs.wide, stairs.high, stairs.many
    twin, pivot, used, state = stairs.twin, stairs.pivot, stairs.used, stairs.state
    edges, heights, counts = stairs.edges, stairs.heights, stairs.counts
    chosen = stairs.chosen
    n = wide.shape[0]
    side = edges[0, counts[0]]
    depth = state[AT]
    room = 0
    for j in range(n):
        if not used[j]:
            room += wide[j, 0] * high[j, 0]
    last = state[NODES] + most
    while True:
        s, j, o = chosen[depth, 0], chosen[depth, 1], chosen[depth, 2] + 1
        stepped = False
        while s < counts[depth]:
            x = edges[depth, s]
            y = heights[depth, s]
            while j < n:
                if used[j] or (twin[j] >= 0 and not used[twin[j]]):
                    j += 1
                    o = 0
                    continue
                while o < many[j]:
                    w = wide[j, o]
                    h = high[j, o]
                    if x + w > side or y + h > roof:
                        o += 1
                        continue
                    if j == pivot and (2 * x + w > side or 2 * y + h > roof):
                        o += 1
                        continue
                    if depth > 0:
                        # Two that could be placed in either order: the left one first.
                        a = chosen[depth - 1, 3]
                        if x < a and x + w <= a:
                            before = False
                            for t in range(counts[depth - 1]):
                                if (
                                    edges[depth - 1, t] == x
                                    and heights[depth - 1, t] == y
                                ):
                                    before = True
                                    break
                            if before:
                                o += 1
                                continue
                    stepped = True
                    break
                if stepped:
                    break
                j += 1
                o = 0
            if stepped:
                break
            s += 1
            j = 0
            o = 0
        if not stepped:
            if depth == 0:
                state[AT] = 0
                return NONE
            depth -= 1
            j = chosen[depth, 1]
            used[j] = False
            room += wide[j, 0] * high[j, 0]
            continue
        chosen[depth, 0] = s
        chosen[depth, 1] = j
        chosen[depth, 2] = o
        chosen[depth, 3] = edges[depth, s]
        chosen[depth, 4] = heights[depth, s]
        state[NODES] += 1
        used[j] = True
        room -= wide[j, 0] * high[j, 0]
        if depth + 1 == n:
            state[AT] = depth + 1
            return FOUND
        _raise(edges, heights, counts, depth, s, wide[j, o], high[j, o])
        if _hopeless(
            edges, heights, counts, depth + 1, roof, room, wide, high, many, used
        ):
            used[j] = False
            room += wide[j, 0] * high[j, 0]
        else:
            depth += 1
            chosen[depth, 0] = 0
            chosen[depth, 1] = 0
            chosen[depth, 2] = -1
        if state[NODES] >= last:
            state[AT] = depth
            return LONG

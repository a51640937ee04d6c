"""Kernels of the curve allocators: runs and spans of idle places along a curve."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...instances import IntArray as Ints
from ...solvers.running.kernels import kernel

Flags = npt.NDArray[np.bool_]


@kernel
def find(idle: Flags, order: Ints, k: int, best: bool) -> int:
    """Find where along the curve k idle processors are to be taken from.

    At least k are ``idle``; with ``best`` it looks for the shortest run that is long
    enough, not the first. If none is, k idle ones of least span are to be taken.
    """
    n = len(order)
    start, length = -1, n + 1  # the run taken
    run = 0
    for place in range(n + 1):
        if place < n and idle[order[place]]:
            run += 1
            if run == k and not best:
                return place - k + 1
            continue
        if k <= run < length:
            start, length = place - run, run
            if run == k:
                break
        run = 0
    if start >= 0:
        return start
    return int(narrowest(idle, order, k))


@kernel
def narrowest(idle: Flags, order: Ints, k: int) -> int:
    """Return where the k idle processors of least span begin, the first of several."""
    n = len(order)
    begin, least = 0, n + 1
    tail = 0
    seen = 0
    for place in range(n):
        if not idle[order[place]]:
            continue
        seen += 1
        if seen < k:
            continue
        while not idle[order[tail]]:
            tail += 1
        if place - tail < least:
            begin, least = tail, place - tail
        tail += 1  # leaves the window
    return begin


@kernel
def take(idle: Flags, order: Ints, start: int, k: int) -> Ints:
    """Return k idle processors from a place of the curve on, in its order."""
    taken = np.empty(k, dtype=np.int64)
    found = 0
    place = start
    while found < k:
        if idle[order[place]]:
            taken[found] = order[place]
            found += 1
        place += 1
    return taken

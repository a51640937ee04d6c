"""Kernels of simulated annealing; see ``annealing``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....solvers.running.kernels import kernel

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
_FRACTION = 1.0 / 2**53


class Partners(NamedTuple):
    """Partners of ranks, those of rank i from start[i] to start[i + 1]."""

    start: Ints
    partner: Ints
    flow: Ints
    hops: Ints  # between processors


@kernel
def fraction(words: Words) -> float:
    """Return a random number from 0 to 1, exclusively (xorshift64*)."""
    x = words[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    words[0] = x
    return float(x * np.uint64(2685821657736338717) >> np.uint64(11)) * _FRACTION


@kernel
def change(given: Partners, place: Ints, a: int, b: int) -> int:
    """Return by how much the cost rises if two ranks change places."""
    start, partner, flow, hops = given.start, given.partner, given.flow, given.hops
    p, q = place[a], place[b]
    rise = 0
    for at in range(start[a], start[a + 1]):
        other = partner[at]
        if other != b:
            far = place[other]
            rise += flow[at] * (hops[q, far] - hops[p, far])
    for at in range(start[b], start[b + 1]):
        other = partner[at]
        if other != a:
            far = place[other]
            rise += flow[at] * (hops[p, far] - hops[q, far])
    return rise


@kernel
def pair(words: Words, n: int) -> tuple[int, int]:
    """Draw two different ranks."""
    a = int(fraction(words) * n)
    b = int(fraction(words) * (n - 1))
    return a, b + (b >= a)


@kernel
def sample(given: Partners, place: Ints, words: Words, count: int) -> float:
    """Return the mean of the positive changes among so many drawn, 0 if none is."""
    total = 0.0
    many = 0
    for _ in range(count):
        a, b = pair(words, len(place))
        rise = change(given, place, a, b)
        if rise > 0:
            total += rise
            many += 1
    return total / max(1, many)


@kernel
def cool(
    given: Partners,
    place: Ints,
    best: Ints,
    costs: Ints,
    words: Words,
    heat: float,
    factor: float,
    moves: int,
) -> float:
    """Draw so many pairs, and let them change places if the heat permits.

    ``costs`` are that of ``place`` and that of ``best``. Returns the heat afterwards,
    which falls by the factor with each pair.
    """
    n = len(place)
    for _ in range(moves):
        a, b = pair(words, n)
        rise = change(given, place, a, b)
        heat *= factor
        if rise <= 0 or fraction(words) < np.exp(-rise / heat):
            place[a], place[b] = place[b], place[a]
            costs[0] += rise
            if costs[0] < costs[1]:
                costs[1] = costs[0]
                best[:] = place
    return heat


@kernel
def descend(given: Partners, place: Ints) -> int:
    """Let pairs change places until none makes it cheaper; return by how much it is."""
    n = len(place)
    gain = 0
    since = 0
    while since < n:
        for a in range(n):
            since += 1
            for b in range(n):
                if a != b:
                    rise = change(given, place, a, b)
                    if rise < 0:
                        place[a], place[b] = place[b], place[a]
                        gain -= rise
                        since = 0
            if since >= n:
                break
    return gain

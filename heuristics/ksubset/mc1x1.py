"""MC1x1: the k processors in the first shells round the best centre."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...instances import IntArray, KSubset, arrays
from ...solvers import DEFAULT, Result, Settings, answer
from ...solvers.running import clock
from ...solvers.running.kernels import kernel
from .centres import Centres, Scan, cheapest_centre, everywhere, free_sites


def mc1x1(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Fill shells of growing cubes round every free processor.

    Shell s round a free processor consists of the processors at distance s from it in
    the maximum norm (the shorter way round on a torus). The first k by shell, then
    index, are a candidate; the candidate with the least sum of shell numbers is
    returned, from the first centre in lexicographic order that has it. When a limit is
    reached, the best centre so far counts.

    Guarantee: (2 - 2/k) d in d dimensions.
    Time: O(shells) per centre on a mesh of two dimensions, else O(n d).
    Ties: shell, then coordinates.
    Source: Bender et al. 2008, section 3, Theorem 3, after Mache et al. 1997.
    """
    return _cheapest(instance, free_sites(instance), settings)


def mc1x1_all(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Fill shells of growing cubes round every location, free or busy.

    Otherwise like ``mc1x1``. Along lines, locations beyond the bounding box of the free
    processors are left out: moving a centre to the nearest cell of the box brings it
    nearer to all of them. On points every intersection of their coordinates is a
    location.

    Guarantee: (2 - 2/k) d in d dimensions, as centres at all free processors suffice
        for the proof.
    Time: that of mc1x1 for a centre, times the number of locations.
    Ties: shell, then coordinates; the first centre in lexicographic order.
    Source: Bender et al. 2008, note to Table 1.
    """
    return _cheapest(instance, _locations(instance), settings)


def _locations(instance: KSubset) -> Centres:
    """Return all locations of a grid, on its lines those between free processors."""
    grid = instance.topology.grid
    if grid is None:
        return everywhere(instance)
    low = np.where(grid.rings, 0, arrays.points(instance).min(axis=0))
    high = np.where(
        grid.rings, np.array(grid.shape) - 1, arrays.points(instance).max(axis=0)
    )
    return Centres(tuple(np.arange(a, b + 1) for a, b in zip(low, high, strict=True)))


def _cheapest(instance: KSubset, centres: Centres, settings: Settings) -> Result:
    """Return the first candidate whose sum of shell numbers is least."""
    start = clock.now()
    scan = _scanner(instance)
    winner, limit = cheapest_centre(centres, scan, settings, start)
    order = np.argsort(shells(instance, winner), kind="stable")
    return answer(instance, order[: instance.k], start=start, limit=limit)


def _scanner(instance: KSubset) -> Scan:
    """Scan centres by sums over a mesh of two dimensions; else by processors."""
    k = instance.k
    low = arrays.points(instance).min(axis=0)
    shape = arrays.points(instance).max(axis=0) - low + 1
    if instance.topology.is_plane:
        sums = np.zeros(shape + 1, dtype=np.int32)
        sums[tuple((arrays.points(instance) - low + 1).T)] = 1
        np.cumsum(np.cumsum(sums, axis=0, out=sums), axis=1, out=sums)
        return lambda part, best: scan_mesh(sums, k, part - low, best)
    site, side = arrays.points(instance).copy(), _rings(instance)
    most = int(np.where(side > 0, side // 2, shape - 1).max())
    return lambda part, best: scan_cloud(site, side, most, k, part, best)


def shells(instance: KSubset, centre: IntArray) -> IntArray:
    """Return shell numbers of all free processors: distances in the maximum norm."""
    step = np.abs(arrays.points(instance) - centre)
    side = _rings(instance)
    step = np.where(side > 0, np.minimum(step, side - step), step)
    numbers: IntArray = step.max(axis=1)
    return numbers


def _rings(instance: KSubset) -> IntArray:
    """Return the length of every ring, 0 where an axis does not wrap."""
    return np.array(instance.topology.ring_lengths, dtype=np.int64)


@kernel
def scan_mesh(
    sums: npt.NDArray[np.int32], k: int, centres: IntArray, best: int
) -> tuple[int, int]:
    """Scan cells of a mesh of two dimensions by prefix sums over rectangles.

    Of the k first processors k - N(s) lie beyond shell s, N(s) being how many lie
    in the square of shells 0 to s: the sum of these is the sum of the shell
    numbers. O(shells) a centre.

    ``sums[x, y]`` counts the free cells (a, b) with a < x and b < y. Returns the least
    sum of shell numbers and where in ``centres`` it is first met, or ``best`` and -1.
    """
    height, width = sums.shape[0] - 1, sums.shape[1] - 1
    where = -1
    for i in range(len(centres)):
        x, y = centres[i, 0], centres[i, 1]
        total = shell = 0
        while total < best:
            top, bottom = max(0, x - shell), min(height, x + shell + 1)
            left, right = max(0, y - shell), min(width, y + shell + 1)
            inside = sums[bottom, right] + sums[top, left]
            inside -= sums[bottom, left] + sums[top, right]
            if inside >= k:
                best, where = total, i
                break
            total += k - inside
            shell += 1
    return best, where


@kernel
def scan_cloud(
    site: IntArray, side: IntArray, most: int, k: int, centres: IntArray, best: int
) -> tuple[int, int]:
    """Scan any processors with coordinates, O(n d) a centre.

    ``side`` has the length of every ring, 0 where an axis does not wrap. No shell
    number is above ``most``; if that is small they are counted, else selected. See
    `scan_mesh` for the rest.
    """
    n, d = site.shape
    shell = np.empty(n, dtype=np.int64)
    count = np.zeros(most + 1 if most <= 4 * n else 0, dtype=np.int64)
    where = -1
    for i in range(len(centres)):
        for p in range(n):
            furthest = 0
            for a in range(d):
                step = abs(site[p, a] - centres[i, a])
                if side[a] > 0:
                    step = min(step, side[a] - step)
                furthest = max(furthest, step)
            shell[p] = furthest
            if len(count) > 0:
                count[furthest] += 1
        total = 0
        if len(count) > 0:
            missing = k
            for number in range(len(count)):
                total += number * min(count[number], missing)
                missing -= min(count[number], missing)
            count[:] = 0
        else:
            for number in np.partition(shell, k - 1)[:k]:
                total += number
        if total < best:
            best, where = total, i
    return best, where

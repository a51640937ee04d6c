"""Lower bounds that answers cite, derived a second time from the definition.

``formulations.ksubset.bounds`` computes them fast, for searches; nothing is shared with
it but their names. Proofs are in docs/science/theory.md, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from math import inf, prod
from operator import add, mod
from time import monotonic

from ..errors import TooLong
from ..topologies import Grid, Site
from .certificate import CertificateChecker
from .instance import KSubset
from .towns import least_sum

STAR = "star bound"
TOWN = "town bound"
AXIS = "axis bound"


def derive_bound(
    instance: KSubset,
    by: str,
    *,
    seconds: float = inf,
    checker: type[CertificateChecker] = CertificateChecker,
) -> int | None:
    """Derive the bound of a name: no k processors cost less.

    Returns None if there is no such bound for the instance.

    Raises
    ------
    TooLong
        If it takes longer than ``seconds``.
    InputError
        If a certificate of a town does not hold.

    >>> from closeknit.instances import mesh
    >>> [derive_bound(mesh(5, 5, k=5), by) for by in (STAR, TOWN, AXIS)]
    [10, 16, None]
    """
    until = monotonic() + seconds

    def look_at_clock() -> None:
        if monotonic() > until:
            raise TooLong(f"takes more than {round(seconds, 3):g} s to derive", "bound")

    if by == STAR:
        stars = _stars(instance, look_at_clock)
        return -(-sum(sorted(stars)[: instance.k]) // 2)
    one_each = len(set(instance.free)) == instance.n
    if by == TOWN and instance.topology.is_flat and one_each:
        dimension = instance.topology.dimension
        return least_sum(instance.k, dimension, seconds=seconds, by=checker)
    if by == AXIS and instance.topology.is_flat and not instance.topology.grid:
        axes = zip(*instance.free, strict=True)
        return sum(_cheapest_run(sorted(axis), instance.k) for axis in axes)
    return None


def _cheapest_run(x: Sequence[int], k: int) -> int:
    """Return the least pair sum of k numbers of a sorted list: that of a run of them.

    In a run from place s on, the number at place i counts 2 (i - s) - k + 1 times.
    """
    sums = list(accumulate(x, initial=0))
    placed = list(accumulate((i * a for i, a in enumerate(x)), initial=0))
    return min(
        2 * (placed[s + k] - placed[s]) - (2 * s + k - 1) * (sums[s + k] - sums[s])
        for s in range(len(x) - k + 1)
    )


def _stars(instance: KSubset, look_at_clock: Callable[[], None]) -> Iterator[int]:
    """Sum the distances from every processor to its k nearest, itself included."""
    topology, k, n = instance.topology, instance.k, instance.n
    grid = topology.grid
    if grid and 2**grid.dimension * k * prod(grid.shape) < n * n:
        yield from _grid_stars(instance, grid, look_at_clock)
        return
    for at, site in enumerate(instance.free):
        look_at_clock()
        row = topology.distances_from(site, instance.free)
        row[at] = 0
        yield sum(sorted(row)[:k])


def _grid_stars(
    instance: KSubset, grid: Grid, look_at_clock: Callable[[], None]
) -> Iterator[int]:
    """Count the free processors at distance 1, 2, … from each, until there are k."""
    free = set(instance.free)
    axes = zip(grid.shape, grid.rings, strict=True)
    # Of a line no coordinate outside is one inside again, modulo twice its length.
    modulus = [side if ring else 2 * side for side, ring in axes]
    shells: list[list[Site]] = []
    for site in instance.free:
        missing, star, radius = instance.k - 1, 0, 0  # itself is at distance 0
        while missing:
            look_at_clock()
            radius += 1
            if radius > len(shells):
                shells.append(list(_ring(radius, grid.shape, grid.rings)))
            shell = shells[radius - 1]
            cells = (tuple(map(mod, map(add, site, step), modulus)) for step in shell)
            found = min(missing, sum(cell in free for cell in cells))
            star += radius * found
            missing -= found
        yield star


def _ring(radius: int, shape: Sequence[int], rings: Sequence[bool]) -> Iterator[Site]:
    """Yield the offsets to all cells at a distance; round a ring each cell once."""
    side = shape[0]
    first, last = (-((side - 1) // 2), side // 2) if rings[0] else (1 - side, side - 1)
    if len(shape) == 1:
        yield from ((step,) for step in {-radius, radius} if first <= step <= last)
        return
    for step in range(max(first, -radius), min(last, radius) + 1):
        for rest in _ring(radius - abs(step), shape[1:], rings[1:]):
            yield (step, *rest)

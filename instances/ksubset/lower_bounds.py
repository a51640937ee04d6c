"""Lower bounds that answers cite, derived a second time from the definition.

``formulations.ksubset.bounds`` computes them fast, for searches; nothing is shared with
it but their names. Proofs are in docs/science/theory.md, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, product
from math import inf, prod
from operator import add, itemgetter, mul
from time import monotonic

from ..errors import TooLong
from ..topologies import Grid, Site, Tree
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
            raise TooLong(f"takes more than {seconds:g} s to derive", "bound")

    if by == STAR:
        stars = _stars(instance, look_at_clock)
        return -(-sum(sorted(stars)[: instance.k]) // 2)
    if by == TOWN and _is_lattice(instance):
        dimension = instance.topology.dimension
        return least_sum(instance.k, dimension, seconds=seconds, by=checker)
    if by == AXIS and instance.topology.is_flat and not instance.topology.grid:
        axes = zip(*instance.free, strict=True)
        return sum(_cheapest_run(sorted(axis), instance.k) for axis in axes)
    return None


def _is_lattice(instance: KSubset) -> bool:
    """Whether the processors are distinct points of a grid with L1 distances."""
    return instance.topology.is_flat and len(set(instance.free)) == instance.n


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
    columns = list(zip(*instance.free, strict=True))
    for at, site in enumerate(instance.free):
        look_at_clock()
        if topology.tree:
            lengths = _tree_lengths(topology.tree, site[0])
            row = [lengths[v] for v in columns[0]]
        elif topology.ring_lengths is not None:
            row = [0] * n
            for x, along, ring in zip(
                site, columns, topology.ring_lengths, strict=True
            ):
                steps = [abs(x - y) for y in along]
                if ring:
                    steps = [min(step, ring - step) for step in steps]
                row = list(map(add, row, steps))
        else:
            row = [topology.distance(site, other) for other in instance.free]
            row[at] = 0
        yield sum(sorted(row)[:k])


def _tree_lengths(tree: Tree, node: int) -> list[int]:
    """Return the distances of all nodes from one: up to the root, and down again."""
    lengths = [-1] * len(tree.parent)
    length = 0
    while node >= 0:
        lengths[node] = length
        length += tree.weight[node]
        node = tree.parent[node]
    for v in tree.order:
        if lengths[v] < 0:
            lengths[v] = lengths[tree.parent[v]] + tree.weight[v]
    return lengths


def _grid_stars(
    instance: KSubset, grid: Grid, look_at_clock: Callable[[], None]
) -> Iterator[int]:
    """Count the free processors at distance 0, 1, … from each, until there are k.

    Cells have numbers, in row-major order, in a grid that goes on for ``reach`` cells
    on all sides: on rings with copies of itself, else with cells that are not free. So
    the cells at a distance are at the same offsets from every processor.
    """
    reach, rings = 0, list[Callable[[memoryview], Sequence[int]]]()
    for site in instance.free:
        look_at_clock()
        missing, star, radius = instance.k - 1, 0, 0  # itself is at distance 0
        while missing:
            radius += 1
            if radius > reach:
                reach = 2 * radius
                free, strides = _continue_grid(instance.free, grid, reach)
                far = reach * sum(strides)
                rings = [
                    itemgetter(
                        *(far + sum(map(mul, step, strides)) for step in steps), 0
                    )
                    for r in range(1, reach + 1)
                    for steps in [_ring(r, grid.shape, grid.rings)]
                ]
            here = sum(map(mul, (x + reach for x in site), strides))
            around = free[here - far : here + far + 1]
            found = min(missing, sum(rings[radius - 1](around)[:-1]))
            star += radius * found
            missing -= found
        yield star


def _continue_grid(
    sites: Sequence[Site], grid: Grid, reach: int
) -> tuple[memoryview, list[int]]:
    """Return which cells of a grid that goes on are free, and the steps of its axes."""
    ends = [side + 2 * reach for side in grid.shape]
    strides = [prod(ends[axis + 1 :]) for axis in range(len(ends))]
    free = bytearray(prod(ends) + 2 * reach * sum(strides))
    for site in sites:
        copies = (
            range(x - side * (-(-reach // side)), side + reach, side) if ring else (x,)
            for x, side, ring in zip(site, grid.shape, grid.rings, strict=True)
        )
        for cell in product(*copies):
            if all(
                -reach <= x < end - reach for x, end in zip(cell, ends, strict=True)
            ):
                free[
                    sum(
                        (x + reach) * step
                        for x, step in zip(cell, strides, strict=True)
                    )
                ] = 1
    return memoryview(free), strides


def _ring(radius: int, shape: Sequence[int], rings: Sequence[bool]) -> Iterator[Site]:
    """Yield the offsets to all cells at a distance; round a ring each cell once."""
    if not shape:
        if not radius:
            yield ()
        return
    side = shape[0]
    first, last = (-((side - 1) // 2), side // 2) if rings[0] else (1 - side, side - 1)
    for step in range(max(first, -radius), min(last, radius) + 1):
        for rest in _ring(radius - abs(step), shape[1:], rings[1:]):
            yield (step, *rest)

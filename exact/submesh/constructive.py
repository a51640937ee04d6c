"""Constructive packing: skyline, sequence pairs, first free places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from ...instances import IntArray as Ints
from ...instances.arrays import cells
from ...instances.submesh import Box, box_at
from ...instances.submesh.packing import Packing, ways
from . import constructive_kernels as kernels
from .direct import first_free, in_three, in_two_ways, mark_held

_WORK = 2_000_000
"""Annealing steps times items squared between two checks, about 0.01 s."""
_MANY = 80
"""Number of items up to which every free place is examined."""


def is_plain(packing: Packing) -> bool:
    """Whether the mesh has two axes and no rings, and nothing is fixed or blocked."""
    fixed = any(item.at is not None for item in packing.items)
    return packing.d == 2 and not (packing.torus or packing.blocked or fixed)


def orders(packing: Packing, free: Sequence[int]) -> list[list[int]]:
    """List orders of the free items, by number: largest first, by several measures.

    The measures are volume, each side, the longest side, and the sum of sides.
    """

    def largest(measure: Callable[[tuple[int, ...]], int]) -> list[int]:
        return sorted(
            range(len(free)),
            key=lambda j: (-measure(packing.items[free[j]].size), j),
        )

    measures: list[Callable[[tuple[int, ...]], int]] = [prod, max, sum]
    measures += [lambda size, a=a: size[a] for a in range(packing.d)]  # type: ignore[misc]
    return [largest(measure) for measure in measures]


def construct(
    packing: Packing,
    seed: int,
    stop: Callable[[], bool],
    rounds: int = 1,
    *,
    plain: bool = True,
) -> tuple[Box, ...] | None:
    """Return a packing, or None if none was found.

    If nothing is fixed in a two-dimensional mesh, the lowest gap of the skyline is
    filled with the item that fits it best, in every order of `orders`; then orders and
    sequence pairs are annealed. Otherwise each item goes to the first free place, and
    orders are modified as long as that is no worse.

    Each item must fit on its own. The construction ends when ``stop``, called between
    steps, returns True. With ``plain`` every order is tried unmodified first; that is
    not needed after a call with no rounds.

    Time: O(n^2) per skyline or sequence pair; first free places in two dimensions
    O(n^4), with many items O(n p) for p processors.
    Source: Burke, Kendall and Whitwell 2004 (best fit); Wei et al. 2011 (the score of
    a gap); Murata et al. 1996 (sequence pairs); Baker et al. 1980 (bottom left).
    """
    free = [i for i, item in enumerate(packing.items) if item.at is None]
    if is_plain(packing):
        return _in_the_plane(packing, seed, stop, rounds, plain)
    if len(packing.items) + len(packing.blocked) > _MANY:
        return _one_by_one(packing, free, stop) if plain else None
    return _in_free_places(packing, free, seed, stop, rounds, plain)


def _in_the_plane(
    packing: Packing, seed: int, stop: Callable[[], bool], rounds: int, plain: bool
) -> tuple[Box, ...] | None:
    n = len(packing.items)
    sizes = [ways(packing, item) for item in packing.items]
    wide, high, many = in_two_ways(sizes)
    at = np.zeros((n, 2), dtype=np.int64)
    way = np.zeros(n, dtype=np.int64)
    random = np.array([seed * 2654435761 % 2**31 + 88172645463325252], dtype=np.int64)
    steps = min(20_000, max(200, _WORK // (n * n)))

    def boxes() -> tuple[Box, ...]:
        return tuple(
            box_at((int(x), int(y)), sizes[j][int(way[j])])
            for j, (x, y) in enumerate(at)
        )

    def skylines(side: int, roof: int, w: Ints, h: Ints, count: int) -> bool:
        for order in orders(packing, range(n)):
            if stop():
                return False
            queue = np.array(order, dtype=np.int64)
            if not kernels.anneal_skyline(
                side, roof, w, h, many, queue, at, way, random, count
            ):
                return True
        return False

    side, roof = packing.shape
    if plain and skylines(side, roof, wide, high, 0):
        return boxes()
    if plain and skylines(roof, side, high, wide, 0):
        at[:] = at[:, ::-1].copy()
        return boxes()
    for _ in range(rounds):
        if stop():
            return None
        first = np.array(orders(packing, range(n))[0], dtype=np.int64)
        where = np.argsort(first).astype(np.int64)
        way[:] = 0
        if not kernels.anneal_pairs(
            side, roof, wide, high, many, first, where, at, way, random, steps
        ):
            return boxes()
        if skylines(side, roof, wide, high, steps // 5):
            return boxes()
    return None


def _held(packing: Packing) -> list[Box]:
    """List the fixed boxes and the blocked cells."""
    fixed = [item.at for item in packing.items if item.at is not None]
    return [*fixed, *((*cell, *cell) for cell in packing.blocked)]


def _one_by_one(
    packing: Packing, free: list[int], stop: Callable[[], bool]
) -> tuple[Box, ...] | None:
    """Put each item into the first free place, in each of the orders."""
    begin = mark_held(packing.shape, _held(packing))
    for order in orders(packing, free):
        taken = begin.copy()
        boxes = [item.at for item in packing.items]
        for i in (free[j] for j in order):
            if stop():
                return None
            found = (
                first_free(taken, size, packing.torus)
                for size in ways(packing, packing.items[i])
            )
            boxes[i] = box = next((box for box in found if box is not None), None)
            if box is None:
                break
            taken[cells(packing.shape, box)] = True
        else:
            return tuple(box for box in boxes if box is not None)
    return None


def _in_free_places(
    packing: Packing,
    free: list[int],
    seed: int,
    stop: Callable[[], bool],
    rounds: int,
    plain: bool,
) -> tuple[Box, ...] | None:
    """Put the items into the first free places, and anneal the orders."""
    d = packing.d
    held = _held(packing)
    fixed = len(held)
    low, length = in_three([*held, *[(0,) * 2 * d] * len(free)], d)
    shape = np.array((*packing.shape, *(1,) * (3 - d)), dtype=np.int64)
    choices = [ways(packing, packing.items[i]) for i in free]
    many = np.array([len(several) for several in choices], dtype=np.int64)
    sizes = np.ones((len(free), 6, 3), dtype=np.int64)
    for j, several in enumerate(choices):
        for o, size in enumerate(several):
            sizes[j, o, :d] = size
    random = np.array([seed * 2654435761 % 2**31 + 88172645463325252], dtype=np.int64)
    steps = min(200, max(5, _WORK // (len(packing.items) + 1) ** (d + 1)))
    for count in (*[0] * plain, *[steps] * rounds):
        for order in orders(packing, free):
            if stop():
                return None
            queue = np.array(order, dtype=np.int64)
            if kernels.anneal_fill(
                shape,
                packing.torus,
                low,
                length,
                fixed,
                sizes,
                many,
                queue,
                random,
                count,
            ):
                continue
            placed = {
                i: box_at(low[fixed + j, :d].tolist(), length[fixed + j, :d].tolist())
                for j, i in enumerate(free)
            }
            return tuple(
                placed[i] if item.at is None else item.at
                for i, item in enumerate(packing.items)
            )
    return None

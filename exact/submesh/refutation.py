"""Search for a checkable proof that boxes cannot be packed.

Proofs are found in floating point, and accepted only if
`infeasibility.check_infeasible` confirms them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...instances import IntArray as Ints
from ...instances.submesh.infeasibility import check_infeasible
from ...instances.submesh.packed import volume
from ...instances.submesh.packing import Packing, ways

Certificate = dict[str, Any]
"""A proof as stored in a solution file."""
_Floats = NDArray[np.float64]
_Function = tuple[str, int]

_ABOVE = 1.0 + 1e-9
"""Rescaled volume above which a proof is checked exactly."""
_ALL = 64
"""Sides up to which every threshold is tried."""
_KEPT = 256
"""Number of functions of an axis that are combined with those of another."""
_KEPT_TURNED = 96
"""The same for items that may be rotated."""
_LARGEST_U = 40


def refute(packing: Packing) -> Certificate | None:
    """Return a proof that the boxes cannot be packed, or None if none was found.

    Tries a total volume that is too large, two items that fit along no axis, items
    that must all be stacked and do not fit, items without a place next to what is
    fixed, and pairs of dual feasible functions with thresholds from the lengths.

    Time: O(n^2 + n F^2) for F functions of an axis, at most 256.
    Source: Fekete and Schepers 2004; Carlier, Clautiaux and Moukrim 2007.
    """
    for found in _proofs(packing):
        if not check_infeasible(packing, found):
            return found
    return None


def _proofs(packing: Packing) -> Iterator[Certificate]:
    if volume(packing) > prod(packing.shape):
        yield {"kind": "dual feasible", "functions": [["identity", 1]] * packing.d}
    sizes = [ways(packing, item) for item in packing.items]
    for i, several in enumerate(sizes):
        if not several:
            yield {"kind": "no place", "item": i}
            return
    least = np.array([np.min(several, axis=0) for several in sizes])
    yield from _pairs(packing, least)
    yield from _stacks(packing, least)
    if packing.blocked or any(item.at is not None for item in packing.items):
        yield from _no_places(packing)
    yield from _rescalings(packing, sizes)


def _pairs(packing: Packing, least: Ints) -> Iterator[Certificate]:
    """Find two items that fit along no axis, if there are any.

    If their least lengths fit, they can be rotated so that these lie along that axis.
    """
    clash = (least[:, None, :] + least[None, :, :] > np.array(packing.shape)).all(2)
    for i, j in np.argwhere(np.triu(clash, 1))[:1]:
        yield {"kind": "pair", "items": [int(i), int(j)]}


def _stacks(packing: Packing, least: Ints) -> Iterator[Certificate]:
    """Take items longer than half the side across, and one shorter that adds most."""
    shape = packing.shape
    for axis in range(packing.d):
        others = [a for a in range(packing.d) if a != axis]
        order = sorted(
            range(len(least)), key=lambda i: [-int(least[i][a]) for a in others]
        )
        stack: list[int] = []
        for i in order:
            if all(least[i][a] + least[j][a] > shape[a] for j in stack for a in others):
                stack.append(i)
        for i in order:  # replace the shortest by a longer one that must be stacked
            rest = stack[:-1]
            across = all(
                least[i][a] + least[j][a] > shape[a] for j in rest for a in others
            )
            if across and i not in stack and least[i][axis] > least[stack[-1]][axis]:
                stack = [*rest, i]
        if sum(int(least[i][axis]) for i in stack) > shape[axis]:
            yield {"kind": "stack", "axis": axis, "items": sorted(stack)}


def _no_places(packing: Packing) -> Iterator[Certificate]:
    """Try the largest movable items, as their lack of a place is quickly detected."""
    from .direct import free_box

    fixed = [item.at for item in packing.items if item.at is not None]
    fixed += [(*cell, *cell) for cell in packing.blocked]
    for i, item in enumerate(packing.items):
        if item.at is None and not any(
            free_box(packing.shape, fixed, size, packing.torus)
            for size in ways(packing, item)
        ):
            yield {"kind": "no place", "item": i}
            return


def _rescalings(
    packing: Packing, sizes: list[list[tuple[int, ...]]]
) -> Iterator[Certificate]:
    """Combine functions of two axes, leaving the third (if any) as it is."""
    d = packing.d
    most = max(map(len, sizes))
    padded = [[*several, *[several[0]] * (most - len(several))] for several in sizes]
    times = np.ones(len(padded) + bool(packing.blocked), dtype=np.int64)
    if packing.blocked:
        padded.append([(1,) * d] * most)
        times[-1] = len(packing.blocked)
    lengths = np.array(padded, dtype=np.int64).transpose(2, 0, 1)  # axis, item, way
    plain = [lengths[a] / packing.shape[a] for a in range(d)]
    kept = _KEPT if most == 1 else _KEPT_TURNED
    names: list[list[_Function]] = []
    images: list[_Floats] = []
    for a in range(d):
        rest = np.prod([plain[b] for b in range(d) if b != a], axis=0)
        functions, values = _functions(packing.shape[a], lengths[a], times)
        totals = (values * rest).min(axis=2) @ times
        best = np.argsort(-totals, kind="stable")[:kept]
        named = [functions[i] for i in best]
        if totals[best[0]] > _ABOVE:
            yield _certificate(d, {a: named[0]})
        names.append(named)
        images.append(values[best])
    if packing.torus:
        return
    for a, b in combinations(range(d), 2):
        third = np.prod([plain[c] for c in range(d) if c not in (a, b)], axis=0)
        totals = _products(images[a] * third, images[b], times)
        i, j = np.unravel_index(np.argmax(totals), totals.shape)
        if totals[i, j] > _ABOVE:
            yield _certificate(d, {a: names[a][i], b: names[b][j]})


def _products(one: _Floats, other: _Floats, times: Ints) -> _Floats:
    """Add up the products of every two functions, the least way of each item."""
    if one.shape[2] == 1:
        total: _Floats = (one[:, :, 0] * times) @ other[:, :, 0].T
        return total
    rows = [((row * other).min(axis=2) @ times) for row in one]
    return np.array(rows)


def _certificate(d: int, functions: dict[int, _Function]) -> Certificate:
    chosen = [functions.get(a, ("identity", 1)) for a in range(d)]
    return {"kind": "dual feasible", "functions": [list(pair) for pair in chosen]}


def _functions(
    side: int, lengths: Ints, times: Ints
) -> tuple[list[_Function], _Floats]:
    """Return functions and what they make of the lengths, as shares of the side.

    Lengths have a row for each item, with an entry for each way; the row counts as
    often as `times` states.
    """
    names: list[_Function] = [("identity", 1)]
    blocks: list[_Floats] = [(lengths / side)[None]]
    if side < 2:
        return names, blocks[0]
    x = lengths[None]
    ks = _thresholds(side, lengths)
    us = np.arange(1, min(_LARGEST_U, side) + 1)
    u = us[:, None, None]
    whole = (u + 1) * x // side * side
    found = {
        "u": (us, np.where((u + 1) * x % side == 0, u * x, whole) / (u * side)),
        "count": (ks, _counting(side, ks, lengths, times)),
    }
    for family, (parameters, values) in found.items():
        names += [(family, int(p)) for p in parameters]
        blocks.append(values)
    return names, np.concatenate(blocks)


def _thresholds(side: int, lengths: Ints) -> Ints:
    """Return parameters beyond which a function jumps."""
    half = side // 2
    if side <= _ALL:
        return np.arange(1, half + 1)
    x = np.unique(lengths)
    measured = np.concatenate([x, side - x, [side]])
    candidates = np.unique([measured // m for m in range(1, 6)])
    return candidates[(candidates >= 1) & (candidates <= half)]


def _counting(side: int, ks: Ints, lengths: Ints, times: Ints) -> _Floats:
    """Return how many fewer small ones fit next to a large one, for every threshold."""
    every = np.repeat(lengths, times, axis=0)
    different = [x for row in every.tolist() for x in set(row)]
    small = np.sort([x for x in different if 2 * x <= side])
    rows = []
    for k in ks:
        sums = np.cumsum(small[np.searchsorted(small, k) :])
        total = int(np.searchsorted(sums, side, side="right"))
        beside = np.searchsorted(sums, side - lengths, side="right")
        counts = np.where(2 * lengths > side, total - beside, lengths >= k)
        rows.append(counts / total if total else np.zeros(lengths.shape))
    return np.array(rows)

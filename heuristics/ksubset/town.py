"""Optimal towns, placed where all their processors are free."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np
import numpy.typing as npt

from ...formulations.ksubset.bounds.bounds import grade_of
from ...formulations.ksubset.bounds.towns import (
    TOWN_SEARCH,
    town_bound_value,
    town_sites,
    town_sites_in_space,
)
from ...instances import IntArray, KSubset, arrays
from ...instances.ksubset.lower_bounds import TOWN
from ...solvers import DEFAULT, Proof, Result, Settings, answer
from ...solvers.running import clock


def refusal(instance: KSubset) -> str | None:
    """Return why there is no town for an instance; None if there is."""
    topology = instance.topology
    if not topology.is_mesh or topology.dimension not in TOWN_SEARCH:
        return "needs a mesh of two or three axes"
    if instance.k > (most := TOWN_SEARCH[topology.dimension]):
        return f"towns are searched up to k = {most} on this mesh"
    return None


def town(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Place an optimal town of k processors where all of them are free.

    A town of least cost in the infinite grid is found by exhaustive search. It is tried
    in all its orientations at every place of the mesh. If none is free, the answer is
    that of mm-inc, with the cost of the town as a lower bound.

    Guarantee: optimal whenever a town fits; else that of mm-inc. The bound always
        holds.
    Time: O(k) per place and orientation, of which there are 8 in the plane, 48 in
        space; finding the town takes 2 s in all up to k = 200 (plane), 48 (space).
    Ties: the first orientation, then the first place.
    Source: Bender et al. 2008, section 1 and Figure 2; the search is derived, see
        docs/science/theory.md.
    """
    start = clock.now()
    d = instance.topology.dimension
    proof = Proof(grade_of(instance, TOWN), TOWN)
    low = arrays.points(instance).min(axis=0)
    number = np.full(arrays.points(instance).max(axis=0) - low + 1, -1, dtype=np.int64)
    number[tuple((arrays.points(instance) - low).T)] = np.arange(instance.n)
    free = number >= 0
    try:
        bound = town_bound_value(instance.k, d)
        sites = town_sites(instance.k) if d == 2 else town_sites_in_space(instance.k)
        for cells in _orientations(np.array(sites, dtype=np.int64)):
            if (corner := _place(free, cells)) is not None:
                chosen = number[tuple((cells + corner).T)]
                return answer(instance, chosen, start=start, bound=bound, proof=proof)
    except KeyboardInterrupt:
        bound = None
    from .mm_inc import mm_inc

    result = mm_inc(instance, settings.remaining(start))
    if bound is None:
        return result
    return answer(
        instance,
        result.chosen,
        start=start,
        bound=bound,
        proof=proof,
        limit=result.limit,
    )


def _orientations(cells: IntArray) -> Iterator[IntArray]:
    """Return all rotations and reflections, with least coordinates 0, each once."""
    seen = set()
    for axes in permutations(range(cells.shape[1])):
        for signs in product((1, -1), repeat=cells.shape[1]):
            turned = cells[:, axes] * np.array(signs)
            turned -= turned.min(axis=0)
            turned = turned[np.lexsort(turned.T[::-1])]
            if (key := turned.tobytes()) not in seen:
                seen.add(key)
                yield turned


def _place(free: npt.NDArray[np.bool_], cells: IntArray) -> IntArray | None:
    """Return the first corner at which all these cells are free."""
    room = np.array(free.shape) - cells.max(axis=0)
    if (room < 1).any():
        return None
    fits = np.ones(room, dtype=np.bool_)
    for cell in cells:
        fits &= free[tuple(slice(c, c + r) for c, r in zip(cell, room, strict=True))]
    places = np.argwhere(fits)
    return places[0] if len(places) else None

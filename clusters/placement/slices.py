"""Slices of TPUs: all places that there are for one, and the fewest cubes in its way.

In a grid a slice of whole cubes is a box of them, which may reach over the ends of
rings; a part of a cube lies where equal parts of the cube do. The places are few, and
all are looked at. In a tree any units of a pod do, so that counting them is enough.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations, product
from math import prod

import numpy as np
import numpy.typing as npt

from ...instances import IntArray
from ...solvers import Status
from ..topologies import Fabric, Hierarchy, Space
from ..topologies.tpu import Slice, plan_slice, text_of
from .request import Placement, Request

BY = "enumerated: slices"
_MOST = 2**24
"""Maximal number of nodes in all places together."""
Flags = npt.NDArray[np.bool_]


@lru_cache(maxsize=8)
def places_of(fabric: Space, wish: Slice) -> list[IntArray]:
    """Return the nodes of every place in a grid, those with the fewest hops first.

    Raises InputError if there are no TPUs, if the slice is neither whole cubes nor a
    part of one, if it takes parts of nodes, or if it is larger than the pod.
    """
    cube, host, grid = fabric.cube, fabric.host, fabric.topology.grid
    count, turned = wish.cubes_of(cube), {*permutations(wish.shape)}
    assert grid is not None
    if count:
        pod = np.floor_divide(grid.shape, cube).tolist()
        sides = product(*(range(1, n + 1) for n in pod))
        every = [tuple(np.multiply(x, cube)) for x in sides if prod(x) == count]
        boxes = [box for box in every if not wish.shape or box in turned]
    else:
        fits = (x for x in sorted(turned) if not np.mod(cube, x).any())
        boxes = [box for box in fits if not np.mod(box, host).any()]
    if not boxes:
        larger = f"is no box in a pod of {text_of(grid.shape)} chips"
        parts = f"takes parts of nodes of {text_of(host)} chips"
        raise wish.refuse(larger if count else parts)
    number = np.full(np.floor_divide(grid.shape, host), -1)
    number[tuple((np.array(fabric.sites) // host).T)] = np.arange(len(fabric.sites))
    found = []
    for box in boxes:
        axes = [*zip(grid.shape, grid.rings, box, host, strict=True)]
        cells = product(*(range(0, side, step) for _, _, side, step in axes))
        hops = grid.pair_sum([*cells])
        last = (n if ring and side < n else n - side + 1 for n, ring, side, _ in axes)
        steps = zip(last, cube if count else box, strict=True)
        for start in product(*(range(0, n, step) for n, step in steps)):
            spans = (
                [(first + i) % n // step for i in range(0, side, step)]
                for first, (n, _, side, step) in zip(start, axes, strict=True)
            )
            nodes = number[np.ix_(*spans)].ravel()
            if nodes.min() >= 0:
                found.append((hops, nodes))
            if len(found) * max(64, len(nodes)) > _MOST:
                raise wish.refuse("has too many places here")
    return [nodes for _, nodes in sorted(found, key=lambda one: one[0])]


def cubes_of(fabric: Fabric, wish: Slice) -> list[str]:
    """Return the cube of every node, by its first chip; of trees the unit it is in."""
    if isinstance(fabric, Hierarchy):
        above = fabric.above(plan_slice(fabric, wish).level)[fabric.home].tolist()
        return [fabric.domains[v] for v in above]
    sites = np.array(fabric.sites)
    return ["-".join(map(str, s)) for s in (sites - sites % fabric.cube).tolist()]


def place_slice(
    fabric: Fabric, request: Request, free: Flags, allowed: Flags
) -> Placement:
    """Choose a place of allowed nodes: the fewest cubes, and nodes, that are not free.

    These two numbers are what is minimised; of equal places in a grid one with the
    fewest hops is taken. In every pod of a tree the units are taken whose numbers are
    least, those with required nodes before all others.
    """
    assert request.slice
    wanted = np.isin(fabric.nodes, sorted(request.require))
    unit, by = np.array(cubes_of(fabric, request.slice)), BY
    if isinstance(fabric, Space):
        places = places_of(fabric, request.slice)
    else:
        by, plan, places = "counting", plan_slice(fabric, request.slice), []
        allowed = allowed & plan.fit
        pods: dict[int, dict[str, list[int]]] = {}
        pod = fabric.above(plan.whole)[fabric.home].tolist()
        for i in np.flatnonzero(allowed).tolist():
            name = unit[i] if plan.size > 1 else fabric.nodes[i]
            pods.setdefault(pod[i], {}).setdefault(name, []).append(i)
        for units in pods.values():
            full = [np.array(x) for x in units.values() if len(x) == plan.size]
            full.sort(key=lambda x: (not wanted[x].any(), np.sum(~free[x]), x[0]))
            if len(full) >= plan.units:
                places.append(np.concatenate(full[: plan.units]))
    best: tuple[tuple[int, int], IntArray] | None = None
    for nodes in places:
        if allowed[nodes].all() and wanted[nodes].sum() == wanted.sum():
            held = nodes[~free[nodes]]
            key = len(set(unit[held])), len(held)
            if best is None or key < best[0]:
                best = key, nodes
    if best is None:
        return Placement(Status.INFEASIBLE, by=by)
    chosen = tuple(sorted(best[1].tolist()))
    return Placement(Status.OPTIMAL, 0, chosen, best[0], best[0], by)


def nodes_of(fabric: Fabric, wish: Slice) -> int:
    """Return how many nodes a slice takes; InputError if there can be none."""
    if isinstance(fabric, Hierarchy):
        plan = plan_slice(fabric, wish)
        return plan.size * plan.units
    places_of(fabric, wish)
    chips = prod(wish.shape) if wish.shape else wish.cubes * prod(fabric.cube)
    return chips // prod(fabric.host)

"""Additions to a model that do not change its optimum.

These are a known choice (the solver's start), a known bound, the symmetry of the free
processors, and the nesting of the cuts. Each is optional.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...instances import IntArray, KSubset, Site, arrays
from ...solvers import Proof


@dataclass(frozen=True, slots=True, kw_only=True)
class Strengthening:
    """Optional input of a model besides the instance.

    With ``symmetry``, mirror images and shifts of a choice are excluded if the free
    processors have such symmetry, see `Symmetry`. With ``nesting``, counts are tied to
    those of the cuts that enclose them.
    """

    hint: tuple[int, ...] | None = None  # a valid choice from which the solver starts
    bound: int | None = None  # on the pair sum, proved
    proof: Proof | None = None
    symmetry: bool = True
    nesting: bool = True


NONE = Strengthening(symmetry=False, nesting=False)
"""The model without additions."""


@dataclass(frozen=True, slots=True)
class Symmetry:
    """Inequalities on x that some optimal choice satisfies.

    On meshes and points, let D_a = Σ over the choice of (2 x_a - low_a - high_a). Where
    the free processors are their own mirror image along axis a, D_a ≤ 0; where they are
    unchanged by swapping axes a and b, D_a ≤ D_b. Any choice can be made to satisfy
    this by mirroring each axis and sorting those that swap. On an entirely free torus,
    the first processor is chosen, as any choice can be shifted.

    Each row has the coefficients of the processors; its sum over the choice is ≤ 0.
    """

    rows: tuple[IntArray, ...] = ()
    fixed: tuple[int, ...] = ()  # processors that are chosen
    mirrors: tuple[int, ...] = ()  # axes of mirror symmetry
    classes: tuple[tuple[int, ...], ...] = ()  # axes that can be swapped

    def image(self, instance: KSubset, chosen: Collection[int]) -> tuple[int, ...]:
        """Return an equally good choice that satisfies the inequalities."""
        points = arrays.points(instance)
        if self.fixed:
            shape = np.array(instance.topology.size)
            first = min(chosen)
            moved = (points[sorted(chosen)] - points[first]) % shape
            return _found(instance, moved)
        if not self.mirrors and not self.classes:
            return tuple(sorted(chosen))
        ends = points.min(axis=0) + points.max(axis=0)
        moved = points[sorted(chosen)].copy()
        for a in self.mirrors:
            if (2 * moved[:, a] - ends[a]).sum() > 0:
                moved[:, a] = ends[a] - moved[:, a]
        for axes in self.classes:
            order = sorted(axes, key=lambda a: int((2 * moved[:, a] - ends[a]).sum()))
            columns = [moved[:, a] - points[:, a].min() for a in order]
            for a, column in zip(axes, columns, strict=True):
                moved[:, a] = column + points[:, a].min()
        return _found(instance, moved)


def symmetry(instance: KSubset) -> Symmetry:
    """Find the symmetry of the free processors that a model can break.

    >>> from closeknit.instances import mesh
    >>> [row.tolist() for row in symmetry(mesh(2, 2, k=2)).rows]
    [[-1, -1, 1, 1], [-1, 1, -1, 1], [0, -2, 2, 0]]
    """
    topology, points = instance.topology, arrays.points(instance)
    if not topology.is_flat:
        whole = topology.grid and instance.n == topology.processors_in_all
        rings = topology.ring_lengths
        return Symmetry(fixed=(0,) if whole and rings and all(rings) else ())
    free = Counter(instance.free)
    low, high = points.min(axis=0), points.max(axis=0)
    mirrors = []
    for a in range(topology.dimension):
        mirrored = points.copy()
        mirrored[:, a] = low[a] + high[a] - mirrored[:, a]
        if low[a] < high[a] and Counter(_sites(mirrored)) == free:
            mirrors.append(a)
    classes: list[list[int]] = []
    for a in range(topology.dimension):
        for axes in classes:
            swapped = points.copy()
            swapped[:, a] = points[:, axes[0]] - low[axes[0]] + low[a]
            swapped[:, axes[0]] = points[:, a] - low[a] + low[axes[0]]
            if Counter(_sites(swapped)) == free:
                axes.append(a)
                break
        else:
            classes.append([a])
    from_middle = 2 * points - low - high
    rows = [from_middle[:, a] for a in mirrors]
    swaps = [tuple(axes) for axes in classes if len(axes) > 1]
    for swap in swaps:
        for a, b in pairwise(swap):
            rows.append(from_middle[:, a] - from_middle[:, b])
    return Symmetry(tuple(rows), (), tuple(mirrors), tuple(swaps))


def symmetry_of(
    instance: KSubset, strengthening: Strengthening
) -> tuple[Symmetry, tuple[int, ...] | None]:
    """Return the symmetry that a model breaks, and the hint's image under it.

    Required processors are fixed, and no symmetry is broken: it may move them.
    """
    if instance.required:
        return Symmetry(fixed=instance.required_indices), strengthening.hint
    if not strengthening.symmetry:
        return Symmetry(), strengthening.hint
    found, hint = symmetry(instance), strengthening.hint
    return found, None if hint is None else found.image(instance, hint)


def chosen_of(values: Sequence[int]) -> tuple[int, ...]:
    """Return the processors whose variables are 1."""
    return tuple(i for i, value in enumerate(values) if value)


def _sites(points: IntArray) -> list[Site]:
    return [tuple(row) for row in points.tolist()]


def _found(instance: KSubset, points: IntArray) -> tuple[int, ...]:
    """Return the indices of sites, each repeated point at its first free places."""
    at: dict[Site, list[int]] = {}
    for i in reversed(range(instance.n)):
        at.setdefault(instance.free[i], []).append(i)
    return tuple(sorted(at[site].pop() for site in _sites(points)))

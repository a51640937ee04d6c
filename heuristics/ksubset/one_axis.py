"""Processors that differ in one coordinate only: a line or a ring."""

from __future__ import annotations

from ...instances import IntArray, KSubset, arrays
from ...instances.support.networks import with_article


def refuse_line(instance: KSubset) -> str | None:
    """Return why the free processors are not on a line parallel to an axis."""
    rings = instance.topology.ring_lengths
    if rings is None or all(rings):
        return f"needs a mesh or points, not {with_article(instance.topology)}"
    why = _refuse(instance)
    return "needs a line, not a ring" if not why and ring_of(instance) else why


def refuse_ring(instance: KSubset) -> str | None:
    """Return why the free processors are not on one ring of a torus."""
    if not any(instance.topology.ring_lengths or ()):
        return f"needs a torus, not {with_article(instance.topology)}"
    why = _refuse(instance)
    return "needs a ring, not a line" if not why and not ring_of(instance) else why


def ring_of(instance: KSubset) -> int:
    """Return the length of the ring on which free processors differ, 0 for a line."""
    rings = instance.topology.ring_lengths
    assert rings is not None
    return rings[max(_axes(instance), default=0)]


def along(instance: KSubset) -> IntArray:
    """Return the coordinates on the one axis on which free processors differ.

    In order of the indices, hence ascending.
    """
    return arrays.points(instance)[:, max(_axes(instance), default=0)]


def _refuse(instance: KSubset) -> str | None:
    if len(axes := _axes(instance)) > 1:
        return f"needs free processors that differ on one axis, not on {len(axes)}"
    return None


def _axes(instance: KSubset) -> list[int]:
    points = arrays.points(instance)
    return [a for a, x in enumerate(points.T) if x.min() < x.max()]

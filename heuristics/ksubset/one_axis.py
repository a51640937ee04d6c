"""Processors that differ in one coordinate only: a line or a ring."""

from __future__ import annotations

from ...instances import IntArray, KSubset, Mesh, Points, Torus

_A = {
    "mesh": "a mesh",
    "torus": "a torus",
    "points": "points",
    "tree": "a tree",
    "graph": "a graph",
}


def refuse_line(instance: KSubset) -> str | None:
    """Return why the free processors are not on a line parallel to an axis."""
    if not isinstance(instance.topology, Mesh | Points):
        return f"needs a mesh or points, not {_A[instance.topology.kind]}"
    return _refuse(instance)


def refuse_ring(instance: KSubset) -> str | None:
    """Return why the free processors are not on one ring of a torus."""
    if not isinstance(instance.topology, Torus):
        return f"needs a torus, not {_A[instance.topology.kind]}"
    return _refuse(instance)


def along(instance: KSubset) -> tuple[int, IntArray]:
    """Return the one axis on which free processors differ, and their coordinates.

    In order of the indices, hence ascending.
    """
    axis = max(_axes(instance), default=0)
    return axis, instance.points[:, axis]


def _refuse(instance: KSubset) -> str | None:
    if len(axes := _axes(instance)) > 1:
        return f"needs free processors that differ on one axis, not on {len(axes)}"
    return None


def _axes(instance: KSubset) -> list[int]:
    points = instance.points
    return [a for a, x in enumerate(points.T) if x.min() < x.max()]

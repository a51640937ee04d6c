"""Make a counterexample smaller as long as it remains one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ...instances import KSubset, Mesh, Points


def shrunk(instance: KSubset, fails: Callable[[KSubset], bool]) -> KSubset:
    """Return an instance that still fails and from which no single step leads on.

    Steps: choose one fewer, drop one free processor, cut an empty margin off a
    mesh, drop the busy points. Each is tried in turn, and after a success from
    the start again; the result is a local minimum, not the smallest of all.

    Parameters
    ----------
    instance
        An instance that fails.
    fails
        Whether an instance still does; runs at most O(n²) times.
    """
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(instance):
            if fails(candidate):
                instance = candidate
                smaller = True
                break
    name = instance.name.removesuffix("-shrunk") + "-shrunk"
    return replace(instance, name=name)


def _smaller(instance: KSubset) -> Iterator[KSubset]:
    if instance.k > 1:
        yield replace(instance, k=instance.k - 1)
    if instance.n > instance.k:
        for i in range(instance.n):
            free = instance.free[:i] + instance.free[i + 1 :]
            yield replace(instance, free=free)
    topology = instance.topology
    if isinstance(topology, Points) and len(topology.coordinates) > instance.n:
        points = Points(instance.free, topology.scale)
        yield replace(instance, topology=points)
    if isinstance(topology, Mesh):
        low = [min(axis) for axis in zip(*instance.free, strict=True)]
        shape = tuple(
            max(axis) - least + 1
            for axis, least in zip(zip(*instance.free, strict=True), low, strict=True)
        )
        if shape != topology.shape:
            free = tuple(
                tuple(x - least for x, least in zip(site, low, strict=True))
                for site in instance.free
            )
            yield replace(instance, topology=Mesh(shape), free=free)

"""Shrink counterexamples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from ...instances import (
    InputError,
    Instance,
    KSubset,
    Mesh,
    Points,
    ProcSet,
    Submesh,
    Sukp,
)
from .claim import Outcome, Undecided, Untrue, held, refuted

Kind = TypeVar("Kind", bound=Instance)


def shrunk(instance: Kind, fails: Callable[[Kind], bool]) -> Kind:
    """Return an instance that still fails and from which no single step leads on.

    Steps: choose one to six fewer, drop one free processor, cut an empty margin off a
    mesh, drop the busy points; drop a set, an item or a resident, ask for less.
    Each is tried in turn, and after a success from the start again; the result is a
    local minimum, not the smallest of all.

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
        for candidate in _STEPS[type(instance)](instance):
            if fails(candidate):
                instance = candidate
                smaller = True
                break
    name = instance.name.removesuffix("-shrunk") + "-shrunk"
    return replace(instance, name=name)


def described(wrong: Callable[[Kind], str], instance: Kind) -> str:
    """Describe what is wrong; an untrue answer of a method is wrong by itself."""
    try:
        return wrong(instance)
    except Untrue as error:
        return str(error)


def certainly(wrong: Callable[[Kind], str], instance: Kind) -> bool:
    """Whether something is wrong; False where that cannot be decided."""
    try:
        return bool(described(wrong, instance))
    except (InputError, Undecided):
        return False


def broken(instance: Kind, wrong: Callable[[Kind], str], seen: int) -> Outcome:
    """Shrink an instance on which a claim fails; return the failed outcome.

    Parameters
    ----------
    instance
        A counterexample.
    wrong
        Describes what is wrong on an instance; "" if nothing is.
    seen
        Number of instances on which the claim was tested.
    """
    smallest = shrunk(instance, partial(certainly, wrong))
    return refuted(described(wrong, smallest), seen, smallest)


def survey(
    result: str,
    *cases: tuple[Iterable[Any], Callable[[Any], str]],
    refusals: bool = False,
    seen: int = 0,
) -> Outcome:
    """Test a claim on instances, and shrink the first one on which it fails.

    Parameters
    ----------
    result
        The result if nothing is wrong.
    cases
        Instances, with a function that returns what is wrong on one; "" if nothing.
    refusals
        Whether instances that a method refuses by `InputError` are left out; at least
        one must remain then.
    seen
        Number of instances tested before.
    """
    for instances, wrong in cases:
        for instance in instances:
            try:
                why = described(wrong, instance)
            except InputError:
                if not refusals:
                    raise
                continue
            seen += 1
            if why:
                return broken(instance, wrong, seen)
    if refusals and not seen:
        return refuted("takes none of the instances", 0)
    return held(result, seen)


def _fewer(instance: KSubset) -> Iterator[KSubset]:
    for k in range(instance.k - 1, max(instance.k - 7, 0), -1):
        yield replace(instance, k=k)
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


def _fewer_sets(instance: ProcSet) -> Iterator[ProcSet]:
    if instance.request > 1:
        yield replace(instance, request=instance.request - 1)
    for i in range(len(instance.sets) if len(instance.sets) > 1 else 0):
        yield replace(instance, sets=instance.sets[:i] + instance.sets[i + 1 :])
    for i in range(len(instance.available)):
        left = instance.available[:i] + instance.available[i + 1 :]
        if len(left) >= instance.request:
            yield replace(instance, available=left)


def _fewer_items(instance: Sukp) -> Iterator[Sukp]:
    if instance.capacity:
        yield replace(instance, capacity=instance.capacity - 1)
    for i in range(instance.n):
        if instance.n > 1:
            yield replace(
                instance,
                items=instance.items[:i] + instance.items[i + 1 :],
                profits=instance.profits[:i] + instance.profits[i + 1 :],
            )


def _fewer_residents(instance: Submesh) -> Iterator[Submesh]:
    residents = instance.residents
    for i in range(len(residents)):
        yield replace(instance, residents=residents[:i] + residents[i + 1 :])


_STEPS: dict[type, Callable[[Any], Iterator[Any]]] = {
    KSubset: _fewer,
    ProcSet: _fewer_sets,
    Sukp: _fewer_items,
    Submesh: _fewer_residents,
}

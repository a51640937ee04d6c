"""Test a claim on many instances, and shrink the first one on which it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from ....instances import (
    InputError,
    Instance,
    KSubset,
    Mesh,
    Points,
    ProcSet,
    Submesh,
    Sukp,
    arrays,
)
from .claim import Outcome, Undecided, UntrueAnswer, failed, passed

Kind = TypeVar("Kind", bound=Instance)


def smallest_failure(instance: Kind, fails: Callable[[Kind], bool]) -> Kind:
    """Return an instance that still fails and from which no single step leads on.

    Steps: choose one to six fewer, drop one free processor, cut an empty margin off a
    mesh, drop the busy points; drop a set, an item or a resident, ask for less.
    Each is tried in turn, and after a success from the start again; the result is a
    local minimum, not the smallest of all. ``fails`` is called O(n²) times.
    """
    found: Kind | None = instance
    while found is not None:
        instance = found
        found = next(filter(fails, _STEPS[type(instance)](instance)), None)
    return replace(instance, name=instance.name.removesuffix("-shrunk") + "-shrunk")


def describe(wrong: Callable[[Kind], str], instance: Kind) -> str:
    """Describe what is wrong; an untrue answer of a method is wrong by itself."""
    try:
        return wrong(instance)
    except UntrueAnswer as error:
        return str(error)


def _certainly(wrong: Callable[[Kind], str], instance: Kind) -> bool:
    """Whether something is wrong; False where that cannot be decided."""
    try:
        return bool(describe(wrong, instance))
    except (InputError, Undecided):
        return False


def outcome_of_failure(
    instance: Kind, wrong: Callable[[Kind], str], seen: int, why: str = ""
) -> Outcome:
    """Return the failed outcome, with the smallest instance that is ``wrong``.

    Where it states nothing of the instance alone, ``why`` tells what was wrong.
    """
    fails = partial(_certainly, wrong)
    smallest = smallest_failure(instance, fails) if fails(instance) else instance
    return failed(describe(wrong, smallest) or why, seen, smallest)


def survey(
    result: str | Callable[[], str],
    *cases: tuple[Iterable[Any], Callable[[Any], str]],
    refusals: bool = False,
    seen: int = 0,
) -> Outcome:
    """Test a claim on instances, and shrink the first one on which it fails.

    Parameters
    ----------
    result
        The result if nothing is wrong, or what makes it in the end.
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
                why = describe(wrong, instance)
            except InputError:
                if not refusals:
                    raise
                continue
            seen += 1
            if why:
                return outcome_of_failure(instance, wrong, seen, why)
    if refusals and not seen:
        return failed("takes none of the instances", 0)
    return passed(result if isinstance(result, str) else result(), seen)


def _less(items: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Leave out each item in turn."""
    return (items[:i] + items[i + 1 :] for i in range(len(items)))


def _fewer(instance: KSubset) -> Iterator[KSubset]:
    for k in range(instance.k - 1, max(instance.k - 7, 0), -1):
        yield replace(instance, k=k)
    if instance.n > instance.k:
        for free in _less(instance.free):
            yield replace(instance, free=free)
    topology = instance.topology
    if topology.repeats and topology.processors_in_all > instance.n:
        yield replace(instance, topology=Points(instance.free, topology.scale))
    if topology.is_mesh:
        low = arrays.points(instance).min(axis=0)
        shape = tuple((arrays.points(instance).max(axis=0) - low + 1).tolist())
        if shape != topology.size:
            free = tuple(map(tuple, (arrays.points(instance) - low).tolist()))
            yield replace(instance, topology=Mesh(shape), free=free)


def _fewer_sets(instance: ProcSet) -> Iterator[ProcSet]:
    if instance.request > 1:
        yield replace(instance, request=instance.request - 1)
    if len(instance.sets) > 1:
        for sets in _less(instance.sets):
            yield replace(instance, sets=sets)
    if len(instance.available) > instance.request:
        for left in _less(instance.available):
            yield replace(instance, available=left)


def _fewer_items(instance: Sukp) -> Iterator[Sukp]:
    if instance.capacity:
        yield replace(instance, capacity=instance.capacity - 1)
    if instance.n > 1:
        pairs = zip(_less(instance.items), _less(instance.profits), strict=True)
        for items, profits in pairs:
            yield replace(instance, items=items, profits=profits)


def _fewer_residents(instance: Submesh) -> Iterator[Submesh]:
    for residents in _less(instance.residents):
        yield replace(instance, residents=residents)


_STEPS: dict[type, Callable[[Any], Iterator[Any]]] = {
    KSubset: _fewer,
    ProcSet: _fewer_sets,
    Sukp: _fewer_items,
    Submesh: _fewer_residents,
}

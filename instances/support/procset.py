"""What commands, reports and methods need of processor-set problems."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from ..procset.instance import ProcSet, cost
from ..procset.json import FORMAT, names_of, requirements
from ..words import with_noun
from .record import Features, Support, document, fill_up


def describe(instance: ProcSet) -> str:
    """Describe an instance in a few words."""
    return (
        f"{instance.request} of {with_noun(instance.n, 'available processor')}, "
        f"{with_noun(len(instance.sets), 'set')}"
        + f", {len(instance.required)} required"
        * bool(instance.required)
    )


def features(instance: ProcSet) -> Features:
    """Return what tables say about the instance."""
    return Features(
        structure="sets",
        shape=(len(instance.sets), instance.levels),
        n=instance.n,
        k=instance.request,
        d=instance.levels,
        locations=len(instance.processors),
    )


def prepay(instance: ProcSet) -> tuple[ProcSet, tuple[int, ...]]:
    """Return the instance in which what is required costs nothing, and what it costs.

    The sets that required processors touch are paid for in any case; without a cost of
    their own, any choice may be joined by these processors and costs no more. So the
    optima differ by exactly what is paid.
    """
    free, must = (0,) * instance.levels, set(instance.required)
    sets = tuple(
        one if must.isdisjoint(one.members) else replace(one, cost=free)
        for one in instance.sets
    )
    return replace(instance, sets=sets, required=()), cost(instance, must)


def document_of(instance: ProcSet) -> dict[str, Any]:
    """Return the JSON object of an instance."""
    definition: dict[str, Any] = {"processors": list(instance.processors)}
    if instance.n < len(instance.processors):
        definition["available"] = names_of(instance, instance.available)
    definition["request"] = instance.request
    definition["sets"] = [
        {
            "name": one.name,
            "members": names_of(instance, one.members),
            "cost": list(one.cost),
        }
        for one in instance.sets
    ]
    definition |= requirements(instance)
    return document(FORMAT, instance, definition)


def selection_of(instance: ProcSet, chosen: Collection[int]) -> list[str]:
    """Return the names of the chosen processors, for solution files."""
    return names_of(instance, sorted(chosen))


def locate(instance: ProcSet, listed: Any) -> list[str] | None:
    """Return names of processors as they are; None for anything else."""
    names = isinstance(listed, list) and set(map(type, listed)) == {str}
    return listed if names else None


SUPPORT = Support(
    features=features,
    describe=describe,
    document_of=document_of,
    selection_of=selection_of,
    locate=locate,
    required=lambda one: one.required,
    prepay=prepay,
    join=lambda one, chosen: fill_up(one.required, chosen, one.request),
    any_choice=lambda one: fill_up(one.required, one.available, one.request),
    choosable=lambda one: len(one.processors),
)

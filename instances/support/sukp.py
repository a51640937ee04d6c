"""What commands, reports and methods need of set-union knapsacks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from ..sukp.instance import Sukp, weight
from ..sukp.json import FORMAT, definition_of
from ..words import with_noun
from .record import Features, Support, document, fill_up


def describe(instance: Sukp) -> str:
    """Describe an instance in a few words."""
    elements = with_noun(len(instance.weights), "element")
    must = f", {len(instance.required)} required" * bool(instance.required)
    items = with_noun(instance.n, "item")
    return f"{items}, {elements}, capacity {instance.capacity}{must}"


def features(instance: Sukp) -> Features:
    """Return what tables say about the instance."""
    return Features(
        structure="items",
        shape=(instance.n, len(instance.weights)),
        n=instance.n,
        k=instance.capacity,
        d=1,
        locations=len(instance.weights),
    )


def prepay(instance: Sukp) -> tuple[Sukp, int]:
    """Return the instance in which what is required weighs nothing, and its cost of 0.

    The elements of required items are paid for in any case; without a weight of their
    own, any choice may be joined by these items and leaves out no more profit. So the
    optima are equal.
    """
    paid = {e for i in instance.required for e in instance.items[i]}
    weights = tuple(0 if e in paid else w for e, w in enumerate(instance.weights))
    room = instance.capacity - weight(instance, instance.required)
    return replace(instance, weights=weights, capacity=room, required=()), 0


def document_of(instance: Sukp) -> dict[str, Any]:
    """Return the JSON object of an instance."""
    return document(FORMAT, instance, definition_of(instance))


def selection_of(instance: Sukp, chosen: Collection[int]) -> list[int]:
    """Return the selection of the chosen items for solution files."""
    return sorted(chosen)


SUPPORT = Support(
    features=features,
    describe=describe,
    document_of=document_of,
    selection_of=selection_of,
    required=lambda one: one.required,
    prepay=prepay,
    join=lambda one, chosen: fill_up(one.required, chosen, one.n),
    any_choice=lambda one: one.required,
)

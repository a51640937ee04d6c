"""What commands, reports and methods need of submesh problems."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ..submesh import Placement, Submesh, placement_of
from ..submesh.json import FORMAT, definition_of
from ..submesh.plan import ORDERS, replay
from ..words import with_noun
from .record import Features, Support, document


def describe(instance: Submesh) -> str:
    """Describe an instance in a few words.

    >>> from closeknit.instances.submesh import Resident
    >>> describe(Submesh("one", (4, 4), (Resident((0, 0, 1, 1)),), (4, 2)))
    '4x2 in a 4x4 mesh with 1 resident, 12 of 16 processors free'
    """
    wanted, shape = ("x".join(map(str, s)) for s in (instance.request, instance.shape))
    kind = "torus" if instance.torus else "mesh"
    return (
        f"{wanted} in a {shape} {kind} with "
        f"{with_noun(len(instance.residents), 'resident')}, "
        f"{instance.free} of {instance.size} processors free"
    )


def features(instance: Submesh) -> Features:
    """Return what tables say about the instance."""
    return Features(
        structure="torus" if instance.torus else "mesh",
        shape=instance.shape,
        n=instance.free,
        k=prod(instance.request),
        d=instance.d,
        locations=instance.size,
    )


def order_of(instance: Submesh, placement: Placement) -> str | None:
    """Return the first of `ORDERS` in which the moves can be made, or None.

    >>> from closeknit.instances.submesh import Resident
    >>> one = Submesh("one", (4, 1), (Resident((0, 0, 0, 0)),), (3, 1))
    >>> order_of(one, Placement((0, 0, 2, 0), ((0, (3, 0, 3, 0)),)))
    'copying'
    """
    for order in ORDERS:
        if not replay(instance, placement.moves, slide=order == "sliding"):
            return order
    return None


def document_of(instance: Submesh) -> dict[str, Any]:
    """Return the JSON object of an instance."""
    definition = definition_of(instance)
    for field in ("fixed", "turns", "blocked", "torus"):
        if not definition[field]:
            del definition[field]
    return document(FORMAT, instance, definition)


def selection_of(instance: Submesh, chosen: Sequence[int]) -> dict[str, Any]:
    """Return the selection of a placement for solution files.

    It states whether the moves can be made in this order, see `plan.replay`.
    """
    placement = placement_of(instance, chosen)
    order = order_of(instance, placement) if placement.moves else None
    return {
        "at": list(placement.at),
        "moves": [{"resident": i, "to": list(box)} for i, box in placement.moves],
        **({} if order is None else {"order": order}),
    }


SUPPORT = Support(
    features=features,
    describe=describe,
    document_of=document_of,
    selection_of=selection_of,
    locate=lambda one, listed: listed if isinstance(listed, dict) else None,
    any_choice=lambda one: None,  # finding any placement needs a search
    choosable=lambda one: None,
    canonical=tuple,
)

"""What commands, reports and methods need of k-subset problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from ..errors import InputError
from ..ksubset.instance import KSubset
from ..ksubset.json import FORMAT, requirements
from .networks import describe_network, is_name, labels_of
from .record import Features, Support, document, fill_up


def describe(instance: KSubset) -> str:
    """Describe an instance in a few words.

    >>> from closeknit.instances import mesh
    >>> describe(mesh(2, 3, k=2))
    '2×3 mesh, 6 of 6 processors free, k = 2'
    """
    topology = instance.topology
    return (
        f"{describe_network(topology)}, {instance.n} of {topology.processors_in_all} "
        f"processors free, k = {instance.k}"
        + f", {len(instance.required)} required" * bool(instance.required)
        + f", costs in units of 1/{topology.scale}" * (topology.scale > 1)
    )


def features(instance: KSubset) -> Features:
    """Return what tables say about the instance."""
    topology = instance.topology
    return Features(
        structure=topology.kind,
        shape=topology.size,
        n=instance.n,
        k=instance.k,
        d=topology.dimension,
        locations=topology.processors_in_all,
    )


def document_of(instance: KSubset) -> dict[str, Any]:
    """Return the JSON object of an instance.

    It contains the shorter of ``busy`` and ``free``, or neither if all are free.
    """
    topology = instance.topology
    definition: dict[str, Any] = {"topology": topology.document()}
    if topology.names:
        definition["topology"]["names"] = list(topology.names)
    places = Counter(instance.topology.locations())
    free = Counter(instance.free)
    busy = sorted((places - free).elements())
    if busy and len(busy) <= instance.n:
        definition["busy"] = instance.topology.listed(busy)
    elif busy:
        definition["free"] = instance.topology.listed(instance.free)
    definition["k"] = instance.k
    definition |= requirements(instance)
    return document(FORMAT, instance, definition)


def selection_of(instance: KSubset, chosen: Collection[int]) -> list[Any]:
    """Return the selection of the chosen processors for solution files."""
    return instance.topology.listed([instance.free[i] for i in sorted(chosen)])


def names_of(instance: KSubset, chosen: Collection[int]) -> list[Any]:
    """Return what users call the chosen processors; see `KSubset.names`."""
    if instance.topology.on_nodes:
        return [instance.names[i] for i in sorted(chosen)]
    return selection_of(instance, chosen)


def chosen_by_names(instance: KSubset, listed: Collection[Any]) -> list[int] | None:
    """Return the indices of processors that are listed by name, in their order.

    Returns None where nothing is named: on networks without names, and for indices and
    sites. Raises InputError for a name that is no free processor, and for one that is
    listed twice.
    """
    if not (instance.topology.on_nodes and any(map(is_name, listed))):
        return None
    labels = labels_of(instance.topology) or ()
    index = {name: i for i, name in enumerate(instance.names)}
    known, chosen = set(labels), dict[int, None]()
    for place, name in enumerate(listed):
        at = f"selection[{place}]"
        if not is_name(name) or name not in known:
            raise InputError("no such node", at, name)
        if name not in index:
            raise InputError("not a free processor", at, name)
        if index[name] in chosen:
            raise InputError("chosen twice", at, name)
        chosen[index[name]] = None
    return list(chosen)


def locate(instance: KSubset, listed: Any) -> list[Any] | None:
    """Return coordinates or nodes as solution files list them; None for anything else.

    On a tree or graph a site is ``[node]`` for users, and the bare number in files.
    """
    if not isinstance(listed, list) or set(map(type, listed)) != {list}:
        return None
    if instance.topology.on_nodes:
        return [site[0] if len(site) == 1 else site for site in listed]
    return listed


SUPPORT = Support(
    features=features,
    describe=describe,
    document_of=document_of,
    selection_of=selection_of,
    names_of=names_of,
    locate=locate,
    chosen_by_names=chosen_by_names,
    required=lambda one: one.required_indices,
    any_choice=lambda one: fill_up(one.required_indices, range(one.n), one.k),
)

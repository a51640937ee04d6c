"""The answer to a request as a JSON object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...instances.words import with_noun
from ...scheduler.hostlist import fold
from ..topologies.label_families import HOSTNAME
from .program import Flags
from .request import OF_LINKS, Placement, Request
from .selection import NodeSelector, names_of
from .slices import cubes_of


def describe_placement(
    selector: NodeSelector,
    request: Request,
    flags: Sequence[Flags],
    placement: Placement,
) -> dict[str, Any]:
    """Return the answer as a JSON object; what is not known is left out."""
    fabric = selector.cluster.fabrics[placement.fabric]
    names = names_of(fabric, placement)
    cubes = None
    if request.slice and names:
        of_node = cubes_of(fabric, request.slice)
        cubes = list(dict.fromkeys(of_node[i] for i in placement.chosen))
    parts = request.objective.parts_on(fabric)
    document: dict[str, Any] = {
        "topology": selector.cluster.summary(),
        "nodes": len(selector.cluster.index),
        "free": sum(int(np.count_nonzero(one)) for one in flags),
        "k": request.k,
        "objective": request.objective.value,
        "status": placement.status.value,
        "hostlist": fold(names) if names else None,
        "chosen": names or None,
        "slice": str(request.slice) if request.slice else None,
        "cubes": cubes,
        "cost": _parts(parts, placement.objective),
        "bound": _parts(parts, placement.bound),
        "levels_used": list(selector.cluster.partial) or None,
        "proof": placement.by or None,
        "limit": placement.limit.value if placement.limit else None,
        "seconds": round(placement.seconds, 6),
    }
    links = request.links or selector.links
    if links is not None and request.objective in OF_LINKS:
        if placement.objective is not None:
            name, load, others = links.busiest(fabric, placement.chosen)
            if name:
                document["busiest"] = {
                    "link": name,
                    "load": str(load),
                    "others": str(others),
                }
        for name, cost in (
            ("value", placement.objective),
            ("value_bound", placement.bound),
        ):
            if cost is not None:
                document[name] = str(links.part_of(cost[0], request.k))
    return {key: value for key, value in document.items() if value is not None}


def parts_text(parts: Mapping[str, int]) -> str:
    """Write a cost: what is counted with its noun, a measure by its name.

    >>> parts_text({"level": 2, "switches": 1, "hops": 12})
    'level 2, 1 switch, 12 hops'
    """
    nouns = {"switches": "switch", "hops": "hop", "blocks": "block"}
    return ", ".join(
        with_noun(value, nouns[name]) if name in nouns else f"{name} {value}"
        for name, value in parts.items()
    )


def _parts(
    names: tuple[str, ...], values: tuple[int, ...] | None
) -> dict[str, int] | None:
    return None if values is None else dict(zip(names, values, strict=True))


def for_kubernetes(names: Sequence[str]) -> dict[str, Any]:
    """Return nodes as parts of objects of Kubernetes, one pod to a node.

    ``affinity`` is for the template of the pods, ``topologyAssignment`` is the one of
    Kueue, version v1beta2.
    """
    terms = [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]}
        for name in names
    ]
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    return {
        "nodeNames": list(names),
        "affinity": {"nodeAffinity": {required: {"nodeSelectorTerms": terms}}},
        "topologyAssignment": {
            "levels": [HOSTNAME],
            "slices": [
                {
                    "domainCount": len(names),
                    "valuesPerLevel": [{"individual": {"roots": list(names)}}],
                    "podCounts": {"universal": 1},
                }
            ],
        },
    }

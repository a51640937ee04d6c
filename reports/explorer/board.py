"""A network with busy processors, as the page shows it and as it sends it back.

Processors are numbered as ``topology.locations()`` lists them; the page knows no other
numbers. A board is the JSON object ``{"topology": ..., "busy": [numbers], "k": ...}``,
possibly with a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ...instances import InputError, KSubset, Site, Topology, arrays
from ...instances.ksubset.json import parse_topology
from ...instances.reading import fields
from ...instances.reading.json_text import dumps
from ...instances.reading.parsing import parse_json
from ...instances.support.ksubset import describe
from ...methods import KSUBSET
from .scenes import MOST_SHOWN, scene_of

FIELDS = ("topology", "busy", "k", "name")
"""Fields of a board; the first three are needed."""
FIRST = ("mm", "mm-inc", "mm-free", "mc1x1", "hilbert/best-fit", "random")
"""Methods that the page compares unless others are chosen."""
_MOST_OF_GRAPH, _MOST_WITHOUT_CUTS = 2048, 1024
"""Nodes of a graph; of one whose distances are no sums of cuts."""
_LONGEST_NAME = 100


@dataclass(frozen=True)
class Board:
    """An instance, and the number on the page of each of its free processors."""

    instance: KSubset
    numbers: tuple[int, ...]

    def shown(self, chosen: Iterable[int]) -> list[int]:
        """Return the numbers on the page of processors chosen by an instance."""
        return sorted(self.numbers[int(i)] for i in chosen)


def board_of(value: Any, field: str = "board") -> Board:
    """Read a board.

    Raises
    ------
    InputError
        If it is malformed or too large; names the field.
    """
    document = fields.objects(value, field)
    fields.only(document, FIELDS, FIELDS[:3], field)
    topology = topology_of(document["topology"])
    busy = busy_of(document["busy"], topology, f"{field}.busy")
    k = fields.integer(document["k"], "k")
    name = fields.string(document.get("name", "board"), "name")[:_LONGEST_NAME]
    return on_network(topology, busy, k, name or "board")


def on_network(
    topology: Topology, busy: frozenset[int], k: int, name: str, **origin: Any
) -> Board:
    """Return the board of the processors of a network that are not busy."""
    sites = list(topology.locations())
    free = sorted(
        (i for i in range(len(sites)) if i not in busy), key=sites.__getitem__
    )
    if not free:
        raise InputError("no processor is free", "busy")
    instance = KSubset(name, topology, tuple(sites[i] for i in free), k, **origin)
    return Board(instance, tuple(free))


def busy_of(value: Any, topology: Topology, field: str) -> frozenset[int]:
    """Read the numbers of busy processors of a network."""
    count = sum(1 for _ in topology.locations())
    found = fields.integers(value, field)
    for i, number in enumerate(found):
        if not 0 <= number < count:
            raise InputError("is no number of a processor", f"{field}[{i}]", number)
    return frozenset(found)


def topology_of(value: Any) -> Topology:
    """Read the object of a network; the last ones read are kept with their tables."""
    document = fields.objects(value, "topology")
    return _topology(dumps(document, indented=False))


@lru_cache(maxsize=16)
def _topology(text: str) -> Topology:
    document = parse_json(text)
    shape = document.get("shape")
    if shape is not None:
        _refuse_large(fields.integers(shape, "topology.shape"), "topology.shape")
    for name in ("coordinates", "parent", "edges"):
        listed = document.get(name)
        if isinstance(listed, list) and len(listed) > 4 * MOST_SHOWN:
            problem = f"has more than {4 * MOST_SHOWN} entries"
            raise InputError(problem, f"topology.{name}")
    return admit(parse_topology(document))


def _refuse_large(shape: Sequence[int], field: str) -> None:
    """Refuse sides of a network that is larger than the page shows."""
    count = 1
    for side in shape:
        count *= max(side, 1)
        if count > MOST_SHOWN:
            problem = f"at most {MOST_SHOWN} processors are shown"
            raise InputError(problem, field, list(shape))


def admit(topology: Topology) -> Topology:
    """Return a network if the page can show it and search it."""
    count = sum(1 for _ in topology.locations())
    if count > MOST_SHOWN:
        problem = f"has {count} processors; at most {MOST_SHOWN} are shown"
        raise InputError(problem, "topology")
    graph = topology.graph
    if graph and graph.nodes > _MOST_OF_GRAPH:
        problem = f"has {graph.nodes} nodes; at most {_MOST_OF_GRAPH} are shown"
        raise InputError(problem, "topology")
    if graph and graph.nodes > _MOST_WITHOUT_CUTS and arrays.embedding(graph) is None:
        problem = (
            f"has {graph.nodes} nodes; of graphs whose distances are no sums of "
            f"cuts at most {_MOST_WITHOUT_CUTS} are shown"
        )
        raise InputError(problem, "topology")
    return topology


def document_of(
    topology: Topology,
    busy: Iterable[int],
    k: int,
    name: str,
    *,
    nodes: Sequence[str] = (),
    domains: Sequence[str] = (),
    racks: bool = False,
) -> dict[str, Any]:
    """Return a network as the page loads it: the board, its views, its labels.

    And why methods that the page would compare first refuse the network.

    Parameters
    ----------
    topology, busy, k, name
        The board.
    nodes
        Names of the processors; their sites if left out.
    domains
        Names of the other nodes of a tree.
    racks
        Whether racks are shown first.
    """
    taken = frozenset(busy)
    board = on_network(topology, taken, k, name)
    views = {topology.kind: scene_of(topology).document()}
    if topology.tree:
        views["racks"] = scene_of(topology, tuple(domains), racks=True).document()
    sites = list(topology.locations())
    refused = {name: KSUBSET[name].refusal(board.instance) for name in FIRST}
    return {
        "name": name,
        "about": describe(board.instance),
        "topology": topology.document(),
        "busy": sorted(taken),
        "k": k,
        "labels": list(nodes) or [_label(topology, site) for site in sites],
        "views": views,
        "view": "racks" if racks else topology.kind,
        "refused": {name: why for name, why in refused.items() if why},
    }


def of_instance(instance: KSubset) -> dict[str, Any]:
    """Return an instance as the page loads it; see `document_of`."""
    topology = admit(instance.topology)
    left: dict[Site, int] = {}
    for site in instance.free:
        left[site] = left.get(site, 0) + 1
    busy = []
    for number, site in enumerate(topology.locations()):
        if left.get(site):
            left[site] -= 1
        else:
            busy.append(number)
    names: Sequence[str] = ()
    if topology.graph and topology.graph.names:
        names = [topology.graph.names[v] for v in topology.graph.processors]
    return document_of(topology, busy, instance.k, instance.name, nodes=names)


def _label(topology: Topology, site: Site) -> str:
    if topology.on_nodes:
        return f"node {site[0]}"
    return ", ".join(map(str, topology.listed([site])[0]))

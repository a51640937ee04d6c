"""``closeknit/ksubset`` files: reader, writer, digest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from .. import fields
from ..decimals import decimals, digits, scaled, unscaled
from ..errors import InputError
from ..files import read_text, stem
from ..json_text import digest
from ..parsing import parse_json
from ..topologies import Graph, Mesh, Points, Site, Topology, Torus, Tree, is_name
from ..topologies.graph import MOST_NODES, graph_of
from .instance import KSubset

FORMAT = "closeknit/ksubset"
_FIELDS = ("format", "version", "name", "topology", "busy", "free", "k", "source")
_KNOWN = (*_FIELDS, "seed")
_POINTS = ("kind", "coordinates")
_TREE = ("kind", "parent", "weight", "processors")
_GRAPH = ("kind", "nodes", "edges", "processors", "names")


def read_ksubset(path: str | Path) -> KSubset:
    """Read an instance file.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.

    Raises
    ------
    InputError
        If it is invalid: one line with the file, the field and the value.
    """
    try:
        document = parse_json(read_text(path), file=path)
        return parse_ksubset(document, default_name=stem(path))
    except InputError as error:
        raise error.of_file(path) from None


def parse_ksubset(value: Any, *, default_name: str = "unnamed") -> KSubset:
    """Build an instance from parsed JSON (decimals as `Decimal`)."""
    document = fields.headed(value, FORMAT)
    fields.only(document, _KNOWN, ("topology", "k"), "")
    topology = parse_topology(fields.objects(document["topology"], "topology"))
    return on_topology(topology, document, default_name=default_name)


def on_topology(
    topology: Topology, document: Mapping[str, Any], *, default_name: str = "unnamed"
) -> KSubset:
    """Build an instance on a network from the other fields of its file.

    These are ``k``; ``busy`` or ``free``; ``name``, ``source`` and ``seed``. Raises
    InputError if it is invalid; names the field and the value.
    """
    if "busy" in document and "free" in document:
        raise InputError("give busy or free, not both", "busy")
    if "free" in document:
        free = _sites(document["free"], "free", topology)
    elif "busy" in document:
        busy = _sites(document["busy"], "busy", topology)
        free = _without(topology, busy, "busy")
    else:
        free = list(topology.locations())
    if not free:
        raise InputError("no processor is free", "topology")
    return KSubset(
        **fields.origin(document, default_name),
        topology=topology,
        free=tuple(free),
        k=fields.integer(document["k"], "k"),
    )


def document_of(instance: KSubset) -> dict[str, Any]:
    """Return the JSON object of an instance.

    It contains the shorter of ``busy`` and ``free``, or neither if all are free.
    """
    topology = instance.topology
    definition: dict[str, Any] = {"topology": topology_document(topology)}
    if isinstance(topology, Graph) and topology.names:
        definition["topology"]["names"] = list(topology.names)
    places = Counter(instance.topology.locations())
    free = Counter(instance.free)
    busy = sorted((places - free).elements())
    if busy and len(busy) <= instance.n:
        definition["busy"] = labels(instance.topology, busy)
    elif busy:
        definition["free"] = labels(instance.topology, instance.free)
    definition["k"] = instance.k
    return fields.document(FORMAT, instance, definition)


def sha256(instance: KSubset) -> str:
    """Return the digest of topology, free processors and k.

    Name, source, seed and the order of lists in the file do not count.

    >>> from closeknit.instances import mesh
    >>> sha256(mesh(2, 2, k=2))[:16]
    'b7e7f6834d6b5e94'
    """
    canonical = {
        "format": FORMAT,
        "version": 1,
        "topology": topology_document(instance.topology),
        "free": labels(instance.topology, instance.free),
        "k": instance.k,
    }
    return digest(canonical)


def labels(topology: Topology, sites: Sequence[Site]) -> list[Any]:
    """Return sites as in files: coordinates in the file's units, or node numbers."""
    if isinstance(topology, Tree | Graph):
        return [v for (v,) in sites]
    if topology.scale == 1:
        return [list(site) for site in sites]
    unit = Decimal(1) / topology.scale
    return [[unscaled(x, unit) for x in site] for site in sites]


def selection_of(instance: KSubset, chosen: Collection[int]) -> list[Any]:
    """Return the selection of the chosen processors for solution files."""
    return labels(instance.topology, [instance.free[i] for i in sorted(chosen)])


def names_of(instance: KSubset, chosen: Collection[int]) -> list[Any]:
    """Return what users call the chosen processors; see `KSubset.names`."""
    if isinstance(instance.topology, Tree | Graph):
        return [instance.names[i] for i in sorted(chosen)]
    return selection_of(instance, chosen)


def chosen_by_names(instance: KSubset, listed: Collection[Any]) -> list[int] | None:
    """Return the indices of processors that are listed by name, in their order.

    Returns None where nothing is named: on networks without names, and for indices and
    sites. Raises InputError for a name that is no free processor, and for one that is
    listed twice.
    """
    topology = instance.topology
    if not isinstance(topology, Tree | Graph) or not any(map(is_name, listed)):
        return None
    index = {name: i for i, name in enumerate(instance.names)}
    known, chosen = set(topology.labels), dict[int, None]()
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


def located(instance: KSubset, listed: Any) -> list[Any] | None:
    """Return coordinates or nodes as solution files list them; None for anything else.

    On a tree or graph a site is ``[node]`` for users, and the bare number in files.
    """
    if not isinstance(listed, list) or set(map(type, listed)) != {list}:
        return None
    if isinstance(instance.topology, Tree | Graph):
        return [site[0] if len(site) == 1 else site for site in listed]
    return listed


def chosen_of(instance: KSubset, selection: Any) -> tuple[int, ...]:
    """Return the indices of the processors in a solution file.

    Raises InputError if a processor is not free, or is listed more often than it is
    free.
    """
    at: dict[Site, list[int]] = {}
    for i in reversed(range(instance.n)):
        at.setdefault(instance.free[i], []).append(i)
    chosen = []
    for i, site in enumerate(_sites(selection, "selection", instance.topology)):
        left = at.get(site)
        if not left:
            problem = "not a free processor" if left is None else "chosen twice"
            raise InputError(problem, f"selection[{i}]", list(site))
        chosen.append(left.pop())
    return tuple(sorted(chosen))


def parse_topology(value: dict[str, Any]) -> Topology:
    """Build a network from the object ``topology`` of a file."""
    kind = value.get("kind")
    if kind in ("mesh", "torus"):
        fields.only(value, ("kind", "shape"), ("shape",), "topology")
        shape = fields.integers(value["shape"], "topology.shape")
        return Mesh(shape) if kind == "mesh" else Torus(shape)
    if kind == "points":
        fields.only(value, _POINTS, _POINTS, "topology")
        where = "topology.coordinates"
        return Points(*scaled(fields.lists(value["coordinates"], where), where))
    if kind == "tree":
        fields.only(value, _TREE, _TREE, "topology")
        return Tree(
            fields.integers(value["parent"], "topology.parent"),
            fields.integers(value["weight"], "topology.weight"),
            fields.integers(value["processors"], "topology.processors"),
        )
    if kind == "graph":
        return _graph(value)
    raise InputError(
        "must be mesh, torus, points, tree or graph", "topology.kind", kind
    )


def _graph(value: dict[str, Any]) -> Graph:
    """Build a graph; an edge is a list of two nodes and an optional length."""
    fields.only(value, _GRAPH, ("nodes", "edges"), "topology")
    nodes = fields.integer(value["nodes"], "topology.nodes")
    lengths = []
    pairs: set[tuple[int, int]] = set()
    for i, edge in enumerate(fields.lists(value["edges"], "topology.edges")):
        at = f"topology.edges[{i}]"
        numbers = fields.lists(edge, at)
        if len(numbers) not in (2, 3):
            raise InputError("must be [node, node, length]", at)
        u, v = (fields.integer(x, f"{at}[{j}]") for j, x in enumerate(numbers[:2]))
        if u == v:
            raise InputError("joins a node to itself", at, u)
        pair = min(u, v), max(u, v)
        if pair in pairs:
            raise InputError("listed twice", at, list(pair))
        pairs.add(pair)
        length = fields.number(numbers[2], f"{at}[2]") if len(numbers) == 3 else 1
        lengths.append((u, v, length))
    processors: Sequence[int] = range(min(nodes, MOST_NODES))
    if "processors" in value:
        processors = fields.integers(value["processors"], "topology.processors")
    names = fields.strings(value.get("names", []), "topology.names")
    return graph_of(lengths, processors, names, nodes=nodes)


def topology_document(topology: Topology) -> dict[str, Any]:
    """Return the object ``topology`` of a file, without names of nodes."""
    document: dict[str, Any] = {"kind": topology.kind}
    if isinstance(topology, Mesh | Torus):
        document["shape"] = list(topology.shape)
    elif isinstance(topology, Points):
        document["coordinates"] = labels(topology, topology.coordinates)
    elif isinstance(topology, Tree):
        document["parent"] = list(topology.parent)
        document["weight"] = list(topology.weight)
        document["processors"] = list(topology.processors)
    elif isinstance(topology, Graph):
        unit = Decimal(1) / topology.scale
        document["nodes"] = topology.nodes
        document["edges"] = [
            [u, v, unscaled(weight, unit)] for u, v, weight in topology.edges
        ]
        document["processors"] = list(topology.processors)
    return document


def _sites(value: Any, field: str, topology: Topology) -> list[Site]:
    rows = fields.lists(value, field)
    if isinstance(topology, Tree | Graph):
        return [(v,) for v in fields.integers(rows, field)]
    if isinstance(topology, Points):
        return [
            _scaled(row, f"{field}[{i}]", topology.scale) for i, row in enumerate(rows)
        ]
    return list(fields.rows(rows, field))


def _without(topology: Topology, busy: list[Site], field: str) -> list[Site]:
    """Return the locations that are not busy; counts only busy ones, to save memory."""
    open_ = Counter(busy)
    free = []
    for site in topology.locations():
        if open_.get(site):
            open_[site] -= 1
        else:
            free.append(site)
    found = Counter(busy) - open_
    for i, site in enumerate(busy):
        if not found[site]:
            problem = "listed twice" if site in found else "no such processor"
            raise InputError(problem, f"{field}[{i}]", list(site))
        found[site] -= 1
    return free


def _scaled(value: Any, field: str, scale: int) -> Site:
    numbers = decimals(value, field)
    if any(10 ** digits(x) > scale for x in numbers):
        raise InputError("no such processor", field, [str(x) for x in numbers])
    return tuple(int(x * scale) for x in numbers)

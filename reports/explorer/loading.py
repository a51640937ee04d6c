"""Files that the page loads: instances, and topologies of clusters."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from ...instances import InputError, Points, Topology, Tree
from ...instances.ksubset.json import parse_ksubset
from ...instances.problems import is_instance
from ...instances.reading import fields
from ...instances.reading.parsing import parse_json
from ...instances.visible import visible
from ...scheduler.availability import Known, availability
from ...scheduler.topologies import Fabric, Hierarchy, parse_cluster
from ...scheduler.topologies.wiring import tree_topology
from .board import admitted, document_of, of_instance
from .scenes import MOST_SHOWN

MOST_TEXT = 4 * 2**20
"""Characters of a file."""
NO_NODE = "no node"
"""Label of a place of a network at which a cluster has no node."""
_MOST_K = 16


def loaded(body: dict[str, Any]) -> dict[str, Any]:
    """Load a file: ``name``, ``text`` and, of several fabrics, the number ``part``.

    Returns
    -------
    dict
        A network, see `document_of`.

    Raises
    ------
    InputError
        If it is none, or too large; names the file.
    """
    fields.only(body, ("name", "text", "part"), ("name", "text"), "")
    name = visible(fields.string(body["name"], "name"))[:100] or "file"
    text = body["text"]
    if not isinstance(text, str):
        raise InputError("must be a string", "text", text)
    part = fields.integer(body.get("part", 0), "part")
    try:
        return _loaded(name, text, part)
    except InputError as error:
        raise error if error.file else error.of_file(name) from None


def _loaded(name: str, text: str, part: int) -> dict[str, Any]:
    if len(text) > MOST_TEXT:
        raise InputError(f"has more than {MOST_TEXT // 2**20} MiB")
    if text.lstrip().startswith("{"):
        document = parse_json(text)
        if is_instance(document):
            return of_instance(parse_ksubset(document, default_name=Path(name).stem))
    cluster = parse_cluster(text, name)
    if not 0 <= part < len(cluster.fabrics):
        raise InputError(f"must be below {len(cluster.fabrics)}", "part", part)
    unusable = availability(cluster, Known()).reasons
    found = _of_fabric(cluster.fabrics[part], Path(name).stem, unusable)
    found["about"] = cluster.summary()
    found["parts"] = [fabric.summary() for fabric in cluster.fabrics]
    found["part"] = part
    found["file"] = name
    return found


def _of_fabric(fabric: Fabric, name: str, unusable: Collection[str]) -> dict[str, Any]:
    """Return a fabric as a network; its nodes, in the order of their sites.

    Nodes that the file calls unusable are busy on the page.
    """
    count = len(fabric.nodes)
    if count > MOST_SHOWN:
        problem = f"has {count} nodes; at most {MOST_SHOWN} are shown"
        raise InputError(problem, "topology")
    busy = [i for i, node in enumerate(fabric.nodes) if node in unusable]
    if len(busy) == count:
        raise InputError("calls none of these nodes usable", "nodes")
    k = min(_MOST_K, max(1, (count - len(busy)) // 2))
    if isinstance(fabric, Hierarchy):
        return document_of(
            admitted(_halved(tree_topology(fabric))),
            *(busy, k, name),
            nodes=fabric.nodes,
            domains=fabric.domains,
            racks=True,
        )
    topology: Topology = fabric.topology
    if topology.repeats:
        topology = Points(tuple(fabric.sites), topology.scale)
    labels: dict[tuple[int, ...], list[str]] = {}
    for node, site in zip(fabric.nodes, fabric.sites, strict=True):
        labels.setdefault(site, []).append(node)
    if len(labels) < count and not topology.repeats:
        problem = "has several nodes at one place, which the page does not show"
        raise InputError(problem, "topology")
    names, absent = [], []
    for number, site in enumerate(admitted(topology).locations()):
        if site not in labels or not labels[site]:
            absent.append(number)
            names.append(NO_NODE)
        else:
            names.append(labels[site].pop(0))
    return document_of(topology, absent, k, name, nodes=names)


def _halved(tree: Tree) -> Tree:
    """Return a tree of twice the hops in hops, if these are whole."""
    weight = np.array(tree.weight)
    if (weight % 2).any():
        return tree
    return Tree(tree.parent, tuple((weight // 2).tolist()), tree.processors)

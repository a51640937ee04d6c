"""Topologies of clusters, as the explorer's page loads them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from ..instances import InputError, Points, Topology, Tree
from ..reports.explorer.board import admit, document_of
from ..reports.explorer.scenes import MOST_SHOWN
from .availability import Known, availability
from .topologies import Fabric, Hierarchy, parse_cluster
from .topologies.wiring import tree_topology

NO_NODE = "no node"
"""Label of a place of a network at which a cluster has no node."""
_MOST_K = 16


def loaded_cluster(name: str, text: str, part: int) -> dict[str, Any]:
    """Load a fabric of a cluster, by its number.

    Returns
    -------
    dict
        Of kind ``network``.

    Raises
    ------
    InputError
        If the text describes no cluster, or one that is too large for the page.
    """
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
            admit(_halve_hops(tree_topology(fabric))),
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
    for number, site in enumerate(admit(topology).locations()):
        if site not in labels or not labels[site]:
            absent.append(number)
            names.append(NO_NODE)
        else:
            names.append(labels[site].pop(0))
    return document_of(topology, absent, k, name, nodes=names)


def _halve_hops(tree: Tree) -> Tree:
    """Return a tree of twice the hops in hops, if these are whole."""
    weight = np.array(tree.weight)
    if (weight % 2).any():
        return tree
    return Tree(tree.parent, tuple((weight // 2).tolist()), tree.processors)

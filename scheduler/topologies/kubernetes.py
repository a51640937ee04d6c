"""Kubernetes nodes: the JSON of ``kubectl get nodes -o json``.

The levels are those of a Topology of Kueue in the same list (``kubectl get
nodes,topologies.kueue.x-k8s.io -o json``), or labels that are known by name. As in
Kueue, nodes without the label of a level are left out, and a domain is identified by
its labels from the top down.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...instances import fields
from ..long_reports import kubernetes_objects
from ..node_states import Report, heartbeats, says_a_state, state_of_kubernetes
from .fabric import MOST_NODES, Cluster
from .forest import Switch, Where, cluster_of

HOSTNAME = "kubernetes.io/hostname"
_KNOWN = (
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "network.topology.nvidia.com/datacenter",
    "network.topology.nvidia.com/core",
    "network.topology.nvidia.com/spine",
    "network.topology.nvidia.com/leaf",
    "network.topology.nvidia.com/block",
    "network.topology.nvidia.com/accelerator",
    *(f"fabric.topograph.run/tier-{tier}" for tier in range(8, -1, -1)),
    "accelerator.topograph.run/domain",
    "accelerator.topograph.run/sub-domain",
    "cloud.google.com/gce-topology-block",
    "cloud.google.com/gce-topology-subblock",
    "cloud.google.com/gce-topology-host",
    "cloud.provider.com/topology-block",
    "cloud.provider.com/topology-rack",
)
"""Labels from the top down, as clouds, topograph and Kueue name them."""


def looks_like_kubernetes(document: Any) -> bool:
    """Whether a JSON document is a list with nodes."""
    return isinstance(document, dict) and any(
        isinstance(item, dict) and item.get("kind") == "Node"
        for item in kubernetes_objects(document)
    )


def read_kubernetes(
    document: dict[str, Any], where: Where, labels: Sequence[str] = ()
) -> Cluster:
    """Build a cluster from nodes and their labels.

    ``labels`` names those of the levels, from the top down, instead of what is found.
    Raises InputError if a node has no name or two have one, or no node has the labels.
    """
    found: dict[str, dict[str, str]] = {}
    report, says = Report("topology", "topology"), False
    for i, item in enumerate(kubernetes_objects(document)):
        if not isinstance(item, dict) or item.get("kind") != "Node":
            continue
        at = f"items[{i}].metadata"
        metadata = fields.objects(item.get("metadata"), at)
        name = fields.string(metadata.get("name"), f"{at}.name")
        if name in found or not name:
            where.fail(0, "is listed twice" if name else "is empty", f"{at}.name", name)
        given = fields.objects(metadata.get("labels") or {}, f"{at}.labels")
        found[name] = {
            key: fields.string(value, f"{at}.labels.{key}")
            for key, value in given.items()
        }
        report.add(name, state_of_kubernetes(item, f"items[{i}]"))
        for moment in heartbeats(item, f"items[{i}]"):
            report.seen(moment)
        says = says or says_a_state(item, f"items[{i}]")
    if len(found) > MOST_NODES:
        where.fail(0, f"has more than {MOST_NODES} nodes")
    chosen = [label for label in labels or _of_kueue(document) if label != HOSTNAME]
    if not chosen:
        chosen = [
            label for label in _KNOWN if any(label in own for own in found.values())
        ]
    if not chosen:
        where.fail(0, "no node has a label of a level that is known", "labels")
    cluster = _cluster(found, chosen, where)
    return replace(cluster, report=report) if says else cluster


def _of_kueue(document: dict[str, Any]) -> list[str]:
    """Return the labels of the first Topology in the list."""
    for i, item in enumerate(kubernetes_objects(document)):
        if isinstance(item, dict) and item.get("kind") == "Topology":
            at = f"items[{i}].spec"
            spec = fields.objects(item.get("spec"), at)
            levels = fields.lists(spec.get("levels"), f"{at}.levels")
            return [
                fields.string(
                    fields.objects(level, f"{at}.levels[{j}]").get("nodeLabel"),
                    f"{at}.levels[{j}].nodeLabel",
                )
                for j, level in enumerate(levels)
            ]
    return []


def _cluster(
    found: dict[str, dict[str, str]], labels: list[str], where: Where
) -> Cluster:
    domains: dict[tuple[str, ...], Switch] = {(): Switch("cluster")}
    children: dict[tuple[str, ...], list[str]] = {(): []}
    at: dict[tuple[str, ...], list[str]] = {}
    left_out = 0
    for node, own in found.items():
        path = tuple(own[label] for label in labels if own.get(label))
        if len(path) < len(labels):
            left_out += 1
            continue
        for depth in range(1, len(path) + 1):
            part = path[:depth]
            if part not in domains:
                domains[part] = Switch("/".join(part))
                children[part] = []
                children[part[:-1]].append(domains[part].name)
        at.setdefault(path, []).append(node)
    if not at:
        where.fail(0, f"no node has the labels of {', '.join(labels)}", "labels")
    for path, switch in domains.items():
        switch.children, switch.nodes = children[path], at.get(path, [])
    notes = [f"{left_out} nodes without these labels left out"] if left_out else []
    names = [short(label) for label in reversed(labels)]
    listed = list(domains.values())
    if len(children[()]) == 1:
        listed = listed[1:]  # one domain at the top needs nothing above
    return cluster_of(
        "Kubernetes nodes", listed, where, levels=[*names, "cluster"], notes=notes
    )


def short(label: str) -> str:
    """Return what a level is called: the end of its label.

    >>> short("cloud.provider.com/topology-rack"), short("topology.kubernetes.io/zone")
    ('rack', 'zone')
    """
    return re.sub(r"^(?:gce-)?topology-", "", label.rpartition("/")[2])

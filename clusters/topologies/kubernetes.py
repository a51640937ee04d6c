"""Kubernetes nodes: the JSON of ``kubectl get nodes -o json``.

The levels are those of a Topology of Kueue in the same list (``kubectl get
nodes,topologies.kueue.x-k8s.io -o json``), or labels of known families. As in
Kueue, nodes without the label of a level are left out, and a domain is identified by
its labels from the top down.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...instances.reading import fields
from ...instances.words import with_noun
from ...scheduler.hostlist import first_repeated
from ..long_reports import kubernetes_objects
from ..node_states import says_a_state
from ..state import report_of
from .fabric import MOST_NODES, Cluster, Hierarchy
from .label_families import (
    CLIQUE,
    HOSTNAME,
    TPU_PARTITION,
    TPU_TOPOLOGY,
    candidates,
    known_levels,
    note_of,
)
from .switch_trees import SourceFile, cluster_of, first_of, switches_of
from .tpu import POOL, shape_of

_WORKING = ("HEALTHY", "DEGRADED")
"""States with which GKE lets a partition be part of a slice."""


def looks_like_kubernetes(document: Any) -> bool:
    """Whether a JSON document is a node, or a list with nodes."""
    return isinstance(document, dict) and any(
        isinstance(item, dict) and item.get("kind") == "Node"
        for item in kubernetes_objects(document)
    )


def read_kubernetes(
    document: dict[str, Any],
    where: SourceFile,
    name: str = "",
    labels: Sequence[str] = (),
) -> Cluster:
    """Build a cluster from nodes and their labels.

    Parameters
    ----------
    document
        The node or list.
    where
        Its file, for messages.
    name
        Which Topology of the list; needed if there are several.
    labels
        Those of the levels, from the top down, instead of what is found.

    Raises
    ------
    InputError
        If a node has no name or two have one, or no node has the labels.
    """
    found: dict[str, dict[str, str]] = {}
    report, says = report_of(document), False
    report.file = "topology"
    unread: dict[str, int] = {}
    topologies: dict[str, list[str]] = {}
    for i, item in enumerate(kubernetes_objects(document)):
        kind = str(item["kind"])
        if kind == "Node":
            _add_node(found, item, f"items[{i}].metadata", where)
            says = says or says_a_state(item, f"items[{i}]")
        elif kind == "Topology":
            title, levels = _of_kueue(item, f"items[{i}]")
            if topologies.setdefault(title, levels) is not levels:
                where.fail(0, "is listed twice", f"items[{i}].metadata.name", title)
        elif "topology" in kind.lower() or kind == "HyperNode":
            unread[kind] = unread.get(kind, 0) + 1
    if not says:
        report.nodes.clear()
    if len(found) > MOST_NODES:
        where.fail(0, f"has more than {MOST_NODES} nodes")
    notes = [f"{count} {kind} not read" for kind, count in unread.items()]
    if labels:
        if name:
            where.fail(0, "cannot be given with --labels", "--topology-name", name)
        cluster = _cluster(found, labels, where, notes)
        return replace(cluster, report=report)
    listed = _levels_of(topologies, name, where)
    chosen = [label for label in listed if label != HOSTNAME]
    if topologies and not chosen:
        title = name or next(iter(topologies))
        where.fail(0, "has no level above the nodes", "Topology", title)
    chosen = chosen or known_levels(found)
    others, chain = candidates(found, chosen)
    if not chosen:
        problem = "no node has a label of a level that is known"
        if others:
            problem += f": {note_of(others, chain)}"
        where.fail(0, problem, "labels")
    if others:
        notes.append(note_of(others, chain))
    cluster = _cluster(found, chosen, where, notes, partial=bool(others))
    return replace(cluster, report=report)


def _add_node(
    found: dict[str, dict[str, str]], item: dict[str, Any], at: str, where: SourceFile
) -> None:
    metadata = fields.objects(item.get("metadata"), at)
    name = fields.string(metadata.get("name"), f"{at}.name")
    if name in found or not name:
        where.fail(0, "is listed twice" if name else "is empty", f"{at}.name", name)
    given = fields.objects(metadata.get("labels") or {}, f"{at}.labels")
    found[name] = {
        key: fields.string(value, f"{at}.labels.{key}") for key, value in given.items()
    }
    if domain := found[name].get(CLIQUE, "").rpartition(".")[0]:
        found[name][f"{CLIQUE}-domain"] = domain


def _levels_of(
    topologies: dict[str, list[str]], name: str, where: SourceFile
) -> list[str]:
    """Return the levels of the one Topology, or of the one that is named."""
    there = first_of(list(topologies))
    if name and not topologies:
        where.fail(0, "is for files with several topologies", "--topology-name", name)
    if name and name not in topologies:
        problem = f"no such topology (there are: {there})"
        where.fail(0, problem, "--topology-name", name)
    if len(topologies) > 1 and not name:
        problem = f"needs a name: {there} are there"
        where.fail(0, problem, "--topology-name")
    return topologies[name] if name else next(iter(topologies.values()), [])


def _of_kueue(item: dict[str, Any], at: str) -> tuple[str, list[str]]:
    """Return the name of a Topology, and the labels of its levels."""
    metadata = fields.objects(item.get("metadata") or {}, f"{at}.metadata")
    title = fields.string(metadata.get("name", ""), f"{at}.metadata.name")
    spec = fields.objects(item.get("spec"), f"{at}.spec")
    levels = fields.lists(spec.get("levels"), f"{at}.spec.levels")
    return title, [
        fields.string(
            fields.objects(level, f"{at}.spec.levels[{j}]").get("nodeLabel"),
            f"{at}.spec.levels[{j}].nodeLabel",
        )
        for j, level in enumerate(levels)
    ]


def _cluster(
    found: dict[str, dict[str, str]],
    labels: Sequence[str],
    where: SourceFile,
    notes: list[str],
    *,
    partial: bool = False,
) -> Cluster:
    if again := first_repeated(labels):
        where.fail(0, "is given twice", "labels", again)
    paths = {
        node: path
        for node, own in found.items()
        if all(path := tuple(own.get(label, "") for label in labels))
    }
    if not paths:
        where.fail(0, f"no node has the labels of {', '.join(labels)}", "labels")
    if left_out := len(found) - len(paths):
        notes = [*notes, f"{with_noun(left_out, 'node')} without these labels left out"]
    names = [short(label) for label in reversed(labels)]
    cluster = cluster_of(
        "Kubernetes nodes",
        switches_of(paths, "cluster"),
        where,
        levels=[*names, "cluster"],
        notes=notes,
    )
    [fabric] = cluster.fabrics
    assert isinstance(fabric, Hierarchy)
    if any(shape_of(name) for name in names) or POOL in names:
        fabric = _with_chips(fabric, [found[node] for node in fabric.nodes])
    partial_levels = tuple(reversed(names)) if partial else ()
    return replace(cluster, fabrics=(fabric,), partial=partial_levels)


def _with_chips(fabric: Hierarchy, nodes: Sequence[Mapping[str, str]]) -> Hierarchy:
    """Add what labels state of TPUs: a pool is a slice, or has parts that work."""
    counts = {own.get("cloud.google.com/gke-accelerator-count", "4") for own in nodes}
    parts = ["2x2x1", *filter(shape_of, fabric.levels)]
    slices = []
    for own in nodes:
        states = (own.get(f"{TPU_PARTITION}{x}-state", "HEALTHY") for x in parts)
        works = [x for x, y in zip(parts, states, strict=True) if y in _WORKING]
        listed = [own.get(TPU_TOPOLOGY, "")] if POOL in fabric.levels else works
        slices.append({tuple(sorted(shape_of(x))) for x in listed})
    one = counts.pop()
    known = not counts and one in ("1", "2", "4", "8")
    return replace(fabric, chips=int(one) if known else 0, slices=tuple(slices))


def short(label: str) -> str:
    """Return what a level is called: the end of its label.

    >>> short("cloud.provider.com/topology-rack"), short("topology.kubernetes.io/zone")
    ('rack', 'zone')
    """
    end = label.rpartition("/")[2]
    if label.startswith(TPU_PARTITION):
        return end.removeprefix(TPU_PARTITION.rpartition("/")[2]).removesuffix("-id")
    return re.sub(r"^(?:gce-)?topology-", "", end)

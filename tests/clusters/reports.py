"""Reports of Slurm and of Kubernetes, as short as they can be."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from closeknit.clusters.node_states import NodeReport
from closeknit.clusters.state import parse_report

ZONE = "topology.kubernetes.io/zone"


def report(document: Mapping[str, Any], file: str = "") -> NodeReport:
    """Return what a document says, as if it were read from a file of this name."""
    found = parse_report(json.dumps(document))
    found.file = file
    return found


def node(
    name: str, ready: str = "True", labels: Mapping[str, str] | None = None, **spec: Any
) -> dict[str, Any]:
    """Return a node of Kubernetes in a zone, or with other labels."""
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": labels or {ZONE: "z"}},
        "spec": spec,
        "status": {"conditions": [{"type": "Ready", "status": ready}]},
    }


def labelled(*labels: Mapping[str, str], more: Iterable[object] = ()) -> str:
    """Return a list of the nodes n1, n2 ... with these labels, and of what else."""
    items = [
        {"kind": "Node", "metadata": {"name": f"n{i}", "labels": own}}
        for i, own in enumerate(labels, 1)
    ]
    return json.dumps({"kind": "List", "items": [*items, *more]})


def pod(on: str, *owners: str, phase: str = "Running") -> dict[str, Any]:
    """Return a pod on a node, if any, that these kinds of things own."""
    listed = [{"kind": owner} for owner in owners]
    return {
        "kind": "Pod",
        "metadata": {"name": "p", "ownerReferences": listed},
        "spec": {"nodeName": on} if on else {},
        "status": {"phase": phase},
    }


def sinfo(*entries: str) -> dict[str, Any]:
    """Return a report of nodes and their states, such as ``n[1-4] IDLE DRAIN``."""
    rows = [entry.split() for entry in entries]
    listed = [
        {"node": {"state": states}, "nodes": {"nodes": [nodes]}}
        for nodes, *states in rows
    ]
    return {"sinfo": listed, "errors": []}


def number(n: int) -> dict[str, Any]:
    """Return a number as newer versions of Slurm write it."""
    return {"set": True, "infinite": False, "number": n}


def sacct(name: int, nodes: str, start: int, end: int, **more: Any) -> dict[str, Any]:
    """Return a job of an hour at most in a report of sacct; it runs if end is 0."""
    times = {"submission": start - 5, "start": start, "end": end, "limit": number(60)}
    state = {"current": ["COMPLETED" if end else "RUNNING"]}
    return {"job_id": name, "nodes": nodes, "state": state, "time": times, **more}

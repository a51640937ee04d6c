"""A cluster whose machines are not alike, and reports of it."""

from __future__ import annotations

import json
from typing import Any

from ..reports import ZONE, node, sacct

TREE = """\
SwitchName=r1 Nodes=g[1-2],c[1-2]
SwitchName=r2 Nodes=g[3-4],c[3-4]
SwitchName=r3 Nodes=c[5-8]
SwitchName=top Switches=r[1-3]
"""
GPU = {"partitions": ["gpu", "all"], "active_features": ["ib", "a100"], "cpus": 64}
GPU |= {"gres": "gpu:a100:4", "architecture": "x86_64"}
CPU = {"partitions": ["cpu", "all"], "active_features": ["ib"], "cpus": 64}
CPU |= {"gres": "", "architecture": "x86_64"}
NAMES = [f"g{i}" for i in range(1, 5)] + [f"c{i}" for i in range(1, 9)]
SWF = "".join(
    f"{i} {10 * i} -1 60 {2 + i % 2} {'-1 ' * 3}200 {'-1 ' * 8}-1\n"
    for i in range(1, 7)
)


def scontrol(changes: dict[str, dict[str, Any]] = {}, busy: str = "") -> str:  # noqa: B006
    """Return a report of all nodes, but those changed; the busy ones are allocated."""
    nodes = []
    for name in NAMES:
        state = ["ALLOCATED" if name in busy.split() else "IDLE"]
        entry = {"name": name, "state": state, **(GPU if name[0] == "g" else CPU)}
        nodes.append(entry | changes.get(name, {}))
    return json.dumps({"nodes": nodes})


def squeue(*jobs: str) -> str:
    """Return a report of jobs, such as ``7 g[1-2]``, or ``8 c1 COMPLETING``."""
    rows = [job.split() for job in jobs]
    listed = [
        {"job_id": int(name), "job_state": states or ["RUNNING"], "nodes": nodes}
        for name, nodes, *states in rows
    ]
    return json.dumps({"jobs": listed})


def accounted(*nodes: str) -> str:
    """Return a report of sacct: jobs 1, 2 ... that run one after another."""
    jobs = [sacct(i, names, 100 * i, 100 * i + 90) for i, names in enumerate(nodes, 1)]
    return json.dumps({"jobs": jobs})


def kubernetes(gpus: int, taint: str) -> str:
    """Return four nodes in two zones, b with so many devices and perhaps a taint."""
    items = []
    for name in ("a1", "a2", "b1", "b2"):
        at_b = name[0] == "b"
        taints = [{"key": taint, "value": "x", "effect": "NoSchedule"}]
        spec: dict[str, Any] = {"taints": taints} if at_b and taint else {}
        item = node(name, labels={ZONE: name[0]}, **spec)
        item["status"] |= {
            "nodeInfo": {"architecture": "amd64"},
            "allocatable": {"nvidia.com/gpu": str(gpus if at_b else 8)},
            "capacity": {"cpu": "64"},
        }
        items.append(item)
    return json.dumps({"kind": "NodeList", "items": items})


def pod(name: str, node: str, *, stays: int = 0, **metadata: Any) -> dict[str, Any]:
    limits = {"nvidia.com/gpu": stays or 8}
    spec = {"nodeName": node, "containers": [{"resources": {"limits": limits}}]}
    if stays:
        metadata["ownerReferences"] = [{"kind": "DaemonSet"}]
    status = {"phase": metadata.pop("phase", "Running")}
    metadata |= {"name": name, "namespace": "n"}
    return {"metadata": metadata, "spec": spec, "status": status}


def pods(*listed: dict[str, Any]) -> str:
    return json.dumps({"kind": "PodList", "items": list(listed)})


def notes_of(out: str) -> list[str]:
    found: list[str] = json.loads(out)["state"].get("notes", [])
    return found

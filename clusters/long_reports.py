"""Files that may be a long JSON report: read element by element, and reduced.

What `kubectl get nodes -o json` prints of 20 000 nodes is some 400 MB, most of which
no one needs here.
"""

from __future__ import annotations

import re
from pathlib import Path
from sys import intern
from typing import Any

from ..instances import InputError
from ..instances.reading import fields
from ..instances.reading.files import decode_text
from ..instances.reading.json_lists import read_lists
from ..instances.reading.packed import reading_unpacked

_KEPT = {
    "": (
        *("kind", "metadata", "spec", "status"),
        *("node", "nodes", "name", "state", "state_flags", "job_state", "job_id"),
        *("job_resources", "reservation", "description", "error"),
        *("partition", "partitions", "features", "active_features", "gres"),
        *("gres_used", "architecture", "cpus", "required_nodes", "excluded_nodes"),
    ),
    "metadata": (
        *("name", "namespace", "labels", "ownerReferences", "deletionTimestamp"),
    ),
    "spec": (
        *("nodeName", "unschedulable", "taints", "levels"),
        *("containers", "initContainers", "nodeSelector", "affinity"),
    ),
    "status": ("phase", "conditions", "nodeInfo", "allocatable", "capacity"),
    "conditions": ("type", "status", "lastHeartbeatTime"),
    "taints": ("key", "value", "effect"),
    "partition": ("name", "partition", "state"),
    "nodeInfo": ("architecture", "operatingSystem"),
    "capacity": ("cpu",),
    "containers": ("resources",),
    "initContainers": ("resources", "restartPolicy"),
    "resources": ("requests", "limits"),
    "ownerReferences": ("kind",),
    "job_resources": ("nodes",),
    "nodes": ("nodes", "list"),
}
"""Parts of objects of Kubernetes and Slurm that are read, by the key of the object."""
MOST_BYTES = 64 * 2**20
"""Maximal size of a file that is no JSON, unpacked."""
_JOB_LINE = re.compile(rb'\s*\{\s*("id"\s*:|"nodes"\s*:\s*("|\[\s*"))')
"""How lines of jobs begin, which are no report."""


def text_or_report(path: str | Path, *, most: int) -> str | dict[str, Any]:
    """Return the text of a file, possibly packed with xz, or a JSON object reduced.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.
    most
        Maximal size of a text, unpacked; JSON has limits of its own, see `json_lists`.

    Raises
    ------
    InputError
        If it cannot be read, is damaged, or exceeds a limit.
    """
    with reading_unpacked(path) as content:
        head = content.peek().lstrip()
        if not _JOB_LINE.match(head) and head.startswith((b"{", b"\xef\xbb\xbf{")):
            return read_lists(content, drop_unread, file=path)
        text = content.read(most + 1)
    if len(text) > most:
        raise InputError(f"is larger than {most // 2**20} MiB", file=path)
    return decode_text(text, file=path)


def refuse_failed(document: dict[str, Any]) -> None:
    """Raise InputError for a report of Slurm that lists errors: it may lack nodes."""
    listed = fields.lists(document.get("errors") or [], "errors")
    if listed:
        first = listed[0] if isinstance(listed[0], dict) else {}
        why = first.get("description") or first.get("error") or "no reason is given"
        raise InputError("is the report of a command that failed", "errors", why)


def kubernetes_objects(document: dict[str, Any]) -> list[Any]:
    """Return the objects of a list of Kubernetes, or the one object, with their kinds.

    The items of a ``NodeList``, ``PodList`` or ``WorkloadList``, as the API returns
    them, carry no kind: the list states it.

    >>> kubernetes_objects({"kind": "PodList", "items": [{"metadata": {}}]})
    [{'metadata': {}, 'kind': 'Pod'}]
    """
    if "items" not in document:
        return [document]
    page = document.get("metadata")
    if isinstance(page, dict) and page.get("continue"):
        problem = "is one page of a list: its other pages are missing"
        raise InputError(problem, "metadata.continue", page["continue"])
    listed = document["items"]
    kind = document.get("kind")
    of_items = kind.removesuffix("List") if isinstance(kind, str) else ""
    return [
        item | {"kind": of_items}
        if of_items and isinstance(item, dict) and not item.get("kind")
        else item
        for item in (listed if isinstance(listed, list) else [])
    ]


def drop_unread(entry: Any, key: str = "") -> Any:
    """Return the parts of an object that are read anywhere.

    >>> drop_unread({"kind": "Node", "metadata": {"name": "a", "uid": 7}, "status": {}})
    {'kind': 'Node', 'metadata': {'name': 'a'}, 'status': {}}
    """
    if isinstance(entry, list) and key in _KEPT:
        return [drop_unread(one, key) for one in entry]
    if not isinstance(entry, dict):
        return entry
    if key == "labels":
        return {intern(k): intern(v) if type(v) is str else v for k, v in entry.items()}
    kept = _KEPT.get(key, entry)
    return {k: drop_unread(entry[k], k) for k in kept if k in entry}

"""Small pods of TPUs as files."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import product

Chips = tuple[int, ...]
PARTITION = "cloud.google.com/gke-tpu-partition-"
PARTS = {"4x4x4": 16, "2x4x4": 8, "2x2x4": 4, "2x2x2": 2, "2x2x1": 1}
"""Parts of a cube of Ironwood, and how many nodes they have."""


def grid_rows(shape: Chips, host: Chips) -> dict[str, Chips]:
    """Return nodes with the coordinates of their first chips."""
    cells = product(*(range(0, n, h) for n, h in zip(shape, host, strict=True)))
    return {f"h{i:03d}": cell for i, cell in enumerate(cells)}


def pod_csv(words: str, rows: Mapping[str, Chips], cube: Chips, host: Chips) -> str:
    """Return the file of a pod."""
    cubes, hosts = ("x".join(map(str, one)) for one in (cube, host))
    listed = [f"{name},{','.join(map(str, site))}" for name, site in rows.items()]
    return "\n".join([f"# {words} cubes {cubes} hosts {hosts}", "node,x,y,z", *listed])


def dynamic(
    blocks: Sequence[int], sick: Collection[tuple[int, int]] = ()
) -> dict[str, dict[str, str]]:
    """Return labels of nodes ``tBC-HH`` in so many cubes of each block."""
    found = {}
    for b, cubes in enumerate(blocks):
        for c, h in product(range(cubes), range(16)):
            own = {"cloud.google.com/gce-topology-block": f"block-{b}"}
            for part, nodes in PARTS.items():
                own[f"{PARTITION}{part}-id"] = f"{b}{c}-{part}-{h // nodes}"
                own[f"{PARTITION}{part}-state"] = "HEALTHY"
            if (b, c) in sick:
                own[f"{PARTITION}4x4x4-state"] = "INCOMPLETE"
            found[f"t{b}{c}-{h:02d}"] = own
    return found


def nodes_json(items: Mapping[str, Mapping[str, str]]) -> str:
    """Return what ``kubectl get nodes -o json`` prints, in short."""
    nodes = [
        {"kind": "Node", "metadata": {"name": name, "labels": own}}
        for name, own in items.items()
    ]
    return json.dumps({"kind": "List", "items": nodes})

"""Orthogonal packing instances as JSON lines, as published: an object a line."""

from __future__ import annotations

import json
from pathlib import Path

from closeknit.instances.submesh.packing import Item, Packing


def read_packings(path: Path) -> list[Packing]:
    """Read the instances of a file; items are not turned.

    A line has ``name``, ``bins`` (one list that begins with two sides) and ``items``
    (lists that begin with two sides and the demand).
    """
    found = []
    for line in path.read_text("utf-8").splitlines():
        one = json.loads(line)
        ((*sides, _),) = (row[:3] for row in one["bins"])
        items = [
            Item((wide, high))
            for wide, high, demand, *_ in one["items"]
            for _ in range(demand)
        ]
        found.append(Packing(one["name"], tuple(sides), tuple(items)))
    return found

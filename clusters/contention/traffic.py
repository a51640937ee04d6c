"""What running jobs send over links, from the pattern of each.

The rank that sends most sends as much as its port lets pass, times the share of time in
which it does; the others in proportion. What links carry is rounded once, at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ...instances import InputError
from ...network.loads import LoadTable, Routes, busiest_of
from ...network.workloads.communication import units_of
from ..ranks import places_below
from ..topologies import Fabric, Hierarchy, Space
from .links import UNIT, Wires, names_of


def loads_of_jobs(
    fabric: Fabric, routing: str, stated: Sequence[Mapping[str, Any]], file: str
) -> tuple[Wires, int]:
    """Return what jobs send over links, and of how many jobs that is not known.

    Parameters
    ----------
    fabric, routing
        The network, and its routing where it is no tree.
    stated
        What a file states of jobs, from `read_running`; ranks are in the order of the
        nodes.
    file
        Its name.

    Raises
    ------
    InputError
        If a name is there twice or unknown, or a pattern has other nodes.
    """
    number = {name: i for i, name in enumerate(fabric.nodes)}
    sums = dict.fromkeys(names_of(fabric).links, Fraction(0))
    unknown, seen = 0, set[str]()
    for i, entry in enumerate(stated):
        at, names = f"jobs[{i}]", entry.get("nodes", ())
        if entry["name"] in seen:
            raise InputError("is there twice", f"{at}.name", entry["name"], file=file)
        seen.add(entry["name"])
        for name, times in Counter(names).items():
            if name not in number or times > 1:
                problem = f"is {'there twice' if times > 1 else 'not in the topology'}"
                raise InputError(problem, f"{at}.nodes", name, file=file)
        if "pattern" not in entry:
            unknown += 1
            continue
        if not names:
            raise InputError("is needed with a pattern", f"{at}.nodes", file=file)
        nodes, pattern = [number[x] for x in names], entry["pattern"]
        try:
            units = units_of(pattern, len(nodes))
        except InputError as error:
            field = f"{at}.pattern"
            raise InputError(error.problem, field, pattern, file=file) from None
        on = _on_tree if isinstance(fabric, Hierarchy) else _on_space
        for link, load in on(fabric, routing, nodes, units).items():  # type: ignore[arg-type]
            sums[link] += load * entry.get("share", 100) / 100
    return {link: round(UNIT * load) for link, load in sums.items()}, unknown


_Units = Sequence[tuple[int, int, int]]
_Loads = dict[tuple[int, int], Fraction]


def _on_tree(
    fabric: Hierarchy, routing: str, nodes: Sequence[int], units: _Units
) -> _Loads:
    """Return what a job sends over each link, in ports."""
    inside = places_below(fabric, nodes)
    inside.pop(0, None)  # there is no link above the root
    k, found = len(nodes), {}
    a, b = np.array(units, dtype=np.int64).reshape(-1, 3).T[:2]
    most = int(np.bincount(a, minlength=1).max()) if units else max(1, k - 1)
    for v, some in inside.items():
        below = np.zeros(k, dtype=np.bool_)
        below[some] = True
        across = len(some) * (k - len(some))
        if units:
            across = int(np.count_nonzero(below[a] & ~below[b]))
        up = int(fabric.parent[v])
        found[v, up] = found[up, v] = Fraction(across, most)
    return found


def _on_space(
    fabric: Space, routing: str, nodes: Sequence[int], units: _Units
) -> _Loads:
    topology = fabric.topology
    number = {site: p for p, site in enumerate(topology.locations())}
    places = [number[fabric.sites[i]] for i in nodes]
    table = LoadTable(Routes(topology, routing), places)
    matrix = 1 - np.eye(len(nodes), dtype=np.int64)
    if units:
        matrix[:] = 0
        for s, t, amount in units:
            matrix[s, t] = amount
    most = table.whole * busiest_of(matrix)
    carried = table.of(places, matrix).tolist()
    return {
        link: Fraction(load, most)
        for link, load in zip(table.routes.links, carried, strict=True)
    }

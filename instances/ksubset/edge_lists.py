"""Text formats of other people's networks: a line of three integers, then edges.

OR-Library's p-median networks have nodes, edges and p, and for each edge two nodes and
an integer length; of parallel edges the last counts. They are read with k = p.

Files of the k-cluster library, of which the densest k nodes are asked for, have nodes,
k and edges, and for each edge two nodes and the weight 0.5, by which they are
recognised. Nodes are 1 apart if an edge joins them, and 2 otherwise, so k nodes with e
edges among them cost k (k - 1) - e.

Nodes are numbered from 1; in the second format from 0 if there is a node 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..errors import InputError
from ..topologies.graph import MOST_EDGES, MOST_NODES, Graph
from ..topologies.metric import MOST_ROWS, Distances
from ..value import LARGEST
from .instance import KSubset

_HEAD = re.compile(r"\s*\d+[ \t]+\d+[ \t]+\d+[ \t]*\r?\n\s*\d", re.ASCII)
_WEIGHT = r"0?\.50*"
_LINE = re.compile(rf"(\d{{1,19}}) (\d{{1,19}}) (?:(\d{{1,19}})|{_WEIGHT})", re.ASCII)


def is_edge_list(text: str) -> bool:
    """Whether a text begins with a line of three integers, and another number."""
    return _HEAD.match(text) is not None


def parse_edge_list(text: str, *, default_name: str = "unnamed") -> KSubset:
    """Build an instance from the text of a file.

    Raises InputError if it is invalid; names the line and the value.
    """
    rows = [
        (f"line {number}", " ".join(line.split()))
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip()
    ]
    (top, head), *edges = rows
    nodes, second, third = _integers(top, head)
    is_cluster = bool(edges and re.fullmatch(_WEIGHT, edges[0][1].rpartition(" ")[2]))
    count, k = (third, second) if is_cluster else (second, third)
    most = MOST_ROWS if is_cluster else MOST_NODES
    if nodes > most or count > MOST_EDGES:
        raise InputError(f"at most {most} nodes and {MOST_EDGES} edges", top, head)
    if len(edges) != count:
        raise InputError(f"must be followed by {count} edges, not {len(edges)}", top)
    lengths: dict[tuple[int, int], int] = {}
    first = 0 if is_cluster and any(line.startswith("0 ") for _, line in edges) else 1
    for where, line in edges:
        a, b, length = _integers(where, line, is_cluster)
        if not first <= min(a, b) < max(a, b) < nodes + first:
            ends = f"from {first} to {nodes + first - 1}"
            raise InputError(f"must join two different nodes {ends}", where, line)
        if not 1 <= length < LARGEST:
            raise InputError("a length must be positive", where, line)
        lengths[min(a, b) - first, max(a, b) - first] = length
    if is_cluster:
        return densest(default_name, nodes, lengths, k, "k-cluster library file")
    network = Graph(
        nodes,
        tuple((*pair, length) for pair, length in lengths.items()),
        tuple(range(nodes)),
        names=tuple(str(v + 1) for v in range(nodes)),
    )
    places = tuple(network.locations())
    return KSubset(default_name, network, places, k, source="OR-Library p-median file")


def densest(
    name: str,
    nodes: int,
    edges: Iterable[tuple[int, int]],
    k: int,
    source: str,
    seed: int | None = None,
) -> KSubset:
    """Return the choice of k nodes with the most edges among them.

    >>> square = densest("square", 4, [(0, 1), (1, 2), (2, 3), (0, 3)], 3, "")
    >>> square.topology.distance((0,), (1,)), square.topology.distance((0,), (2,))
    (1, 2)
    """
    rows = [[2 * (i != j) for j in range(nodes)] for i in range(nodes)]
    for i, j in edges:
        rows[i][j] = rows[j][i] = 1
    network = Distances(rows)
    return KSubset(name, network, tuple(network.locations()), k, source, seed)


def _integers(where: str, line: str, is_cluster: bool = False) -> tuple[int, int, int]:
    """Return the three integers of a line; 1 in place of the weight of a cluster."""
    found = _LINE.fullmatch(line)
    if found is None or (found[3] is None) is not is_cluster:
        wanted = "two integers and 0.5" if is_cluster else "three integers"
        raise InputError(f"must be {wanted}", where, line)
    return int(found[1]), int(found[2]), int(found[3] or 1)

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
_NUMBER = re.compile(r"\d{1,19}", re.ASCII)
_WEIGHT = re.compile(r"0?\.50*", re.ASCII)
_PAIR_AND_WEIGHT = "two integers and 0.5", _WEIGHT


def is_edge_list(text: str) -> bool:
    """Whether a text begins with a line of three integers, and another number."""
    return _HEAD.match(text) is not None


def parse_edge_list(text: str, *, default_name: str = "unnamed") -> KSubset:
    """Build an instance from the text of a file.

    Raises InputError if it is invalid; names the line and the value.
    """
    rows = [
        (f"line {number}", line.split())
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip()
    ]
    nodes, second, third = _integers(*rows[0])
    is_cluster = len(rows) > 1 and _WEIGHT.fullmatch(rows[1][1][-1]) is not None
    edges, k = (third, second) if is_cluster else (second, third)
    most = MOST_ROWS if is_cluster else MOST_NODES
    if nodes > most or edges > MOST_EDGES:
        problem = f"at most {most} nodes and {MOST_EDGES} edges"
        raise InputError(problem, rows[0][0], " ".join(rows[0][1]))
    if len(rows) - 1 != edges:
        raise InputError(
            f"must be followed by {edges} edges, not {len(rows) - 1}", rows[0][0]
        )
    lengths: dict[tuple[int, int], int] = {}
    lowest = 0 if is_cluster and any(words[0] == "0" for _, words in rows[1:]) else 1
    for where, words in rows[1:]:
        if is_cluster:
            a, b = _integers(where, words, *_PAIR_AND_WEIGHT)
            length = 1
        else:
            a, b, length = _integers(where, words)
        if not lowest <= min(a, b) < max(a, b) < nodes + lowest:
            problem = (
                f"must join two different nodes from {lowest} to {nodes + lowest - 1}"
            )
            raise InputError(problem, where, " ".join(words))
        if not 1 <= length < LARGEST:
            raise InputError("a length must be positive", where, " ".join(words))
        lengths[min(a, b) - lowest, max(a, b) - lowest] = length
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


def _integers(
    where: str,
    words: list[str],
    wanted: str = "three integers",
    last: re.Pattern[str] = _NUMBER,
) -> list[int]:
    """Return the integers of a line of three words; the last may be something else."""
    patterns = (_NUMBER, _NUMBER, last)
    if len(words) != 3 or not all(map(re.fullmatch, patterns, words)):
        raise InputError(f"must be {wanted}", where, " ".join(words))
    return [*map(int, words[:2] if last is _WEIGHT else words)]

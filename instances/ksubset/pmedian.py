"""The text format of OR-Library's p-median networks, read as k-subsets with k = p.

A line of three integers, nodes, edges and p, then one edge a line: two nodes, from 1,
and a length. Of parallel edges the last counts.
"""

from __future__ import annotations

import re

from ..errors import InputError
from ..topologies.graph import MOST_EDGES, MOST_NODES, Graph
from ..value import LARGEST
from .instance import KSubset

_HEAD = re.compile(r"\s*\d+[ \t]+\d+[ \t]+\d+[ \t]*\r?\n\s*\d", re.ASCII)
_NUMBER = re.compile(r"\d{1,19}", re.ASCII)


def is_pmedian_text(text: str) -> bool:
    """Whether a text begins like a p-median file: two lines of integers."""
    return _HEAD.match(text) is not None


def parse_pmedian_text(text: str, *, default_name: str = "unnamed") -> KSubset:
    """Build an instance from the text of a p-median file.

    Raises InputError if it is invalid; names the line and the value.
    """
    rows = [
        (f"line {number}", line)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip()
    ]
    nodes, edges, p = _integers(*rows[0])
    if nodes > MOST_NODES or edges > MOST_EDGES:
        most = f"at most {MOST_NODES} nodes and {MOST_EDGES} edges"
        raise InputError(most, rows[0][0], rows[0][1].strip())
    if len(rows) - 1 != edges:
        raise InputError(
            f"must be followed by {edges} edges, not {len(rows) - 1}", rows[0][0]
        )
    lengths: dict[tuple[int, int], int] = {}
    for where, line in rows[1:]:
        a, b, length = _integers(where, line)
        if not (min(a, b) >= 1 and max(a, b) <= nodes) or a == b:
            problem = f"must join two different nodes from 1 to {nodes}"
            raise InputError(problem, where, line.strip())
        if not 1 <= length < LARGEST:
            raise InputError("a length must be positive", where, line.strip())
        lengths[min(a, b) - 1, max(a, b) - 1] = length
    network = Graph(
        nodes,
        tuple((*pair, length) for pair, length in lengths.items()),
        tuple(range(nodes)),
        names=tuple(str(v + 1) for v in range(nodes)),
    )
    places = tuple(network.locations())
    return KSubset(default_name, network, places, p, source="OR-Library p-median file")


def _integers(where: str, line: str) -> tuple[int, int, int]:
    """Return the three integers of a line."""
    words = line.split()
    if len(words) != 3 or not all(_NUMBER.fullmatch(word) for word in words):
        raise InputError("must be three integers", where, line.strip())
    a, b, c = map(int, words)
    return a, b, c
